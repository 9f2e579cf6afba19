"""A course from which students can be invented: who there is, when they come, how long they stay, what they do.

Learnt are few numbers, each with noise and none that fewer than m students share (see `learnt_numbers`): the calendar
(events by weeks, weekdays, days that stand out), when students begin and stop, on how many days they are active, how
much they do and how that goes with the outcome, at which hours sessions begin and how regular a student is, sessions
per day, events per session, the time between events, and which event follows which. No row, no student and no session
of the original is kept.
"""

from dataclasses import dataclass, replace

import numpy as np

from sharewell.errors import Refused
from sharewell.traces.arrays import Array
from sharewell.traces.course_log import DAY, HOUR, SESSION_GAP, CourseLog
from sharewell.traces.protection.calendar import Calendar, day_weights, fit_calendar
from sharewell.traces.protection.learnt_numbers import (
    Learning,
    SizeShares,
    counted,
    fit_sizes,
    mean_of_students,
    nearest,
)
from sharewell.traces.protection.student_types import Students, StudentTypes, active_days, fit_types
from sharewell.traces.protection.verb_chain import VerbChain, fit_chain, steps_taken, usable_tokens

HOURS, WAVES = 24, 3
REGULARITIES = 4.0 ** np.arange(-1, 6)  # how close a student's hours are to those of the course
EXPECTED = 2_000  # students invented to see when a course is attended
TRIED = 200  # students invented to find the regularity and the weights of days
ROUNDS, COMPARED = 3, 200  # in which means of invented students are brought to those that were learnt, and how many
APART = 1 << 40  # seconds: keeps what is accumulated for one owner from the next
MOST_LONGER = 2.0  # in one round
LONGEST_PAUSE = 4.0  # of the time that ends a session: how long at most until one that had to wait
AT_ONCE = 2_000_000  # students × days that are looked at together


@dataclass(frozen=True, kw_only=True)
class Invented:
    """Events of invented students, sorted by student and time."""

    student: Array
    second: Array
    token: Array
    stratum: Array  # per student
    numbers: dict[str, Array]


