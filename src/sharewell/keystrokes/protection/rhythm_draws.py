"""Rhythms of everyone, at the speed of a class: little more than one number is left of how someone types.

Every event takes the time to the next key and the hold time of its key from a donor event of the same two keys, drawn
among all typists alike; a pair of keys that fewer than five of them typed borrows from all pairs of the same kinds of
keys, and in the end from all pairs. Pauses are taken as they are. In all kinds of pairs but one the donor's own speed
is taken out and that of a class of students put in: the student's own class, or in a share of the sessions a class
drawn by lot.

Digits, where they are rare, would keep nothing that way. There a part of each student's own deviation stays, beside
noise that belongs to the student and is the same in all versions of a release: however many of them somebody averages,
the deviation explains no more than two sevenths of it (noise of single times alone would come out: someone who
knows the deviations found .056 of 200 typists within ten by one version and .133 by twenty). Were it kept in all rare
kinds (signs, arrows) someone who knows how fast a student is in each kind would find .125 of 200 typists within ten
where .10 is the limit.
"""

from dataclasses import dataclass

import numpy as np

from sharewell.keystrokes.arrays import Array, TypedEvents, numbered, session_starts
from sharewell.keystrokes.keygroups import GROUPS, KEY_KINDS, NUMERIC, digraph_groups
from sharewell.keystrokes.latencies import LONGEST_MS, SHORTEST_MS

LEAST_TYPISTS = 5  # a pool of fewer would be nearly one person's own times
MAIN_SHARE = 0.01  # of all rhythm: digits that are rarer keep a deviation instead of the speed of a class
OWN_PART = 0.4  # signal to noise in rare digits over any number of versions: two sevenths of the variance
STAYS = 1.0  # variance of the noise of a student, in that which single times leave in a mean
LLOYD_ROUNDS = 50
STEEPEST = 1.5  # of a kind of pair against speed


@dataclass(frozen=True, kw_only=True)
class Pool:
    """Events by what they may stand in for: `events` in the order of their codes, `codes` distinct and sorted."""

    events: Array
    codes: Array
    start: Array
    size: Array


@dataclass(frozen=True, kw_only=True)
class Donors:
    """What everyone's events offer: times with the speed of their typists taken out, from narrow pools to wide ones."""

    pools: tuple[Pool, ...]
    latency: Array
    hold: Array
    slope: Array  # of each group of digraphs against log speed; zero for one that keeps deviations
    deviation: Array  # students × groups: what is left of the own log latency in that one
    stays: Array  # of each group: how much the noise varies that stays with a student


