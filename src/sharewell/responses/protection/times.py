"""When invented students work: starts on the course's weekly rhythm, gaps within and between sessions.

What is learnt: in which week students begin, in which hours of the week sessions begin, and how long the gaps between
two rows are, within a session and between sessions. Each is a histogram over few classes in which every class has at
least m students; no student's own times enter.
"""

from dataclasses import dataclass

import numpy as np

from sharewell.responses.log import Log
from sharewell.responses.protection.items_left_out import stay_away
from sharewell.responses.protection.markov_chain import Noise
from sharewell.responses.steps_taken import tally, times_squared
from sharewell.stats.arrays import Array
from sharewell.stats.noise import noisy_counts

SECOND = 1_000_000
HOUR, DAY, WEEK = 3600 * SECOND, 24 * 3600 * SECOND, 7 * 24 * 3600 * SECOND
SESSION = 30 * 60 * SECOND  # a longer gap begins a new session
MONDAY = 4 * DAY  # 1 January 1970 was a Thursday: weeks begin four days later
TIMES_NOISE = 2.0  # standard errors on what belongs to times, for each on answers
GAP_CLASS = 0.25  # width of a class of gaps, in the logarithm of microseconds: the same for every data set


@dataclass(frozen=True, kw_only=True)
class Histogram:
    """Classes between `edges` with cumulative chances; values are drawn evenly within a class."""

    edges: Array
    cumulative: Array

    def draw(self, size: int, generator: np.random.Generator) -> Array:
        place = np.searchsorted(self.cumulative, generator.random(size), side="right")
        place = np.minimum(place, self.cumulative.size - 1)
        low, high = self.edges[place], self.edges[place + 1]
        found: Array = low + generator.random(size) * (high - low)
        return found


@dataclass(frozen=True, kw_only=True)
class Timing:
    """How times are drawn; `break_chance` is how often a gap between two rows begins a new session."""

    week: Histogram  # which week a student begins
    hour: Histogram  # hour of the week in which sessions begin
    within: Histogram | None  # logarithm of the gap in a session
    between: Histogram | None
    break_chance: float
    unit: int  # microseconds that the log's times are multiples of: a second, or one

    def draw(self, lengths: Array, generator: np.random.Generator) -> Array:
        """Times in microseconds for every row; they never run backwards."""
        rows = int(lengths.sum())
        breaks = generator.random(rows) < self.break_chance
        gap = np.zeros(rows, dtype=np.int64)
        for kind, chosen in ((self.within, ~breaks), (self.between, breaks)):
            if kind is not None:
                gap[chosen] = np.expm1(kind.draw(int(chosen.sum()), generator)).astype(np.int64)
        begin = (np.floor(self.week.draw(lengths.size, generator)) * WEEK + MONDAY).astype(np.int64)
        hour = (self.hour.draw(rows, generator) * HOUR).astype(np.int64)
        return _clock(lengths, begin, gap, breaks, hour) // self.unit * self.unit


def _clock(lengths: Array, begin: Array, gap: Array, breaks: Array, hour: Array) -> Array:
    """Add up the gaps; a new session moves to the nearest moment of the drawn hour.

    After a pause of several days the hour of the week is met, after a shorter one the hour of the day; a session that
    would begin before its predecessor is over goes to the next day or week. Sessions go one by one, of all students at
    once.
    """
    first = np.cumsum(lengths) - lengths
    student = np.repeat(np.arange(lengths.size), lengths)
    gap, opens = gap.copy(), breaks.copy()
    gap[first], opens[first] = 0, True
    since = np.cumsum(gap)  # of all students together
    session = np.flatnonzero(opens)  # the rows that begin one
    number = np.arange(session.size) - np.searchsorted(session, first)[student[session]]
    moved = np.empty(session.size, dtype=np.int64)  # the time of a row is `since` plus this of its session
    moved[number == 0] = (begin + hour[first]) - since[first]
    for turn in range(1, int(number.max(initial=0)) + 1):
        here = np.flatnonzero(number == turn)
        row = session[here]
        now = since[row] + moved[here - 1]
        cycle = np.where(gap[row] > 4 * DAY, WEEK, DAY)
        shift = (hour[row] - (now - MONDAY)) % cycle
        early = (shift > cycle // 2) & (shift - cycle > SESSION - gap[row])
        moved[here] = moved[here - 1] + np.where(early, shift - cycle, shift)
    found: Array = since + moved[np.cumsum(opens) - 1]
    return found


def fit_timing(log: Log, *, m: int, noise: Noise) -> Timing:
    """Histograms of starts and gaps, counted with noise, in which every class has at least m students."""
    assert log.time is not None
    noise = Noise(TIMES_NOISE * noise.c, noise.generator)
    student = log.student
    same = student[1:] == student[:-1]
    gap = np.diff(log.time)[same]
    who = student[1:][same]
    breaks = gap > SESSION
    begins = np.concatenate([[True], ~same | (np.diff(log.time) > SESSION)])
    start = log.time[log.bounds[:-1]]
    return Timing(
        week=classes(((start - MONDAY) // WEEK).astype(float), np.arange(start.size), m, width=1.0, noise=noise),
        hour=classes((log.time[begins] - MONDAY) % WEEK // HOUR * 1.0, student[begins], m, width=1.0, noise=noise),
        within=_gaps(gap[~breaks], who[~breaks], m, noise),
        between=_gaps(gap[breaks], who[breaks], m, noise),
        break_chance=_chance_of_a_break(breaks, who, noise),
        unit=SECOND if (log.time % SECOND == 0).all() else 1,
    )


def _gaps(gap: Array, who: Array, m: int, noise: Noise) -> Histogram | None:
    if np.unique(who).size < m:
        return None
    return classes(np.log1p(gap.astype(float)), who, m, width=GAP_CLASS, noise=noise)


def _chance_of_a_break(breaks: Array, who: Array, noise: Noise) -> float:
    if not breaks.any():
        return 0.0
    error = np.sqrt(times_squared(breaks.astype(np.int64), who.astype(np.int64))[-1])
    counted = noisy_counts(np.array([breaks.sum()]), np.array([error]), c=noise.c, generator=noise.generator)
    return min(1.0, float(counted[0]) / breaks.size)


def classes(value: Array, who: Array, m: int, *, width: float, noise: Noise | None = None) -> Histogram:
    """Classes at multiples of the width, counted with noise; those with fewer than m students are left out.

    With noise some with little more are left out, too: its presence would disclose who made it m. Where no class has
    enough, one wide class in the middle of the values stands for all.
    """
    code = np.floor(value / width).astype(np.int64)
    lowest = int(code.min())
    seen, often, students = tally(code - lowest, who.astype(np.int64))
    shown = students >= m
    if noise is not None and noise.c:
        error = np.sqrt(times_squared(code - lowest, who))
        often = noisy_counts(often, error, c=noise.c, generator=noise.generator)
        if shown.any():
            people = int(who.max()) + 1
            shown[shown] = ~stay_away(students[shown], m, c=noise.c, people=people, generator=noise.generator)
    times = np.zeros(int(seen[-1]) + 1)
    times[seen] = often * shown
    if not times.any():
        middle = np.floor(float(np.median(value)) / width)
        return Histogram(edges=width * np.array([middle, middle + 1]), cumulative=np.array([1.0]))
    edges = width * (lowest + np.arange(times.size + 1))
    return Histogram(edges=edges, cumulative=np.cumsum(times) / times.sum())
