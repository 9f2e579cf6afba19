"""A small folder of student data with a plan, for tests of the whole flow."""

import random
from collections.abc import Callable
from pathlib import Path

from sharewell.pipeline import Outcome

ReleaseCourse = Callable[[Path, str], Outcome]  # into a folder, by a plan

PLAN = """
[release]
name = "Course"
audience = "enclave"
exclude = "optouts.csv"

[records.students]
file = "students.csv"
student = "id"
direct = ["name"]
quasi = ["age", "sex"]
keep = ["passed"]
"""
CLICKS = """
[traces.clicks]
file = "clicks.csv"
student = "id"
at = "time"
quasi = ["verb"]
window = "1w"
"""


def make_folder(folder: Path, *, students: int = 60, seed: int = 0, plan: str = PLAN) -> Path:
    """Students, clicks, opt-outs and the plan; returns the plan's path."""
    draw = random.Random(seed)
    folder.mkdir(parents=True, exist_ok=True)
    people = [f"s{number:04d}" for number in draw.sample(range(10_000), students)]
    rows = [f"{who},Person {who},{draw.randint(18, 24)},{draw.choice('fm')},{draw.randint(0, 1)}" for who in people]
    (folder / "students.csv").write_text("\n".join(["id,name,age,sex,passed", *rows, ""]))
    events = [f"{draw.choice(people)},{_moment(draw)},{draw.choice(['read', 'quiz'])}" for _ in range(students * 20)]
    (folder / "clicks.csv").write_text("\n".join(["id,time,verb", *events, ""]))
    (folder / "optouts.csv").write_text(f"id\n{people[3]}\n{people[7].upper()} \n")
    (folder / "plan.toml").write_text(plan)
    return folder / "plan.toml"


def _moment(draw: random.Random) -> str:
    return f"2025-03-{draw.randint(1, 28):02d} {draw.randint(8, 20):02d}:{draw.randint(0, 59):02d}:00"
