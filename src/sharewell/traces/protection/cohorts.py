"""A log protected cohort by cohort: the way is chosen on some students and taken for all.

What a cohort is follows from the data, the key and a fixed size; a log of no more events than that is one cohort.

Company only grows with more students. A student who is like others of the own cohort is like them in
the whole release, whether they share rows (groups) or points (less detail for all). So each cohort is read and
protected by itself, wherever the engine has room, and written down; only the chosen way and the counts of what was done
come here. The gate attacks all cohorts together, by other draws.

In a next version everybody stays in the cohort and the group that they had; newcomers form cohorts of their own.
"""

import uuid
from collections.abc import Iterable, Mapping, Sequence
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
from sharewell.errors import Refused
from sharewell.traces.kept_columns import KeptColumns, merged_strata
from sharewell.traces.protection import earlier_groups
from sharewell.traces.protection.groups import NOBODY, check_used_again
from sharewell.traces.protection.student_features import best_features
from sharewell.traces.protection.ways import GroupTrial, Request, Way, chosen_way, prepared

SLICES = 1024  # of the numbered students, which are put together to cohorts of about the same number of events
IN_A_COHORT = 4_000_000  # events: what is in memory at a time, some 75 bytes each
GROUPS = pa.schema([("student", pa.string()), ("group", pa.int64()), ("cohort", pa.int64())])


@dataclass(frozen=True, kw_only=True)
class Cohort:
    """Some students: the files of their events, and a key that serves them alone. The key of the release stays here.

    `earlier` are the files of the groups that they, and those who left, had in an earlier release.
    """

    number: int
    files: tuple[Path, ...]
    keyed: Keyed
    earlier: tuple[Path, ...] = ()


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
    """A way, the columns that it reads and makes, and all that is known of it but these rows."""

    way: Way
    kept: KeptColumns
    read: tuple[str, ...]
    columns: pa.Schema
    tried: Protected


@dataclass(frozen=True, kw_only=True)
class Done:
    """A cohort that is protected: the files of its rows and, where there are any, of its groups; what was changed."""

    number: int
    rows: Path
    groups: Path | None
    changes: tuple[Change, ...]


def best_way(events: Table, request: Request, earlier: Table | None = None) -> Protected:
    """The way that keeps most of a log, taken for everybody; `earlier` are groups that are to be used again."""
    events = merged_strata(events, request.kept.fixed, student=request.student, least=request.k)
    if earlier is not None:
        _check_used_again(events, request, earlier)
    if engine.value(events.count()) <= IN_A_COHORT:
        groups = None if earlier is None else earlier_groups.by_student(engine.arrow(earlier))
        log = prepared(events, replace(request, earlier=groups))
        return best_features(log) if request.method == "features" else chosen_way(log).protected
    if request.method == "features":
        raise Refused(f"features are released of logs of at most {IN_A_COHORT:,} events; name another method")
    roster = _roster(events, request, earlier)
    chosen = _chosen(events, roster, request)
    folder = scratch() / uuid.uuid4().hex
    folder.mkdir()
    method = "groups" if isinstance(chosen.way, GroupTrial) else "search"
    plain = replace(_without_key(request), method=method, kept=chosen.kept)
    order = Order(request=plain, way=chosen.way, read=chosen.read, columns=chosen.columns, folder=folder)
    cohorts = _cohorts(events, roster, request, earlier)
    done: list[Done] = engine.answers(engine.of(events), partial(_protected, order), cohorts)
    return _together(engine.of(events), chosen, done)


def _check_used_again(events: Table, request: Request, earlier: Table) -> None:
    """Whether the groups of an earlier release are of these students, and large enough."""
    grouped = earlier.filter(earlier["group"] > NOBODY)
    sizes = grouped.group_by("group").agg(size=grouped.count())
    ids = events.select(__who=events[request.student].cast("string")).distinct()
    before = engine.there(earlier)
    known = engine.value(ids.semi_join(before, ids["__who"] == before["student"]).count())
    check_used_again(known=known, largest=engine.value(sizes["size"].max()) or 0, k=request.k)


def _without_key(request: Request) -> Request:
    """What may be sent to workers: each is given a key of its own beside it."""
    return replace(request, keyed=Keyed(b"", ""), memory=NoMemory())


