"""The kernel of local recoding: cut a region in two again and again, as long as both sides keep the limits.

A region is a stretch of `order`; a cut sends the combinations whose value of one column is in a set to the left. The
tree that results is kept (column and set of every cut), so that other rows can be carried through the same recoding.
"""

import math
from typing import Any, NamedTuple

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


class Sought(NamedTuple):
    """What every side of a cut must keep, and what a cut is to win."""

    secrets: Secrets
    whole: Array  # the share of every sensitive value in the whole table
    guide: Guide
    k: int
    rows: int


class Room(NamedTuple):
    """Where cuts are chosen: rows and outcome sums before every place of a column, and what is known of every cut."""

    rows: Array  # int64 (places + 1,)
    sums: Array  # float64 (outcomes, places + 1)
    cuts: Array  # int64 (cuts, 3): column, first and last place that go left
    losses: Array  # float64: gains with a minus, so that the largest come first
    side: Array  # bool (codes,): which go left
    held: Array  # int64 (sensitive values,)
    moved: Array  # int64 (combinations,)


class Grown(NamedTuple):
    """The tree while it grows: by node the column, left child, first and last place; the bounds; leaves; work ahead."""

    nodes: Array  # int64 (nodes, 4)
    bounds: Array  # int32 (nodes, 2, columns)
    leaf: Array  # int32 (combinations,)
    ahead: Array  # int64 (nodes, 3): the node, and where its region begins and ends


class Tree(NamedTuple):
    """By node the column (−1: a leaf), the left child (a leaf: its number; the right child comes after the left one),
    and the first and last place that go left; `place` leads from a code to its place, flat by `starts`."""

    column_of: Array
    left_of: Array
    first_of: Array
    last_of: Array
    place: Array
    starts: Array


