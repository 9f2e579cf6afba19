"""What a profile holds of each student: mean times of the commonest pairs of keys and keys, rates of corrections."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from sharewell.data import engine
from sharewell.errors import InputError
from sharewell.keystrokes import eventlog, profiles, splits
from sharewell.keystrokes.arrays import Array, TypedEvents
from sharewell.keystrokes.columns import KeyColumns
from sharewell.keystrokes.keygroups import CORRECTION, key_classes
from sharewell.keystrokes.partitions import FIRST, Partitions, StudentPartitions
from sharewell.keystrokes.reducer import split_samples
from sharewell.keystrokes.samples import TypingSample
from sharewell.keystrokes.splits import Way

TIMES: dict[str, str] = {"latencies": "latency", "holds": "hold"}  # how features of samples begin
RATES = ("corrections per 100 keys", "errors per 100 keys")  # an error: corrections that follow each other
LEAST_STUDENTS = 5  # who typed what a column is about


@dataclass(frozen=True, kw_only=True)
class ProfileColumns:
    """The columns of profiles: what each is about, and the features whose means they are."""

    names: tuple[str, ...]
    about: tuple[str, ...]
    features: Mapping[str, Array]


@dataclass(frozen=True, kw_only=True)
class ProfileValues:
    """Students × columns: of all their sessions, and of two halves of them; not a number where there is nothing."""

    students: Array
    columns: ProfileColumns
    whole: Array
    halves: Mapping[Way, tuple[Array, Array]]  # what an attacker knows, and what is released


def profile_values(
    table: Partitions, roster: StudentPartitions, columns: KeyColumns, about: Sequence[str], *, digraphs: int, seed: int
) -> ProfileValues:
    """Average all students over the commonest features of the first partition."""
    first = eventlog.load(table.table(FIRST), columns, table.row)
    chosen = _columns(first.typing, first.students, about, digraphs)
    work = partial(_of_partition, table, columns, chosen, seed)
    parts = engine.answers(engine.workers(), work, range(roster.partitions))
    order = np.argsort(roster.of(np.concatenate([one.students for one in parts])))
    return ProfileValues(
        students=roster.names,
        columns=chosen,
        whole=np.concatenate([one.whole for one in parts])[order],
        halves={
            way: tuple(np.concatenate([one.halves[way][side] for one in parts])[order] for side in (0, 1))
            for way in splits.WAYS
        },
    )


def _columns(typing: TypedEvents, students: Array, about: Sequence[str], most: int) -> ProfileColumns:
    sample, _ = split_samples(typing, students, np.zeros(int(typing.session.max()) + 1, dtype=bool))
    features: dict[str, Array] = {}
    names: list[tuple[str, str]] = []
    for one in about:
        if one == "corrections":
            names += [(rate, one) for rate in RATES]
            continue
        common = profiles.commonest([sample], most, TIMES[one])
        typists = (sample.spread_out(sample.count, common) > 0).sum(axis=0)
        features[one] = common[typists >= LEAST_STUDENTS]
        if len(features[one]) == 0:
            raise InputError(f"profiles of {one}: no {TIMES[one]} that at least {LEAST_STUDENTS} students share")
        names += [(f"mean {TIMES[one]}", one), *((str(name), one) for name in features[one])]
    return ProfileColumns(
        names=tuple(name for name, _ in names), about=tuple(kind for _, kind in names), features=features
    )


def _of_partition(
    table: Partitions, columns: KeyColumns, chosen: ProfileColumns, seed: int, partition: int
) -> ProfileValues:
    events = eventlog.load(table.table(partition), columns, table.row)
    typing, students = events.typing, events.students
    every = np.zeros(len(events.sessions), dtype=bool)
    sample, _ = split_samples(typing, students, every)
    halves = {}
    for way, target in splits.targets(events, seed).items():
        samples = split_samples(typing, students, target)
        halves[way] = (
            _values(samples[0], typing, ~target, students, chosen),
            _values(samples[1], typing, target, students, chosen),
        )
    return ProfileValues(
        students=students,
        columns=chosen,
        whole=_values(sample, typing, ~every, students, chosen),
        halves=halves,
    )


def _values(
    sample: TypingSample, typing: TypedEvents, sessions: Array, students: Array, chosen: ProfileColumns
) -> Array:
    """Students × columns; not numbers for students without such a session."""
    parts = []
    for one in dict.fromkeys(chosen.about):
        if one == "corrections":
            parts.append(_rates(typing, sessions[typing.session], len(students)))
            continue
        kind = TIMES[one]
        means = profiles.matrix(sample, chosen.features[one], occurrences=profiles.OCCURRENCES, kind=kind)
        rows = np.full((len(students), 1 + means.shape[1]), np.nan)
        rows[np.searchsorted(students, sample.students)] = np.column_stack([profiles.mean_time(sample, kind), means])
        parts.append(rows)
    return np.concatenate(parts, axis=1)


def _rates(typing: TypedEvents, rows: Array, students: int) -> Array:
    """Corrections per 100 keys, and how often someone went back."""
    corrects = (key_classes(typing.keys) == CORRECTION)[typing.key]
    goes_on = np.append(False, corrects[:-1]) & (np.diff(typing.session, prepend=-1) == 0)
    keys = np.bincount(typing.student[rows], minlength=students).astype(float)
    keys[keys == 0] = np.nan
    counted = (np.bincount(typing.student[rows & one], minlength=students) for one in (corrects, corrects & ~goes_on))
    return np.stack([100 * one / keys for one in counted], axis=1)
