"""Read the groups of all students of an earlier release from its folder.

Each stands with its cohort; a release that was one cohort does not name it.
"""

from pathlib import Path

import ibis
import pyarrow as pa
from ibis.expr.types import Table

from sharewell.data import engine, formats
from sharewell.data.formats.formulas import as_they_were
from sharewell.errors import InputError

COLUMNS = {"student": "string", "group": "int64", "cohort": "int64"}
FIRST = 0  # the cohort of a release that was one


def read(path: Path) -> Table:
    """Student, group and cohort, on disk."""
    rows = as_they_were(formats.read(path, format="csv").table)
    rows = rows if "cohort" in rows.columns else rows.mutate(cohort=ibis.literal(FIRST))
    if not set(COLUMNS) <= set(rows.columns):
        raise InputError("are no groups of an earlier release; name its private groups.csv", file=path)
    typed = {name: rows[name].try_cast(kind) for name, kind in COLUMNS.items()}
    if engine.value(ibis.or_(*(cell.isnull() for cell in typed.values())).any()):
        raise InputError("are no groups of an earlier release; name its private groups.csv", file=path)
    return engine.materialise(rows.select(**typed))


def by_student(rows: pa.Table) -> dict[str, int]:
    """The group of every student, also of those who left."""
    return dict(zip(rows["student"].to_pylist(), rows["group"].to_pylist(), strict=True))
