"""Local recoding: regions of at least k rows, cut one column at a time (LeFevre, DeWitt and Ramakrishnan 2006).

Without outcomes the cut is taken that narrows the published labels most; with outcomes, the one that explains most of
their variance (LeFevre, DeWitt and Ramakrishnan 2008, §3), or rather of what can be predicted of them
(`predicted_outcomes.py`), mixed by the weight. What is published comes from a list that stands before any region does
(`public_labels.py`): the smallest label that covers the region.
"""

from collections.abc import Sequence

import numpy as np

from sharewell.errors import Refused
from sharewell.records import kernels
from sharewell.records.arrays import Array
from sharewell.records.hierarchies import Label
from sharewell.records.protection import local_cuts
from sharewell.records.protection.predicted_outcomes import guided
from sharewell.records.protection.recoding import Recoding, Request
from sharewell.records.protection.search_space import Space, make_space
from sharewell.records.public_labels import PublicLabels, labels_of


def recode(request: Request) -> Recoding:
    request = guided(request)
    labels = [labels_of(request.hierarchies[column.name]) for column in request.combinations.quasi]
    leaves, tree = cut(request, labels)
    chosen = _chosen(request, labels, leaves)
    merged = np.unique(chosen, axis=1, return_inverse=True)[1].reshape(-1)  # regions that look the same are one class
    classes = merged[leaves].astype(np.int32)
    rows = request.combinations.counts
    losses = [column.costs[number[leaves]] @ rows / rows.sum() for column, number in zip(labels, chosen, strict=True)]
    ends = np.where(tree.column_of < 0, merged[np.where(tree.column_of < 0, tree.left_of, 0)], tree.left_of)
    return Recoding(
        classes=classes,
        gone=np.zeros(classes.size, np.bool_),
        loss=float(np.mean(losses)),
        proven=False,
        hierarchies=request.hierarchies,
        tree=tree._replace(left_of=ends),
        labels=_names(request, labels, chosen[:, leaves]),
    )


def cut(request: Request, labels: Sequence[PublicLabels]) -> tuple[Array, local_cuts.Tree]:
    """The region of every combination, and the tree that leads there."""
    space = make_space(request.aim, request.hierarchies, request.sensitive)
    limits = request.limits
    one = np.zeros(space.counts.size, np.int32)
    if space.faults(one, 1, limits)[0] != kernels.FINE:
        raise Refused(f"even as one class, {space.rows} rows cannot meet {limits}")
    sums = space.sums if request.weight > 0 else space.sums[:0]
    return local_cuts.grow(
        _cells(request, space, labels),
        space.secrets(limits),
        local_cuts.Guide(sums, _variances(space), float(request.weight) if len(sums) else 0.0),
        limits.k,
        local_cuts.Chance(request.chance, request.chance_seed),
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
        place=np.concatenate([_places(request, n, column) for n, column in enumerate(labels)]),
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


def _places(request: Request, number: int, labels: PublicLabels) -> Array:
    """The place of every code of a column."""
    column = request.combinations.quasi[number]
    position = request.hierarchies[column.name].position
    return labels.place_of[[position[value] for value in column.values]]  # type: ignore[no-any-return]


def _chosen(request: Request, labels: Sequence[PublicLabels], leaves: Array) -> Array:
    """(columns, regions): the number of the label that each region gets."""
    regions = int(leaves.max()) + 1
    found = []
    for number, column in enumerate(labels):
        place = _places(request, number, column)[request.combinations.quasi[number].codes]
        low, high = np.full(regions, column.places, np.int64), np.zeros(regions, np.int64)
        np.minimum.at(low, leaves, place)
        np.maximum.at(high, leaves, place)
        found.append(column.smallest[low, high])
    return np.stack(found)


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
