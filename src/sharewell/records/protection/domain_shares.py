"""The loss that ARX uses by default: the geometric mean of 1 + share over the columns (Prasser et al., ARX 3.9).

A cell's share is the part of the column's domain that its label covers, so that a value of a binary column already has
half of it. Keeping a column of many values therefore counts for more than keeping one of two, and a search with this
loss gives the binary columns up first. The mean over all cells of `anonymization.py` treats them alike.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from sharewell.records.arrays import Array
from sharewell.records.protection import lattice
from sharewell.records.protection.recoding import Recoding, Request, at_levels
from sharewell.records.protection.search_space import Space, evaluate, make_space


def recode(request: Request, weights: Mapping[str, float] | None = None) -> Recoding:
    """The levels with the least loss by shares; `weights` (0 to 1) say how much each column counts.

    A column of which nothing is left to hide has one level and takes no part in the search.
    """
    open_ = [column for column in request.combinations.quasi if request.hierarchies[column.name].height > 0]
    whole = make_space(request.combinations, request.hierarchies, request.sensitive)
    node = dict.fromkeys(whole.columns, 0)
    proven, evaluated = True, 0
    if open_:
        some = replace(request.combinations, quasi=tuple(open_))
        space = by_shares(make_space(some, request.hierarchies, request.sensitive), weights)
        found = lattice.search(space, request.limits, seconds=request.seconds, seed=request.seed)
        node |= dict(zip(space.columns, found.best.node, strict=True))
        proven, evaluated = found.proven, found.evaluated
    chosen = tuple(node[name] for name in whole.columns)
    levels, classes, gone = at_levels(whole, request.hierarchies, chosen, request.limits)
    return Recoding(
        classes=classes,
        gone=gone,
        loss=evaluate(whole, chosen, request.limits).loss,
        proven=proven,
        hierarchies=request.hierarchies,
        levels=levels,
        evaluated=evaluated,
    )


def by_shares(space: Space, weights: Mapping[str, float] | None = None) -> Space:
    """The same space with log₂(1 + mean share) as the cost of a level: sums of it order as geometric means do."""
    costs = np.empty_like(space.costs)
    means = []
    for column, name in enumerate(space.columns):
        rows = np.bincount(space.codes[column], weights=space.counts, minlength=int(space.widths[column]))
        shares = [_shares(space, column, level) @ rows / space.rows for level in range(int(space.heights[column]) + 1)]
        levels = np.log2(1 + np.array(shares)) * (weights or {}).get(name, 1.0)
        for level, cost in enumerate(levels):
            costs[space.at(column, level)] = cost
        means.append(levels)
    return replace(space, costs=costs, mean_costs=tuple(means))


def _shares(space: Space, column: int, level: int) -> Array:
    """For every value, the part of the groups of level 0 that its group holds."""
    lowest, groups = space.groups[space.at(column, 0)], space.groups[space.at(column, level)]
    pairs = np.unique(np.stack([groups, lowest]), axis=1)
    sizes = np.bincount(pairs[0], minlength=int(groups.max()) + 1)
    shares: Array = sizes[groups] / pairs.shape[1]
    return shares
