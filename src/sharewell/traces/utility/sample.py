"""Some students of a log that is too large for every measure to look at all of them."""

from ibis.expr.types import Table

from sharewell.data import engine

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


def only(events: Table, some: Table | None, student: str) -> Table:
    """The events of these students, or of all of them.

    Those of some are few enough for DuckDB, which takes an eighth of Spark's time for them; and they stand in one order
    whatever the engine was: files that several workers wrote have none.
    """
    if some is None:
        return events
    kept = engine.here(events.semi_join(some, events[student] == some["__who"]))
    return engine.materialise(kept.order_by(list(kept.columns)))
