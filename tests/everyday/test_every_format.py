"""Every format that can be read goes from `init` to a verified release, on two dozen students, with all its columns.

The plan is the first one with the first answer to all that it asks. Only what two dozen students cannot be given is
eased here, in `EASED`: limits that need hundreds of them, and the search for the best setting, of which one is tried.
"""

import json
import sqlite3
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from everyday.exports import EXPORTS, STUDENTS, TABLE, Row, number, of, one, student

from sharewell import pipeline
from sharewell.data import sources
from sharewell.desk.plan_text import answered
from sharewell.errors import PlanError, VerificationFailed
from sharewell.first_plan.draft import drafted
from sharewell.plan.document import load
from sharewell.plan.formats import FORMATS
from sharewell.plan.questions import questions
from sharewell.release import verify
from sharewell.show import contents

TYPED = "the list of a loop"
BY_NAME = {export.system: export for export in EXPORTS}
PEOPLE = {
    "student_id": student("s{}"),
    "name": lambda row: f"Person {row.student}",
    "sex": of("F", "M"),
    "age": of("19", "20", "21"),
    "passed": of("yes", "no"),
    "remarks": number("note {}"),
}
EASED = {
    "traces": 'method = "groups"\nwindow = "1w"\n',
    "responses": "limit = { membership = 1.0, tpr = 1.0, ranks = -1, jump = 1 }\nm = 2\nnoise = 1.0\nrepeats = 2\n",
    "posts": "limit = { residual = 1.0 }\n",
    "keystrokes": "limit = { found = 1.0, within = 24 }\n",
}


def answers(text: str) -> str:
    """The plan with the first answer to each of its questions."""
    while found := next(questions(text), None):
        _, number, question = found
        text = answered(text, number, question.answers[0] if question.answers else "")
    return text


def people() -> list[dict[str, object]]:
    import numpy as np

    draw = np.random.default_rng(3)
    rows = [Row(place, place, datetime(2024, 5, 1), draw) for place in range(STUDENTS)]
    return [{name: cell(row) for name, cell in PEOPLE.items()} for row in rows]


def as_table(folder: Path, name: str, write: Callable[[pa.Table, str], object]) -> None:
    write(pa.Table.from_pylist(people()), str(folder / name))


def as_json(table: pa.Table, path: str) -> None:
    Path(path).write_text(json.dumps(table.to_pylist()), encoding="utf-8")


def as_lines(table: pa.Table, path: str) -> None:
    Path(path).write_text("\n".join(map(json.dumps, table.to_pylist())), encoding="utf-8")


def as_duckdb(table: pa.Table, path: str) -> None:
    with duckdb.connect(path) as base:
        base.register("rows", table)
        base.execute("CREATE TABLE students AS FROM rows")


def as_sqlite(table: pa.Table, path: str) -> None:
    base = sqlite3.connect(path)
    with base:
        base.execute(f"CREATE TABLE students ({', '.join(PEOPLE)})")
        rows = [tuple(row.values()) for row in table.to_pylist()]
        base.executemany(f"INSERT INTO students VALUES ({', '.join('?' * len(PEOPLE))})", rows)
    base.close()


def ednet(folder: Path) -> None:
    (folder / "KT4").mkdir()
    for who in range(STUDENTS):
        steps = ((day, action) for day in range(6) for action in ("enter", "respond"))
        rows = [f"{1_565_096_151_269 + 86_400_000 * day},{action},q{day % 3}" for day, action in steps]
        (folder / "KT4" / f"u{who}.csv").write_text("\n".join(["timestamp,action_type,item_id", *rows, ""]))


def essays(folder: Path) -> None:
    (folder / "essays").mkdir()
    for who in range(STUDENTS):
        (folder / "essays" / f"s{who}.txt").write_text(f"The loop of exercise {who} ends before the list does.\n")


