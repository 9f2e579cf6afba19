"""Junction trees over columns: which sets of columns a graphical model must hold together, and its marginals.

Koller and Friedman (2009), chapters 9 and 10. Belief propagation multiplies plain tables; every message is scaled to a
largest entry of one, so that products of many tables stay within floats.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sharewell.stats.arrays import Array

Clique = tuple[int, ...]  # columns in rising order
TINY = 1e-300


@dataclass(frozen=True)
class Edge:
    """A clique, the one towards the root that it talks to, and the columns that they share."""

    child: int
    parent: int
    shared: Clique


@dataclass(frozen=True, eq=False)
class JunctionTree:
    """`edges` lead from the leaves to the root: a clique comes before the one that it talks to."""

    sizes: Sequence[int]
    cliques: tuple[Clique, ...]
    edges: tuple[Edge, ...]

    @cached_property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        return tuple(tuple(self.sizes[column] for column in clique) for clique in self.cliques)

    def holder(self, columns: Clique) -> int:
        """The smallest clique that holds some columns."""
        wanted = set(columns)
        holding = [place for place, clique in enumerate(self.cliques) if wanted <= set(clique)]
        return min(holding, key=lambda place: math.prod(self.shapes[place]))

    def beliefs(self, potentials: Sequence[Array]) -> tuple[list[Array], float]:
        """Propagate potentials: the table of every clique, and the log of their sum."""
        known = list(potentials)
        log_sum = 0.0
        for edge in self.edges:
            message = summed(known[edge.child], self.cliques[edge.child], edge.shared)
            largest = max(float(message.max()), TINY)
            log_sum += math.log(largest)
            known[edge.parent] = known[edge.parent] * self._spread(message / largest, edge.shared, edge.parent)
        root = self.edges[-1].parent if self.edges else 0
        total = max(float(known[root].sum()), TINY)
        log_sum += math.log(total)
        known[root] = known[root] / total
        for edge in reversed(self.edges):
            message = summed(known[edge.parent], self.cliques[edge.parent], edge.shared)
            before = summed(known[edge.child], self.cliques[edge.child], edge.shared)
            factor = np.divide(message, before, out=np.zeros_like(message), where=before > 0)
            known[edge.child] = known[edge.child] * self._spread(factor, edge.shared, edge.child)
        return known, log_sum

    def _spread(self, table: Array, columns: Clique, place: int) -> Array:
        return spread(table, columns, self.cliques[place])


def junction_tree(sizes: Sequence[int], together: Iterable[Clique]) -> JunctionTree:
    """A tree whose cliques hold every given set of columns, and every column."""
    cliques = _maximal(_eliminated(sizes, together))
    return JunctionTree(sizes=sizes, cliques=cliques, edges=_edges(cliques))


def cells(sizes: Sequence[int], together: Iterable[Clique]) -> int:
    """How many cells such a tree has."""
    return sum(math.prod(sizes[column] for column in clique) for clique in _eliminated(sizes, together))


def summed(table: Array, columns: Clique, onto: Clique) -> Array:
    """The table over fewer of its columns."""
    away = tuple(axis for axis, column in enumerate(columns) if column not in onto)
    found: Array = table.sum(axis=away)
    return found


def spread(table: Array, columns: Clique, over: Clique) -> Array:
    """The table with further columns, along which it does not change."""
    sizes: Mapping[int, int] = dict(zip(columns, table.shape, strict=True))
    return table.reshape([sizes.get(column, 1) for column in over])


def _eliminated(sizes: Sequence[int], together: Iterable[Clique]) -> list[Clique]:
    """Each column with its neighbours when it is taken away, the one with the smallest table first."""
    near: list[set[int]] = [{column} for column in range(len(sizes))]
    for columns in together:
        for column in columns:
            near[column].update(columns)
    left, found = set(range(len(sizes))), []
    weight = {column: math.prod(sizes[other] for other in near[column]) for column in left}
    while left:
        column = min(left, key=lambda one: (weight[one], one))
        around = near[column]
        found.append(tuple(sorted(around)))
        left.discard(column)
        for other in around - {column}:
            near[other] = (near[other] | around) - {column}
            weight[other] = math.prod(sizes[one] for one in near[other])
    return found


def _maximal(cliques: Sequence[Clique]) -> tuple[Clique, ...]:
    kept: list[Clique] = []
    for clique in sorted(cliques, key=lambda one: (-len(one), one)):
        if not any(set(clique) <= set(other) for other in kept):
            kept.append(clique)
    return tuple(kept)


def _edges(cliques: Sequence[Clique]) -> tuple[Edge, ...]:
    """Prim's maximum spanning tree over how many columns cliques share, from the first; leaves first."""
    parents = dict.fromkeys(range(1, len(cliques)), 0)
    shared = {place: _shared(cliques[place], cliques[0]) for place in parents}
    found: list[Edge] = []
    while parents:
        place = max(parents, key=lambda one: (len(shared[one]), -one))
        found.append(Edge(place, parents.pop(place), shared[place]))
        for other in parents:
            closer = _shared(cliques[other], cliques[place])
            if len(closer) > len(shared[other]):
                parents[other], shared[other] = place, closer
    return tuple(reversed(found))


def _shared(one: Clique, other: Clique) -> Clique:
    return tuple(column for column in one if column in other)
