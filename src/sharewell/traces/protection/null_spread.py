"""Estimate how far values of groups scatter about no relation with activity, for tests on released groups.

Balancing exchanges students among groups that are alike, so that what is left of a kept column runs smoothly along
activity: residuals of a regression over groups are too small for its slope (.12 to .17 of permuted yes-or-no outcomes
were significant at .05). The spread is measured by forming the groups anew for permuted values: the standard error of
a slope on x is spread / sqrt(sum of weight · (x − mean)²).
"""

from collections.abc import Callable

import numpy as np
import pyarrow as pa

from sharewell.traces.arrays import Array
from sharewell.traces.protection.group_values import of_groups

PERMUTED = 100_000  # students in all permutations together
MOST_STUDENTS = 600  # beyond, the spread of single students, which is never too small


def null_spread(
    own: Array, group: Array, again: Callable[[Array], Array], events: Array, k: int, draw: np.random.Generator
) -> float:
    """Return the spread of one column, to three digits.

    Args:
        own: The number of each student, NaN where there is none.
        group: The group of each student, negative for none.
        again: Forms groups anew for permuted places of the students in the column.
        events: The number of events of each student; a test is one on their logarithm.
        k: How many members with a number a group needs to show their mean.
        draw: Permutes.
    """
    there = np.flatnonzero((group >= 0) & ~np.isnan(own))
    single = float(own[there].std())
    if len(there) < 2 * k or single == 0:
        return 0.0
    if len(there) > MOST_STUDENTS:
        return three_digits(single)
    found = []
    for _ in range(PERMUTED // len(there)):
        places = np.arange(len(own))
        places[there] = draw.permutation(there)
        formed = again(places)
        shown = np.asarray(of_groups(pa.array(own[places], from_pandas=True), formed, k).fill_null(np.nan), float)
        known = ~np.isnan(shown)
        x = np.log1p(_means(events, formed)[known])
        x = x - x.mean()
        if (x**2).sum() > 0:
            found.append((x * (shown[known] - shown[known].mean())).sum() ** 2 / (x**2).sum())
    return three_digits(float(np.sqrt(np.mean(found)))) if found else three_digits(single)


def _means(activity: Array, group: Array) -> Array:
    inside = group >= 0
    sums = np.bincount(group[inside], weights=activity[inside], minlength=int(group.max(initial=0)) + 1)
    sizes = np.bincount(group[inside], minlength=len(sums))
    return np.asarray((sums / np.maximum(sizes, 1))[group])


def three_digits(value: float) -> float:
    return float(f"{value:.3g}")
