"""Local recoding: regions of at least k rows, cut one column at a time (LeFevre, DeWitt and Ramakrishnan 2006).

Without outcomes the cut is taken that narrows the published labels most; with outcomes, the one that explains most of
their variance (LeFevre, DeWitt and Ramakrishnan 2008, §3), or rather of what can be predicted of them
(`predicted_outcomes.py`), mixed by the weight. What is published comes from a list that stands before any region does
(`public_labels.py`): the smallest label that covers all values between the cuts around a region, whether they occur in
it or not. A label that shrank to what occurs would disclose that something does (Cohen 2022).
"""

from collections.abc import Sequence

import numpy as np

from sharewell.errors import Refused
from sharewell.records.arrays import Array
from sharewell.records.hierarchies import Label
from sharewell.records.protection import local_cuts
from sharewell.records.protection.predicted_outcomes import guided
from sharewell.records.protection.recoding import Recoding, Request, value_of
from sharewell.records.protection.search_space import Space, make_space
from sharewell.records.protection.trimming import Start, trim
from sharewell.records.public_labels import PublicLabels, labels_of

NEAR = 0.1  # how far below the best gain a drawn cut may lie
THRIFTS = (0.75, 1.0, 0.5, 0.25)  # in turn: none is best for every table
MOST_DRAWS = 24
PACE = 1e5  # cells (combinations × columns) recoded per second on a modest machine


def recode(request: Request) -> Recoding:
    """The best of several recodings, all with cuts drawn among the nearly best ones; long tables get fewer."""
    request = guided(request)
    labels = [labels_of(request.hierarchies[column.name]) for column in request.combinations.quasi]
    cells = request.combinations.counts.size * len(labels)
    draws = max(1, int(min(MOST_DRAWS, request.seconds * PACE / cells)))
    start = trim(request, labels, _places(request, labels))
    chances = [local_cuts.Chance(NEAR, request.secret + n, THRIFTS[n % len(THRIFTS)]) for n in range(draws)]
    return min((_drawn(request, labels, start, chance) for chance in chances), key=lambda one: value_of(request, one))


def _drawn(request: Request, labels: Sequence[PublicLabels], start: Start, chance: local_cuts.Chance) -> Recoding:
    leaves, tree, ends = cut(request, labels, start, chance)
    gone = np.ones(leaves.size, np.bool_)
    gone[start.kept] = False
    chosen = np.stack([column.smallest[ends[:, 0, c], ends[:, 1, c]] for c, column in enumerate(labels)])
    merged = np.unique(chosen, axis=1, return_inverse=True)[1].reshape(-1)  # regions that look the same are one class
    classes = merged[leaves].astype(np.int32)
    rows = request.combinations.counts
    costs = [np.where(gone, 1.0, known.costs[number[leaves]]) for known, number in zip(labels, chosen, strict=True)]
    at_end = tree.column_of < 0
    renamed = np.where(at_end, merged[np.where(at_end, tree.left_of, 0)], tree.left_of)
    return Recoding(
        classes=classes,
        gone=gone,
        loss=float(np.mean(costs, axis=0) @ rows / rows.sum()),
        proven=False,
        hierarchies=request.hierarchies,
        tree=tree._replace(left_of=renamed),
        labels=_names(request, labels, chosen[:, leaves]),
    )


def cut(
    request: Request, labels: Sequence[PublicLabels], start: Start, chance: local_cuts.Chance
) -> tuple[Array, local_cuts.Tree, Array]:
    """The region of every combination, the tree that leads there, and the bounds of every region."""
    space = make_space(request.aim, request.hierarchies, request.sensitive)
    limits = request.limits
    if space.failing(np.zeros(space.counts.size, np.int64), 1, limits)[0]:
        raise Refused(f"even as one class, {space.rows} rows cannot meet {limits}")
    sums = space.sums if request.weight > 0 else space.sums[:0]
    return local_cuts.grow(
        _cells(request, space, labels),
        space.secrets(limits),
        local_cuts.Guide(sums, _variances(space), float(request.weight) if len(sums) else 0.0),
        limits.k,
        start,
        chance,
    )


def _cells(request: Request, space: Space, labels: Sequence[PublicLabels]) -> local_cuts.Cells:
    firsts, lasts = [], []
    for column in labels:
        inner = [] if column.ordered else [span for span in column.spans[1:] if span.size < column.spans[0].size]
        firsts.append(np.array([span.first for span in inner], np.int64))
        lasts.append(np.array([span.last for span in inner], np.int64))
    return local_cuts.Cells(
        codes=space.codes,
        counts=space.counts,
        place=np.concatenate([_place_of_code(request, n, column) for n, column in enumerate(labels)]),
        starts=_starts(space.widths),
        widths=space.widths,
        places=np.array([column.places for column in labels], np.int64),
        cost=np.concatenate([column.costs[column.smallest].ravel() for column in labels]),
        cost_starts=_starts(np.array([column.places**2 for column in labels], np.int64)),
        first=np.concatenate(firsts),
        last=np.concatenate(lasts),
        node_starts=np.cumsum([0, *(first.size for first in firsts)]).astype(np.int64),
        ordered=np.array([column.ordered for column in labels], np.bool_),
    )


def _places(request: Request, labels: Sequence[PublicLabels]) -> list[Array]:
    """For every column the place of every combination."""
    columns = enumerate(zip(request.combinations.quasi, labels, strict=True))
    return [_place_of_code(request, number, known)[column.codes] for number, (column, known) in columns]


def _place_of_code(request: Request, number: int, labels: PublicLabels) -> Array:
    column = request.combinations.quasi[number]
    position = request.hierarchies[column.name].position
    return labels.place_of[[position[value] for value in column.values]]


def _names(request: Request, labels: Sequence[PublicLabels], chosen: Array) -> dict[str, list[Label]]:
    """For every column the label of every combination."""
    return {
        column.name: [known.spans[number].name for number in numbers]
        for column, known, numbers in zip(request.combinations.quasi, labels, chosen, strict=True)
    }


def _starts(sizes: Array) -> Array:
    return np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)


def _variances(space: Space) -> Array:
    means = space.sums.sum(axis=1) / space.rows
    variances: Array = np.maximum(space.squares.sum(axis=1) / space.rows - means**2, 1e-12)
    return variances
