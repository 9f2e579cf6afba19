"""Answers settled on what is aimed at, and how far noisy numbers are drawn together."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sharewell.responses.log import Columns, read
from sharewell.responses.protection.rasch import fit_rasch
from sharewell.responses.protection.settled_answers import settled
from sharewell.stats.noise import blurred, true_spread


@pytest.mark.parametrize("level", [-1.0, 0.0, 0.7])
def test_settled_answers_have_the_difficulties_aimed_at(level: float) -> None:
    generator = np.random.default_rng(4)
    students, items, rows = 400, 12, 30
    aim = generator.normal(level, 1.0, items)
    item = generator.integers(0, items, students * rows)
    student = np.repeat(np.arange(students), rows)
    ability = generator.normal(0.3, 1.0, students)  # drawn too able: what is aimed at has a mean of zero
    correct = (generator.random(item.size) < 1 / (1 + np.exp(aim[item] - ability[student]))).astype(np.int8)
    done = settled(item, student, correct, aim, generator)
    assert 0 < (done != correct).mean() < 0.1
    table = pa.table({"s": student, "i": item, "c": done})
    log = read(table, Columns(student="s", item="i", correct="c"))
    place = np.array([int(name) for name in log.items.to_pylist()])
    assert np.abs(fit_rasch(log).difficulty - aim[place]).max() < 0.05


def test_an_item_that_is_not_there_and_one_without_an_aim_are_left_alone() -> None:
    generator = np.random.default_rng(0)
    item, student = np.repeat([0, 1], 50), np.tile(np.arange(50), 2)
    correct = generator.integers(0, 2, 100).astype(np.int8)
    order = np.argsort(student, kind="stable")
    item, student = item[order], student[order]
    done = settled(item, student, correct, np.array([0.5, np.nan, -3.0]), generator)
    assert (done[item == 1] == correct[item == 1]).all()


@given(st.floats(0.05, 3.0), st.floats(0.01, 1.0), st.integers(0, 50))
@settings(max_examples=30, deadline=None)
def test_the_true_spread_is_found_whatever_a_few_certain_values_say(spread: float, noise: float, seed: int) -> None:
    generator = np.random.default_rng(seed)
    variance = np.where(np.arange(400) < 4, 1e-6, noise**2)
    away = generator.normal(0, spread, 400) + generator.normal(0, np.sqrt(variance))
    away[:4] = 0.0  # four large items that happen to be average do not make all alike
    found = true_spread(away, variance)
    assert found <= 1.4 * spread**2 + 0.3 * noise**2
    if spread > 2 * noise:
        assert found >= 0.5 * spread**2


def test_scatter_that_noise_alone_shows_is_no_spread() -> None:
    generator = np.random.default_rng(1)
    assert np.mean([true_spread(generator.normal(0, 0.3, 100), np.full(100, 0.09)) == 0 for _ in range(100)]) > 0.9


def test_without_noise_nothing_moves() -> None:
    value = np.array([1.0, -2.0, 3.0])
    assert blurred(value, np.ones(3), group=None, c=0.0, generator=np.random.default_rng(0)) is value
