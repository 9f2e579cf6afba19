"""What all partitions of a file share: one list of keys, the speeds of all students, how names may begin."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from sharewell.data import engine
from sharewell.keystrokes import eventlog
from sharewell.keystrokes.arrays import Array, session_starts
from sharewell.keystrokes.columns import KeyColumns
from sharewell.keystrokes.eventlog import Events
from sharewell.keystrokes.partitions import Partitions, StudentPartitions
from sharewell.keystrokes.protection.rare_keys import names_with_class_keys
from sharewell.keystrokes.protection.session_names import free_stem
from sharewell.keystrokes.utility.habits import own_latency, with_everyone_s_mean

NUMBERED = re.compile(r"s_*[0-9]+$")  # names that a new name of a session could be


@dataclass(frozen=True, kw_only=True)
class Survey:
    keys: Array  # all keys of the file, with one of every class, sorted
    speed: Array  # the mean latency of every student
    moving: tuple[str, ...]  # columns that differ from event to event, in any partition
    stem: str  # of new names of sessions


@dataclass(frozen=True, kw_only=True)
class PartSurvey:
    """Of one partition; `taken` are names that no session may get, `most` is the most sessions of a student."""

    keys: set[str]
    moving: set[str]
    taken: set[str]
    most: int
    numbers: Array  # of its students among all
    latency: Array  # the mean of each; not a number where there is none


def surveyed(table: Partitions, roster: StudentPartitions, columns: KeyColumns) -> Survey:
    """Look through all partitions; what is learned of each does not depend on who looks, or when."""
    work = partial(_partition, table, roster, columns)
    return _together(roster, engine.answers(engine.workers(), work, range(roster.partitions)))


def survey_of(events: Events) -> Survey:
    """The same of a file of one partition that is loaded already."""
    whole = StudentPartitions(names=events.students, partition=np.zeros(len(events.students), dtype=np.int64))
    return _together(whole, [_learned(events, whole)])


def _partition(table: Partitions, roster: StudentPartitions, columns: KeyColumns, partition: int) -> PartSurvey:
    return _learned(eventlog.load(table.table(partition), columns, table.row), roster)


def _learned(events: Events, roster: StudentPartitions) -> PartSurvey:
    typing = events.typing
    return PartSurvey(
        keys={*typing.keys.tolist()},
        moving={*eventlog.moving_columns(events.table, events.columns, events.row_column)},
        taken={name for name in events.sessions.tolist() if NUMBERED.match(name)},
        most=int(np.bincount(typing.student[session_starts(typing.session)[:-1]]).max()),
        numbers=roster.of(events.students),
        latency=own_latency(typing.student, typing.latency, len(events.students)),
    )


def _together(roster: StudentPartitions, parts: Sequence[PartSurvey]) -> Survey:
    latency = np.full(len(roster.names), np.nan)
    for part in parts:
        latency[part.numbers] = part.latency
    taken = {name for name in roster.names.tolist() if NUMBERED.match(name)}.union(*(part.taken for part in parts))
    return Survey(
        keys=names_with_class_keys(set().union(*(part.keys for part in parts))),
        speed=with_everyone_s_mean(latency),
        moving=tuple(sorted(set().union(*(part.moving for part in parts)))),
        stem=free_stem(taken, max(part.most for part in parts)),
    )
