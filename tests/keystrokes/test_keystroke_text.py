"""Names that were typed are taken out key by key, the times stay; slips and deletions do not bring them back."""

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharewell import pipeline
from sharewell.data import engine
from sharewell.fiction import make_course, write_course
from sharewell.keystrokes.columns import KeyColumns
from sharewell.keystrokes.keygroups import PLACEHOLDER
from sharewell.keystrokes.protection.typed_text import removed, without_names
from sharewell.plan import document as plan

COLUMNS = KeyColumns(student="student", session="task", key="key", press="press")
BACK = "Backspace"


def typed(*sessions: list[str], codes: bool = False) -> pa.Table:
    keys = [key for one in sessions for key in one]
    where = [f"t{number}" for number, one in enumerate(sessions) for _ in one]
    shown = pa.array([int(key) for key in keys]) if codes else pa.array(keys)
    return pa.table({"student": ["s"] * len(keys), "task": where, "key": shown, "press": np.arange(len(keys)) * 100})


def no_ann(texts: Sequence[str]) -> list[str]:
    return [re.sub(r"\bann lee\b|\bann\b", "[NAME]", text, flags=re.IGNORECASE) for text in texts]


def after(table: pa.Table) -> list[str]:
    done, count = without_names(engine.table(table), COLUMNS, no_ann)
    keys = engine.arrow(done)["key"].to_pylist()
    assert count == sum(str(key) in (PLACEHOLDER, "0") for key in keys)
    assert engine.arrow(done).drop(["key"]).equals(table.drop(["key"]))
    return ["_" if str(key) in (PLACEHOLDER, "0") else key for key in keys]


def test_a_name_goes_with_its_slips() -> None:
    assert after(typed(list("hi Ann Lee!"))) == [*"hi ", *"_______", "!"]
    slip = [*"hi An", "m", BACK, *"n!"]
    assert after(typed(slip)) == [*"hi ", *"_____", "!"]
    retyped = [*"by Anm", BACK, BACK, BACK, *"Ann x"]
    assert after(typed(retyped)) == [*"by ", *"_________", " ", "x"]


def test_a_name_that_was_deleted_again_goes_as_well() -> None:
    keys = [*"Ann", *[BACK] * 3, *"ok"]
    assert after(typed(keys))[:3] == ["_"] * 3
    assert after(typed(keys))[-2:] == ["o", "k"]


def test_a_name_does_not_run_over_sessions() -> None:
    assert after(typed(list("An"), list("n x"))) == list("Ann x")


def test_key_codes_are_read_as_letters() -> None:
    table = typed(["16", "65", "78", "78", "32", "88"], codes=True)
    assert after(table) == ["_", "_", "_", "_", 32, 88]


@given(st.lists(st.one_of(st.sampled_from(["[NAME]", "[EMAIL]"]), st.text("ab ", max_size=4)), max_size=8), st.data())
def test_what_is_kept_is_what_the_redaction_kept(parts: list[str], data: st.DataObject) -> None:
    marks = ("[NAME]", "[EMAIL]")
    before = "".join(data.draw(st.text("abc ", min_size=1, max_size=5)) if one in marks else one for one in parts)
    kept, at = "", 0
    for start, end in removed(before, "".join(parts)):
        kept += before[at:start]
        at = end
    kept += before[at:]
    expected = "".join(one for one in parts if one not in marks)
    assert kept == expected or expected.startswith(kept)  # rather too much taken out than too little


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A course in which programs are signed, and one student slips while typing a name."""
    folder = tmp_path_factory.mktemp("signed")
    course = make_course(students=40, seed=5, parts=("students", "keys"), characters_per_week=240, signed=0.3)
    write_course(course, folder)
    keys = course.keys
    assert keys is not None
    who = course.truth.student_ids[7]
    last = course.truth.names[who].split()[-1]
    struck = [*"# thanks to ", last[0], "q", BACK, *last[1:], "Enter"]
    extra = keys.slice(0, 1).to_pylist()[0] | {"student_id": who, "exercise": "w7-e9", "week": 7}
    rows = [extra | {"key": key, "press_ms": 90 * n, "release_ms": 90 * n + 50} for n, key in enumerate(struck)]
    pq.write_table(pa.concat_tables([keys, pa.Table.from_pylist(rows, keys.schema)]), folder / "keys.parquet")
    text = (folder / "plan.toml").read_text()
    section = text[text.index("[keystrokes") :].replace("found = 0.10", "found = 0.5")
    roster = 'roster = { file = "students.csv", columns = ["name"] }\n'
    (folder / "plan.toml").write_text(text[: text.index("[records")] + section + roster)
    outcome = pipeline.release(plan.load(folder / "plan.toml"))
    assert outcome.verdict.passed
    return folder / "release" / "data" / "keys.parquet", course.truth.names


def texts_of(table: pa.Table) -> list[str]:
    """What a reader of the release can put together: every session as struck, and with backspaces applied."""
    found: dict[tuple[str, str], list[str]] = {}
    shown = {"Enter": "\n", PLACEHOLDER: "_"}
    for row in table.select(["student_id", "exercise", "key"]).to_pylist():
        found.setdefault((row["student_id"], row["exercise"]), []).append(shown.get(row["key"], row["key"]))
    return ["".join(key for key in keys if key != BACK) for keys in found.values()]


def test_no_typed_name_is_left_in_a_release(released: tuple[Path, dict[str, str]]) -> None:
    path, names = released
    table = pq.read_table(path)
    signatures = [line for text in texts_of(table) for line in text.splitlines() if "ritten by" in line]
    assert len(signatures) > 80
    assert [line for line in signatures if line.split("ritten by")[1].strip() and "_" not in line] == []
    left = [part for name in names.values() for part in name.split() if len(part) > 3]
    joined = "\n".join(signatures)
    assert [part for part in left if part in joined] == []
    thanks = [line for text in texts_of(table) for line in text.splitlines() if "thanks to" in line]
    assert [line for line in thanks if set(line.split("thanks to ")[1]) != {"_"}] == []  # or gone: one student's words
