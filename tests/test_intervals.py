"""Intervals: inside [0, 1], around the estimate, and covering as often as they say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from sharewell.stats.intervals import bootstrap_mean, exact, wilson


@given(st.integers(1, 2000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_shares_agree_with_scipy(counts: tuple[int, int]) -> None:
    hits, n = counts
    for ours, method in ((wilson, "wilson"), (exact, "exact")):
        low, high = ours(hits, n)
        theirs = binomtest(hits, n).proportion_ci(0.95, method)
        assert low == pytest.approx(theirs.low, abs=1e-9) and high == pytest.approx(theirs.high, abs=1e-9)
        assert 0 <= low <= hits / n <= high <= 1


def test_no_data_says_nothing() -> None:
    assert wilson(0, 0) == exact(0, 0) == (0.0, 1.0)
    with pytest.raises(ValueError):
        bootstrap_mean(np.array([]), seed=0)


def test_bootstrap_covers_as_often_as_it_says() -> None:
    generator = np.random.default_rng(5)
    hits = 0
    for seed in range(400):
        low, high = bootstrap_mean(generator.exponential(size=80), seed=seed, repeats=400)
        hits += low <= 1 <= high
    assert 0.90 <= hits / 400 <= 0.98
