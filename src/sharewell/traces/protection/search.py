"""Search for the least change that keeps the promise.

Under company, students with too few of identical rows are left out of every setting: each holds by construction.
Under `promise = "points"` the attacks that know single points judge a setting, by draws of the key.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from sharewell.contract import Memory
from sharewell.plan.windows import Window
from sharewell.traces.arrays import Array
from sharewell.traces.attacks import battery
from sharewell.traces.attacks.attempts import Attempts
from sharewell.traces.attacks.view import View
from sharewell.traces.coarser_log import view
from sharewell.traces.log import Log
from sharewell.traces.protection.count_bands import Counts, banded
from sharewell.traces.protection.recoding import Recoding
from sharewell.traces.protection.settings import (
    SMALL,
    Setting,
    column_detail,
    detail,
    left_out,
    left_out_at_once,
    recodings,
    usefulness,
    variants,
)
from sharewell.traces.row_classes import look_alikes, trace_hashes

MOST_TRIALS = 150  # settings that are tried; the most useful come first
TRIES = 2_000  # attempts of an attack on one setting; the gate makes more, with other draws
COUNTS: tuple[Counts, ...] = ("all", "bands", "presence")


@dataclass(frozen=True, kw_only=True)
class PointLimits:
    """Limit attackers who know `known` points; None where the plan asks nothing."""

    known: int
    unicity: float
    guess: float | None = None
    exposed: float | None = None


@dataclass(frozen=True, kw_only=True)
class Trial:
    """Record a setting: what it leaves out, its utility, the chance of a right guess."""

    setting: Setting
    gone: Array
    utility: float
    risk: float
    meets: bool
    low: float | None = None
    high: float | None = None


class Search:
    """Settings tried from the most useful down.

    `company` is how many students must have identical rows; `points` are the limits where it is not promised, and
    `secret` seeds the attacks that then choose, so that the gate judges by other draws.
    """

    def __init__(
        self,
        base: Log,
        windows: Sequence[Window],
        *,
        company: int,
        points: PointLimits | None,
        secret: int,
        memory: Memory,
    ) -> None:
        self.base, self.windows = base, windows
        self.company, self.points, self.secret, self.memory = company, points, secret, memory
        self.trials: list[Trial] = []

    def run(self) -> Trial | None:
        """The most useful setting that holds, if any does."""
        for potential, recoding in self._by_potential():
            if potential < self._least or len(self.trials) >= MOST_TRIALS:
                break
            self._best_of(recoding, view(self.base, recoding))
        return self._best

    @property
    def _best(self) -> Trial | None:
        good = [trial for trial in self.trials if trial.meets]
        return max(good, key=lambda trial: trial.utility, default=None)

    @property
    def _least(self) -> float:
        """What a setting must keep to be worth a trial."""
        return self._best.utility if self._best else 0.0

    def _by_potential(self) -> list[tuple[float, Recoding]]:
        """Recodings by what they would keep if nothing were left out."""
        offers = [(detail(one.window) * column_detail(self.base, one), one) for one in self._recodings()]
        return sorted(offers, key=lambda pair: -pair[0])

    def _recodings(self) -> Iterator[Recoding]:
        """Yield all recodings; of a large log windows with and without columns."""
        for recoding in recodings(self.base, self.windows):
            if len(self.base.points) <= SMALL or (not recoding.merged and recoding.dropped in ((), self.base.also)):
                yield recoding

    def _best_of(self, recoding: Recoding, log: Log) -> None:
        """Try the variant of a recoding that keeps most of those that hold.

        Where attacks judge, the strictest is asked first: if it does not hold, none does.
        """
        if self.points is None:
            utility, setting = self._offer(recoding, log, least=self._least)
            if utility and utility >= self._least:
                self._attempt(log, setting)
            return
        offers = [(self._utility(one, log, left_out(one, log)), one) for one in variants(recoding, log)]
        leaving = [setting for utility, setting in offers if utility and setting.longest is None]
        if not leaving or not self._attempt(log, max(leaving, key=lambda setting: setting.needed)).meets:
            return
        for utility, setting in sorted(offers, key=lambda offer: -offer[0]):
            if utility < self._least or not utility or len(self.trials) >= MOST_TRIALS:
                return
            if self._attempt(log, setting).meets:
                return

    def _offer(self, recoding: Recoding, log: Log, *, least: float) -> tuple[float, Setting]:
        """Return what the best variant under company keeps; 0 below `least`."""
        tried = [replace(variant, company=self.company) for variant in variants(recoding, log)]
        about = {"log": self.base.digest, "settings": [repr(setting) for setting in tried], "least": least}
        work = partial(self._best_place, tried, log, least)
        place, counts, utility = self.memory.recall("traces: best of settings", about, work)
        return utility, replace(tried[int(place)], counts=counts)

    def _best_place(self, tried: Sequence[Setting], log: Log, least: float) -> tuple[int, Counts, float]:
        """Which setting keeps most, with which counts, the first of equals; and how much.

        What is kept before anybody goes for want of company is a bound: a setting that cannot win by it is not worked
        out. Nor is one with counts where presence alone leaves nobody: company by counts implies company by presence.
        """
        bounds = [self._utility(setting, log, left_out_at_once(setting, log)) for setting in tried]
        best = (0.0, 0, 0)
        for place in sorted(range(len(tried)), key=lambda one: -bounds[one]):
            if bounds[place] < max(best[0], least):
                break
            if left_out(replace(tried[place], counts="presence"), log).all():
                continue
            for turn, counts in enumerate(COUNTS):
                setting = replace(tried[place], counts=counts)
                best = max(best, (self._utility(setting, log, left_out(setting, log)), -place, -turn))
        utility, place, turn = best
        return -place, COUNTS[-turn], utility

    def _utility(self, setting: Setting, log: Log, gone: Array) -> float:
        return usefulness(setting, self.base, log, gone) if not gone.all() else 0.0

    def _attempt(self, log: Log, setting: Setting) -> Trial:
        gone = left_out(setting, log)
        judged = self._alike(log, setting, gone) if self.points is None else self._attacked(log, setting, gone)
        risk, low, high, meets = judged
        utility = self._utility(setting, log, gone)
        trial = Trial(setting=setting, gone=gone, utility=utility, risk=risk, low=low, high=high, meets=meets)
        self.trials.append(trial)
        return trial

    def _alike(self, log: Log, setting: Setting, gone: Array) -> tuple[float, None, None, bool]:
        """Bound every guess by one over the smallest class of identical rows."""
        released = replace(log, events=banded(log.events, setting.counts)).subset(~gone)
        fewest = int(look_alikes(trace_hashes(released))[released.lengths > 0].min())
        return 1 / fewest, None, None, fewest >= self.company

    def _attacked(self, log: Log, setting: Setting, gone: Array) -> tuple[float, float, float, bool]:
        """Attack by known points: the best guess, its interval, and if limits hold.

        Ends at the first attack that exceeds one.
        """
        assert self.points is not None
        worst = (0.0, 0.0, 0.0)
        known = replace(log, events=banded(log.events, setting.counts))
        seen, attempts = View(known=known, released=known.subset(~gone)), Attempts(seed=self.secret, tries=TRIES)
        for attack in battery.OF_POINTS:
            found = battery.found(attack, seen, attempts, self.points.known)
            if found is None:
                return *worst, False
            worst = max(worst, (found.guess, *found.interval_guess(self.secret)))
            reached = found.interval_alone(self.secret)[1], found.interval_guess(self.secret)[1], found.exposed
            limits = self.points.unicity, self.points.guess, self.points.exposed
            if any(limit is not None and value > limit for value, limit in zip(reached, limits, strict=True)):
                return *worst, False
        return *worst, True
