"""Files and roles: the plan changed with its comments kept, contradictions said at once, columns through disclosure."""

import random
import tomllib
from pathlib import Path

import pytest
from course_folder import PLAN, make_folder
from desk.desk_at import desk_at
from everyday.exports import EXPORTS
from hypothesis import given
from hypothesis import strategies as st

from sharewell import disclosure
from sharewell.data import sources
from sharewell.data.files import to_json
from sharewell.desk import columns, plan_text
from sharewell.errors import InputError, PlanError
from sharewell.first_plan.draft import first_plan
from sharewell.plan.document import load
from sharewell.release import place

BY_NAME = {export.system: export for export in EXPORTS}
COMMENTED = """# Read by the board on Monday.

[release]
name = "Course"  # as on the cover

[records.students]
# one row each
file = "students.csv"  # from the registry
student = "id"  # the name says so
direct = [
    "name",  # names of people
]
quasi = ["age", "sex"]  # asked for by Ms Ito
keep = [
    # outcomes
    "passed",  # 1 if they did
]
limit = { k = 3 }  # agreed in May
"""


def comments(text: str) -> list[str]:
    return sorted(line.partition("#")[2].strip() for line in text.splitlines() if "#" in line)


def test_a_role_changes_and_every_comment_stays() -> None:
    text = plan_text.with_role(COMMENTED, "records.students", "passed", "sensitive")
    text = plan_text.with_role(text, "records.students", "name", "drop")
    text = plan_text.with_role(text, "records.students", "age", "keep")
    assert comments(text) == comments(COMMENTED)
    section = tomllib.loads(text)["records"]["students"]
    assert section["sensitive"] == ["passed"] and section["drop"] == ["name"] and section["keep"] == ["age"]
    assert '"passed", # 1 if they did' in text and section["quasi"] == ["sex"]


def test_a_value_of_a_curve_changes_nothing_else() -> None:
    text = plan_text.with_values(COMMENTED, "records.students", {"limit.k": 7, "method": "local"})
    assert comments(text) == comments(COMMENTED) and "limit = { k = 7 }  # agreed in May" in text
    assert tomllib.loads(text)["records"]["students"]["method"] == "local"


NAMES = ("id", "name", "age", "sex", "passed")


@given(
    st.lists(
        st.tuples(st.sampled_from(NAMES), st.sampled_from(["student", "direct", "quasi", "keep", "drop", "sensitive"]))
    )
)
def test_whatever_is_changed_a_column_has_one_role_and_no_comment_is_lost(changes: list[tuple[str, str]]) -> None:
    text, expected = COMMENTED, dict(zip(NAMES, ("student", "direct", "quasi", "quasi", "keep"), strict=True))
    for column, role in changes:
        text = plan_text.with_role(text, "records.students", column, role)
        if role == "student":  # there is one; who had the role has none now
            expected = {name: given_ for name, given_ in expected.items() if given_ != "student"}
        expected[column] = role
    section = tomllib.loads(text)["records"]["students"]
    for name in NAMES:
        assert plan_text.roles_given(section, "records").get(name, "") == expected.get(name, "")
        held = [key for key, value in section.items() if value == name or (isinstance(value, list) and name in value)]
        assert len(held) == (name in expected)
    assert all(any(said in line for line in comments(text)) for said in comments(COMMENTED))


@pytest.mark.parametrize(
    ("label", "column", "role"),
    [("records.x", "age", "keep"), ("nothing", "age", "keep"), ("records.students", "age", "text")],
)
def test_no_such_section_or_role(label: str, column: str, role: str) -> None:
    with pytest.raises(InputError):
        plan_text.with_role(COMMENTED, label, column, role)


def test_every_role_of_a_first_plan_can_be_changed_and_changed_back(tmp_path: Path) -> None:
    make_folder(tmp_path, students=20)
    text = first_plan(tmp_path)
    document = tomllib.loads(text)
    for label, section in columns.sections(document):
        kind = label.partition(".")[0]
        for role in plan_text.roles(kind):
            for name in section.get(role.key, []) if role.many else []:
                there = plan_text.with_role(text, label, name, "drop")
                back = plan_text.with_role(there, label, name, role.key)
                assert comments(back) == comments(text)
                assert plan_text.roles_given(tomllib.loads(back)[kind][label.partition(".")[2]], kind)[name] == role.key


