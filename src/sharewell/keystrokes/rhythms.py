"""k-anonymous rhythms: every time is replaced by one drawn from a group of similar typists, or from everyone.

Typists are put into groups of equal size by their mean latency. Each event takes the hold time of its key and the
time to the next key from a donor event of the same two keys in the same group, so that within a group nothing but
chance tells two typists apart, and pauses come from the group as well. A pair of keys that fewer than k of the
group typed borrows from all pairs of the same kinds of keys, and in the end from all pairs of the group. A share of
the events, `mix`, takes its donor from all typists instead: that blurs which group a typist belongs to.

Draws are stratified: a typist's m events of a pair take one donor from each m-th part of the group's times, in random
order. The average over a group is kept, and chance moves nobody far from it.
"""

from dataclasses import replace

import numpy as np

from sharewell.keystrokes.keygroups import KEY_KINDS
from sharewell.keystrokes.typing import Array, Typing

LEAST_TYPISTS = 5  # a pool of fewer would be nearly one person's own times


def speed_groups(speed: Array, groups: int) -> Array:
    """The group of each typist: equal sizes, by speed; equal speeds keep their order."""
    place = np.empty(len(speed), dtype=np.int64)
    place[np.argsort(speed, kind="stable")] = np.arange(len(speed))
    return place * groups // len(speed)


def blend(typing: Typing, group: Array, mix: float, generator: np.random.Generator) -> tuple[Array, Array]:
    """New latencies and hold times for all events: from the student's group, a share of `mix` from everyone."""
    latency, hold = redraw(typing, generator)
    if mix < 1:
        kept = np.flatnonzero(generator.random(len(typing.key)) >= mix)
        near = _within_groups(typing, group, generator)
        latency[kept], hold[kept] = near[0][kept], near[1][kept]
    return latency, hold


def _within_groups(typing: Typing, group: Array, generator: np.random.Generator) -> tuple[Array, Array]:
    latency, hold = np.empty(len(typing.key)), np.empty(len(typing.key))
    for number in np.unique(group):
        members = np.flatnonzero(group[typing.student] == number)
        latency[members], hold[members] = redraw(_part(typing, members), generator)
    return latency, hold


def _part(typing: Typing, rows: Array) -> Typing:
    """The events in the given rows, which hold whole sessions."""
    arrays = {name: getattr(typing, name)[rows] for name in ("student", "session", "key", "latency", "hold")}
    return replace(typing, **arrays)


def redraw(typing: Typing, generator: np.random.Generator, *, least: int = LEAST_TYPISTS) -> tuple[Array, Array]:
    """New latencies and hold times for the events of one group."""
    pools = _pools(typing)
    level = _level(typing, pools, least)
    donor = np.empty(len(typing.key), dtype=np.int64)
    for depth, pool in enumerate(pools):
        taking = np.flatnonzero(level == depth)
        if len(taking):
            donor[taking] = _donors(typing, pool, taking, generator)
    return typing.latency[donor], typing.hold[donor]


def _pools(typing: Typing) -> list[Array]:
    """From narrow to wide: the same two keys, the same two kinds of keys, anything (ends of sessions stay apart)."""
    ends = np.isnan(typing.latency)
    kinds = np.append(typing.kinds, len(KEY_KINDS))
    first, second = kinds[typing.key], kinds[typing.next_key]
    return [
        typing.key * (len(typing.kinds) + 1) + typing.next_key,
        first * (len(KEY_KINDS) + 1) + second,
        ends.astype(np.int64),
    ]


def _level(typing: Typing, pools: list[Array], least: int) -> Array:
    """The narrowest pool of each event that enough typists fed."""
    level = np.full(len(typing.key), len(pools) - 1)
    for depth in range(len(pools) - 2, -1, -1):
        level[_typists(typing.student, pools[depth]) >= least] = depth
    return level


def _typists(student: Array, pool: Array) -> Array:
    """How many typists fed the pool of each event."""
    _, code = np.unique(pool, return_inverse=True)
    pairs = np.unique(code.astype(np.int64) * (student.max() + 1) + student)
    return np.bincount(pairs // (student.max() + 1))[code]


def _donors(typing: Typing, pool: Array, taking: Array, generator: np.random.Generator) -> Array:
    """A donor for each taking event: its place among the pool's times is stratified within its typist."""
    order = np.lexsort((typing.hold, typing.latency, pool))
    names, start, size = np.unique(pool[order], return_index=True, return_counts=True)
    place = np.searchsorted(names, pool[taking])
    share = _stratified(typing.student[taking] * (place.max() + 1) + place, generator)
    return order[start[place] + (share * size[place]).astype(np.int64)]


def _stratified(owner: Array, generator: np.random.Generator) -> Array:
    """Numbers in [0, 1): of the m entries of one owner one falls into each m-th part, in random order."""
    order = np.lexsort((generator.random(len(owner)), owner))
    _, start, size = np.unique(owner[order], return_index=True, return_counts=True)
    rank = np.arange(len(owner)) - np.repeat(start, size)
    share = np.empty(len(owner))
    share[order] = (rank + generator.random(len(owner))) / np.repeat(size, size)
    return np.minimum(share, np.nextafter(1.0, 0.0))
