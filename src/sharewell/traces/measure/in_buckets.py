"""All attackers on a log that no memory holds: those who are attacked come here, the others answer bucket by bucket.

A large log is attacked by a sample of its students, whose own events are few. What is drawn for them depends beyond
these on how many students share each point and how often events occur, which are added up over the buckets. Their
questions go to every bucket in turn (`asking`), so that every figure is that of the log held whole; only who has the
same rows as others is counted for everybody there, and here for those who are attacked.

Attackers draw and judge where there is room, too: a worker begins all attacks anew with the answers so far, and says
what they ask next, or what they found. This process holds questions and answers only.
"""

import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from ibis.expr.types import Table

from sharewell.contract import Risk
from sharewell.data import engine
from sharewell.data.scratch import scratch
from sharewell.plan.windows import Window
from sharewell.traces.arrays import Array
from sharewell.traces.bucketed_log import Bucket, BucketedLog, is_large, opened
from sharewell.traces.log import NOTHING, Log, index
from sharewell.traces.measure import battery, worst_points
from sharewell.traces.measure.asking import Answer, Crowd, Heard, NotYetAnswered, Part, Question
from sharewell.traces.measure.attempts import Attempts
from sharewell.traces.measure.sides import POINTS, Points, Sides, Whole, by_columns, columns_of, put_together
from sharewell.traces.measure.verb_sequences import ORDER, BothOrdered, Sequences
from sharewell.traces.measure.verb_sequences import Sequence as Verbs
from sharewell.traces.protection.count_bands import Counts, told

COUNTED = pa.schema([("what", pa.string()), ("key", pa.int64()), ("count", pa.int64())])
OWN = pa.schema([("what", pa.string()), ("student", pa.int64()), ("key", pa.int64()), ("value", pa.int64())])
IN_ORDER = pa.schema([(name, pa.int64()) for name in ("student", "window", "code")])
ANSWERS = pa.schema([("question", pa.int64()), ("answer", pa.list_(pa.list_(pa.float64())))])
VERBS = "verbs"
VerbFiles: TypeAlias = Mapping[int, tuple[Path, ...]]


def in_parts(events: Table, student: str) -> bool:
    """Whether a log is attacked in buckets: one of few students is not, whose worst case is searched exactly."""
    return is_large(events) and bool(engine.value(events[student].nunique()) > worst_points.MOST_STUDENTS)


@dataclass(frozen=True, kw_only=True)
class Buckets:
    """What is known and what is released, in the same buckets; `counts` says how often events are told."""

    known: BucketedLog
    released: BucketedLog
    kept: tuple[str, ...] = ()
    counts: Counts = "all"
    verbs: BothOrdered | None = None


