"""Two ways to ask how well an outcome can still be predicted.

The paper's: anonymize all rows with the outcome at hand, then cross-validate on the result. The choice of columns has
seen the outcomes of the test rows. Held-out: for every fold anonymize the training rows alone, train on what is
released of them, and test on held-out rows carried through the same recoding.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pyarrow as pa

from sharewell.data.coded import Coded, code_column
from sharewell.records import outcomes, published_cells
from sharewell.records.arrays import Array
from sharewell.records.combinations import Combinations
from sharewell.records.given_hierarchies import gather
from sharewell.records.hierarchies import STAR, Hierarchy, Label
from sharewell.records.protection import local_cuts
from sharewell.records.protection.recoding import Recode, Recoding, Request
from sharewell.records.protection.settings import Settings
from sharewell.records.utility import models
from sharewell.records.utility.models import Split

Protocol = Literal["paper", "held-out"]
PAPER_STAR = -1.0  # what the authors' code puts in place of `*`


@dataclass(frozen=True, kw_only=True)
class LabelledRows:
    """Rows (not combinations) with their outcome; `groups` keeps rows of one student in one fold."""

    columns: tuple[Coded, ...]
    hierarchies: Mapping[str, Hierarchy]
    outcome: Array
    classes: bool = True  # whether the outcome is yes or no
    groups: Array | None = None
    others: tuple[Coded, ...] = ()  # sensitive columns

    def rows_of(self, rows: Array) -> Combinations:
        outcome = self.outcome[rows][None, :].astype(float)
        return Combinations(
            quasi=tuple(replace(column, codes=column.codes[rows]) for column in self.columns),
            others=tuple(replace(column, codes=column.codes[rows]) for column in self.others),
            counts=np.ones(rows.size, np.int64),
            sums=outcome,
            squares=outcome**2,
        )


def labelled_rows(table: pa.Table, settings: Settings) -> LabelledRows:
    """The rows of a table, with the first target as their outcome."""
    columns, others = (
        tuple(code_column(name, table[name]) for name in names) for names in (settings.quasi, settings.sensitive)
    )
    counts = {one.name: np.bincount(one.codes, minlength=len(one.values)) for one in columns}
    outcome, classes = np.zeros(table.num_rows), True
    if settings.targets:
        outcome, classes = outcomes.outcome_of(table, settings.targets[0])
    made = gather(settings.hierarchies, {one.name: one.values for one in columns}, counts)
    return LabelledRows(columns=columns, hierarchies=made, outcome=outcome, classes=classes, others=others)


@dataclass(frozen=True, kw_only=True)
class Score:
    """One model under one protocol: from predicted labels (the authors' way) and from probabilities, by seed."""

    model: str
    protocol: Protocol
    by_label: Array
    by_probability: Array


def raw_cells(study: LabelledRows, rows: Array) -> list[list[Label]]:
    return [[column.values[code] for code in column.codes[rows]] for column in study.columns]


def released_cells(study: LabelledRows, made: Recoding, rows: Array) -> list[list[Label]]:
    """The cells of the rows that the recoding was made from: suppressed ones are `*`."""
    cells = carried_cells(study, made, rows)
    return [[STAR if gone else cell for cell, gone in zip(column, made.gone, strict=True)] for column in cells]


def carried_cells(study: LabelledRows, made: Recoding, rows: Array) -> list[list[Label]]:
    """The cells of any rows after the same recoding."""
    if made.tree is not None:
        codes = np.stack([column.codes[rows] for column in study.columns])
        classes = local_cuts.descend(codes, made.tree)
        first = {number: place for place, number in reversed(list(enumerate(made.classes.tolist())))}
        return [[made.labels[c.name][first[number]] for number in classes.tolist()] for c in study.columns]
    cells = []
    for column in study.columns:
        hierarchy, level = made.hierarchies[column.name], made.levels[column.name]
        labels = [hierarchy.label(value, level) for value in column.values]
        cells.append([labels[code] for code in column.codes[rows]])
    return cells


def encode(
    hierarchies: Mapping[str, Hierarchy], names: Sequence[str], cells: Sequence[Sequence[Label]], star: float | None
) -> Array:
    parts = [
        published_cells.features(hierarchies[name], column, star=star)
        for name, column in zip(names, cells, strict=True)
    ]
    return np.concatenate(parts, axis=1)


def evaluate(
    study: LabelledRows, method: Recode | None, settings: Settings, *, protocol: Protocol, seeds: Sequence[int]
) -> dict[str, Score]:
    """Scores of both models over several seeds; no method means the original rows."""
    by_label: dict[str, list[float]] = {name: [] for name in models.MODELS}
    by_probability: dict[str, list[float]] = {name: [] for name in models.MODELS}
    score = models.auc if study.classes else models.r_squared
    view = _paper_view(study, method, settings) if protocol == "paper" else _held_out_view(study, method, settings)
    for seed in seeds:
        splits = list(models.folds(study.outcome.size, study.groups, seed=seed))
        views = [view(split) for split in splits]
        for name in models.MODELS:
            labels, chances = models.predict(name, study.outcome, splits, views, classes=study.classes, seed=seed)
            by_label[name].append(score(study.outcome, labels))
            by_probability[name].append(score(study.outcome, chances))
    return {
        name: Score(
            model=name,
            protocol=protocol,
            by_label=np.array(by_label[name]),
            by_probability=np.array(by_probability[name]),
        )
        for name in models.MODELS
    }


View = Callable[[Split], tuple[Array, Array]]


def _paper_view(study: LabelledRows, method: Recode | None, settings: Settings) -> View:
    every = np.arange(study.outcome.size)
    names = [column.name for column in study.columns]
    if method is None:
        table = encode(study.hierarchies, names, raw_cells(study, every), None)
    else:
        made = method(_request(study, every, settings))
        star = None if made.tree is not None else PAPER_STAR
        table = encode(study.hierarchies, names, released_cells(study, made, every), star)
    return lambda split: varying(table[split[0]], table[split[1]])


def _held_out_view(study: LabelledRows, method: Recode | None, settings: Settings) -> View:
    names = [column.name for column in study.columns]

    def view(split: Split) -> tuple[Array, Array]:
        train, test = split
        if method is None:
            cells = raw_cells(study, np.concatenate([train, test]))
        else:
            made = method(_request(study, train, settings))
            pairs = zip(released_cells(study, made, train), carried_cells(study, made, test), strict=True)
            cells = [[*seen, *unseen] for seen, unseen in pairs]
        table = encode(study.hierarchies, names, cells, None)
        return varying(table[: train.size], table[train.size :])

    return view


def _request(study: LabelledRows, rows: Array, settings: Settings) -> Request:
    return settings.request(study.rows_of(rows), study.hierarchies)


def varying(train: Array, test: Array) -> tuple[Array, Array]:
    """Columns that are constant in the training rows are of no use."""
    varies = train.std(axis=0) > 1e-12
    return train[:, varies], test[:, varies]