def test_contradictions_are_said_at_once(tmp_path: Path) -> None:
    make_folder(tmp_path)
    at = desk_at(tmp_path)
    files = columns.found(at.desk.plan)
    place.write_private(at.desk.where, "desk/columns.json", to_json({"files": files}))
    assert at.desk.problems() == []
    who = at.visitor()
    numbers = {column["name"]: str(number) for number, column in enumerate(files[0]["columns"])}
    change = {"file": "records.students", "column": numbers["sex"], "role": "student"}
    answer = who.post("/files/role", change, headers={"x-fragment": "1"})
    assert "no role for &#39;id&#39;" in answer.text
    answer = who.post("/files/role", {**change, "column": numbers["id"]}, headers={"x-fragment": "1"})
    assert "no role for &#39;sex&#39;" in answer.text
    answer = who.post("/files/role", {**change, "column": numbers["sex"], "role": "quasi"}, headers={"x-fragment": "1"})
    assert "The plan is complete" in answer.text and at.desk.problems() == []
    load(at.desk.plan)


def test_a_plan_typed_by_hand_is_not_put_over_another_change(tmp_path: Path) -> None:
    make_folder(tmp_path)
    at = desk_at(tmp_path)
    who = at.visitor()
    before = at.desk.plan_source() or ""
    at.desk.plan.write_text(before + "# changed elsewhere\n")
    who.post("/files/plan", {"before": before, "text": "[release]\n"})
    assert at.desk.plan_source() == before + "# changed elsewhere\n"
    who.post("/files/plan", {"before": (before + "# changed elsewhere\n").replace("\n", "\r\n"), "text": before})
    assert at.desk.plan_source() == before
    who.post("/files/plan", {"before": before, "text": "not = [toml"})
    assert at.desk.plan_source() == before
    assert "not valid TOML" in who.get("/files").text


def test_a_file_is_left_out_or_lists_those_who_said_no(tmp_path: Path) -> None:
    make_folder(
        tmp_path,
        plan=PLAN.replace('exclude = "optouts.csv"\n', "")
        + '\n[records.optouts]\nfile = "optouts.csv"\nstudent = "id"\n',
    )
    at = desk_at(tmp_path)
    at.visitor().post("/files/out", {"file": "records.optouts", "said": "no"})
    loaded = load(at.desk.plan)
    assert [section.label for section in loaded.sections] == ["records.students"]
    assert loaded.header.exclude is not None and loaded.header.exclude.file == "optouts.csv"


def planted(folder: Path) -> Path:
    """A column with values that one, four and many students have, one of numbers, and names."""
    draw = random.Random(0)
    rows = []
    for i in range(200):
        town = "Onlyville" if i == 0 else "Fourton" if i < 5 else draw.choice(["Bigtown", "Midtown"])
        rows.append(f"s{i},Person Nr{i},{town},{17.123 if i == 7 else 20 + i % 40},{'' if i == 3 else 'x'}")
    (folder / "students.csv").write_text("\n".join(["id,name,town,age,note", *rows, ""]))
    plan = folder / "plan.toml"
    plan.write_text(
        '[release]\nname = "x"\n[records.students]\nfile = "students.csv"\nstudent = "id"\nquasi = ["town", "age"]\n'
    )
    return plan


def test_no_value_that_few_share_is_told(tmp_path: Path) -> None:
    [file] = columns.found(planted(tmp_path))
    told = {column["name"]: column for column in file["columns"]}
    text = str(file)
    assert "Onlyville" not in text and "Fourton" not in text and "17.123" not in text and "Nr7" not in text
    assert {bar["name"] for bar in told["town"]["bars"]} == {"Bigtown", "Midtown"} and told["town"]["hidden"] == 5
    assert all(bar["count"] >= 5 for column in file["columns"] for bar in column["bars"])
    assert told["id"]["bars"] == [] == told["name"]["bars"]
    assert told["note"]["missing"] == "under 5" and told["town"]["distinct"] == 4
    assert sum(bar["count"] for bar in told["age"]["bars"]) == 200


