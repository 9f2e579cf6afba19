"""A course as the folder of files that a steward would have, with the plan of its release."""

from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq

from sharewell.fiction.course import Course

PLAN_HEAD = """\
# How the data of this fictional course may be shared. Every column of every file has a role.

[release]
name = "Intro to Programming 2025"
audience = "agreement"
exclude = "optouts.csv"
join = false
description = "A fictional course in programming: thirteen weeks of lectures, exercises and a forum."
contact = "the data steward of the fictional course"
purpose = "research on how beginners learn to program"
date = "2025-12-15"
expires = "2027-12-31"
"""

PLANS = {
    "students": """
[records.students]
file = "students.csv"
student = "student_id"
direct = ["name", "email", "birth_date"]
quasi = ["age", "sex", "postcode", "origin"]
sensitive = ["disability"]
drop = ["grade"]                    # passed tells what analysts ask for
keep = ["passed"]
target = "passed"
method = "local"                    # groups of students are coarsened only as far as each needs
limit = { k = 5, l = 2 }
""",
    "clicks": """
[traces.clicks]
file = "clicks.parquet"
student = "student_id"
at = "time"
quasi = ["verb", "device"]
drop = ["resource"]
limit = { k = 5 }
""",
    "attempts": """
[responses.attempts]
file = "attempts.csv"
student = "student_id"
item = "exercise"
correct = "correct"
skill = "skill"
time = "time"
model = "markov"
limit = { membership = 0.55 }
""",
    "posts": """
[posts.forum]
file = "forum.csv"
student = "author"
ids = ["post_id", "reply_to"]
drop = ["time"]
text = ["subject", "message"]
roster = { file = "students.csv", columns = ["name", "email"] }
limit = { residual = 0.0005 }
""",
    "keys": """
[keystrokes.typing]
file = "keys.parquet"
student = "student_id"
session = "exercise"
week = "week"
key = "key"
press = "press_ms"
release = "release_ms"
limit = { found = 0.10, within = 10 }
""",
}

FILES = {
    "students": "students.csv",
    "clicks": "clicks.parquet",
    "attempts": "attempts.csv",
    "posts": "forum.csv",
    "keys": "keys.parquet",
}


def write_course(course: Course, folder: str | Path) -> None:
    """Write the parts that the course has, the students who said no, and the plan."""
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    plan = [PLAN_HEAD]
    for part, file in FILES.items():
        table = getattr(course, part)
        if table is not None:
            _write(table, target / file)
            plan.append(PLANS[part])
    _write(course.optouts, target / "optouts.csv")
    (target / "plan.toml").write_text("".join(plan), encoding="utf-8")


def _write(table: pa.Table, path: Path) -> None:
    if path.suffix == ".parquet":
        pq.write_table(table, path, compression="zstd")
    else:
        pc.write_csv(table, path, pc.WriteOptions(quoting_style="needed"))
