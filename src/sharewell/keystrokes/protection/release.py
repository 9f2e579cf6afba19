"""A file of key events protected: the setting is chosen on one partition and taken for all of them.

The classes of speeds are those of all students. Everything else, donors of times and of keys as well as what counts as
common, comes from the students of the same partition, so that each is protected as a file of its own would be.
"""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from sharewell.contract import Protected
from sharewell.data import engine
from sharewell.data.keyed import Keyed
from sharewell.data.scratch import scratch
from sharewell.keystrokes import eventlog
from sharewell.keystrokes.arrays import session_starts
from sharewell.keystrokes.columns import KeyColumns
from sharewell.keystrokes.eventlog import Events, recoded
from sharewell.keystrokes.partitions import FIRST, Partitions, StudentPartitions
from sharewell.keystrokes.protection import judging, lots
from sharewell.keystrokes.protection.draft import Material, Setting, Speeds, classes_of, material
from sharewell.keystrokes.protection.earlier_speeds import EarlierSpeeds
from sharewell.keystrokes.protection.search import (
    ChangeTally,
    Choice,
    IdentificationGoal,
    SettingSearch,
    changes,
    chosen,
    drawn_release,
    released_table,
    setting_facts,
    tally_of,
)
from sharewell.keystrokes.protection.session_names import named_sessions, renumbered
from sharewell.keystrokes.protection.survey import Survey, survey_of, surveyed


@dataclass(frozen=True, kw_only=True)
class TypingRequest:
    """A file as it was, and what may be released of it, in the same partitions; what its release is held to."""

    original: Partitions
    releasable: Partitions
    roster: StudentPartitions
    columns: KeyColumns
    goal: IdentificationGoal
    keyed: Keyed
    watched: tuple[int, judging.Original] | None = None  # a partition whose original is in memory already
    earlier: EarlierSpeeds | None = None
    rename: bool = True  # sessions

    @cached_property
    def survey(self) -> Survey:
        if self.roster.partitions == 1:
            return survey_of(self._first)
        return surveyed(self.releasable, self.roster, self.columns)

    @cached_property
    def _first(self) -> Events:
        return eventlog.load(self.releasable.table(FIRST), self.columns, self.releasable.row)

    @cached_property
    def choice(self) -> Choice:
        """The setting that is best on the first partition, or that of an earlier release."""
        return chosen(self.search(FIRST)) if self.earlier is None else Choice(setting=self.earlier.setting)

    def speeds(self, setting: Setting) -> Speeds:
        """The classes of all students."""
        if self.earlier is not None:
            return self.earlier.speeds(self.roster.names, self.survey.speed)
        return classes_of(self.survey.speed, setting.classes)

    def search(self, partition: int) -> SettingSearch:
        """One partition, ready to be drawn and attacked."""
        if self.watched is not None and self.watched[0] == partition:
            before = self.watched[1]
        else:
            before = original_of(self.original, self.columns, partition, self.goal.seed)
        table = self.releasable
        events = self._first if partition == FIRST else eventlog.load(table.table(partition), self.columns, table.row)
        earlier = None if self.earlier is None else self.earlier.speeds(self.roster.names, self.survey.speed)
        events, made = prepared(events, self.survey, self.roster, earlier)
        return SettingSearch(before, events, made, self.goal, self.keyed)


def search_of(original: judging.Original, events: Events, goal: IdentificationGoal, keyed: Keyed) -> SettingSearch:
    """A file of one partition."""
    whole = StudentPartitions(names=events.students, partition=np.zeros(len(events.students), dtype=np.int64))
    return SettingSearch(original, *prepared(events, survey_of(events), whole, None), goal, keyed)


def original_of(table: Partitions, columns: KeyColumns, partition: int, seed: int) -> judging.Original:
    return judging.original(eventlog.load(table.table(partition), columns, table.row), seed)


def prepared(
    events: Events, survey: Survey, roster: StudentPartitions, as_before: Speeds | None
) -> tuple[Events, Material]:
    """The events under the keys of the whole file, and what every draw needs of them."""
    events = replace(events, typing=recoded(events.typing, survey.keys))
    return events, material(events.typing, survey.speed, roster.of(events.students), as_before)


@dataclass(frozen=True, kw_only=True)
class PartitionOrder:
    """All that a worker has to know to draw and write a partition: of the key only what is drawn with it there."""

    table: Partitions
    roster: StudentPartitions
    columns: KeyColumns
    survey: Survey
    setting: Setting
    as_before: Speeds | None
    chance: Keyed
    lots: lots.LotSecrets
    rename: bool
    folder: Path


@dataclass(frozen=True, kw_only=True)
class WrittenPartition:
    """Of one partition: the files of its rows and of the names of its sessions, and what was changed."""

    rows: Path
    sessions: Path
    tally: ChangeTally


def protected(request: TypingRequest) -> Protected:
    """Every partition drawn once and written; the private table of sessions says which became which."""
    choice, roster = request.choice, request.roster
    folder = scratch() / uuid.uuid4().hex
    folder.mkdir()
    order = PartitionOrder(
        table=request.releasable, roster=roster, columns=request.columns, survey=request.survey,
        setting=choice.setting, as_before=None if request.earlier is None else request.speeds(choice.setting),
        chance=Keyed(request.keyed.secret("partitions of typing"), "typing"),
        lots=lots.secrets(request.keyed, choice.setting), rename=request.rename, folder=folder,
    )  # fmt: skip
    done: Sequence[WrittenPartition] = engine.answers(
        engine.workers(), partial(_written, order), range(roster.partitions)
    )
    tally = ChangeTally(
        rows=sum(one.tally.rows for one in done),
        classes=sum(one.tally.classes for one in done),
        moved=sum(one.tally.moved for one in done),
    )
    helper = engine.fresh(request.releasable.columns, "order")
    curve = choice.curve
    if curve is not None and roster.partitions > 1:
        curve = replace(curve, note=f"{curve.note} Chosen on one of {roster.partitions} partitions of the students.")
    return Protected(
        table=engine.read(*(one.rows for one in done)),
        changes=tuple(changes(request.columns, choice.setting, tally, request.earlier is not None)),
        curve=curve,
        order=(helper,),
        helpers=(helper, request.releasable.row),
        facts=setting_facts(choice.setting),
        private={"sessions": pa.concat_tables(pq.read_table(one.sessions) for one in done)},
    )


def _written(order: PartitionOrder, partition: int) -> WrittenPartition:
    """One partition: its rows and the names of its sessions in files."""
    events = eventlog.load(order.table.table(partition), order.columns, order.table.row)
    events, made = prepared(events, order.survey, order.roster, order.as_before)
    chance = order.chance.within(f"partition {partition}")
    draft = drawn_release(events, made, order.setting, chance, order.lots)
    names = None
    if order.rename:
        owner = events.typing.student[session_starts(events.typing.session)[:-1]]
        names = renumbered(owner, chance.generator("sessions").random(len(owner)), order.survey.stem)
    table, _ = released_table(events, draft, names, order.survey.moving)
    rows, sessions = (order.folder / f"{what}-{partition}.parquet" for what in ("rows", "sessions"))
    engine.copy(table, rows, format="parquet")
    pq.write_table(named_sessions(events, events.sessions if names is None else names), sessions)
    return WrittenPartition(rows=rows, sessions=sessions, tally=tally_of(made, draft))
