"""`sharewell paper`: tables, a page that only its owner reads, and JSON."""

import json
import stat
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as csv
import pytest
from papers.test_ito import log
from papers.test_stinar import students
from papers.test_vie import responses
from typer.testing import CliRunner

from sharewell.cli import app


def run(folder: Path, *words: str) -> list[dict[str, object]]:
    page = folder / "page.html"
    done = CliRunner().invoke(app, ["paper", *words, "--page", str(page), "--json"])
    assert done.exit_code == 0, done.output
    assert stat.S_IMODE(page.stat().st_mode) == 0o600 and "<svg" in page.read_text(encoding="utf-8")
    tables: list[dict[str, object]] = json.loads(done.stdout.splitlines()[0])
    return tables


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, table in (("records", students()), ("log", log()), ("responses", responses())):
        csv.write_csv(table, tmp_path / f"{name}.csv")
    return tmp_path


def test_stinar(folder: Path) -> None:
    tables = run(
        folder, "stinar", f"{folder}/records.csv", "--outcome", "passed", "--k", "2", "--k", "4", "--seeds", "1"
    )
    assert [table["name"] for table in tables] == ["Table A1", "Step 3"]


def test_ito(folder: Path) -> None:
    tables = run(folder, "ito", f"{folder}/log.csv", "--student", "user", "--at", "time", "--also", "verb")
    assert [table["name"] for table in tables] == ["Table 1", "Figure 3", "Figure 6", "Figure 7"]


def test_vie(folder: Path) -> None:
    words = ["--student", "user", "--item", "skill", "--correct", "correct", "--model", "drop 0.5", "--model", "markov"]
    tables = run(folder, "vie", f"{folder}/responses.csv", *words)
    names = ["Figure 1", "Table 2", "Figure 3", "Histograms", "Table 3", "Table 4", "Figure 4"]
    assert [table["name"] for table in tables] == names


def test_a_dataset_of_the_paper_stands_beside_ones_own(folder: Path) -> None:
    words = ["--outcome", "passed", "--k", "2", "--seeds", "1"]
    table, _ = run(folder, "stinar", f"{folder}/records.csv", *words, "--like", "Math")
    rows: Any = table["rows"]
    assert {row["published"] for row in rows if row["variant"] == "printed"} == {0.916, 0.917}
    done = CliRunner().invoke(app, ["paper", "stinar", f"{folder}/records.csv", *words, "--like", "Maths"])
    assert "--like is one of Academics" in str(done.exception)


def test_a_column_that_is_not_there_is_one_sentence(folder: Path) -> None:
    done = CliRunner().invoke(app, ["paper", "ito", f"{folder}/log.csv", "--student", "user", "--at", "when"])
    assert done.exit_code != 0 and "no such column" in str(done.exception)


def test_without_json_tables_are_printed(folder: Path) -> None:
    done = CliRunner().invoke(
        app, ["paper", "ito", f"{folder}/log.csv", "--student", "user", "--at", "time", "--page", f"{folder}/p.html"]
    )
    assert done.exit_code == 0 and "measured" in done.output and "not for publication" in done.output


def test_every_paper_is_a_command() -> None:
    done = CliRunner().invoke(app, ["paper", "--help"])
    assert all(name in done.output for name in ("stinar", "ito", "vie", "bosch", "leinonen"))


def test_marks_and_experience_are_read(folder: Path) -> None:
    pa_table = pa.table({"word": ["a"], "mark": ["name"]})
    csv.write_csv(pa_table, folder / "words.csv")
    words = ["--text", "verb", "--labels", str(folder / "words.csv")]
    done = CliRunner().invoke(app, ["paper", "bosch", f"{folder}/log.csv", *words])
    assert "at least 4 names" in str(done.exception)
