"""Two files together: a joint re-identification that neither file allows alone must be caught."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from course_folder import CLICKS, PLAN, make_folder

from sharewell import pipeline
from sharewell.data import engine
from sharewell.data.files import file_digest
from sharewell.plan import document as plan
from sharewell.release.linkage import File, attack, described, joint, rejoined
from sharewell.release.verify import verify

SIDE = 12


def grid() -> tuple[File, File]:
    """Students on a square grid: the row stands in one file, the column in the other; both together name one."""
    names = [f"s{number:03d}" for number in range(SIDE * SIDE)]
    rows = pa.table({"id": names, "grade": [number // SIDE for number in range(len(names))]})
    clicks = pa.table({"id": names, "time": [f"day {number % SIDE}" for number in range(len(names))]})
    return (
        File(label="records.students", table=engine.table(rows), student="id", known=("grade",)),
        File(label="traces.clicks", table=engine.table(clicks), student="id", known=("time",)),
    )


def test_a_planted_joint_re_identification_is_caught() -> None:
    risk = joint(*grid(), limit=0.05, seed=1)
    assert risk is not None
    assert risk.value == 1.0 and risk.setting["one file alone"] == 0.0
    assert risk.holds is False


def test_files_that_say_the_same_add_nothing() -> None:
    students, _ = grid()
    again = File(label="again", table=students.table, student="id", known=("grade",))
    risk = joint(students, again, limit=0.05, seed=1)
    assert risk is not None and risk.value == 0.0 and risk.holds


def test_joint_agrees_with_counting_by_hand() -> None:
    draw = np.random.default_rng(3)
    names = [f"s{number}" for number in range(60)]
    grades, days = draw.integers(0, 4, 60), draw.integers(0, 6, 60)
    one = File(label="a", table=engine.table(pa.table({"id": names, "g": grades})), student="id", known=("g",))
    other = File(label="b", table=engine.table(pa.table({"id": names, "d": days})), student="id", known=("d",))
    pairs = list(zip(grades, days, strict=True))
    alone = sum(pairs.count(pair) == 1 for pair in pairs) / 60
    risk = joint(one, other, limit=0.05, seed=0)
    assert risk is not None and risk.value == pytest.approx(alone)


def activity(names: list[str], days: list[set[int]]) -> pa.Table:
    rows = [(name, f"2025-03-{day + 1:02d}") for name, own in zip(names, days, strict=True) for day in own]
    return pa.table({"who": [name for name, _ in rows], "at": [day for _, day in rows]})


def test_files_with_the_same_days_are_put_together_again() -> None:
    draw = np.random.default_rng(4)
    names = [f"s{number:02d}" for number in range(40)]
    days = [set(map(int, draw.choice(28, 8, replace=False))) for _ in names]
    other_days = [set(map(int, draw.choice(28, 8, replace=False))) for _ in names]
    clicks = File(label="clicks", table=engine.table(activity(names, days)), student="who", known=(), times=("at",))
    posts = File(label="posts", table=engine.table(activity(names, days)), student="who", known=(), times=("at",))
    unrelated = File(
        label="other", table=engine.table(activity(names, other_days)), student="who", known=(), times=("at",)
    )
    linked, apart = (rejoined(clicks, file, limit=0.05, seed=0) for file in (posts, unrelated))
    assert linked is not None and linked.value == 1.0 and linked.holds is False
    assert apart is not None and apart.high is not None and apart.high < 0.25


def test_files_with_nothing_in_common_are_not_compared() -> None:
    assert attack(list(grid()), joined=False, audience="public", seed=0) == []


def test_a_missed_limit_names_the_column_to_look_at_first() -> None:
    """Both files tell the same coarse group; only the seat tells students of a group apart."""
    names = [f"s{number:03d}" for number in range(120)]
    group = [number // 30 for number in range(120)]
    seats = pa.table({"id": names, "group": group, "seat": list(range(120))})
    one = File(label="a", table=engine.table(seats), student="id", known=("group", "seat"))
    other = File(label="b", table=engine.table(seats), student="id", known=("group",))
    risk = joint(one, other, limit=0.05, seed=0)
    assert risk is not None and risk.holds is False
    assert (risk.setting["least without"], risk.setting["then"]) == ("seat of a", 0.0)


def test_a_described_file_is_attacked_alike() -> None:
    one, other = grid()
    again = [described(file.label, file.table, file.described()) for file in (one, other)]
    assert joint(*again, limit=0.05, seed=1) == joint(one, other, limit=0.05, seed=1)


def joined_release(folder: Path) -> Path:
    text = (PLAN + CLICKS).replace('audience = "enclave"', 'audience = "enclave"\njoin = true')
    outcome = pipeline.release(plan.load(make_folder(folder, plan=text)))
    assert outcome.verdict.passed
    return folder / "release"


def test_joined_files_are_measured_together_again(tmp_path: Path) -> None:
    checked = verify(joined_release(tmp_path))
    assert checked.problems == ()
    (together,) = [risk for label, risk in checked.risks if label == "together"]
    assert together.holds and together.limit == 0.20


def test_joined_files_that_tell_more_than_was_measured_are_caught(tmp_path: Path) -> None:
    """Every student gets a day of their own, and the hashes are made to fit: only the measurement can tell."""
    release = joined_release(tmp_path)
    path = release / "data" / "clicks.csv"
    lines = path.read_text().splitlines()
    students = sorted({line.split(",")[0] for line in lines[1:]})
    days = {who: f"2025-01-01 00:{number // 60:02d}:{number % 60:02d}" for number, who in enumerate(students)}
    spoilt = [",".join([who, days[who], verb]) for who, _, verb in (line.split(",") for line in lines[1:])]
    path.write_text("\n".join([lines[0], *spoilt, ""]))
    stated = json.loads((release / "manifest.json").read_text())
    stated["files"]["data/clicks.csv"] = file_digest(path)
    (release / "manifest.json").write_text(json.dumps(stated))
    problems = verify(release).problems
    assert any(problem.startswith("together: joined") for problem in problems), problems
