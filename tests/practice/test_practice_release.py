"""A release with a practice copy: written together, listed, and verified from the files alone."""

import json
from pathlib import Path

import pytest
from course_folder import PLAN, ReleaseCourse

from sharewell.release.verify import verify


def test_a_release_holds_the_practice_copy_and_verifies(tmp_path: Path, release_course: ReleaseCourse) -> None:
    plan = PLAN.replace('audience = "enclave"', 'audience = "enclave"\npractice = true')
    outcome = release_course(tmp_path, plan)
    assert outcome.verdict.passed
    release = tmp_path / "release"
    listed = json.loads((release / "manifest.json").read_text(encoding="utf-8"))["files"]
    assert {"practice/students.csv", "practice/README.md", "practice/promise.json"} <= listed.keys()
    assert (release / "practice" / "students.csv").read_text(encoding="utf-8").startswith("id,name,age,sex,passed")
    assert verify(release).problems == ()
    promise = json.loads((release / "practice" / "promise.json").read_text(encoding="utf-8"))
    (release / "practice" / "promise.json").write_text(json.dumps({**promise, "epsilon": 0.01}), encoding="utf-8")
    assert any("promise.json" in problem for problem in verify(release).problems)


@pytest.mark.parametrize("name", ["practice"])
def test_without_the_setting_there_is_none(tmp_path: Path, release_course: ReleaseCourse, name: str) -> None:
    release_course(tmp_path, PLAN)
    assert not (tmp_path / "release" / name).exists()
