"""Rows drawn from a graphical model, spread evenly: counts of every clique come out within one of what is expected."""

import numpy as np

from sharewell.stats.arrays import Array
from sharewell.synthetic.graphical_model import GraphicalModel
from sharewell.synthetic.junction_tree import Clique


def sample(model: GraphicalModel, rows: int, generator: np.random.Generator) -> Array:
    """Draw codes (columns, rows), clique by clique from the root."""
    tree = model.tree
    codes = np.zeros((len(tree.sizes), rows), np.int64)
    root = tree.edges[-1].parent if tree.edges else 0
    _draw(codes, model.tables[root], tree.cliques[root], (), generator)
    for edge in reversed(tree.edges):
        _draw(codes, model.tables[edge.child], tree.cliques[edge.child], edge.shared, generator)
    return codes


def _draw(codes: Array, table: Array, clique: Clique, known: Clique, generator: np.random.Generator) -> None:
    new = tuple(column for column in clique if column not in known)
    axes = [clique.index(column) for column in (*known, *new)]
    ordered = table.transpose(axes)
    shape = ordered.shape
    chances = ordered.reshape(int(np.prod(shape[: len(known)], dtype=np.int64)), -1)
    group = np.zeros(codes.shape[1], np.int64)
    for column, size in zip(known, shape, strict=False):
        group = group * size + codes[column]
    cell = systematic(chances, group, generator)
    for place, column in reversed(list(enumerate(new, len(known)))):
        cell, codes[column] = np.divmod(cell, shape[place])


def systematic(chances: Array, group: Array, generator: np.random.Generator) -> Array:
    """Draw a cell for every row of a group, evenly: counts are met within one."""
    totals = chances.sum(axis=1, keepdims=True)
    shares = np.where(totals > 0, chances / np.where(totals > 0, totals, 1), 1 / chances.shape[1])
    order = generator.permutation(group.size)
    order = order[np.argsort(group[order], kind="stable")]
    sizes = np.bincount(group, minlength=chances.shape[0])
    rank = np.arange(group.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    point = (rank + np.repeat(generator.random(sizes.size), sizes)) / np.repeat(sizes, sizes)
    upto = np.minimum(np.cumsum(shares, axis=1), 1.0)
    upto[:, -1] = 1.0
    place = np.searchsorted((upto + np.arange(sizes.size)[:, None]).ravel(), group[order] + point, side="right")
    found = np.empty(group.size, np.int64)
    found[order] = np.clip(place - group[order] * chances.shape[1], 0, chances.shape[1] - 1)
    return found
