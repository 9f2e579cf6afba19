"""Estimate how far values of groups scatter about no relation with activity, for tests on released groups.

Balancing exchanges students among groups that are alike, so that what is left of a kept column runs smoothly along
activity: residuals of a regression over groups are too small for its slope (.12 to .17 of permuted yes-or-no outcomes
were significant at .05). The spread is measured by forming the groups anew for permuted values: the standard error of
a slope on x is spread / sqrt(sum of weight · (x − mean)²).
"""

from collections.abc import Callable, Mapping

import numpy as np
import pyarrow as pa

from sharewell.traces.arrays import Array
from sharewell.traces.protection.group_values import of_groups

PERMUTED = 60_000  # students in all permutations together
MOST_STUDENTS = 600  # beyond, the spread of single students, which is never too small


def null_spreads(
    columns: Mapping[str, Array],
    group: Array,
    again: Callable[[Array], Array],
    events: Array,
    k: int,
    draw: np.random.Generator,
) -> dict[str, float]:
    """Return the spread of each column, to three digits.

    Args:
        columns: The numbers of students by column, NaN where there is none.
        group: The group of each student, negative for none.
        again: Forms groups anew for permuted places of the students in the columns.
        events: The number of events of each student; a test is one on their logarithm.
        k: How many members with a number a group needs to show their mean.
        draw: Permutes.
    """
    there = np.flatnonzero(group >= 0)
    found: dict[str, list[float]] = {name: [] for name, own in columns.items() if np.nanstd(own[there]) > 0}
    permutations = PERMUTED // max(1, len(there)) if len(there) <= MOST_STUDENTS and found else 0
    for _ in range(permutations):
        places = np.arange(len(group))
        places[there] = draw.permutation(there)
        formed = again(places)
        activity = np.log1p(_means(events, formed))
        for name, squares in found.items():
            own = pa.array(columns[name][places], from_pandas=True)
            shown = np.asarray(of_groups(own, formed, k).fill_null(np.nan), float)
            known = ~np.isnan(shown)
            x = activity[known] - activity[known].mean() if known.any() else activity[:0]
            if (x**2).sum() > 0:
                squares.append(float((x * (shown[known] - shown[known].mean())).sum() ** 2 / (x**2).sum()))
    single = {name: float(np.nanstd(columns[name][there])) for name in found}
    return {name: three_digits(float(np.sqrt(np.mean(squares))) if squares else single[name])
            for name, squares in found.items()}  # fmt: skip


def _means(activity: Array, group: Array) -> Array:
    inside = group >= 0
    sums = np.bincount(group[inside], weights=activity[inside], minlength=int(group.max(initial=0)) + 1)
    sizes = np.bincount(group[inside], minlength=len(sums))
    return np.asarray((sums / np.maximum(sizes, 1))[group])


def three_digits(value: float) -> float:
    return float(f"{value:.3g}")
