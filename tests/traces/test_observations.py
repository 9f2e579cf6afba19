"""Findings on groups: one observation each, and no finding where there is none."""

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import linregress, t
from traces.small_course import clicks

import sharewell as sw
from sharewell.data import engine
from sharewell.errors import InputError
from sharewell.plan.windows import parse
from sharewell.traces.arrays import Array
from sharewell.traces.log import reduce
from sharewell.traces.protection.group_rows import thinned
from sharewell.traces.protection.group_values import of_groups
from sharewell.traces.protection.groups import Balance, formed
from sharewell.traces.protection.null_spread import null_spreads


def test_one_row_per_group_with_its_weight() -> None:
    log = pa.table({"user": list("aabbc"), "verb": list("xyxyx"), "mark": [1.0, 1.0, 1.0, 1.0, 2.0]})
    found = sw.traces.observations(log, student="user", values=["mark"])
    assert found.to_pylist() == [
        {"student": "a", "weight": 2, "rows": 2, "mark": 1.0},
        {"student": "c", "weight": 1, "rows": 1, "mark": 2.0},
    ]
    protected = sw.traces.protect(
        clicks(), student="user", at="time", also=["verb"], keep=["passed"], method="groups", window="1w"
    )
    groups = sw.traces.observations(protected.table, student="user", values=["passed"])
    assert sum(groups["weight"].to_pylist()) == 60 and min(groups["weight"].to_pylist()) >= 5
    rows = np.dot(groups["weight"], groups["rows"])
    assert rows == protected.table.num_rows
    with pytest.raises(InputError, match="no such column"):
        sw.traces.observations(log, student="who")


def test_a_slope_is_that_of_least_squares_and_its_error_allows_for_unequal_spread() -> None:
    draw = np.random.default_rng(1)
    x, y = draw.normal(size=22), draw.normal(size=22)
    found, known = sw.traces.slope(x.tolist(), y.tolist(), [5] * 22), linregress(x, y)
    assert found.groups == 22 and found.value == pytest.approx(known.slope)
    left, across = y - known.intercept - known.slope * x, x - x.mean()
    error = np.sqrt(22 / 20 * np.sum((across * left) ** 2)) / np.sum(across**2)
    assert found.error == pytest.approx(error)
    assert found.p == pytest.approx(2 * t.sf(abs(found.value) / error, 20))
    assert sw.traces.slope([*x.tolist(), 9.0], [*y.tolist(), np.nan], [5] * 23) == found
    with pytest.raises(InputError, match="three groups or more"):
        sw.traces.slope([1, 1, 1], [1, 2, 3], [5, 5, 5])


def test_of_permuted_outcomes_one_in_twenty_is_significant() -> None:
    """Groups are formed anew for every outcome, balanced in it; k copies of each row find far more than there is."""
    table = clicks(students=113)
    base = reduce(engine.table(table), student="user", at="time", window=parse("1s"), also=["verb"])
    log = reduce(engine.table(table), student="user", at="time", window=parse("1w"), also=["verb"])
    draw, strata = np.random.default_rng(8), np.zeros(113, np.int64)
    marks, found, copies = np.round(draw.normal(60, 15, 113), 1), [], []
    for _ in range(300):
        own = draw.permutation(marks)
        group = formed(base, 5, strata, Balance(values=(own > np.median(own))[:, None].astype(float), weight=0.1))
        shown = thinned(log, group, 5, draw)
        shared = np.asarray(of_groups(pa.array(own), group, 5))
        rows = np.bincount(shown.groups, weights=shown.rows, minlength=group.max() + 1)
        firsts = np.unique(group, return_index=True)[1]
        found.append(sw.traces.slope(rows.tolist(), shared[firsts].tolist(), shown.sizes.tolist()).p < 0.05)
        copies.append(linregress(rows[group], shared).pvalue < 0.05)
    assert 0.03 <= np.mean(found) <= 0.07 < 0.2 < np.mean(copies)


@pytest.mark.parametrize("yes", [True, False], ids=["a yes or no", "marks"])
def test_with_the_stated_spread_permuted_outcomes_are_nominal(yes: bool) -> None:
    """A yes or no with 70 % yes, and marks: both balanced, permuted with everything else as it is."""
    table = clicks(students=113)
    base = reduce(engine.table(table), student="user", at="time", window=parse("1s"), also=["verb"])
    draw, strata = np.random.default_rng(4), np.zeros(113, np.int64)
    own = (np.arange(113) < 79).astype(float) if yes else np.round(draw.normal(60, 15, 113), 1)
    half = own > 0.5 if yes else own > np.median(own)
    values = np.column_stack([half, ~half]).astype(float)

    def again(places: Array) -> Array:
        return formed(base, 5, strata, Balance(values=values[places], weight=0.1))

    events = np.bincount(base.owners, weights=base.events, minlength=113)
    spread = null_spreads({"own": own}, again(np.arange(113)), again, events, 5, np.random.default_rng(1))["own"]
    found, residuals = [], []
    for _ in range(400):
        places = draw.permutation(113)
        group = again(places)
        firsts, sizes = np.unique(group, return_index=True)[1], np.bincount(group)
        shared = np.asarray(of_groups(pa.array(own[places]), group, 5))[firsts].tolist()
        x = np.log1p(np.bincount(group, weights=events) / sizes).tolist()
        found.append(sw.traces.slope(x, shared, sizes.tolist(), spread).p < 0.05)
        if yes:
            with pytest.raises(InputError, match="take too few values"):
                sw.traces.slope(x, shared, sizes.tolist())
        else:
            residuals.append(sw.traces.slope(x, shared, sizes.tolist()).p < 0.05)
    assert 0.03 <= np.mean(found) <= 0.07, np.mean(found)
    assert yes or np.mean(residuals) <= 0.1


def test_a_release_in_groups_states_the_spread_of_what_it_keeps() -> None:
    protected = sw.traces.protect(
        clicks(), student="user", at="time", also=["verb"], keep=["passed"], method="groups", window="1w"
    )
    assert 0.05 < protected.facts["spread"]["passed"] <= 0.5
    assert any("spread for tests" in change.detail for change in protected.changes)
