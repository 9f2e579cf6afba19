"""The least change under which every attacker stays within the limits, if there is one better than what groups keep.

Whole resolutions are given up early: if even their strictest variant (points that fifty share, presence only) is
found out, none of their milder ones can hold.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sharewell.plan.windows import Window
from sharewell.traces.arrays import Array
from sharewell.traces.coarser_log import view
from sharewell.traces.log import Log
from sharewell.traces.measure.attempts import Attempts
from sharewell.traces.measure.battery import attacked
from sharewell.traces.measure.sides import sides
from sharewell.traces.protection.count_bands import Counts, told
from sharewell.traces.protection.recoding import Recoding
from sharewell.traces.protection.search import Trial
from sharewell.traces.protection.settings import (
    SHARED_BY,
    SMALL,
    Setting,
    left_out,
    recodings,
    usefulness,
    variants,
)

MOST_TRIALS = 150  # settings that are attacked; the most useful come first
TRIES = 2_000  # attempts of one attacker on one setting; the gate makes more, with other draws
COUNTS: tuple[Counts, ...] = ("all", "bands", "presence")


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What every attacker is held to; None where the plan asks for nothing."""

    unicity: float
    guess: float | None = None
    exposed: float | None = None


@dataclass(frozen=True, kw_only=True)
class GatedGoal:
    """What is to be reached: `secret` seeds what chooses, so that the gate judges by other draws."""

    limits: Limits
    known: int
    attackers: tuple[str, ...]
    kept: tuple[str, ...]
    secret: int


class GatedSearch:
    """Settings tried from the most useful down, never below what groups reach; at equal use no group is needed."""

    def __init__(self, base: Log, goal: GatedGoal, windows: Sequence[Window], *, reached: float) -> None:
        self.base, self.goal, self.windows, self.reached = base, goal, windows, reached
        self.trials: list[Trial] = []

    def run(self) -> Trial | None:
        """The most useful setting that holds, or nothing better than what is reached."""
        for potential, recoding in self._by_potential():
            if potential < self._least or len(self.trials) >= MOST_TRIALS:
                break
            log = view(self.base, recoding)
            if self._attempt(log, self._strictest(recoding, log)).meets:
                self._best_of(recoding, log)
        return self._best

    @property
    def _best(self) -> Trial | None:
        held = [trial for trial in self.trials if trial.meets and trial.utility >= self.reached]
        return max(held, key=lambda trial: trial.utility, default=None)

    @property
    def _least(self) -> float:
        """What a setting must keep to be worth an attack."""
        return self._best.utility if self._best else self.reached

    def _by_potential(self) -> list[tuple[float, Recoding]]:
        """Recodings by what they would keep if nothing were left out."""
        found = []
        for recoding in self._recodings():
            log = view(self.base, recoding)
            nothing = np.zeros(len(log.points), np.bool_)
            found.append((usefulness(Setting(recoding=recoding), self.base, log, nothing), recoding))
        return sorted(found, key=lambda pair: -pair[0])

    def _recodings(self) -> Iterator[Recoding]:
        """All of them for a log of ordinary size; windows with and without columns for a large one."""
        for recoding in recodings(self.base, self.windows):
            if len(self.base.points) <= SMALL or (not recoding.merged and recoding.dropped in ((), self.base.also)):
                yield recoding

    def _strictest(self, recoding: Recoding, log: Log) -> Setting:
        settings = [Setting(recoding=recoding, needed=needed, counts="presence") for needed in reversed(SHARED_BY)]
        return next((one for one in settings if not self._gone(one, log).all()), settings[-1])

    def _best_of(self, recoding: Recoding, log: Log) -> None:
        """Try the variants of a recoding from the most useful down, until one holds."""
        offers = []
        for variant in variants(recoding, log):
            if variant.telling:
                continue
            for counts in COUNTS:
                setting = replace(variant, counts=counts)
                gone = self._gone(setting, log)
                utility = usefulness(setting, self.base, log, gone) if not gone.all() else 0.0
                offers.append((utility, setting))
        for utility, setting in sorted(offers, key=lambda offer: -offer[0]):
            if utility < self._least or len(self.trials) >= MOST_TRIALS or self._attempt(log, setting).meets:
                return

    def _gone(self, setting: Setting, log: Log) -> Array:
        return left_out(setting, log, np.zeros(log.students, np.bool_))

    def _attempt(self, log: Log, setting: Setting) -> Trial:
        gone = self._gone(setting, log)
        known = replace(log, events=told(log.events, setting.counts))
        utility = usefulness(setting, self.base, log, gone) if not gone.all() else 0.0
        risk, low, high, meets = strongest(known, known.subset(~gone), self.goal)
        trial = Trial(setting=setting, gone=gone, utility=utility, risk=risk, low=low, high=high, meets=meets)
        self.trials.append(trial)
        return trial


def strongest(known: Log, released: Log, goal: GatedGoal) -> tuple[float, float, float, bool]:
    """The best guess of any attacker with its interval, and whether all stay within the limits.

    Ends at the first attacker who exceeds one.
    """
    worst = (0.0, 0.0, 0.0)
    attempts = Attempts(seed=goal.secret, tries=TRIES)
    for attack, found in attacked(sides(known, released, kept=goal.kept), attempts, goal.known):
        if attack.name not in goal.attackers:
            continue
        worst = max(worst, (found.guess, *found.interval_guess(goal.secret)))
        alone, guess = found.interval_alone(goal.secret)[1], found.interval_guess(goal.secret)[1]
        limits = goal.limits
        within = alone <= limits.unicity and (limits.guess is None or guess <= limits.guess)
        if not within or (limits.exposed is not None and found.exposed > limits.exposed):
            return *worst, False
    return *worst, bool(released.lengths.any())
