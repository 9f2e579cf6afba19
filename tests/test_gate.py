"""The gate: every limit met and every measure there, or no release."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from sharewell.contract import Change, Count, Curve, CurvePoint, Measure, Risk
from sharewell.data import engine
from sharewell.disclosure import disclose
from sharewell.findings import Failure, FileFindings, Findings
from sharewell.posts.measure.roster_left import roster_left
from sharewell.release.composition import COMPANY
from sharewell.release.gate import judge
from sharewell.release.summary import summary
from sharewell.text.word_lists import english

UNICITY = Measure(id="unicity", title="Students whom a few known points single out")
KEPT = Measure(id="events kept", title="Events kept", better="higher")
K = Measure(id="k", title="Smallest group of students who look alike (k)", unit="count", better="higher")


def risk(value: float, limit: float | None = 0.05, **more: Any) -> Risk:
    gate = None if limit is None else "unicity"
    return Risk(measure=UNICITY, attacker="random points", value=value, n=100, gate=gate, limit=limit, **more)


def findings(*after: Risk, **more: Any) -> Findings:
    limits = {"unicity": 0.05}
    file = FileFindings(
        kind="traces", name="clicks", file="clicks.csv", format="csv", limits=limits, rows_before=9, after=after, **more
    )
    return Findings(release="Course", audience="agreement", join=False, seed=0, files=(file,))


def test_a_limit_that_is_met_passes() -> None:
    assert judge(findings(risk(0.05))).passed


@pytest.mark.parametrize(
    "measured",
    [
        (risk(0.0501),),
        (risk(math.nan),),
        (risk(math.inf),),
        (risk(0.01), risk(0.2)),
        (risk(0.04, high=0.06, bound="high"),),
        (risk(0.04, bound="high"),),
        (risk(0.01, limit=None),),
        (),
    ],
    ids=["missed", "nan", "infinite", "one of two", "upper end", "no upper end", "not held to it", "nothing measured"],
)
def test_anything_else_refuses(measured: tuple[Risk, ...]) -> None:
    verdict = judge(findings(*measured))
    assert not verdict.passed
    assert len(verdict.reasons) == 1 and "traces.clicks" in verdict.reasons[0]


def test_a_measure_that_raised_refuses_even_when_every_limit_is_met() -> None:
    verdict = judge(findings(risk(0.0), failures=(Failure(stage="usefulness", reason="ValueError"),)))
    assert not verdict.passed and "so its limits count as missed" in verdict.reasons[0]


def test_a_higher_is_better_limit_refuses_from_below() -> None:
    k = Risk(measure=K, attacker="prosecutor", value=4, n=10, gate="unicity", limit=5)
    assert not judge(findings(k)).passed
    assert "at least 5" in judge(findings(k)).reasons[0]


def test_the_refusal_names_the_nearest_setting_that_was_tried() -> None:
    points = (
        CurvePoint(label="1 day", strength=1, risk=0.37, utility=0.9, meets=False),
        CurvePoint(label="1 week", strength=2, risk=0.06, utility=0.5, meets=False),
    )
    curve = Curve(strength="window", risk=UNICITY, utility=KEPT, limit=0.05, points=points)
    assert "1 week with 6\u00a0%" in judge(findings(risk(0.06), curve=curve)).reasons[0]


def test_too_little_company_in_two_releases_says_what_to_use_again() -> None:
    held = Risk(measure=COMPANY, attacker="holds both", value=1, n=10, gate="linkage", limit=5)
    whole = Findings(release="C", audience="agreement", join=False, seed=0, files=(), linkage=(held,))
    (told_next,) = judge(whole).next
    assert "recoding.csv" in told_next and "release only one of the two" in told_next


def test_linkage_is_gated_as_well() -> None:
    held = Risk(measure=UNICITY, attacker="two files", value=0.5, n=10, gate="linkage", limit=0.1)
    whole = Findings(release="C", audience="public", join=True, seed=0, files=(), linkage=(held,))
    assert not judge(whole).passed


def test_counts_under_five_are_not_told() -> None:
    k = Risk(measure=K, attacker="prosecutor", value=5, n=90, setting={"silent": Count(3)})
    change = Change(columns=("age",), action="suppressed", reason="alone", cells=Count(2))
    found = findings(k, facts={"suppressed": Count(4), "levels": {"age": 1}}, changes=(change,))
    file = summary(disclose(found), judge(found))["files"][0]
    assert file["risk_after"][0]["setting"] == {"silent": "under 5"}
    assert file["facts"] == {"suppressed": "under 5", "levels": {"age": 1}}
    assert file["changes"][0]["cells"] == "under 5"


@pytest.mark.parametrize("value", [0.1, 0.3])
@pytest.mark.parametrize("number", [float, np.float64, np.float32])
def test_a_verdict_is_plainly_true_or_false_whatever_the_number_is_made_of(value: float, number: type) -> None:
    risk = Risk(
        measure=UNICITY, attacker="a", value=number(value), low=number(value), n=1, gate="r", limit=0.2, bound="low"
    )
    assert risk.holds is (value < 0.2)


def test_a_word_of_the_roster_that_was_marked_word_is_refused_with_what_to_do() -> None:
    """Ordinary in the text, and somebody's name: it stays, and so the release does not pass."""
    posts = engine.table(pa.table({"message": ["Thanks, Lopez is right", "[NAME] is right"]}))
    left = roster_left(posts, ("message",), ("Maria Lopez",), english())
    after = tuple(replace(one, gate="roster", limit=0.0) for one in left)
    file = FileFindings(
        kind="posts", name="forum", file="forum.csv", format="csv", limits={"roster": 0.0}, rows_before=2, after=after
    )
    verdict = judge(Findings(release="Course", audience="agreement", join=False, seed=0, files=(file,)))
    assert not verdict.passed
    (line,) = verdict.next
    assert line.startswith("posts.forum: a word of the roster stays") and "mark it name" in line
    assert "sharewell posts review {plan}" in line
    assert "Lopez" not in " ".join([line, *verdict.reasons])
