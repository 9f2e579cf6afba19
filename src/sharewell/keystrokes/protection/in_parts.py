"""A file that is not held whole, protected part by part: the way is chosen on some students and taken for all.

What everybody's draw depends on is reduced first: the speeds of all students make the classes, the keys of the file one
list. Rhythms, the keys that sessions exchange and what counts as common come from the students of the first part, whom
the key draws (see `parts`). Then every part is read, drawn and written by itself. All chance belongs to single
students, so that their rows are the same however the others are put into parts.
"""

import re
import uuid
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from sharewell.contract import Protected
from sharewell.data import engine
from sharewell.data.keyed import Keyed
from sharewell.data.scratch import scratch
from sharewell.keystrokes import eventlog
from sharewell.keystrokes.arrays import Array, Typing, session_starts
from sharewell.keystrokes.columns import Columns
from sharewell.keystrokes.eventlog import Events, Givers, recoded
from sharewell.keystrokes.parts import FIRST, Parts, Roster
from sharewell.keystrokes.protection import judging, lots
from sharewell.keystrokes.protection.chances import numbers, of_students
from sharewell.keystrokes.protection.draft import (
    Draft,
    Elsewhere,
    Levels,
    Material,
    Setting,
    Shared,
    Speeds,
    draw,
    levels,
    only_shared,
)
from sharewell.keystrokes.protection.earlier_speeds import Earlier
from sharewell.keystrokes.protection.key_exchange import Sessions, sessions_of
from sharewell.keystrokes.protection.rare_keys import class_keys_of, names_with_class_keys
from sharewell.keystrokes.protection.rhythm_draws import Donors, speed_classes
from sharewell.keystrokes.protection.search import (
    Choice,
    Goal,
    Search,
    Tally,
    changes,
    chosen,
    released_table,
    tally_of,
    told_setting,
)
from sharewell.keystrokes.protection.session_names import free_stem, named_sessions, renumbered
from sharewell.keystrokes.utility.habits import own_latency, with_everyone_s_mean

NUMBERED = re.compile(r"s_*[0-9]+$")  # names that a new name of a session could be


@dataclass(frozen=True, kw_only=True)
class Learned:
    """Of one part: its keys, columns that differ from event to event, and what new names of sessions must not be.

    `most` sessions has one of its students; `numbers` are its students' among all, with the mean `latency` of each.
    """

    keys: set[str]
    moving: set[str]
    taken: set[str]
    most: int
    numbers: Array
    latency: Array


@dataclass(frozen=True, kw_only=True)
class Written:
    """Of one part: the files of its rows and of the names of its sessions, and what was changed."""

    rows: Path
    sessions: Path
    tally: Tally


@dataclass(frozen=True, kw_only=True)
class Request:
    """A file in parts: as it was, and what may be released of it; and what its release is held to.

    `goal` is what the choice is held to among the students of the first part.
    """

    original: Parts
    releasable: Parts
    roster: Roster
    columns: Columns
    goal: Goal
    keyed: Keyed
    earlier: Earlier | None = None
    rename: bool = True  # sessions


@dataclass(frozen=True, kw_only=True)
class Passed:
    """What is learned of everybody while all parts pass once."""

    keys: Array  # all keys of the file, with one of every class, sorted
    speed: Array  # the mean latency of every student
    moving: tuple[str, ...]  # columns that differ from event to event, in any part
    stem: str  # of new names of sessions


@dataclass(frozen=True, kw_only=True)
class Basis:
    """What every part takes from all students or from those who stand for them."""

    setting: Setting
    everybody: Passed
    speeds: Speeds
    shared: Shared
    donors: Donors
    givers: Sessions
    given: Array  # the key of every event that can give one, and
    rows: Array  # its row
    levels: Levels