def grow(
    cells: Cells, secrets: Secrets, guide: Guide, k: int, start: Start, chance: Chance
) -> tuple[Array, Tree, Array]:
    """Cuts until none is allowed; returns the leaf of every combination, the tree, and the bounds of every leaf.

    Bounds are the first and last place of every column that the cuts on the way leave: (leaves, 2, columns). Arrays are
    made here and not in the kernels: numba takes seconds to compile each way of making one.
    """
    size, columns, rows = cells.counts.size, cells.codes.shape[0], int(cells.counts.sum())
    nodes = 2 * max(1, min(size, rows // max(k, 1))) + 1  # both sides of a cut have k rows
    grown = Grown(
        nodes=np.empty((nodes, 4), np.int64),
        bounds=np.empty((nodes, 2, columns), np.int32),
        leaf=np.zeros(size, np.int32),  # who is suppressed has none: any will do
        ahead=np.empty((nodes, 3), np.int64),
    )
    grown.bounds[0] = start.bounds
    most, values = int(cells.places.sum()) + cells.first.size, int(secrets.values.max(initial=1))
    room = Room(
        rows=np.empty(int(cells.places.max()) + 1, np.int64),
        sums=np.empty((guide.sums.shape[0], int(cells.places.max()) + 1)),
        cuts=np.empty((most, 3), np.int64),
        losses=np.empty(most),
        side=np.empty(int(cells.widths.max()), np.bool_),
        held=np.empty(values, np.int64),
        moved=np.empty(size, np.int64),
    )
    whole = np.zeros((secrets.codes.shape[0], values))
    for number, codes in enumerate(secrets.codes):
        whole[number] = np.bincount(codes, weights=cells.counts, minlength=values) / rows
    used = _grow(cells, Sought(secrets, whole, guide, k, rows), chance, start.kept.copy(), grown, room)
    column_of, left_of, first_of, last_of = (np.ascontiguousarray(row) for row in grown.nodes[:used].T)
    leaves = np.flatnonzero(column_of < 0)
    ends = grown.bounds[leaves[np.argsort(left_of[leaves])]]
    return grown.leaf, Tree(column_of, left_of, first_of, last_of, cells.place, cells.starts), ends


@njit(cache=True)
def _grow(cells: Cells, sought: Sought, chance: Chance, order: Array, grown: Grown, room: Room) -> int:
    """Grow the tree; returns how many nodes it has."""
    np.random.seed(chance.seed)
    nodes, bounds, ahead = grown.nodes, grown.bounds, grown.ahead
    ahead[0, 0], ahead[0, 1], ahead[0, 2] = 0, 0, order.size
    waiting, used, leaves = 1, 1, 0
    while waiting > 0:
        waiting -= 1
        node, low, high = ahead[waiting, 0], ahead[waiting, 1], ahead[waiting, 2]
        chosen = _choose_cut(order, low, high, cells, sought, node, bounds, chance, room)
        if chosen < 0:
            for i in range(low, high):
                grown.leaf[order[i]] = leaves
            nodes[node, 0], nodes[node, 1] = -1, leaves
            leaves += 1
            continue
        column, first, last = room.cuts[chosen, 0], room.cuts[chosen, 1], room.cuts[chosen, 2]
        _set_sides(cells, column, first, last, room.side)
        middle = _divide(order, low, high, cells.codes, column, room)
        nodes[node, 0], nodes[node, 1], nodes[node, 2], nodes[node, 3] = column, used, first, last
        for c in range(bounds.shape[2]):
            for end in range(2):
                bounds[used, end, c] = bounds[used + 1, end, c] = bounds[node, end, c]
        from_, to = bounds[node, 0, column], bounds[node, 1, column]
        bounds[used, 0, column], bounds[used, 1, column] = max(first, from_), min(last, to)
        bounds[used + 1, 0, column], bounds[used + 1, 1, column] = _rest(first, last, from_, to)
        ahead[waiting, 0], ahead[waiting, 1], ahead[waiting, 2] = used, low, middle
        ahead[waiting + 1, 0], ahead[waiting + 1, 1], ahead[waiting + 1, 2] = used + 1, middle, high
        waiting, used = waiting + 2, used + 2
    return used


@njit(cache=True)
def _set_sides(cells: Cells, column: int, first: int, last: int, side: Array) -> None:
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
def _divide(order: Array, low: int, high: int, codes: Array, column: int, room: Room) -> int:
    """Left ones first, both in their old order; returns where the right ones begin."""
    left, right = low, 0
    for i in range(low, high):
        if room.side[codes[column, order[i]]]:
            order[left] = order[i]
            left += 1
        else:
            room.moved[right] = order[i]
            right += 1
    for i in range(right):
        order[left + i] = room.moved[i]
    return left


@njit(cache=True)
def _choose_cut(
    order: Array, low: int, high: int, cells: Cells, sought: Sought, node: int, bounds: Array, chance: Chance,
    room: Room,
) -> int:  # fmt: skip
    """An allowed cut with the largest gain, or nearly: its place among `room.cuts`; −1: none."""
    inside = 0
    for i in range(low, high):
        inside += cells.counts[order[i]]
    chosen = -1
    if inside < 2 * sought.k:
        return chosen
    found: Any = np.int64(0)  # a plain 0 is a type of its own, for which `_add_cuts` would be compiled once more
    for c in range(cells.codes.shape[0]):
        if bounds[node, 0, c] < bounds[node, 1, c]:
            _count_before(order, low, high, cells, c, sought.guide.sums, room)
            found = _add_cuts(cells, c, bounds[node, 0, c], bounds[node, 1, c], sought, chance.thrift, room, found)
    seen, best = 0, 0.0
    for cut in np.argsort(room.losses[:found]):
        gain = -room.losses[cut]
        if seen > 0 and gain < (1 - chance.near) * best:
            break
        column = room.cuts[cut, 0]
        _set_sides(cells, column, room.cuts[cut, 1], room.cuts[cut, 2], room.side)
        if not _both_fine(order, low, high, cells, column, sought, room):
            continue
        best = max(best, gain)
        seen += 1
        if seen == 1 or np.random.random() < 1 / seen:  # each of them equally likely (Vitter 1985, algorithm R)
            chosen = cut
        if chance.near <= 0:
            break
    return chosen


@njit(cache=True)
def _count_before(order: Array, low: int, high: int, cells: Cells, column: int, sums: Array, room: Room) -> None:
    """Rows and outcome sums before every place of the column, and in all."""
    places, start = cells.places[column], cells.starts[column]
    for v in range(places + 1):
        room.rows[v] = 0
        for q in range(sums.shape[0]):
            room.sums[q, v] = 0.0
    for position in range(low, high):
        i = order[position]
        v = cells.place[start + cells.codes[column, i]] + 1
        room.rows[v] += cells.counts[i]
        for q in range(sums.shape[0]):
            room.sums[q, v] += sums[q, i]
    for v in range(1, places + 1):
        room.rows[v] += room.rows[v - 1]
        for q in range(sums.shape[0]):
            room.sums[q, v] += room.sums[q, v - 1]


@njit(cache=True)
def _add_cuts(
    cells: Cells, column: int, low: int, high: int, sought: Sought, thrift: float, room: Room, found: int
) -> int:
    """Add every cut of a column that leaves k rows on both sides and narrows a label; returns how many there are now.

    Places of an ordered column are cut in two; of others any node of the tree of labels may go left.
    """
    ordered, begin, total = cells.ordered[column], cells.node_starts[column], room.rows[cells.places[column]]
    for number in range(high - low if ordered else cells.node_starts[column + 1] - begin):
        first = low if ordered else cells.first[begin + number]
        last = low + number if ordered else cells.last[begin + number]
        left = room.rows[last + 1] - room.rows[first]
        if left < sought.k or total - left < sought.k:
            continue
        gain = _gain(cells, column, low, high, first, last, sought, room)
        if gain > 0:
            room.losses[found] = -(gain / _evenness(left / total) ** thrift)
            room.cuts[found, 0], room.cuts[found, 1], room.cuts[found, 2] = column, first, last
            found += 1
    return found


@njit(cache=True)
def _gain(cells: Cells, column: int, low: int, high: int, first: int, last: int, sought: Sought, room: Room) -> float:
    """What a cut wins: explained variance of the outcomes, and labels that get narrower. −1: none."""
    wide, start = cells.places[column], cells.cost_starts[column]
    total, left = room.rows[wide], room.rows[last + 1] - room.rows[first]
    right = total - left
    rest_low, rest_high = _rest(first, last, low, high)
    won = total * cells.cost[start + low * wide + high]
    won -= left * cells.cost[start + max(first, low) * wide + min(last, high)]
    won -= right * cells.cost[start + rest_low * wide + rest_high]
    if won <= 1e-9:
        return -1.0
    guide, outcomes, explained = sought.guide, room.sums.shape[0], 0.0
    for q in range(outcomes):
        here, everything = room.sums[q, last + 1] - room.sums[q, first], room.sums[q, wide]
        better = here**2 / left + (everything - here) ** 2 / right - everything**2 / total
        explained += better / (guide.variances[q] * sought.rows * outcomes)
    gain: float = guide.weight * explained + (1 - guide.weight) * won / (sought.rows * cells.codes.shape[0])
    return gain


@njit(cache=True)
def _evenness(share: float) -> float:
    """The entropy of a division, in bits: what it takes away from the divisions that are still possible."""
    return -(share * math.log2(share) + (1 - share) * math.log2(1 - share))


@njit(cache=True)
def _both_fine(order: Array, low: int, high: int, cells: Cells, column: int, sought: Sought, room: Room) -> bool:
    """Whether both sides keep l and t."""
    secrets = sought.secrets
    if secrets.l <= 1 and secrets.t < 0:
        return True
    for s in range(secrets.codes.shape[0]):
        for left in (True, False):
            for v in range(secrets.values[s]):
                room.held[v] = 0
            for position in range(low, high):
                i = order[position]
                if room.side[cells.codes[column, i]] == left:
                    room.held[secrets.codes[s, i]] += cells.counts[i]
            kinds = 0
            for v in range(secrets.values[s]):
                kinds += room.held[v] > 0
            if kinds < secrets.l:
                return False
            far = distance(room.held, sought.whole, s, secrets.values[s], secrets.ordered[s])
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
            column = tree.column_of[node]
            place = tree.place[tree.starts[column] + codes[column, i]]
            node = tree.left_of[node] + (0 if tree.first_of[node] <= place <= tree.last_of[node] else 1)
        leaf[i] = tree.left_of[node]
    return leaf
