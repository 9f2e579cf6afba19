"""What any release can keep of speeds, against every release of a tiny class."""

import sys
from itertools import permutations, product
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from keystrokes_bound import Array, largest_correlation

SPEEDS = np.array([1.0, 2.0, 4.0, 9.0])
PARTS, LEVELS = 4, 3


def found_by_best(chances: Array) -> Array:
    """What a list of one finds: for each released speed the student for whom it is likeliest."""
    return np.asarray(chances.max(axis=-2).sum(axis=-1) / len(SPEEDS))


def every_table() -> Array:
    """All chances of three released speeds in quarters: tables × students × speeds."""
    rows = [np.array(one) / PARTS for one in product(range(PARTS + 1), repeat=LEVELS) if sum(one) == PARTS]
    return np.array([np.stack(one) for one in product(rows, repeat=len(SPEEDS))])


def best_correlation(chances: Array) -> Array:
    """Of speeds with what is released, where that is the mean of those who may have it: no other could do better."""
    x = (SPEEDS - SPEEDS.mean()) / SPEEDS.std()
    weight, total = chances.mean(axis=1), (chances * x[:, None]).mean(axis=1)
    return np.asarray(np.sqrt((total**2 / np.maximum(weight, 1e-12)).sum(axis=1)))


@pytest.mark.parametrize("limit", [0.3125, 0.375, 0.5, 0.625])
def test_no_table_of_chances_keeps_more_than_is_proved_and_some_keep_nearly_that(limit: float) -> None:
    bound, tables = largest_correlation(SPEEDS, 1, limit), every_table()
    kept = best_correlation(tables[found_by_best(tables) <= limit + 1e-9]).max()
    assert kept <= bound.proved + 1e-9
    assert bound.reached <= bound.proved <= bound.reached + 0.005
    assert kept >= bound.reached - 0.02


def test_students_who_exchange_speeds_keep_no_more_either() -> None:
    """Where everybody's released speed depends on everybody else's: speeds exchanged by one of all permutations."""
    orders = np.array(list(permutations(range(len(SPEEDS)))))
    kept_by = np.array([np.corrcoef(SPEEDS, SPEEDS[order])[0, 1] for order in orders])
    generator = np.random.default_rng(5)
    limits = np.linspace(0.25, 1.0, 16)
    proved = np.array([largest_correlation(SPEEDS, 1, one).proved for one in limits])
    for spread in (0.02, 0.1, 1.0):
        for chance in generator.dirichlet(np.full(len(orders), spread), 300):
            marginal = np.einsum("o,ois->is", chance, orders[:, :, None] == np.arange(len(SPEEDS)))
            above = np.searchsorted(limits, found_by_best(marginal) - 1e-9)
            assert chance @ kept_by <= proved[above] + 1e-9
