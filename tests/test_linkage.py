"""Two files together: a joint re-identification that neither file allows alone must be caught."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from course_folder import CLICKS, PLAN, make_folder

from sharewell import pipeline
from sharewell.contract import Risk
from sharewell.data import engine
from sharewell.data.files import file_digest
from sharewell.plan import document as plan
from sharewell.release.linkage import File, attack, described, world
from sharewell.release.linkage.joint import telling_columns
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


def joint(*files: File) -> Risk:
    return attack(files, joined=True, audience="agreement", seed=1)[-1]


def test_a_planted_joint_re_identification_is_caught() -> None:
    risk = joint(*grid())
    assert risk.value == 1.0 and risk.setting["one file alone"] == 0.0
    assert risk.holds is False


def test_files_that_say_the_same_add_nothing() -> None:
    students, _ = grid()
    again = File(label="again", table=students.table, student="id", known=("grade",))
    risk = joint(students, again)
    assert risk.value == 0.0 and risk.holds


def test_joint_agrees_with_counting_by_hand() -> None:
    draw = np.random.default_rng(3)
    names = [f"s{number}" for number in range(60)]
    grades, days = draw.integers(0, 4, 60), draw.integers(0, 6, 60)
    one = File(label="a", table=engine.table(pa.table({"id": names, "g": grades})), student="id", known=("g",))
    other = File(label="b", table=engine.table(pa.table({"id": names, "d": days})), student="id", known=("d",))
    pairs = list(zip(grades, days, strict=True))
    alone = sum(pairs.count(pair) == 1 for pair in pairs) / 60
    risk = joint(one, other)
    assert risk.value == pytest.approx(alone)


def test_three_files_together_name_whom_no_two_name() -> None:
    """A cube: each file tells one of three coordinates."""
    side = 6
    names = [f"s{number:03d}" for number in range(side**3)]
    files = [
        File(
            label=label,
            table=engine.table(
                pa.table({"id": names, "x": [number // side**place % side for number in range(side**3)]})
            ),
            student="id",
            known=("x",),
        )
        for place, label in enumerate(("a", "b", "c"))
    ]
    *pairs, together = attack(files, joined=True, audience="agreement", seed=0)
    assert [risk.value for risk in pairs] == [0.0, 0.0, 0.0]
    assert together.value == 1.0 and together.holds is False and "a, b and c" in together.attacker


def test_which_files_someone_is_in_names_whom_no_cell_names() -> None:
    """Every student of 31 is in other files than everybody else; all cells are alike."""
    names = [f"s{number:02d}" for number in range(1, 32)]
    files = [
        File(
            label=f"file {place}",
            table=engine.table(pa.table({"id": [name for name in names if int(name[1:]) >> place & 1], "x": [1] * 16})),
            student="id",
            known=("x",),
        )
        for place in range(5)
    ]
    *pairs, together = attack(files, joined=True, audience="agreement", seed=0)
    assert together.value == 1.0 and together.n == 31 and together.holds is False
    assert all(risk.value == 0.0 for risk in pairs)  # four patterns of two files, seven students or more of each


def test_the_only_one_who_never_wrote_is_named() -> None:
    names = [f"s{number:02d}" for number in range(40)]
    grades = pa.table({"id": names, "grade": [1] * 40})
    posts = pa.table({"id": names[1:]})
    one = File(label="a", table=engine.table(grades), student="id", known=("grade",))
    other = File(label="b", table=engine.table(posts), student="id", known=())
    assert joint(one, other).value == pytest.approx(1 / 40)


def test_files_without_a_student_in_common_have_nothing_to_add_up() -> None:
    students, clicks = grid()
    others = clicks.table.mutate(id="x" + clicks.table.id)
    assert joint(students, File(label="b", table=others, student="id", known=("time",))).n == 0


def test_a_file_of_which_nothing_is_known_is_known_by_its_amount() -> None:
    """Twelve groups that each do another amount: no column is taken as known, the number of rows is."""
    names = [f"s{number:03d}" for number in range(12 * 12)]
    grades = pa.table({"id": names, "grade": [number // 12 for number in range(len(names))]})
    rows = [name for number, name in enumerate(names) for _ in range(2 ** (number % 12))]
    one = File(label="a", table=engine.table(grades), student="id", known=("grade",))
    other = File(label="b", table=engine.table(pa.table({"id": rows})), student="id", known=())
    risk = joint(one, other)
    assert risk.value == 1.0 and risk.setting["known by its amount"] == ["b"]


def test_the_column_that_tells_most_is_found() -> None:
    """Both files tell the same coarse group; only the seat tells students of a group apart."""
    names = [f"s{number:03d}" for number in range(120)]
    group = [number // 30 for number in range(120)]
    seats = pa.table({"id": names, "group": group, "seat": list(range(120))})
    one = File(label="a", table=engine.table(seats), student="id", known=("group", "seat"))
    other = File(label="b", table=engine.table(seats), student="id", known=("group",))
    assert joint(one, other).holds is False
    file, column, then = telling_columns([one, other], seed=0)[0]
    assert (file.label, column, then) == ("a", "seat", 0.0)


def test_a_described_file_is_attacked_alike() -> None:
    one, other = grid()
    again = [described(file.label, file.table, file.described()) for file in (one, other)]
    assert joint(*again) == joint(one, other)


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


def test_of_very_many_students_those_in_most_files_are_attacked() -> None:
    clicks = pa.table({"who": [f"s{n:03d}" for n in range(60) for _ in range(3)], "day": list(range(180))})
    marks = pa.table({"who": [f"s{n:03d}" for n in range(40, 90)], "mark": list(range(50))})
    files = [
        File(label=label, table=engine.table(table), student="who", known=())
        for label, table in (("traces.clicks", clicks), ("records.marks", marks))
    ]
    few = [engine.arrow(file.table) for file in world.within(files, most=12)]
    chosen = set(few[0]["who"].to_pylist())
    assert len(chosen) == 12 and chosen == set(few[1]["who"].to_pylist())
    assert few[0].num_rows == 36  # every row of theirs
    assert world.within(files, most=90) == files