def _for_cohort(request: Request, cohort: Cohort) -> Request:
    """With the key of a cohort, and the groups that its students had; newcomers had none."""
    earlier = earlier_groups.by_student(pq.read_table(list(cohort.earlier))) if cohort.earlier else None
    return replace(request, keyed=cohort.keyed, earlier=earlier or None)


def _roster(events: Table, request: Request, earlier: Table | None) -> Table:
    """Students with their numbers of events, those of the same kept values together, else in an order of the key.

    And with the group and the cohort that they had, if any: those of one group are drawn together.
    """
    fixed = {f"__fixed_{place}": events[name].max() for place, name in enumerate(request.kept.fixed)}
    people = events.group_by(__student=events[request.student]).agg(__events=events.count(), **fixed)
    people = people.mutate(__label=people["__student"].cast("string"))
    people = _as_they_were(people, earlier)
    drawn = engine.keyed_numbers(people, "__label", "__drawn", request.keyed.secret("cohorts").hex())
    return engine.materialise(engine.numbered(drawn.order_by([*fixed, "__drawn", "__student"]), "__s"))


def _as_they_were(people: Table, earlier: Table | None) -> Table:
    """With the group and the cohort of an earlier release; those of one group get one label, to be drawn together."""
    if earlier is None:
        return people.mutate(__group=ibis.null("int64"), __cohort=ibis.null("int64"))
    before = engine.there(earlier).select(__name="student", __group="group", __cohort="cohort")
    joined = people.left_join(before, people["__label"] == before["__name"]).drop("__name")
    together = "group " + joined["__group"].cast("string")
    return joined.mutate(__label=ibis.ifelse(joined["__group"] > NOBODY, together, joined["__label"]))


def _chosen(events: Table, roster: Table, request: Request) -> Chosen:
    """Choose the best way on students whom the key draws from the whole log."""
    share = min(1.0, IN_A_COHORT / engine.value(roster["__events"].sum()))
    some = roster.filter(roster["__drawn"] < share).select(__who="__student")
    where, sample = engine.of(events), events.semi_join(some, events[request.student] == some["__who"])
    groups = roster.filter((roster["__drawn"] < share) & roster["__group"].notnull())
    earlier = where.parts(groups.select(student=groups["__student"].cast("string"), group="__group"))
    key = _own_key(request, "choice")
    drawn = Cohort(number=-1, files=tuple(where.parts(sample)), keyed=key, earlier=tuple(earlier))
    chosen: Chosen
    (chosen,) = engine.answers(where, partial(_best, _without_key(request), events.columns), [drawn])
    return chosen


def _best(request: Request, read: tuple[str, ...], drawn: Cohort) -> Chosen:
    """Return the best way of drawn students; another process may search for it."""
    best = chosen_way(prepared(engine.read(*drawn.files).select(*read), _for_cohort(request, drawn)))
    gone = set(request.kept.all) - set(best.kept.all)
    return Chosen(
        way=best.way, kept=best.kept, read=tuple(name for name in read if name not in gone),
        columns=best.protected.table.schema().to_pyarrow(), tried=replace(best.protected, table=None, private={}),
    )  # fmt: skip


def _own_key(request: Request, name: str) -> Keyed:
    """The key of the release stays in this process."""
    return Keyed(request.keyed.secret(f"cohort {name}"), "cohort")


def _cohorts(events: Table, roster: Table, request: Request, earlier: Table | None) -> list[Cohort]:
    """Everybody's events, put together by cohort."""
    assigned = _assigned(roster)
    bucket = engine.fresh(events.columns, "bucket")
    assigned = assigned.select(**{"__id": assigned["__id"], bucket: assigned["cohort"]})
    joined = events.join(assigned, events[request.student] == assigned["__id"]).select(*events.columns, bucket)
    files = engine.buckets(joined, bucket)
    groups = {} if earlier is None else engine.buckets(earlier, "cohort")
    return [
        Cohort(number=one, files=files[one], keyed=_own_key(request, str(one)), earlier=groups.get(one, ()))
        for one in sorted(files)
    ]


