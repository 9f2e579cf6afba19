"""Yardsticks that others publish, for any release of records: invented rows, or rows whose ranges were read as values.

NIST's Collaborative Research Cycle (k-marginal of pairs, unique exact matches, propensity), models trained on the
release and tested on the original, and the overlap of confidence intervals (Karr et al. 2006). Numbers of more than
twenty different values are compared in twenty bins with equally many original rows; all else value by value.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa

from sharewell.contract import Results, Risk, Utility
from sharewell.data import engine
from sharewell.data.coded import code_column
from sharewell.errors import InputError
from sharewell.records import outcomes
from sharewell.records.arrays import Array
from sharewell.records.given_hierarchies import with_categories
from sharewell.records.hierarchy_rules import is_number
from sharewell.records.kind import ASSOCIATIONS_MOVED, INTERVALS, K_MARGINAL, MATCHED, PROPENSITY, TSTR
from sharewell.records.protection.cell_values import read_inside
from sharewell.records.utility import models
from sharewell.records.utility.distributions import cramers_v

BINS = 20
MOST_LEARNT = 4_000  # rows that models learn from, and are tested on
MOST_KINDS = 20  # categories of a column that a model distinguishes
FOLDS = 3


@dataclass(frozen=True, kw_only=True)
class SideBySide:
    """A column in both tables: codes of bins, and features for models."""

    name: str
    before: Array
    after: Array
    size: int
    features: tuple[Array, Array]  # (rows, features)


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Two tables in one coding."""

    columns: tuple[SideBySide, ...]
    seed: int

    @property
    def rows(self) -> int:
        return int(self.columns[0].before.size)

    def features(self, but: str | None = None) -> tuple[Array, Array]:
        chosen = [column.features for column in self.columns if column.name != but]
        return np.hstack([before for before, _ in chosen]), np.hstack([after for _, after in chosen])

    @cached_property
    def drawn(self) -> tuple[Array, Array]:
        """Rows of both that models look at."""
        generator = np.random.default_rng(self.seed)
        sizes = self.columns[0].before.size, self.columns[0].after.size
        before, after = (generator.permutation(size)[:MOST_LEARNT] for size in sizes)
        return before, after


def yardsticks(
    original: Any, released: Any, *, columns: Sequence[str] | None = None, categories: Collection[str] = (),
    target: str | Sequence[str] | None = None, hierarchies: Any = None, seed: int = 0,
) -> Results[Any]:  # fmt: skip
    """Compare a released table with its original by measures that others publish.

    Args:
        original: The table as it was: a pandas, polars or pyarrow frame, or a path.
        released: The released one; its rows need not be those of the original. Where it has ranges and groups, every
            cell is read as a draw inside, and rows of nothing but `*` are left out.
        columns: Those to compare; all that both have where nothing is said.
        categories: Columns whose numbers are codes.
        target: Outcomes that models learn to predict.
        hierarchies: Those of the release, as for `anonymize`.
        seed: For draws, samples of rows and the folds of cross-validation.

    Returns:
        k-marginal, unique matches, propensity and associations; for every outcome three models and coefficients.

    Example:
        >>> import pyarrow as pa
        >>> import sharewell as sw
        >>> table = pa.table({"sex": ["f", "m"] * 10, "passed": [1, 1, 0, 1] * 5})
        >>> [(one.name, one.value) for one in sw.records.yardsticks(table, table)][:2]
        [('k-marginal', 1000.0), ('unique matches', 0.0)]
    """
    before, after = engine.arrow(engine.table(original)), engine.arrow(engine.table(released))
    names = list(columns or [name for name in before.column_names if name in after.column_names])
    for name in names:
        if name not in before.column_names or name not in after.column_names:
            raise InputError("only one of the tables has such a column", column=name)
    targets = outcomes.as_columns(target)
    after = read_inside(before, after, names, with_categories(hierarchies, categories, names), seed)
    return Results(compared(before, after, names, categories, targets, seed))


def compared(
    before: pa.Table, after: pa.Table, names: Sequence[str], categories: Collection[str], targets: Sequence[str],
    seed: int, *, learn: bool = True,
) -> list[Risk | Utility]:  # fmt: skip
    """The same for arrow tables; without `learn` no model is."""
    both = comparison(before, after, names, categories, seed)
    found: list[Risk | Utility] = [k_marginal(both)] if len(names) > 1 else []
    found += [unique_matches(before.select(names), after.select(names))]
    found += [propensity(both)] if learn else []
    found += [_associations(both)] if len(names) > 1 else []
    for target in targets:
        found += _of_target(both, before, after, target)
    return found


