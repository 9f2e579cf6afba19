"""Activity of the whole course per day and week."""

import numpy as np
from ibis.expr.types import Table

from sharewell.contract import Utility
from sharewell.data import engine
from sharewell.plan.windows import parse
from sharewell.traces.event_columns import EventColumns
from sharewell.traces.kind import ACTIVITY
from sharewell.traces.utility.tables import side_by_side
from sharewell.traces.window_numbers import number

SCALES = {"day": "1d", "week": "1w"}


def activity(original: Table, released: Table, columns: EventColumns, *, as_shares: bool = False) -> list[Utility]:
    """`as_shares` compares the shapes of two logs of different size."""
    return [found for per in SCALES for found in _per(original, released, columns, per, as_shares)]


def _per(original: Table, released: Table, columns: EventColumns, per: str, as_shares: bool) -> list[Utility]:
    """Events per day or week of the whole course: how well the curve is kept."""
    before, after = side_by_side(*(_counts(table, columns, SCALES[per]) for table in (original, released)))
    after = after * before.sum() / max(1.0, after.sum()) if as_shares else after
    error = float(np.abs(before - after).sum() / before.sum())
    moving = before.std() > 0 and after.std() > 0
    correlation = float(np.corrcoef(before, after)[0, 1]) if moving else 0.0
    shape, wrong = ACTIVITY[per]
    return [
        Utility(
            measure=shape,
            value=correlation,
            n=len(before),
            baseline=1.0,
            story=f"Whether busy and quiet {per}s of the course are still told apart.",
        ),
        Utility(
            measure=wrong,
            value=error,
            n=len(before),
            baseline=0.0,
            story=f"Events counted in the wrong {per} or missing there, as a share of all.",
        ),
    ]


def _counts(table: Table, columns: EventColumns, scale: str) -> dict[object, int]:
    windows = table.select(window=number(parse(scale), table[columns.at]))
    counted = engine.arrow(windows.group_by("window").agg(events=windows.count()))
    return dict(zip(counted["window"].to_pylist(), counted["events"].to_pylist(), strict=True))
