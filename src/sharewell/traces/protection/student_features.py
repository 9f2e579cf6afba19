"""Release one row of features per student, the same for k students.

Drop-out, sessions, hours and activity by week survive in courses too small for a log. Groups are formed by these
features; what is counted is a mean of the group, up or down to a step that one member does not usually move it by, and
first and last week are those of the median member.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
from scipy import sparse

from sharewell.contract import Change, Curve, CurvePoint, Protected
from sharewell.data import engine
from sharewell.errors import Refused
from sharewell.plan.windows import parse
from sharewell.traces.arrays import Array
from sharewell.traces.course_log import DAY, HOUR, CourseColumns, CourseLog, read_course
from sharewell.traces.kind import GUESS, USES_KEPT
from sharewell.traces.protection.group_values import SHARES, of_groups, per_student, rounded, spread, step_above
from sharewell.traces.protection.groups import NOBODY
from sharewell.traces.protection.ways import BALANCES, PreparedLog
from sharewell.traces.window_numbers import of_seconds

WEEK = parse("1w")
FIRST, LAST, SESSIONS, MINUTES = "first week", "last week", "sessions", "minutes per session"
PARTS_OF_DAY = {"night": (0, 6), "morning": (6, 12), "afternoon": (12, 18), "evening": (18, 24)}
ENDS_COUNT = 2.0  # how much first and last week count against all weeks when groups are formed
MOST_VERBS = 20  # of which shares are released, the most frequent first
WEEK_NAME = re.compile(r"events of week (\d+)")


@dataclass(frozen=True, kw_only=True)
class StudentFeatures:
    """Hold features by name, and the kind of each: "count", "time" or "share"."""

    values: dict[str, Array]
    kinds: dict[str, str]
    first: int  # the number of the first week since 1970

    @property
    def near(self) -> sparse.csr_matrix:
        """Return what students are compared by: weeks, and when they begin and end."""
        weeks = np.sqrt(np.column_stack([value for name, value in self.values.items() if WEEK_NAME.match(name)]))
        total = np.sqrt(weeks.var(axis=0).sum())
        ends = np.column_stack([self.values[FIRST], self.values[LAST], np.sqrt(self.values[SESSIONS])])
        away = ends.std(axis=0)
        scaled = ends / np.where(away > 0, away, 1.0) * total * np.array([0.5, 1.0, 0.5]) * ENDS_COUNT
        return sparse.csr_matrix(np.hstack([weeks, scaled]).astype(np.float32))


def features_of(log: CourseLog, k: int) -> StudentFeatures:
    """Compute weeks, sessions, first and last week, days, hours, shares of verbs."""
    who, many = log.student, log.students
    weeks = of_seconds(WEEK, log.second)
    first = int(weeks.min())
    span = int(np.ptp(weeks)) + 1
    weekly = np.zeros((many, span))
    np.add.at(weekly, (who, weeks - first), 1.0)
    events = np.maximum(log.lengths.astype(float), 1.0)
    sessions = np.bincount(who, weights=log.begins, minlength=many)
    inside = np.bincount(who, weights=np.where(log.begins, 0, log.gap), minlength=many) / 60
    days = np.bincount(np.unique(who * (2**32) + log.day - log.day.min()) // 2**32, minlength=many)
    values: dict[str, Array] = {
        "events": log.lengths.astype(float), "active days": days.astype(float), SESSIONS: sessions,
        MINUTES: inside / np.maximum(sessions, 1), FIRST: (weekly > 0).argmax(axis=1) + 1.0,
        LAST: span - (weekly[:, ::-1] > 0).argmax(axis=1).astype(float),
    }  # fmt: skip
    kinds = dict.fromkeys(values, "count") | {FIRST: "time", LAST: "time"}
    for week in range(span):
        values[f"events of week {week + 1}"], kinds[f"events of week {week + 1}"] = weekly[:, week], "count"
    hour = log.second % DAY // HOUR
    for name, (begin, end) in PARTS_OF_DAY.items():
        there = (hour >= begin) & (hour < end)
        values[f"share at {name}"] = np.bincount(who, weights=there, minlength=many) / events
        kinds[f"share at {name}"] = "share"
    counts = np.zeros((many, len(log.tokens)))
    np.add.at(counts, (who, log.token), 1.0)
    users = (counts > 0).sum(axis=0)
    named: dict[str, str] = {}  # by lower case: to the engine, and to readers, two columns differ by more than that
    for token in np.argsort(-counts.sum(axis=0), kind="stable")[:MOST_VERBS]:
        if log.tokens[token] and log.tokens[token][0] is not None and users[token] >= k:
            name = f"share of {log.tokens[token][0]}"
            name = named.setdefault(name.casefold(), name)
            values[name] = values.get(name, np.zeros(many)) + counts[:, token] / events
            kinds[name] = "share"
    return StudentFeatures(values=values, kinds=kinds, first=first)


def of_a_group(values: Array, kind: str, group: Array, k: int, draw: np.random.Generator) -> Array:
    """The one value of a feature that all members of a group get."""
    inside, many = group >= 0, int(group.max()) + 1
    sizes = np.bincount(group[inside], minlength=many)
    if kind == "time":
        order = np.lexsort((values[inside], group[inside]))
        middle = np.concatenate([[0], np.cumsum(sizes)[:-1]]) + (sizes - 1) // 2
        return np.asarray(values[inside][order][middle][group])
    means = np.bincount(group[inside], weights=values[inside], minlength=many) / sizes
    step = step_above(spread(values[inside]) / k, SHARES)
    if kind == "share" or step == 0:
        return np.asarray(rounded(means, step)[group])
    up = np.floor(means / step + draw.random(many))  # up or down, right on average
    return np.asarray(np.round(up * step, 9)[group])


def best_features(log: PreparedLog) -> Protected:
    """Balance groups until no kept column can be read, or drop the column."""
    request = log.request
    verbs = request.quasi[:1]
    course = read_course(log.events, CourseColumns(student=request.student, at=request.at, events=verbs))
    features = features_of(course, request.k)
    for weight in (0.0, *BALANCES):
        group = log.grouped(weight, features.near)
        if not (group != NOBODY).any():
            raise Refused(f"there is no group of {request.k} students with anything in common")
        made = _released(log, features, group)
        missed = log.can_be_read(made)
        if not missed:
            return log.with_spreads(_with_curve(log, features, made), weight, features.near)
    gone = [Change(columns=(name,), action="dropped", reason="it could be read off those who look alike")
            for name in missed]  # fmt: skip
    less = best_features(log.without(missed))
    return replace(less, changes=(*less.changes, *gone))


def _released(log: PreparedLog, features: StudentFeatures, group: Array) -> Protected:
    request, kept, ids = log.request, log.request.kept, log.base.ids
    draw = request.keyed.generator("features")
    columns: dict[str, pa.Array] = {request.student: ids}
    for name, values in features.values.items():
        columns[name] = pa.array(of_a_group(values, features.kinds[name], group, request.k, draw))
    made = tuple(name for name in columns if name != request.student)
    given = {name.casefold() for name in log.events.columns}
    if taken := [name for name in made if name.casefold() in given]:
        raise Refused(f"column '{taken[0]}' has the name of a feature: rename it before the release")
    for name in (*kept.shared, *kept.fixed, *kept.private):
        own = per_student(log.events, name, student=request.student, ids=ids)
        columns[name] = of_groups(own, group, request.k) if name in kept.shared else own
    table = engine.listed(pa.table(columns).filter(pa.array(group != NOBODY)))
    dropped = [name for name in log.events.columns if name not in columns]
    return Protected(
        table=table,
        changes=(
            Change(
                columns=(request.student, request.at), action="merged",
                detail=f"one row of features per student, the same for the {request.k} or more of a group",
                reason="whatever is known of a student fits all members of the group alike",
            ),
            *(Change(columns=(name,), action="dropped", reason="a row is a student: events are not released")
              for name in dropped),
        ),
        facts={
            "student": request.student, "method": "features", "promise": "company", "k": request.k,
            "private": list(kept.private), "known columns": list(made), "window": WEEK.label,
            "also": [], "dropped": dropped,
            "merged": [], "setting": f"features of groups of {request.k}", "first week": _monday(features.first),
        },
        private={"groups": pa.table({"student": ids, "group": pa.array(group)})},
        made=made,
    )  # fmt: skip


def _monday(week: int) -> str:
    return str(np.datetime64(week * WEEK.count * 7 * DAY + WEEK.origin, "s").astype("datetime64[D]"))


def _with_curve(log: PreparedLog, features: StudentFeatures, made: Protected) -> Protected:
    left = log.analyses.left(log.analyses.of_features(made.table, weeks_named(made.table.columns)))
    point = CurvePoint(label=str(made.facts["setting"]), strength=1.0, risk=1 / log.request.k, utility=left, meets=True,
                       chosen=True)  # fmt: skip
    curve = Curve(
        strength="way to protect", risk=GUESS, utility=USES_KEPT, limit=1 / log.request.k, points=(point,),
        note="One row of features per student, shared by a group. What analysts keep is the mean of what is left "
        "of the standard analyses that the log allows.",
    )  # fmt: skip
    return replace(made, curve=curve)


def weeks_named(columns: Sequence[str]) -> list[str]:
    """The columns of activity by week, in order."""
    return [name for name in columns if WEEK_NAME.fullmatch(name)]
