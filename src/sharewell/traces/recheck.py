"""Unicity of a finished file once more, by code that shares nothing with the search that protected it.

Plain and slow on purpose: a point is what stands in the cells, the students who share it are the bits of one whole
number, and a student is alone if the numbers of all known points have only that student's bit in common.
"""

import secrets
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cached_property
from itertools import pairwise
from typing import Any

import ibis
import numpy as np
import pyarrow as pa
from ibis.expr.types import Table
from numpy.typing import NDArray

from sharewell.contract import Measure, Risk
from sharewell.data import engine
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
MOST_ROWS, MOST_TARGETS = 10_000_000, 500  # of a longer file some students are looked for among all
AT_A_TIME = 100_000  # students who are looked up in the rows
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
    held = Held(released, student=facts["student"], known_by=[facts["at"], *facts["also"]])
    if not held.count:
        return []  # nobody is in the file
    drawn = [name for name in facts["attackers"] if name in (*WEIGHTS, "consecutive", "worst")]
    risks = [_risk(held, attacker, facts["known"], facts["limit"]) for attacker in drawn]
    return [*risks, *_same_rows(released, facts)]


def _same_rows(released: Table, facts: Mapping[str, Any]) -> list[Risk]:
    """How many have the very same rows as each student, all columns together, and what that allows to guess."""
    if "group_size" not in facts and "same rows" not in facts["attackers"]:
        return []  # a release in which nobody was promised company
    student, private = facts["student"], facts.get("private", [])
    columns = [name for name in released.columns if name != student and name not in private]
    sizes = _sizes(released, student, columns)
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


