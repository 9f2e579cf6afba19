"""The second look passes an honest release and fails on every kind of doctored one."""

import ast
from dataclasses import replace
from pathlib import Path
from typing import Any

import ibis
import numpy as np
import pyarrow as pa
import pytest

from sharewell.contract import Job
from sharewell.data import engine
from sharewell.responses import recheck, study
from sharewell.responses.log import Columns, read
from sharewell.responses.measure.rare_steps import rare_steps
from sharewell.responses.section import Limit
from sharewell.stats import roc

M = 10
PLACE = "__place"


@pytest.fixture(scope="module")
def job(course: Any, make_job: Any) -> Job:
    table = course.table.append_column("try", pa.array([1] * course.table.num_rows))
    columns = {"skill": "skill", "time": "at", "attempt": "try", "further": ("device",)}
    return make_job(table, **columns, m=M, noise=1.0, repeats=1, limit=Limit(membership=0.6, tpr=0.2))  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def protected(job: Job) -> Any:
    return study.open(job).protect()


@pytest.fixture(scope="module")
def written(protected: Any) -> pa.Table:
    """As it comes back from a text file: every cell is text."""
    table = engine.arrow(protected.table)
    return table.select([n for n in table.column_names if n[:2] != "__"]).cast(
        pa.schema([(n, pa.string()) for n in table.column_names if n[:2] != "__"])
    )


def change(table: pa.Table, column: str, row: int, value: Any) -> pa.Table:
    cells = table[column].to_pylist()
    cells[row] = value
    return table.set_column(table.column_names.index(column), column, pa.array(cells, table[column].type))


def broken(table: pa.Table, facts: Any) -> set[str]:
    return {risk.name for risk in recheck.recheck(ibis.memtable(table), facts) if not risk.holds}


def test_an_honest_file_passes(protected: Any, written: pa.Table) -> None:
    assert broken(written, protected.facts) == set()
    assert len(recheck.recheck(ibis.memtable(written), protected.facts)) == 8


@pytest.mark.parametrize(
    ("column", "row", "value", "caught"),
    [
        ("user", 0, "student0001", {"ids that were not invented", "students more or fewer than generated"}),
        ("item", 3, None, {"missing students or items"}),
        ("correct", 3, "2", {"outcomes other than 0 and 1"}),
        ("correct", 3, None, {"outcomes other than 0 and 1"}),
        ("at", 5, "1999-01-01 00:00:00", {"times that run backwards"}),
        ("at", 5, "yesterday", {"times that run backwards"}),
        ("try", 2, "77", {"attempts out of count"}),
        ("skill", 2, "another", {"items with two skills"}),
    ],
)
def test_a_doctored_cell_is_caught(
    protected: Any, written: pa.Table, column: str, row: int, value: Any, caught: set[str]
) -> None:
    assert caught <= broken(change(written, column, row, value), protected.facts)


def test_a_log_that_is_too_long_and_a_missing_student_are_caught(protected: Any, written: pa.Table) -> None:
    users = written["user"].to_pylist()
    one = written.set_column(0, "user", pa.array([users[0]] * len(users)))
    assert {"rows of the longest log", "students more or fewer than generated"} <= broken(one, protected.facts)
    fewer = written.filter(pa.compute.not_equal(written["user"], users[0]))
    assert broken(fewer, protected.facts) == {"students more or fewer than generated"}


def against(job: Job, table: pa.Table) -> dict[str, Any]:
    opened = study.open(job)
    fitted = opened.log.students.filter(pa.array(opened.search.members()))
    risks = recheck.against_original(job.source, ibis.memtable(table), job.section, place=PLACE, fitted=fitted, m=M)
    return {risk.name: risk for risk in risks}


def test_an_honest_release_passes_beside_the_original(job: Job, protected: Any) -> None:
    found = against(job, engine.arrow(protected.table))
    assert all(risk.holds and risk.gate == "recheck" for risk in found.values())
    assert len(found) == 4


def test_a_real_id_a_scarce_item_and_a_long_log_are_caught(job: Job, protected: Any) -> None:
    table = engine.arrow(protected.table)
    assert not against(job, change(table, "user", 0, "student0001"))["real ids among the released"].holds
    assert not against(job, change(table, "item", 0, "unheard of"))["items that too few students did"].holds
    one = table.set_column(0, "user", pa.array(["fake-1"] * table.num_rows))
    assert not against(job, one)["rows beyond what several students reached"].holds


@pytest.fixture(scope="module")
def scattered(job: Job, course: Any) -> tuple[Job, pa.Table]:
    """Every student has steps of their own over a hundred items; half of the students released under invented ids."""
    generator = np.random.default_rng(0)
    item = [f"item{place:03d}" for place in generator.integers(0, 100, course.table.num_rows)]
    table = course.table.set_column(1, "item", pa.array(item))
    source = replace(job, source=ibis.memtable(table))
    opened = study.open(source)
    fitted = opened.log.students.filter(pa.array(opened.search.members()))
    inside = table.filter(pa.compute.is_in(table["user"], value_set=fitted))
    copy = inside.append_column(PLACE, pa.array(range(inside.num_rows)))
    return source, copy.set_column(0, "user", pa.compute.binary_join_element_wise("fake-", inside["user"], ""))


def test_the_original_under_invented_ids_is_caught(scattered: tuple[Job, pa.Table]) -> None:
    found = against(*scattered)["rare steps: lower end of the AUC"]
    assert not found.holds and found.value > 0.9


def test_both_programs_give_rare_steps_the_same_number(scattered: tuple[Job, pa.Table]) -> None:
    source, copy = scattered
    shuffled = change(copy.slice(0, copy.num_rows // 3), "item", 7, "item001")
    log = read(source.source, Columns(student="user", item="item", time="at"))
    fake = read(shuffled, Columns(student="user", item="item"), items=log.items)
    member = study.open(source).search.members()
    score = next(score for setting, score in rare_steps(log, fake) if setting["r"] == recheck.RARE)
    ours = roc.auc(score[member], score[~member]).value
    again = against(source, shuffled)["rare steps: lower end of the AUC"].setting["auc"]
    assert again == pytest.approx(ours, abs=1e-4) and 0.5 < ours < 0.95


def test_it_shares_nothing_with_what_made_the_release() -> None:
    tree = ast.parse(Path(recheck.__file__).read_text())
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name for name in imported if name and "responses" in name} == {
        "sharewell.responses.kind",
        "sharewell.responses.section",
    }
