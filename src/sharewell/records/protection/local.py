"""Local recoding: regions of at least k rows, cut one column at a time (LeFevre, DeWitt and Ramakrishnan 2006).

Without outcomes the cut is taken that narrows the published cells most; with outcomes, the one that explains most of
their variance (LeFevre, DeWitt and Ramakrishnan 2008, §3), or rather of what can be predicted of them
(`predicted_outcomes.py`), mixed by the weight. Numbers are published as ranges, categories as sets: what occurs in
the class.
"""

from collections.abc import Sequence

import numpy as np

from sharewell.errors import Refused
from sharewell.records import kernels
from sharewell.records.arrays import Array
from sharewell.records.hierarchies import STAR, Hierarchy, Label
from sharewell.records.hierarchy_rules import interval
from sharewell.records.protection import local_cuts
from sharewell.records.protection.predicted_outcomes import guided
from sharewell.records.protection.recoding import Recoding, Request
from sharewell.records.protection.search_space import Space, make_space


def recode(request: Request) -> Recoding:
    request = guided(request)
    classes, tree = cut(request)
    cells = published(request, classes)
    rows = request.combinations.counts
    losses = [cost[classes] @ rows / rows.sum() for _, cost in cells]
    return Recoding(
        classes=classes,
        gone=np.zeros(classes.size, np.bool_),
        loss=float(np.mean(losses)),
        proven=False,
        hierarchies=request.hierarchies,
        tree=tree,
        labels={
            column.name: [labels[number] for number in classes]
            for column, (labels, _) in zip(request.combinations.quasi, cells, strict=True)
        },
    )


def cut(request: Request) -> tuple[Array, local_cuts.Tree]:
    """The class of every combination, and the tree that leads there."""
    space = make_space(request.aim, request.hierarchies, request.sensitive)
    limits = request.limits
    one = np.zeros(space.counts.size, np.int32)
    if space.faults(one, 1, limits)[0] != kernels.FINE:
        raise Refused(f"even as one class, {space.rows} rows cannot meet {limits}")
    sums = space.sums if request.weight > 0 else space.sums[:0]
    domains, ordered = _domains(request), _ordered(request)
    return local_cuts.grow(
        local_cuts.Cells(space.codes, space.counts, _places(request), _starts(space), space.widths, domains, ordered),
        space.secrets(limits),
        local_cuts.Guide(sums, _variances(space), float(request.weight) if len(sums) else 0.0),
        limits.k,
    )


def published(request: Request, classes: Array) -> list[tuple[list[Label], Array]]:
    """For every column: the label of every class, and its loss: (values in it − 1) / (values in the domain − 1)."""
    return [
        _one_column(request.hierarchies[column.name], column.values, column.codes, classes)
        for column in request.combinations.quasi
    ]


def _one_column(
    hierarchy: Hierarchy, values: Sequence[Label], codes: Array, classes: Array
) -> tuple[list[Label], Array]:
    held: list[set[int]] = [set() for _ in range(int(classes.max()) + 1)]
    for number, code in zip(classes.tolist(), codes.tolist(), strict=True):
        held[number].add(code)
    span = max(len(hierarchy.leaves) - 1, 1)
    labels, costs = [], []
    for inside in held:
        label, size = _describe(hierarchy, values, sorted(inside))
        labels.append(label)
        costs.append((size - 1) / span)
    return labels, np.array(costs)


def _describe(hierarchy: Hierarchy, values: Sequence[Label], inside: Sequence[int]) -> tuple[Label, int]:
    """The label of a set of codes and how many values of the domain it covers."""
    if len(inside) == 1:
        return values[inside[0]], 1
    present = [values[code] for code in inside if values[code] is not None]
    gap = len(present) < len(inside)
    if not hierarchy.ordered:
        return _node(hierarchy, [values[code] for code in inside]) or _set(present, gap), len(inside)
    places = [hierarchy.position[value] for value in present]
    first, last, text = _range(hierarchy, min(places), max(places))
    covered = last - first + 1 + gap
    if covered >= len(hierarchy.leaves):
        return STAR, len(hierarchy.leaves)
    return (f"{text} or missing" if gap else text), covered


def _set(present: Sequence[Label], gap: bool) -> str:
    names = sorted(name for name in present if name is not None)
    return "{" + ", ".join([*names, *(["missing"] if gap else [])]) + "}"


def _node(hierarchy: Hierarchy, held: Sequence[Label]) -> Label:
    """The tree node that covers exactly these values, where there is one: it says the same in fewer words."""
    places = [hierarchy.position[value] for value in held]
    for level in range(1, hierarchy.height + 1):
        groups = hierarchy.groups[level]
        if (groups[places] == groups[places[0]]).all() and (groups == groups[places[0]]).sum() == len(places):
            return hierarchy.labels[level][int(groups[places[0]])]
    return None


def _range(hierarchy: Hierarchy, low: int, high: int) -> tuple[int, int, str]:
    """The range of domain values that is published, and its text.

    Whole numbers end where the class ends, measured ones at round numbers around it. A date at the end of a range would
    be some student's date of birth, so that ranges of dates (ordered, but no numbers) end with whole groups of the
    first level: months.
    """
    if hierarchy.ranges is not None:
        return low, high, hierarchy.ranges.label(low, high)
    if hierarchy.height < 2:
        return low, high, interval(hierarchy.leaves[low], hierarchy.leaves[high]) or ""
    groups = hierarchy.groups[1]
    inside = np.flatnonzero((groups == groups[low]) | (groups == groups[high]))
    ends = [hierarchy.labels[1][groups[place]] for place in (low, high)]
    return int(inside[0]), int(inside[-1]), interval(*ends) or ""


def _places(request: Request) -> Array:
    return np.concatenate(
        [[request.hierarchies[c.name].position[value] for value in c.values] for c in request.combinations.quasi]
    ).astype(np.int64)


def _starts(space: Space) -> Array:
    return np.concatenate([[0], np.cumsum(space.widths)[:-1]]).astype(np.int64)


def _domains(request: Request) -> Array:
    return np.array([len(request.hierarchies[column.name].leaves) for column in request.combinations.quasi], np.int64)


def _ordered(request: Request) -> Array:
    return np.array([request.hierarchies[column.name].ordered for column in request.combinations.quasi], np.bool_)


def _variances(space: Space) -> Array:
    means = space.sums.sum(axis=1) / space.rows
    variances: Array = np.maximum(space.squares.sum(axis=1) / space.rows - means**2, 1e-12)
    return variances
