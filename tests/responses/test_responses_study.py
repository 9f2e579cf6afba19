"""The four questions for response logs, and the DataShop format."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from sharewell.contract import Job
from sharewell.data import engine, formats
from sharewell.errors import InputError
from sharewell.lab.least import ACCEPTED
from sharewell.responses import recheck, study
from sharewell.responses.section import Limit, Section


@pytest.fixture(scope="module")
def full_job(course: Any, make_job: Any) -> Job:
    job: Job = make_job(course.table, skill="skill", time="at", further=("device",), m=10, noise=1.0, repeats=2)
    return job


@pytest.fixture(scope="module")
def protected(full_job: Job) -> Any:
    return study.open(full_job).protect()


def materialised(protected: Any) -> Any:
    """As the pipeline hands it over: the rows computed once."""
    return replace(protected, table=engine.materialise(protected.table))


def test_what_is_released_belongs_to_nobody_and_has_the_columns_of_the_source(course: Any, protected: Any) -> None:
    table = engine.arrow(protected.table)
    written = [name for name in table.column_names if not name.startswith("__")]
    assert written == course.table.column_names
    assert set(table["user"].to_pylist()).isdisjoint(course.table["user"].to_pylist())
    assert protected.synthetic and protected.order == protected.helpers == ("__place",)
    assert protected.facts["students_per_step"] == 10


def test_the_gate_sees_the_strongest_attacker(full_job: Job, protected: Any) -> None:
    risks = study.open(full_job).attack(materialised(protected))
    gates = {risk.gate: risk for risk in risks if risk.gate}
    assert set(gates) == {"membership", "tpr", "recheck"}
    ends = [risk.high or 0.0 for risk in risks if risk.name == "auc" and risk.attacker != "strongest"]
    assert gates["membership"].high == max(ends)
    assert gates["membership"].setting["splits"] == 2


def test_the_data_as_it_stands_is_caught(full_job: Job) -> None:
    strongest = [risk for risk in study.open(full_job).before() if risk.attacker == "strongest" and risk.name == "auc"]
    assert strongest[0].value > 0.95


def test_another_key_gives_other_rows_and_the_same_key_the_same(course: Any, make_job: Any) -> None:
    small = course.table.select(["user", "item", "correct"])
    tables = [
        engine.arrow(study.open(make_job(small, key=key, m=10, noise=1.0, repeats=1)).protect().table)
        for key in (b"a" * 32, b"a" * 32, b"b" * 32)
    ]
    assert tables[0].equals(tables[1])
    assert not tables[0].equals(tables[2])


def test_the_strength_rises_until_the_limits_hold(course: Any, make_job: Any) -> None:
    small = course.table.select(["user", "item", "correct"])
    found = study.open(make_job(small, limit=Limit(membership=0.65, tpr=1.0), repeats=8)).protect()
    assert found.curve is not None
    points = found.curve.points
    assert [point.strength for point in points] == sorted(point.strength for point in points)
    meets = [point.meets for point in points]
    assert meets == sorted(meets) and True in meets
    assert found.curve.chosen is not None and found.curve.chosen.meets
    assert found.facts["noise"] == found.curve.chosen.strength


def test_a_strength_that_the_search_did_not_accept_is_told_on_the_first_page(make_planted: Any, make_job: Any) -> None:
    """A limit that no noise meets: the greatest is taken, and advice without a gate is what the first page shows."""
    table = make_planted(students=60, items=8, rows=(8, 12)).table.select(["user", "item", "correct"])
    opened = study.open(make_job(table, limit=Limit(membership=0.5, tpr=0.0), repeats=2))
    found = opened.protect()
    assert found.curve is not None and found.curve.chosen is None and found.facts["accepted"] is False
    assert found.facts["noise"] == max(level.noise for level in opened.search.levels)
    assert any("no number tried was found" in change.reason for change in found.changes)
    told = next(risk for risk in opened.attack(materialised(found)) if risk.measure == ACCEPTED)
    assert told.holds is False and told.gate is None and f"{found.facts['noise']:g}" in told.story


def test_usefulness_is_measured_on_what_is_released(full_job: Job, protected: Any) -> None:
    names = {measure.name for measure in study.open(full_job).utility(materialised(protected))}
    assert {"difficulty error, weighted", "step frequencies off by", "knowledge tracing AUC"} <= names


def test_a_privacy_budget_is_spent_and_told(course: Any, make_job: Any) -> None:
    pytest.importorskip("opendp")
    small = course.table.select(["user", "item", "correct"])
    items = tuple(f"item{place:02d}" for place in range(30))
    noisy = make_job(small, epsilon=5.0, items=items, max_rows=40, repeats=1)
    found = study.open(noisy).protect()
    assert found.facts["privacy budget"]["epsilon"] == 5.0
    assert all(risk.holds for risk in recheck.recheck(found.table, found.facts))
    assert any("noise" in change.what for change in found.changes)
    alone = Section(name="a", folder=Path(), file="f", student="u", item="i", correct="c", epsilon=1.0)
    assert any("public list" in problem for problem in alone.problems())


DATASHOP = (
    "Row\tAnon Student Id\tTime\tStep Name\tOutcome\tKC (Default)\tKC (Default)\n"
    '1\tStu_1\t2010-01-01 10:00:00\tstep "1"\tCORRECT\tadd\tcarry\n'
    "2\tStu_1\t2010-01-01 10:01:00\tstep 2\tHINT\tadd\t\n"
    "3\tStu_2\t2010-01-02 09:00:00\tstep 1\tINCORRECT\tsubtract\t\n"
)


def test_datashop_exports_are_read_and_written(tmp_path: Path) -> None:
    path = tmp_path / "ds.txt"
    path.write_text(DATASHOP)
    source = formats.read(path, format="datashop")
    rows = engine.arrow(source.table)
    assert rows.column_names[-2:] == ["KC (Default)", "KC (Default) 2"]
    assert rows["Outcome"].to_pylist() == ["CORRECT", "HINT", "INCORRECT"]
    assert rows["KC (Default) 2"].to_pylist() == ["carry", None, None]
    assert rows["Step Name"].to_pylist()[0] == 'step "1"'
    formats.write(source.table, tmp_path / "again.txt", source)
    assert (tmp_path / "again.txt").read_text().count("\t") == DATASHOP.count("\t")


def test_a_file_that_is_no_datashop_export_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.txt"
    path.write_text("a\tb\n1\t2\n")
    with pytest.raises(InputError, match="Anon Student Id"):
        formats.read(path, format="datashop")


def test_a_ragged_datashop_line_is_named_by_its_row(tmp_path: Path) -> None:
    path = tmp_path / "ragged.txt"
    path.write_text(DATASHOP + "4\tStu_2\tCORRECT\n")
    with pytest.raises(InputError, match="row 4: expected 7 cells and found 3"):
        formats.read(path, format="datashop")


def test_ids_come_anew_rows_have_their_own_and_assignments_are_shared(course: Any, make_job: Any) -> None:
    rows = course.table.num_rows
    task = [f"task{item[4]}" for item in course.table["item"].to_pylist()]
    table = course.table.select(["user", "item", "correct"])
    table = table.append_column("row", pa.array([f"r{place}" for place in range(rows)]))
    table = table.append_column("task", pa.array(task))
    made = engine.arrow(study.open(make_job(table, ids=("row", "task"), m=10, noise=1.0, repeats=1)).protect().table)
    assert len(set(made["row"].to_pylist())) == made.num_rows
    assert not {str(value) for value in made["row"].to_pylist()} & {f"r{place}" for place in range(rows)}
    pairs = zip(made["item"].to_pylist(), made["task"].to_pylist(), strict=True)
    assert all(task == f"task{item[4]}" for item, task in pairs)


def test_peers_of_invented_students_are_refused(course: Any, make_job: Any) -> None:
    asked = make_job(course.table, peers=("device",)).section
    assert any("no peers" in problem for problem in asked.problems())


@pytest.mark.parametrize("audience", [pytest.param("agreement", marks=pytest.mark.deep), "enclave"])
def test_with_the_limits_of_an_audience_the_least_strength_that_passes_is_taken(
    make_planted: Any, make_job: Any, audience: Any
) -> None:
    """Students with steps of their own: without noise they are told apart, and the report says how much was taken."""
    table = make_planted(students=700, items=12, rows=(8, 16), seed=5).table.select(["user", "item", "correct"])
    generator = np.random.default_rng(0)
    item = np.array(table["item"].to_pylist(), dtype=object)
    own = generator.random(item.size) < 0.05
    item[own] = [f"item{place:02d}" for place in generator.integers(0, 12, int(own.sum()))]
    limit = Limit(**Section.audience_limits[audience])
    walked = table.set_column(1, "item", pa.array(item.tolist()))
    found = study.open(make_job(walked, limit=limit, repeats=24)).protect()
    assert found.curve is not None and limit.membership is not None
    chosen = found.curve.chosen
    assert chosen is not None and chosen.meets and chosen.risk <= limit.membership
    weaker = [point for point in found.curve.points if point.strength < chosen.strength]
    assert not any(point.meets for point in weaker)
    assert found.facts["noise"] == chosen.strength > 0
    assert any(f"noise of {chosen.strength:g} standard errors" in change.what for change in found.changes)
    assert "least noise" in found.curve.note
