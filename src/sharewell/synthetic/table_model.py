"""Fit a model of a table of codes under a budget: every column counted alone, then the pairs that it gets most wrong.

Tables are neighbours if they differ in one row. All that is learnt are counts with exact Gaussian noise and choices by
the exponential mechanism; their costs add up to ρ (see `zcdp`), and whatever is computed from them costs nothing more
(Dwork and Roth 2014, §2.1).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sharewell.stats.arrays import Array
from sharewell.synthetic import discrete_gaussian as exact
from sharewell.synthetic.bins import Bins, binned
from sharewell.synthetic.columns import ModelledColumn, ReadColumn
from sharewell.synthetic.graphical_model import GraphicalModel, NoisyCounts
from sharewell.synthetic.junction_tree import Clique
from sharewell.synthetic.rules import ImpossibleRule
from sharewell.synthetic.sampling import systematic
from sharewell.synthetic.selection import Selection
from sharewell.synthetic.zcdp import gaussian_rho

ALONE = 0.1  # of the budget: every column by itself
PLANNED = 0.5  # of what is left: pairs that are named beforehand
TARGETED = 4.0  # what a pair with an outcome counts against others, where the rest is equal


@dataclass(frozen=True, kw_only=True)
class Field:
    """A column of the model: its domain, its bins, and noisy counts of its listed values for what is rare."""

    column: ModelledColumn
    bins: Bins
    listed: Array

    def leaves(self, codes: Array, generator: np.random.Generator) -> Array:
        """A listed value or range for every bin; rare ones are drawn anew among all."""
        leaf = systematic(self.bins.shares, codes, generator)
        rare = np.array([one.rare for one in self.column.leaves])[leaf]
        leaf[rare] = generator.choice(self.listed.size, int(rare.sum()), p=self.listed)
        return leaf


@dataclass(frozen=True, kw_only=True, eq=False)
class TableModel:
    """Noisy counts of columns and pairs, fitted; `spent` says what each cost."""

    fields: tuple[Field, ...]
    model: GraphicalModel
    rows: float  # noisy
    spent: tuple[Mapping[str, Any], ...]


def fit_columns(
    reads: Sequence[ReadColumn],
    rho: float,
    generator: np.random.Generator,
    *,
    rules: Sequence[ImpossibleRule] = (),
    targets: Sequence[str] = (),
    together: Sequence[tuple[str, str]] = (),
    alone: float = ALONE,
) -> TableModel:
    """Spend ρ on noisy counts of columns; pairs with a target come sooner.

    Pairs that are counted `together` whatever the data share `PLANNED` of what single columns leave; `alone` is the
    share of the budget that goes to single columns.
    """
    names = [one.column.name for one in reads]
    cuts = {
        name: [cut for rule in rules for one in rule.parts if one.column == name for cut in one.cuts] for name in names
    }
    variance = exact.variance_of(len(names) / (2 * alone * rho))
    noisy = [_noisy(one, variance, generator) for one in reads]
    many = _rows(noisy)
    bins = [
        binned(one.column, counts, variance**0.5, rows=many, cuts=cuts[one.column.name])
        for one, counts in zip(reads, noisy, strict=True)
    ]
    each = gaussian_rho(variance)
    selection = Selection(
        codes=np.stack([own.of_leaf[one.codes] for own, one in zip(bins, reads, strict=True)]).astype(np.int32),
        sizes=[own.size for own in bins],
        counts=[
            NoisyCounts(columns=(place,), counts=own.counts, variance=variance * own.leaves)
            for place, own in enumerate(bins)
        ],
        rows=many,
        left=rho - each * len(names),
        generator=generator,
        possible=[_possible(rule, names, reads, bins) for rule in rules],
        weights=_weights(names, targets),
    )
    asked = [tuple(sorted((names.index(one), names.index(other)))) for one, other in together]
    for pair in asked:
        selection.measure(pair, PLANNED * (rho - each * len(names)) / len(asked))
    model = selection.run()
    spent = [{"what": "counts", "columns": [name], "rho": each, "noise": variance**0.5} for name in names]
    spent += [
        {"what": what, "columns": [names[place] for place in used], "rho": cost, "noise": noise and noise**0.5}
        for what, used, cost, noise in selection.log
    ]
    return TableModel(
        fields=tuple(
            Field(column=one.column, bins=own, listed=_listed(one.column, counts))
            for one, own, counts in zip(reads, bins, noisy, strict=True)
        ),
        model=model,
        rows=many,
        spent=tuple(spent),
    )


def _noisy(one: ReadColumn, variance: float, generator: np.random.Generator) -> Array:
    leaves = len(one.column.leaves)
    return np.bincount(one.codes, minlength=leaves) + exact.discrete_gaussian(variance, leaves, generator)


def _rows(noisy: Sequence[Array]) -> float:
    """How many rows there are, from the noisy counts of all columns: those of few values say it best."""
    weight = np.array([1 / counts.size for counts in noisy])
    return max(1.0, float(weight @ [counts.sum() for counts in noisy] / weight.sum()))


def _listed(column: ModelledColumn, noisy: Array) -> Array:
    """How often listed values are drawn for what is rare."""
    weight: Array = np.where([leaf.rare for leaf in column.leaves], 0.0, np.maximum(noisy, 1e-9))
    shares: Array = weight / weight.sum()
    return shares


def _possible(
    rule: ImpossibleRule, names: Sequence[str], reads: Sequence[ReadColumn], bins: Sequence[Bins]
) -> tuple[Clique, Array]:
    """Which cells a rule leaves: those where some leaf of some bin does not meet every condition."""
    places = sorted(names.index(name) for name in rule.columns)
    broken: Array = np.ones((), bool)
    for place in places:
        column, own = reads[place].column, bins[place]
        of_leaf = np.logical_and.reduce(
            [part.of_leaves(column.leaves, 10.0**-column.decimals) for part in rule.parts if part.column == column.name]
        )
        whole = np.bincount(own.of_leaf, weights=~of_leaf, minlength=own.size) == 0
        broken = broken[..., None] & whole
    return tuple(places), ~broken


def _weights(names: Sequence[str], targets: Sequence[str]) -> dict[Clique, float]:
    aims = {names.index(name) for name in targets}
    pairs = ((one, other) for other in range(len(names)) for one in range(other))
    return {pair: TARGETED for pair in pairs if aims & set(pair)}
