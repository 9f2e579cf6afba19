"""What an analyst can still learn from generated logs."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from scipy.stats import spearmanr

from sharewell.contract import Utility
from sharewell.responses.log import Columns, Log, from_frames
from sharewell.responses.rasch import fit_rasch
from sharewell.responses.tracing import tracing_auc
from sharewell.responses.transitions import step_keys

PRACTICE = 10  # a learning curve follows the first so many attempts on a skill


@dataclass(frozen=True, kw_only=True)
class DifficultyError:
    """How far difficulties fitted on fake rows lie from those fitted on the training rows (Vie et al. 2022, §4.2)."""

    rmse: float
    wrmse: float  # weighted by how often an item occurs in training
    rank_correlation: float
    items: int
    missing: int  # of them absent from the fake rows; counted with the average difficulty

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def __str__(self) -> str:
        return (
            f"difficulty rmse {self.rmse:.3f}  wrmse {self.wrmse:.3f}  rank r {self.rank_correlation:.3f}"
            f"  {self.items:,} items, {self.missing:,} missing"
        )


def difficulty_error(train: Any, fake: Any, *, student: str, item: str, correct: str) -> DifficultyError:
    """Fit Rasch on both and compare the items of the training rows."""
    return difficulty_error_of(*from_frames([train, fake], Columns(student=student, item=item, correct=correct)))


def difficulty_error_of(train: Log, fake: Log) -> DifficultyError:
    times = np.bincount(train.item, minlength=len(train.items))
    right = np.bincount(train.item, weights=train.correct, minlength=len(train.items))
    compared = (right > 0) & (right < times)  # 0 % or 100 % success has no finite difficulty (§5.1)
    true, again = fit_rasch(train).difficulty[compared], fit_rasch(fake).difficulty[compared]
    weight = times[compared] / times[compared].sum()
    squares = (true - again) ** 2
    return DifficultyError(
        rmse=float(np.sqrt(squares.mean())),
        wrmse=float(np.sqrt(weight @ squares)),
        rank_correlation=float(spearmanr(true, again).statistic),
        items=int(compared.sum()),
        missing=int((np.bincount(fake.item, minlength=len(train.items))[compared] == 0).sum()),
    )


def usefulness(original: Log, fake: Log, *, seed: int = 0) -> list[Utility]:
    """Every measure of the released rows against the original ones."""
    original = replace(original, items=fake.items)
    return [*_difficulties(original, fake), *_histograms(original, fake), *_learning(original, fake, seed)]


def _difficulties(original: Log, fake: Log) -> Iterator[Utility]:
    error = difficulty_error_of(original, fake)
    setting = {"items missing": error.missing}
    stories = {
        "difficulty error": "How far item difficulties lie from the original when an analyst fits a Rasch model.",
        "difficulty error, weighted": "The same, weighted by how often an item occurs.",
    }
    for (name, story), value in zip(stories.items(), (error.rmse, error.wrmse), strict=True):
        yield Utility(name=name, value=value, n=error.items, baseline=0.0, better="lower", setting=setting, story=story)
    yield Utility(
        name="difficulty rank correlation",
        value=error.rank_correlation,
        n=error.items,
        baseline=1.0,
        setting=setting,
        story="Whether hard items stay hard and easy ones easy.",
    )


def _histograms(original: Log, fake: Log) -> Iterator[Utility]:
    size = len(fake.items)
    pairs = {
        "item frequencies": (np.bincount(original.item, minlength=size), np.bincount(fake.item, minlength=size)),
        "log lengths": _aligned(_length_class(original.lengths), _length_class(fake.lengths)),
        "repeats of an item": _aligned(repeats(original), repeats(fake)),
    }
    for name, (ours, theirs) in pairs.items():
        yield _distance(name, total_variation(ours, theirs), fake.rows)
    yield _distance("step frequencies", step_error(original, fake), fake.rows)


def _distance(name: str, value: float, n: int) -> Utility:
    story = "Total variation: the share of rows that would have to move to make both histograms equal."
    return Utility(name=f"{name} off by", value=value, n=n, baseline=0.0, better="lower", story=story)


def _learning(original: Log, fake: Log, seed: int) -> Iterator[Utility]:
    ours, theirs = learning_curve(original), learning_curve(fake)
    both = np.isfinite(ours) & np.isfinite(theirs)
    if both.any():
        yield Utility(
            name="learning curve off by",
            value=float(np.abs(ours - theirs)[both].mean()),
            n=int(both.sum()),
            baseline=0.0,
            better="lower",
            story="Mean difference of the share of right answers at the first, second … attempt on a skill.",
        )
    trained = tracing_auc(original, fake, seed=seed)
    if trained is not None:
        yield Utility(
            name="knowledge tracing AUC",
            value=trained.on_fake,
            n=trained.rows,
            baseline=trained.on_original,
            seed=seed,
            story="A model of learning trained on released rows predicts real answers of other students; "
            "the original's value is for the same model trained on real rows.",
        )


def total_variation(one: np.ndarray, other: np.ndarray) -> float:
    """Half the absolute difference of two histograms over the same codes: 0 alike, 1 disjoint."""
    return float(np.abs(one / max(one.sum(), 1) - other / max(other.sum(), 1)).sum() / 2)


def step_error(train: Log, fake: Log) -> float:
    """Total variation between the frequencies of steps from item to item."""
    steps, copies = step_keys(train)[0], step_keys(fake)[0]
    known, inverse = np.unique(np.concatenate([steps, copies]), return_inverse=True)
    ours = np.bincount(inverse[: steps.size], minlength=known.size)
    return total_variation(ours, np.bincount(inverse[steps.size :], minlength=known.size))


def repeats(log: Log) -> np.ndarray:
    """How many (student, item) pairs occur once, twice, … (Vie et al. 2022, §4.2)."""
    _, times = np.unique(log.student.astype(np.int64) * len(log.items) + log.item, return_counts=True)
    return np.bincount(np.minimum(times, 100))


def learning_curve(log: Log) -> np.ndarray:
    """Share of right answers at the first, second … attempt of a student on a skill (an item, without skills)."""
    assert log.correct is not None
    skill = log.item if log.skill_of is None else log.skill_of[log.item]
    key = log.student.astype(np.int64) * (int(skill.max()) + 1) + skill
    order = np.argsort(key, kind="stable")
    first = np.concatenate([[True], np.diff(key[order]) != 0])
    begun = np.maximum.accumulate(np.where(first, np.arange(order.size), 0))
    attempt = np.arange(order.size) - begun
    early = attempt < PRACTICE
    times = np.bincount(attempt[early], minlength=PRACTICE)
    right = np.bincount(attempt[early], weights=log.correct[order][early], minlength=PRACTICE)
    return np.divide(right, times, out=np.full(PRACTICE, np.nan), where=times > 0)


def _length_class(lengths: np.ndarray) -> np.ndarray:
    """Lengths counted in classes that grow by a quarter: single lengths of hundreds of rows say nothing."""
    return np.bincount(np.floor(np.log(lengths) / np.log(1.25)).astype(np.int64))


def _aligned(one: np.ndarray, other: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    size = max(one.size, other.size)
    return np.pad(one, (0, size - one.size)), np.pad(other, (0, size - other.size))
