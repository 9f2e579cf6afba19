"""One draw of a release: keys first, then times for them."""

from dataclasses import dataclass, replace

import numpy as np

from sharewell.keystrokes.arrays import Array, Typing, session_starts
from sharewell.keystrokes.protection import key_exchange, length_classes, rhythm_draws, session_sizes
from sharewell.keystrokes.protection.own_words import shapes_of_own_words
from sharewell.keystrokes.protection.rare_keys import with_class_keys, without_rare_keys
from sharewell.keystrokes.protection.rhythm_draws import Donors
from sharewell.keystrokes.utility.habits import mean_latency


@dataclass(frozen=True, kw_only=True)
class KeySetting:
    """What happens to keys: the share of sessions that take theirs from others, and how session sizes are cut.

    With neither, keys stay as they were typed; otherwise rare keys and own words become classes as well.
    """

    exchanged: float = 0.0
    size_factor: float = 1.0

    @property
    def as_typed(self) -> bool:
        return self.exchanged == 0 and self.size_factor == 1


@dataclass(frozen=True, kw_only=True)
class Setting:
    """One way to protect: what happens to keys, and how far speeds are blurred."""

    keys: KeySetting
    blur: float  # the variance of each session's draw of speed, in units of that over the students


@dataclass(frozen=True, kw_only=True)
class Material:
    """The original as every draw needs it."""

    typing: Typing  # with one key of every class among its keys
    common: Array  # the key of every event, rare keys and own words as classes
    speed: Array  # of each student
    donors: dict[bool, Donors]  # by whether keys stay as they were typed


@dataclass(frozen=True, kw_only=True)
class Draft:
    """A release as arrays: which events of the original stay, and their new keys and times."""

    kept: Array  # positions in the original typing
    giver: Array  # the position of the event that gave each its key
    typing: Typing


def material(typing: Typing, students: int) -> Material:
    typing, stands = with_class_keys(typing)
    speed = mean_latency(typing.student, typing.latency, students)
    common = shapes_of_own_words(typing, without_rare_keys(typing, stands), stands)
    donors = {True: rhythm_draws.all_donors(typing, speed)}
    donors[False] = rhythm_draws.all_donors(replace(typing, key=common), speed)
    return Material(typing=typing, common=common, speed=speed, donors=donors)


def draw_keys(source: Material, keys: KeySetting, generator: np.random.Generator) -> Draft:
    """The keys of a draw at the original times: enough for attacks that look at keys alone."""
    kept = np.flatnonzero(session_sizes.kept_events(source.typing.session, keys.size_factor))
    before = _shortened(source.typing, kept)
    if keys.as_typed:
        return Draft(kept=kept, giver=kept, typing=before)
    sizes = np.diff(session_starts(before.session))
    chosen = generator.random(len(sizes)) < keys.exchanged
    chance = generator.random((len(sizes), key_exchange.TRIES))
    giver = key_exchange.exchanged(source.typing.student, source.typing.session, sizes, chosen, chance)
    return Draft(kept=kept, giver=giver, typing=replace(before, key=source.common[giver]))


def draw(source: Material, setting: Setting, generator: np.random.Generator) -> Draft:
    """One release drawn by the setting."""
    draft = draw_keys(source, setting.keys, generator)
    typing, donors = draft.typing, source.donors[setting.keys.as_typed]
    owner = typing.student[session_starts(typing.session)[:-1]]
    places = rhythm_draws.blurred_places(source.speed, owner, setting.blur, generator)
    slower = rhythm_draws.log_speed(donors, places)
    latency, hold = rhythm_draws.drawn(typing, donors, slower, generator)
    return replace(draft, typing=replace(typing, latency=length_classes.held(typing, latency, slower), hold=hold))


def _shortened(typing: Typing, kept: Array) -> Typing:
    """The events that stay; the last of every session has no next."""
    session = typing.session[kept]
    latency = np.where(np.diff(session, append=-1) != 0, np.nan, typing.latency[kept])
    return replace(
        typing,
        student=typing.student[kept],
        session=session,
        key=typing.key[kept],
        latency=latency,
        hold=typing.hold[kept],
    )
