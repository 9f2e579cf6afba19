"""Release small parts of the fictional course under a fixed key, and describe what came out.

A golden release is the digest of each data file, the verdict, and every gated number. A change of the code that is
not meant to change a release leaves all of them as they are.
"""

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from sharewell import pipeline
from sharewell.data.files import file_digest
from sharewell.fiction.course import Course, make_course
from sharewell.fiction.write import write_course
from sharewell.plan import document
from sharewell.plan.audience_limits import AUDIENCES

STUDENTS = 90
HEAD = '[release]\nname = "Golden"\naudience = "{audience}"\nkey = "golden.key"\n'
RECORDS = """
[records.students]
file = "students.csv"
student = "student_id"
direct = ["name", "email", "birth_date"]
quasi = ["age", "sex", "origin"]
drop = ["grade", "postcode"]
sensitive = ["disability"]
keep = ["passed"]
target = "passed"
"""
TRACES = """
[traces.clicks]
file = "clicks.parquet"
student = "student_id"
at = "time"
quasi = ["verb", "device"]
drop = ["resource"]
"""
MARKED = """
[traces.clicks]
file = "marked.parquet"
student = "student_id"
at = "time"
quasi = ["verb"]
drop = ["resource", "device"]
keep = ["passed", "grade"]
target = "passed"
window = "1w"
"""
UNKNOWABLE = MARKED + 'unknowable = { grade = "marks are known to the examiners alone" }\n'
METHODS = {
    **{f"records {method}": RECORDS + f'method = "{method}"\n' for method in ("best", "full-domain", "local")},
    "traces": TRACES,
    "traces search": TRACES + 'method = "search"\n',
    "traces groups": TRACES + 'method = "groups"\n',
    "traces groups, marks": MARKED + 'method = "groups"\n',
    "traces groups, marks unknowable": UNKNOWABLE + 'method = "groups"\n',
    "traces search, marks": MARKED + 'method = "search"\n',
}


def cases() -> Iterator[tuple[str, str]]:
    """Every method for every audience: a name and the plan."""
    for name, section in METHODS.items():
        for audience in AUDIENCES:
            yield f"{name}, {audience}", HEAD.format(audience=audience) + section


def course() -> Course:
    return make_course(students=STUDENTS, seed=3, parts=("students", "clicks"))


def write(folder: Path, made: Course) -> None:
    """The files of the cases, and a key that anybody can work out."""
    write_course(made, folder)
    people = made.students.select(["student_id", "passed", "grade"])
    marked = made.clicks.join(people, "student_id").sort_by([("student_id", "ascending"), ("time", "ascending")])
    pq.write_table(pa.table(marked), folder / "marked.parquet")
    (folder / "golden.key").write_text(hashlib.sha256(b"golden").hexdigest())


def released(folder: Path, plan: str) -> dict[str, Any]:
    """What a plan comes to in a folder of data."""
    (folder / "plan.toml").write_text(plan)
    outcome = pipeline.release(document.load(folder / "plan.toml"), root=folder / "out", over=True)
    return described(outcome, folder / "out" / "release" / "data")


def described(outcome: pipeline.Outcome, data: Path) -> dict[str, Any]:
    """Digests of the data files, the verdict and the gated numbers of an outcome."""
    passed = outcome.verdict.passed
    return {
        "passed": passed,
        "files": {path.name: file_digest(path) for path in sorted(data.iterdir())} if passed else {},
        "gated": [gated(risk) for risk in _gates(outcome)],
    }


def _gates(outcome: pipeline.Outcome) -> Iterator[Any]:
    for file in outcome.findings.files:
        yield from (risk for risk in file.after if risk.gate)
    yield from (risk for risk in outcome.findings.linkage if risk.gate)


def gated(risk: Any) -> Mapping[str, Any]:
    return {
        "name": risk.name,
        "attacker": risk.attacker,
        "gate": risk.gate,
        "limit": round(risk.limit, 9),
        "seen": None if risk.seen is None else round(risk.seen, 9),
    }
