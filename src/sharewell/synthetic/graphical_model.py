"""The distribution of greatest entropy that fits noisy counts: a graphical model over a junction tree.

McKenna, Sheldon and Miklau (2019), "Graphical-model based estimation and inference for differential privacy", with one
difference: how far the distribution is from even costs as well. The minimum of

    Σ ‖n·M p − y‖² / 2σ²  +  c·n·Σ p log p

over distributions p is found through its dual, one multiplier for each noisy count, by L-BFGS. Counts that drown in
their noise then move the model little, instead of being believed to the last digit.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from sharewell.stats.arrays import Array
from sharewell.synthetic.junction_tree import Clique, JunctionTree, junction_tree, spread, summed

ENTROPY = (
    0.01  # c: what a nat of entropy counts against misfit, in rows; chosen on ma2019 (benchmarks/records_invented.py)
)
STEPS = 60


@dataclass(frozen=True, kw_only=True)
class NoisyCounts:
    """Counts of some columns together, with noise of a known variance."""

    columns: Clique
    counts: Array
    variance: Array | float


@dataclass(frozen=True, kw_only=True, eq=False)
class GraphicalModel:
    """Fitted tables of the cliques; `multipliers` are where the next fit, with more counts, begins."""

    tree: JunctionTree
    tables: Sequence[Array]
    multipliers: Sequence[Array] = field(repr=False)

    def marginal(self, columns: Clique) -> Array:
        """The shares of some columns that one clique holds."""
        place = self.tree.holder(columns)
        return summed(self.tables[place], self.tree.cliques[place], columns)


def fit(
    sizes: Sequence[int], counts: Sequence[NoisyCounts], *, rows: float, possible: Sequence[tuple[Clique, Array]] = (),
    start: Sequence[Array] = (), steps: int = STEPS,
) -> GraphicalModel:  # fmt: skip
    """The model of so many rows; `possible` says which cells can occur at all."""
    from scipy.optimize import minimize

    tree = junction_tree(sizes, [*(one.columns for one in counts), *(columns for columns, _ in possible)])
    dual = _Dual(tree, counts, possible, rows)
    first = [*start, *(np.zeros(one.counts.size) for one in counts[len(start) :])]
    found = minimize(
        dual.value, np.concatenate(first), jac=True, method="L-BFGS-B", options={"maxiter": steps, "maxcor": 10}
    )
    return GraphicalModel(tree=tree, tables=dual.tables(found.x), multipliers=dual.split(found.x))


class _Dual:
    """The dual function and its gradient; multipliers are in units of the noise of their counts."""

    def __init__(
        self, tree: JunctionTree, counts: Sequence[NoisyCounts], possible: Sequence[tuple[Clique, Array]], rows: float
    ) -> None:
        self.tree, self.counts, self.rows = tree, counts, rows
        self.weight = ENTROPY * rows
        self.places = [tree.holder(one.columns) for one in counts]
        self.noise = [np.sqrt(np.broadcast_to(one.variance, one.counts.shape)) for one in counts]
        self.observed = np.concatenate(
            [(one.counts / noise).ravel() for one, noise in zip(counts, self.noise, strict=True)]
        )
        self.bounds = np.cumsum([0, *(one.counts.size for one in counts)])
        self.possible = [np.ones(shape) for shape in tree.shapes]
        for columns, allowed in possible:
            place = tree.holder(columns)
            self.possible[place] = self.possible[place] * spread(allowed.astype(float), columns, tree.cliques[place])

    def split(self, multipliers: Array) -> list[Array]:
        return [multipliers[low:high] for low, high in zip(self.bounds, self.bounds[1:], strict=False)]

    def _beliefs(self, multipliers: Array) -> tuple[list[Array], float]:
        logs = [np.zeros(shape) for shape in self.tree.shapes]
        for one, noise, place, part in zip(self.counts, self.noise, self.places, self.split(multipliers), strict=True):
            scaled = part.reshape(one.counts.shape) * (self.rows / self.weight) / noise
            logs[place] += spread(scaled, one.columns, self.tree.cliques[place])
        tops = [float(log.max()) for log in logs]
        potentials = [np.exp(log - top) * allowed for log, top, allowed in zip(logs, tops, self.possible, strict=True)]
        tables, log_sum = self.tree.beliefs(potentials)
        return tables, log_sum + math.fsum(tops)

    def tables(self, multipliers: Array) -> list[Array]:
        return self._beliefs(multipliers)[0]

    def value(self, multipliers: Array) -> tuple[float, Array]:
        tables, log_sum = self._beliefs(multipliers)
        expected = [
            (self.rows * summed(tables[place], self.tree.cliques[place], one.columns) / noise).ravel()
            for one, noise, place in zip(self.counts, self.noise, self.places, strict=True)
        ]
        gap = np.concatenate(expected) - self.observed
        value = self.weight * log_sum - float(multipliers @ self.observed) + float(multipliers @ multipliers) / 2
        return value, gap + multipliers
