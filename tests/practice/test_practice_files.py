"""Practice copies of other files: OULAD, codes of missing values, numbers as ids, a kind without a hook, one key."""

import csv
import runpy
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from course_folder import CLICKS, PLAN, make_folder
from typer.testing import CliRunner

from sharewell import examine
from sharewell.cli import app
from sharewell.contract import Kind
from sharewell.data import sources
from sharewell.data.keyed import Keyed
from sharewell.plan.document import load
from sharewell.practice.copy import practice
from sharewell.synthetic.event_table import EventTable
from sharewell.traces.section import Section

EXAMPLE = Path(__file__).parents[2] / "examples" / "practice" / "oulad.py"
OULAD = """
[release]
name = "OULAD"
audience = "agreement"

[records.info]
file = "studentInfo.csv"
student = "id_student"
quasi = ["gender", "region", "highest_education", "imd_band", "age_band", "disability"]
keep = ["code_module", "code_presentation", "num_of_prev_attempts", "studied_credits", "final_result"]
target = "final_result"

[records.registration]
file = "studentRegistration.csv"
student = "id_student"
quasi = ["date_registration"]
keep = ["code_module", "code_presentation", "date_unregistration"]

[records.assessments]
file = "studentAssessment.csv"
student = "id_student"
rows = "several"
quasi = ["id_assessment", "date_submitted", "is_banked"]
sensitive = ["score"]
"""


@pytest.fixture(scope="module")
def oulad(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One presentation of OULAD with a plan."""
    source, folder = shared_data / "oulad", tmp_path_factory.mktemp("oulad")
    if not source.is_dir():
        pytest.skip("no OULAD here")

    def one(name: str) -> pd.DataFrame:
        read = pd.read_csv(source / name, dtype=str, keep_default_na=False)
        return read[(read["code_module"] == "FFF") & (read["code_presentation"] == "2013J")]

    for name in ("studentInfo.csv", "studentRegistration.csv"):
        one(name).to_csv(folder / name, index=False)
    submitted = pd.read_csv(source / "studentAssessment.csv.gz", dtype=str, keep_default_na=False)
    inside = submitted["id_assessment"].isin(one("assessments.csv")["id_assessment"])
    submitted[inside].to_csv(folder / "studentAssessment.csv", index=False)
    (folder / "key").write_text("29" * 32)
    (folder / "plan.toml").write_text(OULAD.replace('audience = "', 'key = "key"\naudience = "'), encoding="utf-8")
    return folder


def test_an_analysis_of_oulad_runs_on_the_copy_and_says_the_same(oulad: Path) -> None:
    where, made = practice(load(oulad / "plan.toml"))
    analysis = runpy.run_path(str(EXAMPLE))["analysis"]
    (before, registered), (after, again) = analysis(oulad), analysis(where)
    clear = before[before["z"].abs() > 3].index
    assert len(clear) >= 2 and (before.loc[clear, "coefficient"] * after.loc[clear, "coefficient"] > 0).all()
    assert float(np.abs(registered - again).max()) < 0.06
    for name in ("studentInfo.csv", "studentRegistration.csv", "studentAssessment.csv"):
        one, other = pd.read_csv(oulad / name), pd.read_csv(where / name)
        assert (one.dtypes == other.dtypes).all() and not set(one["id_student"]) & set(other["id_student"])
    assert made.promise["spent epsilon"] <= 3 and all(risk.holds for risk in made.risks if risk.gate)


def folder_with(tmp_path: Path, plan: str = PLAN) -> Path:
    return make_folder(tmp_path, students=200, plan=plan.replace('exclude = "optouts.csv"', 'key = "key"'))


def test_one_key_and_the_same_data_make_the_same_copy(tmp_path: Path) -> None:
    plan = folder_with(tmp_path, PLAN + CLICKS)
    (tmp_path / "key").write_text("23" * 32)
    first, _ = practice(load(plan), root=tmp_path / "one")
    second, _ = practice(load(plan), root=tmp_path / "two")
    for path in sorted(first.iterdir()):
        assert path.read_bytes() == (second / path.name).read_bytes()


def test_missing_cells_have_the_code_that_they_had(tmp_path: Path) -> None:
    plan = folder_with(tmp_path, PLAN.replace("[records.students]", '[records.students]\nmissing = ["", "-9"]'))
    (tmp_path / "key").write_text("23" * 32)
    rows = list(csv.reader((tmp_path / "students.csv").open()))
    for place, row in enumerate(rows[1:]):
        row[2] = "-9" if place % 3 == 0 else row[2]
    with (tmp_path / "students.csv").open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    where, _ = practice(load(plan))
    ages = [row["age"] for row in csv.DictReader((where / "students.csv").open())]
    assert "-9" in ages and "" not in ages


def test_the_command_says_where_it_wrote_and_what_is_promised(tmp_path: Path) -> None:
    plan = folder_with(tmp_path)
    (tmp_path / "key").write_text("23" * 32)
    result = CliRunner().invoke(app, ["practice", str(plan), "--epsilon", "1"])
    assert result.exit_code == 0, result.output
    assert str(tmp_path / "practice") in result.output and "students who do not exist" in result.output
    again = CliRunner().invoke(app, ["practice", str(plan)])
    assert "--replace" in str(again.exception)


def test_a_kind_without_a_hook_has_its_columns_counted(tmp_path: Path) -> None:
    plan = load(make_folder(tmp_path, students=80, plan=PLAN + CLICKS))
    data = sources.read(plan)
    job = examine.job_of(plan.sections[1], plan, data, Keyed(bytes(32), "practice"))
    bare = Kind(name="bare", package="sharewell.plan", section=Section, title="", rows="")
    found = bare.practice(job, 3)
    assert isinstance(found, EventTable) and found.roles.time == "time" and "verb" in found.columns
