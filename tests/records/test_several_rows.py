"""Several rows per student: k counts students by all of their rows, against enumeration of small cases."""

from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sharewell.contract import Job
from sharewell.data import engine
from sharewell.data.keyed import Keyed
from sharewell.errors import Refused
from sharewell.records import study
from sharewell.records.protection.several_rows import look_alikes
from sharewell.records.recheck import recheck, students_alike
from sharewell.records.section import Limit, Section

Rows = list[tuple[int, str, str]]
rows_of_students = st.lists(
    st.tuples(st.integers(0, 6), st.sampled_from("ab"), st.sampled_from("xyz")), min_size=1, max_size=24
)


def by_hand(rows: Rows) -> dict[int, int]:
    held = {who: tuple(sorted((a, b) for w, a, b in rows if w == who)) for who, _, _ in rows}
    counts = Counter(held.values())
    return {who: counts[collection] for who, collection in held.items()}


@settings(max_examples=80, deadline=None, derandomize=True)
@given(rows_of_students)
def test_look_alikes_equal_their_definition(rows: Rows) -> None:
    expected = by_hand(rows)
    who = np.array(sorted(expected))
    student = np.searchsorted(who, [w for w, _, _ in rows])
    classes = np.unique([a + b for _, a, b in rows], return_inverse=True)[1]
    assert look_alikes(student, classes).tolist() == [expected[w] for w in who.tolist()]


@settings(max_examples=25, deadline=None, derandomize=True)
@given(rows_of_students)
def test_the_recheck_counts_students_by_all_their_rows(rows: Rows) -> None:
    who, a, b = zip(*rows, strict=True)
    table = engine.table(pa.table({"id": list(who), "a": list(a), "b": list(b)}))
    assert students_alike(table, "id", ["a", "b"]).value == min(by_hand(rows).values())


def work(rows: int = 600, **changes: object) -> study.SeveralRowsStudy:
    draw = np.random.default_rng(2)
    table = pa.table(
        {
            "id": [f"s{n}" for n in draw.integers(0, rows // 2, rows)],
            "course": draw.choice(["maths", "physics", "arts"], rows),
            "year": draw.integers(2015, 2023, rows).astype(str),
        }
    )
    section = Section(
        name="s", folder=Path(), file="s.csv", student="id", quasi=("course", "year"), rows="several",
        limit=Limit(k=3, predicate=0.0), max_suppressed=0.1,
    )  # fmt: skip
    opened = study.open(Job(section=section, source=engine.table(table), seed=0, keyed=Keyed(b"0" * 32, "r")))
    assert isinstance(opened, study.SeveralRowsStudy)
    return opened


def test_a_release_of_several_rows_keeps_k_over_students() -> None:
    opened = work()
    before, protected = opened.before()[0], opened.protect()
    assert before.value < 3
    [after] = opened.attack(protected)
    assert after.gate == "k" and after.holds and after.value >= 3
    [again] = recheck(protected.table, protected.facts)
    assert again.value == after.value
    released = engine.arrow(protected.table)
    held: dict[str, list[tuple[str, str]]] = {}
    for who, course, year in zip(*(released[name].to_pylist() for name in ("id", "course", "year")), strict=True):
        held.setdefault(who, []).append((course, year))
    assert min(Counter(tuple(sorted(rows)) for rows in held.values()).values()) >= 3
    assert 0 < opened.utility(protected)[0].value < 1


def test_students_of_a_number_of_rows_that_nobody_shares_cannot_be_hidden() -> None:
    table = pa.table({"id": ["a"] * 1 + ["b"] * 2 + ["c"] * 3, "course": ["x"] * 6})
    section = Section(
        name="s", folder=Path(), file="s.csv", student="id", quasi=("course",), rows="several", limit=Limit(k=2)
    )
    opened = study.open(Job(section=section, source=engine.table(table), seed=0, keyed=Keyed(b"0" * 32, "r")))
    with pytest.raises(Refused, match="number of rows alone"):
        opened.protect()
