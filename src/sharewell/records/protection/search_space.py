"""The search space of full-domain recoding: a level for every column, and what a choice of levels does."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from sharewell.data.coded import Coded
from sharewell.records import kernels
from sharewell.records.arrays import Array
from sharewell.records.closeness import closeness, is_ordered
from sharewell.records.combinations import Combinations, stacked
from sharewell.records.hierarchies import Hierarchy
from sharewell.records.limits import Limits

Node = tuple[int, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class Space:
    """Tables by column, level and code lie flat: entry `starts[c] + level * widths[c] + code`.

    `sums` and `squares` hold, for every outcome that guides the search, its sum and square sum per combination.
    """

    columns: tuple[str, ...]
    codes: Array  # int32 (columns, combinations)
    counts: Array  # int64 (combinations,)
    heights: Array  # the top level of every column
    starts: Array
    widths: Array
    groups: Array  # int32, flat
    costs: Array  # float64, flat
    tags: Array  # uint64, flat
    mean_costs: tuple[Array, ...]  # by level: the mean loss of the column over all rows
    sensitive: Array  # int32 (sensitive columns, combinations)
    sensitive_sizes: Array
    sensitive_ordered: Array
    sums: Array  # float64 (outcomes, combinations)
    squares: Array
    slots: Array = field(repr=False)

    @cached_property
    def rows(self) -> int:
        return int(self.counts.sum())

    @property
    def top(self) -> Node:
        return tuple(int(height) for height in self.heights)

    @property
    def size(self) -> float:
        """How many nodes the lattice has."""
        return float(np.prod(self.heights.astype(float) + 1))

    def base(self, node: Node) -> float:
        """The loss before any row is suppressed: a lower bound of the node's loss."""
        return float(sum(cost[level] for cost, level in zip(self.mean_costs, node, strict=True))) / len(node)

    def at(self, column: int, level: int) -> slice:
        start = int(self.starts[column] + level * self.widths[column])
        return slice(start, start + int(self.widths[column]))

    def keys(self, node: Sequence[int]) -> Array:
        keys = np.zeros(self.counts.size, np.uint64)
        for column, level in enumerate(node):
            if level < self.heights[column]:
                keys += self.tags[self.at(column, level)][self.codes[column]]
        return keys

    def classes(self, node: Sequence[int]) -> tuple[Array, int]:
        """The class of every combination, and how many there are."""
        ids = np.empty(self.counts.size, np.int32)
        return ids, kernels.classify(self.keys(node), ids, self.slots)

    def failing(self, ids: Array, classes: int, limits: Limits) -> Array:
        """Which classes miss a limit."""
        wrong: Array = np.bincount(ids, weights=self.counts, minlength=classes) < limits.k
        if limits.l is None and limits.t is None:
            return wrong
        for codes, values, ordered in zip(self.sensitive, self.sensitive_sizes, self.sensitive_ordered, strict=True):
            inside = np.bincount(ids.astype(np.int64) * values + codes, self.counts, classes * values)
            inside = inside.reshape(classes, values)
            wrong |= (inside > 0).sum(axis=1) < (limits.l or 1)
            wrong |= closeness(inside, ordered=ordered) > (1 if limits.t is None else limits.t) + 1e-12
        return wrong

    def secrets(self, limits: Limits) -> kernels.Secrets:
        """The sensitive columns with their limits."""
        far = -1.0 if limits.t is None else float(limits.t)
        sizes, ordered = self.sensitive_sizes, self.sensitive_ordered
        return kernels.Secrets(self.sensitive, sizes, ordered, self._whole, limits.l or 0, far)

    @cached_property
    def _whole(self) -> Array:
        """The share of every sensitive value in the whole table."""
        whole = np.zeros((len(self.sensitive), int(self.sensitive_sizes.max(initial=1))))
        for number, codes in enumerate(self.sensitive):
            whole[number] = np.bincount(codes, weights=self.counts, minlength=whole.shape[1]) / self.rows
        return whole

    def ground(self, limits: Limits) -> kernels.Ground:
        """The same for kernels."""
        return kernels.Ground(
            self.codes, self.counts, self.starts, self.widths, self.costs, self.sums, self.squares, self.slots,
            self.secrets(limits), limits.k,
        )  # fmt: skip

    def rolled_up(self, node: Sequence[int]) -> "Space":
        """The same space with the combinations that `node` merges merged: for nodes above it nothing changes."""
        keys = self.keys(node)
        for number, codes in enumerate(self.sensitive):  # a class still has to know which sensitive values it has
            drawn = np.random.default_rng(number).integers(1, 2**63, self.sensitive_sizes[number], dtype=np.uint64)
            keys += drawn[codes]
        ids = np.empty(keys.size, np.int32)
        merged = kernels.classify(keys, ids, self.slots)
        first = np.empty(merged, np.int64)
        first[ids[::-1]] = np.arange(ids.size)[::-1]  # of a class several times assigned to, the first stays
        return replace(
            self,
            codes=np.take(self.codes, first, axis=1),
            counts=np.bincount(ids, self.counts, merged).astype(np.int64),
            sensitive=np.ascontiguousarray(self.sensitive[:, first]),
            sums=np.array([np.bincount(ids, one, merged) for one in self.sums]).reshape(-1, merged),
            squares=np.array([np.bincount(ids, one, merged) for one in self.squares]).reshape(-1, merged),
            slots=kernels.scratch(merged),
        )


