"""Knowledge tracing: does a standard model learn as much from released rows as from real ones?

The model predicts an answer from the item's difficulty and the student's earlier right and wrong answers on that item
and on all items (the parts of PFA that need no student of their own), so that it can be tested on students it has never
seen.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix

from sharewell.contract import Utility
from sharewell.responses.kind import BAYESIAN_AUC, TRACING_AUC
from sharewell.responses.log import Log
from sharewell.responses.practice_counts import practice
from sharewell.responses.utility.bayesian_tracing import bayesian_auc
from sharewell.stats import roc
from sharewell.stats.arrays import Array
from sharewell.stats.logistic import Logistic, fit_logistic

HELD_OUT = 0.2  # of the original students, for testing


@dataclass(frozen=True, kw_only=True)
class Tracing:
    """AUC on held-out real students, of models trained on released rows and of those trained on real ones."""

    on_fake: float
    on_original: float
    rows: int
    students: Array  # original ones who were held out


def of_tracing(original: Log, fake: Log, *, seed: int) -> Iterator[Utility]:
    """The same model of learning, trained on released rows and on real ones."""
    trained = tracing_auc(original, fake, seed=seed)
    if trained is not None:
        yield Utility(
            measure=TRACING_AUC,
            value=trained.on_fake,
            n=trained.rows,
            baseline=trained.on_original,
            seed=seed,
            story="A model of learning trained on released rows predicts real answers of other students; "
            "the original's value is for the same model trained on real rows.",
        )
        train, test = original.only(~trained.students), original.only(trained.students)
        yield Utility(
            measure=BAYESIAN_AUC,
            value=bayesian_auc(fake, test),
            n=trained.rows,
            baseline=bayesian_auc(train, test),
            seed=seed,
            story="The same with Bayesian knowledge tracing: each skill is known or not, and learnt with practice.",
        )


def tracing_auc(original: Log, fake: Log, *, seed: int = 0) -> Tracing | None:
    """None where the held-out rows are all right or all wrong."""
    test, outside = tested_on(original, seed=seed), _held_out(original, seed)
    if test is None:
        return None
    train = original.only(~outside)
    on_fake, on_original = _auc(_fit(fake), test), _auc(_fit(train), test)
    return Tracing(on_fake=on_fake, on_original=on_original, rows=test.rows, students=outside)


def tested_on(original: Log, *, seed: int) -> Log | None:
    """Select the test students; None where all rows are right or all wrong."""
    outside = _held_out(original, seed)
    if outside.all() or not outside.any():
        return None
    test = original.only(outside)
    assert test.correct is not None
    return None if min(test.correct.sum(), (1 - test.correct).sum()) < 2 else test


def _held_out(original: Log, seed: int) -> Array:
    found: Array = np.random.default_rng([seed, 7]).random(original.lengths.size) < HELD_OUT
    return found


def _fit(log: Log) -> Logistic:
    assert log.correct is not None
    return fit_logistic(_features(log), log.correct, np.ones(log.rows))


def _auc(model: Logistic, test: Log) -> float:
    assert test.correct is not None
    score = _features(test) @ model.weights
    return roc.auc(score[test.correct == 1], score[test.correct == 0]).value


def _features(log: Log) -> csr_matrix:
    """The item, and the damped counts of earlier right and wrong answers: on the item, and overall."""
    assert log.correct is not None
    items = len(log.items)
    own = practice(log.item, log.bounds, log.correct, np.arange(items, dtype=np.int32), items)
    overall = practice(log.item, log.bounds, log.correct, np.zeros(items, dtype=np.int32), 1)
    values = np.ones((log.rows, 5))
    values[:, 1:] = np.log1p(np.stack([*own, *overall], axis=1))
    places = np.tile(np.arange(items - 1, items + 4), (log.rows, 1))
    places[:, 0] = log.item
    bounds = np.arange(0, 5 * log.rows + 1, 5)
    return csr_matrix((values.ravel(), places.ravel(), bounds), shape=(log.rows, items + 4))
