"""The practice copy of the fictional course: same files, no student, and an analysis that runs on both."""

import csv
import json
import runpy
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from sharewell.cli import app
from sharewell.errors import DiskError, SharewellError
from sharewell.fiction.course import Course, make_course
from sharewell.fiction.write import write_course
from sharewell.plan.document import load
from sharewell.practice.copy import PracticeCopy, practice
from sharewell.release.practice_promise import problems
from sharewell.synthetic.zcdp import epsilon_of

EXAMPLE = Path(__file__).parents[2] / "examples" / "practice" / "early_warning.py"
CSV, PARQUET = ("students.csv", "attempts.csv", "forum.csv"), ("clicks.parquet", "keys.parquet")
OWNERS = {"forum.csv": "author"}
Made = tuple[Path, Path, PracticeCopy, Course]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """The folder of the originals, that of the copy, what was made, and the truth."""
    folder = tmp_path_factory.mktemp("course")
    course = make_course(students=300, seed=7, characters_per_week=100)
    write_course(course, folder)
    (folder / "key").write_text("17" * 32)
    plan = (folder / "plan.toml").read_text(encoding="utf-8")
    (folder / "plan.toml").write_text(plan.replace("join = false", 'join = false\nkey = "key"'), encoding="utf-8")
    where, copied = practice(load(folder / "plan.toml"))
    return folder, where, copied, course


def table(path: Path) -> pd.DataFrame:
    return pd.read_parquet(path) if path.suffix == ".parquet" else pd.read_csv(path)


@pytest.mark.parametrize("name", [*CSV, *PARQUET])
def test_columns_and_types_are_those_of_the_originals(made: Made, name: str) -> None:
    before, after = table(made[0] / name), table(made[1] / name)
    assert list(after.columns) == list(before.columns)
    assert {column: str(kind) for column, kind in after.dtypes.items()} == {
        column: str(kind) for column, kind in before.dtypes.items()
    }
    assert 0.5 < len(after) / len(before) < 2


def test_a_typed_file_has_the_schema_that_it_had(made: Made) -> None:
    for name in PARQUET:
        before, after = (pq.read_schema(folder / name).remove_metadata() for folder in made[:2])
        units = [str(field.type).split("[")[0] for field in before], [str(field.type).split("[")[0] for field in after]
        assert before.names == after.names and units[0] == units[1]


def test_times_in_text_are_written_as_they_were(made: Made) -> None:
    for name in ("attempts.csv", "forum.csv"):
        before, after = (next(iter(csv.DictReader((folder / name).open(encoding="utf-8")))) for folder in made[:2])
        assert len(before["time"]) == len(after["time"]) and before["time"][10] == after["time"][10]


def test_ids_join_over_all_files(made: Made) -> None:
    students = set(table(made[1] / "students.csv")["student_id"])
    assert len(students) == made[2].students
    for name in (*CSV[1:], *PARQUET):
        owners = set(table(made[1] / name)[OWNERS.get(name, "student_id")])
        assert owners and owners <= students
    forum = table(made[1] / "forum.csv")
    assert forum["post_id"].is_unique and set(forum["reply_to"].dropna()) <= set(forum["post_id"])


def test_nobody_and_nothing_that_somebody_wrote_is_in_it(made: Made) -> None:
    folder, where, _, course = made
    cells = {
        str(cell).lower() for name in (*CSV, *PARQUET) for column in table(where / name) for cell in
        table(where / name)[column].unique()
    }  # fmt: skip
    assert not cells & course.truth.identifiers and not cells & {one.lower() for one in course.truth.canaries}
    assert not cells & {one.lower() for one in course.truth.student_ids}
    words = " ".join(cells)
    assert not any(canary.lower() in words for canary in course.truth.canaries)
    texts = {text for column in ("subject", "message") for text in table(folder / "forum.csv")[column].dropna()}
    written = table(where / "forum.csv")
    assert not texts & {text for column in ("subject", "message") for text in written[column].dropna()}


