"""Item difficulty: is a hard item still hard when an analyst fits a Rasch model (Vie et al. 2022, §4.2)?"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy.stats import spearmanr

from sharewell.contract import Utility
from sharewell.responses.kind import (
    DIFFICULTY_ERROR,
    DIFFICULTY_ERROR_WEIGHTED,
    DIFFICULTY_RANKS,
    DIFFICULTY_WITHIN,
)
from sharewell.responses.log import Columns, Log, from_frames
from sharewell.responses.protection.rasch import chance_of, fit_rasch
from sharewell.stats.arrays import Array


@dataclass(frozen=True, kw_only=True)
class DifficultyError:
    """How far difficulties fitted on fake rows lie from those fitted on the training rows (Vie et al. 2022, §4.2)."""

    rmse: float
    wrmse: float  # weighted by how often an item occurs in training
    reliability: float  # of the variance between items in the fake rows, the share that is no error (Spearman 1904)
    rank_correlation: float
    within: float  # share of items whose two difficulties differ by no more than both 95 % intervals allow
    items: int
    missing: int  # of them absent from the fake rows; counted with the average difficulty

    def to_dict(self) -> dict[str, Any]:
        """The errors as plain data."""
        return asdict(self)

    def __str__(self) -> str:
        return (
            f"difficulty rmse {self.rmse:.3f}  wrmse {self.wrmse:.3f}  rank r {self.rank_correlation:.3f}"
            f"  {self.items:,} items, {self.missing:,} missing"
        )


def difficulty_error(train: Any, fake: Any, *, student: str, item: str, correct: str) -> DifficultyError:
    """Fit Rasch on both and compare the items of the training rows.

    Args:
        train: The rows that the generator learnt from, as a frame or a path.
        fake: The generated rows.
        student: The column of student ids.
        item: The column of items.
        correct: The column that says right or wrong.

    Returns:
        The error, plain (`rmse`) and weighted by how often an item occurs in training (`wrmse`).

    Example:
        >>> import pyarrow as pa
        >>> import sharewell as sw
        >>> log = pa.table({"who": [1, 1, 2, 2], "what": ["a", "b", "a", "b"], "right": [0, 1, 1, 0]})
        >>> sw.responses.difficulty_error(log, log, student="who", item="what", correct="right").rmse
        0.0
    """
    return difficulty_error_of(*from_frames([train, fake], Columns(student=student, item=item, correct=correct)))


def difficulty_error_of(train: Log, fake: Log) -> DifficultyError:
    times = np.bincount(train.item, minlength=len(train.items))
    right = np.bincount(train.item, weights=train.correct, minlength=len(train.items))
    compared = (right > 0) & (right < times)  # 0 % or 100 % success has no finite difficulty (§5.1)
    (true, unsure), (again, unsure_again) = (_with_errors(log, len(train.items)) for log in (train, fake))
    true, again = true[compared], again[compared]
    apart = np.abs(true - again) <= 1.96 * np.hypot(unsure, unsure_again)[compared]
    weight = times[compared] / times[compared].sum()
    squares = (true - again) ** 2
    error, spread = weight @ squares, weight @ (true - weight @ true) ** 2
    return DifficultyError(
        rmse=float(np.sqrt(squares.mean())),
        wrmse=float(np.sqrt(error)),
        reliability=float(spread / (spread + error)) if error else 1.0,
        rank_correlation=float(spearmanr(true, again).statistic),
        within=float(apart.mean()),
        items=int(compared.sum()),
        missing=int((np.bincount(fake.item, minlength=len(train.items))[compared] == 0).sum()),
    )


def _with_errors(log: Log, items: int) -> tuple[Array, Array]:
    """Difficulties and their standard errors: one over the root of the information, the fit's ridge counted in."""
    fitted = fit_rasch(log)
    chance = chance_of(fitted.ability[log.student], fitted.difficulty[log.item])
    information = np.bincount(log.item, weights=chance * (1 - chance), minlength=items)
    return fitted.difficulty[:items], 1 / np.sqrt(information[:items] + 1)


def of_difficulty(original: Log, fake: Log) -> Iterator[Utility]:
    """Difficulty per item, plain, weighted and by rank."""
    error = difficulty_error_of(original, fake)
    setting = {"items missing": error.missing}
    story = "How far item difficulties lie from the original when an analyst fits a Rasch model."
    weighted = "The same, weighted by how often an item occurs."
    within = "Items whose two difficulties differ by no more than their 95 % intervals allow; 95 % for other students."
    ranks = "Whether hard items stay hard and easy ones easy."
    for measure, value, baseline, text in (
        (DIFFICULTY_ERROR, error.rmse, 0.0, story),
        (DIFFICULTY_ERROR_WEIGHTED, error.wrmse, 0.0, weighted),
        (DIFFICULTY_RANKS, error.rank_correlation, 1.0, ranks),
        (DIFFICULTY_WITHIN, error.within, 0.95, within),
    ):
        yield Utility(measure=measure, value=value, n=error.items, baseline=baseline, setting=setting, story=text)
