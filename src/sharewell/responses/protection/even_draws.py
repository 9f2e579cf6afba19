"""Even draws: uniform numbers, one from each of as many equal strata, so that luck alone moves no average.

Each number by itself is uniform; together they lie more evenly than independent ones, and what is averaged over them
(the ability of a class, the share of right answers to an item) scatters less between draws of the same generator.
"""

import numpy as np

from sharewell.stats.arrays import Array


def even(size: int, generator: np.random.Generator) -> Array:
    """Draw evenly, in random order."""
    return (generator.permutation(size) + generator.random(size)) / size


def even_within(group: Array, groups: int, generator: np.random.Generator) -> Array:
    """Draw evenly within each group (codes below `groups`), in random order."""
    size = np.bincount(group, minlength=groups)
    order = np.argsort(group + generator.random(group.size))  # by group, and at random within it
    stratum = np.empty(group.size, dtype=np.int64)
    stratum[order] = np.arange(group.size) - np.repeat(np.cumsum(size) - size, size)
    found: Array = (stratum + generator.random(group.size)) / size[group]
    return found