def typed(folder: Path, header: str, line: Callable[[int, int, int, str], str], name: str) -> None:
    """Eight words in each of four sessions of every student."""
    lines = [header]
    for who in range(STUDENTS):
        for task in range(4):
            lines += [line(who, task, place, letter) for place, letter in enumerate(TYPED)]
    (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")


def progsnap2(folder: Path) -> None:
    header = "EventType,EventID,SubjectID,AssignmentID,ClientTimestamp,InsertText,DeleteText,ToolInstances,Order"

    def line(who: int, task: int, place: int, letter: str) -> str:
        at = f"{datetime.fromtimestamp(1_700_000_000 + 100_000 * task + who).isoformat()}.{place * 40:03d}"
        return f"File.Edit,e{who}-{task}-{place},S{who},A{task},{at},{letter},,Java,{who * 100 + place}"

    typed(folder, header, line, "MainTable.csv")


def snapshots(folder: Path) -> None:
    def line(who: int, task: int, place: int, letter: str) -> str:
        at = 1_700_000_000_000 + 100_000_000 * task + place * (90 + who)
        return f"S{who},A{task},{at},{TYPED[: place + 1]}"

    typed(folder, "student,assignment,timestamp_ms,code", line, "states.csv")


MADE: dict[str, Callable[[Path], None]] = {
    "csv": one("", "records", "students.csv", TABLE, PEOPLE).write,
    "tsv": one("", "records", "students.tsv", TABLE, PEOPLE, delimiter="\t").write,
    "xlsx": one("", "records", "students.xlsx", TABLE, PEOPLE).write,
    "json": lambda folder: as_table(folder, "students.json", as_json),
    "jsonl": lambda folder: as_table(folder, "students.jsonl", as_lines),
    "parquet": lambda folder: as_table(folder, "students.parquet", pq.write_table),
    "duckdb": lambda folder: as_table(folder, "students.duckdb", as_duckdb),
    "sqlite": lambda folder: as_table(folder, "students.sqlite", as_sqlite),
    "moodle": BY_NAME["Moodle 3.5 live log"].write,
    "moodle_quiz": BY_NAME["Moodle 3.9 quiz responses"].write,
    "moodle_forum": BY_NAME["Moodle 3.9 forum"].write,
    "canvas": BY_NAME["Canvas Data 2 web_logs"].write,
    "canvas_gradebook": BY_NAME["Canvas 2020 grade book"].write,
    "blackboard": BY_NAME["Blackboard Learn 9.1 grade centre"].write,
    "edx": BY_NAME["edX tracking log"].write,
    "edx_forum": BY_NAME["edX forum contents"].write,
    "xapi": BY_NAME["xAPI of H5P"].write,
    "caliper": BY_NAME["Caliper 1.2"].write,
    "oulad": BY_NAME["OULAD 2017 folder"].write,
    "datashop": BY_NAME["DataShop transactions"].write,
    "ednet": ednet,
    "essays": essays,
    "progsnap2": progsnap2,
    "snapshots": snapshots,
}


def test_every_format_has_an_export() -> None:
    assert MADE.keys() == FORMATS.keys()


@pytest.mark.parametrize("format", MADE)
def test_a_first_plan_is_released_and_verified(format: str, tmp_path: Path) -> None:
    MADE[format](tmp_path)
    text = answers(drafted(tmp_path).text)
    for kind, more in EASED.items():
        text = text.replace(f"# {kind}: ", f"{more}# {kind}: ")
    (tmp_path / "plan.toml").write_text(text, encoding="utf-8")
    plan = load(tmp_path / "plan.toml")
    outcome = pipeline.release(plan)
    assert outcome.verdict.passed, outcome.verdict.reasons
    assert verify.verify(tmp_path / "release").problems == ()


def planned_by_name(folder: Path) -> str:
    """A plan of a log of Moodle whose students go by their names; the number that is derived has no role."""
    BY_NAME["Moodle 4.1 log"].write(folder)
    text = drafted(folder).text.replace("# traces: ", f"{EASED['traces']}# traces: ")
    text = text.replace('student = "user_id"', 'student = "User full name"')
    return text.replace('    "User full name",  # names of people\n', "")


def test_a_derived_column_is_called_so_in_plan_and_message(tmp_path: Path) -> None:
    text = planned_by_name(tmp_path)
    assert "# derived: the number of the user in the Description of an event; the name says so" in text
    (tmp_path / "plan.toml").write_text(text, encoding="utf-8")
    with pytest.raises(PlanError, match=r"no role for 'user_id' \(derived by format = \"moodle\""):
        sources.read(load(tmp_path / "plan.toml"))


def test_what_the_import_needs_may_be_dropped(tmp_path: Path) -> None:
    text = planned_by_name(tmp_path).replace("drop = [", 'drop = ["user_id",')
    (tmp_path / "plan.toml").write_text(text, encoding="utf-8")
    assert pipeline.release(load(tmp_path / "plan.toml")).verdict.passed
    assert verify.verify(tmp_path / "release").problems == ()


def test_a_problem_of_a_finished_file_is_told_by_its_place_in_the_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    MADE["csv"](tmp_path)
    (tmp_path / "plan.toml").write_text(drafted(tmp_path).text, encoding="utf-8")

    def emptied(built: Path, *given: object) -> list[contents.Content]:
        (built / "data" / "students.csv").write_text("")
        return []

    monkeypatch.setattr(contents, "describe", emptied)
    with pytest.raises(VerificationFailed) as told:
        pipeline.release(load(tmp_path / "plan.toml"))
    assert "data/students.csv: is empty" in str(told.value) and ".release-partial" not in str(told.value)
