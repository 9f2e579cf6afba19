"""A small log with planted abilities and difficulties, for the tests of this folder."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ibis
import numpy as np
import pyarrow as pa
import pytest

from sharewell.contract import Job
from sharewell.data.keyed import Keyed
from sharewell.responses.section import Limit, Section
from sharewell.stats.arrays import Array


@dataclass(frozen=True, kw_only=True)
class Planted:
    table: pa.Table
    ability: Array
    difficulty: Array


def planted(
    *, students: int = 400, items: int = 30, rows: tuple[int, int] = (20, 60), growth: float = 0.0, seed: int = 0
) -> Planted:
    """Students move mostly forward through the items; P(right) = σ(θ − d + growth · log(1 + earlier tries))."""
    generator = np.random.default_rng(seed)
    ability, difficulty = generator.normal(0, 1, students), generator.normal(0, 1, items)
    who, what, right, when, skill, device = [], [], [], [], [], []
    for student in range(students):
        place, now = int(generator.integers(0, items)), int(generator.integers(0, 10**9))
        tries = np.zeros(items)
        for _ in range(generator.integers(*rows)):
            z = ability[student] - difficulty[place] + growth * np.log1p(tries[place])
            who.append(f"student{student:04d}")
            what.append(f"item{place:02d}")
            skill.append(f"skill{place // 5}")
            right.append(int(generator.random() < 1 / (1 + np.exp(-z))))
            device.append(["phone", "desk"][int(generator.random() < 0.3 + 0.4 * (place % 2))])
            now += int(generator.exponential(60) if generator.random() < 0.9 else generator.exponential(200_000))
            when.append(1_700_000_000_000_000 + now * 1_000_000)
            tries[place] += 1
            place = (place + int(generator.choice([0, 1, 2, 7], p=[0.5, 0.3, 0.15, 0.05]))) % items
    table = pa.table(
        {
            "user": who,
            "item": what,
            "skill": skill,
            "correct": right,
            "at": pa.array(when).cast(pa.timestamp("us")),
            "device": device,
        }
    )
    return Planted(table=table, ability=ability, difficulty=difficulty)


@pytest.fixture(scope="session")
def course() -> Planted:
    return planted()


@pytest.fixture(scope="session")
def make_planted() -> Callable[..., Planted]:
    return planted


def job(table: pa.Table, *, key: bytes = b"k" * 32, **settings: Any) -> Job:
    """A section of a plan over a table, at work."""
    section = Section(
        name="attempts",
        folder=Path(),
        file="attempts.csv",
        student="user",
        item="item",
        correct="correct",
        limit=settings.pop("limit", Limit(membership=0.6, tpr=0.1)),
        **settings,
    )
    return Job(section=section, source=ibis.memtable(table), seed=0, keyed=Keyed(key, "release"))


@pytest.fixture(scope="session")
def make_job() -> Callable[..., Job]:
    return job
