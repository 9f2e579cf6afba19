"""The kernel of local recoding: cut a region in two again and again, as long as both sides keep the limits.

A region is a stretch of `order`; a cut sends the combinations whose value of one column is in a set to the left. The
tree that results is kept (column and set of every cut), so that other rows can be carried through the same recoding.
"""

import math
from typing import NamedTuple

import numpy as np

from sharewell.records.arrays import Array
from sharewell.records.kernels import Secrets, distance
from sharewell.records.protection.trimming import Start
from sharewell.stats.compiled import njit


class Cells(NamedTuple):
    """The combinations, and what the labels of every column cost.

    `place` leads from a code to its place among the labels, flat by `starts`. `cost` holds, flat by `cost_starts`, the
    loss of the smallest label from one place to another. `first` and `last` are the nodes of columns without an order,
    flat by `node_starts`.
    """

    codes: Array  # int32 (columns, combinations)
    counts: Array
    place: Array
    starts: Array
    widths: Array  # codes of every column
    places: Array
    cost: Array
    cost_starts: Array
    first: Array
    last: Array
    node_starts: Array
    ordered: Array


class Guide(NamedTuple):
    """Outcomes that cuts should tell about, their variances, and their weight against narrower cells."""

    sums: Array
    variances: Array
    weight: float


class Chance(NamedTuple):
    """How a cut is chosen: drawn among those whose gain is at most the share `near` below the best one's; 0: the best.

    `thrift` weighs what a cut gains against what it uses up: a region can be halved only so often, but it can lose a
    few rows many times. The gain is divided by the entropy of the division to this power (0: the gain alone; 1: the
    gain ratio of Quinlan 1986).
    """

    near: float
    seed: int
    thrift: float


class Cut(NamedTuple):
    """The places that go left, and the bounds of the region in this column."""

    first: int
    last: int
    low: int
    high: int


class Tree(NamedTuple):
    """Per node the column (−1: a leaf), the left child (a leaf: its number), the right child, and where in `goes_left`
    the bytes of its column's codes begin."""

    column_of: Array
    left_of: Array
    right_of: Array
    begin_of: Array
    goes_left: Array


@njit(cache=True)
def grow(
    cells: Cells, secrets: Secrets, guide: Guide, k: int, start: Start, chance: Chance
) -> tuple[Array, Tree, Array]:
    """Cuts until none is allowed; returns the leaf of every combination, the tree, and the bounds of every leaf.

    Bounds are the first and last place of every column that the cuts on the way leave: (2, leaves, columns).
    """
    size, columns = cells.counts.size, cells.codes.shape[0]
    order = start.kept.copy()
    most = 2 * size + 1
    column_of, left_of, right_of = np.full(most, -1), np.full(most, -1), np.full(most, -1)
    begin_of, goes_left, used = np.zeros(most, np.int64), np.zeros(1024, np.bool_), 0
    leaf = np.zeros(size, np.int32)  # who is suppressed has none: any will do
    whole = _whole(secrets, cells.counts)
    np.random.seed(chance.seed)
    side = np.zeros(cells.widths.max(), np.bool_)
    bounds, ends = np.zeros((64, 2, columns), np.int32), np.zeros((64, 2, columns), np.int32)
    bounds[0] = start.bounds
    stack = [(0, 0, order.size)]
    nodes, leaves = 1, 0
    while len(stack) > 0:
        node, low, high = stack.pop()
        depth = len(stack)
        region, here = order[low:high], bounds[depth].copy()
        column, first, last = _choose_cut(region, cells, secrets, guide, whole, k, here, chance)
        if column < 0:
            ends = _longer(ends, leaves)
            ends[leaves] = here
            leaf[region] = leaves
            left_of[node] = leaves
            leaves += 1
            continue
        width = cells.widths[column]
        while used + width > goes_left.size:
            goes_left = np.concatenate((goes_left, np.zeros(goes_left.size, np.bool_)))
        _sides(cells, column, first, last, side)
        goes_left[used : used + width] = side[:width]
        middle = low + _divide(order, low, high, cells.codes[column], side)
        column_of[node], left_of[node], right_of[node], begin_of[node] = column, nodes, nodes + 1, used
        used += width
        bounds = _longer(bounds, depth + 1)
        bounds[depth], bounds[depth + 1] = here, here
        bounds[depth, 0, column], bounds[depth, 1, column] = max(first, here[0, column]), min(last, here[1, column])
        rest = _rest(first, last, here[0, column], here[1, column])
        bounds[depth + 1, 0, column], bounds[depth + 1, 1, column] = rest
        stack.append((nodes, low, middle))
        stack.append((nodes + 1, middle, high))
        nodes += 2
    tree = Tree(column_of[:nodes], left_of[:nodes], right_of[:nodes], begin_of[:nodes], goes_left[:used])
    return leaf, tree, ends[:leaves]


@njit(cache=True)
def _longer(held: Array, needed: int) -> Array:
    """The same array with room for one more."""
    while needed >= held.shape[0]:
        held = np.concatenate((held, np.zeros_like(held)))
    return held


@njit(cache=True)
def _sides(cells: Cells, column: int, first: int, last: int, side: Array) -> None:
    """Which codes of a column go left: those whose place lies between the ends of the cut."""
    start = cells.starts[column]
    for code in range(cells.widths[column]):
        side[code] = first <= cells.place[start + code] <= last


