"""What an analyst can still learn from the released table."""

from collections.abc import Mapping, Sequence
from itertools import combinations as pairs
from typing import Any

import numpy as np
import pyarrow as pa

from sharewell.contract import Utility
from sharewell.data import engine
from sharewell.records import meaning, models, outcomes, protocols
from sharewell.records.combinations import code_column
from sharewell.records.hierarchies import STAR, Hierarchy, gather
from sharewell.records.protocols import Method, Study
from sharewell.stats.intervals import bootstrap_mean

MOST_PAIRS = 60
MOST_ROWS = 20_000  # that models learn from; more are sampled
SEEDS = 2
HELD_OUT_SEEDS = 2


def measure(
    original: Any,
    released: Any,
    *,
    quasi: Sequence[str],
    target: str | Sequence[str] | None = None,
    hierarchies: Any = None,
    seed: int = 0,
) -> list[Utility]:
    """Loss, classes, distributions, associations, and how well the targets can still be predicted.

    Rows of `original` and `released` must correspond. Prediction is the paper's protocol: cross-validation on the
    released rows; `held_out` repeats the anonymization inside every fold.
    """
    before, after = _sampled(engine.arrow(original), engine.arrow(released), seed)
    coded = {name: code_column(name, before[name]) for name in quasi}
    counts = {name: np.bincount(c.codes, minlength=len(c.values)) for name, c in coded.items()}
    made = gather(hierarchies, {name: c.values for name, c in coded.items()}, counts)
    cells = {name: _texts(after[name]) for name in quasi}
    found = [*_losses(made, cells), *_classes(cells), *_distributions(made, before, cells)]
    found += _associations(before, after, [*quasi, *outcomes.as_columns(target)], seed)
    for name in outcomes.as_columns(target):
        found += _predictions(before, cells, made, name, seed)
    return found


def _sampled(before: pa.Table, after: pa.Table, seed: int) -> tuple[pa.Table, pa.Table]:
    if before.num_rows <= MOST_ROWS:
        return before, after
    rows = np.sort(np.random.default_rng(seed).choice(before.num_rows, MOST_ROWS, replace=False))
    return before.take(rows), after.take(rows)


def _texts(column: pa.ChunkedArray) -> list[str | None]:
    coded = code_column("", column)
    return [coded.values[code] for code in coded.codes]


def _losses(hierarchies: Mapping[str, Hierarchy], cells: Mapping[str, list[str | None]]) -> list[Utility]:
    """The loss, from the published cells alone: (values that a cell may stand for − 1) / (values in the domain − 1)."""
    lost, rows = 0.0, len(next(iter(cells.values())))
    for name, column in cells.items():
        size = len(hierarchies[name].leaves)
        labels, counts = np.unique(np.array([STAR if c is None else c for c in column], object), return_counts=True)
        known = {label: meaning.covered(hierarchies[name], label).sum() for label in labels if label != STAR}
        costs = [1.0 if label == STAR else (known[label] - 1) / max(size - 1, 1) for label in labels]
        missing = sum(cell is None for cell in column)
        lost += float(np.dot(costs, counts)) - (missing if STAR in labels else 0)
    loss = lost / (rows * len(cells))
    return [
        Utility(
            name="loss", value=loss, n=rows, baseline=0.0, better="lower",
            story="How much detail the cells lost on average: 0 nothing, 1 everything.",
        )
    ]  # fmt: skip


def _classes(cells: Mapping[str, list[str | None]]) -> list[Utility]:
    """Discernibility (Bayardo and Agrawal 2005) per row, and the average size of a class."""
    seen: dict[tuple[str | None, ...], int] = {}
    for row in zip(*cells.values(), strict=True):
        seen[row] = seen.get(row, 0) + 1
    rows = sum(seen.values())
    hidden = sum(size for row, size in seen.items() if set(row) == {STAR})
    squares = sum(size * size for row, size in seen.items() if set(row) != {STAR}) + hidden * rows
    return [
        Utility(
            name="discernibility", value=squares / rows, n=rows, baseline=1.0, better="lower",
            story="How many students an analyst cannot tell from a given one, on average.",
        ),
        Utility(
            name="average class", value=rows / len(seen), n=rows, baseline=1.0, better="lower",
            story="The average number of students in a class.",
        ),
    ]  # fmt: skip


def _distributions(
    hierarchies: Mapping[str, Hierarchy], before: pa.Table, cells: Mapping[str, list[str | None]]
) -> list[Utility]:
    """Total variation between a column before and after, published groups spread evenly over their values."""
    found = []
    for name, column in cells.items():
        if set(column) == {STAR}:
            continue  # nothing is left of it, and `*` spread evenly would look like something
        hierarchy = hierarchies[name]
        coded = code_column(name, before[name])
        place = np.array([hierarchy.position[value] for value in coded.values])
        old = np.bincount(place[coded.codes], minlength=len(hierarchy.leaves)) / len(column)
        labels = list(dict.fromkeys(column))
        index = {label: number for number, label in enumerate(labels)}
        shares = np.bincount([index[label] for label in column]) / len(column)
        new = shares @ meaning.shares(hierarchy, labels)
        found.append(
            Utility(
                name="distribution kept", value=float(1 - np.abs(old - new).sum() / 2), n=len(column), baseline=1.0,
                setting={"column": name}, story="1 minus the share of students that would have to change value.",
            )
        )  # fmt: skip
    return found


