"""What an analyst can still learn: speed, pauses, and the latencies of the seven groups of digraphs."""

from dataclasses import dataclass

import numpy as np

from sharewell.contract import Measure, Utility
from sharewell.keystrokes.arrays import Array, session_lengths, session_starts
from sharewell.keystrokes.eventlog import Events
from sharewell.keystrokes.keygroups import GROUPS, digraph_groups
from sharewell.keystrokes.kind import BREAKS, PAUSES, SESSION_LENGTHS, SPEED, group_differences, group_latency
from sharewell.keystrokes.latencies import LONGEST_MS, SHORTEST_MS
from sharewell.stats.correlation import fisher_interval, pearson

PAUSE_MS, BREAK_MS = 10_000.0, 240_000.0  # Leppänen et al. 2016: over ten seconds, over four minutes


@dataclass(frozen=True, kw_only=True)
class Habits:
    """Per student: mean latency in ms, pauses and breaks per 1,000 keys, mean latency by group of digraphs."""

    speed: Array
    pauses: Array
    breaks: Array
    groups: Array  # students × seven groups, NaN where a student has none
    keys: Array
    lengths: Array  # of sessions, in ms


def habits(events: Events) -> Habits:
    typing, size = events.typing, len(events.students)
    rhythm = (typing.latency >= SHORTEST_MS) & (typing.latency <= LONGEST_MS)
    kinds = np.append(typing.kinds, 0)
    group = digraph_groups(kinds[typing.key], kinds[typing.next_key])
    keys = np.bincount(typing.student, minlength=size)
    return Habits(
        speed=mean_latency(typing.student, typing.latency, size),
        pauses=1000 * np.bincount(typing.student[typing.latency > PAUSE_MS], minlength=size) / keys,
        breaks=1000 * np.bincount(typing.student[typing.latency > BREAK_MS], minlength=size) / keys,
        groups=np.stack(
            [_group_mean(typing.student, typing.latency, rhythm & (group == one), size) for one in range(len(GROUPS))],
            axis=1,
        ),
        keys=keys,
        lengths=session_lengths(session_starts(typing.session), typing.latency),
    )


def mean_latency(student: Array, latency: Array, size: int) -> Array:
    """Every student's mean latency between 10 and 750 ms; a student without one takes the mean of all.

    Where nobody has one all are taken to be alike.
    """
    return with_everyone_s_mean(own_latency(student, latency, size))


def own_latency(student: Array, latency: Array, size: int) -> Array:
    """The same, and nothing for a student without one."""
    return _group_mean(student, latency, (latency >= SHORTEST_MS) & (latency <= LONGEST_MS), size)


def with_everyone_s_mean(means: Array) -> Array:
    if np.isnan(means).all():
        return np.full(len(means), LONGEST_MS)
    return np.where(np.isnan(means), np.nanmean(means), means)


def compare(before: Habits, after: Habits) -> list[Utility]:
    """How much of each is kept, over the students."""
    results = [_kept(SPEED, before.speed, after.speed, "Correlation of students' mean latencies.")]
    logs = [np.log(np.maximum(one.lengths, 1.0)) for one in (before, after)]
    results.append(_kept(SESSION_LENGTHS, logs[0], logs[1], "Correlation of the logarithms of sessions' lengths."))
    for measure, old, new, words in (
        (PAUSES, before.pauses, after.pauses, "How often students stop to think."),
        (BREAKS, before.breaks, after.breaks, "How often students leave off."),
    ):
        baseline = float(np.average(old, weights=before.keys))
        value = float(np.average(new, weights=after.keys))
        results.append(Utility(measure=measure, value=value, baseline=baseline, n=len(old), story=words))
    for index, group in enumerate(GROUPS):
        results += _group(group, before.groups[:, index], after.groups[:, index])
    return results


def _kept(measure: Measure, before: Array, after: Array, story: str) -> Utility:
    value = pearson(before, after)
    low, high = fisher_interval(value, len(before))
    return Utility(measure=measure, value=value, low=low, high=high, baseline=1.0, n=len(before), story=story)


def _group(name: str, before: Array, after: Array) -> list[Utility]:
    both = ~np.isnan(before) & ~np.isnan(after)
    if both.sum() < 3:
        return []
    mean = Utility(
        measure=group_latency(name),
        value=float(after[both].mean()),
        baseline=float(before[both].mean()),
        n=int(both.sum()),
        story=f"{name.capitalize()} pairs of keys in ms (Thomas et al. 2005), over all students who typed them.",
    )
    story = f"Correlation over students: whether those slow at {name} pairs are still told from those fast at them."
    return [mean, _kept(group_differences(name), before[both], after[both], story)]


def _group_mean(student: Array, latency: Array, rows: Array, size: int) -> Array:
    count = np.bincount(student[rows], minlength=size)
    total = np.bincount(student[rows], latency[rows], size)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)
