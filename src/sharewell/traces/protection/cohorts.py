"""A log that no memory holds, protected cohort by cohort: the way is chosen on some students and taken for all.

Company only grows with more students. Whoever cannot be told from others of the own cohort cannot be told from them in
the whole release, whether they share rows (groups) or points (less detail for all). So each cohort is held and
protected by itself, wherever the engine has room, and written down; only the chosen way and the counts of what was done
come here. The gate attacks all cohorts together, by other draws.
"""

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import ibis
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from ibis.expr.types import Table

from sharewell.contract import Change, Count, NoMemory, Protected
from sharewell.data import engine
from sharewell.data.keyed import Keyed
from sharewell.data.scratch import scratch
from sharewell.traces.bucketed_log import cut, with_buckets
from sharewell.traces.kept_columns import merged_strata
from sharewell.traces.protection.moving import secret_number
from sharewell.traces.protection.ways import GroupTrial, Request, Way, chosen_way, held

IN_A_COHORT = 4_000_000  # events: what is held at a time, some 75 bytes each


@dataclass(frozen=True, kw_only=True)
class Cohort:
    """Some students: the files of their events, and a key that serves them alone. The key of the release stays here."""

    number: int
    files: tuple[Path, ...]
    keyed: Keyed


@dataclass(frozen=True, kw_only=True)
class Order:
    """What is to be made of every cohort: `read` its columns, under one way, as rows of one layout, in one folder."""

    request: Request
    way: Way
    read: tuple[str, ...]
    columns: pa.Schema
    folder: Path


@dataclass(frozen=True, kw_only=True)
class Chosen:
    """A way, the columns of the rows that it makes, and all that is told of it but these rows."""

    way: Way
    columns: pa.Schema
    tried: Protected


@dataclass(frozen=True, kw_only=True)
class Done:
    """A cohort that is protected: the files of its rows and, where there are any, of its groups; what was changed."""

    rows: Path
    groups: Path | None
    changes: tuple[Change, ...]


def best_way_in_cohorts(events: Table, request: Request) -> Protected:
    """What `ways.best_way` does, for a log that is not held whole."""
    events = merged_strata(events, request.kept.fixed, student=request.student, least=request.k)
    roster = _roster(events, request)
    chosen = _chosen(events, roster, request)
    folder = scratch() / uuid.uuid4().hex
    folder.mkdir()
    method = "groups" if isinstance(chosen.way, GroupTrial) else "search"
    plain = replace(_without_key(request), method=method)
    order = Order(request=plain, way=chosen.way, read=events.columns, columns=chosen.columns, folder=folder)
    cohorts = _cohorts(events, roster, request)
    done: list[Done] = engine.answers(engine.of(events), partial(_protected, order), cohorts)
    return _together(engine.of(events), chosen, done)


def _without_key(request: Request) -> Request:
    """What may be sent to workers: each is given a key of its own beside it."""
    return replace(request, keyed=Keyed(b"", ""), goal=replace(request.goal, secret=0), memory=NoMemory())


def _with_key(request: Request, keyed: Keyed) -> Request:
    return replace(request, keyed=keyed, goal=replace(request.goal, secret=secret_number(keyed)))


def _roster(events: Table, request: Request) -> Table:
    """Students with their numbers of events, those of the same kept values together, else in an order of the key."""
    fixed = {f"__fixed_{place}": events[name].max() for place, name in enumerate(request.kept.fixed)}
    people = events.group_by(__student=events[request.student]).agg(__events=events.count(), **fixed)
    people = people.mutate(__label=people["__student"].cast("string"))
    drawn = engine.keyed_numbers(people, "__label", "__drawn", request.keyed.secret("cohorts").hex())
    return engine.materialise(engine.numbered(drawn.order_by([*fixed, "__drawn", "__student"]), "__s"))


