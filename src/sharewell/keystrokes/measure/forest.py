"""A random forest that tells pairs of samples by one person from pairs by two.

It learns from the attacker's reference alone: every person's mean log times are drawn twice with the noise that their
counts allow, once as known and once as found; the absolute differences of the two are the features, scaled by what
people differ. One forest serves any number of people, where one class per person would not fit into memory.
"""

import numpy as np

from sharewell.keystrokes.arrays import Array
from sharewell.keystrokes.measure import likelihood
from sharewell.keystrokes.measure.likelihood import Evidence
from sharewell.keystrokes.samples import Sample

TREES, FEATURES, OTHERS = 100, 60, 4
MOST_PEOPLE = 600  # to learn from: more people teach little more
AT_ONCE = 50  # people looked for in one call
MISSING = -1.0


def scores(train: Sample, test: Sample, rows: Array, seed: int) -> Array:
    """The probability that each pair is one person: larger is more alike."""
    from sklearn.ensemble import RandomForestClassifier

    evidence = _strongest(likelihood.gather(train, test))
    generator = np.random.default_rng(seed)
    pairs, same = _lessons(evidence, generator)
    if pairs.shape[1] == 0 or same.all():  # no time that both samples know, or nobody to tell apart: no opinion
        return np.zeros((len(rows), len(train.students)))
    forest = RandomForestClassifier(TREES, min_samples_leaf=3, random_state=seed, n_jobs=2).fit(pairs, same)
    result = np.empty((len(rows), len(train.students)))
    for start in range(0, len(rows), AT_ONCE):
        some = rows[start : start + AT_ONCE]
        known = (evidence.test_count[some][:, None, :] > 0) & (evidence.train_count > 0)
        gaps = _gaps(evidence.train_mean, evidence.test_mean[some][:, None, :], known, evidence)
        chances = forest.predict_proba(gaps.reshape(-1, gaps.shape[-1]))[:, 1]
        result[start : start + AT_ONCE] = chances.reshape(len(some), -1)
    return result


def _strongest(evidence: Evidence) -> Evidence:
    """The features on which people differ most for what they vary within, weighed by how many have them."""
    weight = evidence.between / evidence.within * (evidence.test_count > 0).mean(axis=0)
    chosen = np.argsort(-weight)[:FEATURES]
    return Evidence(
        train_mean=evidence.train_mean[:, chosen],
        train_count=evidence.train_count[:, chosen],
        test_mean=evidence.test_mean[:, chosen],
        test_count=evidence.test_count[:, chosen],
        within=evidence.within[chosen],
        between=evidence.between[chosen],
    )


def _lessons(evidence: Evidence, generator: np.random.Generator) -> tuple[Array, Array]:
    people = generator.permutation(len(evidence.train_mean))[:MOST_PEOPLE]
    partners = [people, *(generator.permutation(people) for _ in range(OTHERS))]
    known = np.concatenate([people] * len(partners))
    found = np.concatenate(partners)
    typical = generator.integers(0, len(evidence.test_count), len(found))
    counts = evidence.test_count[typical]
    first = _noisy(evidence, known, evidence.train_count[known], generator)
    second = _noisy(evidence, found, counts, generator)
    there = (counts > 0) & (evidence.train_count[known] > 0) & (evidence.train_count[found] > 0)
    return _gaps(first, second, there, evidence), known == found


def _noisy(evidence: Evidence, people: Array, counts: Array, generator: np.random.Generator) -> Array:
    noise = np.sqrt(evidence.within / np.maximum(counts, 1))
    return np.asarray(evidence.train_mean[people] + noise * generator.normal(size=(len(people), len(evidence.within))))


def _gaps(first: Array, second: Array, there: Array, evidence: Evidence) -> Array:
    return np.where(there, np.abs(first - second) / np.sqrt(evidence.between), MISSING)
