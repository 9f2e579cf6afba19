"""Prediction of an outcome from usual activity features, before and after protection."""

import numpy as np
import pyarrow as pa
from ibis.expr.types import Table

from sharewell.contract import Utility
from sharewell.data import engine
from sharewell.plan.windows import parse
from sharewell.traces.event_columns import EventColumns
from sharewell.traces.kind import OUTCOME
from sharewell.traces.window_numbers import number

FEATURES = ("events", "days", "weeks", "first", "last", "per_day")
FOLDS = 5
FEWEST = 5  # students of a class, or it cannot be learned


def predicted(original: Table, released: Table, columns: EventColumns, target: str, *, seed: int) -> list[Utility]:
    """How well the outcome is predicted from counts, active days and weeks, and when activity begins and ends.

    The outcome is a column of the events that says the same in every row of a student; a number with many values
    is split at its median.
    """
    outcome = _outcome(original, columns, target)
    before = _auc(_features(original, columns), outcome, seed)
    after = _auc(_features(released, columns), outcome, seed)
    story = f"Area under the curve for '{target}' from activity features, {FOLDS}-fold over students."
    return [Utility(measure=OUTCOME, value=after, baseline=before, n=len(outcome), seed=seed, story=story)]


def _outcome(original: Table, columns: EventColumns, target: str) -> dict[object, object]:
    known = original.filter(original[target].notnull())
    rows = engine.arrow(known.group_by(columns.student).agg(outcome=known[target].max())).to_pylist()
    values = {row[columns.student]: row["outcome"] for row in rows}
    if len(set(values.values())) > 10 and all(isinstance(value, int | float) for value in values.values()):
        middle = float(np.median(list(values.values())))
        return {student: value > middle for student, value in values.items()}
    return {student: str(value) for student, value in values.items()}


def _features(table: Table, columns: EventColumns) -> pa.Table:
    day, week = (number(parse(scale), table[columns.at]) for scale in ("1d", "1w"))
    timed = table.select(student=table[columns.student], day=day, week=week)
    counted = timed.group_by("student").agg(
        events=timed.count(),
        days=timed.day.nunique(),
        weeks=timed.week.nunique(),
        first=timed.day.min(),
        last=timed.day.max(),
    )
    return engine.arrow(counted.mutate(per_day=counted.events / counted.days).order_by("student"))


def _auc(features: pa.Table, outcome: dict[object, object], seed: int) -> float:
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import StratifiedKFold, cross_val_predict

    labels = np.array([outcome.get(student) for student in features["student"].to_pylist()], object)
    values, counts = np.unique(labels[labels != None].astype(str), return_counts=True)  # noqa: E711
    learnable = np.isin(labels.astype(str), values[counts >= FEWEST])
    if learnable.sum() < 2 * FEWEST or len(values[counts >= FEWEST]) < 2:
        return 0.5
    table = np.column_stack([features[name].to_numpy() for name in FEATURES]).astype(float)[learnable]
    model = RandomForestClassifier(n_estimators=200, min_samples_leaf=5, random_state=seed, n_jobs=1)
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    truth = labels[learnable].astype(str)
    scores = cross_val_predict(model, table, truth, cv=folds, method="predict_proba")
    scores = scores[:, 1] if scores.shape[1] == 2 else scores
    return float(roc_auc_score(truth, scores, multi_class="ovr"))
