"""Invented students behave like students: exams keep their length, wrong answers are tried again, practice helps."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import sharewell as sw
from sharewell.responses.log import Columns, read
from sharewell.responses.protection.lengths import fit_lengths
from sharewell.responses.protection.staying import stays_of
from sharewell.responses.utility.learning_curves import learning_curve
from sharewell.stats.noise import blurred

NAMES: dict[str, Any] = {"student": "user", "item": "item", "correct": "correct"}
COLUMNS = Columns(student="user", item="item", correct="correct")


def exam(students: int = 200, questions: int = 8) -> pa.Table:
    """Everybody answers every question once, in an order of their own."""
    generator = np.random.default_rng(0)
    item = np.concatenate([generator.permutation(questions) for _ in range(students)])
    user = np.repeat(np.arange(students), questions)
    ability, difficulty = generator.normal(size=students), generator.normal(size=questions)
    chance = 1 / (1 + np.exp(difficulty[item] - ability[user]))
    return pa.table({"user": user, "item": item, "correct": (generator.random(user.size) < chance).astype(int)})


@pytest.mark.parametrize("noise", [0.0, 3.0])
def test_an_exam_of_eight_questions_has_eight_rows_and_none_twice(noise: float) -> None:
    fake = sw.responses.fit(exam(), **NAMES, noise=noise).generate(150, seed=1)
    rows: dict[str, list[int]] = {}
    for user, item in zip(fake["user"].to_pylist(), fake["item"].to_pylist(), strict=True):
        rows.setdefault(user, []).append(item)
    assert {len(items) for items in rows.values()} == {8}
    assert np.mean([len(set(items)) for items in rows.values()]) > 7.9


def test_an_item_is_tried_again_after_a_wrong_answer_as_often_as_it_was() -> None:
    generator = np.random.default_rng(1)
    rows = []
    for student in range(300):
        for item in range(12):
            again = True
            while again:
                right = int(generator.random() < 0.6)
                rows.append((f"s{student}", f"i{item:02d}", right))
                again = generator.random() < (0.05 if right else 0.7)
    names = ("user", "item", "correct")
    table = pa.table({name: [row[place] for row in rows] for place, name in enumerate(names)})
    fake = sw.responses.fit(table, **NAMES).generate(300, seed=2)
    (real, before), (made, after) = (stays_of(read(log, COLUMNS)) for log in (table, fake))
    for outcome in (0, 1):
        assert made[after == outcome].mean() == pytest.approx(real[before == outcome].mean(), abs=0.07)
    assert made[after == 0].mean() > made[after == 1].mean() + 0.4


def test_learning_shows_attempt_by_attempt(make_planted: Any) -> None:
    """Answers settled on the difficulties aimed at come out some hundredths too hard at late attempts."""
    growing = make_planted(growth=0.8, seed=3).table
    model = sw.responses.fit(growing, **NAMES)
    real = learning_curve(read(growing, COLUMNS))[:5]
    made = np.mean([learning_curve(read(model.generate(400, seed=seed), COLUMNS))[:5] for seed in range(4)], axis=0)
    assert real[3] - real[0] > 0.1
    np.testing.assert_allclose(made - made[0], real - real[0], atol=0.05)
    np.testing.assert_allclose(made, real, atol=0.075)


def test_lengths_that_few_share_become_classes_and_none_shows_a_cap() -> None:
    generator = np.random.default_rng(2)
    lengths = np.maximum(generator.lognormal(3.5, 0.8, 500), 1).astype(np.int64)
    drawn = fit_lengths(lengths, m=10, longest=None, generator=generator).draw(20_000, generator)
    assert drawn.max() <= np.sort(lengths)[-10]
    assert np.median(drawn) == pytest.approx(np.median(lengths), rel=0.1)
    assert np.bincount(drawn)[drawn.max()] / drawn.size < 0.02


def test_much_noise_leaves_the_mean_and_none_leaves_the_values() -> None:
    generator = np.random.default_rng(3)
    value, error = generator.normal(2, 1, 200), np.full(200, 0.1)
    assert blurred(value, error, group=None, c=0.0, generator=generator, usual=1.0) is value
    little = blurred(value, error, group=None, c=1.0, generator=generator, usual=1.0)
    assert np.corrcoef(little, value)[0, 1] > 0.98
    much = blurred(value, error, group=None, c=1_000.0, generator=generator, usual=1.0)
    assert much.std() < 0.2 * 1_000 * 0.1


def test_noise_comes_from_the_generator_that_is_given(course: Any) -> None:
    one, two, other = (
        sw.responses.fit(course.table, **NAMES, noise=1.0, seed=seed).generate(50, seed=1) for seed in (1, 1, 2)
    )
    assert one.equals(two) and not one.equals(other)
