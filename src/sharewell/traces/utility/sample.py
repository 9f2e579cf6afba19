"""Some students of a log that is too large for every measure to look at all of them."""

from functools import partial
from pathlib import Path

from ibis.expr.types import Table

from sharewell.contract import Utility
from sharewell.data import engine
from sharewell.traces.utility.uses import Uses

ENOUGH = 4_000_000  # events
PARTS = 2**20  # into which students fall by their names; a power of two, since hashes may be negative


def some_students(events: Table, student: str) -> Table | None:
    """As many students as have about enough events, the same for every table; nothing where all are few enough."""
    size = engine.value(events.count())
    if size <= ENOUGH:
        return None
    people = events.group_by(__who=events[student]).agg(__rows=events.count())
    placed = engine.derived(people, "__who", "__part", lambda who: who.hash() & (PARTS - 1))
    return engine.materialise(placed.filter(placed["__part"] < round(PARTS * ENOUGH / size)).select("__who"))


def of_some_students(asked: Uses, original: Table, released: Table, some: Table) -> list[Utility]:
    """Measure the uses on these students, on a worker with room for them.

    They are few enough for DuckDB, which takes an eighth of Spark's time for them; and they stand in one order whatever
    the engine was: files that several workers wrote have none.
    """
    where = engine.of(original)
    student = asked.columns.student
    files = tuple(
        tuple(where.parts(events.semi_join(some, events[student] == some["__who"]))) for events in (original, released)
    )
    uses: list[Utility]
    (uses,) = engine.answers(where, partial(_answered, asked), [files])
    return uses


def _answered(asked: Uses, files: tuple[tuple[Path, ...], tuple[Path, ...]]) -> list[Utility]:
    original, released = (engine.read(*own) for own in files)
    original, released = (engine.materialise(table.order_by(list(table.columns))) for table in (original, released))
    return asked.of(original, released)