def _assigned(roster: Table) -> Table:
    """Assign cohorts: earlier ones again, newcomers to new ones of equal size."""
    newcomers = roster.mutate(__events=ibis.ifelse(roster["__cohort"].isnull(), roster["__events"], 0))
    slices, shift = _cut(newcomers, engine.value(roster.count()))
    cut_up, last = _with_buckets(roster, slices, shift), engine.value(roster["__cohort"].max())
    if last is None:
        return cut_up.select("__id", cohort="bucket")
    joined = cut_up.join(roster.select("__s", "__cohort"), "__s")
    return joined.select("__id", cohort=ibis.coalesce(joined["__cohort"], joined["bucket"] + last + 1))


def _cut(roster: Table, students: int) -> tuple[pa.Table, int]:
    """Which slice of students goes into which cohort, and by how many bits numbers of students become slices.

    `roster` numbers students in `__s` and has their numbers of `__events`. Slices are of a power of two of students, so
    that the engine shifts bits: it may divide in decimals.
    """
    shift = max(0, (students // SLICES).bit_length())
    sliced = roster.select(slice=roster["__s"] >> shift, events=roster["__events"])
    found = engine.arrow(sliced.group_by("slice").agg(events=sliced.events.sum())).sort_by("slice")
    events = np.asarray(found["events"].cast(pa.int64()))
    _, bucket = np.unique((np.cumsum(events) - events) // IN_A_COHORT, return_inverse=True)
    return pa.table({"slice": np.asarray(found["slice"]), "bucket": bucket.astype(np.int64)}), shift


def _with_buckets(roster: Table, slices: pa.Table, shift: int) -> Table:
    """Every student with a number and the cohort that their events go to."""
    known = engine.listed(slices)
    joined = roster.join(known, (roster["__s"] >> shift) == known["slice"])
    return engine.materialise(joined.select("__s", "bucket", __id=joined["__student"]))


def _protected(order: Order, cohort: Cohort) -> Done:
    """Protect one cohort on a worker; write its rows and groups."""
    request = _for_cohort(order.request, cohort)
    rows = order.folder / f"rows-{cohort.number}.parquet"
    made = prepared(engine.read(*cohort.files).select(*order.read), request).as_elsewhere(order.way)
    engine.copy(made.table.select(*order.columns.names).cast(ibis.schema(order.columns)), rows, format="parquet")
    groups = None
    if "groups" in made.private:
        groups = order.folder / f"groups-{cohort.number}.parquet"
        pq.write_table(made.private["groups"], groups)
    return Done(number=cohort.number, rows=rows, groups=groups, changes=made.changes)


def _together(where: engine.Engine, chosen: Chosen, done: Sequence[Done]) -> Protected:
    """Join all cohorts to one release with the facts of the chosen way."""
    curve = chosen.tried.curve
    assert curve is not None
    groups = {one.number: one.groups for one in done if one.groups is not None}
    note = (
        f" The log is larger than a cohort: the way was chosen on students drawn with the key, with about "
        f"{IN_A_COHORT:,} events, and taken in {len(done)} cohorts, each of which is protected by itself."
    )
    return replace(
        chosen.tried,
        table=where.read([one.rows for one in done]),
        changes=_added_up(change for one in done for change in one.changes),
        curve=replace(curve, note=curve.note + note),
        private={"groups": _numbered_apart(groups)} if groups else {},
    )


def _added_up(changes: Iterable[Change]) -> tuple[Change, ...]:
    """What was done to any cohort once, with the cells of all of them."""
    cells: dict[Change, Count | None] = {}
    for change in changes:
        what = replace(change, cells=None)
        before = cells.get(what)
        cells[what] = change.cells if before is None else Count(before + (change.cells or 0))
    return tuple(replace(what, cells=count) for what, count in cells.items())


def _numbered_apart(files: Mapping[int, Path]) -> Table:
    """Number the groups of all cohorts apart, on disk; NOBODY stays NOBODY."""
    path, first = next(iter(files.values())).with_name("groups.parquet"), 0
    with pq.ParquetWriter(path, GROUPS) as writer:
        for cohort, table in ((number, pq.read_table(file)) for number, file in files.items()):
            own = np.asarray(table["group"])
            numbers = np.where(own > NOBODY, own + first, own)
            cells = [table["student"].cast(pa.string()), numbers, np.full(own.size, cohort)]
            writer.write_table(pa.table(cells, schema=GROUPS))
            first += int(own.max(initial=NOBODY)) + 1
    return engine.read(path)
