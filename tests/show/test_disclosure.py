"""Counts under five leave by no writer: neither as a number nor as something to multiply, subtract or measure.

Findings are made twice, equal but for their small counts. A writer that tells the two apart tells a small count.
"""

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from release_findings import passing
from release_writers import WRITERS, summary_json

from sharewell import disclosure
from sharewell.contract import Change, Count, Curve, CurvePoint, Measure, Risk, Utility
from sharewell.findings import FileFindings, Findings
from sharewell.release.gate import judge
from sharewell.stats.intervals import wilson

# pages are long to compare: an example that fails is told as it is, not made smaller
QUICK = settings(phases=[Phase.generate], suppress_health_check=list(HealthCheck))
SMALL = st.integers(1, 4)
LARGE = st.integers(5, 40)

LEFT = Measure(id="left", title="Things left", unit="count", counts=True)
ALONE = Measure(id="alone", title="Students alone", counts=True)
KEPT = Measure(id="kept", title="Students kept", better="higher", counts=True)
ROWS = Measure(id="rows", title="Rows kept", unit="count", better="higher", counts=True)
SILENT = Measure(id="silent", title="Students found")  # a kind that forgot to say that it counts
EASIEST = Measure(id="easiest", title="Student who is easiest to find", of_one=True)
AUC = Measure(id="auc", title="Members told from others", unit="auc")


@dataclass(frozen=True)
class Numbers:
    """The counts that two findings may differ in: each is one of four."""

    left: int
    alone: int
    spared: int
    few: int
    missing: int
    cells: int
    untouched: int
    silent: int


numbers = st.builds(Numbers, SMALL, SMALL, SMALL, SMALL, SMALL, SMALL, SMALL, SMALL)


def share(measure: Measure, count: int, n: int, **more: Any) -> Risk:
    low, high = wilson(count, n)
    return Risk(measure=measure, attacker="somebody", value=count / n, low=low, high=high, n=n, chance=1 / n, **more)


