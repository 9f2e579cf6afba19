"""Several rows per student: k counts students by all of their rows, against enumeration of small cases."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharewell.contract import Job
from sharewell.data import engine
from sharewell.data.coded import code_column
from sharewell.data.keyed import Keyed
from sharewell.errors import Refused
from sharewell.records import study
from sharewell.records.limits import Limits
from sharewell.records.protection.several_rows import StudentRows, left_out, look_alikes
from sharewell.records.recheck import recheck, recount_students
from sharewell.records.section import Limit, Section

Rows = list[tuple[int, str, str]]
rows_of_students = st.lists(
    st.tuples(st.integers(0, 6), st.sampled_from("ab"), st.sampled_from("xyz")), min_size=1, max_size=24
)


def by_hand(rows: Rows) -> dict[int, int]:
    held = {who: tuple(sorted((a, b) for w, a, b in rows if w == who)) for who, _, _ in rows}
    counts = Counter(held.values())
    return {who: counts[collection] for who, collection in held.items()}


@given(rows_of_students)
def test_look_alikes_equal_their_definition(rows: Rows) -> None:
    expected = by_hand(rows)
    who = np.array(sorted(expected))
    student = np.searchsorted(who, [w for w, _, _ in rows])
    classes = np.unique([a + b for _, a, b in rows], return_inverse=True)[1]
    assert look_alikes(student, classes).tolist() == [expected[w] for w in who.tolist()]


@given(rows_of_students)
def test_the_recheck_counts_students_by_all_their_rows(rows: Rows) -> None:
    who, a, b = zip(*rows, strict=True)
    table = engine.table(pa.table({"id": list(who), "a": list(a), "b": list(b)}))
    assert recount_students(table, "id", ["a", "b"], [])[0].value == min(by_hand(rows).values())


def limits_by_hand(rows: list[tuple[int, str, str]], k: int, l: int, t: float) -> set[int]:  # noqa: E741
    """Who must go: by enumeration of groups and kinds of rows, again and again until everyone left is fine."""
    left = {who for who, alike in by_hand([(w, a, "") for w, a, _ in rows]).items() if alike >= k}
    while True:
        held = {who: tuple(sorted(a for w, a, _ in rows if w == who)) for who in left}
        everyone = Counter(s for w, _, s in rows if w in left)
        wrong: set[int] = set()
        for collection in set(held.values()):
            group = {who for who in left if held[who] == collection}
            for kind in set(collection):
                inside = Counter(s for w, a, s in rows if w in group and a == kind)
                size, total = sum(inside.values()), sum(everyone.values())
                far = sum(abs(inside[s] / size - everyone[s] / total) for s in everyone) / 2
                if len(inside) < l or far > t + 1e-12:
                    wrong |= group
        if not wrong:
            return {who for who, _, _ in rows} - left
        left -= wrong


@given(rows_of_students, st.integers(1, 2), st.integers(1, 2), st.sampled_from([0.3, 0.6, 1.0]))
def test_who_is_left_out_equals_enumeration(rows: Rows, k: int, l: int, t: float) -> None:  # noqa: E741
    who = np.array(sorted({w for w, _, _ in rows}))
    student = np.searchsorted(who, [w for w, _, _ in rows])
    order = np.argsort(student, kind="stable")
    courses = code_column("a", pa.array([a for _, a, _ in rows])).codes
    secret = code_column("b", pa.array([b for _, _, b in rows]))
    held = StudentRows(
        columns=(), hierarchies={}, student=student[order], order=order,
        sensitive=(replace(secret, codes=secret.codes[order]),),
    )  # fmt: skip
    gone = left_out(held, courses[order].astype(np.int64), Limits(k=k, l=l, t=t))
    assert set(who[gone].tolist()) == limits_by_hand(rows, k, l, t)


def test_what_is_sensitive_in_a_row_is_not_given_away_by_the_others() -> None:
    draw = np.random.default_rng(8)
    students = np.repeat(np.arange(400), 2)
    table = pa.table(
        {
            "id": [f"s{n}" for n in students],
            "course": draw.choice(["maths", "physics", "arts"], 800),
            "passed": draw.choice(["no", "yes"], 800, p=[0.3, 0.7]),
        }
    )
    section = Section(
        name="s", folder=Path(), file="s.csv", student="id", quasi=("course",), sensitive=("passed",), rows="several",
        limit=Limit(k=4, l=2, t=0.3), max_suppressed=0.2,
    )  # fmt: skip
    opened = study.open(Job(section=section, source=engine.table(table), seed=0, keyed=Keyed(b"0" * 32, "r")))
    protected = opened.protect()
    after = {risk.gate: risk for risk in opened.attack(protected)}
    assert set(after) == {"k", "l", "t"} and all(risk.holds for risk in after.values())
    again = {risk.gate: risk.value for risk in recheck(protected.table, protected.facts)}
    assert again == {gate: risk.value for gate, risk in after.items()}


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
