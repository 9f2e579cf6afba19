"""What analysts do with a log: Bayesian knowledge tracing, items done together, difficulties with intervals."""

from dataclasses import replace
from itertools import pairwise, product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharewell.responses.kind import LEARNING_WORST
from sharewell.responses.log import Columns, Log, read
from sharewell.responses.utility.bayesian_tracing import Numbers, _expected, bayesian_auc, fit_bayesian
from sharewell.responses.utility.item_difficulty import difficulty_error_of
from sharewell.responses.utility.items_together import of_pairs
from sharewell.responses.utility.usefulness import usefulness
from sharewell.stats.arrays import Array

COLUMNS = Columns(student="user", item="item", correct="correct")


def log_of(user: Array, item: Array, correct: Array, items: int) -> Log:
    names = pa.array([f"i{code:03d}" for code in range(items)])
    table = pa.table({"user": user, "item": names.take(pa.array(item)), "correct": correct})
    return read(table, COLUMNS, items=names)


def learners(students: int, numbers: tuple[float, float, float, float], seed: int) -> Log:
    """Ten attempts on one skill each, by the model itself."""
    known_first, learnt, guess, slip = numbers
    generator = np.random.default_rng(seed)
    known, right = generator.random(students) < known_first, np.empty((students, 10), dtype=np.int8)
    for attempt in range(10):
        right[:, attempt] = generator.random(students) < np.where(known, 1 - slip, guess)
        known |= generator.random(students) < learnt
    user = np.repeat(np.arange(students), 10)
    return log_of(user, np.zeros(user.size, dtype=int), right.ravel(), 1)


def test_planted_numbers_of_learning_come_out() -> None:
    planted = (0.3, 0.2, 0.15, 0.1)
    found = fit_bayesian(learners(3_000, planted, 1), 1)
    np.testing.assert_allclose([part[0] for part in found], planted, atol=0.05)


@given(
    answers=st.lists(st.integers(0, 1), min_size=1, max_size=5),
    numbers=st.tuples(*[st.floats(0.05, 0.45)] * 4),
)
def test_what_is_expected_is_the_sum_over_all_histories(
    answers: list[int], numbers: tuple[float, float, float, float]
) -> None:
    first, learnt, guess, slip = numbers
    hits, of, whole = np.zeros(4), np.zeros(4), 0.0
    for history in product((0, 1), repeat=len(answers)):
        if any(later < now for now, later in pairwise(history)):
            continue  # what is known is not lost
        chance = first if history[0] else 1 - first
        for now, later in pairwise(history):
            chance *= 1.0 if now else (learnt if later else 1 - learnt)
        for known, right in zip(history, answers, strict=True):
            chance *= (1 - slip if right else slip) if known else (guess if right else 1 - guess)
        whole += chance
        steps = list(pairwise(history))
        rows = list(zip(history, answers, strict=True))
        guesses, slips = sum(not known and right for known, right in rows), sum(k and not r for k, r in rows)
        hits += chance * np.array([history[0], sum(a < b for a, b in steps), guesses, slips])
        of += chance * np.array([1, sum(not a for a, _ in steps), sum(not k for k in history), sum(history)])
    present = Numbers(*(np.array([value]) for value in numbers))
    found = _expected(
        np.array(answers, dtype=np.int8), np.zeros(len(answers), dtype=np.int64), np.array([0, len(answers)]), present
    )
    np.testing.assert_allclose(found[0][:, 0], hits / whole, atol=1e-9)
    np.testing.assert_allclose(found[1][:, 0], of / whole, atol=1e-9)


def test_tracing_learns_from_learners_and_not_from_coins() -> None:
    planted, coins = (0.3, 0.2, 0.15, 0.1), (0.5, 0.5, 0.5, 0.5)
    test = learners(600, planted, 2)
    assert bayesian_auc(learners(600, planted, 3), test) > 0.7
    assert bayesian_auc(learners(600, coins, 4), test) < bayesian_auc(learners(600, planted, 3), test)


def courses(students: int, seed: int, *, mixed: bool) -> Log:
    """Two courses of ten items; a student does six of one of them, or of both where they are mixed."""
    generator = np.random.default_rng(seed)
    rows = []
    for student in range(students):
        pool = np.arange(20) if mixed else np.arange(10) + 10 * (student % 2)
        rows += [(student, code) for code in generator.choice(pool, 6, replace=False)]
    user, item = np.array(rows).T
    return log_of(user, item, generator.integers(0, 2, user.size), 20)


def test_items_done_together_are_as_near_as_two_halves_unless_courses_mix() -> None:
    original = courses(400, 1, mixed=False)
    (again,), (mixed,) = (list(of_pairs(original, courses(400, 2, mixed=one), seed=0)) for one in (False, True))
    assert again.baseline is not None and again.value < 1.3 * again.baseline
    assert mixed.value > 0.4
    (same,) = of_pairs(original, original, seed=0)
    assert same.value == 0


def exam(seed: int, difficulty: Array) -> Log:
    """Three hundred students who answer thirty items of given difficulties."""
    generator = np.random.default_rng(seed)
    user, item = np.repeat(np.arange(300), 30), np.tile(np.arange(30), 300)
    chance = 1 / (1 + np.exp(difficulty[item] - generator.normal(size=300)[user]))
    return log_of(user, item, (generator.random(user.size) < chance).astype(int), 30)


def test_difficulties_of_other_students_lie_within_their_intervals_and_others_do_not() -> None:
    difficulty = np.linspace(-1.5, 1.5, 30)
    original = exam(1, difficulty)
    assert difficulty_error_of(original, exam(2, difficulty)).within >= 0.85
    assert difficulty_error_of(original, exam(3, difficulty[::-1])).within < 0.4
    assert difficulty_error_of(original, original).within == pytest.approx(1.0)


def test_reliability_is_the_share_of_the_spread_that_is_no_error() -> None:
    """Backwards each difficulty is off by twice its distance to the mean: S / (S + 4 S)."""
    difficulty = np.linspace(-1.5, 1.5, 30)
    original = exam(1, difficulty)
    assert difficulty_error_of(original, original).reliability == 1.0
    assert difficulty_error_of(original, exam(2, difficulty)).reliability > 0.9
    assert difficulty_error_of(original, exam(3, difficulty[::-1])).reliability == pytest.approx(0.2, abs=0.03)


def test_the_learning_curve_of_released_rows_is_one_over_skills_where_the_original_has_them() -> None:
    """Rows that are the original's own, read without skills as released rows are, have its curve."""
    log = learners(100, (0.2, 0.3, 0.1, 0.1), 1)
    generator = np.random.default_rng(2)
    student = log.student
    assert log.correct is not None
    log = log_of(student, generator.integers(0, 6, student.size), log.correct, 6)
    skilled = replace(log, skill_of=np.zeros(6, dtype=np.int32), skills=pa.array(["s"]))
    found = {use.name: use.value for use in usefulness(skilled, log)}
    assert found[LEARNING_WORST.id] == 0.0