def comparison(
    before: pa.Table, after: pa.Table, names: Sequence[str], categories: Collection[str], seed: int
) -> Comparison:
    made = (_side_by_side(name, before[name], after[name], name in categories) for name in names)
    return Comparison(columns=tuple(made), seed=seed)


def k_marginal(both: Comparison) -> Utility:
    """1,000 × (1 − total variation), on average over all pairs of columns."""
    apart = [_variation(one, other) for one, other in combinations(both.columns, 2)]
    return Utility(
        measure=K_MARGINAL, value=1000 * (1 - float(np.mean(apart))), n=both.rows, baseline=1000.0,
        setting={"pairs": len(apart), "worst": round(1000 * (1 - float(np.max(apart))))},
        story="Of 1,000 students as many have the pair of values that the original says, over all pairs of columns.",
    )  # fmt: skip


def unique_matches(before: pa.Table, after: pa.Table) -> Risk:
    """Of rows that the original has once, the share that the release has as well."""
    rows, others = _texts(before), set(_texts(after))
    values, counts = np.unique(rows, return_counts=True)
    alone = values[counts == 1]
    share = float(np.mean([row in others for row in alone])) if alone.size else 0.0
    return Risk(
        measure=MATCHED, attacker="compares rows", value=share, n=int(alone.size),
        story="Rows like those of a student who is alone in the original; a generator that knew nobody would hit some.",
    )  # fmt: skip


def propensity(both: Comparison) -> Utility:
    """Measure how well a forest separates released from original rows."""
    (before, after), (some, others) = both.features(), both.drawn
    rows = np.vstack([before[some], after[others]])
    label = np.concatenate([np.zeros(some.size), np.ones(others.size)])
    splits = list(models.folds(label.size, None, seed=both.seed, parts=FOLDS))
    views = [(rows[train], rows[test]) for train, test in splits]
    _, scores = models.predict("random forest", label, splits, views, classes=True, seed=both.seed)
    return Utility(
        measure=PROPENSITY, value=models.auc(label, scores), n=label.size, baseline=0.5, seed=both.seed,
        setting={"model": "random forest"},
        story="0.5: released and original rows look the same to a model; 1: it separates all of them.",
    )  # fmt: skip


def _associations(both: Comparison) -> Utility:
    moved = [
        abs(cramers_v(one.before, other.before) - cramers_v(one.after, other.after))
        for one, other in combinations(both.columns, 2)
    ]
    return Utility(
        measure=ASSOCIATIONS_MOVED, value=float(np.mean(moved)), n=both.rows, baseline=0.0,
        setting={"pairs": len(moved), "largest": round(float(np.max(moved)), 4)},
        story="How far the association of two columns (Cramér's V, corrected) is from the original, on average.",
    )  # fmt: skip


def _of_target(both: Comparison, before: pa.Table, after: pa.Table, target: str) -> list[Risk | Utility]:
    """Models that learn the outcome from the release, and the coefficients of a linear one."""
    truth, classes = outcomes.outcome_of(before, target)
    made = _same_outcome(before, after, target, truth, classes)
    if np.unique(truth).size < 2 or np.unique(made).size < 2:
        return []
    real, fake = both.features(but=target)
    if real.shape[1] == 0:
        return []
    some, others = both.drawn
    found: list[Risk | Utility] = [_intervals(real, truth, fake, made, target)]
    if not classes:
        return found
    return [*found, *_tstr(real[some], truth[some], fake[others], made[others], target, both.seed)]


def _tstr(real: Array, truth: Array, fake: Array, made: Array, target: str, seed: int) -> list[Risk | Utility]:
    found: list[Risk | Utility] = []
    splits = list(models.folds(truth.size, None, seed=seed, parts=FOLDS))
    views = [(real[train], real[test]) for train, test in splits]
    for name in (*models.MODELS, "boosted trees"):
        _, own = models.predict(name, truth, splits, views, classes=True, seed=seed)
        fitted = models.make_model(name, classes=True, seed=seed).fit(fake, made)
        scores = fitted.predict_proba(real)[:, 1]
        found.append(
            Utility(
                measure=TSTR, value=models.auc(truth, scores), n=truth.size, baseline=models.auc(truth, own), seed=seed,
                setting={"target": target, "model": name},
                story=f"A model that learnt {target} from released rows, tried on original ones; beside it one that "
                "learnt from other original rows.",
            )
        )  # fmt: skip
    return found