def speed_classes(speed: Array, classes: int) -> tuple[Array, Array]:
    """The class of every student by mean latency, and how much slower than the mean each class is, as a logarithm.

    Someone who knows a speed exactly learns the class from a release and no more, so that a list of w finds w·classes
    of all students, whatever the sizes of classes; draws of speeds around each one's own would tell more for the same
    correlation. Classes are those with the least variance inside (Lloyd 1982), which keep most of the differences, but
    none is smaller than half an even share: in a class of n a student is on a list of w with w/n.
    """
    order = np.argsort(speed, kind="stable")
    first = _least_variance(speed[order], classes, least=len(speed) // (2 * classes))
    own = np.empty(len(speed), dtype=np.int64)
    own[order] = np.searchsorted(first, np.arange(len(speed)), side="right") - 1
    mean = np.bincount(own, speed, classes) / np.bincount(own, minlength=classes)
    return own, np.log(mean) - np.log(speed).mean()


def _least_variance(ascending: Array, classes: int, least: int) -> Array:
    """Where classes of at least so many begin that have the least variance inside."""
    size, total = len(ascending), np.concatenate([[0.0], np.cumsum(ascending)])
    lowest, highest = np.arange(classes) * least, size - (classes - np.arange(classes)) * least
    centre = np.quantile(ascending, (np.arange(classes) + 0.5) / classes)
    for _ in range(LLOYD_ROUNDS):
        first = np.searchsorted(ascending, np.concatenate([[-np.inf], (centre[1:] + centre[:-1]) / 2]))
        first = np.maximum.accumulate(first - lowest).clip(0) + lowest  # none smaller than the least, from below
        first = np.minimum(first, highest)
        end = np.append(first[1:], size)
        centre = (total[end] - total[first]) / (end - first)
    return np.asarray(first)


def session_classes(own: Array, sessions: Array, stray: float, lots: Array, everyone: Array) -> Array:
    """The class that every session is typed at: its student's, or with the chance `stray` that of anybody, by lot.

    `sessions` says whose each one is, `lots` holds two numbers in [0, 1) for each, and `everyone` are the classes of
    all students. A lot hides a class better than a blur that costs as much: sessions that move a little within their
    class tell as much as before.
    """
    other = np.sort(everyone)[(lots[:, 1] * len(everyone)).astype(np.int64)]  # sorted: the same when somebody left
    return np.where(lots[:, 0] < stray, other, own[sessions])


def at_drawn_speed(session: Array, latency: Array, slower: Array) -> Array:
    """Latencies stretched so that the mean of every session is that of its draw, whatever was typed in it.

    Nothing ties the sessions of one student together but the class: were they to make up for each other, so that the
    mean over all of them is that of the class, half of them would tell what the other half must be.
    """
    rhythm = (latency >= SHORTEST_MS) & (latency <= LONGEST_MS)
    number = np.bincount(session[rhythm], minlength=len(slower))
    mean = np.bincount(session[rhythm], latency[rhythm], len(slower)) / np.maximum(number, 1)
    typed = number > 0
    level = float((np.log(mean[typed]) - slower[typed]).mean()) if typed.any() else 0.0
    stretch = np.where(typed, np.exp(level + slower) / np.maximum(mean, SHORTEST_MS), 1.0)
    return np.where(rhythm, latency * stretch[session], latency)


def all_donors(typing: TypedEvents, speed: Array) -> Donors:
    """Everyone's events as donors; `speed` is the mean latency of each student."""
    logs = np.log(speed) - np.log(speed).mean()
    group = _groups(typing)
    rhythm = (typing.latency >= SHORTEST_MS) & (typing.latency <= LONGEST_MS)
    table = _log_table(*_rhythm(typing), len(logs))
    keeps = _keeps_own(table)
    deviation, stays = _small_deviations(table)
    slope = np.where(keeps, 0.0, _slopes(table, logs))
    own = np.exp(-slope[group] * logs[typing.student])
    return Donors(
        pools=tuple(_pool(typing.student, codes(typing), least) for codes, least in _CODES),
        latency=np.where(rhythm, typing.latency * own, typing.latency),
        hold=typing.hold,
        slope=slope,
        deviation=np.where(keeps, deviation, 0.0),
        stays=np.where(keeps, stays, 0.0),
    )


def drawn(typing: TypedEvents, donors: Donors, slower: Array, noise: Array, chance: Array) -> tuple[Array, Array]:
    """Latencies and hold times for all events of a typing; `slower` is the log speed of each session.

    `noise` is a normal number for each student, `chance` one in [0, 1) for each event.
    """
    donor = _drawn_donors(typing, donors, chance)
    latency, owner = donors.latency[donor], typing.student[session_starts(typing.session)[:-1]]
    own = donors.deviation + donors.stays * noise[:, None]
    factor = np.exp(donors.slope * slower[:, None] + own[owner]).ravel()  # of every session and group of digraphs
    factors = factor[typing.session * len(GROUPS) + _groups(typing)]
    return np.where(latency <= LONGEST_MS, latency * factors, latency), donors.hold[donor]


def _same_keys(typing: TypedEvents) -> Array:
    return np.asarray(typing.key * (len(typing.kinds) + 1) + typing.next_key)


def _same_kinds(typing: TypedEvents) -> Array:
    kinds = np.append(typing.kinds, len(KEY_KINDS))
    return np.asarray(kinds[typing.key] * (len(KEY_KINDS) + 1) + kinds[typing.next_key])


def _anything(typing: TypedEvents) -> Array:
    return np.isnan(typing.latency).astype(np.int64)  # ends of sessions stay apart


_CODES = ((_same_keys, LEAST_TYPISTS), (_same_kinds, LEAST_TYPISTS), (_anything, 0))  # from narrow to wide


def _pool(student: Array, codes: Array, least: int) -> Pool:
    """Events by code, without the codes that fewer than `least` typists have."""
    names, place = numbered(codes)
    people = int(student.max()) + 1
    typists = np.bincount(numbered(place * people + student)[0] // people, minlength=len(names))
    order = np.argsort(place, kind="stable")
    sizes = np.bincount(place, minlength=len(names))
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    enough = typists >= least
    return Pool(events=order, codes=names[enough], start=starts[enough], size=sizes[enough])


def _drawn_donors(typing: TypedEvents, donors: Donors, chance: Array) -> Array:
    """For every event a donor from the narrowest pool that there is for it."""
    result, left = np.empty(len(typing.key), dtype=np.int64), np.arange(len(typing.key))
    for pool, (codes_of, _) in zip(donors.pools, _CODES, strict=True):
        if len(pool.codes) == 0 or len(left) == 0:
            continue
        codes = codes_of(typing)[left]
        place = np.minimum(np.searchsorted(pool.codes, codes), len(pool.codes) - 1)
        fits = pool.codes[place] == codes
        some, there = place[fits], left[fits]
        result[there] = pool.events[pool.start[some] + (chance[there] * pool.size[some]).astype(np.int64)]
        left = left[~fits]
    return result


def _groups(typing: TypedEvents) -> Array:
    kinds = np.append(typing.kinds, 0)
    return digraph_groups(kinds[typing.key], kinds[typing.next_key])


@dataclass(frozen=True, kw_only=True)
class _LogTable:
    """Students × groups of digraphs: how many latencies, the mean of their logarithms; per group their variance."""

    count: Array
    mean: Array
    spread: Array


def _rhythm(typing: TypedEvents) -> tuple[Array, Array, Array]:
    """Whose, of which group and how long: latencies that are no pauses."""
    rhythm = (typing.latency >= SHORTEST_MS) & (typing.latency <= LONGEST_MS)
    return typing.student[rhythm], _groups(typing)[rhythm], typing.latency[rhythm]


def _log_table(student: Array, group: Array, latency: Array, students: int) -> _LogTable:
    groups, logs = len(GROUPS), np.log(latency)
    cell = student * groups + group
    count = np.bincount(cell, minlength=students * groups).astype(float)
    mean = np.bincount(cell, logs, students * groups) / np.maximum(count, 1)
    number = np.maximum(np.bincount(group, minlength=groups), 1)
    centre = np.bincount(group, logs, groups) / number
    spread = np.bincount(group, (logs - centre[group]) ** 2, groups) / number
    shape = (students, groups)
    return _LogTable(count=count.reshape(shape), mean=mean.reshape(shape), spread=spread)


def _keeps_own(table: _LogTable) -> Array:
    """Whether a group keeps a part of each student's own deviation: digits, where they are rare."""
    total = table.count.sum(axis=0)
    return np.asarray((np.arange(len(GROUPS)) == NUMERIC) & (total < MAIN_SHARE * max(total.sum(), 1.0)))


def _slopes(table: _LogTable, logs: Array) -> Array:
    """Per group the slope of students' mean log latencies against their log speed, weighed by how many there are."""
    weight = np.maximum(table.count.sum(axis=0), 1)
    x = logs[:, None] - (table.count * logs[:, None]).sum(axis=0) / weight
    y = table.mean - (table.count * table.mean).sum(axis=0) / weight
    slope = (table.count * x * y).sum(axis=0) / np.maximum((table.count * x * x).sum(axis=0), 1e-12)
    return np.asarray(np.clip(slope, 0.0, STEEPEST))


def _small_deviations(table: _LogTable) -> tuple[Array, Array]:
    """Own deviations times λ, with λ² · var(deviation) = OWN_PART · var(noise), and how much the noise varies.

    The noise is STAYS times what single times leave in a student's mean, or less where λ would be over one.
    """
    has = table.count > 0
    people = np.maximum(has.sum(axis=0), 1)
    centre = (table.mean * has).sum(axis=0) / people
    deviation = np.where(has, table.mean - centre, 0.0)
    variance = np.maximum((deviation**2).sum(axis=0) / people, 1e-12)
    number = np.maximum(table.count.sum(axis=0) / people, 1.0)
    part = np.minimum(np.sqrt(OWN_PART * STAYS * table.spread / (number * variance)), 1.0)
    limit = 2 * np.sqrt(variance)  # nobody stands out by a deviation that hardly anyone has
    return part * np.clip(deviation, -limit, limit), part * np.sqrt(variance / OWN_PART)
