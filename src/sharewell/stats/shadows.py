"""Attackers who know the algorithm run it themselves, on members of their own choice, and learn what to expect.

The likelihood-ratio attack (Carlini et al. 2022, LiRA): a score of one student is compared with the scores of the same
student in releases that the student was in and was not in. With few such releases the two means are drawn towards those
of all students, and one spread serves everybody (their variant for few shadows).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sharewell.stats.arrays import Array
from sharewell.stats.tracing import (
    Averages,
    Equations,
    Observed,
    Strength,
    Sums,
    calibrated,
    equations,
    sums_of,
    uncalibrated,
)

TRUST = 4.0  # releases: how many of a student's own weigh as much as what holds for all students


@dataclass(frozen=True)
class Look:
    """What the attacker works out of one release."""

    averages: dict[str, Observed]
    density: dict[str, Array]


@dataclass(frozen=True)
class Shadow:
    """A release that the attacker made with the known algorithm, from members of their own choice."""

    look: Look
    member: Array


Trust = Mapping[str, Strength]  # how strongly every group of averages follows its members


def strengths(known: Mapping[str, Averages], shadows: Sequence[Shadow]) -> Trust:
    """How strongly averages follow their members, as the attacker's own releases say; fully where there are none."""
    return _trust(known, _sums(known, shadows))


def strengths_for_each(
    known: Mapping[str, Averages], releases: Sequence[Shadow], others: Sequence[Shadow] = ()
) -> Iterator[Trust]:
    """The same for an attack on each of the releases: by all of them but itself, and by `others`."""
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


def told_by(known: Mapping[str, Averages], look: Look, trust: Trust) -> dict[str, Equations]:
    """What every group of averages of a release says of who was in: for any choice of groups to be solved together."""
    return {name: equations(known[name], look.averages[name], trust[name]) for name in known}


def draw_members(size: int, outside: int, generator: np.random.Generator) -> Array:
    """A random choice of members; `outside` are left out."""
    member = np.ones(size, dtype=bool)
    member[generator.permutation(size)[:outside]] = False
    return member


def likelihood_ratio(score: Array, shadows: Sequence[Array], members: Sequence[Array]) -> Array:
    """The log of how much likelier every student's score is for a member than for somebody else.

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
    variance = (left**2).mean(axis=0) + (left**2).mean() + 1e-12
    here = score - usual
    found: Array = ((here - mean_out) ** 2 - (here - mean_in) ** 2) / variance
    return found
