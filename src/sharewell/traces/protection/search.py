"""The least change to a log that brings unicity under a limit, with the curve of everything that was tried.

Settings are tried in the order of their usefulness, so the first that holds is the best of them. For small courses,
where coarser time alone does not help, companions are tried wherever they could be better still.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sharewell.plan.windows import Window
from sharewell.traces.arrays import Array
from sharewell.traces.coarser_log import view
from sharewell.traces.log import Log
from sharewell.traces.measure.attackers import attacker
from sharewell.traces.measure.known_points import singled_out
from sharewell.traces.measure.original_points import attacks
from sharewell.traces.protection import companions
from sharewell.traces.protection.recoding import Recoding
from sharewell.traces.protection.settings import SHARED_BY, SMALL, Setting, left_out, recodings, usefulness, variants

TRIES = 6_000  # attacks on which a setting is judged
MOST_TARGETS = 3_000
MOST_REPEATS = 200
MARGIN = 0.8  # companions aim below the limit, because the gate measures anew
CAP = 5.0  # nobody's own risk may exceed the limit by more than this
COMPANION_TRIALS = 3


@dataclass(frozen=True, kw_only=True)
class Goal:
    """What is to be reached. `secret` seeds what protects, `seed` what measures."""

    student: str
    at: str
    also: tuple[str, ...] = ()
    known: int = 4
    limit: float = 0.05
    attackers: tuple[str, ...] = ("random",)
    seed: int = 0
    secret: int = 0


@dataclass(frozen=True, kw_only=True)
class Trial:
    """One setting that was tried, and what came of it."""

    setting: Setting
    gone: Array
    utility: float
    risk: float
    low: float
    high: float
    meets: bool


class Search:
    """The reduced log, its views, and the trials so far."""

    def __init__(self, base: Log, goal: Goal, windows: Sequence[Window]) -> None:
        self.base, self.goal, self.windows = base, goal, windows
        self.trials: list[Trial] = []
        self._views: dict[str, Log] = {}
        self._exposed: dict[str, Array] = {}

    def run(self) -> Trial:
        """Try settings, the most useful first, then companions; give the best that holds, else the safest."""
        hopeless: set[str] = set()
        for utility, setting in self._by_usefulness():
            if str(setting.recoding) in hopeless:
                continue
            earlier = next((trial for trial in self.trials if trial.setting == setting), None)
            if earlier is not None and not earlier.meets:
                continue
            if earlier is not None or self._attempt(setting, self._left_out(setting), utility):
                break
            if len(self.base.points) > SMALL and setting.needed == 1 and not self._could_hold(setting.recoding):
                hopeless.add(str(setting.recoding))
        if self.view(Recoding(window=self.windows[-1])).students <= companions.MOST_STUDENTS:
            for recoding in self._worth_companions():
                self._with_companions(recoding)
        self._plain_windows()
        return self.best or min(self.trials, key=lambda trial: trial.high)

    def _plain_windows(self) -> None:
        """Every window by itself, so that the curve also shows what lies beyond the choice."""
        tried = [trial.setting for trial in self.trials]
        for window in self.windows if len(self.base.points) <= SMALL else ():
            setting = Setting(recoding=Recoding(window=window))
            if setting not in tried:
                log, nothing = self.view(setting.recoding), self._left_out(setting)
                self._attempt(setting, nothing, usefulness(setting, self.base, log, nothing))

    def _could_hold(self, recoding: Recoding) -> bool:
        """On a large log every trial costs: the strictest variant is asked before the ones between."""
        log = self.view(recoding)
        strictest = Setting(recoding=recoding, needed=SHARED_BY[-1])
        gone = self._left_out(strictest)
        if gone.all():
            return True
        return self._attempt(strictest, gone, usefulness(strictest, self.base, log, gone))

    @property
    def best(self) -> Trial | None:
        held = [trial for trial in self.trials if trial.meets]
        return max(held, key=lambda trial: trial.utility, default=None)

    def view(self, recoding: Recoding) -> Log:
        """Views of small logs are kept, of large ones only the last."""
        if str(recoding) not in self._views:
            if len(self.base.points) > SMALL:
                self._views.clear()
            self._views[str(recoding)] = view(self.base, recoding)
        return self._views[str(recoding)]

    def _attempt(self, setting: Setting, gone: Array, utility: float) -> bool:
        log = self.view(setting.recoding)
        risk, low, high = worst_risk(log, log.subset(~gone), self.goal)
        meets = high <= self.goal.limit
        self.trials.append(
            Trial(setting=setting, gone=gone, utility=utility, risk=risk, low=low, high=high, meets=meets)
        )
        return meets

    def _by_usefulness(self) -> list[tuple[float, Setting]]:
        found = []
        for recoding in recodings(self.base, self.windows):
            log = self.view(recoding)
            for setting in variants(recoding, log):
                gone = self._left_out(setting)
                if not gone.all():
                    found.append((usefulness(setting, self.base, log, gone), setting))
        return sorted(found, key=lambda pair: -pair[0])

    def _left_out(self, setting: Setting) -> Array:
        log, key = self.view(setting.recoding), str(setting.recoding)
        if setting.telling and key not in self._exposed:
            alone = singled_out(log, attacker("random"), known=[self.goal.known], seed=self.goal.secret)
            self._exposed[key] = alone.hits[0] > self.goal.limit * alone.tries
        return left_out(setting, log, self._exposed.get(key, np.empty(0, np.bool_)))

    def _worth_companions(self) -> list[Recoding]:
        """The recodings under which companions alone would keep most, if that comes near the best so far."""
        reached = self.best.utility if self.best else 0.0
        offers = []
        for recoding in recodings(self.base, self.windows):
            log = self.view(recoding)
            if companions.feasible(log):
                gone = ~companions.shared(log)[log.owners, log.points]
                utility = usefulness(Setting(recoding=recoding, companions=True), self.base, log, gone)
                offers.append((utility, recoding))
        offers.sort(key=lambda offer: -offer[0])
        return [recoding for utility, recoding in offers[:COMPANION_TRIALS] if utility > reached * MARGIN]

    def _with_companions(self, recoding: Recoding) -> None:
        """Give back as much as the limit allows, less where a stronger attacker than the random one is chosen."""
        log, setting = self.view(recoding), Setting(recoding=recoding, companions=True)
        shared = companions.shared(log)
        for share in (MARGIN, MARGIN / 2, MARGIN / 8, 0.0):
            gone = companions.left_out(
                log,
                shared,
                known=self.goal.known,
                target=self.goal.limit * share,
                cap=min(1.0, self.goal.limit * CAP),
                generator=np.random.default_rng(self.goal.secret),
            )
            if self._attempt(setting, gone, usefulness(setting, self.base, log, gone)):
                break


def worst_risk(log: Log, released: Log, goal: Goal) -> tuple[float, float, float]:
    """The largest risk with its interval: over the attackers, on the release alone and with original points."""
    repeats = min(MOST_REPEATS, max(2, -(-TRIES // min(log.students, MOST_TARGETS))))
    found = []
    for name in goal.attackers:
        who = attacker(name)
        tried = attacks(log, released, who, goal.known, repeats=repeats, seed=goal.secret, sample=MOST_TARGETS)
        found += [(alone.value(), *alone.interval(seed=goal.seed)) for alone in tried.values()]
    return max(found)