def _associations(before: pa.Table, after: pa.Table, names: Sequence[str], seed: int) -> list[Utility]:
    """How far Cramér's V of pairs of columns moves, on average."""
    names = list(dict.fromkeys(names))
    chosen = list(pairs(names, 2))
    if len(chosen) > MOST_PAIRS:
        drawn = np.random.default_rng(seed).choice(len(chosen), MOST_PAIRS, replace=False)
        chosen = [chosen[place] for place in sorted(drawn)]
    if not chosen:
        return []
    old = {name: code_column(name, before[name]).codes for name in names}
    new = {name: code_column(name, after[name]).codes for name in names}
    moved = [abs(cramers_v(old[a], old[b]) - cramers_v(new[a], new[b])) for a, b in chosen]
    return [
        Utility(
            name="associations moved", value=float(np.mean(moved)), n=before.num_rows, baseline=0.0, better="lower",
            setting={"pairs": len(chosen), "largest": round(float(np.max(moved)), 4)},
            story="How far the association of two columns (Cramér's V, corrected) is from the original, on average.",
        )
    ]  # fmt: skip


def cramers_v(a: np.ndarray, b: np.ndarray) -> float:
    """Bias-corrected Cramér's V (Bergsma 2013, eq. 8)."""
    table = np.zeros((int(a.max()) + 1, int(b.max()) + 1))
    np.add.at(table, (a, b), 1)
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    n, (r, c) = table.sum(), table.shape
    if r < 2 or c < 2 or n < 2:
        return 0.0
    expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0) / n
    phi = ((table - expected) ** 2 / expected).sum() / n
    phi = max(0.0, phi - (r - 1) * (c - 1) / (n - 1))
    rows, columns = r - (r - 1) ** 2 / (n - 1), c - (c - 1) ** 2 / (n - 1)
    return float(np.sqrt(phi / max(min(rows - 1, columns - 1), 1e-12)))


def _predictions(
    before: pa.Table,
    cells: Mapping[str, list[str | None]],
    hierarchies: Mapping[str, Hierarchy],
    target: str,
    seed: int,
) -> list[Utility]:
    """Cross-validated AUC (or R²) of both models on the released and on the original cells."""
    outcome, classes = outcomes.outcome_of(before, target)
    if np.unique(outcome).size < 2:
        return []
    names = list(cells)
    released = protocols.encode(hierarchies, names, list(cells.values()), None)
    raw = protocols.encode(hierarchies, names, [_texts(before[name]) for name in names], None)
    found = []
    for model in models.MODELS:
        scores = [
            [_score(table, outcome, model, classes, seed + number) for number in range(SEEDS)]
            for table in (released, raw)
        ]
        low, high = bootstrap_mean(np.array(scores[0]), seed=seed)
        found.append(
            Utility(
                name="AUC" if classes else "R²", value=float(np.mean(scores[0])), low=low, high=high,
                baseline=float(np.mean(scores[1])), n=before.num_rows, seed=seed,
                setting={"target": target, "model": model, "protocol": "cross-validated on the release"},
                story=f"How well {target} can be predicted from the released columns, by probabilities.",
            )
        )  # fmt: skip
    return found


def _score(table: np.ndarray, outcome: np.ndarray, model: str, classes: bool, seed: int) -> float:
    splits = list(models.folds(outcome.size, None, seed=seed))
    views = [protocols.varying(table[train], table[test]) for train, test in splits]
    _, chances = models.predict(model, outcome, splits, views, classes=classes, seed=seed)
    return models.auc(outcome, chances) if classes else models.r_squared(outcome, chances)


def held_out(study: Study, method: Method, task: Mapping[str, object], *, target: str, seed: int) -> list[Utility]:
    """The honest protocol: anonymize the training rows of every fold alone, test on rows carried through."""
    seeds = range(seed, seed + HELD_OUT_SEEDS)
    kept = protocols.evaluate(study, method, task, protocol="held-out", seeds=seeds)
    raw = protocols.evaluate(study, None, task, protocol="held-out", seeds=seeds)
    return [
        Utility(
            name="AUC" if study.classes else "R²", value=float(kept[model].by_probability.mean()),
            low=float(kept[model].by_probability.min()), high=float(kept[model].by_probability.max()),
            baseline=float(raw[model].by_probability.mean()), n=study.outcome.size, seed=seed,
            setting={"target": target, "model": model, "protocol": "held out"},
            story=f"The same for students whose outcome the anonymization has not seen; lowest and highest of "
            f"{HELD_OUT_SEEDS} divisions into folds.",
        )
        for model in models.MODELS
    ]  # fmt: skip


def study_of(table: pa.Table, quasi: Sequence[str], target: str, hierarchies: Any) -> Study:
    """The rows of a table as a study of one target."""
    columns = tuple(code_column(name, table[name]) for name in quasi)
    counts = {column.name: np.bincount(column.codes, minlength=len(column.values)) for column in columns}
    outcome, classes = outcomes.outcome_of(table, target)
    made = gather(hierarchies, {column.name: column.values for column in columns}, counts)
    return Study(columns=columns, hierarchies=made, outcome=outcome, classes=classes)
