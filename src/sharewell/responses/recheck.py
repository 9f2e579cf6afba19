"""A finished release checked again, by code that shares nothing with what made it.

Rows are taken as text out of the engine and counted with plain numpy; of this kind only the section (what a plan may
say) is known here. `recheck` needs the released file alone, `against_original` also the original rows.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from ibis.expr.types import Table

from sharewell.contract import Measure, Risk
from sharewell.data import engine
from sharewell.responses.kind import (
    ATTEMPTS_OFF,
    CELLS_MISSING,
    LONGEST_LOG,
    NOT_INVENTED,
    ODD_OUTCOMES,
    RARE_STEPS_AGAIN,
    REAL_IDS,
    ROWS_BEYOND,
    SCARCE_ITEMS,
    STUDENTS_OFF,
    TIMES_BACKWARDS,
    TWO_SKILLS,
)
from sharewell.responses.section import Section
from sharewell.stats.arrays import Array

READER = "reader of the file"
KNOWS = "second program, with the original"
RARE = 5  # a rare step: at most so many of the original students took it
ALLOWED = ("0", "1")


@dataclass(frozen=True, kw_only=True)
class Rows:
    """Text of the columns that are asked for, sorted by student; rows of a student stay in their order."""

    columns: Mapping[str, pa.Array]
    first: Array  # rows that begin a student

    @property
    def place(self) -> Array:
        """The student of every row, counted from zero."""
        return np.cumsum(self.first) - 1

    def codes(self, name: str) -> Array:
        return np.asarray(self.columns[name].dictionary_encode().indices.fill_null(-1)).astype(np.int64)


def recheck(released: Table, facts: Mapping[str, Any]) -> list[Risk]:
    """What the file must hold by itself: invented ids, sensible lengths, outcomes, times, attempts and skills."""
    named = {
        role: facts[role] for role in ("student", "item", "correct", "time", "attempt", "skill") if facts.get(role)
    }
    rows = _rows(released, named)
    lengths = np.diff(np.append(np.flatnonzero(rows.first), rows.first.size))
    invented = pa.compute.starts_with(rows.columns["student"], facts["prefix"]).fill_null(False)
    checks = [
        (NOT_INVENTED, _count(~np.asarray(invented)), 0, "Every student id must be an invented one."),
        (
            LONGEST_LOG,
            int(lengths.max()),
            facts["longest"],
            "An exceptionally long log could point at an exceptionally busy student.",
        ),
        (
            STUDENTS_OFF,
            abs(lengths.size - facts["students"]),
            0,
            "Nobody was added and nobody left out after the attacks were run.",
        ),
        *_cell_checks(rows, named),
    ]
    n = rows.first.size
    return [
        Risk(measure=measure, attacker=READER, value=value, n=n, limit=limit, story=story)
        for measure, value, limit, story in checks
    ]


def against_original(
    original: Table, released: Table, section: Section, *, place: str, fitted: pa.Array, m: int
) -> list[Risk]:
    """What must hold between the released rows and the original ones; `fitted` are those who were learnt from."""
    named = {"student": section.student, "item": section.item}
    real = _rows(original, named, time=section.time, layout=section.dates.get(section.time or ""))
    made = _rows(released.order_by([section.student, place]), named)
    inside = np.asarray(pa.compute.is_in(real.columns["student"], value_set=fitted.cast(pa.string())))
    n = made.first.size
    return [
        _zero(REAL_IDS, _shared_ids(real, made), n, "No invented student may carry a real id."),
        _zero(SCARCE_ITEMS, _scarce_items(real, made, inside, section, m), n, _SCARCE),
        _zero(ROWS_BEYOND, _excess(real, made, inside, section, m), n, _EXCESS),
        _rare_steps(real, made, inside, section),
    ]


_SCARCE = "Every released item was done by enough of the students learnt from (or stands on the public list)."
_EXCESS = "No released log is longer than what enough of the students learnt from reached."


def _rows(table: Table, named: Mapping[str, str], *, time: str | None = None, layout: str | None = None) -> Rows:
    chosen = {role: table[name].cast("string") for role, name in named.items()}
    if "time" in named:
        chosen["time"] = table[named["time"]].try_cast("timestamp")
    if time:
        from sharewell.data.formats.columns import moment

        chosen["when"] = moment(table, time, layout=layout)
    read = engine.arrow(table.select(**chosen)).combine_chunks()
    student = np.asarray(read["student"].combine_chunks().dictionary_encode().indices.fill_null(-1))
    when = np.asarray(read["when"].cast(pa.timestamp("us")).cast(pa.int64())) if time else np.zeros(student.size)
    order = np.lexsort((np.arange(student.size), when, student))
    sorted_rows = read.take(pa.array(order))
    first = np.concatenate([[True], np.diff(student[order]) != 0])
    return Rows(columns={role: sorted_rows[role].combine_chunks() for role in named}, first=first)


def _cell_checks(rows: Rows, named: Mapping[str, str]) -> Iterator[tuple[Measure, int, int, str]]:
    """Checks of single cells and of cells that follow one another."""
    missing = _count(np.asarray(rows.columns["student"].is_null()) | np.asarray(rows.columns["item"].is_null()))
    yield CELLS_MISSING, missing, 0, "Every row belongs to an invented student and an item."
    if "correct" in named:
        known = pa.compute.is_in(rows.columns["correct"], value_set=pa.array(ALLOWED))
        yield ODD_OUTCOMES, _count(~np.asarray(known)), 0, "Right is 1, wrong is 0, nothing else."
    if "time" in named:
        yield TIMES_BACKWARDS, _backwards(rows), 0, "Within a student time never runs backwards."
    if "attempt" in named:
        story = "Attempts on an item count one, two, three within a student."
        yield ATTEMPTS_OFF, _miscounted(rows), 0, story
    if "skill" in named:
        item, skill = rows.codes("item"), rows.codes("skill")
        pairs = np.unique(np.stack([item, skill], axis=1), axis=0)
        yield TWO_SKILLS, len(pairs) - np.unique(item).size, 0, "Every item has one skill."


def _backwards(rows: Rows) -> int:
    """Rows that come before their predecessor; a time that cannot be read counts as well."""
    unreadable = np.asarray(rows.columns["time"].is_null())
    moment = np.asarray(rows.columns["time"].cast(pa.timestamp("us")).cast(pa.int64()).fill_null(0))
    return _count(unreadable) + _count((np.diff(moment) < 0) & ~rows.first[1:])


def _miscounted(rows: Rows) -> int:
    item = rows.codes("item")
    pair = rows.place * (1 + int(item.max())) + item
    order = np.argsort(pair, kind="stable")
    begins = np.concatenate([[True], np.diff(pair[order]) != 0])
    since = np.arange(order.size) - np.maximum.accumulate(np.where(begins, np.arange(order.size), 0))
    stated = rows.columns["attempt"].take(pa.array(order))
    return _count(~np.asarray(pa.compute.equal(stated, pa.array((since + 1).astype(str))).fill_null(False)))


def _shared_ids(real: Rows, made: Rows) -> int:
    return len(set(real.columns["student"].unique().to_pylist()) & set(made.columns["student"].unique().to_pylist()))


def _scarce_items(real: Rows, made: Rows, inside: Array, section: Section, m: int) -> int:
    if section.epsilon is not None:
        return len(set(made.columns["item"].unique().to_pylist()) - set(section.items))
    did, released, items = _items(real, made)
    pairs = np.unique(np.stack([did, real.place], axis=1)[inside], axis=0)
    students = np.bincount(pairs[:, 0], minlength=items)
    return _count(students[np.unique(released)] < m)


def _excess(real: Rows, made: Rows, inside: Array, section: Section, m: int) -> int:
    longest = int(np.bincount(made.place).max())
    if section.epsilon is not None:
        assert section.max_rows is not None
        return max(0, longest - section.max_rows)
    reached = np.sort(np.bincount(real.place[inside]))
    return max(0, longest - int(reached[-min(m, int((reached > 0).sum()))]))


def _rare_steps(real: Rows, made: Rows, inside: Array, section: Section) -> Risk:
    """The attack by rare steps once more: who has more of them in the release than is usual?"""
    did, released, items = _items(real, made)
    taken, seen = (_steps(codes, rows.first, items) for codes, rows in ((did, real), (released, made)))
    own = np.unique(np.stack([taken, real.place[~real.first]], axis=1), axis=0)
    _, which, takers = np.unique(own[:, 0], return_inverse=True, return_counts=True)
    rare = own[takers[which] <= RARE]
    contained = np.isin(rare[:, 0], seen)
    usual = contained.mean() if contained.size else 0.0
    score = np.bincount(rare[:, 1], weights=contained - usual, minlength=int(real.first.sum()))
    member = inside[real.first]
    value = _auc(score[member], score[~member])
    wide = 1.96 * float(np.sqrt((1 / member.sum() + 1 / (~member).sum()) / 12))  # of an attack without signal
    return Risk(
        measure=RARE_STEPS_AGAIN,
        attacker=KNOWS,
        value=max(0.0, value - wide),
        n=member.size,
        chance=0.5,
        setting={"r": RARE, "auc": round(value, 4)},
        story="The attack by rare steps on this release alone, once more by other code: not clearly above the limit.",
        gate="recheck" if section.limit.membership is not None else None,
        limit=section.limit.membership,
    )


def _items(real: Rows, made: Rows) -> tuple[Array, Array, int]:
    """Items of both in one coding, and how many there are."""
    both = pa.concat_arrays([real.columns["item"], made.columns["item"]]).dictionary_encode()
    codes = np.asarray(both.indices).astype(np.int64)
    return codes[: real.first.size], codes[real.first.size :], len(both.dictionary)


def _steps(item: Array, first: Array, items: int) -> Array:
    """The step to every row that does not begin a student, as one number."""
    found: Array = item[np.flatnonzero(~first) - 1] * items + item[~first]
    return found


def _auc(inside: Array, outside: Array) -> float:
    """Mann and Whitney's count of pairs, ties half."""
    below = np.searchsorted(np.sort(outside), inside, "left").sum()
    not_above = np.searchsorted(np.sort(outside), inside, "right").sum()
    return float(below + not_above) / (2 * inside.size * outside.size)


def _zero(measure: Measure, value: int, n: int, story: str) -> Risk:
    return Risk(measure=measure, attacker=KNOWS, value=value, n=n, limit=0, gate="recheck", story=story)


def _count(wrong: Array) -> int:
    return int(wrong.sum())
