"""Compare six standard analyses of a course log on the original and a release.

They are early warning, weekly activity, sessions, drop-out, item difficulty, activity and marks.
Students with identical rows are one observation with their number as its weight: k copies of a row are not k students.
An analysis is kept where the release differs from the original by less than twice what two halves of its students
differ by. How much of it is left is 1 for a finding as in the original and 0 for what is known without any data.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from ibis.expr.types import Table

from sharewell.contract import Utility
from sharewell.data import engine
from sharewell.data.formats.columns import is_number
from sharewell.data.formats.columns import number as number_in
from sharewell.lab.inference import halves
from sharewell.plan.windows import parse
from sharewell.traces.arrays import Array
from sharewell.traces.course_log import CourseColumns, read_course
from sharewell.traces.kept_columns import KeptColumns
from sharewell.traces.kind import (
    ACTIVITY,
    DIFFICULTY,
    DROP_OUT,
    EARLY_FOR_ORIGINAL,
    EARLY_OUTCOME,
    MARK_SLOPE,
    SESSION_MINUTES,
    SESSIONS,
    USES_KEPT,
)
from sharewell.traces.protection.group_values import BETWEEN, per_student
from sharewell.traces.window_numbers import of_seconds

NAMES = {
    "early": "early warning",
    "weeks": "weekly activity",
    "sessions": "sessions",
    "drop-out": "drop-out curve",
    "difficulty": "item difficulty",
    "marks": "activity and marks",
}
PART_OF = {"minutes": "sessions"}  # findings that belong to the analysis of another
WEEK = parse("1w")
HALVINGS, ENOUGH = 12, 2.0  # ways to halve the students; sampling errors within which a finding is kept
LEAST_LEFT = 0.5  # of a kept finding: halves of a scattered log differ by nearly everything
FOLDS, FEWEST = 5, 5  # of classes to learn from and test on; students of an outcome, or who answered an item
PENALTY = 1.0  # of ridge regression, in students
FLAT = 0.1  # a correlation or an AUC above one half smaller than this is measured as this
SHARE = re.compile(r"(.*) ([0-9.]+)")


@dataclass(frozen=True, kw_only=True)
class AnalysisColumns:
    """Name columns: `outcome` and `mark` are constant, `score` belongs to an `item`."""

    student: str
    at: str
    outcome: str | None = None
    mark: str | None = None
    score: str | None = None
    item: str | None = None
    shared: tuple[str, ...] = ()  # of these a release shows what a group has of each value


@dataclass(frozen=True, kw_only=True)
class CourseFindings:
    """Hold what the analyses need; `weekly` are events, students × weeks."""

    ids: tuple[Any, ...]
    alike: Array  # the class of identical rows
    weekly: Array
    last: Array  # week of the last event
    sessions: Array
    minutes: Array
    outcome: Array  # 0 to 1, NaN where it is missing
    mark: Array
    scores: tuple[Array, Array, Array]  # student, item, mean score of this student

    def only(self, some: Array) -> "CourseFindings":
        """The findings of some students."""
        place = np.cumsum(some) - 1
        who, item, score = self.scores
        there = some[who]
        return replace(
            self,
            ids=tuple(one for one, kept in zip(self.ids, some.tolist(), strict=True) if kept),
            **{name: getattr(self, name)[some] for name in
               ("alike", "weekly", "last", "sessions", "minutes", "outcome", "mark")},
            scores=(place[who[there]], item[there], score[there]),
        )  # fmt: skip


def analysis_columns(
    events: Table, kept: KeptColumns, *, student: str, at: str, quasi: tuple[str, ...], target: str | None
) -> AnalysisColumns:
    """Choose outcome, mark, score and item among the columns of a log."""
    few = [name for name in kept.constant if name not in kept.many]
    marks = [name for name in kept.constant if name in kept.many]
    outcome = target if target in kept.all else next(iter((*few, *marks)), None)
    varying = [name for name in (*kept.numbers, *kept.listed) if name not in kept.constant and is_number(events, name)]
    score, item = next(iter(varying), None), None
    if score is not None and quasi:
        scored = events.filter(events[score].notnull())
        many = engine.arrow(scored.aggregate(**{name: scored[name].nunique() for name in quasi})).to_pylist()[0]
        item = max(quasi, key=lambda name: int(many[name] or 0))
    return AnalysisColumns(
        student=student, at=at, outcome=outcome, mark=next(iter(marks), outcome), score=score, item=item,
        shared=kept.shared,
    )  # fmt: skip


class SixAnalyses:
    """The six analyses of one log, to be compared with any release of it."""

    def __init__(self, original: Table, columns: AnalysisColumns, *, seed: int) -> None:
        self.columns, self.seed = columns, seed
        log = read_course(original, CourseColumns(student=columns.student, at=columns.at))
        weeks = of_seconds(WEEK, log.second)
        self.first, self.weeks = int(weeks.min()), int(np.ptp(weeks)) + 1
        self.positive, self.middle = self._outcome_of(original)
        self.items: dict[str, int] = {}
        self.original = self.of_events(original, shares=False)
        middle = np.median((self.original.weekly > 0).argmax(axis=1) + self.original.last)
        self.half = int(np.clip(middle // 2 + 1, 1, max(1, self.weeks - 1)))
        self.errors = self._sampling_errors()

    def _outcome_of(self, original: Table) -> tuple[str | None, float]:
        """The most frequent value of a text; the middle of a number."""
        if self.columns.outcome is None:
            return None, 0.0
        who = engine.arrow(original.select(who=original[self.columns.student]).distinct())["who"].combine_chunks()
        own = per_student(original, self.columns.outcome, student=self.columns.student, ids=who)
        if pa.types.is_string(own.type):
            words, counts = np.unique([word for word in own.to_pylist() if word is not None], return_counts=True)
            return (str(words[np.argmax(counts)]) if len(words) else None), 0.0
        return None, halves(np.asarray(own.drop_null(), float))

    def of_events(self, table: Table, *, shares: bool) -> CourseFindings:
        """Read a table of events; with `shares`, texts list shares of values."""
        columns = self.columns
        if not table[columns.at].type().is_timestamp():  # a recurring window: hours or weekdays are left
            table = table.mutate(**{columns.at: (table[columns.at] * 3600).cast("timestamp")})
        also = tuple(name for name in (columns.item,) if name is not None and name in table.columns)
        log = read_course(table, CourseColumns(student=columns.student, at=columns.at, events=also))
        week = np.clip(of_seconds(WEEK, log.second) - self.first, 0, self.weeks - 1)
        weekly = np.zeros((log.students, self.weeks))
        np.add.at(weekly, (log.student, week), 1.0)
        mixed = (log.second * 1_000_003 + log.token).astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        sums = np.add.reduceat(mixed ^ (mixed >> np.uint64(29)), log.starts[:-1])
        inside = np.bincount(log.student, weights=np.where(log.begins, 0, log.gap), minlength=log.students)
        return CourseFindings(
            ids=tuple(log.ids.to_pylist()),
            alike=np.unique(sums, return_inverse=True)[1],
            weekly=weekly,
            last=self.weeks - 1 - (weekly[:, ::-1] > 0).argmax(axis=1),
            sessions=np.bincount(log.student, weights=log.begins, minlength=log.students),
            minutes=inside / 60,
            outcome=self.values(table, columns.outcome, log.ids, shares=shares, as_outcome=True),
            mark=self.values(table, columns.mark, log.ids, shares=shares, as_outcome=columns.mark == columns.outcome),
            scores=self._scores(table, log.ids),
        )

    def of_features(self, table: Table, weekly: Sequence[str]) -> CourseFindings:
        """Read a table of one row per student; `weekly` are its columns of weeks."""
        rows = engine.arrow(table.order_by(self.columns.student))
        ids = rows[self.columns.student].combine_chunks()
        number = {
            name: np.asarray(rows[name], float) for name in (*weekly, "last week", "sessions", "minutes per session")
        }
        texts = rows.drop_columns([self.columns.student]).to_pandas().astype(str).agg("|".join, axis=1)
        known: dict[str, Any] = {"shares": True}
        columns = self.columns
        return CourseFindings(
            ids=tuple(ids.to_pylist()),
            alike=np.unique(texts, return_inverse=True)[1],
            weekly=np.column_stack([number[name] for name in weekly]),
            last=number["last week"] - 1,
            sessions=number["sessions"],
            minutes=number["sessions"] * number["minutes per session"],
            outcome=self.values(table, columns.outcome, ids, as_outcome=True, **known),
            mark=self.values(table, columns.mark, ids, as_outcome=columns.mark == columns.outcome, **known),
            scores=self._scores(table, ids),
        )

    def values(self, table: Table, name: str | None, ids: pa.Array, *, shares: bool, as_outcome: bool) -> Array:
        """Return a column per student; an outcome as share of its commonest value."""
        if name is None or name not in table.columns:
            return np.full(len(ids), np.nan)
        own = per_student(table, name, student=self.columns.student, ids=ids)
        if pa.types.is_string(own.type):
            listed = shares and name in self.columns.shared
            return np.array([self._share(word, listed) for word in own.to_pylist()])
        numbers = np.asarray(own.fill_null(np.nan), float)
        if not as_outcome or (np.nanmin(numbers, initial=0) >= 0 and np.nanmax(numbers, initial=0) <= 1):
            return numbers
        return np.where(np.isnan(numbers), np.nan, numbers > self.middle)

    def _share(self, cell: str | None, listed: bool) -> float:
        if cell is None:
            return np.nan
        found = (SHARE.fullmatch(part) for part in cell.split(BETWEEN)) if listed else ()
        parts = {match[1]: float(match[2]) for match in found if match}
        if not parts:
            return float(cell == self.positive)
        return parts.get(str(self.positive), 0.0) / max(sum(parts.values()), 1e-9)

    def _scores(self, table: Table, ids: pa.Array) -> tuple[Array, Array, Array]:
        score, item = self.columns.score, self.columns.item
        nothing = (np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))
        if score is None or item is None or not {score, item} <= set(table.columns):
            return nothing
        cells = table.select(who=table[self.columns.student], item=table[item].cast("string"),
                             score=number_in(table, score))  # fmt: skip
        cells = cells.filter(cells["score"].notnull() & cells["item"].notnull())
        means = cells.group_by(["who", "item"]).agg(score=cells["score"].cast("float64").mean())
        rows = engine.arrow(means.order_by(["who", "item"]))
        place = {who: number for number, who in enumerate(ids.to_pylist())}
        items = [self.items.setdefault(one, len(self.items)) for one in rows["item"].to_pylist()]
        who = [place[one] for one in rows["who"].to_pylist()]
        return np.array(who, np.int64), np.array(items, np.int64), np.asarray(rows["score"], float)

    def _sampling_errors(self) -> dict[str, float]:
        """How far the findings of one half of the students are from those of the other."""
        draw, away = np.random.default_rng(self.seed), dict[str, list[float]]()
        for _ in range(HALVINGS):
            side = draw.random(int(self.original.alike.max()) + 1) < 0.5
            one = side[self.original.alike]
            if one.all() or not one.any():
                continue
            for name, (value, baseline, _) in self._compared(self.original.only(one), self.original.only(~one)).items():
                away.setdefault(name, []).append(abs(value - baseline))
        return {name: float(np.mean(values)) for name, values in away.items()}

    def compared(self, released: CourseFindings) -> dict[str, tuple[float, float, float]]:
        """Return by finding: released value, original value, share of it left."""
        return self._compared(self.original, released)

    def left(self, released: CourseFindings) -> float:
        """Return the mean share left over analyses, each by its worst finding."""
        return _mean_left(self.compared(released))

    def _compared(self, before: CourseFindings, after: CourseFindings) -> dict[str, tuple[float, float, float]]:
        found = {
            "weeks": _weeks(before, after),
            "sessions": _ratio(*(float(side.sessions.mean()) if side.ids else 0.0 for side in (after, before))),
            "minutes": _ratio(*(float(side.minutes.sum() / max(1.0, side.sessions.sum())) for side in (after, before))),
        }
        if np.mean(before.last < self.weeks - 1) > FLAT:
            found["drop-out"] = _drop_out(before, after)
        if self.columns.outcome is not None and self._learnable(before):
            claimed, truth = (self._auc(one, one) for one in (after, before))
            found["early"] = claimed, truth, _left(claimed, truth, truth - 0.5)
        if self.columns.mark is not None and np.nanstd(before.mark, ddof=0) > 0:
            slope, truth = (_slope(one, before) for one in (after, before))
            found["marks"] = slope, truth, _left(slope, truth, abs(truth))
        if len(before.scores[0]):
            found["difficulty"] = _difficulty(before, after)
        return found

    def _learnable(self, course: CourseFindings) -> bool:
        known = course.outcome[~np.isnan(course.outcome)]
        return self.weeks > 1 and min((known > 0.5).sum(), (known <= 0.5).sum()) >= FEWEST

    def _early(self, course: CourseFindings) -> Array:
        """Summarise the first half: events, weeks, last week, recent events."""
        weekly = course.weekly[:, : self.half]
        active = weekly > 0
        until = np.where(active.any(axis=1), self.half - active[:, ::-1].argmax(axis=1), 0)
        lately = weekly[:, self.half - max(1, self.half // 3) :].sum(axis=1)
        return np.column_stack([np.sqrt(weekly.sum(axis=1)), active.sum(axis=1), until, np.sqrt(lately)]).astype(float)

    def _auc(self, learnt: CourseFindings, tested: CourseFindings) -> float:
        """Learn from some classes of identical rows and test on the others.

        A class that shows a share p of an outcome counts as p students with it and 1 − p without.
        """
        from sklearn.metrics import roc_auc_score

        rows, others = self._early(learnt), self._early(tested)
        order = np.random.default_rng(self.seed).permutation(int(learnt.alike.max(initial=0)) + 1)
        fold = order[learnt.alike] % FOLDS
        own = dict(zip(learnt.ids, fold.tolist(), strict=True))
        asked = np.array([own.get(who, -1) for who in tested.ids])
        known = ~np.isnan(learnt.outcome)
        scores = np.full(len(others), np.nan)
        for one in np.unique(asked):
            train = known & (fold != one)
            if len(np.unique(learnt.alike[train])) > 1:
                scores[asked == one] = _ridge(rows[train], learnt.outcome[train], others[asked == one])
        there = ~np.isnan(scores) & ~np.isnan(tested.outcome)
        share = np.clip(tested.outcome[there], 0, 1)
        if not there.any() or share.sum() == 0 or (1 - share).sum() == 0:
            return 0.5
        truth = np.repeat([True, False], there.sum())
        weights = np.concatenate([share, 1 - share])
        return float(roc_auc_score(truth, np.tile(scores[there], 2), sample_weight=weights))

    def utilities(self, released: CourseFindings, *, alone: bool = False) -> list[Utility]:
        """Report each finding beside the original's, and which analyses are kept.

        With `alone` also weeks and sessions, which are measured of events by general uses.
        """
        found = self.compared(released)
        lost = {PART_OF.get(name, name) for name, finding in found.items() if not self._holds(name, *finding)}
        kept = {PART_OF.get(name, name) for name in found} - lost
        said = "; ".join(f"{word}: {', '.join(NAMES[name] for name in NAMES if name in some) or 'none'}"
                         for word, some in (("kept", kept), ("lost", lost)))  # fmt: skip
        students = len(self.original.ids)
        uses = [Utility(measure=USES_KEPT, value=_mean_left(found), baseline=1.0, n=students,
                        setting={"analyses": said},
                        story=f"Of the standard analyses that this log allows, {said}. Kept is what differs from the "
                        "original by less than twice what two halves of the students differ by.")]  # fmt: skip
        for name, (measure, story) in (STORIES | OF_EVENTS if alone else STORIES).items():
            if name in found:
                value, baseline, _ = found[name]
                setting = {"sampling error": round(self.errors.get(name, 0.0), 4),
                           "against it": "kept" if name in kept else "lost"}  # fmt: skip
                uses.append(Utility(measure=measure, value=value, baseline=baseline, n=students, seed=self.seed,
                                    setting=setting, story=story))  # fmt: skip
        if "early" in found:
            value = self._auc(released, self.original)
            story = "Learned from the release, tested on the original students."
            uses.append(Utility(measure=EARLY_FOR_ORIGINAL, value=value, baseline=found["early"][1], n=students,
                                seed=self.seed, story=story))  # fmt: skip
        return uses

    def _holds(self, name: str, value: float, truth: float, left: float) -> bool:
        """Decide whether a finding is kept: near the original, and more like it than like no data."""
        return left >= LEAST_LEFT and abs(value - truth) <= ENOUGH * self.errors.get(name, 0.0)


OF_EVENTS: dict[str, tuple[Any, str]] = {
    "weeks": (ACTIVITY["week"][1], "Events missing or in a wrong week, as a share of all."),
    "sessions": (SESSIONS, "A session ends when 30 minutes pass without an event."),
    "minutes": (SESSION_MINUTES, "A session ends when 30 minutes pass without an event."),
}
STORIES: dict[str, tuple[Any, str]] = {
    "early": (EARLY_OUTCOME, "Area under the curve for the outcome, learned from the first half of the weeks and "
              "tested on other students of the same file; those with identical rows are one observation."),
    "drop-out": (DROP_OUT, "The largest difference between the shares of students who are still active after a week."),
    "difficulty": (DIFFICULTY, "Correlation over items of their mean scores with those of the original."),
    "marks": (MARK_SLOPE, "The slope of the mark on the logarithm of a student's events, in standard deviations of the "
              "original, where it is their correlation."),
}  # fmt: skip


def _left(value: float, truth: float, scale: float) -> float:
    return float(np.clip(1 - abs(value - truth) / max(scale, FLAT), 0, 1))


def _weeks(before: CourseFindings, after: CourseFindings) -> tuple[float, float, float]:
    """Events per student and week: the share that is missing or in a wrong week."""
    one, other = (each.weekly.sum(axis=0) for each in (before, after))
    scale = len(before.ids) / max(1, len(after.ids)) if before.ids != after.ids and _apart(before, after) else 1.0
    error = float(np.abs(one - other * scale).sum() / max(1.0, one.sum()))
    return error, 0.0, float(np.clip(1 - error, 0, 1))


def _apart(before: CourseFindings, after: CourseFindings) -> bool:
    """Whether these are other students: halves of a course, or invented ones."""
    return not set(before.ids) & set(after.ids)


def _ratio(value: float, truth: float) -> tuple[float, float, float]:
    return value, truth, min(value, truth) / max(value, truth) if max(value, truth) > 0 else 1.0


def _mean_left(found: Mapping[str, tuple[float, float, float]]) -> float:
    """Over analyses, each by the worst of its findings."""
    worst: dict[str, float] = {}
    for name, (_, _, left) in found.items():
        analysis = PART_OF.get(name, name)
        worst[analysis] = min(left, worst.get(analysis, 1.0))
    return float(np.mean(list(worst.values())))


def _drop_out(before: CourseFindings, after: CourseFindings) -> tuple[float, float, float]:
    """Compute the Kolmogorov-Smirnov distance of the last weeks of students."""
    weeks = before.weekly.shape[1]
    gone = [np.cumsum(np.bincount(side.last.astype(int), minlength=weeks)) / max(1, len(side.ids))
            for side in (before, after)]  # fmt: skip
    if not after.ids:
        return 1.0, 0.0, 0.0
    away = float(np.abs(gone[0] - gone[1]).max())
    return away, 0.0, _left(away, 0.0, float(gone[0][:-1].max(initial=0)))


def _difficulty(before: CourseFindings, after: CourseFindings) -> tuple[float, float, float]:
    many = int(max(before.scores[1].max(initial=-1), after.scores[1].max(initial=-1))) + 1
    counts, means = [], []
    for side in (before, after):
        _, item, score = side.scores
        counts.append(np.bincount(item, minlength=many))
        means.append(np.bincount(item, weights=score, minlength=many) / np.maximum(counts[-1], 1))
    asked = counts[0] >= FEWEST
    both = asked & (counts[1] > 0)
    if both.sum() < 3 or np.ptp(means[0][both]) == 0 or np.ptp(means[1][both]) == 0:
        return 0.0, 1.0, 0.0
    value = float(np.corrcoef(means[0][both], means[1][both])[0, 1])
    return value, 1.0, max(0.0, value) * float(both.sum() / asked.sum())


def _slope(course: CourseFindings, original: CourseFindings) -> float:
    """Fit marks on the logarithm of events, standardised by the original."""
    events = np.log1p(course.weekly.sum(axis=1))
    there = ~np.isnan(course.mark)
    if there.sum() < 3 or np.ptp(events[there]) == 0:
        return 0.0
    x = events[there] - events[there].mean()
    value = float((x * course.mark[there]).sum() / (x**2).sum())
    known = ~np.isnan(original.mark)
    scale = np.log1p(original.weekly.sum(axis=1))[known].std() / max(float(original.mark[known].std()), 1e-9)
    return value * float(scale)


def _ridge(rows: Array, values: Array, asked: Array) -> Array:
    """Ridge regression on standardised columns."""
    centre, spread = rows.mean(axis=0), rows.std(axis=0)
    scaled, wanted = ((each - centre) / np.where(spread > 0, spread, 1.0) for each in (rows, asked))
    inner = scaled.T @ scaled + PENALTY * np.eye(scaled.shape[1])
    return np.asarray(values.mean() + wanted @ np.linalg.solve(inner, scaled.T @ (values - values.mean())))
