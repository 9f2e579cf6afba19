"""Map each distinct id through a function, in batches, spilling to disk."""

import uuid
from collections.abc import Callable, Iterable, Sequence

import ibis
import pyarrow as pa
import pyarrow.parquet as pq
from ibis.expr.types import Table

from sharewell.data import engine
from sharewell.data.scratch import scratch

SCHEMA = pa.schema([("value", pa.string()), ("made", pa.string())])


def values(table: Table, columns: Iterable[str]) -> Table:
    """Every value of some columns once, as text, in a column `value`."""
    cells = [table.select(value=table[name].cast("string")) for name in columns]
    stacked = ibis.union(*cells, distinct=True) if len(cells) > 1 else cells[0].distinct()
    return stacked.filter(stacked["value"].notnull())


def mapped(ids: Table, make: Callable[[str], str]) -> Table:
    """What is made of each value, beside it: columns `value` and `made`."""
    path = scratch() / f"{uuid.uuid4().hex}.parquet"
    with engine.clear_sentences(), pq.ParquetWriter(path, SCHEMA) as writer:
        for batch in engine.batches(ids):
            known = batch["value"]
            writer.write_batch(pa.record_batch([known, pa.array(map(make, known.to_pylist()), pa.string())], SCHEMA))
    return engine.of(ids).read([path])


def is_one_to_one(found: Table) -> bool:
    """By groups, which go to disk where they do not fit; a count of different values is held in memory."""
    different = engine.distinct(found, ["made"])
    return bool(engine.value(found.count()) == engine.value(different.count()))


def are_as_many(before: Table, after: Table, columns: Sequence[str]) -> bool:
    """Whether as many values stand in these columns as before; where every cell is another, before was no more."""
    different = engine.value(values(after, columns).count())
    cells = sum(engine.value(after[name].count()) for name in columns)
    return bool(different == cells or different == engine.value(values(before, columns).count()))


def replaced(table: Table, columns: Iterable[str], found: Table) -> Table:
    """The same table with what was made wherever a value of these columns stood."""
    value, made = engine.fresh(table.columns, "value"), engine.fresh(table.columns, "made")
    beside = found.rename({value: "value", made: "made"})
    for name in columns:
        joined = table.left_join(beside, table[name].cast("string") == beside[value])
        table = joined.mutate(**{name: joined[made]}).select(*table.columns)
    return table
