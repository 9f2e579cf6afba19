"""Runs that nobody watches: what they write down, and what their exit codes and JSON tell a scheduler."""

import json
from pathlib import Path

import pytest
from course_folder import make_folder

from sharewell import cli
from sharewell.release import place
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
