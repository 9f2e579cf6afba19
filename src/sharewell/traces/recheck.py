"""Unicity of a finished file once more, by code that shares nothing with the search that protected it.

Plain and slow on purpose: a point is what stands in the cells, the students who share it are the bits of one whole
number, and a student is alone if the numbers of all known points have only that student's bit in common.
"""

import pickle
import secrets
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import ibis
import numpy as np
import pyarrow as pa
from ibis.expr.types import Table
from numpy.typing import NDArray

from sharewell.contract import Measure, Risk
from sharewell.data import engine
from sharewell.data.scratch import scratch
from sharewell.stats.intervals import wilson
from sharewell.traces.kind import (
    EVENTS_OVER,
    EXPOSED,
    GUESS,
    NOT_INVENTED,
    RARE_POINTS_AGAIN,
    REAL_IDS,
    SCARCE_SESSIONS,
    SCARCE_STEPS,
    SCARCE_VALUES,
    STUDENTS_OVER,
    TIMES_OFF,
    UNICITY,
)

TRIES, LEAST_TRIES, MOST_BITS = 20_000, 500, 4_000_000_000  # bits looked at, over all tries
MOST_BITS_OF_WORST = 40_000_000_000  # the same for the worst points: some ten seconds
MOST_KEPT_BITS = 1_000_000_000  # of points that were looked at
MOST_ROWS, MOST_TARGETS = 10_000_000, 500  # of a longer file some students are looked for among all, part by part
MOST_PARTS, DEEPEST = 16, 6  # at a time, and how often they are parted again: one student's rows cannot be
NOTHING = "\0"  # a missing cell
HALF, LOWER_HALF = 32, 2**32 - 1  # of a hash: sums of whole ones would not fit
SEED = 1
READS_ALL = "everything in the file"
READER, KNOWS = "reader of the file", "second program, with the original"
PAUSE = 30 * 60  # seconds without an event after which a new session begins
RARE = 3  # a rare hour: at most so many students were active in it
Trace = list[tuple[Any, ...]]
WEIGHTS = {"random": 0.0, "rare": -1.0, "classmate": 1.0}  # powers of how many students share a point


def recheck(released: Table, facts: Mapping[str, Any]) -> list[Risk]:
    """Held to the limit by the lower end of the interval: fresh draws scatter, and only a sure excess is a problem."""
    if facts.get("method") == "synthetic":
        return _invented(released, facts)
    if not engine.value(released.count()):
        return []  # nobody is in the file
    parts = _in_parts(released, facts["student"])
    return [*_singled_out(parts, facts), *_same_rows(parts, facts, released.columns)]


def _singled_out(parts: Sequence[Table], facts: Mapping[str, Any]) -> list[Risk]:
    held = Held(parts, student=facts["student"], known_by=[facts["at"], *facts["also"]])
    drawn = [name for name in facts["attackers"] if name in (*WEIGHTS, "consecutive", "worst")]
    return [_risk(held, attacker, facts["known"], facts["limit"]) for attacker in drawn]


def _same_rows(parts: Sequence[Table], facts: Mapping[str, Any], told: Sequence[str]) -> list[Risk]:
    """How many have the very same rows as each student, all columns together, and what that allows to guess."""
    if "group_size" not in facts and "same rows" not in facts["attackers"]:
        return []  # a release in which nobody was promised company
    student, private = facts["student"], facts.get("private", [])
    columns = [name for name in told if name != student and name not in private]
    sizes = _sizes(parts, student, columns)
    n = sum(size * times for size, times in sizes.items())
    return [
        Risk(measure=measure, attacker=attacker, value=value, n=n, chance=1 / n, gate=gate, limit=limit)
        for gate, attacker, limit, measure, value in _claims(sizes, n, facts)
        if limit
    ]


