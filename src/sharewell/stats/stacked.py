"""Who was in? Several ways to count, weighed by what the attacker's own releases say each of them tells.

Totals of different kinds follow their members more or less than one model of their noise expects. Whoever makes
releases of their own learns the weights: membership is regressed on the posterior means of the groups of totals
(`tracing`), one by one (stacking, Wolpert 1992; the meta-classifier of shadow models, Shokri et al. 2017).

Half of the releases say how strongly totals follow their members, the weights are learnt on the other half but for the
release that is attacked. Were its members used anywhere, if only in the strength of totals of the releases on which the
weights are learnt, the attack would succeed on releases that tell nothing.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from sharewell.stats.arrays import Array
from sharewell.stats.shadows import Shadow, strengths
from sharewell.stats.tracing import Averages, centred, posterior_mean

RIDGE = 0.2  # per student and release, of scores of unit variance
FEWEST = 8  # releases: two of them calibrate at least, and three are learnt from


def stacked(known: Mapping[str, Averages], releases: Sequence[Shadow], *, share: float) -> list[Array]:
    """Scores of all students for every release, none of which was used to attack itself."""
    names = [name for name in known if all(name in release.look.averages for release in releases)]
    scores: dict[int, Array] = {}
    for half in (0, 1):
        own, others = range(half, len(releases), 2), releases[1 - half :: 2]
        features = _features({name: known[name] for name in names}, [releases[place] for place in own], others, share)
        found = _learnt(features, np.stack([centred(releases[place].member) for place in own]))
        scores |= dict(zip(own, found, strict=True))
    return [scores[place] for place in range(len(releases))]


def _features(known: Mapping[str, Averages], own: Sequence[Shadow], others: Sequence[Shadow], share: float) -> Array:
    """Posterior means by group of totals, each with mean 0 and variance 1: releases × groups × students."""
    trust = strengths(known, others)
    found = []
    for name, averages in known.items():
        means = [posterior_mean([averages], [one.look.averages[name]], [trust[name]], share=share) for one in own]
        found.append([(mean - mean.mean()) / (mean.std() or 1.0) for mean in means])
    return np.asarray(found).swapaxes(0, 1)


def _learnt(features: Array, member: Array) -> Array:
    """For every release the features weighed as a ridge regression over all other releases says."""
    size, students = len(features), member.shape[1]
    products = features @ features.swapaxes(1, 2)
    towards = np.einsum("rgs,rs->rg", features, member)
    ridge = RIDGE * students * (size - 1) * np.eye(features.shape[1])
    left = products.sum(axis=0) - products + ridge
    weights = np.linalg.solve(left, (towards.sum(axis=0) - towards)[:, :, None])[:, :, 0]
    found: Array = np.einsum("rg,rgs->rs", weights, features)
    return found
