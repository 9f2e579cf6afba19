"""What a plan asks: read from its comments, answered once, and gone with the answer."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from sharewell.desk.plan_text import answered, looked_at, with_role
from sharewell.errors import InputError
from sharewell.keystrokes.section import Section
from sharewell.plan.questions import Question, questions, received, undecided

PLAN = """[release]
name = "Course"

[traces.log]
# traces: students repeat
# decide: in which year do these events begin? [year = 2026 | …]
# decide: day or month first? [dates "At. [UTC]" = %d/%m/%Y | %m/%d/%Y]
# decide: does "?" in band stand for no value? [missing "?" = yes | no]
# decide: score holds marks [role "score" = keep | drop]
# decide: is what is known of a student right?
file = "log.csv"
year = 2025  # by the file's last change
student = "who"
at = "At. [UTC]"
drop = [
    "tool",  # nobody decided: not recognised (3 different values)
    "note",  # free text
]

[records.people]
# decide: is each row one student? [student = row | …]
file = "people.csv"
rows = "numbered"
student = "row"
drop = [
    "club",  # nobody decided: not recognised (2 different values)
]
"""


def section(text: str, kind: str = "traces", name: str = "log") -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads(text)[kind][name]
    return found


def after(key: str, answer: str) -> str:
    number = next(line for _, line, one in questions(PLAN) if one.key == key)
    text = answered(PLAN, number, answer)
    assert len(list(questions(text))) == len(list(questions(PLAN))) - 1
    return text


def test_a_question_is_read_as_it_was_written() -> None:
    asked = [one for _, _, one in questions(PLAN)]
    assert [f"# decide: {one}" for one in asked] == [line for line in PLAN.splitlines() if line.startswith("# decide")]
    assert asked[1] == Question(
        text="day or month first?", key="dates", name="At. [UTC]", answers=("%d/%m/%Y", "%m/%d/%Y")
    )


@pytest.mark.parametrize(
    "key, answer, wrote",
    [
        ("year", "2019", {"year": 2019}),
        ("dates", "%m/%d/%Y", {"dates": {"At. [UTC]": "%m/%d/%Y"}}),
        ("missing", "yes", {"missing": ["", "?"]}),
        ("missing", "no", {}),
        ("role", "keep", {"keep": ["score"]}),
        ("", "", {}),
    ],
)
def test_an_answer_is_written_and_the_question_gone(key: str, answer: str, wrote: dict[str, Any]) -> None:
    assert section(after(key, answer)) == section(PLAN) | wrote


def test_a_column_that_names_the_students_ends_their_numbers() -> None:
    text = after("student", "club")
    assert section(text, "records", "people")["student"] == "club" and "rows" not in section(text, "records", "people")
    assert section(after("student", "row"), "records", "people") == section(PLAN, "records", "people")


@pytest.mark.parametrize("key, answer", [("role", "sensitive"), ("missing", "perhaps"), ("year", "soon"), ("year", "")])
def test_what_is_no_answer_is_refused(key: str, answer: str) -> None:
    with pytest.raises(InputError):
        after(key, answer)


def test_who_decided_on_a_column_is_remembered() -> None:
    assert undecided(PLAN) == {"traces.log": ["tool"], "records.people": ["club"]}
    assert undecided(looked_at(PLAN, "traces.log")) == {"records.people": ["club"]}
    assert undecided(with_role(PLAN, "traces.log", "tool", "quasi")) == {"records.people": ["club"]}
    assert undecided(with_role(PLAN, "traces.log", "tool", "drop")) == {"records.people": ["club"]}


@pytest.mark.parametrize(
    "publish, words",
    [
        ("events", "recipients get 4 of 5 columns; you leave out ip"),
        ("profiles", "recipients get averages of typing, one row per student, and none of its 5 columns as they are"),
        ("course", "recipients get averages of the course, and none of its 5 columns as they are"),
    ],
)
def test_averages_in_place_of_key_events_are_no_columns(tmp_path: Path, publish: str, words: str) -> None:
    section = Section(
        name="typing", folder=tmp_path, file="keys.csv", publish=publish, drop=("ip",),
        student="user", session="task", key="key", press="press",
    )  # fmt: skip
    assert list(received([section], "")) == [f"keys.csv: {words}"]
