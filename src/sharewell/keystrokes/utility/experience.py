"""What typing still tells about a student: a two-class column, such as programming experience, from profiles.

As in the thesis (§4.3): Bayes net, random forest of 100 trees with six features each, majority; ten folds, accuracy
and Matthews correlation. Features are selected and discretised inside the folds: on all rows they would have seen the
answers they are asked for.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sharewell.contract import Utility
from sharewell.errors import InputError
from sharewell.keystrokes import profiles
from sharewell.keystrokes.arrays import Array
from sharewell.keystrokes.eventlog import Events
from sharewell.keystrokes.kind import accuracy, matthews_correlation
from sharewell.keystrokes.protection.coarsening import Method, coarse
from sharewell.keystrokes.reducer import split_samples
from sharewell.keystrokes.samples import TypingSample, checked, reduce
from sharewell.keystrokes.utility import bayesnet
from sharewell.keystrokes.utility.feature_selection import best_first
from sharewell.stats.discretise import coded, cut_points
from sharewell.stats.intervals import wilson

FOLDS, TREES, TREE_FEATURES = 10, 100, 6
CLASSIFIERS = ("bayes net", "random forest", "majority")
LEAST_SHARE = 0.1  # of the students who typed a digraph often enough for it to be a feature
RESAMPLES = 1000


def infer(
    timings: Any,
    classes: Mapping[str, Any],
    *,
    step_ms: float = 0,
    method: Method = "bucket",
    occurrences: int = profiles.OCCURRENCES,
    folds: int = FOLDS,
    seed: int = 0,
    classifiers: Sequence[str] = CLASSIFIERS,
) -> list[Utility]:
    """Infer programming experience from averages coarsened by `step_ms`.

    Accuracy and Matthews correlation of each classifier.

    Args:
        timings: Times as `timings` makes them.
        classes: The class of each student by name; there must be two. Students without one are left out.
        step_ms: How far averages are coarsened, in milliseconds.
        method: "bucket" or "round".
        occurrences: How often a student must have typed a digraph for it to be a feature.
        folds: Of the cross-validation; features are selected inside them.
        seed: Of the folds and of the forest.
        classifiers: Which of "bayes net", "random forest" and "majority".

    Returns:
        Two results per classifier, with their intervals.

    Example:
        >>> import pyarrow as pa
        >>> import sharewell as sw
        >>> timed = pa.table({"student": list("abcd") * 5, "kind": ["latency"] * 20, "keys": ["x→y"] * 20,
        ...                   "ms": [100.0, 110.0, 300.0, 310.0] * 5})
        >>> classes = {"a": "new", "b": "new", "c": "old", "d": "old"}
        >>> sw.keystrokes.infer(timed, classes, folds=2, classifiers=["majority"])[0].value
        0.5
    """
    sample = timings if isinstance(timings, TypingSample) else reduce(checked(timings, "timings"))
    rows, answers = _answers(sample, {str(student): value for student, value in classes.items()}, folds)
    features = coarse(features_of(sample, occurrences)[rows], step_ms, method)
    guesses = cross_validated(features, answers, folds=folds, seed=seed, classifiers=classifiers)
    setting = {"step_ms": step_ms, "method": method, "folds": folds}
    return [result for name in classifiers for result in _results(name, answers, guesses[name], seed, setting)]


def compare_inference(before: Events, after: Events, classes: Mapping[str, Any], *, seed: int) -> list[Utility]:
    """How well the class is inferred from what is released, the original beside it."""
    sizes = [sum(1 for value in classes.values() if str(value) == kind) for kind in {str(v) for v in classes.values()}]
    folds = max(2, min(FOLDS, *sizes)) if len(sizes) > 1 else FOLDS
    old, new = (
        infer(split_samples(one.typing, one.students, np.zeros(len(one.sessions), dtype=bool))[0], classes, folds=folds,
              seed=seed)
        for one in (before, after)
    )  # fmt: skip
    return [replace(one, baseline=other.value) for one, other in zip(new, old, strict=True)]


def features_of(sample: TypingSample, occurrences: int) -> Array:
    """Mean latency of every digraph that enough students typed, filled as in profiles."""
    often = sample.count >= occurrences
    latency = np.char.startswith(sample.features, "latency ")
    typists = np.bincount(sample.feature[often], minlength=len(sample.features))
    chosen = sample.features[latency & (typists >= LEAST_SHARE * len(sample.students))]
    return profiles.matrix(sample, chosen, occurrences=occurrences)


def cross_validated(
    features: Array, answers: Array, *, folds: int, seed: int, classifiers: Sequence[str] = CLASSIFIERS
) -> dict[str, Array]:
    """The class each classifier gives every student when the student's fold is left out."""
    from sklearn.model_selection import StratifiedKFold

    guesses = {name: np.zeros(len(answers), dtype=np.int64) for name in classifiers}
    for train, test in StratifiedKFold(folds, shuffle=True, random_state=seed).split(features, answers):
        chosen, codes = _selected(features, answers, train)
        for name in classifiers:
            guesses[name][test] = _guess(name, features[:, chosen], codes, answers, train, test, seed)
    return guesses


