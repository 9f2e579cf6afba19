"""Key events in a practice copy: as many sessions and as fast as the student, with the course's keys and gaps.

Keys come from a chain over classes of keys (letters, digits, blanks …), gaps and holds from histograms by class; gaps
are stretched by the pace of the student.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from sharewell.contract import Job
from sharewell.data import engine
from sharewell.data.coded import code_column
from sharewell.data.formats.clocks import PER_MS, guess_unit
from sharewell.errors import InputError
from sharewell.keystrokes.keygroups import KEY_KINDS, key_kinds
from sharewell.keystrokes.section import Section
from sharewell.stats.arrays import Array
from sharewell.synthetic.columns import Leaf, ModelledColumn, ReadColumn
from sharewell.synthetic.contributions import Contributions, NoisyHistogram, contributions
from sharewell.synthetic.event_table import EventRoles, EventTable, event_table, readable_by_students
from sharewell.synthetic.invented_students import Clock, InventedStudents, count_column, for_everybody
from sharewell.synthetic.placeholders import placeholders
from sharewell.synthetic.sampling import systematic

CLASSES = len(KEY_KINDS)
STEPS, SHORTEST, BINS = 2, 4, 24  # ranges of gaps and holds: two for every doubling, from 2^4 ms to 2^16 ms
PACES = (0.0, 60.0, 80.0, 100.0, 120.0, 140.0, 160.0, 180.0, 200.0, 240.0, 300.0, 400.0, 600.0)  # ms, median gaps
NEXT = (*PACES[1:], 1_200.0)
EPOCH = 1e11  # milliseconds from which on a clock counts from 1970


@dataclass(frozen=True, kw_only=True, eq=False)
class KeyTable:
    """The events in time order by student and session, and their sessions as a table of their own."""

    label: str
    rows: pa.Table
    section: Section
    sessions: EventTable  # one row for each
    session: Array  # of every event
    key: ReadColumn
    gap: Array  # ms to the event before in its session; not a number at the first
    hold: Array | None
    unit: float
    fewest: int

    @property
    def students(self) -> Sequence[str]:
        return self.sessions.students

    @property
    def owner(self) -> Array:
        return self.sessions.owner[self.session]

    def weeks(self) -> tuple[Array, Array]:
        return self.sessions.weeks()

    def lacking(self, place: Array, size: int) -> Array:
        return self.sessions.lacking(place, size)

    def features(self, place: Array, size: int) -> list[ReadColumn]:
        """Those of the sessions, and the pace."""
        known = np.isfinite(self.gap)
        order = np.lexsort((self.gap[known], self.owner[known]))
        gaps, many = self.gap[known][order], np.bincount(self.owner[known], minlength=len(self.students))
        middle = np.minimum(np.cumsum(many) - many + many // 2, max(gaps.size - 1, 0))
        pace = np.where(many > 0, gaps[middle] if gaps.size else 0.0, 0.0)
        leaves = tuple(Leaf(low=low, high=high) for low, high in zip(PACES, NEXT, strict=True))
        codes = np.searchsorted(PACES, pace, side="right") - 1
        typed = np.zeros(size, np.int64)
        typed[place] = np.bincount(self.owner, minlength=len(self.students))
        column = ModelledColumn(name=self._feature("pace"), type=pa.float64(), leaves=leaves, ordered=len(leaves))
        return [
            *self.sessions.features(place, size),
            count_column(self._feature("keys typed"), typed, fewest=self.fewest),
            for_everybody(ReadColumn(column=column, codes=codes), place, size),
        ]

    def contributions(self, place: Array, size: int, clock: Clock) -> list[Contributions]:
        who, kind = place[self.owner], self._kinds[self.key.codes]
        follows = np.flatnonzero(np.isfinite(self.gap))

        def one(name: str, shape: list[int], students: Array, *cells: Array, ordered: bool = False) -> Contributions:
            return contributions(self._feature(name), shape, students, cells, size, ordered=ordered)

        found = [
            *self.sessions.contributions(place, size, clock),
            one("keys", [len(self.key.column.leaves)], who, self.key.codes),
            one("kinds in a row", [CLASSES, CLASSES], who[follows], kind[follows - 1], kind[follows]),
            one("gaps", [BINS], who[follows], _bins(self.gap[follows]), ordered=True),
        ]
        if self.hold is not None:
            found.append(one("holds", [BINS], who, _bins(self.hold), ordered=True))
        return found

    def expand(self, cohort: InventedStudents, learnt: Mapping[str, NoisyHistogram]) -> pa.Table:
        """Sessions first, then their keys and times."""
        generator, section = cohort.generator, self.section
        sessions = self.sessions.expand(cohort, learnt)
        who = pa.compute.index_in(sessions[section.student], value_set=cohort.ids).to_numpy()
        each = cohort.amount(self._feature("keys typed")) / np.maximum(np.bincount(who, minlength=cohort.size), 1)
        length = np.maximum(np.rint(each[who] * (0.5 + generator.random(who.size))), 1).astype(np.int64)
        session = np.repeat(np.arange(sessions.num_rows), length)
        codes = self._typed(length, learnt, generator)
        owner = who[session]
        gap = self._drawn("gaps", codes.size, learnt, generator)
        leaf = cohort.leaves[self._feature("pace")]
        pace = (np.array(PACES)[leaf] + np.array(NEXT)[leaf]) / 2
        gap *= (pace / np.median(pace))[owner]
        first = np.flatnonzero(np.diff(session, prepend=-1))
        gap[first] = generator.integers(100, 400, size=first.size)
        upto = np.cumsum(gap)
        press = upto - np.repeat(upto[first] - gap[first], length)
        if self.sessions.seconds is not None:
            press += 1_000.0 * np.repeat(self._starts(sessions), length)
        cells = {
            name: sessions[name].take(pa.array(session)) for name in sessions.column_names if name != section.press
        }
        cells[section.key] = self.key.column.decoded(codes, generator)
        cells[section.press] = pa.array(np.round(press * self.unit, 6))
        if section.release is not None and self.hold is not None:
            hold = self._drawn("holds", codes.size, learnt, generator)
            cells[section.release] = pa.array(np.round((press + hold) * self.unit, 6))
        for name in self.rows.column_names:
            if name not in cells:
                cells[name] = placeholders(name, self.rows[name], codes.size)
        return pa.table({name: cells[name] for name in self.rows.column_names})

    def _drawn(
        self, name: str, rows: int, learnt: Mapping[str, NoisyHistogram], generator: np.random.Generator
    ) -> Array:
        """Times in milliseconds."""
        bins = systematic(learnt[self._feature(name)].shares[None], np.zeros(rows, np.int64), generator)
        return np.asarray(2.0 ** (SHORTEST + (bins + generator.random(rows)) / STEPS))

    def _typed(self, length: Array, learnt: Mapping[str, NoisyHistogram], generator: np.random.Generator) -> Array:
        """Keys by a chain over their kinds, all sessions side by side."""
        keys = self._masked(learnt[self._feature("keys")].shares)
        of_kind = np.stack([np.where(self._kinds == kind, keys, 0.0) for kind in range(CLASSES)]) + 1e-12 * keys
        usual = of_kind.sum(axis=1) / of_kind.sum()
        steps = learnt[self._feature("kinds in a row")].given_first * (usual > 1e-9) + 1e-9 * usual
        order = np.argsort(-length, kind="stable")
        first = np.cumsum(length) - length
        kinds = np.zeros(int(length.sum()), np.int64)
        now = generator.choice(CLASSES, length.size, p=usual)
        for place in range(int(length.max(initial=0))):
            going = order[: int((length > place).sum())]
            now[going] = systematic(steps, now[going], generator)
            kinds[first[going] + place] = now[going]
        return systematic(of_kind, kinds, generator)

    def _starts(self, sessions: pa.Table) -> Array:
        cells = sessions[self.section.press].cast(pa.timestamp("s")).cast(pa.int64())
        return np.asarray(cells.to_numpy(), float)

    def _masked(self, shares: Array) -> Array:
        found = shares * np.array([not leaf.rare for leaf in self.key.column.leaves])
        return np.asarray(found / found.sum())

    @property
    def _kinds(self) -> Array:
        return key_kinds([leaf.value or "" for leaf in self.key.column.leaves])

    def _feature(self, name: str) -> str:
        return f"{self.label}: {name}"


def open(job: Job, fewest: int) -> KeyTable:
    """Read the events in the order in which they were typed."""
    section: Section = job.section
    rows = engine.arrow(job.source)
    per_ms = PER_MS[section.unit or guess_unit(job.source, section.press)]
    press = _milliseconds(rows[section.press], per_ms)
    owner = code_column("", rows[section.student].cast(pa.string())).codes
    own = code_column("", rows[section.session].cast(pa.string())).codes
    order = np.lexsort((press, own, owner))
    rows, press = rows.take(pa.array(order)), press[order]
    first = np.diff(owner[order], prepend=-1) != 0
    first |= np.diff(own[order], prepend=-1) != 0
    starts = np.flatnonzero(first)
    gap = np.diff(press, prepend=np.nan)
    gap[starts] = np.nan
    away = {section.key, *filter(None, [section.release])}
    seconds = (press[starts] / 1_000).astype(np.int64) if press.size and np.median(press) >= EPOCH else None
    columns = [
        name for name in rows.column_names if name not in away and (name != section.press or seconds is not None)
    ]
    roles = EventRoles(
        student=section.student, item=section.session, time=section.press if seconds is not None else None,
        named=section.direct, ids=section.ids, peers=section.peers, categories=(section.session,),
    )  # fmt: skip
    sessions = event_table(section.label, rows.select(columns).take(pa.array(starts)), roles, seconds, fewest=fewest)
    hold = None if section.release is None else _milliseconds(rows[section.release], per_ms) - press
    keys = readable_by_students(
        section.key, rows[section.key], owner[order].astype(np.int64), category=True, fewest=fewest
    )
    if keys is None:
        raise InputError(f"no key is typed by {fewest} students; leave the file out of the copy", file=section.file)
    return KeyTable(
        label=section.label, rows=rows, section=section, sessions=sessions, session=np.cumsum(first) - 1, key=keys,
        gap=np.maximum(gap, 0), hold=hold, unit=per_ms, fewest=fewest,
    )  # fmt: skip


def _milliseconds(cells: pa.ChunkedArray, per_ms: float) -> Array:
    if pa.types.is_temporal(cells.type):
        return np.asarray(cells.cast(pa.timestamp("us")).cast(pa.int64()).to_numpy() / 1_000)
    return np.asarray(cells.cast(pa.float64()).to_numpy() / per_ms)


def _bins(milliseconds: Array) -> Array:
    powers = np.log2(np.maximum(np.nan_to_num(milliseconds), 1.0)) - SHORTEST
    found: Array = np.clip(powers * STEPS, 0, BINS - 1).astype(np.int64)
    return found
