"""The five steps of records, as the pipeline calls them."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from sharewell.data import engine
from sharewell.data.keyed import Keyed
from sharewell.kinds import Job
from sharewell.records import steps
from sharewell.records.section import Limit, Section


def students(rows: int = 400) -> pa.Table:
    draw = np.random.default_rng(3)
    return pa.table(
        {
            "id": [f"s{n}" for n in range(rows)],
            "name": [f"n{n}" for n in range(rows)],
            "age": draw.integers(18, 40, rows).astype(str),
            "sex": draw.choice(["f", "m", "x"], rows, p=[0.5, 0.47, 0.03]),
            "postcode": draw.integers(10000, 10400, rows).astype(str),
            "disability": draw.choice(["none", "yes"], rows, p=[0.8, 0.2]),
            "passed": draw.choice(["0", "1"], rows),
        }
    )


def job(**changes: object) -> Job:
    roles = {"student": "id", "direct": ("name",), "keep": ("passed",), "quasi": ("age", "sex", "postcode")}
    settings = {
        "sensitive": ("disability",),
        "target": ("passed",),
        "limit": Limit(k=5, l=2),
        **roles,
        **changes,
    }
    section = Section(name="students", folder=Path(), file="students.csv", **settings)
    return Job(section=section, source=engine.table(students()), seed=1, draws=Keyed(b"0" * 32, "records"))


def test_the_released_table_keeps_the_limits_and_drops_what_must_go() -> None:
    work = job()
    protected = steps.protect(work)
    assert "name" not in protected.table.columns
    written = {name for name in protected.table.columns if not name.startswith("__")}
    assert written == {"id", "age", "sex", "postcode", "disability", "passed"}
    after = {risk.gate: risk for risk in steps.attack(work, protected.table) if risk.gate}
    assert set(after) == {"k", "l"}
    assert all(risk.holds for risk in after.values())
    again = {risk.gate: risk.value for risk in steps.recheck(protected.table, protected.facts) if risk.gate}
    assert again == {name: risk.value for name, risk in after.items()}


def test_the_original_fails_the_gate() -> None:
    work = job()
    risks = {risk.gate: risk.holds for risk in steps.attack(work, work.source) if risk.gate}
    assert risks["k"] is False


def test_every_student_stays_in_the_table() -> None:
    work = job()
    released = engine.arrow(steps.protect(work).table)
    assert sorted(released["id"].to_pylist()) == sorted(students()["id"].to_pylist())


@pytest.mark.parametrize("audience", ["public", "agreement", "enclave"])
def test_audience_limits_name_fields(audience: str) -> None:
    assert set(Section.audience_limits[audience]) <= {"k", "l", "t"}
