"""Activity of the whole course per day and week."""

import numpy as np
import pyarrow as pa
from ibis.expr.types import Table

from sharewell.contract import Utility
from sharewell.plan.windows import parse
from sharewell.traces.event_columns import EventColumns
from sharewell.traces.kind import ACTIVITY
from sharewell.traces.utility.tables import Counted, added_up, counts, part_of, side_by_side
from sharewell.traces.window_numbers import number

SCALES = {"day": "1d", "week": "1w"}


def counted(table: Table, columns: EventColumns) -> Counted:
    """Events per day, and per week."""
    return tuple(
        counts(table.select(window=number(parse(scale), table[columns.at]), **part_of(table, columns)))
        for scale in SCALES.values()
    )


def compared(before: Counted, after: Counted, columns: EventColumns) -> list[Utility]:
    """How well the curves are kept; of two parts of the students, which differ in size, the shapes are compared."""
    pairs, as_shares = zip(SCALES, before, after, strict=True), columns.part is not None
    return [found for per, one, other in pairs for found in _per(per, one, other, as_shares)]


def _per(per: str, one: pa.Table, other: pa.Table, as_shares: bool) -> list[Utility]:
    before, after = side_by_side(*(added_up(rows, "window") for rows in (one, other)))
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
            story=f"Whether busy and quiet {per}s of the course still differ.",
        ),
        Utility(
            measure=wrong,
            value=error,
            n=len(before),
            baseline=0.0,
            story=f"Events counted in the wrong {per} or missing there, as a share of all.",
        ),
    ]
