"""Where in a table something is: rows as a person counts them."""

from ibis.expr.types import BooleanValue, Table

from sharewell.data import backends


def first_row(table: Table, wrong: BooleanValue) -> int | None:
    """The first row, counted from one, where `wrong` holds; null counts as not wrong."""
    if not holds_anywhere(wrong):  # rows are numbered only where there is something to name
        return None
    numbered = backends.numbered(table.select(wrong=wrong), "row")
    return int(backends.value(numbered.filter(numbered.wrong).row.min())) + 1


def holds_anywhere(condition: BooleanValue) -> bool:
    return bool(backends.value(condition.any().fill_null(False)))


def holds_everywhere(condition: BooleanValue) -> bool:
    """Whether the condition holds in every row where it is not null."""
    return bool(backends.value(condition.all().fill_null(True)))
