"""One draw of a release: keys first, then times for them."""

from dataclasses import dataclass, replace

import numpy as np

from sharewell.keystrokes.arrays import Array, Typing, session_starts
from sharewell.keystrokes.protection import key_exchange, length_classes, lots, rhythm_draws
from sharewell.keystrokes.protection.chances import Chance, numbers
from sharewell.keystrokes.protection.key_exchange import Sessions
from sharewell.keystrokes.protection.lots import Lots
from sharewell.keystrokes.protection.own_words import common_words, shapes_of_own_words
from sharewell.keystrokes.protection.rare_keys import common_keys, with_class_keys, without_rare_keys
from sharewell.keystrokes.protection.rhythm_draws import Donors
from sharewell.keystrokes.utility.habits import mean_latency


@dataclass(frozen=True, kw_only=True)
class KeySetting:
    """What happens to keys: the share of sessions that take theirs from others, and whether of any size.

    With none, keys stay as they were typed; otherwise rare keys and own words become classes as well.
    """

    exchanged: float = 0.0
    any_size: bool = False

    @property
    def as_typed(self) -> bool:
        return self.exchanged == 0


@dataclass(frozen=True, kw_only=True)
class Setting:
    """One way to protect: what happens to keys, how many classes of speeds are told apart, how many sessions stray."""

    keys: KeySetting
    classes: int
    stray: float  # the share of sessions that are typed at the speed of a class drawn by lot


@dataclass(frozen=True, kw_only=True)
class Speeds:
    """Classes of speeds."""

    own: Array  # the class of each student
    slower: Array  # than the mean, by class, as a logarithm
    everyone: Array  # the classes of all students of the file


@dataclass(frozen=True, kw_only=True)
class Shared:
    """What enough students have: which keys, by code, and which words, by their numbers."""

    keys: Array
    words: Array


@dataclass(frozen=True, kw_only=True)
class Levels:
    """How fast everyone's draws are, and at which pace their sessions pass, as logarithms."""

    speed: float
    pace: float


@dataclass(frozen=True, kw_only=True)
class Elsewhere:
    """What a part of a file takes from students who stand for all of it."""

    givers: Sessions  # their events stand behind those of the part
    keys: Array
    levels: Levels
    numbers: Array  # of the students of the part, by which givers know their own sessions


@dataclass(frozen=True, kw_only=True)
class Material:
    """The original as every draw needs it; `elsewhere` where it is a part of a file."""

    typing: Typing  # with one key of every class among its keys
    common: Array  # the key of every event, rare keys and own words as classes
    speed: Array  # of each student
    donors: dict[bool, Donors]  # by whether keys stay as they were typed
    shared: Shared
    as_before: Speeds | None = None  # classes that are not to be formed from these speeds
    elsewhere: Elsewhere | None = None

    def speeds(self, classes: int) -> Speeds:
        """So many classes, or those of an earlier release where there is one."""
        if self.as_before is not None:
            return self.as_before
        own, slower = rhythm_draws.speed_classes(self.speed, classes)
        return Speeds(own=own, slower=slower, everyone=own)

    @property
    def given(self) -> Array:
        """The keys of all events that can give one."""
        return self.common if self.elsewhere is None else np.append(self.common, self.elsewhere.keys)

    @property
    def sessions(self) -> int:
        return len(session_starts(self.typing.session)) - 1


@dataclass(frozen=True, kw_only=True)
class Draft:
    """A release as arrays: which event of the original each row goes back to, and the new keys and times."""

    row: Array  # positions in the original typing; where a session got longer its last row is there more than once
    giver: Array  # the position of the event that gave each its key
    typing: Typing


def material(typing: Typing, students: int) -> Material:
    typing, stands = with_class_keys(typing)
    speed = mean_latency(typing.student, typing.latency, students)
    keys = common_keys(typing)
    shared = Shared(keys=keys, words=common_words(typing, without_rare_keys(typing, stands, keys)))
    common = only_shared(typing, stands, shared)
    donors = {True: rhythm_draws.all_donors(typing, speed)}
    donors[False] = rhythm_draws.all_donors(replace(typing, key=common), speed)
    return Material(typing=typing, common=common, speed=speed, donors=donors, shared=shared)


def only_shared(typing: Typing, stands: Array, shared: Shared) -> Array:
    """The key of every event, rare keys and own words as classes."""
    return shapes_of_own_words(typing, without_rare_keys(typing, stands, shared.keys), stands, shared.words)