def _chosen(events: Table, roster: Table, request: Request) -> Chosen:
    """The best way for students whom the key draws from the whole log, looked for by whoever has room for them."""
    share = min(1.0, IN_A_COHORT / engine.value(roster["__events"].sum()))
    some = roster.filter(roster["__drawn"] < share).select(__who="__student")
    where, sample = engine.of(events), events.semi_join(some, events[request.student] == some["__who"])
    drawn = Cohort(number=-1, files=tuple(where.parts(sample)), keyed=_own_key(request, "choice"))
    chosen: Chosen
    (chosen,) = engine.answers(where, partial(_best, _without_key(request), events.columns), [drawn])
    return chosen


def _best(request: Request, read: tuple[str, ...], drawn: Cohort) -> Chosen:
    """The way and what is told of it: another process may have looked for it."""
    way, tried = chosen_way(held(engine.read(*drawn.files).select(*read), _with_key(request, drawn.keyed)))
    columns = tried.table.schema().to_pyarrow()
    return Chosen(way=way, columns=columns, tried=replace(tried, table=None, private={}))


def _own_key(request: Request, name: str) -> Keyed:
    """The key of the release stays in this process."""
    return Keyed(request.keyed.secret(f"cohort {name}"), "cohort")


def _cohorts(events: Table, roster: Table, request: Request) -> list[Cohort]:
    slices, ends, shift = cut(roster, engine.value(roster.count()), IN_A_COHORT)
    assigned = with_buckets(roster, slices, shift)
    bucket = engine.fresh(events.columns, "bucket")
    assigned = assigned.select(**{"__id": assigned["__id"], bucket: assigned["bucket"]})
    joined = events.join(assigned, events[request.student] == assigned["__id"]).select(*events.columns, bucket)
    files = engine.buckets(joined, bucket)
    return [
        Cohort(number=number, files=files[number], keyed=_own_key(request, str(number))) for number in range(len(ends))
    ]


def _protected(order: Order, cohort: Cohort) -> Done:
    """One cohort, held by whoever has room for it: its rows and groups written, what was done to it told."""
    request = _with_key(order.request, cohort.keyed)
    rows = order.folder / f"rows-{cohort.number}.parquet"
    made = held(engine.read(*cohort.files).select(*order.read), request).as_elsewhere(order.way)
    engine.copy(made.table.select(*order.columns.names).cast(ibis.schema(order.columns)), rows, format="parquet")
    groups = None
    if "groups" in made.private:
        groups = order.folder / f"groups-{cohort.number}.parquet"
        pq.write_table(made.private["groups"], groups)
    return Done(rows=rows, groups=groups, changes=made.changes)


def _together(where: engine.Engine, chosen: Chosen, done: Sequence[Done]) -> Protected:
    """All cohorts as one release, under what was told of the way when it was chosen."""
    curve = chosen.tried.curve
    assert curve is not None
    groups = [one.groups for one in done if one.groups is not None]
    note = (
        f" The log is larger than is held at a time: the way was chosen on students drawn with the key, with about "
        f"{IN_A_COHORT:,} events, and taken in {len(done)} cohorts, each of which is protected by itself."
    )
    return replace(
        chosen.tried,
        table=where.read([one.rows for one in done]),
        changes=_added_up(change for one in done for change in one.changes),
        curve=replace(curve, note=curve.note + note),
        private={"groups-of-parts": _numbered_apart(groups)} if groups else {},
    )


def _added_up(changes: Iterable[Change]) -> tuple[Change, ...]:
    """What was done to any cohort once, with the cells of all of them."""
    cells: dict[Change, Count | None] = {}
    for change in changes:
        what = replace(change, cells=None)
        before = cells.get(what)
        cells[what] = change.cells if before is None else Count(before + (change.cells or 0))
    return tuple(replace(what, cells=count) for what, count in cells.items())


def _numbered_apart(files: Sequence[Path]) -> Table:
    """Groups of all cohorts, on disk; none has the number of another's, and whoever is in none stays in none."""
    path, first = files[0].with_name("groups.parquet"), 0
    with pq.ParquetWriter(path, pq.read_schema(files[0])) as writer:
        for table in map(pq.read_table, files):
            own = np.asarray(table["group"])
            writer.write_table(table.set_column(1, "group", pa.array(np.where(own >= 0, own + first, own))))
            first += int(own.max(initial=-1)) + 1
    return engine.read(path)
