"""Answers settled on what is aimed at, and how far noisy numbers are drawn together."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharewell.responses.log import Columns, read
from sharewell.responses.practice_counts import attempts_before
from sharewell.responses.protection.abilities import fit_abilities, fit_diligence
from sharewell.responses.protection.items_left_out import hidden_items
from sharewell.responses.protection.levelling import SPREAD, fit_aims, learning_curve_of, spent_parts
from sharewell.responses.protection.rasch import fit_rasch
from sharewell.responses.protection.settled_answers import settled, settled_attempts
from sharewell.stats.arrays import Array
from sharewell.stats.noise import blurred, of_usual_size, trust


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
def test_the_true_spread_is_found_whatever_a_few_certain_values_say(spread: float, noise: float, seed: int) -> None:
    generator = np.random.default_rng(seed)
    variance = np.where(np.arange(400) < 4, 1e-6, noise**2)
    away = generator.normal(0, spread, 400) + generator.normal(0, np.sqrt(variance))
    away[:4] = 0.0  # four large items that happen to be average do not make all alike
    found = trust(away, variance, usual=1.0)[4:]
    best = spread**2 / (spread**2 + noise**2)
    assert np.ptp(found) < 1e-12
    assert abs(found[0] - best) < 0.15


def test_under_much_noise_the_usual_spread_decides_and_order_is_kept() -> None:
    """No value is thrown away because noise alone might show what is seen."""
    generator = np.random.default_rng(1)
    value = generator.normal(0, 0.7, 40)
    ranks = []
    for _ in range(100):
        found = blurred(value, np.full(40, 0.7), group=None, c=2.0, generator=generator, usual=0.7)
        assert np.ptp(found) > 0
        ranks.append(np.corrcoef(found, value)[0, 1])
    assert np.mean(ranks) == pytest.approx(1 / np.sqrt(5), abs=0.1)


def test_a_common_mean_with_noise_of_its_own_is_kept_where_values_are_lost() -> None:
    value, error = np.random.default_rng(2).normal(0.3, 0.1, 100), np.full(100, 0.1)
    means = [
        blurred(value, error, group=None, c=50.0, generator=np.random.default_rng(seed), usual=0.1, of_mean=one).mean()
        for seed, one in [(seed, one) for one in (0.0, 10.0) for seed in range(200)]
    ]
    assert np.mean(means[:200]) == pytest.approx(0.3, abs=0.02)
    assert np.std(means[:200]) < 0.03 < 0.08 < np.std(means[200:]) < 0.13


def test_without_noise_nothing_moves() -> None:
    value = np.array([1.0, -2.0, 3.0])
    assert blurred(value, np.ones(3), group=None, c=0.0, generator=np.random.default_rng(0), usual=1.0) is value


def test_answers_settled_on_a_learning_curve_keep_their_items_and_habits() -> None:
    """Attempts come out as they should; right answers per item, and how many students stay after one, do not move."""
    generator = np.random.default_rng(7)
    students, items, rows = 300, 8, 40
    student = np.repeat(np.arange(students), rows)
    item = np.sort(generator.integers(0, items, (students, rows)), axis=1).ravel()
    attempt = np.minimum(attempts_before(student, item), 4)
    correct = (generator.random(item.size) < 0.6).astype(np.int8)
    curve = np.array([0.5, 0.6, 0.65, 0.63, 0.6])
    done = settled_attempts(item, student, attempt, correct, curve, generator)
    share = np.bincount(attempt, weights=done) / np.bincount(attempt)
    assert np.abs(share - curve)[:-1].max() < 0.001
    assert (np.bincount(item, weights=done) == np.bincount(item, weights=correct)).all()
    stays = (item[1:] == item[:-1]) & (student[1:] == student[:-1])
    assert done[:-1][stays].sum() == correct[:-1][stays].sum()


def test_a_curve_without_noise_stays_and_a_noisy_one_keeps_its_first_attempt_and_a_line() -> None:
    """Under ten standard errors nothing is left of single attempts, and the level of first and later ones is."""
    generator = np.random.default_rng(5)
    students, items, tries = 400, 6, 8
    student = np.repeat(np.arange(students), items * tries)
    item = np.tile(np.repeat(np.arange(items), tries), students)
    attempt = np.tile(np.arange(tries), students * items)
    right = generator.random(student.size) < np.where(attempt == 0, 0.45, 0.75)
    log = read(pa.table({"s": student, "i": item, "c": right.astype(int)}), Columns(student="s", item="i", correct="c"))
    assert log.correct is not None
    fitted, share = fit_rasch(log), learning_curve_of(log.item, log.student, log.correct, None)[1]
    exact = fit_aims(log, fitted, c=0.0, generator=generator).curve
    np.testing.assert_allclose(exact[:tries], share[:tries])
    noisy = [fit_aims(log, fitted, c=10.0, generator=generator).curve for _ in range(60)]
    assert np.abs(np.diff(noisy, n=2, axis=1)[:, 1:]).max() < 0.02  # 0.24 without
    assert np.std([curve[0] for curve in noisy]) < 0.1
    assert np.mean([curve[1] - curve[0] for curve in noisy]) == pytest.approx(0.3, abs=0.06)


@given(st.integers(0, 100), st.floats(0.1, 30))
def test_noise_goes_where_it_costs_least_and_tells_no_more(seed: int, c: float) -> None:
    """Posterior errors, weighed by rows, are less than with noise on all alike."""
    generator = np.random.default_rng(seed)
    rows = generator.integers(20, 5_000, 60)
    error = generator.uniform(1, 3, 60) / np.sqrt(rows)
    parts = spent_parts(error, rows, c=c)
    assert parts.sum() <= 60 * 1.001

    def left(part: Array) -> float:
        seen = part / (c * error) ** 2
        return float(rows @ (1 / (1 / SPREAD**2 + seen)))

    assert left(parts) <= left(np.ones(60)) * 1.001


def test_what_is_left_out_does_not_say_how_much_items_differ() -> None:
    """Ten items that differ, alone and among a hundred that are not there."""
    value, error = np.concatenate([np.linspace(-2, 2, 10), np.zeros(100)]), np.repeat([0.4, 0.0], [10, 100])
    alone = blurred(value[:10], error[:10], group=None, c=1.0, generator=np.random.default_rng(3), usual=2.0)
    among = blurred(value, error, group=None, c=1.0, generator=np.random.default_rng(3), usual=2.0)
    np.testing.assert_allclose(among[:10], alone)
    assert (among[10:] == value[10:]).all()
    assert np.ptp(alone) > 2


def test_few_students_need_more_noise_on_which_items_come() -> None:
    """The same items with as many students each, in a course of 200 and in one of 4,000."""

    def hidden(students: int) -> float:
        generator = np.random.default_rng(0)
        did = np.concatenate([generator.permutation(200)[:18] for _ in range(40)])
        others = np.arange(students)
        table = pa.table(
            {
                "s": np.concatenate([did, others]),
                "i": np.concatenate([np.repeat(np.arange(40), 18), np.full(students, 99)]),
            }
        )
        log = read(table, Columns(student="s", item="i"))
        return float(np.mean([hidden_items(log, 12, c=1.2, generator=generator).mean() for _ in range(20)]))

    assert hidden(4_000) < 0.1 < 0.4 < hidden(200)


def test_spread_and_diligence_are_off_by_what_they_are_told() -> None:
    generator = np.random.default_rng(5)
    ability, lengths = generator.normal(0, 1, 400), generator.integers(5, 100, 400)
    for kind in ("normal", "kernel"):
        plain, wide = (fit_abilities(ability, kind, off=off).draw(2_000, generator).std() for off in (0.0, 4.0))
        assert wide / plain == pytest.approx(np.exp(4 / np.sqrt(800)), abs=0.03)
    plain, steep = (fit_diligence(ability, lengths, off=off).slope for off in (0.0, 2.0))
    error = ability.std() / np.sqrt(np.sum((np.log(lengths) - np.log(lengths).mean()) ** 2))
    assert steep - plain == pytest.approx(2 * error, rel=0.02)


def test_noise_of_the_usual_size_points_anywhere_and_is_left_to_luck_where_few_draws_count() -> None:
    generator = np.random.default_rng(8)
    share = generator.uniform(0.5, 1.5, 60)
    drawn = np.stack([of_usual_size(generator.standard_normal(60), share) for _ in range(2_000)])
    np.testing.assert_allclose(drawn**2 @ share, share.sum())
    assert np.abs(drawn.mean(axis=0)).max() < 0.1 and np.abs((drawn**2).mean(axis=0) - 1).max() < 0.15
    few = generator.standard_normal(60)
    assert (of_usual_size(few, np.where(np.arange(60) < 5, 100.0, 0.01)) == few).all()
