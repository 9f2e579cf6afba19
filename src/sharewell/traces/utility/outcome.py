"""Prediction of an outcome from usual activity features, before and after protection."""

from typing import Any

import numpy as np
import pyarrow as pa
from ibis.expr.types import Table

from sharewell.contract import Utility
from sharewell.data import engine
from sharewell.data.formats.columns import is_number
from sharewell.data.formats.columns import number as number_in
from sharewell.plan.windows import parse
from sharewell.traces.event_columns import EventColumns
from sharewell.traces.kind import EARLY_OUTCOME, OUTCOME, OUTCOME_CORRELATION
from sharewell.traces.utility.copied_students import copied_students
from sharewell.traces.utility.uses import judged
from sharewell.traces.window_numbers import number

FEATURES = ("events", "days", "weeks", "first", "last", "per_day")
FOLDS = 5
MEAN_OF_ABSOLUTE = float(np.sqrt(2 / np.pi))  # of a normal number, in its standard deviations
Outcome = dict[object, str]
FEWEST = 5  # students of a class, or it cannot be learned


def predicted(
    original: Table, released: Table, columns: EventColumns, target: str, *, seed: int, invented: bool = False
) -> list[Utility]:
    """How well the outcome is predicted from counts, active days and weeks, and when activity begins and ends.

    The outcome is a column of the events that says the same in every row of a student; a number with many values
    is split at its median. Invented students have outcomes of their own.
    """
    outcome, middle = _outcome(original, columns, target)
    theirs = _outcome(released, columns, target, middle)[0] if invented else outcome
    before, after = _features(original, columns), _features(released, columns)
    day = int(np.median(np.asarray(before["first"]) + np.asarray(before["last"])) // 2)
    early, later = (_features(table, columns, until=day) for table in (original, released))
    whole, first_half = _auc(before, None, outcome, seed), _auc(early, early, outcome, seed)
    learnt = _learnt(later, theirs, early, outcome, seed) if invented else _auc(later, early, outcome, seed)
    told = f"Area under the curve for '{target}' from activity features, {FOLDS}-fold over students."
    shared: dict[str, Any] = {"n": len(outcome), "seed": seed}
    return [
        judged(
            Utility(
                measure=OUTCOME, value=_auc(after, None, theirs, seed), baseline=whole, story=told, **shared
            ),
            _error_of_auc(whole, outcome),
        ),
        judged(
            Utility(
                measure=EARLY_OUTCOME, value=learnt, baseline=first_half,
                story=f"{told} Only events of the first half; learned from the release, tested on the original.",
                **shared,
            ),
            _error_of_auc(first_half, outcome),
        ),
        _correlated((before, outcome), (after, theirs), target),
    ]  # fmt: skip


def _error_of_auc(auc: float, outcome: Outcome) -> float:
    """What two halves of the students differ by on average: Hanley and McNeil (1982, equation 1), at half the size."""
    sizes = np.unique(list(outcome.values()), return_counts=True)[1] / 2
    inside, outside = float(sizes.max()), max(float(sizes.sum() - sizes.max()), 1.0)
    both, pair = auc / (2 - auc), 2 * auc * auc / (1 + auc)
    variance = auc * (1 - auc) + (inside - 1) * (both - auc * auc) + (outside - 1) * (pair - auc * auc)
    return float(MEAN_OF_ABSOLUTE * np.sqrt(2 * max(variance, 0.0) / (inside * outside)))


def _correlated(before: tuple[pa.Table, Outcome], after: tuple[pa.Table, Outcome], target: str) -> Utility:
    """Spearman's correlation of the number of events with the outcome, its values numbered in their order."""
    from scipy.stats import spearmanr

    numbers = {value: number for number, value in enumerate(sorted({*before[1].values(), *after[1].values()}))}
    found = []
    for features, outcome in (before, after):
        known = [
            (events, numbers[outcome[student]])
            for student, events in zip(features["student"].to_pylist(), features["events"].to_pylist(), strict=True)
            if student in outcome
        ]
        varied = len({pair[0] for pair in known}) > 1 and len({pair[1] for pair in known}) > 1
        found.append(float(spearmanr(*zip(*known, strict=True)).statistic) if varied else 0.0)
    size = len(before[1])
    error = MEAN_OF_ABSOLUTE * 2 / np.sqrt(max(1, size - 1))  # of two halves, each with variance 2/(n − 1)
    correlated = Utility(
        measure=OUTCOME_CORRELATION,
        value=found[1],
        baseline=found[0],
        n=size,
        story=f"Rank correlation of how much a student did with '{target}'.",
    )
    return judged(correlated, float(error))


def _outcome(
    table: Table, columns: EventColumns, target: str, middle: float | None = None
) -> tuple[Outcome, float | None]:
    """What became of every student, as text; numbers with many values by whether they pass the median, or `middle`."""
    known = table.filter(table[target].notnull())
    numbers = is_number(known, target)
    cell = number_in(known, target) if numbers else known[target]
    rows = engine.arrow(known.group_by(columns.student).agg(outcome=cell.max())).to_pylist()
    values = {row[columns.student]: row["outcome"] for row in rows}
    if middle is None and numbers and len(set(values.values())) > 10:
        middle = float(np.median(list(values.values())))
    if middle is None or not numbers:
        return {student: str(value) for student, value in values.items()}, None
    return {student: str(value > middle) for student, value in values.items()}, middle


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
    copies = copied_students(table, columns.student, columns.at).rename(who="student")
    joined = counted.join(copies, counted.student.cast("string") == copies.who).drop("who")
    return engine.arrow(joined.mutate(per_day=joined.events / joined.days)).sort_by("student")


def _learnt(learned: pa.Table, theirs: Outcome, tested: pa.Table, outcome: Outcome, seed: int) -> float:
    """Learned from invented students, tested on all real ones."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.metrics import roc_auc_score

    train, test = (_by_student(table) for table in (learned, tested))
    here, there = [who for who in train if who in theirs], [who for who in test if who in outcome]
    taught, truth = np.array([theirs[who] for who in here]), np.array([outcome[who] for who in there])
    kinds = sorted(set(truth.tolist()) & set(taught.tolist()))
    if len(kinds) < 2 or min(np.sum(taught == kind) for kind in kinds) < 2:
        return 0.5
    rows, known = np.isin(taught, kinds), np.isin(truth, kinds)
    model = RandomForestClassifier(n_estimators=200, min_samples_leaf=5, random_state=seed, n_jobs=1)
    model.fit(np.array([train[who] for who in here])[rows], taught[rows])
    scores = model.predict_proba(np.array([test[who] for who in there])[known])
    return float(roc_auc_score(truth[known], scores[:, 1] if len(kinds) == 2 else scores, multi_class="ovr"))


def _auc(learned: pa.Table, tested: pa.Table | None, outcome: Outcome, seed: int) -> float:
    """Learned from the features of some students, tested on those of the others; in the same table if none is given.

    Whoever has a copy among those who are learned from is not tested: copies stay in one fold. In a release of few
    different traces nothing is learned.
    """
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import StratifiedGroupKFold

    rows, others = _by_student(learned), _by_student(learned if tested is None else tested)
    students = [student for student in rows if student in others and student in outcome]
    truth = np.array([outcome[student] for student in students])
    values, counts = np.unique(truth, return_counts=True)
    learnable = np.isin(truth, values[counts >= FEWEST])
    truth, students = truth[learnable], [one for one, kept in zip(students, learnable, strict=True) if kept]
    if len(truth) < 2 * FEWEST or len(set(truth.tolist())) < 2:
        return 0.5
    train, test = (np.array([table[student] for student in students]) for table in (rows, others))
    scores = np.zeros((len(truth), len(set(truth.tolist()))))
    copies = dict(zip(learned["student"].to_pylist(), learned["twin"].to_pylist(), strict=True))
    same = [copies[student] for student in students]
    if len(set(same)) < FOLDS:  # students differ too little to learn from some and test on others
        return 0.5
    for fold, held in StratifiedGroupKFold(FOLDS, shuffle=True, random_state=seed).split(train, truth, same):
        model = RandomForestClassifier(n_estimators=200, min_samples_leaf=5, random_state=seed, n_jobs=1)
        model.fit(train[fold], truth[fold])
        learnt = np.searchsorted(np.unique(truth), model.classes_)  # a fold of many copies may lack an outcome
        scores[np.ix_(held, learnt)] = model.predict_proba(test[held])
    return float(roc_auc_score(truth, scores[:, 1] if scores.shape[1] == 2 else scores, multi_class="ovr"))


def _by_student(features: pa.Table) -> dict[object, list[float]]:
    columns = [features[name].to_pylist() for name in FEATURES]
    rows = ([float(value) for value in row] for row in zip(*columns, strict=True))
    return dict(zip(features["student"].to_pylist(), rows, strict=True))