def draw_keys(source: Material, keys: KeySetting, chance: Chance, held: Lots | None = None) -> Draft:
    """The keys of a draw at the original times: enough for attacks that look at keys alone.

    `held` are the lots that all versions of a release share; without them they are drawn as well.
    """
    typing = source.typing
    if keys.as_typed:
        every = np.arange(len(typing.key))
        return Draft(row=every, giver=every, typing=typing)
    own = key_exchange.sessions_of(typing.student, typing.session)
    session, giver = _any_sizes(source, own, chance) if keys.any_size else _same_sizes(source, own, keys, chance, held)
    place = np.arange(len(session)) - session_starts(session)[session]
    row = own.starts[session] + np.minimum(place, own.sizes[session] - 1)
    return Draft(row=row, giver=giver, typing=_placed(source, session, row, giver))


def _any_sizes(source: Material, own: Sessions, chance: Chance) -> tuple[Array, Array]:
    drawn, typing = numbers(chance, own.owner), source.typing
    if source.elsewhere is None:
        return key_exchange.whole_sessions(typing.student, typing.session, drawn)
    known = own._replace(owner=source.elsewhere.numbers[own.owner])
    return key_exchange.any_size_elsewhere(known, source.elsewhere.givers, drawn)


def _same_sizes(
    source: Material, own: Sessions, keys: KeySetting, chance: Chance, held: Lots | None
) -> tuple[Array, Array]:
    held = _lots(source, chance, held)
    tries, typing = numbers(chance, own.owner, key_exchange.TRIES), source.typing
    chosen = held.session[:, 0] < keys.exchanged
    if source.elsewhere is None:
        return typing.session, key_exchange.same_sizes(typing.student, typing.session, chosen, tries)
    known = own._replace(owner=source.elsewhere.numbers[own.owner])
    return typing.session, key_exchange.same_sizes_elsewhere(known, source.elsewhere.givers, chosen, tries)


def draw(source: Material, setting: Setting, chance: Chance, held: Lots | None = None) -> Draft:
    """One release drawn by the setting; sessions keep the ratio of their lengths unless their sizes change."""
    timed = _timed(source, setting, chance, held)
    known, typing = None if source.elsewhere is None else source.elsewhere.levels, timed.draft.typing
    level = None if known is None else known.speed
    latency = rhythm_draws.at_drawn_speed(typing.session, timed.latency, timed.slower, level)
    if not setting.keys.any_size:
        pace = length_classes.log_pace(typing.session, latency) if known is None else known.pace
        latency = length_classes.held(typing, latency, timed.slower, pace)
    return replace(timed.draft, typing=replace(typing, latency=latency, hold=timed.hold))


def levels(source: Material, setting: Setting, chance: Chance) -> Levels:
    """What a draw comes to over all students: parts of a file are brought to it, each by itself."""
    timed = _timed(source, setting, chance, None)
    session = timed.draft.typing.session
    speed = rhythm_draws.log_level(session, timed.latency, timed.slower)
    latency = rhythm_draws.at_drawn_speed(session, timed.latency, timed.slower, speed)
    return Levels(speed=speed, pace=length_classes.log_pace(session, latency))


@dataclass(frozen=True, kw_only=True)
class _Timed:
    """A draft with drawn times that are not yet at the speed of their sessions, and that speed."""

    draft: Draft
    latency: Array
    hold: Array
    slower: Array


def _timed(source: Material, setting: Setting, chance: Chance, held: Lots | None) -> _Timed:
    held = _lots(source, chance, held)
    draft = draw_keys(source, setting.keys, chance, held)
    typing, donors = draft.typing, source.donors[setting.keys.as_typed]
    owner = typing.student[session_starts(typing.session)[:-1]]
    speeds, drawn = source.speeds(setting.classes), held.session[:, 1:]
    classes = rhythm_draws.session_classes(speeds.own, owner, setting.stray, drawn, speeds.everyone)
    slower = speeds.slower[classes]
    latency, hold = rhythm_draws.drawn(typing, donors, slower, held.student, numbers(chance, typing.student))
    return _Timed(draft=draft, latency=latency, hold=hold, slower=slower)


def _lots(source: Material, chance: Chance, held: Lots | None) -> Lots:
    if held is not None:
        return held
    assert isinstance(chance, np.random.Generator), "a release has lots of its own"
    return lots.drawn(source.sessions, len(source.speed), chance)


def _placed(source: Material, session: Array, row: Array, giver: Array) -> Typing:
    """The typing of the new rows, with the keys of their givers and, for now, the times of their own."""
    typing, ends = source.typing, np.diff(session, append=-1) != 0
    return replace(
        typing,
        student=typing.student[row],
        session=session,
        key=source.given[giver],
        latency=np.where(ends, np.nan, np.nan_to_num(typing.latency[row])),
        hold=typing.hold[row],
    )