def _intervals(real: Array, truth: Array, fake: Array, made: Array, target: str) -> Utility:
    """How much of the 95 % intervals of both regressions lies in common, on average over the coefficients."""
    (low, high), (other_low, other_high) = _coefficients(real, truth), _coefficients(fake, made)
    common = np.maximum(np.minimum(high, other_high) - np.maximum(low, other_low), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = (common / (high - low) + common / (other_high - other_low)) / 2
    share = share[np.isfinite(share)]
    return Utility(
        measure=INTERVALS, value=float(share.mean()) if share.size else 0.0, n=truth.size, baseline=1.0,
        setting={"target": target, "coefficients": int(share.size)},
        story=f"A linear regression of {target} on all other columns, in both tables: 1 the same intervals, 0 none in "
        "common.",
    )  # fmt: skip


def _coefficients(features: Array, outcome: Array) -> tuple[Array, Array]:
    """Both ends of the 95 % interval of every coefficient of least squares."""
    design = np.hstack([np.ones((outcome.size, 1)), features])
    inverse = np.linalg.pinv(design.T @ design)
    best = inverse @ (design.T @ outcome)
    left = outcome - design @ best
    spread = np.sqrt(np.maximum(np.diag(inverse), 0) * (left @ left) / max(outcome.size - design.shape[1], 1))
    return (best - 1.96 * spread)[1:], (best + 1.96 * spread)[1:]


def _same_outcome(before: pa.Table, after: pa.Table, target: str, truth: Array, classes: bool) -> Array:
    """The outcome of the released rows, in the coding of the original."""
    if not classes:
        return outcomes.outcome_of(after, target)[0]
    one = code_column(target, before[target])
    yes = {one.values[code] for code in np.unique(one.codes[truth > 0.5])}
    other = code_column(target, after[target])
    return np.array([value in yes for value in other.values], float)[other.codes]


def _side_by_side(name: str, before: pa.ChunkedArray, after: pa.ChunkedArray, category: bool) -> SideBySide:
    one, other = code_column(name, before), code_column(name, after)
    numbers = _as_numbers([*one.values, *other.values])
    distinct = np.unique(numbers[np.isfinite(numbers)])
    binned = not category and distinct.size > BINS
    known = numbers[: len(one.values)]
    cuts = np.unique(_quantiles(known[one.codes])) if binned else distinct
    labels: dict[Any, int] = {}

    def place(value: str | None, number: float) -> int:
        key: Any = (
            ("bin", int(np.searchsorted(cuts, number, side="right"))) if binned and np.isfinite(number) else value
        )
        return labels.setdefault(key, len(labels))

    places = np.array(
        [place(value, number) for value, number in zip([*one.values, *other.values], numbers, strict=True)]
    )
    codes = places[: len(one.values)][one.codes], places[len(one.values) :][other.codes]
    if not category and distinct.size > 2:
        middle = float(np.nanmean(known[one.codes])) if np.isfinite(known).any() else 0.0
        plain = [
            np.where(np.isfinite(part), part, middle)
            for part in (known[one.codes], numbers[len(one.values) :][other.codes])
        ]
        wide = float(plain[0].std()) or 1.0
        features = tuple(((part - middle) / wide)[:, None] for part in plain)
    else:
        common = np.argsort(-np.bincount(codes[0], minlength=len(labels)), kind="stable")[:MOST_KINDS]
        features = tuple((part[:, None] == common[1:]).astype(float) for part in codes)
    return SideBySide(name=name, before=codes[0], after=codes[1], size=len(labels), features=(features[0], features[1]))


def _as_numbers(values: Sequence[str | None]) -> Array:
    found = np.array([float(value) if value is not None and is_number(value) else np.nan for value in values])
    if np.isfinite(found).any():
        return found
    try:
        days = np.array([value or "NaT" for value in values], "datetime64[s]")
    except ValueError:
        return found
    return np.where(np.isnat(days), np.nan, days.astype(float) / 86_400)


def _quantiles(numbers: Array) -> Array:
    found: Array = np.quantile(numbers[np.isfinite(numbers)], np.arange(1, BINS) / BINS)
    return found


def _variation(one: SideBySide, other: SideBySide) -> float:
    size = one.size * other.size
    before = np.bincount(one.before * other.size + other.before, minlength=size) / one.before.size
    after = np.bincount(one.after * other.size + other.after, minlength=size) / one.after.size
    return float(np.abs(before - after).sum() / 2)


def _texts(table: pa.Table) -> Array:
    """Every row as one text."""
    cells = [np.array(_plain(table[name])) for name in table.column_names]
    return np.array(["\u001f".join(row) for row in zip(*cells, strict=True)])


def _plain(column: pa.ChunkedArray) -> list[str]:
    coded = code_column("", column)
    texts = [_shortest(value) for value in coded.values]
    return [texts[code] for code in coded.codes]


def _shortest(value: str | None) -> str:
    """3.0 and 3 are the same number."""
    return "" if value is None else f"{float(value):.12g}" if is_number(value) else value
