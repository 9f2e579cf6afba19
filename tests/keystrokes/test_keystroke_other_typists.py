"""Attacks that learn from other typists: nobody who is compared taught, and nothing is found where nothing is told."""

import numpy as np
import pytest

from sharewell.keystrokes.arrays import Array
from sharewell.keystrokes.measure import fusion, pair_metric, ranking
from sharewell.keystrokes.measure.other_typists import lessons
from sharewell.keystrokes.measure.pair_metric import Pairs
from sharewell.stats.ranks import share_within

PEOPLE, FEATURES, WITHIN, RELEASES = 100, 30, 5, 12
OWN = np.arange(PEOPLE)


def found(scores: Array) -> float:
    counts = ranking.of_scores(scores, OWN)
    return float(share_within(counts[:, 0], counts[:, 1], WITHIN).mean())


def attacked(told: float, seed: int) -> tuple[float, float]:
    """What a learnt metric finds, and what it and plain distances find together, where two samples share so much."""
    generator = np.random.default_rng(seed)
    each = []
    for _ in range(2):
        person, near, far = generator.normal(size=(3, PEOPLE, FEATURES))
        pairs = Pairs(near=told * person + near, far=told * person + far, pair=OWN)
        each += [pair_metric.scores(pairs, OWN, seed), -((pairs.far[:, None] - pairs.near) ** 2).sum(axis=2)]
    return found(each[0]), found(fusion.scores(each, OWN, seed))


@pytest.mark.parametrize("folds", [5, 10])
def test_everyone_is_compared_once_by_what_neither_of_the_two_taught(folds: int) -> None:
    own, compared, teachers = np.arange(0, 60, 3), np.zeros((20, 60), dtype=int), set()
    for lesson in lessons(own, 60, 7, folds):
        teachers.add(int(lesson.teaches.sum()))
        for rows, candidates in lesson.blocks:
            compared[np.ix_(rows, candidates)] += 1
            assert not lesson.teaches[own[rows]].any() and not lesson.teaches[candidates].any()
    assert (compared == 1).all() and teachers == {60 - 2 * 60 // folds}


def test_samples_that_share_nothing_find_nobody_beyond_chance() -> None:
    """With only the one who is looked for left out, all together found .098 here."""
    shares = np.mean([attacked(0.0, seed) for seed in range(RELEASES)], axis=0)
    chance = WITHIN / PEOPLE
    assert shares == pytest.approx(chance, abs=3 * np.sqrt(chance * (1 - chance) / (PEOPLE * RELEASES)))


def test_samples_that_share_something_are_found() -> None:
    metric, together = attacked(2.0, 0)
    assert metric > 0.5 and together > 0.8