def _claims(
    sizes: Mapping[int, int], n: int, facts: Mapping[str, Any]
) -> list[tuple[str, str, float | None, Measure, float]]:
    """What the plan asks for and what the file says of itself, each with what is seen."""
    worst = 1 / min(sizes)
    if "group_size" in facts:
        return [
            ("guess", READS_ALL, facts["guess"], EXPOSED, worst),
            ("groups", f"{READS_ALL}, counted by groups", 1 / facts["group_size"], EXPOSED, worst),
        ]
    return [
        ("unicity", READS_ALL, facts["limit"], UNICITY, sizes.get(1, 0) / n),
        ("guess", READS_ALL, facts["guess"], GUESS, sum(sizes.values()) / n),
        ("exposed", READS_ALL, facts.get("exposed"), EXPOSED, worst),
    ]


def _sizes(parts: Sequence[Table], student: str, columns: list[str]) -> dict[int, int]:
    """How many sets of rows so many students have in common.

    The rows of a student are told by two sums of hashes: nothing has to be sorted or held, however long the file is.
    Cells are hashed behind letters drawn anew: whoever made the file cannot have looked for rows that only seem alike.
    """
    drawn, found = secrets.token_hex(16), Counter[int]()
    alike = ibis.union(*(engine.materialise(_alike(part, student, columns, drawn, len(parts))) for part in parts))
    for share in range(len(parts)):
        some = alike.filter(alike["share"] == share).group_by("rows", "low", "high").agg(size=alike["size"].sum())
        counted = engine.arrow(some.group_by("size").agg(times=some.count()))
        found.update(dict(zip(map(int, counted["size"].to_pylist()), counted["times"].to_pylist(), strict=True)))
    return found


def _alike(part: Table, student: str, columns: list[str], drawn: str, shares: int) -> Table:
    """How many students of a part have each set of rows. Sums are kept as text: DuckDB's are too wide for a file."""
    cells = {name: drawn + part[name].cast("string").fill_null(NOTHING) for name in columns}
    rows = part.select(who=part[student], row=ibis.struct(cells))
    rows = engine.derived(rows, "row", "told", lambda row: row.hash())
    low, high = (rows["told"] & LOWER_HALF).sum(), (rows["told"] >> HALF).sum()
    sums = {"low": low.cast("string"), "high": high.cast("string"), "share": (low % shares).cast("int32")}
    people = rows.group_by("who").agg(rows=rows.count(), **sums)
    return people.group_by("rows", "low", "high", "share").agg(size=people.count())


def _invented(released: Table, facts: Mapping[str, Any]) -> list[Risk]:
    """What a file of invented students must hold by itself."""
    rows = _rows(released, facts, [])
    events = Counter(row[0] for row in rows)
    sizes = [size for trace in _traces(rows).values() for size in _session_sizes([row[0] for row in trace])]
    width = {"s": 1, "min": 60, "h": 3600}.get(str(facts["window"]).lstrip("0123456789"), 86_400)
    unit = width * int("".join(filter(str.isdigit, str(facts["window"]))) or 1) if width < 86_400 else 86_400
    checks = [
        (
            NOT_INVENTED,
            sum(not who.startswith(facts["prefix"]) for who in events),
            0,
            "Every student id must be an invented one.",
        ),
        (STUDENTS_OVER, max(0, len(events) - facts["students"]), 0, "Nobody was added after the attacks were run."),
        (
            EVENTS_OVER,
            max(events.values(), default=0),
            facts["longest"],
            "An exceptionally long log could point at an exceptionally busy student.",
        ),
        (
            SCARCE_SESSIONS,
            max(sizes, default=0) if unit < 86_400 else 0,
            facts["largest_session"],
            "An exceptionally long session could point at whoever had one.",
        ),
        (
            TIMES_OFF,
            sum(int(row[1]) % unit != 0 for row in rows),
            0,
            "Times are not told more exactly than the release says.",
        ),
    ]
    return [
        Risk(measure=measure, attacker=READER, value=value, n=len(rows), limit=limit, story=story)
        for measure, value, limit, story in checks
    ]


