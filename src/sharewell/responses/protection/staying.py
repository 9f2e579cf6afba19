"""Whether a student stays on an item for another attempt, after a right answer and after a wrong one."""

import numpy as np

from sharewell.responses.log import Log
from sharewell.stats.arrays import Array
from sharewell.stats.noise import blurred, share_errors

STAYS = 0.15  # by which the share of those who stay differs from item to item, about
RETURNS = 0.02  # a log in which fewer visits than these lead back to an item never leads back


def fit_staying(log: Log, *, c: float = 0.0, of_mean: float = 0.0, generator: np.random.Generator) -> Array:
    """Chances per item (rows) after a wrong and after a right answer (columns); without outcomes both are the same.

    Noise of c standard errors on each, and of `of_mean` on what they have in common.
    """
    stays, outcome = stays_of(log)
    items, student = len(log.items), log.student
    cell = log.item.astype(np.int64) * 2 + outcome
    stayed, who = stays.astype(float), student  # the end of a log leaves its last item like any other step
    trials = np.bincount(cell, minlength=2 * items)
    share = np.bincount(cell, weights=stayed, minlength=2 * items) / np.maximum(trials, 1)
    overall = [float(stayed[cell % 2 == side].mean()) if (cell % 2 == side).any() else 0.0 for side in (0, 1)]
    share = np.where(trials > 0, share, np.tile(overall, items))
    error = share_errors(cell, stayed - share[cell], who, trials)
    for side in (0, 1):
        own = error[side::2]
        of = blurred(share[side::2], own, group=None, c=c, generator=generator, usual=STAYS, of_mean=of_mean)
        share[side::2] = of
    found = np.clip(share.reshape(items, 2), 0.0, 0.98)
    return found if log.correct is not None else np.repeat(found[:, :1], 2, axis=1)


def stays_of(log: Log) -> tuple[Array, Array]:
    """Whether the next row of the same student is on the same item, and the outcome, for every row."""
    student = log.student
    stays = np.zeros(log.rows, dtype=bool)
    stays[:-1] = (student[1:] == student[:-1]) & (log.item[1:] == log.item[:-1])
    if log.joined is not None:
        stays[:-1] &= ~log.joined[1:]
    return stays, np.zeros(log.rows, dtype=np.int64) if log.correct is None else log.correct.astype(np.int64)


def visits_of(log: Log) -> Log:
    """The log with consecutive rows on one item as one row: a visit."""
    stays, _ = stays_of(log)
    first = np.concatenate([[True], ~stays[:-1]])
    return log.only_rows(first)


def comes_back(visits: Log) -> bool:
    """Whether students come back to items that they left."""
    pairs = np.unique(visits.student.astype(np.int64) * len(visits.items) + visits.item).size
    return bool(1 - pairs / visits.rows > RETURNS)
