"""The least change that hides the typist: keys exchanged and sessions typed at drawn speeds as far as asked."""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Unpack

import numpy as np
from ibis.expr.types import Table

from sharewell.contract import Change, Count, Curve, CurvePoint, Protected, Risk
from sharewell.data import engine
from sharewell.data.keyed import Keyed, new_key
from sharewell.keystrokes import eventlog
from sharewell.keystrokes.arrays import Array
from sharewell.keystrokes.columns import Columns, Keys
from sharewell.keystrokes.eventlog import Events, Rewritten
from sharewell.keystrokes.kind import SPEED_CURVE, found_by_strongest
from sharewell.keystrokes.protection import judging
from sharewell.keystrokes.protection.draft import Draft, KeySetting, Material, Setting, draw, draw_keys, material
from sharewell.keystrokes.protection.judging import Original
from sharewell.keystrokes.splits import WAYS
from sharewell.keystrokes.utility.habits import mean_latency
from sharewell.stats.correlation import pearson
from sharewell.stats.tradeoff import choose

KEY_SETTINGS = (
    KeySetting(),
    KeySetting(exchanged=0.5),
    KeySetting(exchanged=0.8),
    KeySetting(exchanged=1.0),
    KeySetting(exchanged=1.0, any_size=True),
)
# shares of sessions whose class of speed is drawn by lot; the more sessions a student has, the more it takes
STRAYS = (0.0, 0.1, 0.2, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 1.0)
FEWEST_CLASSES, LEAST_IN_CLASS = 2, 5
LOOKED_FOR = 9000  # students over all draws that judge a setting: fewer draws where there are many students
LEAST_DRAWS, USUAL_DRAWS, MOST_DRAWS = 3, 12, 45
STUDENTS_PER_DRAW = 4  # beyond the usual draws: in a small course chance moves the one release far more than a mean
AT_FIRST = 9  # draws after which a strength that is far from the limit is looked at no more
CLEAR = 2.5  # standard errors over the limit that are far
MARGIN = 0.5  # standard errors of a mean over all draws that a choice of keys stays under the limit by
# of the way from a mean to the upper end of its interval that stay under the limit: of a strength that is taken, and of
# one that needs no more draws to be
PART, SURE = 0.25, 0.6
SLOW_DRAWS = 6  # for each that the slowest attacks see, so many are drawn


@dataclass(frozen=True, kw_only=True)
class Goal:
    """What the search is held to: the share found on a list of this length, and the seed of the measuring."""

    found: float
    within: int
    seed: int


@dataclass(frozen=True, kw_only=True)
class Choice:
    """The setting that was chosen, with the curve that led to it."""

    setting: Setting
    curve: Curve