def risks(small: Numbers, n: int, gate: str | None) -> Iterator[Risk]:
    limit = None if gate is None else 0.0
    yield Risk(measure=LEFT, attacker="a reader", value=small.left, n=n, gate=gate, limit=limit)
    yield share(ALONE, small.alone, n, setting={"silent": Count(small.silent), "known": 4})
    yield share(ALONE, n - small.spared, n, setting={"known": 8})
    yield share(ALONE, 1, small.few, setting={"course": "a small one"})
    yield share(SILENT, small.alone, n, setting={"known": 1, "this release": round(small.cells / n, 4)})
    yield share(SILENT, n - small.spared, n, setting={"known": 3})
    yield Risk(measure=AUC, attacker="anybody", value=0.61, n=small.few, chance=0.5)
    yield share(ALONE, n // 2, n, setting={"known": 2, "nested": {"list": [Count(small.cells), Count(n)]}})


def file(small: Numbers, n: int, gate: str | None) -> FileFindings:
    points = tuple(
        CurvePoint(label=f"setting {place}", strength=place, risk=count / n, utility=1 - missing / n,
                   meets=place > 1, chosen=place == 2, low=count / n / 2, high=count / n * 1.5)
        for place, (count, missing) in enumerate([(n // 2, 0), (small.alone, small.spared), (0, small.cells)])
    )  # fmt: skip
    return FileFindings(
        kind="records", name="students", file="students.csv", format="csv", limits={gate: 0.0} if gate else {},
        rows_before=n + small.missing, rows_after=n,
        before=tuple(risks(small, n, None)), after=tuple(risks(small, n, gate)),
        utility=(
            Utility(measure=KEPT, value=(n - small.missing) / n, baseline=1.0, n=n, low=0.5, high=1.0),
            Utility(measure=ROWS, value=n + 7, baseline=small.left, n=3 * n),
            Utility(measure=ROWS, value=small.left, baseline=float(n), n=3 * n),
        ),
        changes=(
            Change(columns=("age",), action="suppressed", reason="few share it", cells=Count(small.cells)),
            Change(columns=("sex", "town"), action="coarsened", reason="r", cells=Count(2 * n - small.untouched)),
        ),
        curve=Curve(strength="strength", risk=ALONE, utility=KEPT, limit=0.2, points=points, n=n),
        facts={"suppressed": Count(small.cells), "levels": {"age": 2}, "by": [Count(small.left)]},
    )  # fmt: skip


def release(small: Numbers, n: int, gate: str | None) -> Findings:
    linkage = (share(ALONE, small.alone, n, setting={"files": "two"}),)
    return replace(passing(), files=(file(small, n, gate),), linkage=linkage)


@pytest.mark.parametrize("writer", WRITERS)
@QUICK
@given(one=numbers, other=numbers, n=LARGE, gate=st.sampled_from([None, "left"]))
def test_no_writer_tells_two_small_counts_apart(writer: str, one: Numbers, other: Numbers, n: int, gate: str) -> None:
    write = WRITERS[writer]
    assert write(release(one, n, gate)) == write(release(other, n, gate))


@given(small=numbers, n=LARGE)
def test_no_number_of_the_summary_gives_a_small_count_back(small: Numbers, n: int) -> None:
    told = json.loads(summary_json(release(small, n, None)))
    (file,) = told["files"]
    results = [*file["risk_before"], *file["risk_after"], *file["utility"], *told["linkage"]]
    cases = {n, n + small.missing, *(result["n"] for result in results if isinstance(result["n"], int))}
    for result in results:
        assert result["n"] == "under 5" or result["n"] >= 5
        if result["measure"]["unit"] in ("share", "count"):
            for number in (result["value"], result.get("baseline")):
                assert number is None or not gives_a_small_count(number, result["measure"]["unit"], cases)
    for point in file["curve"]["points"]:
        assert point["risk"] is None or not gives_a_small_count(point["risk"], "share", cases)
        assert point["utility"] is None or not gives_a_small_count(point["utility"], "share", cases)


def gives_a_small_count(number: float, unit: str, cases: set[int]) -> bool:
    found = [number] if unit == "count" else [number * n for n in cases] + [n - number * n for n in cases]
    return any(abs(count - small) < 1e-6 for count in found for small in (1, 2, 3, 4))


@given(small=numbers, n=LARGE, limit=st.sampled_from([0.0, 2.0, 10.0]))
def test_what_is_told_is_judged_as_what_was_measured(small: Numbers, n: int, limit: float) -> None:
    found = release(small, n, "left")
    held = tuple(replace(risk, limit=limit) if risk.gate else risk for risk in found.files[0].after)
    found = replace(found, files=(replace(found.files[0], after=held),))
    verdict = judge(found)
    assert verdict.passed == all(risk.holds for _, risk in found.gated())
    assert verdict.passed == (not verdict.reasons) == judge(disclosure.disclose(found)).passed
    assert [risk.holds for _, risk in disclosure.disclose(found).gated()] == [risk.holds for _, risk in found.gated()]


@given(small=numbers, n=LARGE)
def test_to_tell_twice_changes_nothing(small: Numbers, n: int) -> None:
    once = disclosure.disclose(release(small, n, None))
    assert repr(disclosure.disclose(once)) == repr(once)


@pytest.mark.parametrize(
    ("measure", "value", "n", "words"),
    [
        (LEFT, 0, 100, ""), (LEFT, 1, 100, "under 5"), (LEFT, 4, 100, "under 5"), (LEFT, 5, 100, ""),
        (ALONE, 0.0, 100, ""), (ALONE, 0.01, 100, "under 5 of 100"), (ALONE, 0.05, 100, ""),
        (ALONE, 0.97, 100, "all but under 5 of 100"), (ALONE, 1.0, 100, ""), (ALONE, 0.5, 4, "some of under 5"),
        (ALONE, 0.0, 4, "none of under 5"), (AUC, 0.01, 100, ""), (LEFT, 97, 100, "all but under 5 of 100"),
        *((ALONE, count / 8, 8, "some of 8") for count in range(1, 8)),
        (LEFT, 5, 6, "some of 6"), (LEFT, 1, 6, "some of 6"),
        (SILENT, 0.03, 100, "under 5 of 100"), (SILENT, 0.97, 100, "all but under 5 of 100"), (SILENT, 0.031, 100, ""),
        (EASIEST, 0.01, 100, ""), (SILENT, 1 / 3, 3, "some of under 5"), (ALONE, 0.031, 100, "under 5 of 100"),
        (ALONE, 4 / 9, 9, "under 5 of 9"), (ALONE, 5 / 9, 9, "all but under 5 of 9"),
    ],
)  # fmt: skip
def test_what_is_said_instead(measure: Measure, value: float, n: int, words: str) -> None:
    (told,) = disclosure.results([Risk(measure=measure, attacker="a", value=value, n=n)])
    assert told.withheld == words
    assert math.isnan(told.value) == bool(words)


@pytest.mark.parametrize(
    ("value", "n", "told"),
    [
        (0.0068, 294, "under 5 of 294"), (0.9966, 294, "all but under 5 of 294"), (0.9, 294, 0.9), (0.5, 300, 0.5),
        (0.0102, 294, "under 5 of 294"), (0.0, 294, 0.0), (0.25, 8, "some of 8"), (7, 294, 7), (0.0119, 294, 0.0119),
    ],
)  # fmt: skip
def test_a_share_in_a_setting_gives_no_small_count_back(value: float, n: int, told: object) -> None:
    (shown,) = disclosure.results([Risk(measure=SILENT, attacker="a", value=0.5, n=n, setting={"here": value})])
    assert shown.setting == {"here": told}


def test_a_risk_without_a_number_stays_one() -> None:
    (told,) = disclosure.results([Risk(measure=ALONE, attacker="a", value=math.nan, n=100, gate="g", limit=0.1)])
    assert told.withheld == "" and told.holds is False


@pytest.mark.parametrize(("before", "after", "told"), [(302, 298, 298), (303, 298, 303), (298, 298, 298), (3, None, 0)])
def test_rows_that_came_in(before: int, after: int | None, told: int) -> None:
    one = replace(passing().files[0], rows_before=before, rows_after=after)
    assert disclosure.disclose(replace(passing(), files=(one,))).files[0].rows_before == told


def test_every_writer_writes_something_of_a_release() -> None:
    silent = [name for name, write in WRITERS.items() if len(write(passing())) < 500]
    assert silent == []


def test_the_twins_would_show_a_leak() -> None:
    """The property has teeth: a writer that takes what was measured, and not what may be told, is caught."""
    one, other = (release(Numbers(*[count] * 8), 20, None) for count in (1, 3))
    leaking: Callable[[Findings], str] = repr
    assert leaking(one) != leaking(other)