@dataclass(frozen=True, kw_only=True)
class Order:
    """All that a worker has to know to draw and write a part: of the key only what is drawn with it there."""

    releasable: Parts
    roster: Roster
    columns: Columns
    basis: Basis
    chance: Keyed  # of single students
    lots: lots.Secrets
    rename: bool
    folder: Path


def chosen_basis(request: Request) -> tuple[Choice, Basis]:
    """The way that is best for the students who stand for all, and what everybody takes from them."""
    everybody = passed(request)
    search = _search(request, everybody.keys)
    choice = chosen(search) if request.earlier is None else Choice(setting=request.earlier.setting)
    return choice, _basis(request, everybody, search, choice.setting)


def _basis(request: Request, everybody: Passed, search: Search, setting: Setting) -> Basis:
    made, events = search.material, search.events
    speeds, number = _classes(request, setting, everybody.speed), request.roster.of(events.students)
    here = replace(made, as_before=replace(speeds, own=speeds.own[number]))
    return Basis(
        setting=setting,
        everybody=everybody,
        speeds=speeds,
        shared=made.shared,
        donors=made.donors[setting.keys.as_typed],
        givers=sessions_of(number[made.typing.student], made.typing.session),
        given=made.common,
        rows=events.row,
        levels=levels(here, setting, request.keyed.generator("levels")),
    )


def _search(request: Request, keys: Array) -> Search:
    """The students who stand for all, as a file of their own."""
    before, events = (loaded(parts, FIRST, request.columns) for parts in (request.original, request.releasable))
    events = replace(events, typing=recoded(events.typing, keys))
    return Search(judging.original(before, request.goal.seed), events, request.goal, request.keyed)


def loaded(parts: Parts, part: int, columns: Columns) -> Events:
    return eventlog.load(parts.table(part), columns, parts.row)


def passed(request: Request) -> Passed:
    """Parts are looked through by whoever has room for them; what is told of each does not depend on its place."""
    names = request.roster.names
    work = partial(_learned, request.releasable, request.roster, request.columns)
    told: list[Learned] = engine.answers(engine.workers(), work, range(request.roster.parts))
    latency = np.full(len(names), np.nan)
    for part in told:
        latency[part.numbers] = part.latency
    taken = {name for name in names.tolist() if NUMBERED.match(name)}.union(*(part.taken for part in told))
    return Passed(
        keys=names_with_class_keys(set().union(*(part.keys for part in told))),
        speed=with_everyone_s_mean(latency),
        moving=tuple(sorted(set().union(*(part.moving for part in told)))),
        stem=free_stem(taken, max(part.most for part in told)),
    )


def _learned(releasable: Parts, roster: Roster, columns: Columns, part: int) -> Learned:
    """Of one part: its keys, the numbers of its students and how fast they type, and what new names must not be."""
    events = loaded(releasable, part, columns)
    typing = events.typing
    return Learned(
        keys={*typing.keys.tolist()},
        moving={*eventlog.moving_columns(events.table, columns, events.row_column)},
        taken={name for name in events.sessions.tolist() if NUMBERED.match(name)},
        most=int(np.bincount(_owners(typing)).max()),
        numbers=roster.of(events.students),
        latency=own_latency(typing.student, typing.latency, len(events.students)),
    )


def _owners(typing: Typing) -> Array:
    """Whose every session is."""
    return np.asarray(typing.student[session_starts(typing.session)[:-1]])


def _classes(request: Request, setting: Setting, speed: Array) -> Speeds:
    if request.earlier is not None:
        return request.earlier.speeds(request.roster.names, speed)
    own, slower = speed_classes(speed, setting.classes)
    return Speeds(own=own, slower=slower, everyone=own)