def against_original(
    original: Table, released: Table, facts: Mapping[str, Any], *, fitted: pa.Array, place: str, limit: float | None
) -> list[Risk]:
    """What must hold between invented rows and real ones; `fitted` are those who were learnt from."""
    m, learnt = facts["students_per_step"], set(fitted.cast(pa.string()).to_pylist())
    real, made = _traces(_rows(original, facts, [])), _traces(_rows(released, facts, [place]))
    inside = {who: trace for who, trace in real.items() if who in learnt}
    n = sum(map(len, made.values()))
    allowed: list[tuple[Measure, Callable[[Trace], set[Any]], str]] = [
        (
            SCARCE_VALUES,
            lambda trace: {row[1] for row in trace},
            "Every released combination of values has {m} real students.",
        ),
        (
            SCARCE_STEPS,
            lambda trace: {(a[1], b[1]) for a, b in pairwise(trace)},
            "Every released step was taken by {m} real students.",
        ),
    ]
    risks = [_zero(REAL_IDS, len(set(real) & set(made)), n, "No invented student may carry a real id.")]
    for measure, kinds, story in allowed:
        held = Counter(kind for trace in inside.values() for kind in kinds(trace))
        seen = {kind for trace in made.values() for kind in kinds(trace)}
        risks.append(_zero(measure, sum(held[kind] < m for kind in seen), n, story.format(m=m)))
    return [*risks, _rare_points(real, made, learnt, limit)]


def _rows(table: Table, facts: Mapping[str, Any], order: list[str]) -> list[tuple[Any, ...]]:
    """Student, second and value of every event as plain tuples, in the order of a student's events."""
    moment = table[facts["at"]]
    seconds = moment.try_cast("timestamp").epoch_seconds()
    text = [table[name].cast("string").fill_null(NOTHING).name(f"v{place}") for place, name in enumerate(facts["also"])]
    named = table.select(
        table[facts["student"]].cast("string").name("who"), seconds.name("second"), *text,
        *(table[name].name(f"o{place}") for place, name in enumerate(order)),
    )  # fmt: skip
    within = [f"o{place}" for place in range(len(order))] or [f"v{place}" for place in range(len(text))]
    cells = engine.arrow(named.order_by(["who", "second", *within]))
    values = list(zip(*(cells[f"v{place}"].to_pylist() for place in range(len(text))), strict=True))
    return list(
        zip(cells["who"].to_pylist(), cells["second"].to_pylist(), values or [()] * cells.num_rows, strict=True)
    )


def _traces(rows: list[tuple[Any, ...]]) -> dict[str, Trace]:
    """For each student the moments and values, in order."""
    found: dict[str, Trace] = {}
    for who, second, value in rows:
        found.setdefault(who, []).append((second, value))
    return found


def _session_sizes(moments: list[int]) -> list[int]:
    """Events between pauses of more than half an hour."""
    sizes = [1]
    for before, after in pairwise(moments):
        if after - before > PAUSE:
            sizes.append(0)
        sizes[-1] += 1
    return sizes


