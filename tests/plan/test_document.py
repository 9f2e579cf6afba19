"""Plans: every problem at once, one sentence each, and every column under a role."""

from pathlib import Path

import pytest

from sharewell.errors import PlanError
from sharewell.plan.document import Plan, column_problems, load

GOOD = """
[release]
name = "Course"
audience = "agreement"

[records.students]
file = "students.csv"
student = "id"
direct = ["name"]
quasi = ["age", "sex"]
keep = ["passed"]
target = "passed"
limit = { k = 4 }

[traces.clicks]
file = "clicks.csv"
student = "id"
at = "time"
limit = { unicity = 0.1, known = 3 }
"""


def loaded(folder: Path, text: str) -> Plan:
    (folder / "students.csv").write_text("id,name,age,sex,passed\n1,A,20,f,1\n")
    (folder / "clicks.csv").write_text("id,time\n1,2025-01-01\n")
    (folder / "plan.toml").write_text(text)
    return load(folder / "plan.toml")


def problems(folder: Path, text: str) -> list[str]:
    with pytest.raises(PlanError) as caught:
        loaded(folder, text)
    return list(caught.value.problems)


def test_a_good_plan_loads(tmp_path: Path) -> None:
    plan = loaded(tmp_path, GOOD)
    assert [section.label for section in plan.sections] == ["records.students", "traces.clicks"]
    assert plan.sections[0].target == ("passed",)  # type: ignore[attr-defined]
    assert plan.sections[0].limits()["k"] == 4
    assert plan.sections[1].limits() == {"k": 5}


@pytest.mark.parametrize(
    ("audience", "k", "unicity"), [("public", 10, 0.02), ("agreement", 5, 0.05), ("enclave", 3, 0.2)]
)
def test_the_audience_sets_the_limits_that_the_plan_leaves_open(
    tmp_path: Path, audience: str, k: int, unicity: float
) -> None:
    text = GOOD.replace('"agreement"', f'"{audience}"').replace("limit = { k = 4 }", "").replace("unicity = 0.1, ", "")
    plan = loaded(tmp_path, text)
    assert plan.sections[0].limits()["k"] == k
    assert plan.sections[1].limits() == {"k": k}
    points = loaded(tmp_path, text.replace('at = "time"', 'at = "time"\npromise = "points"'))
    assert points.sections[1].limits()["unicity"] == unicity


ONE_PROBLEM = {
    "no release table": (GOOD.replace("[release]", "[releases]"), "[release]"),
    "no name": (GOOD.replace('name = "Course"', ""), "'name' is missing"),
    "blank name": (GOOD.replace('"Course"', '"  "'), "name is empty"),
    "unknown audience": (GOOD.replace('"agreement"', '"everyone"'), "one of public, agreement, enclave"),
    "unknown key": (GOOD.replace("quasi =", "quasy ="), "did you mean 'quasi'?"),
    "unknown kind": (GOOD.replace("[traces.", "[trace."), "did you mean 'traces'?"),
    "unknown limit": (GOOD.replace("k = 4", "kk = 4"), "unknown key 'kk'"),
    "a key like none": (GOOD.replace("quasi =", "zzz ="), "the nearest keys are "),
    "limit too low": (GOOD.replace("k = 4", "k = 0"), "at least 1"),
    "limit too high": (GOOD.replace("unicity = 0.1", "unicity = 1.5"), "at most 1"),
    "limit not a number": (GOOD.replace("k = 4", 'k = "four"'), "whole number"),
    "limit not whole": (GOOD.replace("k = 4", "k = 4.5"), "whole number"),
    "limit not finite": (GOOD.replace("unicity = 0.1", "unicity = nan"), "finite"),
    "limit not a table": (GOOD.replace("{ k = 4 }", "5"), "'limit' must be"),
    "contradictory roles": (GOOD.replace('keep = ["passed"]', 'keep = ["passed", "age"]'), "contradictory roles"),
    "column twice": (GOOD.replace('["age", "sex"]', '["age", "age"]'), "twice"),
    "columns not names": (GOOD.replace('["age", "sex"]', "[1, 2]"), "'quasi' must be"),
    "missing file": (GOOD.replace("clicks.csv", "klicks.csv"), "klicks.csv"),
    "missing exclude": (GOOD.replace("audience =", 'exclude = "gone.csv"\naudience ='), "gone.csv"),
    "missing key": (GOOD.replace("audience =", 'key = "private/key"\naudience ='), "private/key"),
    "join not a flag": (GOOD.replace("audience =", 'join = "yes"\naudience ='), "true or false"),
    "negative seed": (GOOD.replace("audience =", "seed = -1\naudience ="), "at least 0"),
    "no student": (GOOD.replace('student = "id"\nat', "at"), "'student' is missing"),
    "unnamed section": (GOOD.replace("[traces.clicks]", "[traces]"), "a name of its own"),
    "unusable name": (GOOD.replace("[traces.clicks]", '[traces."../clicks"]'), "letters, digits"),
    "nothing to release": ('[release]\nname = "x"\n', "no file to release"),
    "not TOML": ("[release\n", "not valid TOML"),
}


@pytest.mark.parametrize("case", ONE_PROBLEM)
def test_each_problem_is_one_sentence(tmp_path: Path, case: str) -> None:
    text, says = ONE_PROBLEM[case]
    found = problems(tmp_path, text)
    assert any(says in problem for problem in found), found
    assert all("\n" not in problem for problem in found)


def test_all_problems_are_told_at_once(tmp_path: Path) -> None:
    text = GOOD.replace('"agreement"', '"all"').replace("k = 4", "k = -1").replace("at =", "when =")
    found = problems(tmp_path, text)
    assert len(found) == 4  # audience, k, unknown key 'when', 'at' is missing


def test_a_plan_that_is_not_there_or_not_text(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="no such plan"):
        load(tmp_path / "plan.toml")
    (tmp_path / "plan.toml").write_bytes(b"name = '\xff'")
    with pytest.raises(PlanError, match="UTF-8"):
        load(tmp_path / "plan.toml")


def test_silence_is_never_consent(tmp_path: Path) -> None:
    section = loaded(tmp_path, GOOD).sections[0]
    assert column_problems(section, ["id", "name", "age", "sex", "passed"]) == []
    silent = column_problems(section, ["id", "name", "age", "sex", "passed", "religion"])
    assert len(silent) == 1 and "'religion'" in silent[0]
    absent = column_problems(section, ["id", "name", "Age", "sex", "passed"])
    assert any("'Age'" in problem for problem in absent)
    assert any("column 'age'" in problem and "did you mean 'Age'" in problem for problem in absent)