def make_space(
    combinations: Combinations,
    hierarchies: Mapping[str, Hierarchy],
    sensitive: Sequence[str] = (),
) -> Space:
    known = [_levels_of(column, hierarchies[column.name]) for column in combinations.quasi]
    weights = [
        np.bincount(column.codes, weights=combinations.counts, minlength=len(column.values))
        for column in combinations.quasi
    ]
    size = combinations.counts.size
    others = [combinations.other(name) for name in sensitive]
    return Space(
        columns=tuple(column.name for column in combinations.quasi),
        codes=stacked(combinations.quasi),
        counts=combinations.counts,
        heights=np.array([len(groups) - 1 for groups, _ in known], np.int64),
        starts=np.cumsum([0, *(groups.size for groups, _ in known[:-1])]).astype(np.int64),
        widths=np.array([groups.shape[1] for groups, _ in known], np.int64),
        groups=np.concatenate([groups.ravel() for groups, _ in known]),
        costs=np.concatenate([costs.ravel() for _, costs in known]),
        tags=_draw_tags([groups for groups, _ in known]),
        mean_costs=tuple(costs @ w / combinations.rows for (_, costs), w in zip(known, weights, strict=True)),
        sensitive=stacked(others) if others else np.zeros((0, size), np.int32),
        sensitive_sizes=np.array([len(column.values) for column in others], np.int64),
        sensitive_ordered=np.array([is_ordered(column.values) for column in others], np.bool_),
        sums=combinations.sums,
        squares=combinations.squares,
        slots=kernels.scratch(size),
    )


def _levels_of(column: Coded, hierarchy: Hierarchy) -> tuple[Array, Array]:
    """Groups and costs of the values that occur, by level."""
    place = np.array([hierarchy.position[value] for value in column.values])
    costs = np.stack([hierarchy.loss(level)[place] for level in range(hierarchy.height + 1)])
    return np.ascontiguousarray(hierarchy.groups[:, place]), costs


def _draw_tags(groups: Sequence[Array]) -> Array:
    draw = np.random.default_rng(2002)  # tags only have to differ; they protect nothing
    tags = []
    for levels in groups:
        for number, level in enumerate(levels):
            drawn = draw.integers(1, 2**63, int(level.max()) + 1, dtype=np.uint64)
            tags.append(drawn[level] if number < len(levels) - 1 else np.zeros(level.size, np.uint64))
    return np.concatenate(tags)


@dataclass(frozen=True, kw_only=True)
class NodeCost:
    """What a node costs: `value` is what the search minimises, `loss` the loss of the released cells."""

    node: Node
    value: float
    loss: float
    rows: int  # suppressed rows
    hard: int  # those among them that every node below suppresses, too
    feasible: bool


@dataclass(frozen=True, kw_only=True)
class Aim:
    """What to minimise: the loss alone, or mixed with what the classes leave unexplained of the outcomes."""

    weight: float = 0.0  # of the outcomes
    best: float = 0.0  # the least that can be left unexplained, as far as known

    def value(self, loss: float, unexplained: float) -> float:
        reach = max(1.0 - self.best, 1e-9)
        return (1 - self.weight) * loss + self.weight * (unexplained - self.best) / reach


def evaluate(space: Space, node: Node, limits: Limits, aim: Aim | None = None) -> NodeCost:
    """Suppress what fails, count it, and weigh it: a suppressed cell costs 1."""
    guided = aim is not None and aim.weight > 0
    levels = np.array(node, np.int64)
    rows, hard, extra, left = kernels.assess_node(space.keys(node), levels, space.ground(limits), guided)
    loss = space.base(node) + extra / (space.rows * len(node))
    value = aim.value(loss, left) if aim is not None and guided else loss
    feasible = rows <= limits.most_suppressed(space.rows)
    return NodeCost(node=node, value=value, loss=loss, rows=rows, hard=hard, feasible=feasible)
