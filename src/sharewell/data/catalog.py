"""Tables of Spark's catalog: read once at the beginning by Spark, into a folder of Parquet files of this run alone.

    file = "catalog:lms.events"            # or  catalog:main.lms.events,  as Spark names it

Which catalogs there are is a setting of Spark. Columns that the plan drops are never read; they arrive as empty ones.
Rows are put into an order of their own and into parts of a fixed size, so that the same table is the same bytes.
"""

import shutil
from pathlib import Path

import ibis
from ibis.expr.types import Table, Value

from sharewell.data import engine, taken
from sharewell.data.formats import parquet
from sharewell.plan.document import Plan
from sharewell.plan.sections import CATALOG, Section


def snapshot(section: Section, plan: Plan) -> Path:
    """The rows in a folder."""
    name = section.file.removeprefix(CATALOG)
    table = engine.catalog(name)
    wanted = _wanted(table, taken.columns(section, plan, table.columns, section.file))
    parquet.check_schema(wanted.schema().to_pyarrow(), Path(section.file))
    folder = taken.target(section, name.rpartition(".")[2])
    shutil.rmtree(folder, ignore_errors=True)  # where this process read the table before
    parquet.write(engine.here(wanted.order_by(list(wanted.columns))), folder, parts=True)
    return folder


def _wanted(table: Table, ways: dict[str, taken.Way]) -> Table:
    empty = ibis.literal(None, type="string")
    cells: dict[str, Value] = {
        name: empty if way == "empty" else table[name].cast("string") if way == "text" else table[name]
        for name, way in ways.items()
    }
    return table.select(**cells)
