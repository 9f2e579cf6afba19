"""README.md and croissant.json: what repositories ask for, true to the files."""

import hashlib
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from course_folder import CLICKS, PLAN, make_folder
from release_findings import passing, records, traces

from sharewell.contract import Change
from sharewell.disclosure import disclose
from sharewell.findings import Findings
from sharewell.plan.document import Plan, load
from sharewell.show import datasheet

HEADER = 'name = "Course"\nlicense = "CC-BY-4.0"\ncitation = "Doe (2025). Course."\ncontact = "data@example.org"'
STUDENTS = "id,age,sex,passed\np1,20-24,f,1\np2,*,,0\np3,20-24,m,0.5\n"


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    text = (PLAN + CLICKS).replace('name = "Course"', HEADER).replace('file = "clicks.csv"', 'file = "clicks.parquet"')
    folder = tmp_path / "in"
    make_folder(folder)
    pq.write_table(pa.table({"id": ["a"], "time": ["t"], "verb": ["v"]}), folder / "clicks.parquet")
    (folder / "plan.toml").write_text(text)
    return load(folder / "plan.toml")


@pytest.fixture
def built(tmp_path: Path) -> Path:
    folder = tmp_path / "built"
    (folder / "data").mkdir(parents=True)
    (folder / "data" / "students.csv").write_text(STUDENTS)
    days = pa.array([0, 86_400_000_000], pa.timestamp("us"))
    pq.write_table(pa.table({"id": ["p1", "p2"], "time": days, "verb": ["a", "b"]}), folder / "data" / "clicks.parquet")
    return folder


def findings() -> Findings:
    strange = Change(columns=("age",), action="coarsened", detail="bins | of five\nyears", reason="singles out")
    return replace(passing(), files=(replace(records(), changes=(*records().changes[:2], strange)), traces()))


def written(built: Path, plan: Plan) -> tuple[str, dict[str, Any]]:
    datasheet.write(built, plan, disclose(findings()), identifier="abc123")
    return (built / "README.md").read_text(), json.loads((built / "croissant.json").read_text())


def test_the_sections_stand_in_the_order_of_a_deposit(built: Path, plan: Plan) -> None:
    text, _ = written(built, plan)
    titles = re.findall(r"^## (.*)$", text, re.M)
    assert titles == [
        "1. General information", "2. Sharing and access", "3. Files", "4. How the data was protected", "5. Columns",
        "6. What it is fit for",
    ]  # fmt: skip
    for said in (
        "CC-BY-4.0",
        "Doe (2025). Course.",
        "data@example.org",
        "abc123",
        "AUC of passing",
        "Mean session length",
    ):
        assert said in text


def test_every_table_has_as_many_cells_as_heads(built: Path, plan: Plan) -> None:
    text, _ = written(built, plan)
    tables = re.findall(r"(?:^\|.*\|$\n)+", text, re.M)
    assert len(tables) == 6  # the files, two of changes, one of limits beside promises, two of columns
    for table in tables:
        widths = {len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}
        assert len(widths) == 1, table


def test_the_columns_are_those_of_the_files_with_their_types(built: Path, plan: Plan) -> None:
    text, twin = written(built, plan)
    fields = {
        (records["name"], field["name"]): field["dataType"]
        for records in twin["recordSet"]
        for field in records["field"]
    }
    assert fields == {
        ("records.students", "id"): "sc:Text", ("records.students", "age"): "sc:Text",
        ("records.students", "sex"): "sc:Text", ("records.students", "passed"): "sc:Float",
        ("traces.clicks", "id"): "sc:Text", ("traces.clicks", "time"): "sc:DateTime",
        ("traces.clicks", "verb"): "sc:Text",
    }  # fmt: skip
    assert "| `age` | text | something others may know of a student | bins \\| of five years |" in text


def test_the_twin_names_every_file_by_its_hash(built: Path, plan: Plan) -> None:
    _, twin = written(built, plan)
    assert len(twin["distribution"]) == 2
    for file in twin["distribution"]:
        content = (built / file["contentUrl"]).read_bytes()
        assert file["sha256"] == hashlib.sha256(content).hexdigest()
        assert file["contentSize"] == f"{len(content)} B"
    known = {file["@id"] for file in twin["distribution"]}
    sources = {field["source"]["fileObject"]["@id"] for records in twin["recordSet"] for field in records["field"]}
    assert sources == known
    assert "rai:personalSensitiveInformation" in twin and twin["license"] == "CC-BY-4.0"


def test_no_cell_of_the_data_stands_in_either(built: Path, plan: Plan) -> None:
    text, twin = written(built, plan)
    assert "20-24" not in text + json.dumps(twin) and "p2" not in text + json.dumps(twin)


def test_columns_are_described_in_the_words_of_the_plan(built: Path, plan: Plan) -> None:
    described = {"records.students": {"passed": "1 if the student passed | or <b>nearly</b>"}, "traces.clicks": {}}
    text, twin = written(built, replace(plan, describe=described))
    assert "| `passed` | number | 1 if the student passed \\| or &lt;b&gt;nearly&lt;/b&gt; |" in text
    fields = {field["@id"]: field["description"] for records in twin["recordSet"] for field in records["field"]}
    assert fields["records.students/passed"].startswith("1 if the student passed")


def test_the_notation_of_cells_is_explained(built: Path, plan: Plan) -> None:
    text, _ = written(built, plan)
    assert "- `*`: hidden" in text and "- `[20, 24]`: a range; both ends belong to it" in text
    assert "- `other`: a value that few students share" in text


def test_an_agreement_goes_with_data_that_is_not_public(built: Path, plan: Plan) -> None:
    public = replace(plan, header=replace(plan.header, audience="public"))
    written(built, public)
    assert not (built / "AGREEMENT.md").exists()
    written(built, replace(plan, header=replace(plan.header, audience="agreement")))
    assert (built / "AGREEMENT.md").read_text().startswith("# Data use agreement: Course")
