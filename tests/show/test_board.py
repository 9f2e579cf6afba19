"""What a review board finds: three questions per file, where its items are answered, and what it can have signed."""

import re
from dataclasses import replace

import pytest
from release_findings import ALONE, passing, records, refused
from release_writers import plan_of, report_html

from sharewell import kinds
from sharewell.contract import Risk
from sharewell.disclosure import disclose
from sharewell.findings import Findings
from sharewell.release.gate import judge
from sharewell.show import board, datasheet, report


def test_every_file_is_asked_all_three_questions_and_the_files_together_one() -> None:
    found = [(answer.place, answer.question) for answer in board.answers(disclose(passing()))]
    assert len(set(found)) == 3 * 5 + 1
    assert found[-1] == ("The files together", "linkability")


def test_an_attack_without_a_limit_that_gets_further_stands_beside_the_one_with_a_limit() -> None:
    (held, free) = [
        answer.pair
        for answer in board.answers(disclose(passing()))
        if (answer.anchor, answer.question) == ("traces-clicks", "singling out")
    ]
    assert held is not None and held.risk.gate == "unicity" and held.risk.value == 0.044
    assert free is not None and free.risk.gate is None and free.risk.value == 0.09


def test_an_answer_is_the_attack_that_its_kind_says_asks_the_question() -> None:
    answers = {
        (answer.anchor, answer.question): answer.pair for answer in reversed(list(board.answers(disclose(passing()))))
    }
    singled = answers["records-students", "singling out"]
    inferred = answers["records-students", "inference"]
    assert singled is not None and singled.risk.name == "k"
    assert inferred is not None and inferred.risk.name == "l"
    assert answers["records-students", "linkability"] is None
    linked = answers["keystrokes-typing", "linkability"]
    assert linked is not None and linked.risk.gate == "found"


def test_a_question_without_a_limit_is_answered_by_the_attack_that_gets_furthest() -> None:
    weak, strong = (Risk(measure=ALONE, attacker=who, value=value, n=298) for who, value in (("a", 0.1), ("b", 0.3)))
    findings = replace(passing(), files=(replace(records(), after=(weak, strong)),))
    pair = next(answer.pair for answer in board.answers(disclose(findings)) if answer.question == "singling out")
    assert pair is not None and pair.risk.attacker == "b"


@pytest.mark.parametrize("findings", [passing(), refused()], ids=["passing", "refused"])
def test_no_page_calls_a_release_compliant(findings: Findings) -> None:
    text = report_html(findings)
    assert not re.search(r"complian|complies|conform", text, re.I)
    assert text.count(board.NOT_ANSWERED) >= 8
    for name in ("ISO/IEC 27559", "NIST SP 800-188", "Five Safes", "FERPA"):
        assert name in text


def test_every_answer_leads_to_a_part_of_the_page() -> None:
    ids = set(re.findall(r'id="([^"]+)"', report_html(passing()))) | {"changes"}
    items = [item for framework in board.FRAMEWORKS for item in framework.items]
    assert {item.anchor for item in items if item.answer != board.NOT_ANSWERED} <= ids
    assert all(item.anchor for item in items if item.answer != board.NOT_ANSWERED)


def test_a_kind_sorts_only_measures_that_it_has() -> None:
    for name in kinds.OURS:
        kind = kinds.load(name)
        assert set(kind.questions) <= {measure.id for measure in kind.measures}


def test_the_first_page_says_what_for_what_whom_to_ask_and_who_stays_exposed() -> None:
    findings = passing()
    plan = plan_of(findings, description="a course", purpose="research")
    text = report.render(disclose(findings), judge(findings), plan=plan, identifier="abc")
    glance = text[text.index('id="glance"') : text.index("The files at a glance")]
    for name in ("What", "Contact, date", "Purpose", "Columns", "Most exposed"):
        assert f"<dt>{name}</dt>" in glance
    assert "no date is stated in the plan" in glance


def test_the_agreement_is_filled_from_the_plan() -> None:
    given = {"purpose": "a study of drop-out", "expires": "2027-01-31", "contact": "data@example.org"}
    text = datasheet.agreement(plan_of(passing(), **given), disclose(passing()), identifier="abc123")
    for said in ("a study of drop-out", "2027-01-31", "data@example.org", "abc123", "data/students.csv", "lawyer"):
        assert said in text
    for title in ("Purpose", "No re-identification", "No linking", "Expiry and destruction"):
        assert re.search(rf"^## \d\. {title}$", text, re.M)


def test_what_the_plan_leaves_open_stays_to_be_filled_in() -> None:
    text = datasheet.agreement(plan_of(passing()), disclose(passing()), identifier="abc123")
    assert "the plan states none" in text and text.count("⟨") == text.count("⟩") >= 6


def test_a_sign_off_that_the_plan_asks_for_stands_on_the_first_page() -> None:
    findings = passing()
    page = report.render(disclose(findings), judge(findings), plan=plan_of(findings, approve=2), identifier="abc")
    assert "2 people have to approve it" in page and "to approve it" not in report_html(findings)
