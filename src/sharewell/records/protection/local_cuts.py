"""The kernel of local recoding: cut a region in two again and again, as long as both sides keep the limits.

A region is a stretch of `order`; a cut sends the combinations whose value of one column is in a set to the left. The
tree that results is kept (column and set of every cut), so that other rows can be carried through the same recoding.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from sharewell.records import kernels
from sharewell.records.arrays import Array
from sharewell.records.kernels import Secrets


class Cells(NamedTuple):
    """The combinations. `place` holds the position of every code in its column's domain, flat by `starts`."""

    codes: Array  # int32 (columns, combinations)
    counts: Array
    place: Array
    starts: Array
    widths: Array
    domains: Array
    ordered: Array


class Guide(NamedTuple):
    """Outcomes that cuts should tell about, their variances, and their weight against narrower cells."""

    sums: Array
    variances: Array
    weight: float


class Tree(NamedTuple):
    """Per node the column (−1: a leaf), the left child (a leaf: its number), the right child, and where in `goes_left`
    the bytes of its column's codes begin."""

    column_of: Array
    left_of: Array
    right_of: Array
    begin_of: Array
    goes_left: Array


@njit(cache=True)
def grow(cells: Cells, secrets: Secrets, guide: Guide, k: int) -> tuple[Array, Tree]:
    """Cuts until none is allowed; returns the leaf of every combination and the tree."""
    size = cells.counts.size
    order = np.arange(size)
    most = 2 * size + 1
    column_of, left_of, right_of = np.full(most, -1), np.full(most, -1), np.full(most, -1)
    begin_of, goes_left, used = np.zeros(most, np.int64), np.zeros(1024, np.bool_), 0
    leaf = np.empty(size, np.int32)
    whole = _whole(secrets, cells.counts)
    side = np.zeros(cells.widths.max(), np.bool_)
    stack = [(0, 0, size)]
    nodes, leaves = 1, 0
    while len(stack) > 0:
        node, low, high = stack.pop()
        region = order[low:high]
        column = _best_cut(region, cells, secrets, guide, whole, k, side)
        if column < 0:
            leaf[region] = leaves
            left_of[node] = leaves
            leaves += 1
            continue
        width = cells.widths[column]
        while used + width > goes_left.size:
            goes_left = np.concatenate((goes_left, np.zeros(goes_left.size, np.bool_)))
        goes_left[used : used + width] = side[:width]
        middle = low + _divide(order, low, high, cells.codes[column], side)
        column_of[node], left_of[node], right_of[node], begin_of[node] = column, nodes, nodes + 1, used
        used += width
        stack.append((nodes, low, middle))
        stack.append((nodes + 1, middle, high))
        nodes += 2
    return leaf, Tree(column_of[:nodes], left_of[:nodes], right_of[:nodes], begin_of[:nodes], goes_left[:used])


@njit(cache=True)
def _whole(secrets: Secrets, counts: Array) -> Array:
    """The share of every sensitive value in the whole table."""
    most = secrets.values.max() if secrets.values.size else 1
    whole = np.zeros((secrets.codes.shape[0], most))
    for s in range(secrets.codes.shape[0]):
        for i in range(counts.size):
            whole[s, secrets.codes[s, i]] += counts[i]
    shares: Array = whole / counts.sum()
    return shares


@njit(cache=True)
def _divide(order: Array, low: int, high: int, codes: Array, side: Array) -> int:
    """Left ones first, both in their old order; how many are left."""
    held = order[low:high].copy()
    place = 0
    for item in held:
        if side[codes[item]]:
            order[low + place] = item
            place += 1
    right = place
    for item in held:
        if not side[codes[item]]:
            order[low + right] = item
            right += 1
    return place