@dataclass(frozen=True)
class Search:
    """One file whose protection is looked for: what is attacked, what is released of it, and secret randomness.

    `original` are the events as they were, `events` those that may be released: the same rows, names redacted.
    """

    original: Original
    events: Events
    goal: Goal
    keyed: Keyed

    @cached_property
    def material(self) -> Material:
        return material(self.events.typing, len(self.events.students))

    @property
    def most_classes(self) -> int:
        """Of speeds: with more a list of this length would find more than the limit lets, whoever sees the class."""
        students = len(self.events.students)
        asked = math.floor(self.goal.found * students / self.goal.within + 1e-9)
        return max(1, min(max(FEWEST_CLASSES, asked), students // LEAST_IN_CLASS))

    @property
    def allowed(self) -> float:
        """What a choice may find on average: the limit, less a part of what chance moves a share by."""
        goal, students = self.goal, len(self.events.students)
        return float(max(goal.found - MARGIN * self.error(self.draws), min(goal.found, goal.within / students)))

    def error(self, draws: int) -> float:
        """The standard error of a share that is as large as the limit, over so many draws."""
        found, sought = self.goal.found, min(len(self.events.students), judging.AT_ONCE)
        return float(np.sqrt(max(found * (1 - found), 0.0) / (sought * draws)))

    @property
    def draws(self) -> int:
        """How many draws check a choice, and how many judge it: the strongest of many attacks is told too high by
        what chance moves their means by, so that few draws would cost more speed than the limit asks for."""
        students = len(self.events.students)
        wanted = min(MOST_DRAWS, max(USUAL_DRAWS, students // STUDENTS_PER_DRAW))
        return max(LEAST_DRAWS, min(wanted, LOOKED_FOR // students))

    def generators(self, purpose: str, draws: int) -> list[np.random.Generator]:
        return [self.keyed.generator(f"{purpose}:{one}") for one in range(draws)]

    def judged(self, setting: Setting, lists: Sequence[int]) -> list[Risk]:
        """The mean over draws that neither chose the setting nor are released; the slowest attacks see some of them."""
        draws, slow = self.generators("judge", self.draws), max(LEAST_DRAWS, self.draws // SLOW_DRAWS)
        risks = judging.drawn_risks(self.original, self.material, setting, draws[:slow], judging.everyone(lists))
        panel = judging.without_slow(lists)
        risks += judging.drawn_risks(self.original, self.material, setting, draws, panel, first=slow)
        return judging.averaged(risks)

    def release(self, setting: Setting) -> Draft:
        """The draw that is released: a single one, whatever an attack finds in it."""
        done = draw(self.material, setting, self.keyed.generator("release"))
        return replace(done, typing=eventlog.as_written(self.events, done.typing))


def protect(
    events: Any,
    *,
    limit: float = 0.10,
    accept: int = 10,
    seed: int | None = None,
    **columns: Unpack[Keys],
) -> Protected:
    """Events on which the strongest attack finds at most `limit` of the students within a list of `accept`.

    Students, sessions and rows stay where they are; `sharewell release` replaces the names of both.

    Args:
        events: One row per key event: a pandas, polars or pyarrow frame, or a path.
        limit: The share of students that may be found, on average over draws.
        accept: The length of the attacker's list.
        seed: Makes the draws repeatable, and lets whoever learns it undo them; without it they are secret.
        columns: The names of columns: `student`, `session`, `key` and `press`; `release` where key releases are known,
            `week` where sessions belong to weeks, and `unit` (ns, us, ms, s) where the clock does not tell it.

    Returns:
        The protected events as the same kind of frame, what was done to them, and the curve of what strengths cost.

    Example:
        >>> import pyarrow as pa
        >>> import sharewell as sw
        >>> rows = [(f"s{user}", f"t{task}", key, 100 * place + 7 * user)
        ...         for user in range(6) for task in range(4) for place, key in enumerate("abab")]
        >>> user, task, key, press = zip(*rows)
        >>> events = pa.table({"user": user, "task": task, "key": key, "press": press})
        >>> done = sw.keystrokes.protect(events, limit=1.0, accept=1, seed=1, student="user", session="task", key="key",
        ...                              press="press")
        >>> done.table.num_rows, done.table["press"][0].as_py()
        (96, 0)
    """
    secret = new_key() if seed is None else hashlib.sha256(str(seed).encode()).digest()
    goal = Goal(found=limit, within=accept, seed=seed or 0)
    loaded = eventlog.load(engine.table(events), Columns(**columns))
    eventlog.at_least_two_students(loaded)
    search = Search(judging.original(loaded, goal.seed), loaded, goal, Keyed(secret, "keystrokes"))
    done = protected(search)
    table = done.table.order_by(loaded.row_column, *done.order).drop(*done.helpers)
    return Protected(table=engine.like(table, events), changes=done.changes, curve=done.curve, facts=done.facts)


def protected(search: Search, sessions: Array | None = None) -> Protected:
    """The chosen setting, drawn once; `sessions` are new names for the sessions, where they get some."""
    choice = chosen(search)
    draft = search.release(choice.setting)
    table, order = released_table(search.events, draft, sessions)
    keys = choice.setting.keys
    return Protected(
        table=table,
        changes=tuple(_changes(search, choice.setting, draft)),
        curve=choice.curve,
        order=(order,),
        helpers=(order, search.events.row_column),
        facts={
            "exchanged": keys.exchanged,
            "any_size": keys.any_size,
            "classes": choice.setting.classes,
            "stray": choice.setting.stray,
        },
    )


def released_table(events: Events, draft: Draft, sessions: Array | None) -> tuple[Table, str]:
    """The rows of a draft with their new keys and times; sessions begin at zero."""
    typing = draft.typing
    press = eventlog.press_times(typing, typing.latency)
    names = None if sessions is None else sessions[typing.session]
    place = np.arange(len(typing.key)) if sessions is None else _order(typing.session, sessions)
    new = Rewritten(
        row=events.row[draft.row],
        press=press,
        release=press + typing.hold,
        key=typing.keys[typing.key],
        giver=None if np.array_equal(draft.giver, draft.row) else events.row[draft.giver],
        session=names,
        order=place,
    )
    return eventlog.rewritten(events, new)


def _order(session: Array, names: Array) -> Array:
    """The place of every event when sessions stand by their new names and events as they follow each other."""
    number = np.array([int(str(name).lstrip("s_")) for name in names])
    place = np.empty(len(session), dtype=np.int64)
    place[np.lexsort((np.arange(len(session)), number[session]))] = np.arange(len(session))
    return place


def chosen(search: Search) -> Choice:
    """Keys first, which times have no part in; then the classes of speeds and the least lots that keep most of speeds.

    With as many classes as the limit lets lots must hide some of them; fewer may need none and keep more.
    """
    keys = _key_setting(search)
    best: tuple[float, Choice] | None = None
    tried: list[tuple[float, Choice]] = []
    for classes in range(search.most_classes, 0, -1):
        if best is not None and classes < FEWEST_CLASSES:
            break  # a single class keeps nothing of speeds
        choice, found, holds = _least_stray(search, keys, classes)
        tried.append((found, choice))
        if holds and best is not None and _kept(choice) <= best[0]:
            break
        best = (_kept(choice), choice) if holds else best
        if holds and choice.setting.stray == 0:
            break
    return min(tried, key=lambda one: one[0])[1] if best is None else best[1]  # the gate will say what it finds


def _kept(choice: Choice) -> float:
    return next(point.utility for point in choice.curve.points if point.chosen)


def _least_stray(search: Search, keys: KeySetting, classes: int) -> tuple[Choice, float, bool]:
    """The least share of drawn classes that stands up to every attack, what is found with it, and whether there is
    one; if not, the one that tells least."""
    settings = [Setting(keys=keys, classes=classes, stray=one) for one in STRAYS]
    points: dict[int, CurvePoint] = {}
    low, high = 0, len(settings) - 1
    while low < high:  # what is found falls as more is drawn, so halving finds the first that is under the limit
        middle = (low + high) // 2
        points[middle] = _checked(search, settings[middle], "choose")
        low, high = (low, middle) if points[middle].meets else (middle + 1, high)
    place = low
    while True:  # on draws of its own: what was chosen may have been lucky
        points[place] = _checked(search, settings[place], "confirm")
        if points[place].meets or place == len(settings) - 1:
            break
        place += 1
    holds = points[place].meets
    if not holds:
        place = min(points, key=lambda one: points[one].risk)
    curve = _curve(search, [points[one] for one in sorted(points)], settings[place])
    return Choice(setting=settings[place], curve=curve), points[place].risk, holds


def _key_setting(search: Search) -> KeySetting:
    """The least change of keys under which neither which keys are used, nor a text, nor known amounts find too many."""
    settings, found = KEY_SETTINGS, 0.0
    for keys in settings:
        if found * (1 - keys.exchanged) > search.allowed:
            continue  # a session that keeps its keys is found as before
        risks = judging.averaged(
            [_key_risks(search, keys, place) for place in range(1 if keys.as_typed else len(WAYS))]
        )
        worst = judging.strongest(risks, search.goal.within).value
        if worst <= search.allowed:
            return keys
        found = max(found, worst) if keys.as_typed else found
    return settings[-1]


def _key_risks(search: Search, keys: KeySetting, place: int) -> list[Risk]:
    generator = search.keyed.generator(f"keys:{keys}:{place}")
    typing = draw_keys(search.material, keys, generator).typing
    panel = judging.keys_alone([search.goal.within])
    risks = judging.attacked(search.original, typing, panel, [WAYS[place]], search.goal.seed, judging.AT_ONCE)
    if keys.any_size:
        return risks
    setting = Setting(keys=keys, classes=search.most_classes, stray=1.0)  # lengths that stay tell more than speeds do
    timed = draw(search.material, setting, generator).typing
    lengths = replace(panel, attacks=(), texts=False, amounts=("time",))
    return [*risks, *judging.attacked(search.original, timed, lengths, (), search.goal.seed, judging.AT_ONCE)]


def _checked(search: Search, setting: Setting, purpose: str) -> CurvePoint:
    """One strength by every attack but the slowest, over draws of its own: what the attack that does best on average
    finds, and how speeds correlate. Few draws are enough where no attack is near the limit, or one far over it."""
    drawn = f"{purpose}:{setting.classes}:{setting.stray}"
    generators, panel = search.generators(drawn, search.draws), judging.without_slow([search.goal.within])
    risks: list[list[Risk]] = []
    while len(risks) < search.draws:
        some = generators[: len(risks) + AT_FIRST]
        risks += judging.drawn_risks(search.original, search.material, setting, some, panel, first=len(risks))
        found = [one for one in judging.averaged(risks) if judging.found(one)]
        worst = judging.strongest(found, search.goal.within)
        too_many = worst.value - CLEAR * search.error(len(risks)) > search.goal.found
        if too_many or all(_upper(one, SURE) <= search.goal.found for one in found):
            break
    return CurvePoint(
        label=f"{setting.stray:.0%} of sessions at a drawn speed",
        strength=setting.stray,
        risk=worst.value,
        low=worst.low,
        high=worst.high,
        utility=_speeds_kept(search, setting, search.generators(drawn, LEAST_DRAWS)),
        meets=all(_upper(one, PART) <= search.goal.found for one in found),
    )


def _upper(risk: Risk, part: float) -> float:
    """A mean, and part of the way to the upper end of its interval: attacks differ in how far chance moves them."""
    return risk.value + part * ((risk.high or risk.value) - risk.value)


def _speeds_kept(search: Search, setting: Setting, generators: Sequence[np.random.Generator]) -> float:
    students = len(search.events.students)
    drafts = [draw(search.material, setting, one).typing for one in generators]
    kept = [pearson(search.material.speed, mean_latency(one.student, one.latency, students)) for one in drafts]
    return float(np.mean(kept))


def _curve(search: Search, points: list[CurvePoint], taken: Setting) -> Curve:
    """Every strength that was tried, with the one that was taken."""
    goal = search.goal
    curve = choose(
        points,
        strength="share of sessions at a drawn speed",
        risk=found_by_strongest(goal.within),
        utility=SPEED_CURVE,
        limit=goal.found,
    )
    return replace(curve, points=tuple(replace(one, chosen=one.strength == taken.stray) for one in curve.points))


def _changes(search: Search, setting: Setting, draft: Draft) -> list[Change]:
    columns, keys = search.events.columns, setting.keys
    times = tuple(name for name in (columns.press, columns.release) if name is not None)
    speed = "one speed for everybody" if setting.classes == 1 else f"the speed of one of {setting.classes} classes"
    what = f"every time replaced by one drawn from all typists, at {speed}, "
    what += f"{setting.stray:.0%} of the sessions at that of a class drawn by lot; sessions begin at zero"
    if not keys.any_size:
        what += " and keep their lengths relative to each other, up to classes by powers of two and the new speed"
    why = "how someone types is as personal as a fingerprint"
    moved = Change(columns=times, action="moved", detail=what, reason=why, cells=Count(len(draft.row)))
    return [moved, *_key_changes(search, keys, draft)]


def _key_changes(search: Search, keys: KeySetting, draft: Draft) -> list[Change]:
    column = (search.events.columns.key or "key",)
    if keys.as_typed:
        return []
    typing = search.material.typing
    classes = int((search.material.common != typing.key).sum())
    own = "keys and words of fewer than five students became the usual key of their class, letter by letter"
    done = [Change(columns=column, action="coarsened", detail=own, reason="they point at who typed them",
                   cells=Count(classes))]  # fmt: skip
    moved = int((typing.key[draft.row] != draft.typing.key).sum())
    size = "whatever their sizes" if keys.any_size else "of about the same size"
    what = f"{keys.exchanged:.0%} of the sessions got the keys of another student's session, {size}"
    why = "which keys someone uses, and what they wrote, finds a student as times do"
    return [*done, Change(columns=column, action="reordered", detail=what, reason=why, cells=Count(moved))]
