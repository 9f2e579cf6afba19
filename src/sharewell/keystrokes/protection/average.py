"""Averages of key events in one call: shared profiles, or the means of a course."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, Unpack

from sharewell.contract import Protected
from sharewell.data import engine
from sharewell.data.formats.clocks import guess_unit
from sharewell.data.keyed import Keyed, new_key
from sharewell.errors import InputError
from sharewell.keystrokes import profiles
from sharewell.keystrokes.columns import Keys, as_named, canonical
from sharewell.keystrokes.measure.measuring import list_length
from sharewell.keystrokes.partitions import at_least_two_students, partitioned, roster
from sharewell.keystrokes.profile_values import profile_values
from sharewell.keystrokes.protection.profile_release import ProfileGoal, protected_profiles
from sharewell.keystrokes.section import ABOUT, COURSE, PROFILES


def average(
    events: Any,
    *,
    publish: Literal["profiles", "course"] = "profiles",
    about: Sequence[str] = ABOUT[:1],
    limit: float = 0.10,
    accept: int = 10,
    membership: float = 0.55,
    digraphs: int = profiles.DIGRAPHS,
    seed: int | None = None,
    **columns: Unpack[Keys],
) -> Protected:
    """Release averages: one row per student, alike within a class, or of the course.

    Args:
        events: One row per key event: a pandas, polars or pyarrow frame, or a path.
        publish: "profiles" for one row per student, "course" for the means of all of them with intervals.
        about: What averages are of: "latencies", "holds", "corrections".
        limit: The share of students that anybody may find who knows all of their typing.
        accept: The length of the attacker's list; shorter in a small course.
        membership: The AUC, at its upper end, with which anybody may tell who is in.
        digraphs: How many of the commonest pairs, and of keys, have averages.
        seed: Makes the draws repeatable, and lets those who learn it undo them; without it they are secret.
        columns: The names of columns: `student`, `session`, `key` and `press`; `release` where key releases are known,
            `week` where sessions belong to weeks, and `unit` (ns, us, ms, s) where the clock does not tell it.

    Returns:
        The averages as the same kind of frame, what was done to them, and the curve of what noise costs.

    Example:
        >>> import pyarrow as pa
        >>> import sharewell as sw
        >>> rows = [(f"s{user:02}", f"t{task}", key, (100 + user) * place)
        ...         for user in range(40) for task in range(4) for place, key in enumerate("abababab")]
        >>> user, task, key, press = zip(*rows)
        >>> events = pa.table({"user": user, "task": task, "key": key, "press": press})
        >>> done = sw.keystrokes.average(events, seed=1, student="user", session="task", key="key", press="press")
        >>> done.table.num_rows, done.facts["classes"]
        (40, 2)
    """
    if publish not in (PROFILES, COURSE):
        raise InputError(f"publish: '{publish}' is not known; use {PROFILES} or {COURSE}")
    if unknown := [one for one in about if one not in ABOUT]:
        raise InputError(f"about: '{unknown[0]}' is not known; use {', '.join(ABOUT)}")
    secret = new_key() if seed is None else hashlib.sha256(str(seed).encode()).digest()
    keyed, table, named = Keyed(secret, "keystrokes"), engine.table(events), as_named(columns)
    if "holds" in about and named.release is None:
        raise InputError("about: holds need the column `release`, when keys came up")
    canonical(table, named)  # says what is missing
    named = replace(named, unit=named.unit or guess_unit(table, named.press))
    students = roster(table, named.student, keyed)
    at_least_two_students(students, named.student)
    parts = partitioned(table, named.student, students)
    values = profile_values(parts, students, named, about, digraphs=digraphs, seed=seed or 0)
    within = list_length(accept, len(students.names))
    goal = ProfileGoal(found=limit, within=within, membership=membership, course=publish == COURSE)
    done = protected_profiles(values, goal, named.student, keyed)
    return replace(done, table=engine.like(done.table, events))
