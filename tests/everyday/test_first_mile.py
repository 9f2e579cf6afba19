"""Exports that nobody prepared: `init`, its questions answered, `release`, `verify`, with the role of each column."""

import tomllib
from pathlib import Path

import openpyxl
import pytest
from everyday.messy import MESSY, STUDENTS, class_list, moodle_base, nested, saved, turkish, turkish_list
from everyday.test_every_format import EASED, answers

from sharewell import pipeline
from sharewell.data import engine, formats
from sharewell.errors import InputError
from sharewell.first_plan.draft import drafted, first_plan
from sharewell.plan.document import load
from sharewell.plan.questions import questions
from sharewell.release import verify


def roles(plan: Path) -> dict[str, str]:
    return {column: role for section in load(plan).sections for role, column in section.roles()}


def planned(folder: Path) -> str:
    """The first plan with the first answer to each question; every question has one, or nothing to write."""
    text = drafted(folder).text
    assert all(question.answers for _, _, question in questions(text) if question.key)
    text = answers(text)
    for kind, more in EASED.items():
        text = text.replace(f"# {kind}: ", f"{more}# {kind}: ")
    (folder / "plan.toml").write_text(text, encoding="utf-8")
    return text


@pytest.mark.parametrize("export", MESSY)
def test_columns_get_the_role_that_they_have(export: str, tmp_path: Path) -> None:
    write, expected = MESSY[export]
    write(tmp_path)
    planned(tmp_path)
    found = roles(tmp_path / "plan.toml")
    assert {column: found[column] for column in expected} == expected


@pytest.mark.parametrize("export", ["Moodle, Turkish", "edX", "nested Parquet", "class list"])
def test_what_was_messy_is_released_and_verified(export: str, tmp_path: Path) -> None:
    write, _ = MESSY[export]
    write(tmp_path)
    text = planned(tmp_path).replace("# records: ", "limit = { predicate = 1.0 }\n# records: ")
    (tmp_path / "plan.toml").write_text(text, encoding="utf-8")
    outcome = pipeline.release(load(tmp_path / "plan.toml"))
    assert outcome.verdict.passed, outcome.verdict.reasons
    assert verify.verify(tmp_path / "release").problems == ()


def test_words_among_marks_stand_for_no_value(tmp_path: Path) -> None:
    class_list(tmp_path)
    assert tomllib.loads(planned(tmp_path))["records"]["liste"]["missing"] == ["", "k.A.", "n. b."]


def test_the_year_stands_in_the_name_of_the_export(tmp_path: Path) -> None:
    turkish(tmp_path)
    assert "year = 2023  # by its name" in first_plan(tmp_path)


def test_nobody_is_a_student_by_the_name_of_a_dash(tmp_path: Path) -> None:
    rows = [
        ["-" if n % 9 == 0 else f"s{n % 7}", f"2023-10-{1 + n % 28:02d} 08:00", ("a", "b")[n % 2]] for n in range(80)
    ]
    saved(tmp_path, "clicks.csv", ["student", "time", "verb"], rows)
    section = tomllib.loads(first_plan(tmp_path))["traces"]["clicks"]
    assert section["missing"] == ["", "-"] and section["rows_without_student"] == "drop"


def test_views_of_a_database_are_left_out(tmp_path: Path) -> None:
    moodle_base(tmp_path)
    plan = drafted(tmp_path)
    assert "everybody" not in tomllib.loads(plan.text)["records"]
    assert any("view everybody: a view shows rows" in note for note in plan.left_out)


def test_codes_are_asked_about_with_an_answer(tmp_path: Path) -> None:
    rows = [[f"s{who}", who % 4, who % 3] for who in range(STUDENTS)]
    saved(tmp_path, "students.csv", ["student", "region", "sex"], rows)
    text = first_plan(tmp_path)
    asked = [question for _, _, question in questions(text) if question.key == "categories"]
    assert [(one.name, one.answers) for one in asked] == [("region", ("no", "yes")), ("sex", ("no", "yes"))]


def test_titles_above_the_header_are_named(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for row in (["Participants"], ["Course:", "Biology"], ["Nr.", "Student ID", "Name"], [1, 17, "A B"]):
        book.active.append(row)
    book.save(tmp_path / "list.xlsx")
    with pytest.raises(InputError, match=r"more cells than the header's 1; .* delete lines that stand above"):
        formats.read(tmp_path / "list.xlsx")
    (tmp_path / "list.csv").write_text("Participants\n\n" + "Nr.;Student ID;Name\n" + "1;17;A B\n" * 20)
    with pytest.raises(InputError, match="not as wide as the rows; delete lines that stand above"):
        formats.read(tmp_path / "list.csv")


def test_structures_become_columns_and_lists_text(tmp_path: Path) -> None:
    nested(tmp_path)
    table = formats.read(tmp_path / "events.parquet").table
    assert table.columns == ("user.id", "user.name", "ts", "verb", "tags", "result.score.raw", "result.score.max")
    assert engine.arrow(table.limit(1))["tags"].to_pylist() == ['["a","b"]']


@pytest.mark.parametrize(("encoding", "word"), [("cp1254", "Kılıç"), ("cp1252", "Þórdís Ýr"), ("cp1252", "Schäfer")])
def test_letters_of_one_byte(encoding: str, word: str, tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_bytes(f"id,name\n1,{word}\n".encode(encoding))
    assert engine.arrow(formats.read(tmp_path / "list.csv").table)["name"].to_pylist() == [word]


def test_a_turkish_list_with_a_german_in_it(tmp_path: Path) -> None:
    turkish_list(tmp_path)
    found = engine.arrow(formats.read(tmp_path / "liste.csv").table)
    assert any("Schäfer" in name for name in found["Adı Soyadı"].to_pylist())
