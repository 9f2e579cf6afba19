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
    """Outcomes that cuts should explain, their variances, and their weight against narrower cells."""

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
    guide: Guide
    k: int
    rows: int


class Room(NamedTuple):
    """Where cuts are chosen: rows and outcome sums before every place of a column, and what is known of every cut."""

    rows: Array  # int64 (places + 1,)
    sums: Array  # float64 (outcomes, places + 1)
    cuts: Array  # int64 (cuts, 3): column, first and last place that go left
    losses: Array  # float64: gains with a minus, so that the largest come first
    inside: Array  # int64 (sensitive values,)
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
    most = int(cells.places.sum()) + cells.first.size
    room = Room(
        rows=np.empty(int(cells.places.max()) + 1, np.int64),
        sums=np.empty((guide.sums.shape[0], int(cells.places.max()) + 1)),
        cuts=np.empty((most, 3), np.int64),
        losses=np.empty(most),
        inside=np.empty(int(secrets.values.max(initial=1)), np.int64),
        moved=np.empty(size, np.int64),
    )
    used = _grow(cells, Sought(secrets, guide, k, rows), chance, start.kept.copy(), grown, room)
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
        chosen = _choose_cut(order[low:high], bounds[node], cells, sought, chance, room)
        if chosen < 0:
            for i in range(low, high):
                grown.leaf[order[i]] = leaves
            nodes[node, 0], nodes[node, 1] = -1, leaves
            leaves += 1
            continue
        column, first, last = room.cuts[chosen, 0], room.cuts[chosen, 1], room.cuts[chosen, 2]
        start, middle, right = cells.starts[column], low, 0
        for i in range(low, high):  # left ones first, both in their old order
            if first <= cells.place[start + cells.codes[column, order[i]]] <= last:
                order[middle] = order[i]
                middle += 1
            else:
                room.moved[right] = order[i]
                right += 1
        for i in range(right):
            order[middle + i] = room.moved[i]
        nodes[node, 0], nodes[node, 1], nodes[node, 2], nodes[node, 3] = column, used, first, last
        for c in range(bounds.shape[2]):
            for end in range(2):
                bounds[used, end, c] = bounds[used + 1, end, c] = bounds[node, end, c]
        from_, to = bounds[node, 0, column], bounds[node, 1, column]
        bounds[used, 0, column], bounds[used, 1, column] = max(first, from_), min(last, to)
        if first <= from_:
            bounds[used + 1, 0, column] = last + 1
        elif last >= to:
            bounds[used + 1, 1, column] = first - 1
        ahead[waiting, 0], ahead[waiting, 1], ahead[waiting, 2] = used, low, middle
        ahead[waiting + 1, 0], ahead[waiting + 1, 1], ahead[waiting + 1, 2] = used + 1, middle, high
        waiting, used = waiting + 2, used + 2
    return used


@njit(cache=True)
def _choose_cut(region: Array, bounds: Array, cells: Cells, sought: Sought, chance: Chance, room: Room) -> int:
    """An allowed cut with the largest gain, or nearly: its place among `room.cuts`; −1: none."""
    rows, secrets = 0, sought.secrets
    found: Any = np.int64(0)  # a plain 0 is a type of its own, for which `_add_cuts` would be compiled once more
    for i in region:
        rows += cells.counts[i]
    if rows < 2 * sought.k:
        return -1
    for c in range(cells.codes.shape[0]):
        if bounds[0, c] < bounds[1, c]:
            found = _add_cuts(region, c, bounds, cells, sought, chance.thrift, room, found)
    chosen, seen, best = -1, 0, 0.0
    for cut in np.argsort(room.losses[:found]):
        gain = -room.losses[cut]
        if seen > 0 and gain < (1 - chance.near) * best:
            break
        column, first, last = room.cuts[cut, 0], room.cuts[cut, 1], room.cuts[cut, 2]
        start, fine = cells.starts[column], True
        for half in range(2 * secrets.codes.shape[0] if secrets.l > 1 or secrets.t >= 0 else 0):
            s, left, kinds = half // 2, half % 2 == 0, 0
            for v in range(secrets.values[s]):
                room.inside[v] = 0
            for i in region:
                if (first <= cells.place[start + cells.codes[column, i]] <= last) == left:
                    room.inside[secrets.codes[s, i]] += cells.counts[i]
            for v in range(secrets.values[s]):
                kinds += room.inside[v] > 0
            far = distance(room.inside, secrets.whole[s], secrets.values[s], secrets.ordered[s])
            if kinds < secrets.l or (secrets.t >= 0 and far > secrets.t + 1e-12):
                fine = False
                break
        if not fine:
            continue
        best = max(best, gain)
        seen += 1
        if seen == 1 or np.random.random() < 1 / seen:  # each of them equally likely (Vitter 1985, algorithm R)
            chosen = cut
        if chance.near <= 0:
            break
    return chosen


