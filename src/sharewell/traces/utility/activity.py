"""What analysts can still learn from a protected log, measured against the original: relational steps, lazily."""

from collections.abc import Mapping
from dataclasses import dataclass

import ibis
import numpy as np
from ibis.expr.types import Table

from sharewell.contract import Utility
from sharewell.data import engine
from sharewell.traces.protection.recoding import ORDER
from sharewell.traces.windows import parse

SESSION_GAP = 30 * 60  # seconds without an event after which a new session begins


@dataclass(frozen=True, kw_only=True)
class Columns:
    """Where to look: `verb` is the column whose order matters, where there is one."""

    student: str
    at: str
    verb: str | None = None


def utilities(original: Table, released: Table, columns: Columns) -> list[Utility]:
    """Both tables with times as timestamps; the original ids in both."""
    found = [*_kept(original, released, columns)]
    for scale in ("1d", "1w"):
        found += _activity(original, released, columns, scale)
    found += _sessions_and_gaps(original, released, columns)
    if columns.verb is not None and columns.verb in released.columns:
        found.append(_order(original, released, columns))
    return found


def _kept(original: Table, released: Table, columns: Columns) -> list[Utility]:
    before, after = (
        _one(table.aggregate(n=table.count(), s=table[columns.student].nunique())) for table in (original, released)
    )
    return [
        Utility(
            name="events kept", value=after["n"] / before["n"], n=before["n"], baseline=1.0,
            story="The share of the events that are in the release.",
        ),
        Utility(
            name="students kept", value=after["s"] / before["s"], n=before["s"], baseline=1.0,
            story="The share of the students of whom at least one event is in the release.",
        ),
    ]  # fmt: skip


def _activity(original: Table, released: Table, columns: Columns, scale: str) -> list[Utility]:
    """Events per day or week of the whole course: how well the curve is kept."""
    word = {"1d": "day", "1w": "week"}[scale]
    before, after = _side_by_side(*(_counts(table, columns, scale) for table in (original, released)))
    error = float(np.abs(before - after).sum() / before.sum())
    moving = before.std() > 0 and after.std() > 0
    correlation = float(np.corrcoef(before, after)[0, 1]) if moving else 0.0
    return [
        Utility(
            name=f"activity per {word}, correlation", value=correlation, n=len(before), baseline=1.0,
            story=f"Whether busy and quiet {word}s of the course are still told apart.",
        ),
        Utility(
            name=f"activity per {word}, error", value=error, n=len(before), baseline=0.0, better="lower",
            story=f"Events counted in the wrong {word} or missing there, as a share of all.",
        ),
    ]  # fmt: skip


def _counts(table: Table, columns: Columns, scale: str) -> dict[object, int]:
    windows = table.select(window=parse(scale).number(table[columns.at]))
    counted = engine.arrow(windows.group_by("window").agg(events=windows.count()))
    return dict(zip(counted["window"].to_pylist(), counted["events"].to_pylist(), strict=True))


def _side_by_side(before: Mapping[object, int], after: Mapping[object, int]) -> tuple[np.ndarray, np.ndarray]:
    keys = sorted({*before, *after}, key=str)
    return np.array([before.get(key, 0) for key in keys], float), np.array([after.get(key, 0) for key in keys], float)


def _sessions_and_gaps(original: Table, released: Table, columns: Columns) -> list[Utility]:
    before, after = (_rhythm(table, columns) for table in (original, released))
    gaps = _overlap(before.gaps, after.gaps)
    story = f"A session ends when {SESSION_GAP // 60} minutes pass without an event."
    return [
        Utility(name="sessions per student", value=after.sessions, baseline=before.sessions, n=before.n, story=story),
        Utility(name="minutes per session", value=after.minutes, baseline=before.minutes, n=before.n, story=story),
        Utility(
            name="gaps between events", value=gaps, baseline=1.0, n=before.n,
            story="How much the distributions of the time between two events of a student overlap (by powers of two).",
        ),
    ]  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Rhythm:
    """Sessions per student, their mean length, and the histogram of gaps."""

    n: int
    sessions: float
    minutes: float
    gaps: Mapping[object, int]


def _rhythm(table: Table, columns: Columns) -> Rhythm:
    gap = _seconds(table[columns.at]) - _seconds(_before(table, table[columns.at], columns))
    timed = table.select(__student=table[columns.student], gap=gap)
    starts = timed.gap.isnull() | (timed.gap > SESSION_GAP)
    totals = _one(
        timed.aggregate(
            students=timed["__student"].nunique(),
            sessions=starts.sum(),
            seconds=starts.ifelse(0.0, timed.gap).sum(),
            n=timed.count(),
        )
    )
    known = timed.filter(timed.gap.notnull())
    bins = known.select(bin=(known.gap + 1).log2().floor().cast("int64"))
    counted = engine.arrow(bins.group_by("bin").agg(events=bins.count()))
    return Rhythm(
        n=totals["n"],
        sessions=totals["sessions"] / max(1, totals["students"]),
        minutes=totals["seconds"] / max(1, totals["sessions"]) / 60,
        gaps=dict(zip(counted["bin"].to_pylist(), counted["events"].to_pylist(), strict=True)),
    )


def _seconds(moment: ibis.expr.types.TimestampValue) -> ibis.expr.types.FloatingValue:
    return moment.epoch_seconds().cast("float64")


def _before(table: Table, value: ibis.Value, columns: Columns) -> ibis.Value:
    """The value in the student's event before this one; the true order within a window where it is known."""
    order = [columns.at, ORDER] if ORDER in table.columns else [columns.at]
    return value.lag().over(group_by=columns.student, order_by=order)


def _order(original: Table, released: Table, columns: Columns) -> Utility:
    before, after = (_bigrams(table, columns) for table in (original, released))
    return Utility(
        name="order of events", value=_overlap(before, after), baseline=1.0, n=sum(before.values()),
        story=f"How much the frequencies of which '{columns.verb}' follows which overlap.",
    )  # fmt: skip


def _bigrams(table: Table, columns: Columns) -> dict[object, int]:
    assert columns.verb is not None
    verb = table[columns.verb].cast("string").fill_null("")
    steps = table.select(to=verb, came=_before(table, verb, columns))
    steps = steps.filter(steps.came.notnull())
    counted = engine.arrow(steps.group_by(["came", "to"]).agg(events=steps.count())).to_pylist()
    return {(row["came"], row["to"]): row["events"] for row in counted}


def _overlap(before: Mapping[object, int], after: Mapping[object, int]) -> float:
    """One minus the total variation distance of two distributions."""
    one, other = _side_by_side(before, after)
    if one.sum() == 0 or other.sum() == 0:
        return 0.0
    return float(1 - 0.5 * np.abs(one / one.sum() - other / other.sum()).sum())


def _one(table: Table) -> dict[str, int]:
    return engine.arrow(table).to_pylist()[0]
