"""The table [describe] of a plan, and the dates that TOML writes without quotes."""

from pathlib import Path

import pytest
from course_folder import CLICKS, PLAN, make_folder

from sharewell.errors import PlanError
from sharewell.plan.document import Plan, load


def loaded(tmp_path: Path, text: str) -> Plan:
    make_folder(tmp_path)
    (tmp_path / "plan.toml").write_text(text)
    return load(tmp_path / "plan.toml")


def test_a_text_speaks_of_every_file_and_a_table_of_one(tmp_path: Path) -> None:
    words = '\n[describe]\nid = "a student"\n[describe.clicks]\nverb = "what they did"\nid = "who did it"\n'
    found = loaded(tmp_path, PLAN + CLICKS + words).describe
    assert found["traces.clicks"] == {"id": "who did it", "verb": "what they did"}
    assert found["records.students"] == {"id": "a student"}


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ('[describe]\nnothing = "x"\n', "[describe] nothing: no section names such a column"),
        ('[describe.nowhere]\nid = "x"\n', "[describe.nowhere]: the plan has no section of this name"),
        ("[describe]\nid = 3\n", "[describe] id: describe a column in one text"),
    ],
)
def test_a_description_of_nothing_is_told(tmp_path: Path, words: str, problem: str) -> None:
    with pytest.raises(PlanError) as told:
        loaded(tmp_path, f"{PLAN}{CLICKS}\n{words}")
    assert problem in str(told.value)


def test_a_date_may_stand_without_quotes(tmp_path: Path) -> None:
    dated = PLAN.replace('name = "Course"', 'name = "Course"\ndate = 2025-10-01\nexpires = "2027-01-31"')
    header = loaded(tmp_path, dated + CLICKS).header
    assert (header.date, header.expires) == ("2025-10-01", "2027-01-31")


def test_a_plan_without_descriptions_has_none(tmp_path: Path) -> None:
    assert loaded(tmp_path, PLAN + CLICKS).describe == {"records.students": {}, "traces.clicks": {}}
