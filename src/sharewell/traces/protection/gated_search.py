"""The least change under which every attacker stays within the limits, if there is one better than what groups keep.

Nobody stays who has too few with the same rows, so that no attacker can come further than the limits; all are tried
nevertheless, by draws of the key.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial

import numpy as np

from sharewell.contract import Memory, NoMemory
from sharewell.plan.windows import Window
from sharewell.traces.arrays import Array
from sharewell.traces.coarser_log import view
from sharewell.traces.log import Log
from sharewell.traces.measure.attempts import Attempts
from sharewell.traces.measure.battery import BATTERY, Attack
from sharewell.traces.measure.sides import Sides, sides
from sharewell.traces.protection.count_bands import Counts, told
from sharewell.traces.protection.recoding import Recoding
from sharewell.traces.protection.search import Trial
from sharewell.traces.protection.settings import (
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
Reached = tuple[float, float, float, float, float]  # a guess with its interval, the most left alone, the most exposed


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
    """Settings tried from the most useful down, never below what groups reach; at equal use no group is needed.

    Whoever has not the same rows as others, `company` students together, is left out under each of them. So every limit
    holds for every student, also for those whom a sample misses and in cohorts on which nothing was chosen.
    """

    def __init__(
        self,
        base: Log,
        goal: GatedGoal,
        windows: Sequence[Window],
        *,
        reached: float,
        company: int,
        memory: Memory | None = None,
    ) -> None:
        self.base, self.goal, self.windows, self.reached = base, goal, windows, reached
        self.company = company
        self.memory = memory or NoMemory()
        self.trials: list[Trial] = []

    def run(self) -> Trial | None:
        """The most useful setting that holds, or nothing better than what is reached."""
        for potential, recoding in self._by_potential():
            if potential < self._least or len(self.trials) >= MOST_TRIALS:
                break
            self._best_of(recoding, view(self.base, recoding))
        if not self.trials:
            self._shown()
        return self._best

    def _shown(self) -> None:
        """One setting although groups keep more: those who choose between ways see what this one would keep."""
        for _, recoding in self._by_potential():
            log = view(self.base, recoding)
            utility, setting = self._offers(recoding, log)[0]
            if utility:
                self._attempt(log, setting)
                return

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
            about = {"log": self.base.digest, "recoding": repr(recoding)}
            potential = self.memory.recall("traces: use of a recoding", about, partial(self._potential, recoding))
            found.append((potential, recoding))
        return sorted(found, key=lambda pair: -pair[0])

    def _potential(self, recoding: Recoding) -> float:
        log = view(self.base, recoding)
        return usefulness(Setting(recoding=recoding), self.base, log, np.zeros(len(log.points), np.bool_))

    def _recodings(self) -> Iterator[Recoding]:
        """All of them for a log of ordinary size; windows with and without columns for a large one."""
        for recoding in recodings(self.base, self.windows):
            if len(self.base.points) <= SMALL or (not recoding.merged and recoding.dropped in ((), self.base.also)):
                yield recoding

    def _best_of(self, recoding: Recoding, log: Log) -> None:
        """Try the variants of a recoding from the most useful down, until one holds that leaves somebody."""
        for utility, setting in self._offers(recoding, log):
            if utility < self._least or not utility or len(self.trials) >= MOST_TRIALS:
                return
            if self._attempt(log, setting).meets:
                return

    def _offers(self, recoding: Recoding, log: Log) -> list[tuple[float, Setting]]:
        """The variants of a recoding with what each keeps, the most useful first."""
        plain = [variant for variant in variants(recoding, log) if not variant.telling]
        settings = [replace(variant, counts=counts, company=self.company) for variant in plain for counts in COUNTS]
        about = {"log": self.base.digest, "settings": [repr(setting) for setting in settings]}
        work = partial(self._utilities, settings, log)
        utilities = self.memory.recall("traces: use of settings", about, work)
        return sorted(zip(utilities, settings, strict=True), key=lambda offer: -offer[0])

    def _utilities(self, settings: Sequence[Setting], log: Log) -> list[float]:
        return [self._utility(setting, log, self._gone(setting, log)) for setting in settings]

    def _utility(self, setting: Setting, log: Log, gone: Array) -> float:
        return usefulness(setting, self.base, log, gone) if not gone.all() else 0.0

    def _gone(self, setting: Setting, log: Log) -> Array:
        return left_out(setting, log, np.zeros(log.students, np.bool_))

    def _attempt(self, log: Log, setting: Setting) -> Trial:
        gone = self._gone(setting, log)
        utility = self._utility(setting, log, gone)
        risk, low, high, meets = self._strongest(log, setting, gone)
        trial = Trial(setting=setting, gone=gone, utility=utility, risk=risk, low=low, high=high, meets=meets)
        self.trials.append(trial)
        return trial

    def _strongest(self, log: Log, setting: Setting, gone: Array) -> tuple[float, float, float, bool]:
        """The best guess of any attacker with its interval, and whether all stay within the limits.

        Ends at the first attacker who exceeds one.
        """
        worst = (0.0, 0.0, 0.0)
        seen = cache(partial(_seen, log, setting, gone, self.goal.kept))
        about = {"log": self.base.digest, "setting": repr(setting), "known": self.goal.known, "kept": self.goal.kept}
        for attack in BATTERY:
            if attack.name not in self.goal.attackers:
                continue
            work = partial(_reached, attack, seen, self.goal)
            found = self.memory.recall("traces: attack on a setting", {**about, "attack": attack.name}, work)
            if found is None:
                continue
            worst = max(worst, found[:3])
            if not self._within(found):
                return *worst, False
        return *worst, not gone.all()

    def _within(self, found: Reached) -> bool:
        _, _, guess, alone, exposed = found
        limits = self.goal.limits
        within = alone <= limits.unicity and (limits.guess is None or guess <= limits.guess)
        return within and (limits.exposed is None or exposed <= limits.exposed)


def _seen(log: Log, setting: Setting, gone: Array, kept: tuple[str, ...]) -> Sides:
    """What is known, and what would be released."""
    known = replace(log, events=told(log.events, setting.counts))
    return sides(known, known.subset(~gone), kept=kept)


def _reached(attack: Attack, seen: Callable[[], Sides], goal: GatedGoal) -> Reached | None:
    """What one attacker comes to; None where there is nothing to look at."""
    if not seen().students:
        return None
    found = attack.found(seen(), Attempts(seed=goal.secret, tries=TRIES), goal.known)
    if found is None:
        return None
    low, high = found.interval_guess(goal.secret)
    return found.guess, low, high, found.interval_alone(goal.secret)[1], found.exposed