@njit(cache=True)
def _best_cut(region: Array, cells: Cells, secrets: Secrets, guide: Guide, whole: Array, k: int, side: Array) -> int:
    """The allowed cut with the largest gain: its column, with `side` filled; −1 where there is none."""
    inside = 0
    for i in region:
        inside += cells.counts[i]
    best, best_column = -1.0, -1
    if inside < 2 * k:
        return best_column
    trial = np.zeros(side.size, np.bool_)
    for c in range(cells.codes.shape[0]):
        n, s = _histogram(region, cells.codes[c], cells.counts, guide.sums, cells.widths[c])
        present = _in_order(n, s, cells.ordered[c])
        if present.size < 2:
            continue
        gains = _gains(present, n, s, cells, c, guide, k)
        for cut in np.argsort(-gains):
            if gains[cut] <= best:
                break
            trial[:] = False
            if cells.ordered[c]:
                trial[: present[cut] + 1] = True  # also values that do not occur here: others may bring them
            else:
                trial[present[: cut + 1]] = True
            if _both_fine(region, cells.codes[c], cells.counts, trial, secrets, whole):
                best, best_column = gains[cut], c
                side[:] = trial
                break
    return best_column


@njit(cache=True)
def _histogram(region: Array, codes: Array, counts: Array, sums: Array, width: int) -> tuple[Array, Array]:
    """Rows and outcome sums of every value in the region."""
    n = np.zeros(width, np.int64)
    s = np.zeros((sums.shape[0], width))
    for i in region:
        v = codes[i]
        n[v] += counts[i]
        for q in range(sums.shape[0]):
            s[q, v] += sums[q, i]
    return n, s


@njit(cache=True)
def _in_order(n: Array, s: Array, ordered: bool) -> Array:
    """The values that occur: numbers by size, categories by their mean outcome, or else by how common they are."""
    present = np.flatnonzero(n)
    if ordered:
        return present
    if s.shape[0] > 0:
        return present[np.argsort(s[0][present] / n[present])]
    return present[np.argsort(-n[present])]


@njit(cache=True)
def _gains(present: Array, n: Array, s: Array, cells: Cells, column: int, guide: Guide, k: int) -> Array:
    """What each cut wins: explained variance of the outcomes, and cells that get narrower. −1: a side is too small."""
    size, rows = present.size - 1, cells.counts.sum()
    position = cells.place[cells.starts[column] : cells.starts[column] + cells.widths[column]]
    scale = max(cells.domains[column] - 1, 1) * rows * cells.codes.shape[0]
    gains = np.full(size, -1.0)
    total, left = n[present].sum(), 0
    sums, left_sums = s[:, present].sum(axis=1), np.zeros(s.shape[0])
    for cut in range(size):
        v, after = present[cut], present[cut + 1]
        left += n[v]
        left_sums += s[:, v]
        right = total - left
        if left < k or right < k:
            continue
        width, width_left, width_right = size, cut, size - cut - 1
        if cells.ordered[column]:
            low, high = position[present[0]], position[present[-1]]
            width, width_left, width_right = high - low, position[v] - low, high - position[after]
        narrower = (total * width - left * width_left - right * width_right) / scale
        explained = 0.0
        for q in range(s.shape[0]):
            rest = sums[q] - left_sums[q]
            won = left_sums[q] ** 2 / left + rest**2 / right - sums[q] ** 2 / total
            explained += won / (guide.variances[q] * rows * s.shape[0])
        gains[cut] = guide.weight * explained + (1 - guide.weight) * narrower
    return gains


@njit(cache=True)
def _both_fine(region: Array, codes: Array, counts: Array, trial: Array, secrets: Secrets, whole: Array) -> bool:
    """Whether both sides keep l and t."""
    if secrets.l <= 1 and secrets.t < 0:
        return True
    for s in range(secrets.codes.shape[0]):
        values = secrets.values[s]
        held = np.zeros((2, values), np.int64)
        for i in region:
            held[0 if trial[codes[i]] else 1, secrets.codes[s, i]] += counts[i]
        for part in range(2):
            if (held[part] > 0).sum() < secrets.l:
                return False
            far = kernels.distance(held[part], whole[s, :values], secrets.ordered[s])
            if secrets.t >= 0 and far > secrets.t + 1e-12:
                return False
    return True


@njit(cache=True)
def descend(codes: Array, tree: Tree) -> Array:
    """The leaf that every combination falls into."""
    leaf = np.empty(codes.shape[1], np.int32)
    for i in range(codes.shape[1]):
        node = 0
        while tree.column_of[node] >= 0:
            left = tree.goes_left[tree.begin_of[node] + codes[tree.column_of[node], i]]
            node = tree.left_of[node] if left else tree.right_of[node]
        leaf[i] = tree.left_of[node]
    return leaf
