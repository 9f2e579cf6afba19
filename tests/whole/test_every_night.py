"""Runs that nobody watches: what they write down, and what their exit codes and JSON tell a scheduler."""

import json
from pathlib import Path

import pytest
from course_folder import make_folder

from sharewell import cli, pipeline
from sharewell.errors import NotYet
from sharewell.plan.document import load
from sharewell.release import place, verify
from sharewell.release.place import Place


def run(monkeypatch: pytest.MonkeyPatch, *words: object) -> int:
    monkeypatch.setattr("sys.argv", ["sharewell", *map(str, words)])
    with pytest.raises(SystemExit) as stopped:
        cli.main()
    return int(stopped.value.code or 0)


def test_each_stage_and_the_end_are_written_down(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan, log = make_folder(tmp_path / "course"), tmp_path / "night.jsonl"
    assert run(monkeypatch, "assess", plan, "--log", log) == 0
    (plan.parent / "students.csv").unlink()
    assert run(monkeypatch, "assess", plan, "--log", log) == 2
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    stages = [line["stage"] for line in lines]
    assert "records.students: risk as it stands" in stages
    assert [line["stage"] for line in lines if line["stage"] in ("done", "failed")] == ["done", "failed"]
    assert lines[-1]["kind"] == "plan" and lines[-1]["exit"] == 2 and lines[-1]["retry"] is False
    assert all(line["at"].endswith("+00:00") for line in lines)


def test_a_log_without_a_file_goes_to_the_errors_as_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "assess", make_folder(tmp_path), "--log", "-") == 0
    lines = capsys.readouterr().err.splitlines()
    assert any("  records.students: risk as it stands" in line for line in lines) and lines[-1].endswith("  done")


def test_a_lock_is_told_from_a_disk_and_from_the_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = make_folder(tmp_path / "course")
    place.prepare(Place(plan.parent), replace=False)
    with place.only_one_at_a_time(Place(plan.parent)):
        assert run(monkeypatch, "release", plan, "--json") == 7
    told = json.loads(capsys.readouterr().out)["error"]
    assert told["kind"] == "lock" and told["retry"] is True and "another release" in told["problems"][0]
    (plan.parent / "clicks.csv").unlink()
    (plan.parent / "students.csv").write_text("id,name,age,sex,passed\n1,2\n")
    assert run(monkeypatch, "release", plan, "--json") == 5
    told = json.loads(capsys.readouterr().out)["error"]
    assert told["kind"] == "input" and told["retry"] is False and "students.csv" in told["problems"][0]
    assert run(monkeypatch, "assess", plan, "--log", tmp_path / "no" / "log") == 6


HEAD = '[release]\nname = "Course"\naudience = "enclave"\nstalled = "carry on"\n'
SECTION = '[records.students]\nfile = "students.csv"\nstudent = "id"\nquasi = ["age", "sex"]\nkeep = ["passed"]\n'


def students(folder: Path, many: int) -> Path:
    rows = [f"s{who:03d},{19 + who * 7 % 3},{'fm'[who % 2]},{who * 5 % 3 % 2}" for who in range(many)]
    (folder / "students.csv").write_text("\n".join(["id,age,sex,passed", *rows, ""]))
    (folder / "plan.toml").write_text(f"{HEAD}\n{SECTION}")
    return folder / "plan.toml"


def test_thirty_nights_of_a_growing_course(tmp_path: Path) -> None:
    """Nothing new: nothing is published. A few newcomers wait behind the release that stands."""
    grows = {0: 60, 6: 61, 12: 62, 24: 90}
    released, many = [], 0
    for night in range(30):
        many = grows.get(night, many)
        outcome = pipeline.release(load(students(tmp_path, many)), over=night > 0)
        assert outcome.verdict.passed and outcome.report is not None and outcome.report.is_file()
        said = " ".join(outcome.notes)
        assert ("nothing has changed since" in said) == (night not in grows), night
        assert ("no next version is made" in said) == (night in (6, 12)), night
        released.append((outcome.release, outcome.disclosed.files[0].rows_after))
    first, last = released[0], released[-1]
    assert released == [first] * 24 + [last] * 6 and (first[1], last[1]) == (60, 90)
    assert verify.verify(tmp_path / "release").problems == ()


def test_without_news_a_release_is_not_replaced(tmp_path: Path) -> None:
    """Whatever the plan says of nights: two versions of the same data would only give more away."""
    plan = students(tmp_path, 60)
    plan.write_text(plan.read_text().replace('stalled = "carry on"\n', ""))
    first = pipeline.release(load(plan))
    again = pipeline.release(load(plan), over=True)
    assert again.release == first.release and "nothing has changed since" in " ".join(again.notes)
    copy = next((tmp_path / "private" / "register" / "copies").rglob("*.parquet"))
    copy.write_bytes(copy.read_bytes()[:-1] + b"x")
    assert not pipeline.release(load(plan), over=True).verdict.passed


def test_a_plan_may_wait_or_refuse_instead(tmp_path: Path) -> None:
    pipeline.release(load(students(tmp_path, 60)))
    plan = students(tmp_path, 61)
    plan.write_text(plan.read_text().replace("carry on", "wait"))
    with pytest.raises(NotYet, match=r"stands, and no next version is made yet"):
        pipeline.release(load(plan), over=True)
    plan.write_text(plan.read_text().replace("wait", "refuse"))
    assert not pipeline.release(load(plan), over=True).verdict.passed
    assert verify.verify(tmp_path / "release").problems == ()


def test_a_release_that_somebody_changed_does_not_stand(tmp_path: Path) -> None:
    plan = students(tmp_path, 60)
    pipeline.release(load(plan))
    (tmp_path / "release" / "data" / "students.csv").write_text("id\n")
    outcome = pipeline.release(load(plan), over=True)
    assert not any("nothing has changed" in note for note in outcome.notes)
