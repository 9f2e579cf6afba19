"""Attacks on shared profiles: whose is this row, and was this student among those whom it was made of?

Who is looked for is known by typing from elsewhere, or by the very typing that was released. For membership an attacker
knows the profiles of everyone and not who of them is in the release: means lie a little nearer to their members than
chance has it (tracing, Homer et al. 2008), weighed by how columns go together, and beside releases that the attacker
made (LiRA, Carlini et al. 2022).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import stdtrit

from sharewell.contract import Risk
from sharewell.keystrokes.arrays import Array
from sharewell.keystrokes.measure.measuring import Attackers, told
from sharewell.keystrokes.profile_values import ProfileValues
from sharewell.keystrokes.protection.alike_profiles import ProfileSetting, alike, bisected, class_means, noisy_means
from sharewell.keystrokes.splits import WAYS
from sharewell.lab.membership import AUC
from sharewell.lab.shadows import likelihood_ratio
from sharewell.stats import roc

SPLITS = 60  # that choose, as many that judge, and as many that the attacker made
CHOOSE, JUDGE = 1, 2  # looks: no split of one is in the other
RIDGE = 0.1
TRACES = ("tracing", "tracing, weighed", "beside own releases")
STORIES = {
    "nearest": "Someone has typing of every student from elsewhere and looks for the row nearest to it.",
    "class": "Someone has typing of every student from elsewhere and looks for rows of the class it belongs to.",
    "own typing": "Someone has the very typing that was released and looks for the row made of it.",
    "tracing": "Someone who knows everyone's profile asks whether the means lie nearer to a student than they should.",
    "tracing, weighed": "The same, weighed by how columns go together.",
    "beside own releases": "The same, beside releases that the attacker made with the student in and without.",
}


def identified(values: ProfileValues, setting: ProfileSetting | None, within: Iterable[int], seed: int) -> list[Risk]:
    """Look for every student's row; without a setting rows are their own."""
    attackers = Attackers(within=tuple(within), seed=seed)
    risks: list[Risk] = []
    for way in WAYS:
        sides = values.halves[way]
        rows = np.flatnonzero(~np.isnan(np.column_stack(sides)).any(axis=1))
        known, shared = (side[rows] for side in sides)
        found = _found(known, _released(shared, setting, seed), setting, attackers, ("nearest", "class"))
        risks += [replace(one, setting={**one.setting, "sessions": way}) for one in found]
    return [*risks, *_found(values.whole, _released(values.whole, setting, seed), setting, attackers, ("own typing",))]


def _released(values: Array, setting: ProfileSetting | None, seed: int) -> Array:
    if setting is None:
        return values
    chance = np.random.default_rng(seed)
    return alike(values, setting, chance.random((len(values), 2)), chance).values


def _found(
    known: Array, released: Array, setting: ProfileSetting | None, attackers: Attackers, attacks: Sequence[str]
) -> list[Risk]:
    scale = np.maximum(known.std(axis=0), 1e-12)
    nearest = -_distances(known / scale, released / scale)
    scored = {"nearest": nearest, "own typing": nearest}
    if setting is not None and setting.classes > 1:
        own = bisected(known, setting.classes)
        scored["class"] = -_distances(class_means(known, own, setting.classes)[own] / scale, released / scale)
    every = np.arange(len(known))
    return [
        replace(one, story=STORIES[attack])
        for attack in attacks
        if attack in scored
        for one in _told(scored[attack], every, attack, attackers)
    ]


def _told(scored: Array, own: Array, attack: str, attackers: Attackers) -> list[Risk]:
    return [replace(one, attacker=attack) for one in told(scored, own, "nearest", attackers)]


def _distances(known: Array, released: Array) -> Array:
    from scipy.spatial.distance import cdist

    return np.asarray(cdist(known, released))


def membership(values: Array, setting: ProfileSetting, look: int, splits: int = SPLITS) -> list[Risk]:
    """Attack membership in the means on fresh splits; `look` says which.

    Releases here are made of half of the students: of fewer students each shows more than of all.
    """
    shadows = [_traced(values, setting, seed) for seed in range(SPLITS)]
    areas: dict[str, list[float]] = {name: [] for name in TRACES}
    for seed in range(look * SPLITS, look * SPLITS + splits):
        one = _traced(values, setting, seed)
        scores = {**one.scores, TRACES[2]: _beside_own(one, shadows)}
        for name in TRACES:
            areas[name].append(roc.area(scores[name][one.member], scores[name][~one.member]))
    return [_area(name, np.array(found), len(values)) for name, found in areas.items()]


@dataclass(frozen=True, kw_only=True)
class TracedSplit:
    """Who was in, and what every student scores by each attack."""

    member: Array
    scores: dict[str, Array]


def _traced(values: Array, setting: ProfileSetting, seed: int) -> TracedSplit:
    """A release made of a random half of the students."""
    chance = np.random.default_rng([seed, 11])
    own = bisected(values, setting.classes)
    usual = class_means(values, own, setting.classes)
    inside = values - usual[own]
    scale = np.maximum(inside.std(axis=0), 1e-12)
    member = np.zeros(len(values), dtype=bool)
    member[chance.permutation(len(values))[: len(values) // 2]] = True
    half = values[member]
    rows = noisy_means(half, bisected(half, setting.classes), setting, chance)
    off, gap = inside / scale, ((rows - usual) / scale)[own]
    weigh = np.linalg.inv((off.T @ off) / len(off) * (1 - RIDGE) + RIDGE * np.eye(off.shape[1]))
    return TracedSplit(
        member=member, scores={TRACES[0]: (off * gap).sum(axis=1), TRACES[1]: ((off @ weigh) * gap).sum(axis=1)}
    )


def _beside_own(one: TracedSplit, shadows: Sequence[TracedSplit]) -> Array:
    seen = [each.scores[TRACES[1]] for each in shadows]
    return likelihood_ratio(one.scores[TRACES[1]], seen, [each.member for each in shadows])


def _area(attack: str, areas: Array, students: int) -> Risk:
    value = float(areas.mean())
    half = float(stdtrit(len(areas) - 1, 0.975) * areas.std(ddof=1) / np.sqrt(len(areas)))
    return Risk(
        measure=AUC,
        attacker=attack,
        value=value,
        low=max(0.0, value - half),
        high=min(1.0, value + half),
        chance=0.5,
        n=students,
        setting={"splits": len(areas)},
        story=STORIES[attack],
    )
