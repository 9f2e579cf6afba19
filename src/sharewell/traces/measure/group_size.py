"""Size effect: unicity against the number of students, over natural subgroups and over growing samples."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from ibis.expr.types import Table

from sharewell.contract import Results, Risk
from sharewell.data import engine
from sharewell.traces.measure.attackers import attacker
from sharewell.traces.events import ready
from sharewell.traces.log import reduce
from sharewell.traces.measure.known_points import as_risks, measure
from sharewell.traces.windows import parse

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
    """Unicity within each course, class or language, the largest first (figure 4 of Ito, Hsu and Ogata)."""
    table = ready(events, student=student, at=at, also=[*also, group], layout=dates)
    risks: Results[Risk] = Results()
    for name, students in _groups(table, student, group):
        own = table.filter(table[group] == name)
        log = reduce(own, student=student, at=at, window=parse(window), also=also)
        alone = measure(log, attacker("random"), known=[known], repeats=repeats, seed=seed)
        found = as_risks(log, alone, attacker("random"), seed=seed)
        risks += [replace(risk, setting={**risk.setting, "group": name, "students": students}) for risk in found]
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
    """Unicity within random samples of the students, each twice as large as the one before, up to everyone."""
    table = ready(events, student=student, at=at, also=also, layout=dates, only_these=True)
    log = reduce(table, student=student, at=at, window=parse(window), also=also)
    generator, everyone = np.random.default_rng(seed), np.flatnonzero(log.lengths)
    sizes = sorted({max(2, len(everyone) >> step) for step in range(steps)})
    risks: Results[Risk] = Results()
    for size in sizes:
        chosen = np.zeros(log.students, np.bool_)
        chosen[generator.choice(everyone, size, replace=False)] = True
        part = log.subset(chosen[log.owners])
        alone = measure(part, attacker("random"), known=[known], repeats=repeats, seed=seed)
        found = as_risks(part, alone, attacker("random"), seed=seed)
        risks += [replace(risk, chance=1 / size, setting={**risk.setting, "students": size}) for risk in found]
    return risks


def _groups(table: Table, student: str, group: str) -> list[tuple[Any, int]]:
    counted = table.filter(table[group].notnull()).group_by(group).agg(students=table[student].nunique())
    large = counted.filter(counted.students >= SMALLEST)
    rows = engine.arrow(large.order_by([large.students.desc(), group]).limit(MOST_GROUPS)).to_pylist()
    return [(row[group], row["students"]) for row in rows]
