"""What an analyst can still learn from generated logs."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from sharewell.responses.log import Columns, Log, from_frames
from sharewell.responses.rasch import fit_rasch
from sharewell.responses.transitions import step_keys


@dataclass(frozen=True, kw_only=True)
class DifficultyError:
    """How far the difficulties fitted on fake rows lie from those fitted on the training rows (Vie et al. 2022, §4.2)."""

    rmse: float
    wrmse: float  # weighted by how often an item occurs in training
    rank_correlation: float
    items: int

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def __str__(self) -> str:
        return f"difficulty rmse {self.rmse:.3f}  wrmse {self.wrmse:.3f}  rank r {self.rank_correlation:.3f}"


def difficulty_error(train: Any, fake: Any, *, student: str, item: str, correct: str) -> DifficultyError:
    """Fit Rasch on both and compare the items of the training rows."""
    return difficulty_error_of(*from_frames([train, fake], Columns(student=student, item=item, correct=correct)))


def difficulty_error_of(train: Log, fake: Log) -> DifficultyError:
    from scipy.stats import spearmanr

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
    )


def total_variation(one: np.ndarray, other: np.ndarray) -> float:
    """Half the absolute difference of two histograms over the same codes: 0 alike, 1 disjoint."""
    return float(np.abs(one / one.sum() - other / other.sum()).sum() / 2)


def step_error(train: Log, fake: Log) -> float:
    """Total variation between the frequencies of steps from item to item."""
    steps, copies = step_keys(train)[0], step_keys(fake)[0]
    known, inverse = np.unique(np.concatenate([steps, copies]), return_inverse=True)
    ours = np.bincount(inverse[: steps.size], minlength=known.size)
    return total_variation(ours, np.bincount(inverse[steps.size :], minlength=known.size))
