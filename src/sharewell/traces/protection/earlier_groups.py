"""The groups of an earlier release, as its private folder keeps them: of all students who were there.

Of a log that was protected cohort by cohort they come with their cohorts; of one that was held whole there are none.
"""

from pathlib import Path

import ibis
import pyarrow.parquet as pq
from ibis.expr.types import Table

from sharewell.data import engine, formats
from sharewell.data.formats.formulas import as_they_were
from sharewell.errors import InputError, Refused

COLUMNS = {"student": "string", "group": "int64", "cohort": "int64"}


def whole(path: Path) -> dict[str, int]:
    """For a log that is held whole."""
    rows = engine.arrow(_read(path).select("student", "group"))
    return dict(zip(rows["student"].to_pylist(), rows["group"].to_pylist(), strict=True))


def in_cohorts(path: Path) -> Table:
    """For a log of which cohorts are held, one after the other: on disk."""
    rows = _read(path)
    if "cohort" not in rows.columns:
        raise Refused(
            "the earlier release was made of a log that could be held whole, and its groups reach over all of it; this "
            "one is protected in parts for its size: recall that release and make this one under a fresh key"
        )
    return engine.materialise(rows)


def of_cohort(files: tuple[Path, ...]) -> dict[str, int]:
    """The groups of one cohort, also of students who left."""
    rows = pq.read_table(list(files), columns=["student", "group"])
    return dict(zip(rows["student"].to_pylist(), rows["group"].to_pylist(), strict=True))


def _read(path: Path) -> Table:
    rows = as_they_were(formats.read(path, format="csv").table)
    names = [name for name in COLUMNS if name in rows.columns]
    typed = {name: rows[name].try_cast(COLUMNS[name]) for name in names}
    if names[:2] != ["student", "group"] or engine.value(ibis.or_(*(cell.isnull() for cell in typed.values())).any()):
        raise InputError("are no groups of an earlier release; name its private groups.csv", file=path)
    return rows.select(**typed)
