"""Even draws: uniform numbers, one from each of as many equal strata, so that luck alone moves no average.

Each number by itself is uniform; together they lie more evenly than independent ones, and what is averaged over them
(the ability of a class, the share of right answers to an item) scatters less between draws of the same generator.
"""

import numpy as np

from sharewell.stats.arrays import Array
from sharewell.stats.compiled import njit


def even(size: int, generator: np.random.Generator) -> Array:
    """Even draws in random order."""
    return (generator.permutation(size) + generator.random(size)) / size


@njit(cache=True)
def even_within(group: Array, groups: int, generator: np.random.Generator) -> Array:
    """Even draws within each group (codes below `groups`), in random order."""
    size = np.zeros(groups, dtype=np.int64)
    for code in group:
        size[code] += 1
    first = np.cumsum(size) - size
    stratum = np.empty(group.size, dtype=np.int64)
    for code in range(groups):
        for rank in range(size[code]):  # a shuffle that fills as it goes (Durstenfeld 1964, inside out)
            other = int(generator.random() * (rank + 1))
            stratum[first[code] + rank] = stratum[first[code] + other]
            stratum[first[code] + other] = rank
    out = np.empty(group.size)
    for place in range(group.size):
        code = group[place]
        out[place] = (stratum[first[code]] + generator.random()) / size[code]
        first[code] += 1
    return out
