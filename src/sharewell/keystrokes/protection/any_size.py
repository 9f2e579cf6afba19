"""Protection of key events in one call, whether they are held whole or in parts."""

import hashlib
from dataclasses import replace
from typing import Any, Unpack

from ibis.expr.types import Table

from sharewell.contract import Protected
from sharewell.data import engine
from sharewell.data.formats.clocks import guess_unit
from sharewell.data.keyed import Keyed, new_key
from sharewell.keystrokes import eventlog
from sharewell.keystrokes.columns import Columns, Keys, canonical
from sharewell.keystrokes.parts import is_large, parted, roster
from sharewell.keystrokes.protection import judging
from sharewell.keystrokes.protection.in_parts import Request, chosen_basis, protected_in_parts
from sharewell.keystrokes.protection.search import Goal, Search, protected


def protect(
    events: Any,
    *,
    limit: float = 0.10,
    accept: int = 10,
    seed: int | None = None,
    **columns: Unpack[Keys],
) -> Protected:
    """Events on which the strongest attack finds at most `limit` of the students within a list of `accept`.

    Students, sessions and rows stay where they are; `sharewell release` replaces the names of both. Where a file is too
    large to be held the setting is chosen on students who are drawn, and taken part by part.

    Args:
        events: One row per key event: a pandas, polars or pyarrow frame, or a path.
        limit: The share of students that may be found, on average over draws.
        accept: The length of the attacker's list.
        seed: Makes the draws repeatable, and lets whoever learns it undo them; without it they are secret.
        columns: The names of columns: `student`, `session`, `key` and `press`; `release` where key releases are known,
            `week` where sessions belong to weeks, and `unit` (ns, us, ms, s) where the clock does not tell it.

    Returns:
        The protected events as the same kind of frame, what was done to them, and the curve of what strengths cost.

    Example:
        >>> import pyarrow as pa
        >>> import sharewell as sw
        >>> rows = [(f"s{user}", f"t{task}", key, 100 * place + 7 * user)
        ...         for user in range(6) for task in range(4) for place, key in enumerate("abab")]
        >>> user, task, key, press = zip(*rows)
        >>> events = pa.table({"user": user, "task": task, "key": key, "press": press})
        >>> done = sw.keystrokes.protect(events, limit=1.0, accept=1, seed=1, student="user", session="task", key="key",
        ...                              press="press")
        >>> done.table.num_rows, done.table["press"][0].as_py()
        (96, 0)
    """
    secret = new_key() if seed is None else hashlib.sha256(str(seed).encode()).digest()
    keyed, table = Keyed(secret, "keystrokes"), engine.table(events)
    goal, named = Goal(found=limit, within=accept, seed=seed or 0), Columns(**columns)
    whole = not is_large(table, named.student)
    done = _held_whole(table, named, goal, keyed) if whole else _in_parts(table, named, goal, keyed)
    order, row = done.helpers
    rows = done.table.order_by(row, order).drop(order, row)
    return Protected(table=engine.like(rows, events), changes=done.changes, curve=done.curve, facts=done.facts)


def _held_whole(table: Table, columns: Columns, goal: Goal, keyed: Keyed) -> Protected:
    loaded = eventlog.load(table, columns)
    eventlog.at_least_two_students(loaded)
    return protected(Search(judging.original(loaded, goal.seed), loaded, goal, keyed))


def _in_parts(table: Table, columns: Columns, goal: Goal, keyed: Keyed) -> Protected:
    known = replace(columns, unit=columns.unit or guess_unit(table, columns.press))
    canonical(table, known)  # says what is missing, before parts are made
    students = roster(table, known.student, keyed)
    parts = parted(table, known.student, students)
    request = Request(
        original=parts, releasable=parts, roster=students, columns=known, goal=goal, keyed=keyed, rename=False
    )
    return protected_in_parts(request, *chosen_basis(request))