def material_of(roster: Roster, basis: Basis, events: Events) -> Material:
    """One part as a draw needs it; what it does not have itself comes from elsewhere."""
    typing, number = recoded(events.typing, basis.everybody.keys), roster.of(events.students)
    common = only_shared(typing, class_keys_of(basis.everybody.keys), basis.shared)
    as_typed = basis.setting.keys.as_typed
    shown = typing if as_typed else replace(typing, key=common)
    givers = basis.givers._replace(starts=basis.givers.starts + len(typing.key))
    return Material(
        typing=typing,
        common=common,
        speed=basis.everybody.speed[number],
        donors={as_typed: basis.donors.for_others(shown, len(number))},
        shared=basis.shared,
        as_before=replace(basis.speeds, own=basis.speeds.own[number]),
        elsewhere=Elsewhere(givers=givers, keys=basis.given, levels=basis.levels, numbers=number),
    )


def protected_in_parts(request: Request, choice: Choice, basis: Basis) -> Protected:
    """Every part drawn once and written; the private table of sessions says which became which."""
    parts = range(request.roster.parts)
    done: list[Written] = engine.answers(engine.workers(), partial(_written, _order(request, basis)), parts)
    tallies = [asdict(part.tally) for part in done]
    tally = Tally(**{name: sum(one[name] for one in tallies) for name in ("rows", "classes", "moved")})
    order = engine.fresh(request.releasable.columns, "order")
    return Protected(
        table=engine.read(*(part.rows for part in done)),
        changes=tuple(changes(request.columns, basis.setting, tally, request.earlier is not None)),
        curve=None if choice.curve is None else replace(choice.curve, note=choice.curve.note + _note(len(parts))),
        order=(order,),
        helpers=(order, request.releasable.row),
        facts=told_setting(basis.setting),
        private={"sessions": pa.concat_tables(pq.read_table(part.sessions) for part in done)},
    )


def _note(parts: int) -> str:
    return (
        " The file is larger than is held at a time: the way was chosen on students whom the key draws, from whom all "
        f"others take rhythms and keys, and taken in {parts} parts."
    )


def _order(request: Request, basis: Basis) -> Order:
    folder = scratch() / uuid.uuid4().hex
    folder.mkdir()
    return Order(
        releasable=request.releasable, roster=request.roster, columns=request.columns, basis=basis,
        chance=Keyed(request.keyed.secret("typing in parts"), "part"),
        lots=lots.secrets(request.keyed, basis.setting), rename=request.rename, folder=folder,
    )  # fmt: skip


def _written(order: Order, part: int) -> Written:
    """One part: its rows and the names of its sessions in files, what was changed in it told."""
    events = loaded(order.releasable, part, order.columns)
    made = material_of(order.roster, order.basis, events)
    draft = _release(order, events, made)
    names = _session_names(order, events) if order.rename else None
    table, _ = released_table(events, draft, names, _givers(order, events))
    rows, sessions = order.folder / f"rows-{part}.parquet", order.folder / f"sessions-{part}.parquet"
    engine.copy(table, rows, format="parquet")
    pq.write_table(named_sessions(events, events.sessions if names is None else names), sessions)
    return Written(rows=rows, sessions=sessions, tally=tally_of(made, draft))


def _release(order: Order, events: Events, made: Material) -> Draft:
    """The draw that is released; chance belongs to students."""
    held = lots.of_release(order.lots, events)
    done = draw(made, order.basis.setting, of_students(order.chance, "release", events.students.tolist()), held)
    return replace(done, typing=eventlog.as_written(events, done.typing))


def _session_names(order: Order, events: Events) -> Array:
    owner = _owners(events.typing)
    chance = of_students(order.chance, "sessions", events.students.tolist())
    return renumbered(owner, numbers(chance, owner), order.basis.everybody.stem)


def _givers(order: Order, events: Events) -> Givers:
    """The rows of the part, and behind them those of the students who stand for all."""
    row, names = events.row_column, order.basis.everybody.moving
    own, others = (table.select(row, *names) for table in (events.table, order.releasable.table(FIRST)))
    table = own.union(others.anti_join(own, row)) if names else own
    return Givers(table=table, row=np.append(events.row, order.basis.rows), columns=names)