def _sizes(released: Table, student: str, columns: list[str]) -> dict[int, int]:
    """How many sets of rows so many students have in common.

    The rows of a student are told by two sums of hashes: nothing has to be sorted or held, however long the file is.
    Cells are hashed behind letters drawn anew: whoever made the file cannot have looked for rows that only seem alike.
    """
    drawn = secrets.token_hex(16)
    cells = {name: drawn + released[name].cast("string").fill_null(NOTHING) for name in columns}
    rows = released.select(who=released[student], row=ibis.struct(cells))
    rows = engine.derived(rows, "row", "told", lambda row: row.hash())
    halves = {"low": (rows["told"] & LOWER_HALF).sum(), "high": (rows["told"] >> HALF).sum()}
    people = rows.group_by("who").agg(rows=rows.count(), **halves)
    alike = people.group_by("rows", "low", "high").agg(size=people.count())
    counted = engine.arrow(alike.group_by("size").agg(times=alike.count()))
    return dict(zip(counted["size"].to_pylist(), counted["times"].to_pylist(), strict=True))


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
    and come as numbers, some at a time: in a coarse release nearly all students hold the points of any of them.
    """

    def __init__(self, released: Table, *, student: str, known_by: list[str]) -> None:
        names = [f"p{place}" for place in range(len(known_by))]
        cells = [released[name].cast("string").fill_null(NOTHING) for name in (student, *known_by)]
        rows = released.select(**dict(zip(["who", *names], cells, strict=True)))
        people = some = _numbered(rows, ["who"], "student")
        if engine.value(rows.count()) > MOST_ROWS:
            drawn = engine.derived(people, "who", "drawn", lambda who: who.hash())
            some = engine.materialise(drawn.order_by(["drawn", "who"]).limit(MOST_TARGETS).drop("drawn"))
        points = _numbered(rows.semi_join(some, "who"), names, "point")
        self.count, self._points = engine.value(people.count()), engine.value(points.count())
        self.targets = np.sort(engine.arrow(some)["student"].to_numpy())
        at_points = engine.materialise(rows.join(points, names).select("who", "point"))  # or it is guessed to be small
        self._bits: dict[int, int] = {}
        self._flags = np.empty((0, 0), np.uint8)
        if self._points * self.count <= MOST_KEPT_BITS:
            self._flag(at_points, people)
        else:
            self._list(at_points.join(people, "who"))

    def _flag(self, rows: Table, people: Table) -> None:
        """The holders of every point as bits: rows pass in any order, and as often as they stand in the file.

        They pass once for every hundred thousand students, who are few enough to be looked up in little memory.
        """
        self._flags = np.zeros((self._points, -(-self.count // 8)), np.uint8)
        for first in range(0, self.count, AT_A_TIME):
            some = people.filter((people["student"] >= first) & (people["student"] < first + AT_A_TIME))
            for batch in engine.batches(rows.join(some, "who").select("point", "student")):
                point, student = (np.asarray(batch[name]) for name in ("point", "student"))
                np.bitwise_or.at(self._flags, (point, student // 8), (1 << student % 8).astype(np.uint8))
        shared_by = (np.bitwise_count(holders).sum(dtype=np.int64) for holders in self._flags)  # one point at a time
        self.shared_by = np.fromiter(shared_by, np.int64, self._points)
        held = (self._flags[:, self.targets // 8] >> (self.targets % 8).astype(np.uint8)) & 1
        target, self._own = np.nonzero(held.T)
        self._from = np.searchsorted(self.targets[target], np.arange(self.count + 1))

    def _list(self, pairs: Table) -> None:
        """The holders of every point, one after the other, and the points of every target in their order."""
        looked_for = np.isin(np.arange(self.count), self.targets)
        holders, own = [np.empty(0, np.int32)], [np.empty((2, 0), np.int32)]
        self.shared_by = np.zeros(self._points, np.int64)
        distinct = engine.distinct(pairs, ["point", "student"])
        for batch in engine.batches(distinct.order_by(["point", "student"])):
            point, student = (np.asarray(batch[name]).astype(np.int32) for name in ("point", "student"))
            self.shared_by += np.bincount(point, minlength=self._points)
            holders.append(student)
            own.append(np.stack([student, point])[:, looked_for[student]])
        self._holders, self._until = np.concatenate(holders), np.cumsum(self.shared_by)
        students, self._own = np.concatenate(own, axis=1)
        order = np.argsort(students, kind="stable")
        self._own, self._from = self._own[order], np.searchsorted(students[order], np.arange(self.count + 1))

    @property
    def points_of_targets(self) -> int:
        return int(self._own.size)

    def own(self, student: int) -> NDArray[Any]:
        return np.asarray(self._own[self._from[student] : self._from[student + 1]])

    def bits(self, point: int) -> int:
        if self._flags.size:
            return int.from_bytes(self._flags[point].tobytes(), "little")
        if point in self._bits:
            return self._bits[point]
        flags = np.zeros(self.count, np.uint8)
        flags[self._holders[self._until[point] - self.shared_by[point] : self._until[point]]] = 1
        found = int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little")
        if len(self._bits) * self.count < MOST_KEPT_BITS:
            self._bits[point] = found
        return found

    def alone(self, student: int, points: NDArray[Any]) -> bool:
        company = self.bits(int(points[0]))
        for point in points[1:]:
            company &= self.bits(int(point))
        return company == 1 << student

    @cached_property
    def lone(self) -> frozenset[int]:
        """Targets who may be told from all others; those whom all of their points together leave in company never are.

        Where it takes as long to see as to draw, nobody is left out.
        """
        everybody: list[int] = self.targets.tolist()
        if self.points_of_targets * self.count > MOST_BITS:
            return frozenset(everybody)
        return frozenset(who for who in everybody if self.alone(who, self.own(who)))


def _numbered(rows: Table, names: list[str], number: str) -> Table:
    """Distinct cells, numbered in their order."""
    return engine.materialise(engine.numbered(engine.distinct(rows, names).order_by(names), number))


def _risk(held: Held, attacker: str, known: int, limit: float) -> Risk:
    generator = np.random.default_rng(SEED)
    if attacker == "worst":
        targets = _as_many_as_can_be_looked_for(held, known, generator)
        tried = targets.size
        hits = sum(_telling_points(held, who, known) for who in targets.tolist() if who in held.lone)
    else:
        tried = max(LEAST_TRIES, min(TRIES, MOST_BITS // max(1, held.count)))
        targets = generator.choice(held.targets, tried)
        lone = [who for who in targets.tolist() if who in held.lone]
        hits = sum(held.alone(who, _drawn(held, who, attacker, known, generator)) for who in lone)
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


def _telling_points(held: Held, student: int, known: int) -> bool:
    """Whether taking, one after the other, the point that leaves the fewest others singles the student out.

    The truly worst points may do better: the share found this way is at least as low as that of an exact search.
    """
    bits = [held.bits(int(point)) for point in held.own(student)]
    company = -1
    for _ in range(known):
        company = min((company & more for more in bits), key=int.bit_count)
    return company == 1 << student
