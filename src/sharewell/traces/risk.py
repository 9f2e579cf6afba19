"""The risk of a log as it stands, and of a release to someone who knows the original."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from sharewell.contract import Results, Risk
from sharewell.errors import InputError
from sharewell.traces.measure.attackers import Attacker, attacker, draw
from sharewell.traces.events import ready
from sharewell.traces.log import Log, reduce
from sharewell.traces.measure.candidates import best_match
from sharewell.traces.measure.known_points import Alone, as_risks, attempts, measure
from sharewell.traces.windows import parse


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
    dates: str | None = None,
    timezone: str | None = None,
) -> Results[Risk]:
    """The share of students whom `known` points single out: one risk per number of known points.

    `window` is how exactly a time is known, `also` what else is known of an event. Every student is a target unless
    `sample` says how many are drawn in each repeat. `exact` counts every choice of points instead of drawing (small
    logs). `dates` names the layout of text dates where it cannot be told, `timezone` where the students live.
    """
    who = _checked(attacker, known, repeats, sample)
    table = ready(events, student=student, at=at, also=also, layout=dates, zone=timezone, only_these=True)
    log = reduce(table, student=student, at=at, window=parse(window), also=also)
    alone = measure(log, who, known=known, repeats=repeats, sample=sample, seed=seed, count_all=exact)
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
    """How often each student is singled out. For the steward alone: it says who stands out."""
    who = _checked(attacker, [known], repeats, None)
    table = ready(events, student=student, at=at, also=also, layout=dates, only_these=True)
    log = reduce(table, student=student, at=at, window=parse(window), also=also)
    alone = measure(log, who, known=[known], repeats=repeats, seed=seed)
    return pa.table({"student": log.ids, "points": log.lengths, "alone": alone.chances()})


def _checked(name: str, known: Sequence[int], repeats: int, sample: int | None) -> Attacker:
    if not known or min(known) < 1:
        raise InputError("known must list at least one number of points, each 1 or more")
    if repeats < 1 or (sample is not None and sample < 1):
        raise InputError("repeats and sample must be 1 or more")
    return attacker(name)


def with_original_points(
    original: Log, released: Log, who: Attacker, *, known: int, repeats: int, seed: int, sample: int | None = None
) -> Alone:
    """Draw points of the original, match them to the release as well as possible (students and points numbered alike).

    Only students who are in the release can be found there; the share is taken of them.
    """
    present = np.flatnonzero(released.lengths)
    hits, tries = np.zeros((1, original.students), np.int64), np.zeros(original.students, np.int64)
    for targets, numbers in attempts(present, repeats=repeats, sample=sample, seed=seed):
        drawn = draw(original, who, targets, known, seed=seed, repeats=numbers)
        found = best_match(released.shared, released.holders, targets, drawn)
        tries += np.bincount(targets, minlength=original.students)
        hits[0] += np.bincount(targets[found], minlength=original.students)
    return Alone(known=(known,), hits=hits, tries=tries)


def attacks(
    original: Log, released: Log, who: Attacker, known: int, *, repeats: int, seed: int, sample: int | None = None
) -> dict[str, Alone]:
    """What one attacker achieves on the release alone, and with original points.

    Someone who knows the worst points would know released ones: there the first figure says all.
    """
    alone = measure(released, who, known=[known], repeats=repeats, seed=seed, sample=sample)
    if who.name == "worst":
        return {"unicity": alone}
    matched = with_original_points(original, released, who, known=known, repeats=repeats, seed=seed, sample=sample)
    return {"unicity": alone, "unicity with original points": matched}