@njit(cache=True)
def _add_cuts(
    region: Array, column: int, bounds: Array, cells: Cells, sought: Sought, thrift: float, room: Room, found: int
) -> int:
    """Add every cut of a column that leaves k rows on both sides and narrows a label; returns how many there are now.

    Places of an ordered column are cut in two; of others any node of the tree of labels may go left. A cut wins
    explained variance of the outcomes, and labels that get narrower.
    """
    wide, start, costs = cells.places[column], cells.starts[column], cells.cost_starts[column]
    low, high, ordered, begin = bounds[0, column], bounds[1, column], cells.ordered[column], cells.node_starts[column]
    guide, outcomes = sought.guide, sought.guide.sums.shape[0]
    for v in range(wide + 1):  # rows and outcome sums before every place, and in all
        room.rows[v] = 0
        for q in range(outcomes):
            room.sums[q, v] = 0.0
    for i in region:
        v = cells.place[start + cells.codes[column, i]] + 1
        room.rows[v] += cells.counts[i]
        for q in range(outcomes):
            room.sums[q, v] += guide.sums[q, i]
    for v in range(1, wide + 1):
        room.rows[v] += room.rows[v - 1]
        for q in range(outcomes):
            room.sums[q, v] += room.sums[q, v - 1]
    total = room.rows[wide]
    for number in range(high - low if ordered else cells.node_starts[column + 1] - begin):
        first = low if ordered else cells.first[begin + number]
        last = low + number if ordered else cells.last[begin + number]
        left = room.rows[last + 1] - room.rows[first]
        if left < sought.k or total - left < sought.k:
            continue
        right = total - left
        rest_low = last + 1 if first <= low else low
        rest_high = first - 1 if first > low and last >= high else high
        won = total * cells.cost[costs + low * wide + high]
        won -= left * cells.cost[costs + max(first, low) * wide + min(last, high)]
        won -= right * cells.cost[costs + rest_low * wide + rest_high]
        if won <= 1e-9:
            continue
        explained = 0.0
        for q in range(outcomes):
            here, everything = room.sums[q, last + 1] - room.sums[q, first], room.sums[q, wide]
            better = here**2 / left + (everything - here) ** 2 / right - everything**2 / total
            explained += better / (guide.variances[q] * sought.rows * outcomes)
        gain = guide.weight * explained + (1 - guide.weight) * won / (sought.rows * cells.codes.shape[0])
        if gain > 0:
            share = left / total
            bits = -(share * math.log2(share) + (1 - share) * math.log2(1 - share))  # the entropy of the division
            room.losses[found] = -(gain / bits**thrift)
            room.cuts[found, 0], room.cuts[found, 1], room.cuts[found, 2] = column, first, last
            found += 1
    return found


def descend(codes: Array, tree: Tree) -> Array:
    """The leaf that every combination falls into."""
    node = np.zeros(codes.shape[1], np.int64)
    while (inside := np.flatnonzero(tree.column_of[node] >= 0)).size:
        at = node[inside]
        column = tree.column_of[at]
        place = tree.place[tree.starts[column] + codes[column, inside]]
        node[inside] = tree.left_of[at] + ((place < tree.first_of[at]) | (place > tree.last_of[at]))
    leaf: Array = tree.left_of[node]
    return leaf
