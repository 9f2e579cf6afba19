"""The whole flow on a small folder: what is written, what is not, and what makes it refuse."""

import csv
import hashlib
import json
import os
import stat
from pathlib import Path

import pytest
from course_folder import CLICKS, PLAN, ReleaseCourse, make_folder

from sharewell import pipeline
from sharewell.contract import Measure, Risk
from sharewell.errors import DiskError, InputError, Refused
from sharewell.plan.document import load
from sharewell.records import recheck
from sharewell.release import verify as verification


def digests(folder: Path) -> dict[str, str]:
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def released(release_course: ReleaseCourse, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("course")
    release_course(folder, PLAN + CLICKS)
    return folder


def test_a_release_holds_what_the_design_says(released: Path) -> None:
    names = set(digests(released / "release"))
    assert names == {
        "data/students.csv", "data/clicks.csv", "report.html", "summary.json", "manifest.json", "README.md",
        "croissant.json", "AGREEMENT.md",
    }  # fmt: skip
    assert verification.verify(released / "release").problems == ()


def test_the_inputs_are_untouched(tmp_path: Path) -> None:
    plan = make_folder(tmp_path)
    before = digests(tmp_path)
    pipeline.release(load(plan))
    after = digests(tmp_path)
    assert {name: after[name] for name in before} == before


def test_direct_identifiers_are_gone_and_ids_replaced(released: Path) -> None:
    original = {row["id"] for row in rows(released / "students.csv")}
    for name in ("students.csv", "clicks.csv"):
        table = rows(released / "release" / "data" / name)
        assert "name" not in table[0]
        assert {row["id"] for row in table}.isdisjoint(original)


def test_pseudonyms_differ_from_file_to_file(released: Path) -> None:
    students = {row["id"] for row in rows(released / "release" / "data" / "students.csv")}
    clicks = {row["id"] for row in rows(released / "release" / "data" / "clicks.csv")}
    assert students and clicks and students.isdisjoint(clicks)


def test_pseudonyms_differ_between_releases(released: Path, release_course: ReleaseCourse, tmp_path: Path) -> None:
    release_course(tmp_path, PLAN)
    first = {row["id"] for row in rows(released / "release" / "data" / "students.csv")}
    second = {row["id"] for row in rows(tmp_path / "release" / "data" / "students.csv")}
    assert len(first) == len(second) and first.isdisjoint(second)


def test_students_who_said_no_are_gone(released: Path) -> None:
    total = len(rows(released / "students.csv"))
    assert len(rows(released / "release" / "data" / "students.csv")) == total - 2


def test_the_order_of_rows_tells_nothing(released: Path) -> None:
    table = rows(released / "release" / "data" / "students.csv")
    assert [row["id"] for row in table] == sorted(row["id"] for row in table)


def test_private_things_are_private(released: Path) -> None:
    private = released / "private"
    assert stat.S_IMODE(private.stat().st_mode) == 0o700
    files = [path for path in private.rglob("*") if path.is_file()]
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
    keys = [path for path in files if path.name.startswith("key")]
    assert len(keys) == 1 and len(bytes.fromhex(keys[0].read_text().strip())) == 32
    for path in (released / "release").rglob("*"):
        if path.is_file():
            assert keys[0].read_text().strip().encode() not in path.read_bytes()


def test_same_plan_data_seed_and_key_give_the_same_bytes(tmp_path: Path) -> None:
    plan = (PLAN + CLICKS).replace('name = "Course"', 'name = "Course"\nkey = "shared-key"')
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        path = make_folder(folder, plan=plan)
        (folder / "shared-key").write_text("ab" * 32)
        pipeline.release(load(path))
    assert digests(folders[0] / "release") == digests(folders[1] / "release")


def test_a_rehearsal_writes_nothing(tmp_path: Path) -> None:
    plan = make_folder(tmp_path)
    before = digests(tmp_path)
    outcome = pipeline.rehearse(load(plan))
    assert outcome.verdict.passed and outcome.report is None
    assert digests(tmp_path) == before


def test_an_existing_release_stays_unless_asked(released: Path) -> None:
    before = digests(released / "release")
    with pytest.raises(DiskError, match="--replace"):
        pipeline.release(load(released / "plan.toml"))
    assert digests(released / "release") == before


def test_a_limit_that_cannot_be_met_refuses(tmp_path: Path) -> None:
    plan = make_folder(
        tmp_path, students=12, plan=PLAN.replace('keep = ["passed"]', 'keep = ["passed"]\nlimit = { k = 50 }')
    )
    outcome = pipeline.release(load(plan))
    assert not outcome.verdict.passed
    assert not (tmp_path / "release").exists()
    assert outcome.report is not None and "Refused" in outcome.report.read_text()
    assert (tmp_path / "private") in outcome.report.parents


def test_a_failing_run_leaves_an_older_release_alone(release_course: ReleaseCourse, tmp_path: Path) -> None:
    release_course(tmp_path, PLAN)
    plan = tmp_path / "plan.toml"
    before = digests(tmp_path / "release")
    plan.write_text(PLAN.replace('keep = ["passed"]', 'keep = ["passed"]\nlimit = { k = 5000 }'))
    outcome = pipeline.release(load(plan), over=True)
    assert not outcome.verdict.passed
    assert digests(tmp_path / "release") == before


@pytest.mark.parametrize("step", ["before", "attack", "utility", "protect"])
def test_an_error_inside_a_measure_refuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    def broken(*arguments: object) -> None:
        raise ValueError("Person s1234 cannot be divided by zero")

    monkeypatch.setattr(f"sharewell.records.study.RecordsStudy.{step}", broken)
    outcome = pipeline.release(load(make_folder(tmp_path)))
    assert not outcome.verdict.passed
    assert any("ValueError" in reason for reason in outcome.verdict.reasons)
    assert outcome.report is not None
    assert not any("s1234" in reason for reason in outcome.verdict.reasons)
    assert "s1234" not in outcome.report.read_text()
    assert not (tmp_path / "release").exists()


def test_a_measure_without_a_number_refuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    smallest = Measure(id="k", title="Smallest group", unit="count", better="higher")
    nothing = Risk(measure=smallest, attacker="prosecutor", value=float("nan"), n=0, gate="k", limit=3)
    monkeypatch.setattr("sharewell.records.study.RecordsStudy.attack", lambda study, protected: [nothing])
    outcome = pipeline.release(load(make_folder(tmp_path)))
    assert not outcome.verdict.passed and not (tmp_path / "release").exists()


def test_an_id_that_excludes_nobody_refuses_unless_the_plan_accepts_it(tmp_path: Path) -> None:
    plan = make_folder(tmp_path)
    (tmp_path / "optouts.csv").write_text("id\nnobody\n")
    with pytest.raises(InputError, match="entry 1: no student in the files has this id"):
        pipeline.rehearse(load(plan))
    plan.write_text(PLAN.replace('"optouts.csv"', '{ file = "optouts.csv", unknown = "accept" }'))
    assert any("occur in no file" in note for note in pipeline.rehearse(load(plan)).notes)


def test_how_many_said_no_is_private(released: Path) -> None:
    (findings,) = (released / "private").glob("*/findings.json")
    assert json.loads(findings.read_text())["students_left_out"] == {"records.students": 2, "traces.clicks": 2}
    assert b"left_out" not in b"".join(path.read_bytes() for path in (released / "release").glob("*.json"))


def test_a_kept_cell_cannot_start_a_formula(tmp_path: Path) -> None:
    plan = make_folder(tmp_path)
    text = (tmp_path / "students.csv").read_text().splitlines()
    cells = [line.split(",") for line in text]
    dangerous = [",".join([*line[:-1], "=HYPERLINK(1)"]) for line in cells[1:]]
    (tmp_path / "students.csv").write_text("\n".join([text[0], *dangerous, ""]))
    pipeline.release(load(plan))
    kept = {row["passed"] for row in rows(tmp_path / "release" / "data" / "students.csv")}
    assert kept == {"'=HYPERLINK(1)"}


def test_verify_sees_a_changed_cell_and_an_added_file(release_course: ReleaseCourse, tmp_path: Path) -> None:
    release_course(tmp_path, PLAN)
    data = tmp_path / "release" / "data" / "students.csv"
    data.write_text(data.read_text().replace(",1\n", ",0\n", 1))
    (tmp_path / "release" / "extra.txt").write_text("x")
    problems = verification.verify(tmp_path / "release").problems
    assert any("students.csv" in problem for problem in problems)
    assert any("extra.txt" in problem for problem in problems)


def test_verify_recounts_and_does_not_trust_the_summary(release_course: ReleaseCourse, tmp_path: Path) -> None:
    """A row that is alone, with manifest and hashes made to fit: the recount must see it."""
    release_course(tmp_path, PLAN)
    release = tmp_path / "release"
    data = release / "data" / "students.csv"
    header, *lines = data.read_text().splitlines()
    pseudonym = lines[0].split(",")[0]
    data.write_text("\n".join([header, f"{pseudonym},99,x,1", *lines[1:], ""]))
    manifest = json.loads((release / "manifest.json").read_text())
    manifest["files"]["data/students.csv"] = hashlib.sha256(data.read_bytes()).hexdigest()
    (release / "manifest.json").write_text(json.dumps(manifest))
    problems = verification.verify(release).problems
    assert "records.students: k (prosecutor) is 1, the limit is 3" in problems


def test_one_folder_has_one_register(tmp_path: Path) -> None:
    """A second one would not know the first release, and nothing would measure what both tell together."""
    plan = load(make_folder(tmp_path, plan=PLAN + "seconds = 0.3\n"))
    assert pipeline.release(plan, root=tmp_path / "first").verdict.passed
    with pytest.raises(Refused, match=r'write register = "first/private/register" under \[release\]'):
        pipeline.release(plan, root=tmp_path / "second")
    assert not (tmp_path / "second" / "release").exists()
    (tmp_path / "first" / "private" / "register").rename(tmp_path / "moved")
    (tmp_path / "private").mkdir(exist_ok=True)
    (tmp_path / "moved").rename(tmp_path / "private" / "register")
    both = pipeline.release(plan, root=tmp_path / "second")  # the register of the folder serves every place
    assert not (tmp_path / "second" / "private" / "register").exists()
    assert any("earlier" in risk.name or "two releases" in risk.name for risk in both.findings.linkage)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_an_unwritable_folder_is_a_sentence(tmp_path: Path) -> None:
    plan = make_folder(tmp_path / "in")
    (tmp_path / "out").mkdir(mode=0o500)
    with pytest.raises(DiskError, match="may not be written"):
        pipeline.release(load(plan), root=tmp_path / "out")


def test_verify_heeds_every_number_that_a_second_look_holds_to(
    release_course: ReleaseCourse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Checks of shape have a number to keep and no limit of the plan behind them."""
    release_course(tmp_path, PLAN)
    invented = Measure(id="ids that were not invented", title="Ids that were not invented", unit="count")
    wrong = Risk(measure=invented, attacker="reader", value=1.0, n=9, limit=0.0)
    again = recheck.recheck
    monkeypatch.setattr(recheck, "recheck", lambda released, facts: [*again(released, facts), wrong])
    (problem,) = verification.verify(tmp_path / "release").problems
    assert "ids that were not invented" in problem
