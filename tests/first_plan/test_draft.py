"""The first plan: valid TOML, sensible guesses, and nothing identifying under keep."""

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import ibis
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sharewell.data import formats
from sharewell.errors import InputError
from sharewell.first_plan.draft import drafted, first_plan

ROWS = 40


def plan_of(folder: Path) -> dict[str, Any]:
    return tomllib.loads(first_plan(folder))


def columns_with_roles(section: dict[str, Any]) -> list[str]:
    values = [value for key, value in section.items() if key not in ("file", "rows")]
    return [name for value in values for name in (value if isinstance(value, list) else [value])]


def write(folder: Path, file: str, /, **columns: Sequence[object]) -> None:
    formats.write(ibis.memtable(pa.table(columns)), folder / file, file.split(".", 1)[1])


def test_several_rows_per_student_are_recognised_and_nothing_is_kept(tmp_path: Path) -> None:
    write(
        tmp_path,
        "enrolments.csv",
        student_id=[f"s{i // 2}" for i in range(ROWS)],
        course=["maths", "arts"] * (ROWS // 2),
        passed=["yes", "no", "no", "yes"] * (ROWS // 4),
    )
    section = plan_of(tmp_path)["records"]["enrolments"]
    assert section["rows"] == "several" and "keep" not in section
    assert section["quasi"] == ["course"] and section["sensitive"] == ["passed"]


def test_markers_that_may_stand_for_no_value_are_asked_about(tmp_path: Path) -> None:
    ages, sexes = ["-", "21", "22", "23"] * 10, ["NA", "f", "m", "f"] * 10
    rows = [f"s{i},{age},{sex}" for i, (age, sex) in enumerate(zip(ages, sexes, strict=True))]
    (tmp_path / "students.csv").write_text("\n".join(["student_id,age,sex", *rows]))
    text = first_plan(tmp_path)
    assert '# decide: Does "NA" in sex stand for no value? [missing "NA" = yes | no]' in text
    assert plan_of(tmp_path)["records"]["students"]["missing"] == ["", "-"], "between numbers a dash is nothing else"


@pytest.mark.parametrize("answers", ["posts", "people"])
def test_an_answer_names_a_post_or_a_person(tmp_path: Path, answers: str) -> None:
    posts, people = [f"p{i}" for i in range(ROWS)], [f"s{i % 9}" for i in range(ROWS)]
    write(
        tmp_path,
        "forum.csv",
        post_id=posts,
        reply_to=[None, *(posts if answers == "posts" else people)[:-1]],
        author=people,
        message=[f"how do lists differ from tuples in week {i} of this course" for i in range(ROWS)],
    )
    section = plan_of(tmp_path)["posts"]["forum"]
    assert section["ids"] == (["post_id", "reply_to"] if answers == "posts" else ["post_id"])
    assert section.get("peers", []) == ([] if answers == "posts" else ["reply_to"])


FIRST = ["Ada", "Bola", "Chen", "Dina", "Emre", "Fatou", "Goran", "Hana", "Ivo", "Jun"]
LAST = ["Adeyemi", "Berg", "Costa", "Dia"]
NAMES = [f"{first} {last}" for first in FIRST for last in LAST]


def test_a_roster(tmp_path: Path) -> None:
    write(
        tmp_path,
        "students.csv",
        student_id=[f"s{i}" for i in range(ROWS)],
        name=NAMES,
        contact=[f"p{i}@example.org" for i in range(ROWS)],
        reach=[f"+49 170 {100000 + i}" for i in range(ROWS)],
        dob=[f"19{60 + i}-02-03" for i in range(ROWS)],
        tutor=NAMES[::-1],
        age=[str(20 + i % 5) for i in range(ROWS)],
        disability=["yes" if i % 9 == 0 else "no" for i in range(ROWS)],
        passed=[str(i % 2) for i in range(ROWS)],
        xyz=["?"] * ROWS,
    )
    section = plan_of(tmp_path)["records"]["students"]
    assert section["student"] == "student_id"
    assert set(section["direct"]) == {"name", "contact", "reach", "dob", "tutor"}
    assert section["quasi"] == ["age"]
    assert section["sensitive"] == ["disability"]
    assert section["keep"] == ["passed"]
    assert section["drop"] == ["xyz"]


def test_kinds_are_told_apart(tmp_path: Path) -> None:
    who = [f"u{i % 8}" for i in range(ROWS)]
    times = [f"2025-03-{1 + i % 28:02d} 10:{i:02d}:00" for i in range(ROWS)]
    write(tmp_path, "clicks.parquet", user=who, time=times, verb=["view"] * ROWS, device=["pc"] * ROWS)
    write(
        tmp_path,
        "tutor.tsv",
        **{
            "Anon Student Id": who,
            "Time": times,
            "Problem Name": [f"p{i % 5}" for i in range(ROWS)],
            "Outcome": ["CORRECT", "INCORRECT"] * (ROWS // 2),
        },
    )
    write(
        tmp_path,
        "forum.jsonl",
        author=who,
        created=times,
        message=[f"Hello everybody, this is question number {i} about loops" for i in range(ROWS)],
    )
    write(
        tmp_path,
        "keys.csv.gz",
        participant=who,
        sentence=who[::-1],
        key=["a"] * ROWS,
        press_ms=list(range(ROWS)),
    )
    plan = plan_of(tmp_path)
    assert plan["traces"]["clicks"] == {
        "file": "clicks.parquet",
        "student": "user",
        "at": "time",
        "quasi": ["verb", "device"],
    }
    tutor = plan["responses"]["tutor"]
    assert (tutor["student"], tutor["item"], tutor["correct"], tutor["time"]) == (
        "Anon Student Id",
        "Problem Name",
        "Outcome",
        "Time",
    )
    assert plan["posts"]["forum"]["student"] == "author"
    assert plan["posts"]["forum"]["text"] == ["message"]
    keys = plan["keystrokes"]["keys"]
    assert (keys["student"], keys["session"], keys["key"], keys["press"]) == (
        "participant",
        "sentence",
        "key",
        "press_ms",
    )


@pytest.mark.parametrize(("items", "over"), [(900, "skill"), (60, "problem")])
def test_a_log_of_rare_items_is_walked_over_its_skills(tmp_path: Path, items: int, over: str) -> None:
    rows = range(4_000)
    write(
        tmp_path,
        "tutor.csv",
        user_id=[f"u{row // 40}" for row in rows],
        problem=[f"p{row * 7 % items}" for row in rows],
        skill=[f"s{row * 7 % items % 9}" for row in rows],
        correct=["01"[row % 3 > 0] for row in rows],
    )
    section = plan_of(tmp_path)["responses"]["tutor"]
    assert section["item"] == over
    assert section.get("drop", []) == (["problem"] if over == "skill" else [])
    assert section.get("skill") == (None if over == "skill" else "skill")


def test_headers_in_other_languages(tmp_path: Path) -> None:
    lines = ["Matrikelnummer;Vorname;Nachname;Geburtsdatum;Geschlecht;PLZ;Note"]
    lines += [f"{1000 + i};{FIRST[i % 10]};{LAST[i % 4]};1.2.{1990 + i % 9};w;7{i:04d};1,3" for i in range(ROWS)]
    (tmp_path / "Teilnehmer.csv").write_bytes("\n".join(lines).encode("latin-1"))
    section = plan_of(tmp_path)["records"]["teilnehmer"]
    assert section["student"] == "Matrikelnummer"
    assert section["direct"] == ["Vorname", "Nachname", "Geburtsdatum"]
    assert section["quasi"] == ["Geschlecht", "PLZ"]
    assert section["keep"] == ["Note"]


def test_files_that_cannot_be_read_are_said(tmp_path: Path) -> None:
    (tmp_path / "notes.docx").write_bytes(b"x")
    (tmp_path / "broken.csv").write_text("a,b\n1\n")
    (tmp_path / "rooms.csv").write_text("room,seats\nA,10\nB,20\n")
    write(tmp_path, "students.csv", user_id=["a", "b"], age=["1", "2"])
    text = first_plan(tmp_path)
    assert tomllib.loads(text)["records"].keys() == {"students"}
    for name in ("notes.docx", "broken.csv", "rooms.csv"):
        assert f"# left out: {name}" in text
    with pytest.raises(InputError, match="expected a folder"):
        first_plan(tmp_path / "broken.csv")


def test_an_empty_folder_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no file that can be read"):
        first_plan(tmp_path)


NAMES_OF_COLUMNS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1)


@settings(max_examples=10)
@given(names=st.lists(NAMES_OF_COLUMNS, min_size=2, max_size=4, unique_by=lambda name: name.strip().casefold()))
def test_any_column_name_gives_valid_toml_and_one_role(names: list[str], tmp_path: Path) -> None:
    known = {"user_id": ["a", "b"], "age": ["20", "20"]}
    table = pa.table({**known, **{name: ["1", "2"] for name in names if name.strip()}})
    if len({name.strip().casefold() for name in table.column_names}) < table.num_columns:
        return
    formats.write(ibis.memtable(table), tmp_path / "x.parquet", "parquet")
    kinds = {kind: sections for kind, sections in plan_of(tmp_path).items() if kind != "release"}
    (section,) = (section for sections in kinds.values() for section in sections.values())
    assert sorted(columns_with_roles(section)) == sorted(table.column_names)


def test_a_mark_that_few_share_is_not_kept_as_it_is(tmp_path: Path) -> None:
    rows = "".join(f"s{n},{n * 0.37:.2f},{n % 2},{n * 3}\n" for n in range(60))
    (tmp_path / "results.csv").write_text("student,final_grade,passed,course_views\n" + rows)
    section = tomllib.loads(first_plan(tmp_path))["records"]["results"]
    assert section["quasi"] == ["final_grade"]
    assert section["keep"] == ["passed"] and section["drop"] == ["course_views"]


@pytest.mark.parametrize("header", ["Matrikelnr.", "Numéro étudiant", "Öğrenci No", "Matrícula", "N° matricule"])
def test_a_student_id_is_known_in_five_languages_and_comes_before_an_address(header: str, tmp_path: Path) -> None:
    people = range(20)
    columns = {
        "E-Mail": [f"p{who}@uni.example" for who in people],
        header: [f"20{who:04d}" for who in people],
        "Note": [f"{who % 5},0" for who in people],
        "Gruppe": ["A" if who % 2 else "B" for who in people],
    }
    write(tmp_path, "liste.csv", **columns)
    assert tomllib.loads(first_plan(tmp_path))["records"]["liste"]["student"] == header


def test_cells_that_are_students_of_another_file_are_students(tmp_path: Path) -> None:
    people = [f"K-{who:04d}" for who in range(20)]
    write(tmp_path, "students.csv", student_id=people, sex=["F", "M"] * 10, age=["19", "20"] * 10)
    write(tmp_path, "zimmer.csv", Bewohner=[who.lower() for who in people], Haus=["A", "B"] * 10)
    write(tmp_path, "haus.csv", Haus=["A", "B", "C", "D", "E"], Betten=["10", "11", "12", "13", "14"])
    drafted_plan = drafted(tmp_path)
    assert tomllib.loads(drafted_plan.text)["records"]["zimmer"]["student"] == "Bewohner"
    assert [note.partition(" ")[0] for note in drafted_plan.left_out] == ["haus.csv"]


def test_marks_of_a_log_are_asked_about_and_what_is_shared_is_no_row_number(tmp_path: Path) -> None:
    rows = range(400)
    columns = {
        "id_assessment": [str(1700 + row % 30) for row in rows],
        "id_student": [str(100 + row % 40) for row in rows],
        "date_submitted": [f"2024-05-{1 + row % 28:02d}" for row in rows],
        "score": [str(row * 7 % 101) for row in rows],
    }
    write(tmp_path, "studentAssessment.csv", **columns)
    plan = drafted(tmp_path)
    section = tomllib.loads(plan.text)["traces"]["student_assessment"]
    assert section["quasi"] == ["id_assessment"] and "ids" not in section
    assert any("score holds marks" in question for question in plan.decide)
    assert "score" not in section.get("drop", []), "nobody has decided"


def test_an_address_of_two_codes_is_known_of_a_student_and_no_identifier(tmp_path: Path) -> None:
    people = [f"s{who}" for who in range(ROWS)]
    write(tmp_path, "students.csv", student_id=people, address=["U", "R"] * (ROWS // 2), age=["19", "20"] * (ROWS // 2))
    assert "address" in plan_of(tmp_path)["records"]["students"]["quasi"]
