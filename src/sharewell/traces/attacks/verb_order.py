"""Read the verbs of every student in the order in which their rows stand."""

from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from ibis.expr.types import Table

from sharewell.data import engine
from sharewell.traces.attacks.view import VerbOrder


def in_order(table: Table, student: str, verb: str, order: Sequence[str]) -> Table:
    """Student and verb of every event, those of a student in their order."""
    rows = table.order_by([table[student], *(table[name] for name in order if name in table.columns)])
    return rows.select(who=rows[student], verb=rows[verb].cast("string").fill_null(""))


def verb_orders(tables: Iterable[Table], ids: pa.Array) -> list[VerbOrder]:
    """Both sides with students numbered by `ids` and verbs alike; students whom `ids` does not name are left out."""
    cells = [engine.arrow(table) for table in tables]
    names = pc.unique(pa.chunked_array([chunk for side in cells for chunk in side["verb"].chunks], pa.string()))
    return [_numbered(side, ids, names) for side in cells]


def _numbered(cells: pa.Table, ids: pa.Array, names: pa.Array) -> VerbOrder:
    who = np.asarray(pc.index_in(cells["who"].cast(ids.type), value_set=ids).fill_null(-1))
    verbs = np.asarray(pc.index_in(cells["verb"], value_set=names).fill_null(-1))
    order = np.argsort(who, kind="stable")
    order = order[who[order] >= 0]
    counts = np.bincount(who[order], minlength=len(ids))
    return VerbOrder(starts=np.concatenate([[0], np.cumsum(counts)]), verbs=verbs[order].astype(np.int32))
