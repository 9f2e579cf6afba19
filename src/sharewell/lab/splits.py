"""Splits: one generator fitted to many random choices of members, each choice attacked, and the mean with its interval.

AUCs are averaged over the releases. For the true-positive rate at few false alarms the others of all releases set one
threshold together: sixty outsiders of one small course cannot show one false alarm in a hundred.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import ndtr, stdtrit

from sharewell.contract import Measure, Risk
from sharewell.lab.membership import AUC, TPR, TPR_STRICT, Measured
from sharewell.stats.arrays import Array

STEADY = 0.0065  # standard error that the mean AUC should have
FEWEST_SPLITS, MOST_SPLITS = 8, 30
SIDES = 1.96  # standard errors to the end of a usual interval
ROOM = 1 / SIDES  # one standard error of the difference of two draws, over the usual half of an interval
ENOUGH = 4  # releases from which on their own scatter says something
FALSE_ALARMS = {TPR: 0.01, TPR_STRICT: 0.001}


@dataclass(frozen=True)
class Split:
    """A release as attackers read it, and who trained it."""

    fake: Any
    member: Array


def draw_members(size: int, outside: int, generator: np.random.Generator) -> Array:
    """Draw members at random; `outside` are left out."""
    member = np.ones(size, dtype=bool)
    member[generator.permutation(size)[:outside]] = False
    return member


def risks_over_splits(same: Sequence[Measured], *, sides: float = SIDES) -> Iterator[Risk]:
    """Average one attack over all releases that it was made on; intervals of so many standard errors."""
    yield mean_over_splits([found.area for found in same], sides=sides)
    for measure in FALSE_ALARMS:
        yield _pooled(same, measure, sides)


def mean_over_splits(risks: Sequence[Risk], *, sides: float = SIDES) -> Risk:
    """Average one measure, with the wider of two intervals: of single releases, and of their scatter."""
    wide = [(risk.value - (risk.low or 0.0), (risk.high or 1.0) - risk.value) for risk in risks]
    below, above = np.mean(wide, axis=0) / math.sqrt(len(risks)) * sides / SIDES
    return _mean(risks[0], [risk.value for risk in risks], float(below), float(above), sides)


def _pooled(same: Sequence[Measured], measure: Measure, sides: float) -> Risk:
    """Members above the score that this share of all outsiders passes."""
    threshold = float(np.quantile(np.concatenate([found.outside for found in same]), 1 - FALSE_ALARMS[measure]))
    hits = [float(np.mean(found.inside > threshold)) for found in same]
    members = sum(found.inside.size for found in same)
    share = float(np.mean(hits))
    plain = sides * math.sqrt(max(share * (1 - share), 1 / members) / members)
    return _mean(same[0].risk(measure), hits, plain, plain, sides)


def _mean(first: Risk, values: Sequence[float], below: float, above: float, sides: float) -> Risk:
    value, count = float(np.mean(values)), len(values)
    if count >= ENOUGH:
        scatter = float(stdtrit(count - 1, ndtr(sides)) * np.std(values, ddof=1) / math.sqrt(count))
        below, above = max(below, scatter), max(above, scatter)
    setting = {**first.setting, "splits": count, "this release": round(values[0], 4)}
    return replace(first, value=value, low=max(0.0, value - below), high=min(1.0, value + above), setting=setting)


def splits_for(
    students: int, control: float, *, fewest: int = FEWEST_SPLITS, most: int = MOST_SPLITS, steady: float = STEADY
) -> int:
    """Count the splits of a steady mean: an AUC without signal has variance (1/a + 1/b)/12."""
    outside = control * students
    variance = (1 / outside + 1 / (students - outside)) / 12
    return int(np.clip(math.ceil(variance / steady**2), fewest, most))


def blind_ends(students: int, control: float, splits: int) -> dict[Measure, float]:
    """Upper ends of an attack that knows nothing: a limit below them cannot be shown for so few students."""
    outside = control * students
    auc = math.sqrt((1 / outside + 1 / (students - outside)) / 12 / splits)
    hits = math.sqrt(0.01 * 0.99 / ((students - outside) * splits) + 0.01 * 0.99 / (outside * splits))
    return {AUC: 0.5 + SIDES * auc, TPR: 0.01 + SIDES * hits}


def splits_to_choose(splits: int) -> int:
    """Count the splits of a choice: fewer than those of the gate, for it keeps a margin."""
    return max(min(FEWEST_SPLITS, splits), 2 * splits // 3)


def room_for(tried: float, judged: float) -> float:
    """One standard error of the difference of two draws, from half the width of the interval of each."""
    return ROOM * math.hypot(tried, judged)
