"""The least change that hides the typist: keys exchanged and sessions typed at drawn speeds as far as asked."""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from ibis.expr.types import Table

from sharewell.contract import Change, Count, Curve, CurvePoint, Risk
from sharewell.data.keyed import Keyed
from sharewell.keystrokes import eventlog
from sharewell.keystrokes.arrays import Array, session_starts
from sharewell.keystrokes.columns import KeyColumns
from sharewell.keystrokes.eventlog import Events, Rewritten
from sharewell.keystrokes.kind import OVER_VERSIONS, SPEED_CURVE, found_by_strongest
from sharewell.keystrokes.measure.measuring import most_sought
from sharewell.keystrokes.protection import judging, lots, versions
from sharewell.keystrokes.protection.along_lots import Draws, ExpectedShares
from sharewell.keystrokes.protection.draft import KeySetting, Material, ReleaseDraft, Setting, draw, draw_keys
from sharewell.keystrokes.protection.judging import AttackPanel, Original
from sharewell.keystrokes.splits import WAYS
from sharewell.keystrokes.utility.habits import mean_latency
from sharewell.lab.splits import SIDES
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
STRAYS = (0.0, 0.1, 0.2, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.98, 1.0)
FEWEST_CLASSES, LEAST_IN_CLASS = 2, 5
LOOKED_FOR = 36_000  # students over all draws that judge a setting: fewer draws where there are many students
LEAST_DRAWS, MOST_DRAWS = 12, 180
PER_KEY = 3  # draws for each key whose versions are attacked
TOGETHER = 9  # draws made for choosing before the curve is looked at again
SPEED_DRAWS = 3  # that show what a setting keeps of speeds
SURE, HOPELESS = 0.98, 0.05  # of judgements: where the weakest strength is so sure, or the strongest so unsure, enough
MARGIN = 3.0  # standard errors of a mean over all draws that a choice of keys stays under the limit by


@dataclass(frozen=True, kw_only=True)
class IdentificationGoal:
    """What the search is held to: the share found on a list of this length, and the seed of the measuring."""

    found: float
    within: int
    seed: int


@dataclass(frozen=True, kw_only=True)
class Choice:
    """The setting that was chosen, with the curve that led to it; none where it is that of an earlier release."""

    setting: Setting
    curve: Curve | None = None


