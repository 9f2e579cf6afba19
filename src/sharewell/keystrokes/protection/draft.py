"""One draw of a release: keys first, then times for them."""

from dataclasses import dataclass, replace

import numpy as np

from sharewell.keystrokes.arrays import Array, Typing, session_starts
from sharewell.keystrokes.protection import key_exchange, length_classes, lots, rhythm_draws
from sharewell.keystrokes.protection.lots import Lots
from sharewell.keystrokes.protection.own_words import shapes_of_own_words
from sharewell.keystrokes.protection.rare_keys import with_class_keys, without_rare_keys
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


@dataclass(frozen=True, kw_only=True)
class Material:
    """The original as every draw needs it."""

    typing: Typing  # with one key of every class among its keys
    common: Array  # the key of every event, rare keys and own words as classes
    speed: Array  # of each student
    donors: dict[bool, Donors]  # by whether keys stay as they were typed
    as_before: Speeds | None = None  # classes of an earlier release

    def speeds(self, classes: int) -> Speeds:
        """So many classes, or those of an earlier release where there is one."""
        if self.as_before is not None:
            return self.as_before
        own, slower = rhythm_draws.speed_classes(self.speed, classes)
        return Speeds(own=own, slower=slower)

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
    common = shapes_of_own_words(typing, without_rare_keys(typing, stands), stands)
    donors = {True: rhythm_draws.all_donors(typing, speed)}
    donors[False] = rhythm_draws.all_donors(replace(typing, key=common), speed)
    return Material(typing=typing, common=common, speed=speed, donors=donors)


def draw_keys(source: Material, keys: KeySetting, generator: np.random.Generator, held: Lots | None = None) -> Draft:
    """The keys of a draw at the original times: enough for attacks that look at keys alone.

    `held` are the lots that all versions of a release share; without them they are drawn as well.
    """
    typing = source.typing
    if keys.as_typed:
        every = np.arange(len(typing.key))
        return Draft(row=every, giver=every, typing=typing)
    starts = session_starts(typing.session)
    sizes = np.diff(starts)
    if keys.any_size:
        session, giver = key_exchange.whole_sessions(typing.student, typing.session, generator.random(len(sizes)))
    else:
        held = held or lots.drawn(source.sessions, len(source.speed), generator)
        chance = generator.random((len(sizes), key_exchange.TRIES))
        chosen = held.session[:, 0] < keys.exchanged
        session, giver = typing.session, key_exchange.same_sizes(typing.student, typing.session, chosen, chance)
    place = np.arange(len(session)) - session_starts(session)[session]
    row = starts[session] + np.minimum(place, sizes[session] - 1)
    return Draft(row=row, giver=giver, typing=_placed(source, session, row, giver))


def draw(source: Material, setting: Setting, generator: np.random.Generator, held: Lots | None = None) -> Draft:
    """One release drawn by the setting; sessions keep the ratio of their lengths unless their sizes change."""
    held = held or lots.drawn(source.sessions, len(source.speed), generator)
    draft = draw_keys(source, setting.keys, generator, held)
    typing, donors = draft.typing, source.donors[setting.keys.as_typed]
    owner = typing.student[session_starts(typing.session)[:-1]]
    speeds = source.speeds(setting.classes)
    slower = speeds.slower[rhythm_draws.session_classes(speeds.own, owner, setting.stray, held.session[:, 1:])]
    latency, hold = rhythm_draws.drawn(typing, donors, slower, held.student, generator)
    latency = rhythm_draws.at_drawn_speed(typing.session, latency, slower)
    if not setting.keys.any_size:
        latency = length_classes.held(typing, latency, slower)
    return replace(draft, typing=replace(typing, latency=latency, hold=hold))


def _placed(source: Material, session: Array, row: Array, giver: Array) -> Typing:
    """The typing of the new rows, with the keys of their givers and, for now, the times of their own."""
    typing, ends = source.typing, np.diff(session, append=-1) != 0
    return replace(
        typing,
        student=typing.student[row],
        session=session,
        key=source.common[giver],
        latency=np.where(ends, np.nan, np.nan_to_num(typing.latency[row])),
        hold=typing.hold[row],
    )
