"""Re-check a finished log from its file alone, by code that shares nothing with what protected it.

Company: students whose rows read alike from the first to the last. Points, where only they are limited: drawn again,
and the students who have all of them counted by joins.
"""

import secrets
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

import ibis
import numpy as np
import pyarrow as pa
from ibis.expr.types import Table

from sharewell.contract import Measure, Risk
from sharewell.data import engine
from sharewell.stats.intervals import wilson
from sharewell.traces.before_2026_12 import facts_as_now
from sharewell.traces.kind import (
    COMPANY,
    EVENTS_OVER,
    NOT_INVENTED,
    RARE_POINTS_AGAIN,
    REAL_IDS,
    SCARCE_SESSIONS,
    SCARCE_STEPS,
    SCARCE_VALUES,
    STUDENTS_OVER,
    TIMES_OFF,
    UNICITY,
    company_promised,
)

TRIES, LEAST_TRIES, MOST_PAIRS = 20_000, 500, 50_000_000  # attempts, and pairs of them with students who share a point
NOTHING = "\0"  # a missing cell
HALF, LOWER_HALF = 32, 2**32 - 1  # of a hash: sums of whole ones would not fit
SEED = 1
READER, KNOWS = "reader of the file", "second program, with the original"
PAUSE = 30 * 60  # seconds without an event after which a new session begins
RARE = 3  # a rare hour: at most so many students were active in it
Trace = list[tuple[Any, ...]]


def recheck(released: Table, facts: Mapping[str, Any]) -> list[Risk]:
    """Measure again what the file promises."""
    if facts.get("method") == "synthetic":
        return _invented(released, facts)
    facts = facts_as_now(facts)
    if facts["promise"] == "company":
        return [_company(released, facts["student"], facts["k"], facts["private"])]
    if facts["promise"] != "points":
        raise ValueError("the facts promise neither company nor a limit on points")
    return [_unicity(released, facts)]


def _company(released: Table, student: str, k: int, private: list[str]) -> Risk:
    """The fewest students whose rows read alike, in the order of the file.

    The rows of a student are those from the first to the last: rows in between that are another's make a gap, and a gap
    has no like. Rows are hashed behind letters drawn anew: nobody can have looked for rows that only seem alike.
    """
    drawn = secrets.token_hex(16)
    place = engine.fresh(released.columns, "place")
    rows = engine.numbered(released, place)
    cells = {
        name: rows[name].cast("string").fill_null(NOTHING)
        for name in released.columns
        if name not in (student, *private)
    }
    rows = engine.materialise(
        rows.select(who=rows[student].cast("string").fill_null(NOTHING), place=rows[place], **_named(cells))
    )
    first = rows.group_by("who").agg(first=rows["place"].min())
    turns = rows.join(first, "who")
    row = ibis.struct(
        {
            "drawn": ibis.literal(drawn),
            "turn": turns["place"] - turns["first"],
            **{name: turns[name] for name in _named(cells)},
        }
    )
    hashed = engine.derived(turns.select("who", row=row), "row", "number", lambda cell: cell.hash())
    low, high = (hashed["number"] & LOWER_HALF).sum(), (hashed["number"] >> HALF).sum()
    people = hashed.group_by("who").agg(rows=hashed.count(), low=low.cast("string"), high=high.cast("string"))
    sizes = people.group_by("rows", "low", "high").agg(size=people.count())
    found = engine.arrow(sizes.aggregate(fewest=sizes["size"].min(), students=sizes["size"].sum())).to_pylist()[0]
    fewest, students = int(found["fewest"] or 0), int(found["students"] or 0)
    return Risk(
        measure=COMPANY, attacker="knows everything a student did", value=fewest, n=students, gate="k", limit=k,
        story=company_promised(k, private),
    )  # fmt: skip


def _named(cells: Mapping[str, Any]) -> dict[str, Any]:
    return {f"c{number}": cell for number, cell in enumerate(cells.values())}


def _unicity(released: Table, facts: Mapping[str, Any]) -> Risk:
    """Measure how often random points single out a student.

    The lower end counts against the limit, since fresh draws scatter.
    """
    known = [facts["at"], *facts["also"]]
    cells = {"who": facts["student"], **{f"p{number}": name for number, name in enumerate(known)}}
    rows = released.select(
        **{name: released[column].cast("string").fill_null(NOTHING) for name, column in cells.items()}
    )
    points = [name for name in cells if name != "who"]
    pairs = engine.materialise(rows.distinct())
    students = int(engine.value(pairs["who"].nunique()))
    tries = max(LEAST_TRIES, min(TRIES, MOST_PAIRS // max(1, students * facts["known"])))
    drawn = _drawn(pairs, points, tries, facts["known"])
    sharing = drawn.join(pairs.rename(other="who"), points).group_by("attempt", "other").agg(shared=ibis._.count())
    needed = drawn.group_by("attempt").agg(needed=drawn.count())
    alike = sharing.join(needed, "attempt").filter(lambda row: row.shared == row.needed)
    counted = alike.group_by("attempt").agg(students=alike.count())
    hits = int(engine.value((counted["students"] == 1).sum()) or 0)
    low, high = wilson(hits, tries)
    return Risk(
        measure=UNICITY, attacker="random", value=hits / tries, low=low, high=high, n=min(tries, students),
        chance=1 / max(1, students), setting={"known": facts["known"]}, gate="unicity", limit=facts["unicity"],
        bound="low",
    )  # fmt: skip


def _drawn(pairs: Table, points: list[str], tries: int, known: int) -> Table:
    """So many points of random students, one set for each attempt."""
    generator = np.random.default_rng(SEED)
    people = engine.arrow(engine.distinct(pairs, ["who"]).order_by("who"))["who"]
    targets = people.take(pa.array(generator.integers(0, len(people), tries)))
    attempts = engine.listed(pa.table({"attempt": np.arange(tries), "target": targets}))
    own = engine.materialise(attempts.join(pairs, attempts["target"] == pairs["who"]).select("attempt", *points))
    label = own.mutate(label=ibis.literal("\1").join([own["attempt"].cast("string"), *(own[name] for name in points)]))
    lots = engine.keyed_numbers(label, "label", "lot", str(SEED))
    ranked = lots.mutate(rank=ibis.row_number().over(group_by="attempt", order_by="lot"))
    return engine.materialise(ranked.filter(ranked["rank"] < known).select("attempt", *points))


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
            "An exceptionally long session could point at the student who had one.",
        ),
        (
            TIMES_OFF,
            sum(int(row[1]) % unit != 0 for row in rows),
            0,
            "Times are not finer than the release says.",
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
        users = Counter(kind for trace in inside.values() for kind in kinds(trace))
        seen = {kind for trace in made.values() for kind in kinds(trace)}
        risks.append(_zero(measure, sum(users[kind] < m for kind in seen), n, story.format(m=m)))
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
