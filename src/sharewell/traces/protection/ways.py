"""Compare groups of like students with less detail for all, and choose."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, partial
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from ibis.expr.types import Table
from scipy import sparse

from sharewell.contract import Change, Count, Curve, CurvePoint, Memory, NoMemory, Protected
from sharewell.data import engine
from sharewell.data.keyed import Keyed
from sharewell.errors import Refused
from sharewell.plan.windows import Window, parse
from sharewell.traces.arrays import Array
from sharewell.traces.coarser_log import view
from sharewell.traces.kept_columns import KeptColumns, strata
from sharewell.traces.kind import GUESS, USES_KEPT
from sharewell.traces.log import Log, reduce
from sharewell.traces.measure.inference import as_values, risks, seen
from sharewell.traces.protection.count_bands import banded, thinned_rows
from sharewell.traces.protection.group_release import GroupRelease
from sharewell.traces.protection.group_rows import GroupRows, own_events, shared_by, thinned
from sharewell.traces.protection.group_values import of_groups, per_student
from sharewell.traces.protection.groups import NOBODY, Balance, formed, formed_as_before
from sharewell.traces.protection.moving import keyed_places, secret_number
from sharewell.traces.protection.null_spread import null_spreads
from sharewell.traces.protection.recoding import Recoding, coarsened, merged, without_pairs
from sharewell.traces.protection.search import PointLimits, Search, Trial
from sharewell.traces.protection.settings import SMALL, column_detail, detail, left_out, recodings
from sharewell.traces.row_classes import trace_hashes
from sharewell.traces.utility.six_analyses import SixAnalyses, analysis_columns

BALANCES = (0.1, 0.3, 1.0, 3.0, 10.0)  # how much likeness in kept columns counts against likeness in what students did
SHOWN = 3  # settings of each way on the chart
NOT_COVERED = (
    "Only attackers who know {known} moments of a student are limited: they single out at most {unicity:.0%} of "
    "students. Somebody who knows more (counts, the order of steps, everything a student did) may find any student."
)


@dataclass(frozen=True, kw_only=True)
class Request:
    """Ask for a protection: columns, number of identical students, key.

    `points` are the limits where company is not promised; `method` leaves out one of the ways; `seed` is for measuring.
    """

    student: str
    at: str
    quasi: tuple[str, ...]
    kept: KeptColumns
    k: int
    windows: Sequence[Window]
    keyed: Keyed
    points: PointLimits | None = None
    read: tuple[str, ...] = ()  # kept columns that nobody should read off a group, by more than `inference`
    inference: float | None = None
    seed: int = 0
    target: str | None = None  # the outcome that analysts predict
    method: str | None = None
    earlier: Mapping[str, int] | None = None  # the groups of an earlier release, to be used again
    memory: Memory = field(default_factory=NoMemory)


@dataclass(frozen=True, kw_only=True)
class GroupTrial:
    """Record groups at one resolution; `balance` counts likeness in kept columns."""

    recoding: Recoding
    balance: float = 0.0
    k: int
    utility: float
    kept: float
    own: float
    low: float | None = None
    high: float | None = None
    meets: bool = True  # by construction

    @property
    def risk(self) -> float:
        return 1 / self.k

    @property
    def label(self) -> str:
        parts = [f"groups of {self.k}", f"windows of {self.recoding.window.label}"]
        parts += [f"without {', '.join(self.recoding.dropped)}"] if self.recoding.dropped else []
        parts += ["rare values merged"] if self.recoding.merged else []
        parts += ["like the course in kept columns"] if self.balance else []
        return ", ".join(parts)


Way: TypeAlias = GroupTrial | Trial


@dataclass(frozen=True, kw_only=True)
class BestWay:
    """Hold the best way, its release, and the kept columns that are left."""

    way: Way
    protected: Protected
    kept: KeptColumns


def chosen_way(log: "PreparedLog") -> BestWay:
    """Choose the way that keeps most; drop columns that can be read off it."""
    request = log.request
    tried = _group_trials(request, log.base, log.group)
    hunt = Search(
        log.base, request.windows, company=request.k if request.points is None else 1, points=request.points,
        secret=secret_number(request.keyed), memory=request.memory,
    )  # fmt: skip
    found = hunt.run() if request.method != "groups" else None
    if not tried and not hunt.trials:
        raise Refused(f"there is no group of {request.k} students with anything in common")
    ways: list[Way] = [*([found] if found is not None else []), *_leading_groups(tried, None)]  # ties need no group
    chosen = max(ways, key=lambda way: round(log.kept(way), 3), default=None)
    chosen = chosen or min(hunt.trials, key=lambda trial: trial.risk)
    closer, made, missed = _closest(log, chosen)
    if missed:
        less = chosen_way(log.without(missed))
        gone = [_dropped(name, "it could be read off those who look alike") for name in missed]
        return replace(less, protected=replace(less.protected, changes=(*less.protected.changes, *gone)))
    tried = [closer if trial is chosen and isinstance(closer, GroupTrial) else trial for trial in tried]
    shown: list[Way] = [*_leading_groups(tried, closer), *_leading_searches(hunt.trials, closer)]
    if isinstance(closer, GroupTrial):
        made = log.with_spreads(made, closer.balance)
    return BestWay(way=closer, protected=replace(made, curve=_curve(log, shown, closer)), kept=request.kept)


def _closest(log: "PreparedLog", chosen: Way) -> tuple[Way, Protected, list[str]]:
    """Balance groups as far as needed; return columns that can still be read."""
    made = log.under(chosen)
    missed = log.can_be_read(made)
    for weight in BALANCES:
        if not missed or not isinstance(chosen, GroupTrial):
            break
        use = _group_use(log.request, log.base, log.grouped(weight), chosen.recoding)
        if use is None:
            break
        chosen = replace(chosen, balance=weight, utility=use[0], kept=use[1], own=use[2])
        made = log.under(chosen)
        missed = log.can_be_read(made)
    return chosen, made, missed


def prepared(events: Table, request: Request) -> "PreparedLog":
    """A log in memory, its students in groups unless groups are not wanted."""
    also = (*request.quasi, *request.kept.listed)
    base = reduce(events, student=request.student, at=request.at, window=parse("1s"), also=also)
    group = np.full(base.students, NOBODY, np.int64)
    log = PreparedLog(request, events, base, group)
    return replace(log, group=log.grouped(0.0)) if request.method != "search" and request.points is None else log


@dataclass(frozen=True)
class PreparedLog:
    """A log in memory with the groups of its students; makes what a trial stands for."""

    request: Request
    events: Table
    base: Log
    group: Array

    def without(self, names: Sequence[str]) -> "PreparedLog":
        """The log without some of the kept columns."""
        return prepared(self.events.drop(*names), replace(self.request, kept=self.request.kept.without(names)))

    def under(self, trial: Way) -> Protected:
        if isinstance(trial, GroupTrial):
            group = self.grouped(trial.balance) if trial.balance else self.group
            return _grouped(self.request, self.events, self.base, group, trial)
        return _searched(self.request, self.events, self.base, trial)

    def grouped(self, balance: float, near: sparse.csr_matrix | None = None, places: Array | None = None) -> Array:
        """Assign groups; more `balance` makes them more alike in kept columns, read at `places`."""
        request = self.request
        alike = strata(self.events, self.base.ids, request.kept.fixed, student=request.student)
        kept = self._to_balance if balance else None
        kept = kept if kept is None or places is None else kept[places]
        spread = None if kept is None else Balance(values=kept, weight=balance)
        if request.earlier is None:
            return formed(self.base, request.k, alike, spread, near)
        return formed_as_before(self.base, request.k, alike, request.earlier, spread, near)

    def with_spreads(self, made: Protected, balance: float, near: sparse.csr_matrix | None = None) -> Protected:
        """State for tests how far the kept values of groups scatter about no relation with activity."""
        request, group = self.request, self.grouped(balance, near)
        events = np.bincount(self.base.owners, weights=self.base.events, minlength=self.base.students)
        columns = {
            name: _as_numbers(per_student(self.events, name, student=request.student, ids=self.base.ids))
            for name in request.kept.shared
            if name in made.table.columns
        }
        again = partial(self.grouped, balance, near)
        spreads = null_spreads(columns, group, again, events, request.k, np.random.default_rng(request.seed))
        if not spreads:
            return made
        said = ", ".join(f"{name} {value:g}" for name, value in spreads.items())
        stated = Change(
            columns=tuple(spreads), action="untouched", detail=f"spread for tests over groups: {said}",
            reason="groups were made alike in it: residuals alone would find relations that are not there",
        )  # fmt: skip
        return replace(made, facts={**made.facts, "spread": spreads}, changes=(*made.changes, stated))

    @cached_property
    def _to_balance(self) -> Array | None:
        """What may be read of every student, one column per value."""
        parts = []
        for name in self.request.kept.of_students:
            own = per_student(self.events, name, student=self.request.student, ids=self.base.ids)
            values = as_values(own)
            parts.append(np.equal.outer(values, np.unique(values)).astype(float))
        return np.hstack(parts) if parts else None

    def can_be_read(self, made: Protected) -> list[str]:
        """List kept columns that own groups reveal by more than the limit."""
        request = self.request
        if request.inference is None or not request.read:
            return []
        sides = seen(self.events, made, request.kept, student=request.student, at=request.at, quasi=request.quasi)
        found = risks(sides, request.read, limit=request.inference, seed=request.seed)
        return [str(risk.setting["column"]) for risk in found if not risk.holds]

    def as_elsewhere(self, trial: Way) -> Protected:
        """Apply a way that was chosen on other students."""
        if isinstance(trial, GroupTrial):
            return self.under(trial)
        log = view(self.base, trial.setting.recoding)
        return self.under(replace(trial, gone=left_out(trial.setting, log)))

    @cached_property
    def analyses(self) -> SixAnalyses:
        request = self.request
        columns = analysis_columns(
            self.events, request.kept, student=request.student, at=request.at, quasi=request.quasi,
            target=request.target,
        )  # fmt: skip
        return SixAnalyses(self.events, columns, seed=request.seed)

    def kept(self, trial: Way) -> float:
        """Compute what is left of the six analyses under a trial, whatever its limits."""
        setting = repr((trial.recoding, trial.balance) if isinstance(trial, GroupTrial) else trial.setting)
        about = {"log": self.base.digest, "k": self.request.k, "way": type(trial).__name__, "setting": setting}
        return self.request.memory.recall("traces: use of a way", about, lambda: self._kept(trial))

    def _kept(self, trial: Way) -> float:
        released = self.analyses.of_events(self.under(trial).table, shares=self.request.points is None)
        return self.analyses.left(released)


def _as_numbers(own: pa.Array) -> Array:
    """Return numbers as they are, and of texts whether each is the most frequent one."""
    if not pa.types.is_string(own.type):
        return np.asarray(own.fill_null(np.nan), float)
    words, counts = np.unique(own.drop_null().to_pylist(), return_counts=True)
    often = words[np.argmax(counts)] if len(words) else ""
    return np.array([np.nan if word is None else float(word == often) for word in own.to_pylist()])


def _leading_groups(tried: Sequence[GroupTrial], chosen: Way | None) -> list[GroupTrial]:
    """The best of each resolution, and of these the best."""
    by_window: dict[str, GroupTrial] = {}
    for trial in sorted(tried, key=lambda one: (one is not chosen, -one.utility)):
        by_window.setdefault(trial.recoding.window.label, trial)
    return list(by_window.values())[:SHOWN]


def _leading_searches(trials: Sequence[Trial], chosen: Way) -> list[Trial]:
    """The most useful that hold, then those that come nearest to holding."""
    order = sorted(trials, key=lambda one: (one is not chosen, not one.meets, -one.utility if one.meets else one.risk))
    return order[: SHOWN - 1]


def _group_trials(request: Request, base: Log, group: Array) -> list[GroupTrial]:
    """Try every recoding with the same groups; none with too few students."""
    if not (group >= 0).any():
        return []
    trials = []
    for recoding in recodings(base, request.windows):
        if len(base.points) > SMALL and (recoding.merged or recoding.dropped not in ((), base.also)):
            continue
        about = {"log": base.digest, "k": request.k, "recoding": repr(recoding)}
        work = partial(_group_use, request, base, group, recoding)
        found = request.memory.recall("traces: use of groups", about, work)
        if found is not None:
            utility, kept, own = found
            trials.append(GroupTrial(recoding=recoding, k=request.k, utility=utility, kept=kept, own=own))
    return trials


def _thinned(request: Request, log: Log, group: Array) -> GroupRows:
    return thinned(log, group, request.k, request.keyed.generator("groups"))


def _group_use(request: Request, base: Log, group: Array, recoding: Recoding) -> tuple[float, float, float] | None:
    """Measure usefulness as for the search, and its parts; None if nothing is left.

    Events count half by being there and half by standing with their own student.
    """
    log = view(base, recoding)
    shown = _thinned(request, log, group)
    if not shown.total:
        return None
    kept, own = shown.total / float(log.events.sum()), own_events(log, shown)
    present = shown.sizes[np.unique(shown.groups)].sum() / np.count_nonzero(log.lengths)
    utility = math.sqrt(min(1.0, kept) * own) * present * detail(recoding.window) * column_detail(base, recoding)
    return utility, kept, own


def _grouped(request: Request, events: Table, base: Log, group: Array, trial: GroupTrial) -> Protected:
    recoding = trial.recoding
    log = view(base, recoding)
    shown = _thinned(request, log, group)
    made = GroupRelease(
        events=merged(events, recoding), log=log, shown=shown, kept=request.kept, student=request.student,
        at=request.at, holders=request.k,
    )  # fmt: skip
    table = made.table()
    lost = [name for name in events.columns if name not in table.columns and name not in recoding.dropped]
    changes = _recoded(request, recoding)
    changes += [_dropped(name, "it differs between the members of a group") for name in lost]
    changes += _group_changes(request, log, shown)
    return Protected(
        table=table,
        changes=tuple(changes),
        order=(request.at,),
        facts={**_facts(request, recoding, trial.label), "method": "groups", "private": list(request.kept.private)},
        private={"groups": pa.table({"student": log.ids, "group": pa.array(shown.group)})},
    )


def _group_changes(request: Request, log: Log, shown: GroupRows) -> list[Change]:
    events = int(log.events.sum())
    changes = [
        Change(
            columns=(request.student, request.at),
            action="merged",
            detail=f"students in groups of {request.k} or more: every member has the same rows, the mean of the group",
            reason="whatever is known of a student fits all members of the group alike",
            cells=Count(shown.total),
        )
    ]
    if shown.total < events:
        changes.append(
            Change(
                columns=(request.at,),
                action="suppressed",
                detail=f"events that fewer than {shared_by(request.k)} members of the group share",
                reason="they would tell about too few students",
                cells=Count(events - shown.total),
            )
        )
    left_out = int((shown.group < 0).sum())
    if left_out:
        changes.append(
            Change(
                columns=(request.student,),
                action="suppressed",
                detail="students left out whose kept values too few others have",
                reason="a group needs as many students with the same kept values",
                cells=Count(left_out),
            )
        )
    if request.kept.shared:
        changes.append(
            Change(
                columns=request.kept.shared,
                action="coarsened",
                detail="one value for the group, rounded: the mean or the shares of its members, each counted once",
                reason="no member's own value can be computed from it, however much is known of what they did",
            )
        )
    if request.kept.numbers:
        changes.append(
            Change(
                columns=request.kept.numbers,
                action="coarsened",
                detail="the mean over all students for each value of its key, rounded; each student counted once",
                reason="a mean of few, window by window, gives members' own numbers back",
            )
        )
    return changes


def _searched(request: Request, events: Table, base: Log, trial: Trial) -> Protected:
    """The rows under the chosen setting, in keyed order within a window."""
    setting, log = trial.setting, view(base, trial.setting.recoding)
    order = engine.fresh(events.columns, "order")
    structure = _numbers_and_names(request, events)
    shared = request.kept.shared
    recoded = merged(events, setting.recoding).drop(*request.kept.numbers, *shared, *structure)
    place = partial(keyed_places, order=order, student=request.student, log=log, at=request.at, keyed=request.keyed)
    rows = place(without_pairs(recoded, log, trial.gone, student=request.student, at=request.at))
    if setting.counts != "all":  # which rows stay is drawn first, then the order of those that do
        fewer = thinned_rows(rows, log, setting.counts, student=request.student, at=request.at, order=order)
        rows = place(fewer.drop(order))
    if request.points is None and shared:
        rows = _with_shared(
            request, events, rows, replace(log, events=banded(log.events, setting.counts)).subset(~trial.gone)
        )
        shared = ()
    changes = _recoded(request, setting.recoding)
    changes += [_dropped(name, "its exact numbers single students out") for name in (*request.kept.numbers, *shared)]
    changes += [_dropped(name, "which rows belong together singles students out") for name in structure]
    changes.append(
        Change(
            columns=(request.at,),
            action="reordered",
            detail="rows within a window stand in an order drawn with the key",
            reason="the order of a student's steps can be remembered",
        )
    )
    if trial.gone.any() or setting.counts != "all":
        changes.append(
            Change(
                columns=(request.at,),
                action="suppressed",
                detail=f"events left out ({setting.label})",
                reason="they single too many students out",
                cells=Count(log.events[trial.gone].sum()),
            )
        )
    return Protected(
        table=coarsened(rows, request.at, setting.recoding.window),
        changes=tuple(changes),
        order=(request.at, order),
        helpers=(order,),
        facts={
            **_facts(request, setting.recoding, setting.label),
            "method": "search",
            "counts": setting.counts,
            "private": [*request.kept.private, *request.kept.unseen],
        },
    )


def _with_shared(request: Request, events: Table, rows: Table, released: Log) -> Table:
    """Give students with identical rows one value of columns constant per student."""
    _, alike = np.unique(trace_hashes(released), return_inverse=True)
    group = np.where(released.lengths > 0, alike, NOBODY)
    values = {
        name: of_groups(per_student(events, name, student=request.student, ids=released.ids), group, request.k)
        for name in request.kept.shared
    }
    who = engine.fresh((*rows.columns, *values), "who")
    listed = engine.listed(pa.table({who: released.ids, **values}))
    joined = rows.join(listed, rows[request.student] == listed[who]).drop(who)
    first = [name for name in events.columns if name in joined.columns]
    return joined.select(*first, *(name for name in joined.columns if name not in first))


def _numbers_and_names(request: Request, events: Table) -> list[str]:
    """Name columns that link rows: numbers of rows and threads, other students.

    Who answers whom how often, and how many there are in a thread, is a shape that can be looked for in the original.
    """
    kept = request.kept
    looked_at = {
        request.student,
        request.at,
        *request.quasi,
        *kept.shared,
        *kept.listed,
        *kept.numbers,
        *kept.private,
        *kept.unseen,
    }
    return [name for name in events.columns if name not in looked_at]


def _recoded(request: Request, recoding: Recoding) -> list[Change]:
    """What happens to times and values, the same in every way."""
    start = f"replaced by the start of its window of {recoding.window.label}"
    changes = [
        Change(columns=(request.at,), action="coarsened", detail=start, reason="exact times single students out")
    ]
    changes += [_dropped(name, "together with the time it singles students out") for name in recoding.dropped]
    if recoding.merged:
        words = "values that few students used are merged"
        changes.append(
            Change(columns=tuple(recoding.merged), action="merged", detail=words, reason="a rare value stands out")
        )
    return changes


def _dropped(name: str, reason: str) -> Change:
    return Change(columns=(name,), action="dropped", reason=reason)


def _facts(request: Request, recoding: Recoding, setting: str) -> dict[str, Any]:
    """State for recipients how values were coarsened, and what is promised."""
    points = request.points
    promised = (
        {"promise": "company", "k": request.k}
        if points is None
        else {"promise": "points", **asdict(points), "not covered": NOT_COVERED.format(**asdict(points))}
    )
    return {
        "student": request.student,
        "at": request.at,
        "also": list(recoding.quasi((*request.quasi, *request.kept.listed))),
        "dropped": list(recoding.dropped),
        "merged": sorted(recoding.merged),
        "window": recoding.window.label,
        "setting": setting,
        **promised,
    }


def _curve(log: PreparedLog, shown: Sequence[Way], chosen: Way) -> Curve:
    """Plot the best of every way: chance of a right guess, and what analysts keep."""
    points = [
        CurvePoint(
            label=trial.label if isinstance(trial, GroupTrial) else f"search: {trial.setting.label}",
            strength=round(1 - trial.utility, 2),  # more digits would tell of single events
            risk=trial.risk,
            low=trial.low,
            high=trial.high,
            utility=log.kept(trial),
            meets=trial.meets,
            chosen=trial is chosen and trial.meets,
        )
        for trial in shown
    ]
    return Curve(
        strength="way to protect",
        risk=GUESS,
        utility=USES_KEPT,
        limit=1 / log.request.k if log.request.points is None else log.request.points.guess,
        points=tuple(points),
        note=f"{_said_of_risk(log.request)} "
        "What analysts keep is the mean of what is left of the standard analyses that the log allows: early warning, "
        "weekly activity, sessions, drop-out, item difficulty, activity and marks.",
    )


def _said_of_risk(request: Request) -> str:
    if request.points is None:
        return f"The chance of naming a student correctly is at most 1 in {request.k}, whatever is known."
    return f"The chance of naming a student correctly for the best of those who know {request.points.known} moments."
