"""No id of the original leaves, whatever the plan calls its column."""

from pathlib import Path

import pyarrow as pa
import pytest
from course_folder import PLAN, make_folder
from hypothesis import given, settings
from hypothesis import strategies as st

from sharewell import pipeline
from sharewell.data import engine, original_ids
from sharewell.keystrokes.section import Section as Keystrokes
from sharewell.plan.document import load
from sharewell.plan.sections import Section
from sharewell.posts.section import Section as Posts
from sharewell.records.section import Section as Records
from sharewell.release import gate
from sharewell.responses.section import Section as Responses
from sharewell.traces.section import Section as Traces

SECTIONS: dict[str, Section] = {
    "records": Records(name="x", folder=Path(), file="x.csv", student="who", quasi=("other",), ids=("row",)),
    "traces": Traces(name="x", folder=Path(), file="x.csv", student="who", at="other", ids=("row",), peers=("friend",)),
    "responses": Responses(
        name="x", folder=Path(), file="x.csv", student="who", item="other", correct="right", ids=("row",)
    ),
    "posts": Posts(name="x", folder=Path(), file="x.csv", student="who", text=("other",), ids=("row",)),
    "keystrokes": Keystrokes(
        name="x", folder=Path(), file="x.csv", student="who", session="row", key="other", press="right"
    ),
}


def told(section: Section, before: dict[str, list[str]], after: dict[str, list[str]]) -> list[str]:
    return original_ids.columns_that_tell(engine.table(pa.table(before)), engine.table(pa.table(after)), section)


@pytest.mark.parametrize("kind", SECTIONS)
@pytest.mark.parametrize("column", ["who", "row", "other"])
def test_one_planted_id_is_seen_in_any_column(kind: str, column: str) -> None:
    before = {"who": ["ann-1", "bo-2"], "row": ["77", "78"], "other": ["a", "b"]}
    after = {"who": ["XQ", "ZR"], "row": ["HH", "KK"], "other": ["a", "b"]}
    assert told(SECTIONS[kind], before, after) == []
    after[column] = ["ann-1", after[column][1]]
    assert told(SECTIONS[kind], before, after) == [column]


def test_the_id_of_one_role_may_not_stand_in_a_column_of_another() -> None:
    before = {"who": ["1", "2"], "row": ["7", "8"], "other": ["x", "y"]}
    assert told(SECTIONS["posts"], before, {"who": ["a", "b"], "row": ["2", "c"], "other": ["x", "y"]}) == ["row"]


def test_an_age_is_no_student() -> None:
    before = {"who": ["19", "20"], "row": ["1", "2"], "other": ["20", "19"]}
    assert told(SECTIONS["records"], before, {"who": ["a", "b"], "row": ["c", "d"], "other": ["20", "19"]}) == []


words = st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=5), min_size=1, max_size=6)


@given(words, words, words)
@settings(max_examples=15)
def test_columns_of_ids_against_sets(who: list[str], row: list[str], seen: list[str]) -> None:
    size = min(len(who), len(row))
    before = {"who": who[:size], "row": row[:size]}
    found = told(SECTIONS["posts"], before, {"who": seen})
    assert (found == ["who"]) == bool({*who[:size], *row[:size]} & set(seen))


def test_one_login_under_keep_is_refused_in_one_sentence(tmp_path: Path) -> None:
    plan = make_folder(tmp_path, students=20, plan=PLAN.replace('keep = ["passed"]', 'keep = ["passed", "login"]'))
    head, first, *lines = (tmp_path / "students.csv").read_text().splitlines()
    doctored = [f"{head},login", f"{first},{first.split(',')[0]}", *(f"{line},none" for line in lines), ""]
    (tmp_path / "students.csv").write_text("\n".join(doctored))
    findings = pipeline.explore(load(plan))
    reasons = [failure.reason for file in findings.files for failure in file.failures if failure.stage == "ids"]
    assert reasons == [
        "records.students: ids of the original would leave in column 'login'; "
        "give such a column the role 'ids', 'peers' or 'drop'"
    ]
    assert not gate.judge(findings).passed
