"""A small course for the tests of traces, and a study of it."""

from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from sharewell.contract import Job, Protected
from sharewell.data import engine
from sharewell.data.keyed import Keyed
from sharewell.traces.section import Limit, Section

START = datetime(2024, 3, 4).timestamp()


def clicks(students: int = 60, days: int = 30, seed: int = 1) -> pa.Table:
    """A course with lectures, evenings of one's own, a few verbs, and an outcome that goes with activity."""
    draw = np.random.default_rng(seed)
    rows = []
    for student in range(students):
        diligence = draw.uniform(0.2, 0.9)
        for day in range(days):
            if day % 7 == 0 or draw.random() < diligence / 3:
                for _ in range(int(draw.integers(1, 8))):
                    second = day * 86_400 + int(draw.normal(15, 3) * 3600)
                    verb = str(draw.choice(["read", "quiz", "post", f"rare{student}"], p=[0.6, 0.25, 0.13, 0.02]))
                    rows.append((f"s{student}", second, verb, f"n{student}@x.example", str(diligence > 0.5)))
    names = ("user", "second", "verb", "email", "passed")
    table = pa.table({name: [row[i] for row in rows] for i, name in enumerate(names)})
    stamps = [datetime(2024, 3, 4).fromtimestamp(START + row[1]) for row in rows]
    return table.drop_columns(["second"]).append_column("time", pa.array(stamps, pa.timestamp("us")))


def job(table: pa.Table, **more: Any) -> Job:
    given: dict[str, Any] = {
        "quasi": ("verb",),
        "direct": ("email",),
        "keep": ("passed",),
        "limit": Limit(unicity=0.05, guess=0.2, known=4),
    }
    section = Section(
        name="clicks", folder=Path(), file="clicks.parquet", student="user", at="time", **{**given, **more}
    )
    return Job(section=section, source=engine.table(table), seed=0, keyed=Keyed(b"k" * 32, "test"))


def materialised(protected: Protected) -> Protected:
    return replace(protected, table=engine.materialise(protected.table))