def _rare_points(real: dict[str, Trace], made: dict[str, Trace], learnt: set[str], limit: float | None) -> Risk:
    """Hours of the calendar that few students shared: whose are in the release more often than usual?"""
    own = {who: {row[0] // 3600 for row in trace} for who, trace in real.items()}
    holders = Counter(hour for hours in own.values() for hour in hours)
    there = {row[0] // 3600 for trace in made.values() for row in trace}
    rare = {who: [hour in there for hour in hours if holders[hour] <= RARE] for who, hours in own.items()}
    every = [seen for hours in rare.values() for seen in hours]
    usual = sum(every) / max(1, len(every))
    score = {who: sum(hours) - usual * len(hours) for who, hours in rare.items()}
    inside, outside = (np.array([score[who] for who in score if (who in learnt) is side]) for side in (True, False))
    pairs = (inside[:, None] > outside).mean() + 0.5 * (inside[:, None] == outside).mean()
    wide = 1.96 * float(np.sqrt((1 / inside.size + 1 / outside.size) / 12))  # of an attack without signal
    return Risk(
        measure=RARE_POINTS_AGAIN, attacker=KNOWS, value=max(0.0, float(pairs) - wide), n=len(score), chance=0.5,
        setting={"r": RARE, "auc": round(float(pairs), 4)},
        story="Rare hours on this release alone, once more by other code: not clearly above the limit.",
        gate=None if limit is None else "recheck", limit=limit,
    )  # fmt: skip


def _zero(measure: Measure, value: int, n: int, story: str) -> Risk:
    return Risk(measure=measure, attacker=KNOWS, value=value, n=n, limit=0, gate="recheck", story=story)


class Held:
    """Who holds which point; of a long file the points that some students hold, with all who hold them.

    `targets` are the students whose points are all here. Students and points are numbered in the order of their cells,
    students of one part after those of the part before. Only one part is in memory at a time.
    """

    def __init__(self, parts: Sequence[Table], *, student: str, known_by: list[str]) -> None:
        names = [f"p{place}" for place in range(len(known_by))]
        rows = [_as_text(part, dict(zip(["who", *names], [student, *known_by], strict=True))) for part in parts]
        people = [_numbered(part, ["who"], "student") for part in rows]
        counts = [int(engine.value(part.count())) for part in people]
        some = people[0] if len(parts) == 1 else _drawn_by_hash(people)
        points = _numbered(ibis.union(*(part.semi_join(some, "who") for part in rows)), names, "point")
        self.count, self.points = sum(counts), int(engine.value(points.count()))
        self.shared_by, pairs = np.zeros(self.points, np.int64), []
        self._here: list[Holders] = []
        self._on_disk: list[Path] = []
        for first, size, part, own in zip(np.cumsum([0, *counts[:-1]]), counts, rows, people, strict=True):
            at_points = engine.materialise(part.join(points, names).select("who", "point"))  # or guessed to be small
            holders = _holders(at_points.join(own, "who").select("point", "student"), self.points, size)
            self.shared_by += holders.shared_by
            looked_for = np.sort(engine.arrow(own.semi_join(some, "who"))["student"].to_numpy())
            pairs.append(holders.points_of(looked_for) + np.array([[first], [0]]))
            self._keep(holders, alone=len(parts) == 1)
        students, self._own = np.concatenate(pairs, axis=1)
        self.targets, self._from = np.unique(students), np.searchsorted(students, np.arange(self.count + 1))

    def _keep(self, holders: "Holders", *, alone: bool) -> None:
        if alone:
            self._here.append(holders)
            return
        self._on_disk.append(scratch() / f"{uuid.uuid4().hex}.holders")
        self._on_disk[-1].write_bytes(pickle.dumps(holders))

    def parts(self) -> Iterator["Holders"]:
        yield from self._here
        for path in self._on_disk:
            yield pickle.loads(path.read_bytes())

    def own(self, student: int) -> NDArray[Any]:
        return np.asarray(self._own[self._from[student] : self._from[student + 1]])

    @property
    def points_of_targets(self) -> int:
        return int(self._own.size)

    def alone(self, sets: Sequence[NDArray[Any]]) -> NDArray[np.bool_]:
        """Whether one student only holds all points of each set; where two do, no further part is asked."""
        company = np.zeros(len(sets), np.int64)
        for part in self.parts():
            for place in np.flatnonzero(company < 2).tolist():
                company[place] += part.common(sets[place]).bit_count()
        return np.asarray(company == 1)

    @cached_property
    def lone(self) -> frozenset[int]:
        """Targets who may be told from all others; those whom all of their points together leave in company never are.

        Where it takes as long to see as to draw, nobody is left out.
        """
        if self.points_of_targets * self.count > MOST_BITS:
            return frozenset(self.targets.tolist())
        return frozenset(self.targets[self.alone([self.own(who) for who in self.targets.tolist()])].tolist())


class Holders:
    """The students of one part who hold each point: kept as bits, or as lists where bits would be too many."""

    def __init__(self, shared_by: NDArray[Any], count: int, *, flags: NDArray[Any], listed: NDArray[Any]) -> None:
        self.shared_by, self._count, self._flags, self._listed = shared_by, count, flags, listed
        self._until = np.cumsum(shared_by)
        self._bits: dict[int, int] = {}

    def bits(self, point: int) -> int:
        if self._flags.size:
            return int.from_bytes(self._flags[point].tobytes(), "little")
        if point in self._bits:
            return self._bits[point]
        found = int.from_bytes(np.packbits(self._marked(point), bitorder="little").tobytes(), "little")
        if len(self._bits) * self._count < MOST_KEPT_BITS:
            self._bits[point] = found
        return found

    def _marked(self, point: int) -> NDArray[Any]:
        marks = np.zeros(self._count, np.uint8)
        marks[self._listed[self._until[point] - self.shared_by[point] : self._until[point]]] = 1
        return marks

    def common(self, points: NDArray[Any]) -> int:
        """Who holds all of them; all bits where there are none."""
        company = -1
        for point in points.tolist():
            company &= self.bits(point)
        return company

    def points_of(self, students: NDArray[Any]) -> NDArray[np.int64]:
        """Pairs of some students, in their order, and each of their points."""
        if self._flags.size:
            held = (self._flags[:, students // 8] >> (students % 8).astype(np.uint8)) & 1
            whose, point = np.nonzero(held.T)
            return np.stack([students[whose], point])
        pairs = np.stack([self._listed, np.repeat(np.arange(self.shared_by.size), self.shared_by)]).astype(np.int64)
        pairs = pairs[:, np.isin(pairs[0], students)]
        return np.asarray(pairs[:, np.argsort(pairs[0], kind="stable")])


def _holders(pairs: Table, points: int, count: int) -> Holders:
    """Rows pass in any order, and as often as they stand in the file; lists need each of them once, in order."""
    if points * count > MOST_KEPT_BITS:
        distinct = engine.distinct(pairs, ["point", "student"]).order_by(["point", "student"])
        shared_by, listed = np.zeros(points, np.int64), [np.empty(0, np.int32)]
        for point, student in _as_numbers(distinct):
            shared_by += np.bincount(point, minlength=points)
            listed.append(student.astype(np.int32))
        return Holders(shared_by, count, flags=np.empty((0, 0), np.uint8), listed=np.concatenate(listed))
    flags = np.zeros((points, -(-count // 8)), np.uint8)
    for point, student in _as_numbers(pairs):
        np.bitwise_or.at(flags, (point, student // 8), (1 << student % 8).astype(np.uint8))
    shared = (np.bitwise_count(holders).sum(dtype=np.int64) for holders in flags)  # one point at a time
    return Holders(np.fromiter(shared, np.int64, points), count, flags=flags, listed=np.empty(0, np.int32))


def _as_numbers(pairs: Table) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
    for batch in engine.batches(pairs):
        yield np.asarray(batch["point"]), np.asarray(batch["student"])


def _in_parts(released: Table, student: str, depth: int = 0) -> list[Table]:
    """The file, or of a longer one the rows of some students at a time: those of one student stay together.

    It is read once for every part, and parts that are still too long are parted again: to write all of them at once
    takes the more memory the more there are.
    """
    parts = min(MOST_PARTS, -(-int(engine.value(released.count())) // MOST_ROWS))
    if parts <= 1 or depth == DEEPEST:
        return [released]
    name, digit = engine.fresh(released.columns, "part"), MOST_PARTS**depth
    told = engine.derived(
        released, student, name, lambda who: ((who.cast("string").hash() & LOWER_HALF) // digit) % parts
    )
    told = told.mutate(**{name: told[name].fill_null(0)})  # a missing id is a student, too
    some = (engine.materialise(told.filter(told[name] == part).drop(name)) for part in range(parts))
    return [smaller for part in some for smaller in _in_parts(part, student, depth + 1)]


def _as_text(rows: Table, columns: Mapping[str, str]) -> Table:
    return rows.select(**{name: rows[column].cast("string").fill_null(NOTHING) for name, column in columns.items()})


def _drawn_by_hash(people: Sequence[Table]) -> Table:
    """Some students of all parts."""
    least = []
    for part in people:
        drawn = engine.derived(part.select("who"), "who", "drawn", lambda who: who.hash())
        least.append(engine.arrow(drawn.order_by(["drawn", "who"]).limit(MOST_TARGETS)))
    found = pa.concat_tables(least).sort_by([("drawn", "ascending"), ("who", "ascending")])
    return engine.listed(found.slice(0, MOST_TARGETS).select(["who"]))


def _numbered(rows: Table, names: list[str], number: str) -> Table:
    """Distinct cells, numbered in their order."""
    return engine.materialise(engine.numbered(engine.distinct(rows, names).order_by(names), number))


def _risk(held: Held, attacker: str, known: int, limit: float) -> Risk:
    generator = np.random.default_rng(SEED)
    if attacker == "worst":
        targets = _as_many_as_can_be_looked_for(held, known, generator)
        tried = targets.size
        hits = _told_by_few_points(held, [who for who in targets.tolist() if who in held.lone], known)
    else:
        tried = max(LEAST_TRIES, min(TRIES, MOST_BITS // max(1, held.count)))
        targets = generator.choice(held.targets, tried)
        lone = [who for who in targets.tolist() if who in held.lone]
        hits = int(held.alone([_drawn(held, who, attacker, known, generator) for who in lone]).sum())
    low, high = wilson(hits, tried)
    return Risk(
        measure=UNICITY, attacker=attacker, value=hits / tried, low=low, high=high, n=min(tried, held.targets.size),
        chance=1 / held.count, setting={"known": known}, gate="unicity", limit=limit, bound="low",
    )  # fmt: skip


def _as_many_as_can_be_looked_for(held: Held, known: int, generator: np.random.Generator) -> NDArray[Any]:
    """All targets, or some: every point of a target is held against all students, for each point that is known."""
    each = known * held.count * held.points_of_targets / held.targets.size
    most = max(LEAST_TRIES, int(MOST_BITS_OF_WORST / each))
    return held.targets if most >= held.targets.size else generator.choice(held.targets, most, replace=False)


def _drawn(held: Held, student: int, attacker: str, known: int, generator: np.random.Generator) -> NDArray[Any]:
    own = held.own(student)
    if own.size <= known:
        return own
    if attacker == "consecutive":
        first = generator.integers(0, own.size - known + 1)
        return own[first : first + known]
    weights = held.shared_by[own] ** WEIGHTS[attacker]
    keys = np.log(generator.random(own.size)) / weights  # the largest are a weighted draw (Efraimidis, Spirakis 2006)
    return np.asarray(own[np.argpartition(-keys, known)[:known]])


def _told_by_few_points(held: Held, students: Sequence[int], known: int) -> int:
    """How many are singled out by taking, one after the other, the point that leaves the fewest others.

    The truly worst points may do better: the share found this way is at least as low as that of an exact search.
    """
    taken = {who: np.empty(0, np.int64) for who in students}
    for _ in range(known):
        left = {who: np.zeros(held.own(who).size, np.int64) for who in taken}
        for part in held.parts():
            for who, points in taken.items():
                company = part.common(points)
                left[who] += [(company & part.bits(point)).bit_count() for point in held.own(who).tolist()]
        open_ = [who for who in taken if left[who].min() > 1]
        taken = {who: np.append(taken[who], held.own(who)[left[who].argmin()]) for who in open_}
    return len(students) - len(taken)
