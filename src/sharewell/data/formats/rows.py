"""Where in a table something is: rows as a person counts them."""

import ibis
from ibis.expr.types import BooleanValue, Table

from sharewell.data.engine import connection


def first_row(table: Table, wrong: BooleanValue) -> int | None:
    """The first row, counted from one, where `wrong` holds; null counts as not wrong."""
    if not holds_anywhere(wrong):  # rows are numbered only where there is something to name
        return None
    numbered = table.select(row=ibis.row_number(), wrong=wrong)
    return int(connection().to_pyarrow(numbered.filter(numbered.wrong).row.min()).as_py()) + 1


def holds_anywhere(condition: BooleanValue) -> bool:
    return bool(connection().to_pyarrow(condition.any().fill_null(False)).as_py())


def holds_everywhere(condition: BooleanValue) -> bool:
    """Whether the condition holds in every row where it is not null."""
    return bool(connection().to_pyarrow(condition.all().fill_null(True)).as_py())
