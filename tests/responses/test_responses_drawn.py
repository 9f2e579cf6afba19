"""A log that is too large to be learnt from whole: whom the key draws, and that nobody else shapes anything."""

import pickle
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from scipy.sparse import csr_matrix

from sharewell.contract import Job
from sharewell.data import engine
from sharewell.errors import InputError
from sharewell.lab.tracing import Averages, Observed, posterior_mean, uncalibrated
from sharewell.responses import drawn_students, recheck, study
from sharewell.responses.drawn_students import drawn
from sharewell.responses.log import Columns
from sharewell.responses.measure import attackers
from sharewell.responses.protection import strength_search

COLUMNS = Columns(student="user", item="item", correct="correct")
FIXED: dict[str, Any] = {"m": 10, "noise": 1.0, "repeats": 2}


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch, course: Any) -> pa.Table:
    """The log of 400 students, of whom about half are drawn; not sorted by student."""
    table = course.table.select(["user", "item", "correct"])
    monkeypatch.setattr(drawn_students, "LARGE", 1_000)
    monkeypatch.setattr(drawn_students, "LEARNT_FROM", table.num_rows // 2)
    monkeypatch.setattr(drawn_students, "LEAST_STUDENTS", 20)
    return table.take(np.random.default_rng(3).permutation(table.num_rows))


def test_whole_students_are_drawn_in_the_order_of_the_file(large: pa.Table, make_job: Any) -> None:
    found = drawn(make_job(large), COLUMNS)
    rows = engine.arrow(found.rows).drop_columns([str(found.place)])
    users = pc.unique(rows["user"])
    assert found.students == 400 and 140 < len(users) < 260
    assert rows.equals(large.filter(pc.is_in(large["user"], value_set=users)))


def test_the_key_decides_who_is_drawn(large: pa.Table, make_job: Any) -> None:
    seen = [
        set(engine.arrow(drawn(make_job(large, key=key), COLUMNS).rows)["user"].to_pylist())
        for key in (b"a" * 32, b"a" * 32, b"b" * 32)
    ]
    assert seen[0] == seen[1]
    assert len(seen[0] ^ seen[2]) > 100  # about 200 of 400 where two draws are independent


def test_a_log_of_few_students_is_learnt_from_whole(
    large: pa.Table, make_job: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drawn_students, "LEAST_STUDENTS", 400)
    found = drawn(make_job(large), COLUMNS)
    assert found.students is None and engine.value(found.rows.count()) == large.num_rows


def test_what_others_did_changes_no_byte_of_what_is_released(large: pa.Table, make_job: Any) -> None:
    inside = set(engine.arrow(drawn(make_job(large), COLUMNS).rows)["user"].to_pylist())
    out = [who not in inside for who in large["user"].to_pylist()]
    answers = pc.if_else(pa.array(out), pc.subtract(1, large["correct"]), large["correct"])
    other = large.set_column(2, "correct", answers)
    assert not other.equals(large)
    released = [study.open(make_job(table, **FIXED)).protect() for table in (large, other)]
    assert engine.arrow(released[0].table).equals(engine.arrow(released[1].table))


def test_a_version_without_somebody_who_was_not_drawn_is_another_one(large: pa.Table, make_job: Any) -> None:
    """Equal bytes would tell whoever knows who left that they were never in."""
    inside = set(engine.arrow(drawn(make_job(large), COLUMNS).rows)["user"].to_pylist())
    gone = min(set(large["user"].to_pylist()) - inside)
    opened = [study.open(make_job(t, **FIXED)) for t in (large, large.filter(pc.not_equal(large["user"], gone)))]
    assert opened[0].log.digest() == opened[1].log.digest()
    assert not np.array_equal(opened[0].search.members(), opened[1].search.members())
    assert not engine.arrow(opened[0].protect().table).equals(engine.arrow(opened[1].protect().table))


def test_two_files_a_student_apart_say_the_same_of_how_many_they_have(large: pa.Table, make_job: Any) -> None:
    fewer = large.filter(pc.not_equal(large["user"], "student0000"))
    told = [study.open(make_job(table, **FIXED)).protect().changes[1] for table in (large, fewer)]
    assert told[0] == told[1]


def test_the_release_says_from_how_many_it_was_learnt_and_passes_its_recheck(large: pa.Table, make_job: Any) -> None:
    opened = study.open(make_job(large, **FIXED))
    done = opened.protect()
    done = replace(done, table=engine.materialise(done.table))
    learnt = opened.log.lengths.size
    assert done.facts["students drawn"] == done.facts["students"] == opened.expected == 200 != learnt
    assert "80% of the students whom the key drew" in done.changes[0].reason
    assert done.changes[1].detail.endswith("drawn from all, who are about 400")
    risks = [*opened.before(), *opened.attack(done)]
    assert {risk.n for risk in risks if risk.gate == "membership"} == {200} and learnt not in {risk.n for risk in risks}
    again = recheck.recheck(done.table, done.facts)
    assert again and all(risk.value <= risk.limit for risk in again if risk.limit is not None)


@pytest.mark.parametrize("some", [False, True])
def test_nothing_that_is_told_holds_how_many_were_drawn(
    large: pa.Table, make_job: Any, monkeypatch: pytest.MonkeyPatch, some: bool
) -> None:
    """Nor how many of them were learnt from or kept aside; `some` where not all are compared with what is released."""
    if some:
        monkeypatch.setattr(attackers, "MOST_PAIRS", 20_000)
        monkeypatch.setattr(attackers, "FEWEST_COMPARED", 50)
    opened = study.open(make_job(large, **FIXED))
    done = opened.protect()
    done = replace(done, table=engine.materialise(done.table))
    risks = [*opened.before(), *opened.attack(done)]
    told = f"{risks} {opened.utility(done)} {done.facts} {done.changes} {done.curve}"
    pool, members = opened.log.lengths.size, int(opened.search.members().sum())
    secret = {pool, members, pool - members}
    assert not secret & {200, 160, 40}  # what is expected of each
    assert not secret & {int(number) for number in re.findall(r"(?<![\d.])\d+(?![\d.])", told.replace(",", ""))}
    assert (" of 200, members and others alike" in told) is some


@pytest.mark.parametrize("column", ["user", "item", "correct"])
def test_what_is_wrong_with_a_row_is_told_of_the_row_of_the_file(large: pa.Table, make_job: Any, column: str) -> None:
    inside = set(engine.arrow(drawn(make_job(large), COLUMNS).rows)["user"].to_pylist())
    rows = [row for row, who in enumerate(large["user"].to_pylist()) if who in inside]
    bad = rows[len(rows) // 2]
    cells: list[Any] = large[column].to_pylist()
    cells[bad] = None
    place = large.column_names.index(column)
    with pytest.raises(InputError, match=rf"column '{column}', row {bad + 1}: a value is missing"):
        study.open(make_job(large.set_column(place, column, pa.array(cells, large[column].type))))


class Elsewhere:
    """Workers: what they are given and give back passes as bytes, and the last comes first."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []

    def each(self, work: Callable[[Any], pa.Table], tasks: Sequence[Any], like: pa.Schema) -> Iterator[pa.Table]:
        self.sent.append(pickle.dumps(work))
        for task in reversed(tasks):
            yield pickle.loads(self.sent[-1])(pickle.loads(pickle.dumps(task))).cast(like)


def test_splits_made_by_workers_are_those_of_this_process_and_the_key_stays(
    course: Any, make_job: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = b"\xa7\x03\xf1key of a release that stays here"[:32]
    job: Job = make_job(course.table.select(["user", "item", "correct"]), key=key, m=10, repeats=4)
    level, places = strength_search.Level(1.0, 10), range(3)
    here = study.open(job).search.splits(level, strength_search.CHOOSING, places)
    there = Elsewhere()
    monkeypatch.setattr(strength_search, "MANY_ROWS", 1)
    monkeypatch.setattr(engine, "workers", lambda: there)
    search = study.open(job).search
    sent = [search.splits(level, strength_search.CHOOSING, places) for _ in range(2)]  # the second knows the answers
    for own, others in zip([*here, *here], [*sent[0], *sent[1]], strict=True):
        assert own.fake.digest() == others.fake.digest() and np.array_equal(own.member, others.member)
    assert len(there.sent) == 2 and not any(key in message for message in there.sent)
    assert len(search.learnt) == 3


@pytest.mark.parametrize("noise", [0.5, 1.0, 2.0])
def test_whoever_knows_who_was_drawn_finds_no_fewer_than_whoever_holds_the_log_of_everybody(noise: float) -> None:
    """The gate attacks with the log of those who were drawn: 500 of 2,000, of whom 400 were learnt from."""
    draw, everybody, pool, members = np.random.default_rng(4), 2_000, 500, 400
    found = []
    for _ in range(4):
        own = draw.normal(size=(300, everybody))  # what each student would bring to 300 averages
        told = own[:, :members].mean(axis=1) + noise * draw.normal(size=300) / np.sqrt(members)
        found.append([_traced(own[:, :size], told, noise, members, pool) for size in (pool, everybody)])
    drawn_known, all_known = np.mean(found, axis=0)
    assert drawn_known > 0.58 and all_known > 0.58
    assert drawn_known > all_known - 0.01


def _traced(own: Any, told: Any, noise: float, members: int, pool: int) -> float:
    """How well members are told from those kept aside, by whoever holds the log of these students."""
    students, mean = own.shape[1], own.mean(axis=1)
    averages = Averages(
        counts=csr_matrix(own), base=csr_matrix(np.ones((1, students))), over=np.zeros(len(mean), np.int64), share=mean,
        scale=np.full(len(mean), 1 / members), family=np.zeros(len(mean), np.int64),
    )  # fmt: skip
    seen = Observed(change=told - mean, size=np.full(len(mean), members / noise**2))
    score = posterior_mean([averages], [seen], [uncalibrated(averages)], share=members / students)
    return float((score[:members, None] > score[None, members:pool]).mean())
