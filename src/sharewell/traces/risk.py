"""The risk of a log as it stands: shares over all students, and for each of them."""

from collections.abc import Sequence
from typing import Any, Literal

import pyarrow as pa

from sharewell.contract import Results, Risk
from sharewell.errors import InputError
from sharewell.plan.windows import parse
from sharewell.traces.attacks.draws import Attacker
from sharewell.traces.attacks.draws import attacker as attacker_named
from sharewell.traces.events import Times, ready
from sharewell.traces.log import reduce
from sharewell.traces.measure.known_points import as_risks, singled_out


def unicity(
    events: Any,
    *,
    student: str,
    at: str,
    window: str = "1min",
    also: Sequence[str] = (),
    attacker: str = "random",
    known: Sequence[int] = (1, 2, 4, 8),
    sample: int | None = None,
    repeats: int = 10,
    seed: int = 0,
    exact: bool = False,
    points: Literal["distinct", "events"] = "distinct",
    dates: str | None = None,
    timezone: str | None = None,
) -> Results[Risk]:
    """Measure the share of students whom known points single out.

    Args:
        events: A frame, a table or a path.
        student: The column that tells whose event it is.
        at: The column of the times.
        window: How exactly a time is known.
        also: What else is known of an event.
        attacker: Who draws the points: "random", "rare", "classmate", "consecutive", "worst".
        known: How many points are known, one risk for each.
        sample: How many students are attacked in each repeat; every student if not given.
        repeats: How often points are drawn for each student.
        seed: Seeds the draws.
        exact: Count every choice of points instead of drawing (small logs, random attacker).
        points: "distinct" draws from a student's different points; "events" from all of their events, as the paper's
            Algorithm 1 does: a busy minute counts for several events that say nothing more (random attacker).
        dates: The layout of text dates where it is ambiguous, such as "day-first".
        timezone: Where the students live: days and weeks begin there.

    Returns:
        One risk per number of known points, with its interval.

    Example:
        >>> import pyarrow as pa
        >>> import sharewell as sw
        >>> log = pa.table({"user": ["ann", "bob", "bob"], "time": ["2024-03-04", "2024-03-04", "2024-03-05"]})
        >>> sw.traces.unicity(log, student="user", at="time", window="1d", known=[2], repeats=1)[0].value
        0.5
    """
    who = _checked(attacker, known, repeats, sample)
    table = ready(events, student=student, at=at, also=also, times=Times(layout=dates, zone=timezone), only_these=True)
    if points == "events" and (who.name != "random" or exact):
        raise InputError("events can only be drawn by the attacker 'random', and not be counted out")
    log = reduce(table, student=student, at=at, window=parse(window), also=also)
    alone = singled_out(
        log, who, known=known, repeats=repeats, sample=sample, seed=seed, count_all=exact, by_events=points == "events"
    )
    return Results(as_risks(log, alone, who, seed=seed))


def exposure(
    events: Any,
    *,
    student: str,
    at: str,
    window: str = "1min",
    also: Sequence[str] = (),
    attacker: str = "random",
    known: int = 4,
    repeats: int = 100,
    seed: int = 0,
    dates: str | None = None,
) -> pa.Table:
    """Count how often each student is singled out; for the steward alone.

    Args:
        events: A frame, a table or a path.
        student: The column that tells whose event it is.
        at: The column of the times.
        window: How exactly a time is known.
        also: What else is known of an event.
        attacker: Who draws the points.
        known: How many points are known.
        repeats: How often points are drawn for each student.
        seed: Seeds the draws.
        dates: The layout of text dates where it is ambiguous.

    Returns:
        One row per student: the id, the number of distinct points, and the share of draws that singled them out.

    Example:
        >>> import pyarrow as pa
        >>> import sharewell as sw
        >>> log = pa.table({"user": ["ann", "bob", "bob"], "time": ["2024-03-04", "2024-03-04", "2024-03-05"]})
        >>> sw.traces.exposure(log, student="user", at="time", window="1d", known=2)["alone"].to_pylist()
        [0.0, 1.0]
    """
    who = _checked(attacker, [known], repeats, None)
    table = ready(events, student=student, at=at, also=also, times=Times(layout=dates), only_these=True)
    log = reduce(table, student=student, at=at, window=parse(window), also=also)
    alone = singled_out(log, who, known=[known], repeats=repeats, seed=seed)
    return pa.table({"student": log.ids, "points": log.lengths, "alone": alone.chances()})


def _checked(name: str, known: Sequence[int], repeats: int, sample: int | None) -> Attacker:
    if not known or min(known) < 1:
        raise InputError("known must list at least one number of points, each 1 or more")
    if repeats < 1 or (sample is not None and sample < 1):
        raise InputError("repeats and sample must be 1 or more")
    return attacker_named(name)