@dataclass(frozen=True, kw_only=True)
class CourseModel:
    """Hold everything learnt; `unit` is the resolution of times, in seconds."""

    unit: int
    tokens: list[tuple[object, ...]]
    types: StudentTypes
    calendar: Calendar
    weights: Array  # of the days of the calendar
    hours: Array
    regularity: float
    sessions: SizeShares  # on a day
    sizes: SizeShares  # events of a session
    size_by_stratum: Array
    largest: int
    gaps: SizeShares  # units between events of a session
    chain: VerbChain
    numbers: dict[str, SizeShares]
    whole: dict[str, bool]
    longest: int  # events of a student
    left_out: int  # events that were not learnt from: few students share what they hold

    def invent(self, students: int, generator: np.random.Generator) -> Invented:
        who = self.types.draw(students, generator)
        owner, second = self.times(who, generator)
        first = np.diff(owner, prepend=-1) != 0
        begins = first | (np.diff(second, prepend=0) > SESSION_GAP)
        token = self.chain.walk(first, begins, generator)
        return Invented(
            student=owner,
            second=second,
            token=token,
            stratum=who.stratum,
            numbers={name: self._numbers(name, owner.size, generator) for name in self.numbers},
        )

    def times(self, who: Students, generator: np.random.Generator) -> tuple[Array, Array]:
        """When students do something: whose each event is, and its second."""
        owner, day = self._days(who, generator)
        owner, start = self._session_starts(owner, day, who.stratum.size, self.regularity, generator)
        size = self._sizes(who.stratum[owner], start // DAY, generator)
        owner, second = self._event_times(owner, start, size, generator)
        return self._allowed(owner, second)

    def _days(self, who: Students, generator: np.random.Generator) -> tuple[Array, Array]:
        """The active days of every student: the first, the last, and others by their weights (Gumbel's trick)."""
        open_days = self.calendar.open
        at_once = max(1, AT_ONCE // max(1, open_days.size))
        found = []
        for start in range(0, who.first.size, at_once):
            part = slice(start, start + at_once)
            first, last, many = who.first[part], who.last[part], who.days[part]
            keys = np.log(self.weights[open_days]) + generator.gumbel(size=(first.size, open_days.size))
            keys[(open_days < first[:, None]) | (open_days > last[:, None])] = -np.inf
            ends = (nearest(open_days, first), nearest(open_days, last))
            for end, needed in zip(ends, (1, 2), strict=True):
                rows = np.flatnonzero(many >= needed)
                keys[rows, end[rows]] = np.inf
            most = min(int(many.max(initial=1)), open_days.size)
            order = np.argpartition(-keys, most - 1, axis=1)[:, :most]
            order = np.take_along_axis(order, np.argsort(-np.take_along_axis(keys, order, 1), axis=1), 1)
            free = np.take_along_axis(keys, order, 1) > -np.inf
            owner, rank = np.nonzero(free & (np.arange(most) < many[:, None]))
            found.append((owner + start, open_days[order[owner, rank]] + self.calendar.first))
        return tuple(np.concatenate(parts) for parts in zip(*found, strict=True))

    def _session_starts(
        self, owner: Array, day: Array, students: int, regularity: float, generator: np.random.Generator
    ) -> tuple[Array, Array]:
        """Sessions of every active day at hours that the student likes; sorted."""
        many = np.maximum(self.sessions.draw(owner.size, generator), 1)
        liked = generator.gamma(np.maximum(regularity * self.hours / self.hours.sum(), 1e-9), size=(students, HOURS))
        liked = np.cumsum(np.maximum(liked, 1e-300) * (self.hours > 0), axis=1)
        owner, day = np.repeat(owner, many), np.repeat(day, many)
        draws = generator.random(owner.size) * liked[owner, -1]
        hour = np.minimum((liked[owner] <= draws[:, None]).sum(axis=1), HOURS - 1)
        second = day * DAY + hour * HOUR + generator.integers(0, HOUR, owner.size)
        order = np.lexsort((second, owner))
        return owner[order], second[order]

    def _sizes(self, stratum: Array, day: Array, generator: np.random.Generator) -> Array:
        size = self.sizes.draw(stratum.size, generator) * self.calendar.busy[day - self.calendar.first]
        scaled = np.floor(size * np.exp(self.size_by_stratum[stratum]) + generator.random(stratum.size))
        found: Array = np.clip(scaled, 1, self.largest).astype(np.int64)
        return found

    def _event_times(
        self, owner: Array, start: Array, size: Array, generator: np.random.Generator
    ) -> tuple[Array, Array]:
        """Events of every session one gap after the other; a session begins when the one before has long ended."""
        session = np.repeat(np.arange(size.size), size)
        opens = np.diff(session, prepend=-1) != 0
        gap = np.minimum(self.gaps.draw(session.size, generator) * self.unit, SESSION_GAP - SESSION_GAP % self.unit)
        since = np.cumsum(np.where(opens, 0, gap))
        since -= np.repeat(since[opens], size)
        length = since[np.cumsum(size) - 1] if size.size else since
        pause = np.floor(SESSION_GAP * LONGEST_PAUSE ** generator.random(size.size)) + self.unit
        second = pushed_apart(owner, start, length + pause.astype(np.int64))[session] + since
        second -= second % self.unit
        return owner[session], second

    def _allowed(self, owner: Array, second: Array) -> tuple[Array, Array]:
        """Nothing on days or at hours that too few students shared, and nobody with more than several students did."""
        day = second // DAY - self.calendar.first
        inside = (day >= 0) & (day < self.calendar.active.size)
        good = inside & (self.hours[second % DAY // HOUR] > 0)
        good &= self.calendar.active[np.where(inside, day, 0)] > 0
        owner, second = owner[good], second[good]
        firsts = np.flatnonzero(np.diff(owner, prepend=-1) != 0)
        place = np.arange(owner.size) - np.repeat(firsts, np.diff(np.append(firsts, owner.size)))
        return owner[place < self.longest], second[place < self.longest]

    def _numbers(self, name: str, size: int, generator: np.random.Generator) -> Array:
        drawn = self.numbers[name].draw(size, generator).astype(float)
        return drawn if self.whole[name] else np.round(drawn / 100, 2)


def pushed_apart(owner: Array, start: Array, length: Array) -> Array:
    """Starts, ascending within each owner, moved back just so far that none lies within what came before."""
    before = np.cumsum(length) - length
    free = np.maximum.accumulate(start - before + owner.astype(np.int64) * APART) - owner.astype(np.int64) * APART
    return np.asarray(free + before)


def fit_course(every: CourseLog, *, noise: float, m: int, unit: int, generator: np.random.Generator) -> CourseModel:
    """Learn from the students of a log; `generator` is where the noise comes from, a secret one in a release."""
    learning = Learning(noise=noise, m=m, generator=generator)
    usable = usable_tokens(every, learning)
    if not usable.any():
        raise Refused(f"no kind of event has {m} students who did it twice: there is nothing to learn from")
    log = every.with_tokens(usable)
    types = fit_types(log, learning)
    who = types.draw(EXPECTED, generator)
    calendar = fit_calendar(log, learning, who)
    if not calendar.open.size:
        raise Refused(f"there is no day on which {m} students were active: there is nothing to learn from")
    sessions = log.begins
    session = np.cumsum(sessions) - 1
    size = np.bincount(session)
    per_day = np.log(log.lengths / active_days(log))
    size_by = learning.effects(per_day, log.stratum, len(log.strata))
    types = _relative(types, calendar)
    sample = types.draw(TRIED, generator)
    whole = {name: _is_whole(learning, log, name) for name in log.numbers}
    return _with_means(
        log,
        learning,
        _usual_days(
            CourseModel(
                unit=unit,
                tokens=log.tokens,
                types=types,
                calendar=calendar,
                weights=day_weights(calendar, sample.first, sample.last, sample.days),
                hours=learning.waves(
                    counted(log.student[sessions], log.second[sessions] % DAY // HOUR, log.students, HOURS), WAVES
                ),
                regularity=1.0,
                sessions=fit_sizes(learning, *_sessions_per_day(log), log.students),
                sizes=fit_sizes(learning, log.student[sessions], size, log.students),
                size_by_stratum=size_by,
                largest=int(learning.bound(_largest(log.student[sessions], size, log.students))),
                gaps=fit_sizes(learning, log.student[~sessions], log.gap[~sessions] // unit, log.students),
                chain=fit_chain(log, learning, steps_taken(every, usable)),
                numbers={name: _number_classes(learning, log, name, whole=without) for name, without in whole.items()},
                whole=whole,
                longest=int(learning.bound(log.lengths)),
                left_out=int(every.second.size - log.second.size),
            ),
            generator,
        ),
    )


def _usual_days(model: CourseModel, generator: np.random.Generator) -> CourseModel:
    """How busy days are, over how busy the days are on which invented students come."""
    calendar = model.calendar
    _, day = model._days(model.types.draw(TRIED, generator), generator)
    usual = float(calendar.busy[day - calendar.first].mean()) if day.size else 1.0
    return replace(model, calendar=replace(calendar, busy=calendar.busy / usual))


def _relative(types: StudentTypes, calendar: Calendar) -> StudentTypes:
    """Count first days from the first day of the calendar."""
    return replace(types, first=types.first - calendar.first)


def _with_means(log: CourseLog, learning: Learning, model: CourseModel) -> CourseModel:
    """Sessions of invented students are as large and last as long as real ones, and spread as evenly over the hours.

    What noise and bounds took from one number is given back by another: it uses nothing but what was learnt.
    """
    evenly = learning.mean(_hour_entropy(log.student, log.second, log.students))
    length = np.bincount(np.cumsum(log.begins) - 1, weights=np.where(log.begins, 0, log.gap))
    lasts = mean_of_students(learning, log.student[log.begins], length, log.students)
    reached, wanted = _evenness(learning, model), evenly
    for place in range(ROUNDS):  # steps that shrink, so that the draws of all rounds are averaged (Robbins, Monro 1951)
        model = replace(model, regularity=_where(wanted, reached))
        owner, second = model.times(model.types.draw(COMPARED, learning.generator), learning.generator)
        wanted += (evenly - _hour_entropy(owner, second, COMPARED).mean()) / (place + 1)
        model = _nearer(model, owner, second, lasts, step=1 / (place + 1))
    return replace(model, regularity=_where(wanted, reached))


def _nearer(model: CourseModel, owner: Array, second: Array, lasts: float, *, step: float) -> CourseModel:
    """Sessions with as many events as were learnt, a step nearer, and gaps between them under which they last so long.

    Sizes answer for how many events there are and gaps for how long they take: one number for both would let too long
    gaps be paid for with too few events.
    """
    gap = np.where(np.diff(owner, prepend=-1) != 0, SESSION_GAP + 1, np.diff(second, prepend=0))
    begins = gap > SESSION_GAP
    size, length = begins.size / begins.sum(), float(gap[~begins].sum()) / begins.sum()
    larger = _ratio(model.sizes.mean, size) ** step
    slower = _ratio(lasts * (size - 1), length * (model.sizes.mean - 1)) ** step
    sizes = model.size_by_stratum + np.log(larger)
    return replace(model, size_by_stratum=sizes, gaps=model.gaps.with_mean(slower * model.gaps.mean))


def _ratio(wanted: float, reached: float) -> float:
    """What to multiply by; nothing is learnt from what lasts no time."""
    return float(np.clip(wanted / reached, 1 / MOST_LONGER, MOST_LONGER)) if min(wanted, reached) > 0 else 1.0


def _evenness(learning: Learning, model: CourseModel) -> Array:
    """How evenly invented students spread over the hours under each regularity, their sessions taken as moments."""
    generator = learning.generator
    who = model.types.draw(TRIED, generator)
    owner, day = model._days(who, generator)
    reached = []
    for regularity in REGULARITIES:
        whose, start = model._session_starts(owner, day, TRIED, float(regularity), generator)
        size = model._sizes(who.stratum[whose], start // DAY, generator)
        reached.append(_hour_entropy(np.repeat(whose, size), np.repeat(start, size), TRIED).mean())
    return np.maximum.accumulate(reached)


def _where(goal: float, reached: Array) -> float:
    """The regularity under which a goal is reached."""
    return float(np.exp(np.interp(goal, reached, np.log(REGULARITIES))))


def _hour_entropy(student: Array, second: Array, students: int) -> Array:
    """Entropy in bits of the hours of every student's events."""
    cell = student * HOURS + second % DAY // HOUR
    table = np.bincount(cell, minlength=students * HOURS).reshape(students, HOURS)
    share = table / np.maximum(table.sum(axis=1, keepdims=True), 1)
    return np.asarray(-(share * np.log2(np.where(share > 0, share, 1.0))).sum(axis=1))


def _number_classes(learning: Learning, log: CourseLog, name: str, *, whole: bool) -> SizeShares:
    values = log.numbers[name]
    known = np.isfinite(values) & (values >= 0)
    scaled = values[known] * (1 if whole else 100)
    return fit_sizes(learning, log.student[known], np.rint(scaled).astype(np.int64), log.students)


def _is_whole(learning: Learning, log: CourseLog, name: str) -> bool:
    """Unless surely several students have a fraction: one student's must not change everybody's numbers."""
    values = log.numbers[name]
    broken = np.unique(log.student[np.isfinite(values) & (values != np.rint(values))]).size
    return not learning.shared(np.array([log.students, broken]), log.students)[1]


def _sessions_per_day(log: CourseLog) -> tuple[Array, Array]:
    wide = int(log.day.max() - log.day.min()) + 1
    cell = log.student[log.begins] * wide + log.day[log.begins] - log.day.min()
    days, many = np.unique(cell, return_counts=True)
    return days // wide, many


def _largest(student: Array, value: Array, students: int) -> Array:
    found = np.zeros(students, np.int64)
    np.maximum.at(found, student, value)
    return found