@given(st.dictionaries(st.text("abcdef", min_size=1, max_size=3), st.integers(1, 30), max_size=12))
def test_shared_values_give_no_small_count_back(holders: dict[str, int]) -> None:
    shown, hidden = disclosure.shared(holders)
    assert all(count >= disclosure.FEWEST and holders[value] == count for value, count in shown.items())
    assert sum(shown.values()) + hidden == sum(holders.values())
    assert not disclosure.is_few(hidden) or not shown


@given(st.lists(st.integers(0, 12), max_size=15))
def test_joined_bands_cover_everything_and_hold_enough(holders: list[int]) -> None:
    spans = disclosure.joined_neighbours(holders)
    assert not any(disclosure.is_few(sum(holders[a : b + 1])) for a, b in spans)
    if spans:
        assert [place for a, b in spans for place in range(a, b + 1)] == list(range(len(holders)))
    else:
        assert not holders or sum(holders) < disclosure.FEWEST


def test_a_file_that_cannot_be_read_says_why_and_the_others_are_shown(tmp_path: Path) -> None:
    plan = planted(tmp_path)
    plan.write_text(
        plan.read_text() + '\n[records.gone]\nfile = "gone.csv"\nstudent = "id"\n\n[records.empty]\nstudent = "id"\n'
    )
    first, gone, empty = columns.found(plan)
    assert first["columns"] and "gone.csv" in gone["problem"] and "names no file" in empty["problem"]


def test_an_invalid_plan_is_shown_with_what_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text("[release\n")
    at = desk_at(tmp_path)
    for path in ("/", "/files", "/risk", "/release"):
        assert at.visitor().get(path).status_code in (200, 303)
    assert "not valid TOML" in at.visitor().get("/files").text
    with pytest.raises(PlanError):
        plan_text.parsed("[release\n")


def test_columns_are_looked_at_anew_when_the_plan_reads_a_file_in_another_way(tmp_path: Path) -> None:
    """What the desk says of columns is what the command line says: never of columns that were found before."""
    BY_NAME["Moodle 4.1 log"].write(tmp_path)
    plan = tmp_path / "plan.toml"
    plan.write_text(first_plan(tmp_path), encoding="utf-8")
    at = desk_at(tmp_path)
    place.write_private(at.desk.where, "desk/columns.json", to_json({"files": columns.found(at.desk.plan)}))
    assert at.desk.problems() == [] and len(at.desk.columns()) == 1
    before = plan.read_text()
    text = before.replace('format = "moodle"', 'format = "csv"').replace(
        'student = "user_id"', 'student = "IP address"'
    )
    text = text.replace('    "IP address",  # addresses\n', "")
    plan.write_text(text)
    assert at.desk.problems() == [] and at.desk.columns() == []
    plan.write_text(before)
    assert at.visitor().post("/files/plan", {"before": before, "text": text}).status_code == 303
    at.desk.work.finished(300)
    (file,) = at.desk.columns()
    assert "user_id" not in {column["name"] for column in file["columns"]}
    assert at.desk.problems() == [] and sources.read(load(plan)).files
    wrong = text.replace('student = "IP address"', 'student = "user_id"')
    assert at.visitor().post("/files/plan", {"before": text, "text": wrong}).status_code == 303
    at.desk.work.finished(300)
    assert any("'user_id', which the file does not have" in problem for problem in at.desk.problems())
    with pytest.raises(PlanError, match="'user_id', which the file does not have"):
        sources.read(load(plan))


def test_students_without_a_column_have_their_numbers_in_the_desk_as_well(tmp_path: Path) -> None:
    BY_NAME["Survey without ids"].write(tmp_path)
    (tmp_path / "plan.toml").write_text(first_plan(tmp_path), encoding="utf-8")
    at = desk_at(tmp_path)
    place.write_private(at.desk.where, "desk/columns.json", to_json({"files": columns.found(at.desk.plan)}))
    assert 'rows = "numbered"' in at.desk.plan.read_text() and at.desk.problems() == []
