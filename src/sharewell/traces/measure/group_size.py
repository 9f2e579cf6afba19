"""Size effect: unicity against the number of students, over natural subgroups and over growing samples."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from ibis.expr.types import Table

from sharewell.contract import Count, Results, Risk
from sharewell.data import engine
from sharewell.plan.windows import parse
from sharewell.traces.attacks.draws import attacker
from sharewell.traces.events import Times, ready
from sharewell.traces.log import reduce
from sharewell.traces.measure.known_points import as_risks, singled_out

MOST_GROUPS = 50
SMALLEST = 5  # a smaller group would point at its members


def by_group(
    events: Any,
    *,
    student: str,
    at: str,
    group: str,
    window: str = "1min",
    also: Sequence[str] = (),
    known: int = 4,
    repeats: int = 10,
    seed: int = 0,
    dates: str | None = None,
) -> Results[Risk]:
    """Draw unicity within each course, class or language, the largest first.

    Figure 4 of Ito, Hsu and Ogata.

    Args:
        events: A frame, a table or a path.
        student: The column that tells whose event it is.
        at: The column of the times.
        group: The column of the course, class or language.
        window: How exactly a time is known.
        also: What else is known of an event.
        known: How many points are known.
        repeats: How often points are drawn for each student.
        seed: Seeds the draws.
        dates: The layout of text dates where it is ambiguous.

    Returns:
        One risk per group of at least five students.

    Example:
        >>> import pyarrow as pa
        >>> import sharewell as sw
        >>> names = ["a", "b", "c", "d", "e"]
        >>> log = pa.table({"user": names, "time": ["2024-03-04"] * 5, "course": ["latin"] * 5})
        >>> sw.traces.by_group(log, student="user", at="time", group="course", window="1d")[0].value
        0.0
    """
    table = ready(events, student=student, at=at, also=[*also, group], times=Times(layout=dates))
    risks: Results[Risk] = Results()
    for name, students in _groups(table, student, group):
        own = table.filter(table[group] == name)
        log = reduce(own, student=student, at=at, window=parse(window), also=also)
        alone = singled_out(log, attacker("random"), known=[known], repeats=repeats, seed=seed)
        found = as_risks(log, alone, attacker("random"), seed=seed)
        risks += [replace(risk, setting={**risk.setting, "group": name, "students": Count(students)}) for risk in found]
    return risks


def by_size(
    events: Any,
    *,
    student: str,
    at: str,
    window: str = "1min",
    also: Sequence[str] = (),
    known: int = 4,
    repeats: int = 10,
    seed: int = 0,
    steps: int = 6,
    dates: str | None = None,
) -> Results[Risk]:
    """Draw unicity within growing random samples of the students.

    Each is twice as large as the one before, up to everyone.

    Args:
        events: A frame, a table or a path.
        student: The column that tells whose event it is.
        at: The column of the times.
        window: How exactly a time is known.
        also: What else is known of an event.
        known: How many points are known.
        repeats: How often points are drawn for each student.
        seed: Seeds the samples and the draws.
        steps: How many sizes are tried.
        dates: The layout of text dates where it is ambiguous.

    Returns:
        One risk per size, the smallest first.

    Example:
        >>> import pyarrow as pa
        >>> import sharewell as sw
        >>> log = pa.table({"user": ["ann", "bob", "bob"], "time": ["2024-03-04", "2024-03-04", "2024-03-05"]})
        >>> [risk.value for risk in sw.traces.by_size(log, student="user", at="time", window="1d", known=2)]
        [0.5]
    """
    table = ready(events, student=student, at=at, also=also, times=Times(layout=dates), only_these=True)
    log = reduce(table, student=student, at=at, window=parse(window), also=also)
    generator, everyone = np.random.default_rng(seed), np.flatnonzero(log.lengths)
    sizes = sorted({max(2, len(everyone) >> step) for step in range(steps)})
    risks: Results[Risk] = Results()
    for size in sizes:
        chosen = np.zeros(log.students, np.bool_)
        chosen[generator.choice(everyone, size, replace=False)] = True
        part = log.subset(chosen[log.owners])
        alone = singled_out(part, attacker("random"), known=[known], repeats=repeats, seed=seed)
        found = as_risks(part, alone, attacker("random"), seed=seed)
        risks += [replace(risk, chance=1 / size, setting={**risk.setting, "students": Count(size)}) for risk in found]
    return risks


def _groups(table: Table, student: str, group: str) -> list[tuple[Any, int]]:
    counted = table.filter(table[group].notnull()).group_by(group).agg(students=table[student].nunique())
    large = counted.filter(counted.students >= SMALLEST)
    rows = engine.arrow(large.order_by([large.students.desc(), group]).limit(MOST_GROUPS)).to_pylist()
    return [(row[group], row["students"]) for row in rows]
