"""Where in a table something is: rows as a person counts them."""

import ibis
from ibis.expr.types import BooleanValue, Table

from sharewell.engine import connection


def first_row(table: Table, wrong: BooleanValue) -> int | None:
    """The first row, counted from one, where `wrong` holds; null counts as not wrong."""
    numbered = table.select(row=ibis.row_number(), wrong=wrong)
    row = connection().to_pyarrow(numbered.filter(numbered.wrong).row.min()).as_py()
    return None if row is None else row + 1


def one(value: object) -> bool:
    """The answer to a yes-or-no question about a whole column; no row at all is no."""
    return bool(connection().to_pyarrow(value).as_py())