@njit(cache=True)
def _rest(first: int, last: int, low: int, high: int) -> tuple[int, int]:
    """The bounds of what a cut leaves outside: all of it, where the cut lies in the middle."""
    if first <= low:
        return last + 1, high
    return (low, first - 1) if last >= high else (low, high)


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
def _choose_cut(
    region: Array, cells: Cells, secrets: Secrets, guide: Guide, whole: Array, k: int, bounds: Array, chance: Chance
) -> tuple[int, int, int]:
    """An allowed cut with the largest gain, or nearly: its column and its first and last place; column −1: none."""
    inside = 0
    for i in region:
        inside += cells.counts[i]
    chosen = (-1, 0, 0)
    if inside < 2 * k:
        return chosen
    columns, firsts, lasts, gains = _candidates(region, cells, guide, k, bounds, chance.thrift)
    trial = np.zeros(cells.widths.max(), np.bool_)
    seen, best = 0, 0.0
    for cut in np.argsort(-gains):
        if seen > 0 and gains[cut] < (1 - chance.near) * best:
            break
        column = columns[cut]
        _sides(cells, column, firsts[cut], lasts[cut], trial)
        if not _both_fine(region, cells.codes[column], cells.counts, trial, secrets, whole):
            continue
        best = max(best, gains[cut])
        seen += 1
        if seen == 1 or np.random.random() < 1 / seen:  # each of them equally likely (Vitter 1985, algorithm R)
            chosen = (column, firsts[cut], lasts[cut])
        if chance.near <= 0:
            break
    return chosen


@njit(cache=True)
def _candidates(
    region: Array, cells: Cells, guide: Guide, k: int, bounds: Array, thrift: float
) -> tuple[Array, Array, Array, Array]:
    """Every cut that leaves k rows on both sides and narrows a label: its column, its places, its gain."""
    most = cells.places.sum() + cells.first.size
    columns, firsts, lasts = np.empty(most, np.int64), np.empty(most, np.int64), np.empty(most, np.int64)
    gains, found = np.empty(most), 0
    for c in range(cells.codes.shape[0]):
        low, high = bounds[0, c], bounds[1, c]
        if low == high:
            continue
        n, s = _running(region, cells, c, guide.sums)
        if cells.ordered[c]:
            first, last = np.full(high - low, low, np.int64), np.arange(low, high)
        else:
            nodes = slice(cells.node_starts[c], cells.node_starts[c + 1])
            first, last = cells.first[nodes], cells.last[nodes]
        for a, b in zip(first, last):  # noqa: B905 — numba knows no strict
            gain = _gain(Cut(a, b, low, high), n, s, cells, c, guide, k)
            if gain > 0:
                gain /= _evenness((n[b + 1] - n[a]) / n[-1]) ** thrift
                columns[found], firsts[found], lasts[found], gains[found] = c, a, b, gain
                found += 1
    return columns[:found], firsts[:found], lasts[:found], gains[:found]


@njit(cache=True)
def _running(region: Array, cells: Cells, column: int, sums: Array) -> tuple[Array, Array]:
    """Rows and outcome sums before every place of the column, and in all."""
    places = cells.places[column]
    n, s = np.zeros(places + 1, np.int64), np.zeros((sums.shape[0], places + 1))
    codes, start = cells.codes[column], cells.starts[column]
    for i in region:
        v = cells.place[start + codes[i]] + 1
        n[v] += cells.counts[i]
        for q in range(sums.shape[0]):
            s[q, v] += sums[q, i]
    for v in range(1, places + 1):
        n[v] += n[v - 1]
        s[:, v] += s[:, v - 1]
    return n, s


@njit(cache=True)
def _gain(cut: Cut, n: Array, s: Array, cells: Cells, column: int, guide: Guide, k: int) -> float:
    """What a cut wins: explained variance of the outcomes, and labels that get narrower. −1: not allowed, or none."""
    total, left = n[-1], n[cut.last + 1] - n[cut.first]
    right = total - left
    if left < k or right < k:
        return -1.0
    low, high = _rest(cut.first, cut.last, cut.low, cut.high)
    wide, start = cells.places[column], cells.cost_starts[column]
    won = total * cells.cost[start + cut.low * wide + cut.high]
    won -= left * cells.cost[start + max(cut.first, cut.low) * wide + min(cut.last, cut.high)]
    won -= right * cells.cost[start + low * wide + high]
    if won <= 1e-9:
        return -1.0
    rows, explained = cells.counts.sum(), 0.0
    for q in range(s.shape[0]):
        here, everything = s[q, cut.last + 1] - s[q, cut.first], s[q, -1]
        better = here**2 / left + (everything - here) ** 2 / right - everything**2 / total
        explained += better / (guide.variances[q] * rows * s.shape[0])
    gain: float = guide.weight * explained + (1 - guide.weight) * won / (rows * cells.codes.shape[0])
    return gain


@njit(cache=True)
def _evenness(share: float) -> float:
    """The entropy of a division, in bits: what it takes away from the divisions that are still possible."""
    return -(share * math.log2(share) + (1 - share) * math.log2(1 - share))


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
            far = distance(held[part], whole[s, :values], secrets.ordered[s])
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
