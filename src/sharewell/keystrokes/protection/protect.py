"""Protection of key events in one call."""

import hashlib
from dataclasses import replace
from typing import Any, Unpack

from sharewell.contract import Protected
from sharewell.data import engine
from sharewell.data.formats.clocks import guess_unit
from sharewell.data.keyed import Keyed, new_key
from sharewell.keystrokes.columns import Keys, as_named, canonical
from sharewell.keystrokes.partitions import at_least_two_students, partitioned, roster
from sharewell.keystrokes.protection.release import TypingRequest, protected
from sharewell.keystrokes.protection.search import IdentificationGoal


def protect(
    events: Any,
    *,
    limit: float = 0.10,
    accept: int = 10,
    seed: int | None = None,
    **columns: Unpack[Keys],
) -> Protected:
    """Protect events until the strongest attack finds at most `limit`.

    A share of the students, found within a list of `accept`.

    Students, sessions and rows stay where they are; `sharewell release` replaces the names of both. Of a
    large file the setting is chosen on some students, whom the key draws.

    Args:
        events: One row per key event: a pandas, polars or pyarrow frame, or a path.
        limit: The share of students that may be found, on average over draws.
        accept: The length of the attacker's list.
        seed: Makes the draws repeatable; anyone who knows it can undo them. Without a seed they are secret.
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
    keyed, table, named = Keyed(secret, "keystrokes"), engine.table(events), as_named(columns)
    canonical(table, named)  # says what is missing, before anything is written
    named = replace(named, unit=named.unit or guess_unit(table, named.press))
    students = roster(table, named.student, keyed)
    at_least_two_students(students, named.student)
    parts = partitioned(table, named.student, students)
    goal = IdentificationGoal(found=limit, within=accept, seed=seed or 0)
    done = protected(
        TypingRequest(
            original=parts, releasable=parts, roster=students, columns=named, goal=goal, keyed=keyed, rename=False
        )
    )
    order, row = done.helpers
    rows = done.table.order_by(row, order).drop(order, row)
    return Protected(table=engine.like(rows, events), changes=done.changes, curve=done.curve, facts=done.facts)
