"""No number is told with more digits than one student can move: two papers a student apart do not give that student."""

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from release_findings import passing
from release_writers import summary_json

from sharewell import disclosure
from sharewell.contract import Change, Count, Curve, CurvePoint, Measure, Risk, Share, Utility
from sharewell.findings import Findings

SPEED = Measure(id="speed", title="Mean latency", unit="number")
KEPT = Measure(id="kept", title="Correlation kept", better="higher")
TRACED = Measure(id="traced", title="Members told from others", unit="auc")
STUDENTS = st.integers(10, 100_000)
CASES = 10**9


def disclosed_of(students: int, **found: Any) -> Findings:
    findings = passing()
    return disclosure.disclose(
        replace(findings, files=(replace(findings.files[0], students=students, **found), *findings.files[1:]))
    )


def last_digit(number: float) -> float:
    """The place of the last digit that a number is written with."""
    return next(10.0**-digits for digits in range(-9, 16) if math.isclose(round(number, digits), number, rel_tol=1e-12))


def test_two_means_a_student_apart_gave_that_student_and_give_nothing_now() -> None:
    speeds = np.random.default_rng(4).normal(180, 30, size=60)
    with_all, with_one_less = (
        Utility(measure=SPEED, value=150.0, baseline=float(part.mean()), n=len(part)) for part in (speeds, speeds[1:])
    )

    def difference(one: Utility, other: Utility) -> float:
        assert one.baseline is not None and other.baseline is not None
        return one.baseline * 60 - other.baseline * 59

    assert difference(with_all, with_one_less) == pytest.approx(speeds[0])  # what full digits tell
    told = [disclosed_of(60, utility=(one,)).files[0].utility[0] for one in (with_all, with_one_less)]
    assert [one.baseline for one in told] == [180.0, 180.0]


@given(STUDENTS, st.floats(1e-3, 1e6))
def test_a_mean_is_told_no_finer_than_one_student_moves_it(students: int, mean: float) -> None:
    told = disclosed_of(students, utility=(Utility(measure=SPEED, value=mean, n=students),)).files[0].utility[0]
    assert abs(told.value - mean) <= 5 * mean / students * (1 + 1e-9)  # and no coarser than a digit more
    assert last_digit(told.value) * students >= mean * (1 - 1e-9)


def is_few(share: float) -> bool:
    """Whether a share of the cases is a count of one to four, or all but so many."""
    count = share * CASES
    return abs(count - round(count)) < 1e-6 and (0 < round(count) < 5 or 0 < CASES - round(count) < 5)


@given(STUDENTS, st.floats(0, 1))
@example(10, 1e-9)  # one of the cases
@example(10, 8e-9)  # an end of the interval is no count
@example(10, 1 - 2e-9)  # all but two
def test_a_share_is_told_no_finer_than_one_student_moves_it(students: int, share: float) -> None:
    found = disclosed_of(students, utility=(Utility(measure=KEPT, value=share, n=CASES, low=share / 2, high=share),))
    result = found.files[0].utility[0]
    if is_few(share):
        assert math.isnan(result.value) and result.low is None and result.high is None
        return
    step = 10.0 ** -math.floor(math.log10(students))
    assert step * students >= 1
    for number, exact in ((result.value, share), (result.low, share / 2), (result.high, share)):
        assert number is not None and abs(number - exact) <= step / 2 + 1e-12
        assert round(number / step) * step == pytest.approx(number, abs=1e-9)


@given(STUDENTS, st.floats(0, 1), st.floats(0, 1), st.sampled_from(["lower", "higher"]))
def test_a_verdict_survives_rounding(students: int, seen: float, limit: float, better: Any) -> None:
    measure = replace(TRACED, better=better)
    risk = Risk(measure=measure, attacker="anybody", value=seen, high=seen, n=students, gate="g", limit=limit)
    for bound in ("value", "high"):
        held = replace(risk, bound=bound)
        told = disclosed_of(students, after=(held,)).files[0].after[0]
        assert told.holds == held.holds
        assert told.seen is not None and abs(told.seen - seen) <= 1e-3 + 1e-12


def test_curves_and_facts_are_told_no_finer() -> None:
    point = CurvePoint(label="a", strength=1.0, risk=0.123456, utility=0.654321, meets=True, chosen=True)
    curve = Curve(risk=TRACED, utility=KEPT, points=(point,), n=60, strength="m", limit=None)
    file = disclosed_of(60, curve=curve, facts={"loss": Share(0.4654321), "blur": 0.4321}).files[0]
    assert file.curve is not None and (file.curve.points[0].risk, file.curve.points[0].utility) == (0.123, 0.7)
    assert file.facts == {"loss": 0.5, "blur": 0.4321}  # a setting is no measurement


def test_papers_hold_no_further_digits() -> None:
    exact = 0.123456789
    found = disclosed_of(60, utility=(Utility(measure=KEPT, value=exact, low=exact / 2, high=exact * 2, n=60),))
    utility = json.loads(summary_json(found))["files"][0]["utility"][0]
    assert (utility["value"], utility["low"], utility["high"]) == (0.1, 0.1, 0.2)


@given(st.integers(10, 5_000), st.integers(1, 2_000), st.integers(1, 2_000))
def test_rows_and_cases_do_not_tell_how_many_were_of_the_one_who_left(students: int, each: int, own: int) -> None:
    """Sums of rows before and after someone left, as far as they are told, leave open how many rows that one had."""
    rows = students * each + own
    found = disclosed_of(
        students, rows_before=rows, rows_after=None, utility=(Utility(measure=KEPT, value=0.5, n=rows),)
    )
    file = found.files[0]
    mean = rows / students
    for told in (file.rows_before, file.utility[0].n):
        assert abs(told - rows) <= 5 * mean * (1 + 1e-9) and (last_digit(told) >= mean * (1 - 1e-9) or rows <= students)


def test_rows_that_stand_in_the_release_are_told_as_they_are() -> None:
    assert disclosed_of(60, rows_before=51_146, rows_after=51_146).files[0].rows_before == 51_146
    assert disclosed_of(60, rows_before=51_146, rows_after=40_000).files[0].rows_before == 51_000
    change = Change(columns=("time",), action="suppressed", cells=Count(16_529), reason="they tell too much")
    assert disclosed_of(60, rows_before=51_146, changes=(change,)).files[0].changes[0].cells == 17_000
