"""Which columns to count together: the pairs that the model gets most wrong, one after the other, as far as ρ goes.

McKenna, Mullins, Sheldon and Miklau (2022), AIM, algorithm 1: each round chooses by the exponential mechanism, counts
with Gaussian noise, and fits again; where a round taught less than its noise, the next ones get more of the budget.
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from sharewell.stats.arrays import Array
from sharewell.synthetic import discrete_gaussian as exact
from sharewell.synthetic.graphical_model import GraphicalModel, NoisyCounts, fit
from sharewell.synthetic.junction_tree import Clique, cells
from sharewell.synthetic.sampling import sample
from sharewell.synthetic.zcdp import gaussian_rho, selection_rho

ROUNDS = 4  # for every column, at first
GROWTH = 4.0
COUNTING = 0.9  # of the budget of a round; the rest chooses
MOST_CELLS = 60_000  # of the junction tree, at the end
JUDGED_ON = 4, 5_000, 30_000  # times the rows, at least and at most, are drawn to see where the model is wrong
STEPS, LAST_STEPS = 15, 150  # of a fit on the way, and of the last
PARTS = 64  # scores are whole numbers of this part of a row


@dataclass(kw_only=True)
class Selection:
    """The true codes (columns × rows), what is known of them so far, and what may still be spent."""

    codes: Array
    sizes: Sequence[int]
    counts: list[NoisyCounts]
    rows: float
    left: float
    generator: np.random.Generator
    possible: Sequence[tuple[Clique, Array]] = ()
    weights: dict[Clique, float] = field(default_factory=dict)
    log: list[tuple[str, Clique, float, float | None]] = field(default_factory=list)

    def run(self) -> GraphicalModel:
        """Choose, count and fit until the budget is spent."""
        everything, model = self.left, self._fit([], STEPS)
        pairs: list[Clique] = list(itertools.combinations(range(len(self.sizes)), 2))
        truth = {pair: count(self.codes, self.sizes, pair) for pair in pairs}
        share = everything / max(1, ROUNDS * len(self.sizes))
        last = not pairs
        while not last:
            last = self.left < 2 * share
            share = self.left if last else share
            variance = exact.variance_of(1 / (2 * COUNTING * share))
            sharp = math.sqrt(8 * (1 - COUNTING) * share)
            open_to = self._open(pairs, 1 - (self.left - share) / everything)
            if not open_to:
                break
            expected = _expected(model, self.sizes, open_to, self.rows, self.generator)
            pair = self._choose(truth, expected, open_to, variance, sharp)
            self._spend("choice", pair, selection_rho(sharp), None)
            self.measure(pair, COUNTING * share)
            before = expected[pair]
            model = self._fit(model.multipliers, STEPS)
            moved = np.abs(self.rows * model.marginal(pair) - before).sum()
            if moved <= math.sqrt(2 / math.pi * variance) * before.size:
                share *= GROWTH
        return self._fit(model.multipliers, LAST_STEPS)

    def measure(self, pair: Clique, rho: float) -> None:
        """Count a pair without a choice."""
        variance, truth = exact.variance_of(1 / (2 * rho)), count(self.codes, self.sizes, pair)
        noise = exact.discrete_gaussian(variance, truth.size, self.generator).reshape(truth.shape)
        self.counts.append(NoisyCounts(columns=pair, counts=truth + noise, variance=variance))
        self._spend("counts", pair, gaussian_rho(variance), variance)

    def _fit(self, start: Sequence[Array], steps: int) -> GraphicalModel:
        return fit(self.sizes, self.counts, rows=self.rows, possible=self.possible, start=start, steps=steps)

    def _open(self, pairs: Sequence[Clique], progress: float) -> list[Clique]:
        """Pairs that leave the junction tree small enough for this stage."""
        known = [*(one.columns for one in self.counts), *(columns for columns, _ in self.possible)]
        most = max(MOST_CELLS * progress, 1.0)
        inside = {pair for one in known for pair in itertools.combinations(one, 2)}
        return [
            pair
            for pair in pairs
            if pair in inside
            or cells(self.sizes, [*known, pair])
            <= max(most, self.sizes[pair[0]] * self.sizes[pair[1]] + cells(self.sizes, known))
        ]

    def _choose(
        self, truth: dict[Clique, Array], expected: dict[Clique, Array], open_to: Sequence[Clique], variance: float,
        sharp: float,
    ) -> Clique:  # fmt: skip
        """The exponential mechanism over how far off each pair is beyond its noise; one row moves a score by one."""
        heaviest = max(self.weights.get(pair, 1.0) for pair in open_to)
        scores = []
        for pair in open_to:
            off = np.abs(truth[pair] - expected[pair]).sum() - math.sqrt(2 / math.pi * variance) * truth[pair].size
            scores.append(math.floor(PARTS * self.weights.get(pair, 1.0) / heaviest * off))
        over = math.ceil(2 * PARTS / sharp)
        return open_to[exact.exponential_mechanism(scores, over=over, generator=self.generator)]

    def _spend(self, what: str, columns: Clique, rho: float, variance: float | None) -> None:
        self.left -= rho
        self.log.append((what, columns, rho, variance))


def count(codes: Array, sizes: Sequence[int], columns: Clique) -> Array:
    """Count the rows of every combination of values in some columns."""
    place = np.zeros(codes.shape[1], np.int64)
    for column in columns:
        place = place * sizes[column] + codes[column]
    shape = [sizes[column] for column in columns]
    return np.bincount(place, minlength=math.prod(shape)).reshape(shape)


def _expected(
    model: GraphicalModel, sizes: Sequence[int], pairs: Sequence[Clique], rows: float, generator: np.random.Generator
) -> dict[Clique, Array]:
    """What the model says of pairs: drawn rows counted, for most of them are in no clique."""
    times, least, most = JUDGED_ON
    size = int(np.clip(times * rows, least, most))
    drawn = sample(model, size, generator).astype(np.int32)
    return {pair: count(drawn, sizes, pair) * (rows / size) for pair in pairs}
