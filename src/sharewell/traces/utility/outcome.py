"""Prediction of an outcome from usual activity features, before and after protection."""

import numpy as np
import pyarrow as pa
from ibis.expr.types import Table

from sharewell.contract import Utility
from sharewell.data import engine
from sharewell.plan.windows import parse
from sharewell.traces.event_columns import EventColumns
from sharewell.traces.kind import EARLY_OUTCOME, OUTCOME, OUTCOME_CORRELATION
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
    before = _features(original, columns)
    middle = int(np.median(np.asarray(before["first"]) + np.asarray(before["last"])) // 2)
    early = [_features(table, columns, until=middle) for table in (original, released)]
    tested = f"Area under the curve for '{target}' from activity features, {FOLDS}-fold over students."
    return [
        Utility(
            measure=OUTCOME,
            value=_auc(_features(released, columns), None, outcome, seed),
            baseline=_auc(before, None, outcome, seed),
            n=len(outcome),
            seed=seed,
            story=tested,
        ),
        Utility(
            measure=EARLY_OUTCOME,
            value=_auc(early[1], early[0], outcome, seed),
            baseline=_auc(early[0], early[0], outcome, seed),
            n=len(outcome),
            seed=seed,
            story=f"{tested} Only events of the first half; learned from the release, tested on the original.",
        ),
        _correlated(before, _features(released, columns), outcome, target),
    ]


def _correlated(before: pa.Table, after: pa.Table, outcome: dict[object, object], target: str) -> Utility:
    """Spearman's correlation of the number of events with the outcome, its values numbered in their order."""
    from scipy.stats import spearmanr

    numbers = {value: number for number, value in enumerate(sorted(set(outcome.values()), key=str))}
    found = []
    for features in (before, after):
        known = [
            (events, numbers[outcome[student]])
            for student, events in zip(features["student"].to_pylist(), features["events"].to_pylist(), strict=True)
            if student in outcome
        ]
        varied = len({pair[0] for pair in known}) > 1 and len({pair[1] for pair in known}) > 1
        found.append(float(spearmanr(*zip(*known, strict=True)).statistic) if varied else 0.0)
    error = 1 / np.sqrt(max(1, len(outcome) - 1))  # of a rank correlation under independence
    return Utility(
        measure=OUTCOME_CORRELATION,
        value=found[1],
        baseline=found[0],
        n=len(outcome),
        setting={"sampling error": round(float(error), 4)},
        story=f"Rank correlation of how much a student did with '{target}'.",
    )


def _outcome(original: Table, columns: EventColumns, target: str) -> dict[object, object]:
    known = original.filter(original[target].notnull())
    rows = engine.arrow(known.group_by(columns.student).agg(outcome=known[target].max())).to_pylist()
    values = {row[columns.student]: row["outcome"] for row in rows}
    if len(set(values.values())) > 10 and all(isinstance(value, int | float) for value in values.values()):
        middle = float(np.median(list(values.values())))
        return {student: value > middle for student, value in values.items()}
    return {student: str(value) for student, value in values.items()}


def _features(table: Table, columns: EventColumns, *, until: int | None = None) -> pa.Table:
    """One row per student; of their events those up to a day."""
    day, week = (number(parse(scale), table[columns.at]) for scale in ("1d", "1w"))
    timed = table.select(student=table[columns.student], day=day, week=week)
    timed = timed if until is None else timed.filter(timed.day <= until)
    counted = timed.group_by("student").agg(
        events=timed.count(),
        days=timed.day.nunique(),
        weeks=timed.week.nunique(),
        first=timed.day.min(),
        last=timed.day.max(),
    )
    return engine.arrow(counted.mutate(per_day=counted.events / counted.days).order_by("student"))


def _auc(learned: pa.Table, tested: pa.Table | None, outcome: dict[object, object], seed: int) -> float:
    """Learned from the features of some students, tested on those of the others; in the same table if none is given."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import StratifiedKFold

    rows, others = _by_student(learned), _by_student(learned if tested is None else tested)
    students = [student for student in rows if student in others and student in outcome]
    truth = np.array([str(outcome[student]) for student in students])
    values, counts = np.unique(truth, return_counts=True)
    learnable = np.isin(truth, values[counts >= FEWEST])
    truth, students = truth[learnable], [one for one, kept in zip(students, learnable, strict=True) if kept]
    if len(truth) < 2 * FEWEST or len(set(truth.tolist())) < 2:
        return 0.5
    train, test = (np.array([table[student] for student in students]) for table in (rows, others))
    scores = np.zeros((len(truth), len(set(truth.tolist()))))
    for fold, held in StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(train, truth):
        model = RandomForestClassifier(n_estimators=200, min_samples_leaf=5, random_state=seed, n_jobs=1)
        scores[held] = model.fit(train[fold], truth[fold]).predict_proba(test[held])
    return float(roc_auc_score(truth, scores[:, 1] if scores.shape[1] == 2 else scores, multi_class="ovr"))


def _by_student(features: pa.Table) -> dict[object, list[float]]:
    columns = [features[name].to_pylist() for name in FEATURES]
    rows = ([float(value) for value in row] for row in zip(*columns, strict=True))
    return dict(zip(features["student"].to_pylist(), rows, strict=True))