def test_values_of_a_few_students_are_not_in_it(made: Made) -> None:
    before, after = table(made[0] / "students.csv"), table(made[1] / "students.csv")
    for column in ("postcode", "origin", "disability", "sex"):
        counts = before[column].value_counts()
        if column != "postcode":  # a number: drawn inside a range
            assert set(after[column].dropna()) <= set(counts[counts >= 5].index)
    keys, typed = table(made[0] / "keys.parquet"), table(made[1] / "keys.parquet")
    typists = keys.groupby("key")["student_id"].nunique()
    assert set(typed["key"]) <= set(typists[typists >= 5].index)


def test_an_analysis_for_the_originals_runs_unchanged_and_says_the_same(made: Made) -> None:
    analysis = runpy.run_path(str(EXAMPLE))["analysis"]
    (before, active, _), (after, again, _) = analysis(made[0]), analysis(made[1])
    clear = before[before["z"].abs() > 3].index
    assert len(clear) and (before.loc[clear, "coefficient"] * after.loc[clear, "coefficient"] > 0).all()
    assert abs(active.iloc[-1] - again.reindex(active.index).fillna(0).iloc[-1]) < 0.35


def test_the_promise_adds_up_and_the_attack_gated(made: Made) -> None:
    _, where, copied, _ = made
    promise = json.loads((where / "promise.json").read_text(encoding="utf-8"))
    rho = sum(1 / (2 * one["noise"] ** 2) if one["noise"] else one["rho"] for one in promise["spent"])
    assert epsilon_of(rho, promise["delta"]) <= promise["epsilon"] <= 3
    assert list(problems(where.parent, "agreement")) == []
    gated = [risk for risk in copied.risks if risk.gate]
    assert {risk.gate for risk in gated} == {"membership", "tpr"} and all(risk.holds for risk in gated)
    readme = (where / "README.md").read_text(encoding="utf-8")
    assert copied.sentence in readme and f"{promise['epsilon']:g}" in copied.sentence


def test_a_promise_that_was_changed_is_seen(made: Made, tmp_path: Path) -> None:
    promise = json.loads((made[1] / "promise.json").read_text(encoding="utf-8"))
    (tmp_path / "practice").mkdir()

    def said(**changes: object) -> list[str]:
        (tmp_path / "practice" / "promise.json").write_text(json.dumps({**promise, **changes}), encoding="utf-8")
        return list(problems(tmp_path, "agreement"))

    assert said() == []
    assert "more than the" in said(epsilon=promise["epsilon"] / 2)[0]
    assert "allows" in said(epsilon=30.0)[0]
    assert "another sum" in said(rho=promise["rho"] / 2)[0]
    less = [{**one, "noise": one["noise"] and one["noise"] / 2} for one in promise["spent"]]
    assert said(spent=less)
    assert "added up" in said(spent="nothing")[0]


def test_a_copy_that_is_there_stays_unless_it_is_to_be_replaced(made: Made) -> None:
    with pytest.raises(DiskError, match="--replace"):
        practice(load(made[0] / "plan.toml"))
    assert (made[1] / "README.md").exists()


def test_more_than_the_audience_allows_is_refused(made: Made, tmp_path: Path) -> None:
    with pytest.raises(SharewellError, match="ask for less"):
        practice(load(made[0] / "plan.toml"), root=tmp_path, epsilon=5)
    assert list(tmp_path.iterdir()) == []


def test_a_course_of_a_few_is_refused_in_one_sentence(tmp_path: Path) -> None:
    write_course(make_course(students=30, parts=["students"]), tmp_path)
    result = CliRunner().invoke(app, ["practice", str(tmp_path / "plan.toml")])
    assert isinstance(result.exception, SharewellError) and "fewer than 50 students" in str(result.exception)
    assert not (tmp_path / "practice").exists()
