"""Who said no, to somebody who holds a copy of the original."""

from pathlib import Path

import pytest
from course_folder import CLICKS, PLAN, make_folder

from sharewell import pipeline
from sharewell.plan.document import load
from sharewell.release.missing import missing


def test_only_those_who_said_no_are_missing() -> None:
    risk = missing(22, 91, 91, "agreement")
    assert risk is not None and risk.value == 1.0 and risk.limit == 1 / 5 and risk.holds is False and risk.gate is None
    assert "nobody else is missing" in risk.story
    assert "22" not in str(risk.to_dict())  # how many said no is private


def test_others_who_are_left_out_hide_them() -> None:
    risk = missing(4, 96, 76, "agreement")
    assert risk is not None and risk.value == pytest.approx(0.2) and risk.holds
    assert missing(0, 96, 90, "public") is None


def test_page_one_says_who_is_seen_to_be_missing(tmp_path: Path) -> None:
    plan = make_folder(tmp_path, plan=PLAN.partition("[records")[0] + CLICKS)
    outcome = pipeline.release(load(plan))
    assert outcome.verdict.passed, outcome.verdict.reasons
    (file,) = outcome.findings.files
    (risk,) = [one for one in file.after if one.name == "missing given the original"]
    assert 0 < risk.value <= 1 and risk.limit == 1 / 3
    assert outcome.report is not None
    page = outcome.report.read_text()
    assert "Missing students of whom it is seen that they said no" in page.partition("files at a glance")[0]


def test_it_is_said_once_of_a_release_of_several_files(tmp_path: Path) -> None:
    outcome = pipeline.release(load(make_folder(tmp_path, plan=PLAN + CLICKS)))
    said = [risk for file in outcome.findings.files for risk in file.after if risk.name == "missing given the original"]
    assert len(outcome.findings.files) == 2 and len(said) == 1
