"""Groups of values typed in the desk: the hierarchy that is written, its trial on ten rows, and undo."""

import tomllib
from pathlib import Path

import pytest
from desk.desk_at import At, desk_at
from hypothesis import given
from hypothesis import strategies as st

from sharewell.desk import tasks, typed_groups
from sharewell.errors import InputError
from sharewell.records.hierarchies import from_rows

PLAN = """[release]
name = "Course"
audience = "enclave"

[records.students]
file = "students.csv"
student = "id"
quasi = ["town", "age"]
"""
TOWNS = ("Ayton", "Beeham", "Ceeford", "Deeby")


def folder_with_towns(folder: Path) -> At:
    rows = [f"s{i},{TOWNS[i % 4] if i > 5 else f'Hamlet{i}'},{20 + i % 3}" for i in range(80)]
    (folder / "students.csv").write_text("\n".join(["id,town,age", *rows, ""]))
    (folder / "plan.toml").write_text(PLAN)
    at = desk_at(folder)
    tasks.look({"folder": str(folder)})
    return at


def typed(**fields: str) -> dict[str, str]:
    return {"file": "records.students", "column": "town", "group-rest": "elsewhere", "wider-rest": "", **fields}


def test_groups_are_written_tried_and_taken_back(tmp_path: Path) -> None:
    at = folder_with_towns(tmp_path)
    steward = at.visitor()
    page = steward.get("/groups").text
    assert all(town in page for town in TOWNS) and "Hamlet" not in page  # few share it
    fields = typed(**{"group-0": "North", "group-1": "North", "group-2": "South", "group-3": "South"})
    assert steward.post("/groups", fields).status_code == 303
    job = at.desk.work.finished(300)
    assert job is not None and job.state == "done", job
    rows = (tmp_path / "hierarchies-1" / "town.csv").read_text().splitlines()
    assert "Ayton;North" in rows and "Deeby;South" in rows and "Hamlet0;elsewhere" in rows and len(rows) == 10
    section = tomllib.loads((tmp_path / "plan.toml").read_text())["records"]["students"]
    assert section["hierarchies"] == "hierarchies-1" and not (tmp_path / "release").exists()
    page = steward.get("/groups").text
    assert "As recipients get it" in page and 'value="North"' in page and "Hamlet" not in page
    steward.post("/files/undo")
    assert (tmp_path / "plan.toml").read_text() == PLAN
    assert 'value="North"' not in steward.get("/groups").text
    at.desk.work.close()


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, "type a group for at least one value"),
        ({"group-0": "N", "wider-0": "X", "group-1": "N", "wider-1": "Y"}, "lies in two wider groups"),
        ({"column": "age", "group-0": "N"}, "there is no such column"),
        ({"column": "../plan", "group-0": "N"}, "there is no such column"),
    ],
)
def test_contradictions_are_said_and_nothing_is_written(tmp_path: Path, fields: dict[str, str], said: str) -> None:
    at = folder_with_towns(tmp_path)
    steward = at.visitor()
    steward.post("/groups", typed(**fields))
    assert said in steward.get("/groups").text
    assert (tmp_path / "plan.toml").read_text() == PLAN and not (tmp_path / "hierarchies-1").exists()


LEVEL = st.sampled_from(["", "g", "h"])


@given(st.dictionaries(st.sampled_from("abcdef"), st.tuples(LEVEL, st.sampled_from(["", "W"])), min_size=1))
def test_what_was_typed_is_a_hierarchy(typed: dict[str, tuple[str, str]]) -> None:
    """Every value has a row, and the levels only merge."""
    values = [*typed, "unseen"]
    made = from_rows("c", typed_groups.rows(values, typed, typed_groups.REST))
    assert set(made.leaves) == set(values) and made.label("unseen", 1) == "other"
    assert all(made.label(value, 1) == (group or value) for value, (group, _) in typed.items())


def test_other_columns_keep_their_groups_in_the_next_version(tmp_path: Path) -> None:
    first, second = tmp_path / "one", tmp_path / "two"
    typed_groups.write(first, "town", [["Ayton", "North"]], earlier=None)
    typed_groups.write(second, "sex", [["f", "any"]], earlier=first)
    assert typed_groups.read(second, "town") == {"Ayton": ("North", "")}
    assert typed_groups.read(second, "sex") == {"f": ("any", "")}
    with pytest.raises(InputError, match="cannot be that of a file"):
        typed_groups.write(first, "../town", [], earlier=None)