@dataclass(frozen=True, kw_only=True)
class Files:
    """The files of one bucket of students; those of verbs where they are looked at."""

    known: Bucket
    released: Bucket
    known_verbs: tuple[Path, ...] | None = None
    released_verbs: tuple[Path, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class Reader:
    """How the files of a bucket become logs, wherever they are read."""

    width: int
    before: int
    window: Window
    also: tuple[str, ...]
    combinations: pa.Table
    kept: tuple[str, ...]
    counts: Counts
    points: Path | None = None  # the keys of all points of the original, beyond which nothing is looked at

    def known(self, files: Files) -> dict[str, Log]:
        log = self._log(files.known)
        return self._sides(replace(log, events=told(log.events, self.counts)))

    def released(self, files: Files) -> dict[str, Log]:
        log = self._log(files.released)
        if self.points is not None:
            there = np.isin(log.keys, pq.read_table(self.points)["key"].to_numpy())
            log = log.subset(there[log.points])
        return self._sides(log)

    def _log(self, bucket: Bucket) -> Log:
        log = opened(bucket, self.width)
        known = {"window": self.window, "also": self.also, "combinations": self.combinations}
        return replace(log, keys=log.keys + self.before, **known)

    def _sides(self, log: Log) -> dict[str, Log]:
        return {side: by_columns(log, columns) for side, columns in columns_of(log, self.kept).items()}

    def part(self, files: Files) -> Part:
        bucket = files.released
        verbs = in_order(files.released_verbs, bucket)
        return Part(first=bucket.first, students=bucket.students, logs=self.released(files), verbs=verbs)


@dataclass(frozen=True, kw_only=True)
class Spread:
    """A release in buckets, as a crowd: it is gone through once for all questions that are asked at a time."""

    engine: engine.Engine
    reader: Reader
    files: tuple[Files, ...]

    def each(self, work: "partial[pa.Table]", like: pa.Schema) -> Iterator[pa.Table]:
        yield from self.engine.each(work, self.files, like)

    def answers(self, questions: Sequence[Question]) -> list[Answer]:
        found: dict[int, Answer] = {}
        for table in self.each(partial(_answered, self.reader, tuple(questions)), ANSWERS):
            for row in table.to_pylist():
                number, answer = row["question"], tuple(np.array(values, np.float64) for values in row["answer"])
                found[number] = questions[number].together(found[number], answer) if number in found else answer
        return [found[number] for number in range(len(questions))]


def _answered(reader: Reader, questions: tuple[Question, ...], files: Files) -> pa.Table:
    part = reader.part(files)
    answers = [[values.tolist() for values in question.asked(part)] for question in questions]
    return pa.table({"question": list(range(len(questions))), "answer": answers}, ANSWERS)


def risks_in_buckets(both: Buckets, attempts: Attempts, known: int) -> list[Risk]:
    """What `battery.risks` finds where both logs are held whole."""
    spread, sampled = _sampled(both, attempts)
    work, rounds = partial(_thought, sampled, attempts, known), list[list[Answer]]()
    while True:
        (thought,) = engine.answers(spread.engine, work, [tuple(rounds)])
        if isinstance(thought, list):
            return thought
        rounds.append(spread.answers(thought))


def _thought(
    sampled: "_Sampled", attempts: Attempts, known: int, rounds: Sequence[list[Answer]]
) -> list[Risk] | tuple[Question, ...]:
    """What all attackers found; or what they ask, where the answers so far do not tell."""
    try:
        return battery.risks(sampled.sides(Heard(rounds=iter(rounds))), attempts, known)
    except NotYetAnswered as open_:
        return open_.questions


def _sampled(both: Buckets, attempts: Attempts) -> tuple[Spread, "_Sampled"]:
    """The release in its buckets, and those students whom attempts of this seed attack."""
    spread = _spread(both)
    known = Counted.of(spread.each(partial(_known_counts, spread.reader), COUNTED))
    if both.released is not both.known:
        path = scratch() / f"{uuid.uuid4().hex}.parquet"
        pq.write_table(pa.table({"key": known.keys(POINTS)}), path)
        spread = replace(spread, reader=replace(spread.reader, points=path))
    seen = Counted.of(spread.each(partial(_released_counts, spread.reader), COUNTED))
    chosen = {what: _chosen(seen, what, attempts, spread.files) for what in (POINTS, VERBS)}
    own = pa.concat_tables(spread.each(partial(_own, spread.reader, chosen), OWN))
    students, ordered = both.known.students, both.verbs is not None
    reader = spread.reader
    return spread, _Sampled(reader=reader, own=own, known=known, seen=seen, students=students, ordered=ordered)


def _spread(both: Buckets) -> Spread:
    log = both.known
    reader = Reader(
        width=log.width, before=log.before, window=log.window, also=log.also, combinations=log.combinations,
        kept=both.kept, counts=both.counts,
    )  # fmt: skip
    known_verbs, released_verbs = _verb_files(both.verbs, log) if both.verbs else (None, None)
    files = tuple(
        Files(
            known=known, released=released,
            known_verbs=None if known_verbs is None else known_verbs.get(number, ()),
            released_verbs=None if released_verbs is None else released_verbs.get(number, ()),
        )
        for number, (known, released) in enumerate(zip(log.buckets, both.released.buckets, strict=True))
    )  # fmt: skip
    return Spread(engine=log.engine, reader=reader, files=files)


def _verb_files(both: BothOrdered, log: BucketedLog) -> tuple[VerbFiles, VerbFiles]:
    """Verbs in their order, in the buckets of their students; numbered alike on both sides."""
    known, released = (both.cells_to_order(side) for side in (both.known, both.released))
    names = pa.concat_tables([engine.arrow(engine.distinct(side, ["verb"])) for side in (known, released)])["verb"]
    distinct = pc.unique(names)
    codes = engine.listed(pa.table({"name": distinct, "code": np.arange(len(distinct))}))
    return _with_codes(known, codes, log), _with_codes(released, codes, log)


def _with_codes(cells: Table, codes: Table, log: BucketedLog) -> VerbFiles:
    """Cells go into their buckets as they come and are sorted there: an engine would sort all of them at once."""
    roster = log.grid.roster
    cells = cells.cast({"who": roster["__id"].type()}).join(roster, [("who", "__id")])
    joined = cells.join(codes, cells["verb"] == codes["name"])
    by = [name for name in cells.columns if name.startswith(ORDER)]
    unsorted = engine.buckets(joined.select("bucket", "window", "code", *by, student=joined["__s"]), "bucket")
    folder = scratch() / uuid.uuid4().hex
    folder.mkdir()
    made = engine.answers(log.engine, partial(_sorted, tuple(by), folder), list(unsorted.items()))
    return {number: (file,) for number, file in zip(unsorted, made, strict=True)}


def _sorted(by: tuple[str, ...], folder: Path, bucket: tuple[int, tuple[Path, ...]]) -> Path:
    number, files = bucket
    path, rows = folder / f"{number}.parquet", engine.read(*files)
    engine.copy(rows.order_by(["student", *by]).select(*IN_ORDER.names), path, format="parquet")
    return path


def in_order(files: Sequence[Path] | None, bucket: Bucket) -> Verbs | None:
    """The verbs of a bucket's students in their order; nothing where verbs are not looked at."""
    if files is None:
        return None
    rows = pa.concat_tables([IN_ORDER.empty_table(), *(pq.read_table(f, schema=IN_ORDER) for f in files)])
    student, window, code = (rows[name].to_numpy() for name in IN_ORDER.names)
    starts = np.concatenate([[0], np.cumsum(np.bincount(student - bucket.first, minlength=bucket.students))])
    return Verbs(starts=starts, verbs=code.astype(np.int32), windows=window)


def _known_counts(reader: Reader, files: Files) -> pa.Table:
    """How many students share each point of every side."""
    return _table({side: (log.keys, log.popularity) for side, log in reader.known(files).items()})


def _released_counts(reader: Reader, files: Files) -> pa.Table:
    """How many students of a bucket are in the release, how often events occur, and how many there are in windows."""
    part, first = reader.part(files), files.released.first
    often = {side: np.bincount(log.events) for side, log in part.logs.items()}
    told = {f"often {side}": (np.flatnonzero(counts), counts[counts > 0]) for side, counts in often.items()}
    told[f"in {POINTS}"] = (np.array([first]), np.array([np.sum(part.logs[POINTS].lengths > 0)]))
    if part.verbs is not None:
        told[f"in {VERBS}"] = (np.array([first]), np.array([np.sum(np.diff(part.verbs.starts) > 0)]))
        told[VERBS] = np.unique(part.verbs.windows, return_counts=True)
    return _table(told)


def _table(told: Mapping[str, tuple[Array, Array]]) -> pa.Table:
    parts = [
        pa.table({"what": np.repeat([what], len(key)), "key": key, "count": count}).cast(COUNTED)
        for what, (key, count) in told.items()
    ]
    return pa.concat_tables([COUNTED.empty_table(), *parts])


@dataclass(frozen=True, kw_only=True)
class Counted:
    """Numbers that were added up over all buckets."""

    table: pa.Table

    @classmethod
    def of(cls, tables: Iterator[pa.Table]) -> "Counted":
        total = COUNTED.empty_table()
        for counted in tables:
            added = pa.concat_tables([total, counted]).group_by(["what", "key"]).aggregate([("count", "sum")])
            total = added.rename_columns({"count_sum": "count"}).select(COUNTED.names)
        return cls(table=total.sort_by([("what", "ascending"), ("key", "ascending")]))

    def keys(self, what: str) -> Array:
        return np.asarray(self._of(what)["key"])

    def counts(self, what: str) -> Array:
        return np.asarray(self._of(what)["count"])

    def _of(self, what: str) -> pa.Table:
        return self.table.filter(pc.field("what") == what)


def _chosen(seen: Counted, what: str, attempts: Attempts, files: Sequence[Files]) -> dict[int, Array]:
    """Whom the attempts attack in every bucket, by their place among its students who are in the release."""
    there = dict(zip(seen.keys(f"in {what}").tolist(), seen.counts(f"in {what}").tolist(), strict=True))
    ranks = attempts.ranks(sum(there.values()))
    found, before = {}, 0
    for bucket in (each.released for each in files):
        here = there.get(bucket.first, 0)
        found[bucket.first] = ranks[(ranks >= before) & (ranks < before + here)] - before
        before += here
    return found


def _own(reader: Reader, chosen: Mapping[str, Mapping[int, Array]], files: Files) -> pa.Table:
    """All that is known and released of those who are attacked."""
    first, known, released = files.known.first, reader.known(files), reader.released(files)
    who = np.flatnonzero(released[POINTS].lengths)[chosen[POINTS][first]]
    tables = [OWN.empty_table()]
    for name, logs in (("known", known), ("released", released)):
        for side, log in logs.items():
            here = np.isin(log.owners, who)
            tables.append(
                _owned(f"{name} {side}", first + log.owners[here], log.keys[log.points[here]], log.events[here])
            )
    seen, verbs = in_order(files.released_verbs, files.released), in_order(files.known_verbs, files.known)
    if seen is not None and verbs is not None:
        present = np.flatnonzero(np.diff(seen.starts))[chosen[VERBS][first]]
        owners = np.repeat(np.arange(files.known.students), np.diff(verbs.starts))
        here = np.isin(owners, present)
        tables.append(_owned(VERBS, first + owners[here], verbs.windows[here], verbs.verbs[here]))
        nothing = np.zeros(len(present), np.int64)
        tables.append(_owned(f"in {VERBS}", first + present, nothing, nothing))
    return pa.concat_tables(tables)


def _owned(what: str, student: Array, key: Array, value: Array) -> pa.Table:
    return pa.table({"what": np.repeat([what], len(student)), "student": student, "key": key, "value": value}).cast(OWN)


@dataclass(frozen=True, kw_only=True)
class _Sampled:
    """Those who are attacked, with all that must be known of the others."""

    reader: Reader
    own: pa.Table
    known: Counted
    seen: Counted
    students: int
    ordered: bool  # whether verbs in their order are looked at

    @cached_property
    def names(self) -> Array:
        return np.asarray(np.unique(self._rows(f"released {POINTS}")["student"].to_numpy()))

    def sides(self, crowd: Crowd) -> Sides:
        """What `sides.sides` gives, for these students alone."""
        like = Log(
            ids=pa.nulls(len(self.names)), window=self.reader.window, also=self.reader.also,
            combinations=self.reader.combinations, names=self.names, **NOTHING,
        )  # fmt: skip
        sides = columns_of(like, self.reader.kept).items()
        points = {side: self._points(side, like, columns) for side, columns in sides}
        return put_together(points, crowd, self._verbs() if self.ordered else None)

    def _points(self, side: str, like: Log, columns: tuple[str, ...]) -> Points:
        nothing = np.empty(0, np.int32)
        like = by_columns(index(like, nothing, nothing, nothing, np.empty(0, np.int64)), columns)  # its combinations
        often = np.zeros(int(self.seen.keys(f"often {side}").max(initial=0)) + 1, np.int64)
        often[self.seen.keys(f"often {side}")] = self.seen.counts(f"often {side}")
        present = int(self.seen.counts(f"in {POINTS}").sum())
        known, released = (self._log(f"{which} {side}", side, like) for which in ("known", "released"))
        whole = Whole(students=self.students, present=present, often=often)
        return Points(
            known=replace(known, everywhere=self.known.counts(side)), released=released, side=side, whole=whole
        )

    def _log(self, what: str, side: str, like: Log) -> Log:
        rows, keys = self._rows(what), self.known.keys(side)
        owners = np.searchsorted(self.names, rows["student"].to_numpy())
        points = np.searchsorted(keys, rows["key"].to_numpy())
        order = np.lexsort((points, owners))
        events = rows["value"].to_numpy()[order]
        return index(like, owners[order].astype(np.int32), points[order].astype(np.int32), events, keys)

    def _verbs(self) -> Sequences:
        numbers = np.unique(self._rows(f"in {VERBS}")["student"].to_numpy())
        rows, events = self._rows(VERBS), self.seen.counts(VERBS)
        owners = np.searchsorted(numbers, rows["student"].to_numpy())
        order = np.argsort(owners, kind="stable")
        starts = np.concatenate([[0], np.cumsum(np.bincount(owners, minlength=len(numbers)))])
        known = Verbs(
            starts=starts, verbs=rows["value"].to_numpy()[order].astype(np.int32), windows=rows["key"].to_numpy()[order]
        )  # fmt: skip
        among = int(self.seen.counts(f"in {VERBS}").sum())
        return Sequences(
            known=known, present=np.arange(len(numbers)), among=among, events=int(events.sum()), windows=len(events),
            numbers=numbers,
        )  # fmt: skip

    def _rows(self, what: str) -> pa.Table:
        return self.own.filter(pc.field("what") == what)
