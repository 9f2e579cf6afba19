"""Learning curves: the share of right answers at the first, second … attempt on a skill."""

from collections.abc import Iterator

import numpy as np

from sharewell.contract import Utility
from sharewell.responses.kind import LEARNING_OFF, LEARNING_WORST
from sharewell.responses.log import Log
from sharewell.responses.practice_counts import attempts_before
from sharewell.stats.arrays import Array

SHOWN = 3  # attempts that the report shows one by one
PRACTICE = 10  # a learning curve follows the first so many attempts on a skill


def of_learning(original: Log, fake: Log) -> Iterator[Utility]:
    """How far the curve of the released rows lies from that of the original ones."""
    ours, theirs = learning_curve(original), learning_curve(fake)
    both = np.isfinite(ours) & np.isfinite(theirs)
    if both.any():
        yield Utility(
            measure=LEARNING_OFF,
            value=float(np.abs(ours - theirs)[both].mean()),
            n=int(both.sum()),
            baseline=0.0,
            story="Mean difference of the share of right answers at the first, second … attempt on a skill.",
        )
        yield Utility(
            measure=LEARNING_WORST,
            value=float(np.abs(ours - theirs)[both].max()),
            n=int(both.sum()),
            baseline=0.0,
            setting={f"attempt {place + 1}": f"{ours[place]:.3f} → {theirs[place]:.3f}" for place in range(SHOWN)},
            story="The same attempt by attempt, original → released: a mean would hide a curve that is flat.",
        )


def learning_curve(log: Log) -> Array:
    """Share of right answers at the first, second … attempt of a student on a skill (an item, without skills)."""
    assert log.correct is not None
    skill = log.item if log.skill_of is None else log.skill_of[log.item]
    attempt = attempts_before(log.student, skill)
    early = attempt < PRACTICE
    times = np.bincount(attempt[early], minlength=PRACTICE)
    right = np.bincount(attempt[early], weights=log.correct[early], minlength=PRACTICE)
    return np.divide(right, times, out=np.full(PRACTICE, np.nan), where=times > 0)