def _selected(features: Array, answers: Array, train: Array) -> tuple[list[int], Array]:
    """Features chosen on the training rows alone, and their codes for all rows by the same cuts."""
    cuts = [cut_points(features[train, column], answers[train]) for column in range(features.shape[1])]
    useful = [column for column, found in enumerate(cuts) if len(found)]
    if not useful:
        return [], np.zeros((len(features), 0), dtype=np.int64)
    codes = np.stack([coded(features[:, column], cuts[column]) for column in useful], axis=1)
    kept = best_first(codes[train], answers[train])
    return [useful[column] for column in kept], codes[:, kept]


def _guess(name: str, values: Array, codes: Array, answers: Array, train: Array, test: Array, seed: int) -> Array:
    majority = np.full(len(test), int(np.bincount(answers[train]).argmax()))
    if name == "majority" or values.shape[1] == 0:
        return majority
    if name == "bayes net":
        return bayesnet.predictions(codes[train], answers[train], codes[test])
    from sklearn.ensemble import RandomForestClassifier

    width = min(TREE_FEATURES, values.shape[1])
    forest = RandomForestClassifier(TREES, max_features=width, random_state=seed).fit(values[train], answers[train])
    return np.asarray(forest.predict(values[test]))


def _answers(sample: TypingSample, classes: Mapping[str, Any], folds: int) -> tuple[Array, Array]:
    rows = np.array([row for row, student in enumerate(sample.students) if classes.get(str(student)) is not None])
    known = [classes[str(sample.students[row])] for row in rows]
    kinds = sorted({str(value) for value in known})
    if len(kinds) != 2:
        raise InputError(f"a column to be inferred needs two classes, this one has {len(kinds)}")
    answers = np.array([kinds.index(str(value)) for value in known])
    if np.bincount(answers).min() < folds:
        raise InputError(f"each class needs at least {folds} students for {folds} folds")
    return rows, answers


def _results(name: str, answers: Array, guesses: Array, seed: int, setting: dict[str, Any]) -> list[Utility]:
    right, n = int((answers == guesses).sum()), len(answers)
    low, high = wilson(right, n)
    generator = np.random.default_rng(seed)
    drawn = generator.integers(0, n, (RESAMPLES, n))
    spread = np.quantile([matthews(answers[rows], guesses[rows]) for rows in drawn], [0.025, 0.975])
    common: dict[str, Any] = {"n": n, "seed": seed, "setting": {**setting, "classifier": name}}
    return [
        Utility(measure=accuracy(name), value=right / n, low=low, high=high, **common),
        Utility(
            measure=matthews_correlation(name),
            value=matthews(answers, guesses),
            low=float(spread[0]),
            high=float(spread[1]),
            **common,
        ),
    ]


def matthews(answers: Array, guesses: Array) -> float:
    """Matthews's correlation (1975); zero where a class is never given or never guessed."""
    table = np.bincount(2 * answers + guesses, minlength=4).astype(float)
    no, wrong_yes, wrong_no, yes = table
    under = (yes + wrong_yes) * (yes + wrong_no) * (no + wrong_yes) * (no + wrong_no)
    return float((yes * no - wrong_yes * wrong_no) / np.sqrt(under)) if under > 0 else 0.0
