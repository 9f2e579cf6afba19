"""A small class of typists with planted rhythms."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from sharewell.contract import Job
from sharewell.data import engine
from sharewell.data.keyed import Keyed
from sharewell.keystrokes.arrays import TypedEvents
from sharewell.keystrokes.eventlog import recoded
from sharewell.keystrokes.protection.draft import Material, material
from sharewell.keystrokes.protection.rare_keys import names_with_class_keys
from sharewell.keystrokes.section import Limit, Section
from sharewell.keystrokes.utility.habits import mean_latency

COLUMNS: dict[str, Any] = {
    "student": "student",
    "session": "exercise",
    "key": "key",
    "press": "press",
    "release": "release",
}


def typists(students: int, sessions: int = 6, keys: int = 60, seed: int = 3) -> pa.Table:
    """Everyone has a personal pace, a personal way with every pair of keys and a personal hold."""
    generator = np.random.default_rng(seed)
    letters = np.array(list("abcdefgh "))
    rows: dict[str, list[Any]] = {name: [] for name in ("student", "exercise", "key", "press", "release", "note")}
    for student in range(students):
        pace, hold = generator.normal(5.0, 0.25), generator.normal(4.5, 0.2)
        pair = generator.normal(0, 0.2, (len(letters), len(letters)))
        for session in range(sessions):
            typed = generator.integers(0, len(letters), keys)
            gaps = np.exp(pace + pair[typed[:-1], typed[1:]] + generator.normal(0, 0.25, keys - 1))
            press = 1_700_000_000_000 + session * 86_400_000 + np.concatenate([[0], np.cumsum(gaps)])
            rows["student"] += [f"student-{student}"] * keys
            rows["exercise"] += [f"task {session}"] * keys
            rows["key"] += letters[typed].tolist()
            rows["press"] += np.round(press).astype(int).tolist()
            rows["release"] += np.round(press + np.exp(hold + generator.normal(0, 0.2, keys))).astype(int).tolist()
            rows["note"] += ["x"] * keys
    return pa.table(rows)


def job(table: pa.Table, limit: Limit, key: bytes = b"k" * 32, **section: object) -> Job:
    built = Section(
        name="typing",
        folder=Path(),
        file="keys.parquet",
        student="student",
        session="exercise",
        key="key",
        press="press",
        release="release",
        keep=("note",),
        limit=limit,
        **{"redact_text": False, **section},  # type: ignore[arg-type]
    )
    return Job(section=built, source=engine.table(table), seed=1, keyed=Keyed(key, "test"))


def with_class_keys(typing: TypedEvents) -> TypedEvents:
    return recoded(typing, names_with_class_keys(typing.keys.tolist()))


def material_of(typing: TypedEvents, students: int) -> Material:
    """All students of a file in one partition."""
    speed = mean_latency(typing.student, typing.latency, students)
    return material(with_class_keys(typing), speed, np.arange(students))
