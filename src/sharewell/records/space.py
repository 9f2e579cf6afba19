"""The search space of full-domain recoding: a level for every column, and what a choice of levels does."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from sharewell.records import kernels
from sharewell.records.combinations import Coded, Combinations
from sharewell.records.diversity import Limits, class_fails
from sharewell.records.hierarchies import Hierarchy

Node = tuple[int, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class Space:
    """`groups[c][level, code]` and `costs[c][level, code]` speak of the codes of column c in the combinations."""

    columns: tuple[str, ...]
    codes: np.ndarray  # int32 (columns, combinations)
    counts: np.ndarray  # int64 (combinations,)
    groups: tuple[np.ndarray, ...]
    costs: tuple[np.ndarray, ...]
    tags: tuple[np.ndarray, ...]  # random 64-bit tags, by level and code
    mean_costs: tuple[np.ndarray, ...]  # by level: the mean loss of the column over all rows
    sensitive: tuple[Coded, ...] = ()
    slots: np.ndarray = field(repr=False)

    @property
    def rows(self) -> int:
        return int(self.counts.sum())

    @property
    def top(self) -> Node:
        return tuple(len(levels) - 1 for levels in self.mean_costs)

    @property
    def size(self) -> int:
        return int(np.prod([float(len(levels)) for levels in self.mean_costs]))

    def base(self, node: Node) -> float:
        """The loss before any row is suppressed: a lower bound of the node's loss."""
        return float(sum(cost[level] for cost, level in zip(self.mean_costs, node, strict=True))) / len(node)

    def keys(self, node: Sequence[int]) -> np.ndarray:
        keys = np.zeros(self.counts.size, np.uint64)
        for column, level in enumerate(node):
            if self.groups[column][level].max(initial=0) > 0:
                kernels.add_tags(keys, self.codes[column], self.tags[column][level], keys)
        return keys

    def classes(self, node: Sequence[int]) -> tuple[np.ndarray, int]:
        """The class of every combination, and how many there are."""
        ids = np.empty(self.counts.size, np.int32)
        return ids, kernels.classify(self.keys(node), ids, self.slots)

    def cell_loss(self, node: Sequence[int]) -> np.ndarray:
        """Mean loss of the cells of every combination."""
        loss = np.zeros(self.counts.size)
        for column, level in enumerate(node):
            loss += self.costs[column][level][self.codes[column]]
        return loss / len(node)


def make_space(combinations: Combinations, hierarchies: dict[str, Hierarchy], sensitive: Sequence[str] = ()) -> Space:
    draw = np.random.default_rng(20_02)  # tags only have to differ; they protect nothing
    groups, costs, tags, means = [], [], [], []
    for column in combinations.quasi:
        hierarchy = hierarchies[column.name]
        place = np.array([hierarchy.position[value] for value in column.values])
        per_level = hierarchy.groups[:, place]
        weights = np.bincount(column.codes, weights=combinations.counts, minlength=len(place))
        groups.append(np.ascontiguousarray(per_level))
        costs.append(np.stack([hierarchy.loss(level)[place] for level in range(hierarchy.height + 1)]))
        means.append(costs[-1] @ weights / combinations.rows)
        drawn = [draw.integers(1, 2**63, level.max() + 1, dtype=np.uint64) for level in per_level]
        tags.append(np.stack([tag[level] for tag, level in zip(drawn, per_level, strict=True)]))
    return Space(
        columns=tuple(column.name for column in combinations.quasi),
        codes=np.stack([column.codes for column in combinations.quasi]),
        counts=combinations.counts,
        groups=tuple(groups),
        costs=tuple(costs),
        tags=tuple(tags),
        mean_costs=tuple(means),
        sensitive=tuple(combinations.other(name) for name in sensitive),
        slots=kernels.scratch(combinations.counts.size),
    )


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What a node costs. `suppressed` marks the classes that fail a limit."""

    node: Node
    loss: float
    rows: int  # suppressed rows
    feasible: bool


def evaluate(space: Space, node: Node, limits: Limits) -> Verdict:
    """Suppress what fails, count it, and weigh it: a suppressed cell costs 1."""
    ids, classes = space.classes(node)
    fails = class_fails(space, ids, classes, limits)
    gone = fails[ids]
    rows = int(space.counts[gone].sum())
    extra = float((space.counts[gone] * (1 - space.cell_loss(node)[gone])).sum()) / space.rows if rows else 0.0
    loss = space.base(node) + extra
    return Verdict(node=node, loss=loss, rows=rows, feasible=rows <= limits.most_suppressed(space.rows))
