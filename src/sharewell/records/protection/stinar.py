"""Stinar, Bosch and Xiong, "An Approach to Improve k-Anonymization Practices in Educational Data Mining", §3.3.1.

1. k-anonymize all quasi-identifiers, with the loss that ARX uses by default.
2. f = how many columns still vary: the budget.
3. Rank the columns by permutation importance in a linear model of the outcome.
4. Keep the f most important columns, hide the rest, and anonymize each on its own. With less than 10 % of the
   importance in the columns of step 2, with a scaled k.
5. k-anonymize the combination again, so that the guarantee holds.

The paper prints k_i = ⌊k·m·c_i⌋ with m the largest importance and c_i this column's: that would anonymize important
columns most (c_i = m gives the largest k_i), the opposite of its own text, by which the most important column gets k
and the others are anonymized more. k_i = ⌊k·m / c_i⌋ does what the text says: k for the most important column, more
for the others; c_i has a floor, so that k_i stays finite.

By the text the 10 % decide how step 4 anonymizes; in the authors' code also whether it takes place at all.

Step 5 as printed minimises the loss of all columns alike, and so it gives up the most important column wherever two
others can be kept for it. `guided` weighs each column's loss by its importance.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from sharewell.data.coded import Coded
from sharewell.errors import InputError
from sharewell.records.arrays import Array
from sharewell.records.combinations import Combinations
from sharewell.records.hierarchies import STAR, Hierarchy, from_levels
from sharewell.records.limits import Limits
from sharewell.records.protection import domain_shares, lattice
from sharewell.records.protection.recoding import Recoding, Request
from sharewell.records.protection.search_space import Node, make_space

LEAST_SHARE = 0.10  # the paper's
LEAST_IMPORTANCE = 0.001


def recode(request: Request, *, guided: bool = True) -> Recoding:
    """Keep the columns that predict the outcome; `guided=False` makes the last step as printed."""
    if request.combinations.sums.shape[0] == 0:
        raise InputError("method 'stinar' needs a target: an outcome whose predictors are to be kept")
    first = domain_shares.recode(request)
    varying = [name for name, level in first.levels.items() if _varies(request, first, name, level)]
    if not varying:
        return first
    importance = permutation_importance(request.combinations)
    largest = max(max(importance.values()), LEAST_IMPORTANCE)
    shares = {name: max(value, LEAST_IMPORTANCE) / largest for name, value in importance.items()}
    chosen = sorted(importance, key=lambda name: (-importance[name], name))[: len(varying)]
    little = sum(importance[name] for name in varying) < LEAST_SHARE * sum(importance.values())
    scale = {name: int(request.limits.k / shares[name]) if little else request.limits.k for name in chosen}
    return domain_shares.recode(
        replace(request, hierarchies=_prepared(request, scale)), weights=shares if guided else None
    )


def _varies(request: Request, first: Recoding, name: str, level: int) -> bool:
    column = next(column for column in request.combinations.quasi if column.name == name)
    hierarchy = request.hierarchies[name]
    place = np.array([hierarchy.position[value] for value in column.values])
    return len(np.unique(hierarchy.groups[level][place[column.codes[~first.gone]]])) > 1


def permutation_importance(combinations: Combinations) -> dict[str, float]:
    """The drop in R² of a linear model when one column is shuffled, exactly instead of by shuffling.

    With least squares the residual is orthogonal to every column, so that shuffling column j raises the mean squared
    error by 2·β_j²·Var(x_j) on average: the importance is 2·β_j²·Var(x_j) / Var(y).
    """
    rows = combinations.counts / combinations.rows
    numbers = np.stack([as_numbers(column)[column.codes] for column in combinations.quasi])
    centred = numbers - (numbers @ rows)[:, None]
    outcome = combinations.sums[0] / combinations.counts
    outcome = outcome - outcome @ rows
    covariance = (centred * rows) @ centred.T
    slopes = np.linalg.pinv(covariance, hermitian=True) @ ((centred * rows) @ outcome)
    mean = combinations.sums[0].sum() / combinations.rows
    variance = combinations.squares[0].sum() / combinations.rows - mean**2
    gains = 2 * slopes**2 * np.diag(covariance) / max(variance, 1e-12)
    return {column.name: float(gain) for column, gain in zip(combinations.quasi, gains, strict=True)}


def as_numbers(column: Coded) -> Array:
    """The values of a column as numbers: themselves, or their place in the order for categories; missing is −1."""
    try:
        numbers = np.array([-1.0 if value is None else float(value) for value in column.values])
        return np.where(np.isfinite(numbers), numbers, -1.0)  # a cell may say nan
    except ValueError:
        return np.array([-1.0 if value is None else float(n) for n, value in enumerate(column.values)])


def _prepared(request: Request, scale: Mapping[str, int]) -> dict[str, Hierarchy]:
    """Hierarchies in which the columns of `scale` start where their own anonymization left them; the rest is `*`."""
    made = {}
    for column in request.combinations.quasi:
        hierarchy = request.hierarchies[column.name]
        if column.name in scale:
            made[column.name] = _alone(request, column, hierarchy, scale[column.name])
        else:
            stars: list[str | None] = [STAR] * len(hierarchy.leaves)
            made[column.name] = from_levels(column.name, hierarchy.leaves, [stars], hierarchy.ordered)
    return made


def _alone(request: Request, column: Coded, hierarchy: Hierarchy, k: int) -> Hierarchy:
    """One column anonymized on its own: its best level, with the values that are still too rare as `*`."""
    limits = Limits(k=min(k, request.combinations.rows), max_suppressed=request.limits.max_suppressed)
    single = replace(request.combinations, quasi=(column,), others=(), sums=_none(column), squares=_none(column))
    space = domain_shares.by_shares(make_space(single, {column.name: hierarchy}))
    found = lattice.search(space, limits, seconds=request.seconds, seed=request.seed)
    return _started(hierarchy, found.best.node, _rare(column, hierarchy, found.best.node[0], request, limits.k))


def _none(column: Coded) -> Array:
    return np.zeros((0, column.codes.size))


def _rare(column: Coded, hierarchy: Hierarchy, level: int, request: Request, k: int) -> Array:
    """Which leaves belong to a group of fewer than k rows at a level."""
    place = np.array([hierarchy.position[value] for value in column.values])
    groups = hierarchy.groups[level]
    rows = np.bincount(groups[place[column.codes]], weights=request.combinations.counts, minlength=groups.max() + 1)
    rare: Array = (rows < k)[groups]
    return rare


def _started(hierarchy: Hierarchy, node: Node, rare: Array) -> Hierarchy:
    levels: list[list[str | None]] = []
    for level in range(node[0], hierarchy.height + 1):
        labels = [hierarchy.labels[level][group] for group in hierarchy.groups[level]]
        levels.append([STAR if hidden else label for label, hidden in zip(labels, rare, strict=True)])
    return from_levels(hierarchy.column, hierarchy.leaves, levels, hierarchy.ordered)
