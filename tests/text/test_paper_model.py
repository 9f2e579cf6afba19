"""The trees, the network, and how both are kept."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from sharewell.text import forest, network, paper_model
from sharewell.text.paper_features import DENSE, SPARSE
from sharewell.text.paper_model import Settings, WordModel

RNG = np.random.default_rng(5)
COLUMNS = len(DENSE) + SPARSE + 3
ROWS = np.abs(RNG.normal(size=(300, COLUMNS)))
LABELS = ROWS[:, 0] + ROWS[:, 30] > 1.5
ONES = np.ones(300)


def test_the_arrays_say_what_scikit_learn_says() -> None:
    from sklearn.ensemble import ExtraTreesClassifier

    weights = np.where(LABELS, 2.0, 1.0)
    theirs = ExtraTreesClassifier(40, min_samples_leaf=2, max_features=0.25, random_state=3)
    theirs.fit(ROWS.astype(np.float32), LABELS.astype(int), sample_weight=weights)
    ours = forest.grow(ROWS, LABELS, weights, trees=40, leaf=2, share=0.25, seed=3)
    other = np.abs(RNG.normal(size=(100, COLUMNS)))
    assert ours.predict(other) == pytest.approx(theirs.predict_proba(other.astype(np.float32))[:, 1], abs=1e-5)


def test_kinds_of_names_are_told_apart() -> None:
    kinds = np.where(LABELS, np.where(ROWS[:, 1] > 0.7, 2, 1), 0)
    shares = forest.grow(ROWS, kinds, ONES, trees=40).shares(ROWS)
    assert shares.shape == (300, 2)
    assert ((shares.argmax(axis=1) + 1) == kinds)[LABELS].mean() > 0.9


def test_the_network_learns_and_is_reproducible() -> None:
    first = network.train(ROWS, LABELS, ONES, seed=1)
    again = network.train(ROWS, LABELS, ONES, seed=1)
    guess = first.predict(ROWS)
    assert np.array_equal(guess, again.predict(ROWS))
    assert ((guess > 0.5) == LABELS).mean() > 0.8
    assert np.isfinite(first.predict(ROWS * 1e6)).all()


def test_dense_and_sparse_inputs_meet_only_after_their_layers() -> None:
    weights = network.train(ROWS, LABELS, ONES, network.NetworkSettings(neurons=4)).weights[0]
    sparse = np.arange(len(DENSE), len(DENSE) + SPARSE)
    dense = np.setdiff1d(np.arange(COLUMNS), sparse)
    assert not weights[dense, 4:].any() and not weights[sparse, :4].any()
    assert weights[dense, :4].all() and weights[sparse, 4:].all()


@pytest.fixture(scope="module")
def taught() -> WordModel:
    return paper_model.fit(ROWS, LABELS, ("hi", "dear"), Settings(trees=20))


def test_the_fusion_is_the_mean(taught: WordModel) -> None:
    rows = np.abs(RNG.normal(size=(20, COLUMNS)))
    scaled = paper_model.scaled(rows)
    mean = (taught.forest.predict(scaled) + taught.network.predict(scaled)) / 2
    assert taught.probabilities(rows) == pytest.approx(mean)
    again = WordModel.from_arrays(taught.to_arrays())
    assert np.array_equal(again.probabilities(rows), taught.probabilities(rows)) and again.context == ("hi", "dear")


def test_a_missed_name_weighs_twice() -> None:
    """Where the classes overlap fully, doubling the cost of missed names moves the probability from 1/2 to 2/3."""
    rows, labels = np.zeros((400, 3)), np.arange(400) % 2 == 1
    cost = paper_model._cost(labels, None, Settings())
    assert forest.grow(rows, labels, cost, trees=5).predict(rows[:1])[0] == pytest.approx(2 / 3, abs=1e-6)


def test_the_search_chooses_inside_the_training_part_only() -> None:
    scores = paper_model.nested_scores(ROWS, LABELS, settings=Settings(trees=50), leaves=(1, 32), shares=(0.5,))
    assert scores.shape == LABELS.shape
    assert roc_auc_score(LABELS, scores) > 0.75  # ranks, not labels: a missed name weighs twice
    best = paper_model.search(ROWS, LABELS, settings=Settings(trees=20), leaves=(2, 150), shares=(0.5,))
    assert best.leaf == 2  # leaves of half the rows can tell nothing apart
