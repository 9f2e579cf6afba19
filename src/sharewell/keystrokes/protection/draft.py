"""One draw of a release: keys first, then times for them."""

from dataclasses import dataclass, replace

import numpy as np

from sharewell.keystrokes.arrays import Array, TypedEvents, session_starts
from sharewell.keystrokes.protection import exchanged_sessions, length_classes, lots, rhythm_draws
from sharewell.keystrokes.protection.lots import Lots
from sharewell.keystrokes.protection.rare_keys import (
    class_keys_of,
    common_keys,
    common_words,
    shapes_of_own_words,
    without_rare_keys,
)
from sharewell.keystrokes.protection.rhythm_draws import Donors


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

    own: Array  # the class of each student of the partition
    slower: Array  # than the mean, by class, as a logarithm
    everyone: Array  # the classes of all students of the file


@dataclass(frozen=True, kw_only=True)
class Material:
    """The original of one partition as every draw needs it."""

    typing: TypedEvents  # its keys are those of the whole file, one of every class among them
    common: Array  # the key of every event, rare keys and own words as classes
    speed: Array  # the mean latency of each student
    everyone: Array  # the same of all students of the file
    numbers: Array  # of the partition's students among all
    donors: dict[bool, Donors]  # by whether keys stay as they were typed
    as_before: Speeds | None = None  # classes of an earlier release, of all students

    def speeds(self, classes: int) -> Speeds:
        """So many classes, or those of an earlier release where there is one."""
        every = self.as_before or classes_of(self.everyone, classes)
        return replace(every, own=every.own[self.numbers])

    @property
    def sessions(self) -> int:
        return len(session_starts(self.typing.session)) - 1


def classes_of(speed: Array, classes: int) -> Speeds:
    """So many classes formed from the mean latencies of all students."""
    own, slower = rhythm_draws.speed_classes(speed, classes)
    return Speeds(own=own, slower=slower, everyone=own)


@dataclass(frozen=True, kw_only=True)
class ReleaseDraft:
    """A release as arrays: which event of the original each row goes back to, and the new keys and times."""

    row: Array  # positions in the original typing; where a session got longer its last row is there more than once
    giver: Array  # the position of the event that gave each its key
    typing: TypedEvents


def material(typing: TypedEvents, everyone: Array, numbers: Array, as_before: Speeds | None = None) -> Material:
    """Prepare one partition; `everyone` are the mean latencies of all students, `numbers` its own ones among them."""
    stands, keys = class_keys_of(typing.keys), common_keys(typing)
    usual = without_rare_keys(typing, stands, keys)
    common = shapes_of_own_words(typing, usual, stands, common_words(typing, usual))
    speed = everyone[numbers]
    donors = {True: rhythm_draws.all_donors(typing, speed)}
    donors[False] = rhythm_draws.all_donors(replace(typing, key=common), speed)
    return Material(
        typing=typing, common=common, speed=speed, everyone=everyone, numbers=numbers, donors=donors,
        as_before=as_before,
    )  # fmt: skip


def draw_keys(
    source: Material, keys: KeySetting, chance: np.random.Generator, held: Lots | None = None
) -> ReleaseDraft:
    """The keys of a draw at the original times: enough for attacks that look at keys alone.

    `held` are the lots that all versions of a release share; without them they are drawn as well.
    """
    typing = source.typing
    if keys.as_typed:
        every = np.arange(len(typing.key))
        return ReleaseDraft(row=every, giver=every, typing=typing)
    own = exchanged_sessions.sessions_of(typing.student, typing.session)
    held = held or lots.drawn(source.sessions, len(source.speed), chance)
    if keys.any_size:
        session, giver = exchanged_sessions.whole_sessions(typing.student, typing.session, held.session[:, 3])
    else:
        tries, chosen = chance.random((len(own.owner), exchanged_sessions.TRIES)), held.session[:, 0] < keys.exchanged
        session, giver = typing.session, exchanged_sessions.same_sizes(typing.student, typing.session, chosen, tries)
    place = np.arange(len(session)) - session_starts(session)[session]
    row = own.starts[session] + np.minimum(place, own.sizes[session] - 1)
    return ReleaseDraft(row=row, giver=giver, typing=_placed(source, session, row, giver))


def draw(source: Material, setting: Setting, chance: np.random.Generator, held: Lots | None = None) -> ReleaseDraft:
    """One release drawn by the setting; sessions keep the ratio of their lengths unless their sizes change."""
    held = held or lots.drawn(source.sessions, len(source.speed), chance)
    draft = draw_keys(source, setting.keys, chance, held)
    typing, donors, speeds = draft.typing, source.donors[setting.keys.as_typed], source.speeds(setting.classes)
    owner = typing.student[session_starts(typing.session)[:-1]]
    classes = rhythm_draws.session_classes(speeds.own, owner, setting.stray, held.session[:, 1:], speeds.everyone)
    slower = speeds.slower[classes]
    latency, hold = rhythm_draws.drawn(typing, donors, slower, held.student, chance.random(len(typing.student)))
    latency = rhythm_draws.at_drawn_speed(typing.session, latency, slower)
    if not setting.keys.any_size:
        latency = length_classes.held(typing, latency, slower, length_classes.log_pace(typing.session, latency))
    return replace(draft, typing=replace(typing, latency=latency, hold=hold))


def _placed(source: Material, session: Array, row: Array, giver: Array) -> TypedEvents:
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
