"""Local recoding begins without the few students who would hide a whole column.

Where fewer than k students differ from everybody else in a column, no group can ever be divided by it, and it comes out
as `*` for all. Suppressing those few rows, as far as the plan allows, keeps the column.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from sharewell.records.arrays import Array
from sharewell.records.protection.recoding import Request
from sharewell.records.protection.search_space import make_space
from sharewell.records.public_labels import PublicLabels


class Start(NamedTuple):
    """The combinations that are left, and the first and last place of every column: (2, columns)."""

    kept: Array
    bounds: Array


class Trim(NamedTuple):
    """Keep what one label of a column covers: what that wins in cells, and the combinations that go."""

    gain: float
    column: int
    first: int
    last: int
    outside: Array


def trim(request: Request, labels: Sequence[PublicLabels], places: Sequence[Array]) -> Start:
    """Column by column, the largest gain first, as long as detail is won and few enough rows are suppressed."""
    counts, limits = request.combinations.counts, request.limits
    kept = np.ones(counts.size, bool)
    bounds = np.array([[0] * len(labels), [known.places - 1 for known in labels]], np.int32)
    whole = Start(np.arange(counts.size), bounds.copy())
    left = limits.most_suppressed(request.combinations.rows)
    closed = [c for c, known in enumerate(labels) if not _can_be_cut(known, places[c], counts, limits.k)]
    while closed:
        trials = [one for c in closed for one in _trials(c, labels[c], places[c], counts * kept, left, len(labels))]
        if not trials:
            break
        best = max(trials, key=lambda one: one.gain)
        left -= int(counts[best.outside & kept].sum())
        kept &= ~best.outside
        bounds[:, best.column] = best.first, best.last
        closed.remove(best.column)
    return Start(np.flatnonzero(kept), bounds) if _meets(request, kept) else whole


def _can_be_cut(known: PublicLabels, place: Array, counts: Array, k: int) -> bool:
    """Whether any cut leaves k rows on both sides: in a column without an order, around one of its labels."""
    before = np.concatenate([[0], np.cumsum(np.bincount(place, weights=counts, minlength=known.places))])
    if known.ordered:
        inside = before[1:-1]
    else:
        inside = np.array([before[span.last + 1] - before[span.first] for span in known.spans[1:]])
    return bool(((inside >= k) & (before[-1] - inside >= k)).any())


def _trials(c: int, known: PublicLabels, place: Array, counts: Array, most: int, columns: int) -> Iterator[Trim]:
    """Labels of which few enough rows lie outside: a cell that is kept wins 1 − its cost, a row that goes costs all."""
    rows = counts.sum()
    for span, cost in zip(known.spans[1:], known.costs[1:], strict=True):
        outside = (place < span.first) | (place > span.last)
        gone = counts[outside].sum()
        gain = float((rows - gone) * (1 - cost) - gone * columns)
        if gone <= most and gain > 0:
            yield Trim(gain, c, span.first, span.last, outside)


def _meets(request: Request, kept: Array) -> bool:
    """Whether what is left, as one class, still keeps the limits."""
    space = make_space(request.combinations, request.hierarchies, request.sensitive)
    return not space.failing(np.where(kept, 0, 1), 2, request.limits)[0]
