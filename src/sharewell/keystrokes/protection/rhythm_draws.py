"""k-anonymous rhythms: every time is replaced by one drawn from a group of similar typists, or from everyone.

Typists are put into groups of equal size by their mean latency. Each event takes the hold time of its key and the
time to the next key from a donor event of the same two keys in the same group, so that within a group nothing but
chance tells two typists apart, and pauses come from the group as well. A pair of keys that fewer than k of the
group typed borrows from all pairs of the same kinds of keys, and in the end from all pairs of the group. A share of
the events, `mix`, takes its donor from all typists instead: that blurs which group a typist belongs to.

Keyed are stratified: a typist's m events of a pair take one donor from each m-th part of the group's times, in random
order. The average over a group is kept, and chance moves nobody far from it. The sessions that attacks are tried with
and those they are tried on are drawn apart, as two releases would be: drawn together, one would be the complement of
the other, and would look safer than it is.
"""

from dataclasses import dataclass

import numpy as np
from numba import njit

from sharewell.keystrokes.arrays import Array, Typing, numbered
from sharewell.keystrokes.keygroups import KEY_KINDS

LEAST_TYPISTS = 5  # a pool of fewer would be nearly one person's own times


def speed_groups(speed: Array, groups: int) -> Array:
    """The group of each typist: equal sizes, by speed; equal speeds keep their order."""
    place = np.empty(len(speed), dtype=np.int64)
    place[np.argsort(speed, kind="stable")] = np.arange(len(speed))
    return place * groups // len(speed)


@dataclass(frozen=True, kw_only=True)
class Donors:
    """Where every event may take its times from: a stretch of a list of events sorted by time."""

    events: Array  # positions of donor events, pool after pool, by latency within a pool
    start: Array  # of each event's pool
    size: Array
    by_owner: Array  # events sorted by typist and pool: draws are stratified within these
    owner_start: Array  # where each owner's events begin there, and the end


def all_donors(typing: Typing, group: Array, part: Array) -> tuple[Donors, Donors]:
    """Donors among everyone, and donors within each group; events of each part are drawn by themselves."""
    everyone = np.zeros(len(typing.key), dtype=np.int64)
    return _donors(typing, everyone, part), _donors(typing, group[typing.student], part)


def blend(
    typing: Typing, donors: tuple[Donors, Donors], mix: float, generator: np.random.Generator
) -> tuple[Array, Array]:
    """New latencies and hold times for all events: from the student's group, a share of `mix` from everyone."""
    everyone, near = (_drawn(one, generator) for one in donors)
    chosen = np.where(generator.random(len(everyone)) < mix, everyone, near)
    return typing.latency[chosen], typing.hold[chosen]


def _drawn(donors: Donors, generator: np.random.Generator) -> Array:
    share = _stratified(donors.by_owner, donors.owner_start, generator.random((2, len(donors.start))))
    return donors.events[donors.start + (share * donors.size).astype(np.int64)]


def _donors(typing: Typing, group: Array, part: Array) -> Donors:
    """Every event with the narrowest pool of its group that enough typists fed."""
    pools = [numbered(group * (pool.max() + 1) + pool)[1] for pool in _pools(typing)]
    enough = [_typists(typing.student, pool) >= LEAST_TYPISTS for pool in pools[:-1]]
    level = np.select(enough, list(range(len(enough))), default=len(enough))
    start, size = np.zeros(len(group), dtype=np.int64), np.zeros(len(group), dtype=np.int64)
    owner, lists, by_time = np.zeros(len(group), dtype=np.int64), [], np.argsort(typing.latency, kind="stable")
    for depth, pool in enumerate(pools):
        taking = level == depth
        lists.append(by_time[np.argsort(pool[by_time], kind="stable")])
        first = np.concatenate([[0], np.cumsum(np.bincount(pool))])
        start[taking] = depth * len(group) + first[pool[taking]]
        size[taking] = np.diff(first)[pool[taking]]
        owner[taking] = (pool[taking] * len(pools) + depth) * (typing.student.max() + 1) + typing.student[taking]
    owner = numbered(2 * owner + part)[1]
    return Donors(
        events=np.concatenate(lists),
        start=start,
        size=size,
        by_owner=np.argsort(owner, kind="stable"),
        owner_start=np.concatenate([[0], np.cumsum(np.bincount(owner))]),
    )


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


def _typists(student: Array, pool: Array) -> Array:
    """How many typists fed the pool of each event."""
    pairs, _ = numbered(pool * (student.max() + 1) + student)
    return np.bincount(pairs // (student.max() + 1))[pool]


@njit(cache=True)
def _stratified(by_owner: Array, owner_start: Array, chance: Array) -> Array:  # pragma: no cover — compiled
    """Numbers in [0, 1): of the m events of one owner one falls into each m-th part, in random order."""
    share = np.empty(len(by_owner))
    for owner in range(len(owner_start) - 1):
        first, size = owner_start[owner], owner_start[owner + 1] - owner_start[owner]
        parts = np.arange(size)
        for place in range(size - 1, 0, -1):  # Fisher–Yates
            other = int(chance[0, first + place] * (place + 1))
            parts[place], parts[other] = parts[other], parts[place]
        for place in range(size):
            number = (parts[place] + chance[1, first + place]) / size
            share[by_owner[first + place]] = min(number, 1.0 - 1e-12)
    return share
