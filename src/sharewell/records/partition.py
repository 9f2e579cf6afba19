"""The kernel of local recoding: cut a region in two again and again, as long as both sides keep the limits.

A region is a stretch of `order`; a cut sends the combinations whose value of one column is in a set to the left. The
tree that results is kept (column and set of every cut), so that other rows can be carried through the same recoding.
"""

import numpy as np
from numba import njit

from sharewell.records import kernels


@njit(cache=True)
def grow(
    codes, counts, place, starts, widths, domains, ordered, sensitive, values, sensitive_ordered, sums, scales, k, l,  # noqa: E741
    t, weight, noise,
):  # type: ignore[no-untyped-def]  # fmt: skip
    """Cuts until none is allowed; returns the leaf of every combination and the tree.

    `place` holds the position of every code in its column's domain. The tree: per node the column (−1: a leaf), the
    left and right child, or the leaf's number, and for every node one byte per code of the widest column: goes left?
    """
    columns, size = codes.shape
    rows = counts.sum()
    widest = widths.max()
    order = np.arange(size)
    most = 2 * size + 1
    column_of, left_of, right_of = np.full(most, -1), np.full(most, -1), np.full(most, -1)
    goes_left = [np.zeros(1, np.bool_)]
    leaf = np.empty(size, np.int32)
    whole = _whole(sensitive, values, counts)
    stack = [(0, 0, size)]
    nodes, leaves = 1, 0
    side = np.zeros(widest, np.bool_)
    while len(stack) > 0:
        node, low, high = stack.pop()
        region = order[low:high]
        column = _best_cut(
            region, codes, counts, place, starts, widths, domains, ordered, sensitive, values, sensitive_ordered,
            whole, sums, scales, k, l, t, weight, noise, rows, side,
        )  # fmt: skip
        if column < 0:
            leaf[region] = leaves
            left_of[node] = leaves
            leaves += 1
            continue
        middle = low + _divide(order, low, high, codes[column], side)
        column_of[node], left_of[node], right_of[node] = column, nodes, nodes + 1
        while len(goes_left) < nodes + 2:
            goes_left.append(np.zeros(1, np.bool_))
        goes_left[node] = side[: widths[column]].copy()
        stack.append((nodes, low, middle))
        stack.append((nodes + 1, middle, high))
        nodes += 2
    return leaf, leaves, column_of[:nodes], left_of[:nodes], right_of[:nodes], goes_left


@njit(cache=True)
def _whole(sensitive: np.ndarray, values: np.ndarray, counts: np.ndarray) -> np.ndarray:
    most = values.max() if values.size else 1
    whole = np.zeros((sensitive.shape[0], most))
    for s in range(sensitive.shape[0]):
        for i in range(counts.size):
            whole[s, sensitive[s, i]] += counts[i]
    return whole / counts.sum()


@njit(cache=True)
def _divide(order: np.ndarray, low: int, high: int, codes: np.ndarray, side: np.ndarray) -> int:
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
def _best_cut(
    region, codes, counts, place, starts, widths, domains, ordered, sensitive, values, sensitive_ordered, whole, sums,
    scales, k, l, t, weight, noise, rows, side,  # noqa: E741
):  # type: ignore[no-untyped-def]  # fmt: skip
    """The allowed cut with the largest gain: its column, with `side` filled; −1 where there is none."""
    inside = 0
    for i in region:
        inside += counts[i]
    if inside < 2 * k:
        return -1
    best, best_column = -1.0, -1
    trial = np.zeros(side.size, np.bool_)
    for c in range(codes.shape[0]):
        n, s = _histogram(region, codes[c], counts, sums, widths[c])
        present = _in_order(n, s, ordered[c])
        if present.size < 2:
            continue
        position = place[starts[c] : starts[c] + widths[c]]
        gains = _gains(present, n, s, position, domains[c], ordered[c], k, weight, noise, rows, codes.shape[0], scales)
        for cut in np.argsort(-gains):
            if gains[cut] <= best:
                break
            trial[:] = False
            for v in present[: cut + 1]:
                trial[v] = True
            if (
                l <= 1
                and t < 0
                or _both_fine(region, codes[c], counts, trial, sensitive, values, sensitive_ordered, whole, l, t)
            ):
                best, best_column = gains[cut], c
                side[:] = trial
                break
    return best_column


@njit(cache=True)
def _histogram(region, codes, counts, sums, width):  # type: ignore[no-untyped-def]
    n = np.zeros(width, np.int64)
    s = np.zeros((sums.shape[0], width))
    for i in region:
        v = codes[i]
        n[v] += counts[i]
        for q in range(sums.shape[0]):
            s[q, v] += sums[q, i]
    return n, s


@njit(cache=True)
def _in_order(n: np.ndarray, s: np.ndarray, ordered: bool) -> np.ndarray:
    """The values that occur: numbers by size, categories by their mean outcome, or else by how common they are."""
    present = np.flatnonzero(n)
    if ordered:
        return present
    if s.shape[0] > 0:
        return present[np.argsort(s[0][present] / n[present])]
    return present[np.argsort(-n[present])]


@njit(cache=True)
def _gains(
    present, n, s, position, domain, ordered, k, weight, noise, rows, columns, scales
):  # type: ignore[no-untyped-def]  # fmt: skip
    """What each cut wins: explained outcome beyond what chance explains, and cells that get narrower."""
    size = present.size - 1
    gains = np.full(size, -1.0)
    total = n[present].sum()
    sums = np.zeros(s.shape[0])
    for q in range(s.shape[0]):
        sums[q] = s[q][present].sum()
    left, left_sums = 0, np.zeros(s.shape[0])
    span = max(domain - 1, 1)
    for cut in range(size):
        v = present[cut]
        left += n[v]
        for q in range(s.shape[0]):
            left_sums[q] += s[q, v]
        right = total - left
        if left < k or right < k:
            continue
        if ordered:
            width = position[present[-1]] - position[present[0]]
            width_left, width_right = (
                position[v] - position[present[0]],
                position[present[-1]] - position[present[cut + 1]],
            )
        else:
            width, width_left, width_right = size, cut, size - cut - 1
        narrower = (total * width - left * width_left - right * width_right) / (span * rows * columns)
        explained = 0.0
        for q in range(s.shape[0]):
            r = sums[q] - left_sums[q]
            won = left_sums[q] ** 2 / left + r**2 / right - sums[q] ** 2 / total
            explained += max(0.0, won / scales[q] - noise) / (rows * s.shape[0])
        gains[cut] = weight * explained + (1 - weight) * narrower
    return gains


@njit(cache=True)
def _both_fine(region, codes, counts, trial, sensitive, values, sensitive_ordered, whole, l, t):  # type: ignore[no-untyped-def] # noqa: E741
    for s in range(sensitive.shape[0]):
        held = np.zeros((2, values[s]), np.int64)
        for i in region:
            held[0 if trial[codes[i]] else 1, sensitive[s, i]] += counts[i]
        for part in range(2):
            if (held[part] > 0).sum() < l:
                return False
            if t >= 0 and kernels.distance(held[part], whole[s, : values[s]], sensitive_ordered[s]) > t + 1e-12:
                return False
    return True


@njit(cache=True)
def descend(codes, column_of, left_of, right_of, goes_left):  # type: ignore[no-untyped-def]
    """The leaf that every combination falls into."""
    leaf = np.empty(codes.shape[1], np.int32)
    for i in range(codes.shape[1]):
        node = 0
        while column_of[node] >= 0:
            node = left_of[node] if goes_left[node][codes[column_of[node], i]] else right_of[node]
        leaf[i] = left_of[node]
    return leaf