@dataclass(frozen=True)
class SettingSearch:
    """One partition whose protection is looked for: what is attacked, what is released of it, and secret randomness.

    `original` are the events as they were, `events` those that may be released: the same rows, names redacted.
    """

    original: Original
    events: Events
    material: Material
    goal: IdentificationGoal
    keyed: Keyed

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
        sought = min(students, most_sought(students)) * self.judged_on
        error = math.sqrt(max(goal.found * (1 - goal.found), 0.0) / sought)
        return float(max(goal.found - MARGIN * error, min(goal.found, goal.within / students)))

    @property
    def judged_on(self) -> int:
        """How many draws judge a setting at most: the narrower the interval, the less is hidden beyond the limit."""
        return max(LEAST_DRAWS, min(MOST_DRAWS, LOOKED_FOR // len(self.events.students)))

    @property
    def draws(self) -> int:
        """How many draws make a choice at most; the curve through them scatters less than a judgement does."""
        return max(LEAST_DRAWS, min(len(self.events.students), self.judged_on) // 2)

    def generators(self, purpose: str, draws: int) -> list[np.random.Generator]:
        return [self.keyed.generator(f"{purpose}:{one}") for one in range(draws)]

    def over_versions(self, setting: Setting) -> list[Risk]:
        """What somebody finds who holds several versions of such a release, by each attack as a mean over some keys."""
        keys, goal = self.generators("versions", _keys(self.judged_on)), self.goal
        return versions.found(self.original, self.material, setting, keys, within=goal.within, limit=goal.found)

    @property
    def sessions(self) -> float:
        """How many a usual student has."""
        typing = self.events.typing
        owner = typing.student[session_starts(typing.session)[:-1]]
        return float(np.median(np.bincount(owner, minlength=len(self.events.students))))

    def expected(self, tried: Mapping[float, Draws], classes: int) -> ExpectedShares:
        return ExpectedShares(
            tried=tried,
            sessions=self.sessions,
            chance=min(1.0, self.goal.within / len(self.events.students)),
            limit=self.goal.found,
            judged_on=self.judged_on,
            keys_judged_on=_keys(self.judged_on),
            classes=classes,
        )


def _keys(draws: int) -> int:
    """How many keys are tried beside so many draws."""
    return max(LEAST_DRAWS, draws // PER_KEY)


def judged(searches: Sequence[Callable[[], SettingSearch]], setting: Setting, lists: Sequence[int]) -> list[Risk]:
    """The mean over draws that neither chose the setting nor are released.

    Each partition is loaded when its turn comes and sees an even part of the draws. Attacks whose interval lies within
    the limit are made no more, and no more draws once that is so of all, or one is beyond (see `judging.settled`).
    """
    search, found = searches[0](), list[list[Risk]]()
    of, goal = search.judged_on, search.goal
    generators, ends, turn = search.generators("judge", of), judging.looks(of), 0
    panel = judging.everyone(lists)
    for place in range(of):
        if place * len(searches) // of > turn:
            turn += 1
            search = searches[turn]()
        found += judging.drawn_risks(
            search.original, search.material, setting, generators[: place + 1], panel, first=place
        )
        if place + 1 in ends:
            risks = judging.averaged(found, ends)
            limited = judging.on_a_list_of(goal.within, risks)
            if judging.settled(goal.found, limited):
                break
            panel = panel.of([judging.attack_of(one) for one in limited if not judging.is_within(goal.found, one)])
    return risks


def drawn_release(
    events: Events, made: Material, setting: Setting, keyed: Keyed, known: lots.LotSecrets
) -> ReleaseDraft:
    """The draw that is released: a single one, whatever an attack finds in it."""
    done = draw(made, setting, keyed.generator("release"), lots.of_release(known, events))
    return replace(done, typing=eventlog.as_written(events, done.typing))


def setting_facts(setting: Setting) -> dict[str, Any]:
    return {
        "exchanged": setting.keys.exchanged,
        "any_size": setting.keys.any_size,
        "classes": setting.classes,
        "stray": setting.stray,
    }


def released_table(
    events: Events, draft: ReleaseDraft, sessions: Array | None, moving: tuple[str, ...]
) -> tuple[Table, str]:
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
    return eventlog.rewritten(events, new, moving)


def _order(session: Array, names: Array) -> Array:
    """The place of every event when sessions stand by their new names and events as they follow each other."""
    number = np.array([int(str(name).lstrip("s_")) for name in names])
    place = np.empty(len(session), dtype=np.int64)
    place[np.lexsort((np.arange(len(session)), number[session]))] = np.arange(len(session))
    return place


def chosen(search: SettingSearch) -> Choice:
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
    assert choice.curve is not None
    return next(point.utility for point in choice.curve.points if point.chosen)


def _least_stray(search: SettingSearch, keys: KeySetting, classes: int) -> tuple[Choice, float, bool]:
    """The least share of drawn classes that is expected to stand up to every attack on fresh draws, what is found with
    it, and whether there is one; if not, all are drawn.

    Draws go where the curve so far meets the limit; all of them together say where it does.
    """
    tried: dict[float, list[list[Risk]]] = {}
    unseen = search.expected(tried, classes)
    started = (one for one in STRAYS[:-1] if unseen.class_alone(one) <= search.allowed)  # lots alone give no slope
    best = next(started, STRAYS[-2])
    drawn, enough, several = 0, False, True
    panel = judging.without_texts([search.goal.within])
    rounds = Counter[float]()
    while drawn < search.draws and not enough:
        at, found = best, tried.setdefault(best, [])
        found += _drawn(search, Setting(keys=keys, classes=classes, stray=best), panel, rounds[best], several)
        rounds[best] += 1
        drawn, expected = drawn + TOGETHER, search.expected(tried, classes)
        best = next((one for one in STRAYS if expected.meets(one)), STRAYS[-1])
        enough = at == best and _settled(expected, best)
        weaker = STRAYS[max(0, STRAYS.index(best) - 1)]  # whatever stands in its way is looked for on
        doubted = expected.in_doubt(weaker)
        several = any(name == OVER_VERSIONS.id for name, *_ in doubted)
        panel = judging.without_texts([search.goal.within]).of([one for one in doubted if one[0] != OVER_VERSIONS.id])
    taken = Setting(keys=keys, classes=classes, stray=best)
    points = [_point(search, expected, replace(taken, stray=one)) for one in sorted({*tried, best})]
    choice = Choice(setting=taken, curve=_curve(search, points, taken))
    return choice, expected.strongest(best)[0], expected.meets(best)


def _settled(expected: ExpectedShares, stray: float) -> bool:
    """Whether more draws would change nothing: the weakest strength is sure to do, or the strongest not to."""
    sure = expected.sureness(stray)
    return (stray == STRAYS[0] and sure >= SURE) or (stray == STRAYS[-1] and sure <= HOPELESS)


def _drawn(search: SettingSearch, setting: Setting, panel: AttackPanel, turn: int, several: bool) -> list[list[Risk]]:
    """Some attacks on some of the draws that choose; `several` says whether versions are attacked as well."""
    source, material, first = search.original, search.material, turn * TOGETHER
    draws = search.generators(f"choose:{setting.classes}:{setting.stray}", first + TOGETHER)
    risks = judging.drawn_risks(source, material, setting, draws, panel, first=first)
    if several:
        keys = search.generators(f"choose versions:{setting.classes}:{setting.stray}", (turn + 1) * TOGETHER // PER_KEY)
        for place in range(turn * TOGETHER // PER_KEY, len(keys)):
            risks.append(versions.attacked(source, material, setting, keys[place], search.goal.within, place))
    return risks


def _key_setting(search: SettingSearch) -> KeySetting:
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


def _key_risks(search: SettingSearch, keys: KeySetting, place: int) -> list[Risk]:
    generator = search.keyed.generator(f"keys:{keys}:{place}")
    typing = draw_keys(search.material, keys, generator).typing
    panel = judging.keys_alone([search.goal.within])
    risks = judging.attacked(search.original, typing, panel, [WAYS[place]], search.goal.seed)
    if keys.any_size:
        return risks
    setting = Setting(keys=keys, classes=search.most_classes, stray=1.0)  # lengths that stay tell more than speeds do
    timed = draw(search.material, setting, generator).typing
    lengths = replace(panel, attacks=(), texts=False, amounts=("time",))
    return [*risks, *judging.attacked(search.original, timed, lengths, (), search.goal.seed)]


def _point(search: SettingSearch, expected: ExpectedShares, setting: Setting) -> CurvePoint:
    """One strength: what the strongest attack is expected to find, by all that was tried, and how speeds correlate."""
    value, error = expected.strongest(setting.stray)
    drawn = search.generators(f"speeds:{setting.classes}:{setting.stray}", SPEED_DRAWS)
    return CurvePoint(
        label=f"{setting.stray:.0%} of sessions at a drawn speed",
        strength=setting.stray,
        risk=value,
        low=max(0.0, value - SIDES * error),
        high=min(1.0, value + SIDES * error),
        utility=_speeds_kept(search, setting, drawn),
        meets=expected.meets(setting.stray),
    )


def _speeds_kept(search: SettingSearch, setting: Setting, generators: Sequence[np.random.Generator]) -> float:
    students = len(search.events.students)
    drafts = [draw(search.material, setting, one).typing for one in generators]
    kept = [pearson(search.material.speed, mean_latency(one.student, one.latency, students)) for one in drafts]
    return float(np.mean(kept))


def _curve(search: SettingSearch, points: list[CurvePoint], taken: Setting) -> Curve:
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


@dataclass(frozen=True, kw_only=True)
class ChangeTally:
    """What a draft changed: rows, keys that became those of their class, keys that came from elsewhere."""

    rows: int
    classes: int
    moved: int


def tally_of(source: Material, draft: ReleaseDraft) -> ChangeTally:
    typing = source.typing
    classes, moved = (source.common != typing.key).sum(), (typing.key[draft.row] != draft.typing.key).sum()
    return ChangeTally(rows=len(draft.row), classes=int(classes), moved=int(moved))


def changes(columns: KeyColumns, setting: Setting, tally: ChangeTally, again: bool) -> list[Change]:
    """`again` says that classes and lots are those of an earlier release."""
    keys = setting.keys
    times = tuple(name for name in (columns.press, columns.release) if name is not None)
    speed = "one speed for everybody" if setting.classes == 1 else f"the speed of one of {setting.classes} classes"
    what = f"every time replaced by one drawn from all typists, at {speed}, "
    what += f"{setting.stray:.0%} of the sessions at that of a class drawn by lot; sessions begin at zero"
    if again:
        what += "; classes and lots are those of the release before"
    if not keys.any_size:
        what += " and keep their lengths relative to each other, up to classes by powers of two and the new speed"
    why = "how someone types is as personal as a fingerprint"
    moved = Change(columns=times, action="moved", detail=what, reason=why, cells=Count(tally.rows))
    return [moved, *_key_changes(columns, keys, tally)]


def _key_changes(columns: KeyColumns, keys: KeySetting, tally: ChangeTally) -> list[Change]:
    column = (columns.key or "key",)
    if keys.as_typed:
        return []
    own = "keys and words of fewer than five students became the usual key of their class, letter by letter"
    done = [Change(columns=column, action="coarsened", detail=own, reason="they point at who typed them",
                   cells=Count(tally.classes))]  # fmt: skip
    size = "whatever their sizes" if keys.any_size else "of about the same size"
    what = f"{keys.exchanged:.0%} of the sessions got the keys of another student's session, {size}"
    why = "which keys someone uses, and what they wrote, finds a student as times do"
    return [*done, Change(columns=column, action="reordered", detail=what, reason=why, cells=Count(tally.moved))]
