"""Shadow releases: attackers run the known algorithm on members of their own choice, and learn what to expect.

`strengths`: how strongly averages follow their members. `likelihood_ratio` (Carlini et al. 2022, LiRA): a student's
score beside the scores of the same student in releases with and without the student; with few releases the two means
are drawn towards those of all students, and one spread serves everybody. `whitened`: directions in which releases vary
least. `stacked`: weights of groups of averages, learnt from releases with known members.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sharewell.lab.tracing import (
    Averages,
    Observed,
    Strength,
    Sums,
    calibrated,
    centred,
    posterior_mean,
    sums_of,
    uncalibrated,
)
from sharewell.stats.arrays import Array

TRUST = 4.0  # releases: how many of a student's own weigh as much as what holds for all students
MOST_CELLS = 400_000  # averages × students that are written out for whitening
FEWEST_AVERAGES = 20  # of a group, whatever the number of students
LEAST = 1e-12
RIDGE = 0.2  # of stacking: per student and release, of scores of unit variance
FEWEST_STACKED = 8  # releases: two of them calibrate at least, and three are learnt from


@dataclass(frozen=True)
class Look:
    """What an attacker computes from one release: its averages, and log density ratios of every student."""

    averages: dict[str, Observed]
    density: dict[str, Array]


@dataclass(frozen=True)
class Shadow:
    """A release that the attacker made with the known algorithm, from members of their own choice."""

    look: Look
    member: Array


Trust = Mapping[str, Strength]  # how strongly every group of averages follows its members


def strengths(known: Mapping[str, Averages], shadows: Sequence[Shadow]) -> Trust:
    """Estimate from shadow releases how strongly averages follow their members; fully where there are none."""
    return _trust(known, _sums(known, shadows))


def strengths_for_each(
    known: Mapping[str, Averages], releases: Sequence[Shadow], others: Sequence[Shadow] = ()
) -> Iterator[Trust]:
    """Estimate the same for an attack on each of the releases: by all of them but itself, and by `others`."""
    every = _sums(known, [*releases, *others])
    for release in releases:
        own = _sums(known, [release])
        yield _trust(known, {name: sums - own[name] for name, sums in every.items()})


def _sums(known: Mapping[str, Averages], releases: Sequence[Shadow]) -> dict[str, Sums]:
    found: dict[str, Sums] = {}
    for release in releases:
        for name, averages in known.items():
            own = sums_of(averages, release.look.averages[name], release.member)
            found[name] = found[name] + own if name in found else own
    return found


def _trust(known: Mapping[str, Averages], sums: Mapping[str, Sums]) -> Trust:
    enough = bool(sums) and min(one.releases for one in sums.values()) >= 2
    return {
        name: calibrated(averages, sums[name]) if enough else uncalibrated(averages) for name, averages in known.items()
    }


def likelihood_ratio(score: Array, shadows: Sequence[Array], members: Sequence[Array]) -> Array:
    """Compute the log of how much likelier every student's score is for a member than for a non-member.

    `shadows` are the scores in releases with known `members`, one array over all students for each release.
    """
    seen, inside = np.stack(shadows), np.stack(members)
    usual = np.median(seen, axis=0)
    away = seen - usual
    gain = float(away[inside].mean() - away[~inside].mean()) if inside.any() and not inside.all() else 0.0
    times_in, times_out = inside.sum(axis=0), (~inside).sum(axis=0)
    own_in = np.where(inside, away, 0.0).sum(axis=0)
    own_out = np.where(inside, 0.0, away).sum(axis=0)
    centre = (own_in + own_out - gain * times_in) / seen.shape[0]  # where the student stands when out
    mean_out = (own_out + TRUST * centre) / (times_out + TRUST)
    mean_in = (own_in + TRUST * (centre + gain)) / (times_in + TRUST)
    left = away - np.where(inside, mean_in, mean_out)
    variance = (left**2).mean(axis=0) + (left**2).mean() + LEAST
    here = score - usual
    found: Array = ((here - mean_out) ** 2 - (here - mean_in) ** 2) / variance
    return found


def whitened(
    known: Mapping[str, Averages], look: Look, shadows: Sequence[Shadow], trust: Trust, *, share: float
) -> Array:
    """Compute the posterior mean of every student's membership under correlated noise, around the share of members.

    Tracing takes the noise of every average for its own. Noise that many share hides less: their differences are
    nearly free of it. The covariance S of all averages over shadow releases shows these directions; with few releases
    it is shrunk towards a multiple of the identity (Ledoit and Wolf 2004, equation 14), and the posterior mean z solves

        (DᵀS⁻¹D + I/variance) z = DᵀS⁻¹y,   with y and D as in `lab.tracing`, D times how strongly averages follow.
    """
    names = [name for name in known if name in look.averages]
    students = known[names[0]].counts.shape[1]
    most = max(FEWEST_AVERAGES, MOST_CELLS // (students * len(names)))
    members = np.stack([centred(shadow.member) for shadow in shadows])
    parts = []
    for name in names:
        group = known[name]
        chosen = np.argsort(-group.share, kind="stable")[:most]  # the commonest
        moved = (trust[name].slope[group.family][chosen, None] * group.rows(chosen)).T
        change = np.stack([shadow.look.averages[name].change[chosen] for shadow in shadows])
        parts.append((moved, look.averages[name].change[chosen], change - members @ moved))
    moved, seen, others = (np.concatenate(part, axis=-1) for part in zip(*parts, strict=True))
    scale = others.std(axis=0)
    known_noise = scale > LEAST
    centre, scale = others.mean(axis=0)[known_noise], scale[known_noise]
    moved, seen = moved[:, known_noise].T / scale[:, None], (seen[known_noise] - centre) / scale
    solved = shrunk_solve((others[:, known_noise] - centre) / scale, np.column_stack([seen, moved]))
    system = moved.T @ solved[:, 1:] + np.eye(students) / (share * (1 - share))
    return np.linalg.solve(system, moved.T @ solved[:, 0])


def shrunk_solve(noise: Array, sides: Array) -> Array:
    """Compute S⁻¹ times `sides`, S the shrunk covariance of the rows of `noise`, whose columns have mean zero.

    With fewer rows than columns only a system of the size of the rows is solved (Woodbury's identity).
    """
    rows, columns = noise.shape
    products = noise @ noise.T / rows
    level = float(np.trace(products)) / columns
    squares = float((products**2).sum())
    spread = squares / columns - level**2
    error = (float((np.diag(products) ** 2).sum()) * rows - squares) / rows / columns
    weight = float(np.clip(error / max(spread, LEAST), 1e-3, 1.0))
    floor = weight * level
    if weight == 1.0:
        return np.asarray(sides / floor)
    inner = products + np.eye(rows) * floor / (1 - weight)
    return np.asarray((sides - noise.T @ np.linalg.solve(inner, noise @ sides) / rows) / floor)


def stacked(known: Mapping[str, Averages], releases: Sequence[Shadow], *, share: float) -> list[Array]:
    """Score all students for every release by posterior means of single groups, weighed by ridge regression.

    Stacking (Wolpert 1992; the meta-classifier of shadow models, Shokri et al. 2017). Half of the releases say how
    strongly averages follow their members, the weights are learnt on the other half but for the release attacked: were
    its members used anywhere, the attack would succeed on releases that disclose nothing.
    """
    names = [name for name in known if all(name in release.look.averages for release in releases)]
    scores: dict[int, Array] = {}
    for half in (0, 1):
        own, others = range(half, len(releases), 2), releases[1 - half :: 2]
        features = _features({name: known[name] for name in names}, [releases[place] for place in own], others, share)
        found = _learnt(features, np.stack([centred(releases[place].member) for place in own]))
        scores |= dict(zip(own, found, strict=True))
    return [scores[place] for place in range(len(releases))]


def _features(known: Mapping[str, Averages], own: Sequence[Shadow], others: Sequence[Shadow], share: float) -> Array:
    """Posterior means by group of averages, each with mean 0 and variance 1: releases × groups × students."""
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
