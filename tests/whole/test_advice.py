"""What a refusal proposes has been tried, and carries what was measured then."""

from pathlib import Path

import pytest
from course_folder import CLICKS, PLAN, make_folder

from sharewell import pipeline
from sharewell.findings import Verdict
from sharewell.plan.document import load

STRICT = PLAN.replace('keep = ["passed"]', 'keep = ["passed"]\nmax_suppressed = 0.0\nlimit = { k = 20 }')


def refused(folder: Path, plan: str, students: int = 60) -> Verdict:
    outcome = pipeline.release(load(make_folder(folder, plan=plan, students=students)))
    assert not outcome.verdict.passed
    assert outcome.report is not None and "What was tried" in outcome.report.read_text()
    return outcome.verdict


def test_where_nothing_passes_it_says_so(tmp_path: Path) -> None:
    told = refused(tmp_path, STRICT.replace("k = 20", "k = 500")).tried
    assert told[-1] == "Nothing that was tried passes." and all(line.startswith("Tried:") for line in told[:-1])
    assert any("without 'age'" in line and "cannot meet k = 500" in line for line in told)


def test_what_is_proposed_passes_when_it_is_done(tmp_path: Path) -> None:
    """Files joined under one pseudonym are refused; the change that the refusal names is made, and passes."""
    daily = CLICKS.replace('window = "1w"', 'window = "1d"\nlimit = { unicity = 1.0, known = 1 }')
    joined = (PLAN + daily).replace('audience = "enclave"', 'audience = "enclave"\njoin = true')
    verdict = refused(tmp_path / "first", joined)
    last = verdict.tried[-1]
    assert last.startswith("Tried: files under different pseudonyms (join = false). Every limit is met then;")
    assert "where the limit is" in last
    again = joined.replace("join = true", "join = false")
    assert pipeline.release(load(make_folder(tmp_path / "second", plan=again))).verdict.passed


def test_the_key_of_an_earlier_release_is_proposed_and_tried(tmp_path: Path) -> None:
    plan = (PLAN + CLICKS).replace('name = "Course"', 'name = "Course"\nregister = "../office"')
    assert pipeline.release(load(make_folder(tmp_path / "one", plan=plan))).verdict.passed
    verdict = refused(tmp_path / "two", plan)
    assert "../one/private/key-" in verdict.tried[-1] and "Every limit is met then" in verdict.tried[-1]


@pytest.mark.parametrize("word", ["would be", "Drop columns", "narrower audience"])
def test_nothing_untried_is_said(tmp_path: Path, word: str) -> None:
    verdict = refused(tmp_path, STRICT.replace("k = 20", "k = 500"), students=12)
    assert not any(word in line for line in (*verdict.reasons, *verdict.tried))
