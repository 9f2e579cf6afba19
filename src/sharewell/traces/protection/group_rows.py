"""The rows that all members of a group leave with: the pool of their events, thinned to the mean of a member.

A window is shown only if a quarter of the members, and never fewer than two, were active in it, and a combination of
values only if as many used it. What is left of the pool stands in the order of time and values; every n-th event of it
(n members, a start that only the key tells) is released, once for each member. So totals per window and per value are
kept to a rounding, and no row says which member it came from.
"""

from dataclasses import dataclass

import numpy as np

from sharewell.traces.arrays import Array
from sharewell.traces.log import Log


def shared_by(k: int) -> int:
    """How many members must have a window, and use a combination, for it to be shown."""
    return max(2, -(-k // 4))


@dataclass(frozen=True, kw_only=True)
class GroupRows:
    """For each group and point that is shown: how many rows of it every member gets."""

    group: Array  # of every student
    groups: Array
    points: Array
    rows: Array
    shared_by: int  # so many members have whatever is shown

    @property
    def sizes(self) -> Array:
        return np.bincount(self.group[self.group >= 0], minlength=int(self.group.max(initial=-1)) + 1)

    @property
    def total(self) -> int:
        """Rows in the release."""
        return int((self.rows * self.sizes[self.groups]).sum()) if len(self.rows) else 0


def thinned(log: Log, group: Array, k: int, generator: np.random.Generator) -> GroupRows:
    """What every group of k or more shows of the log."""
    needed = shared_by(k)
    pairs = _shown(log, group, needed)
    owners, points = group[log.owners[pairs]], log.points[pairs].astype(np.int64)
    keys, place = np.unique(owners * len(log.keys) + points, return_inverse=True)
    events = np.bincount(place, weights=log.events[pairs], minlength=len(keys))
    groups, points = np.divmod(keys, max(1, len(log.keys)))
    sizes = np.bincount(group[group >= 0], minlength=int(group.max(initial=-1)) + 1)
    rows = _every_nth(events / sizes[groups], groups, generator.random(len(sizes)))
    kept = rows > 0
    return GroupRows(group=group, groups=groups[kept], points=points[kept], rows=rows[kept], shared_by=needed)


def _shown(log: Log, group: Array, needed: int) -> Array:
    """The pairs whose combination and window as many members of their group share."""
    windows, values = np.divmod(log.keys[log.points], log.combinations_count)
    in_group = group[log.owners] >= 0
    used = in_group & (_members(log, group, values, in_group) >= needed)
    return used & (_members(log, group, windows - windows.min(initial=0), used) >= needed)


def _members(log: Log, group: Array, what: Array, counted: Array) -> Array:
    """For every pair: how many members of the student's group have the same value, among the counted pairs."""
    many, students = int(what.max(initial=0)) + 1, log.students
    keys = group[log.owners] * many + what
    distinct = np.unique(keys[counted] * students + log.owners[counted]) // students
    own, members = np.unique(distinct, return_counts=True)
    if not len(own):
        return np.zeros(len(keys), np.int64)
    place = np.minimum(np.searchsorted(own, keys), len(own) - 1)
    return np.where(own[place] == keys, members[place], 0)


def _every_nth(share: Array, groups: Array, starts: Array) -> Array:
    """Whole rows out of mean numbers, in order, so that sums over any stretch are off by less than one."""
    ends = np.cumsum(share)
    first = np.searchsorted(groups, groups)  # where each group begins
    before = np.where(first > 0, ends[first - 1], 0.0)
    until = np.floor(ends - before + starts[groups] + 1e-9)
    since = np.floor(ends - share - before + starts[groups] + 1e-9)
    return np.asarray((until - since).astype(np.int64))


def own_events(log: Log, shown: GroupRows) -> float:
    """The share of the events that stand in their own student's released rows."""
    keys = shown.groups * len(log.keys) + shown.points
    wanted = shown.group[log.owners] * len(log.keys) + log.points
    if not len(keys):
        return 0.0
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    rows = np.where(keys[place] == wanted, shown.rows[place], 0)
    return float(np.minimum(rows, log.events).sum() / log.events.sum())
