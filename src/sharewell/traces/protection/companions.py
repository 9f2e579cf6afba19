"""Day-level logs of small courses: every student gets a companion, and what both did is kept; then points come back.

Two students whose released points agree cannot be told apart by any of them. Companions are matched for the most
events in common (greedily, then improved by exchanges). Afterwards single points are given back, those that bring
the most events for the least added risk first, as long as the mean risk stays under its target and nobody's own
risk exceeds a cap: a low mean must not be bought with a few students who are exposed for certain.
"""

import numpy as np

from sharewell.stats.compiled import njit, prange
from sharewell.traces.arrays import Array
from sharewell.traces.log import Log

MOST_STUDENTS = 1_000
MOST_CELLS = 20_000_000
DRAWS = 200  # remembered draws per student on which risks are compared while points come back
ROUNDS = 60
SHARE_PER_ROUND = 4  # at most a quarter of the students get a point back before risks are taken again


def feasible(log: Log) -> bool:
    return log.students <= MOST_STUDENTS and log.students * len(log.keys) <= MOST_CELLS


def shared(log: Log) -> Array:
    """Who keeps which point if only what companions have in common is kept: a table of students by points."""
    weights = np.zeros((log.students, len(log.keys)), np.float32)
    weights[log.owners, log.points] = log.events
    had = weights > 0
    mate = matched(_in_common(weights, had))
    kept: Array = had & had[mate] & (mate != np.arange(log.students))[:, None]
    return kept


def left_out(log: Log, kept: Array, *, known: int, target: float, cap: float, generator: np.random.Generator) -> Array:
    """The pairs left out after giving back as much as keeps the mean risk at `known` random points under `target`."""
    kept = kept.copy()
    _give_back(log, kept, _shuffles(log, generator), known=known, target=target, cap=cap)
    return ~kept[log.owners, log.points]


def _in_common(weights: Array, had: Array) -> Array:
    """Events that two students would keep if they were companions."""
    one_way = weights @ had.T.astype(np.float32)
    common = (one_way + one_way.T).astype(np.float64)
    np.fill_diagonal(common, 0.0)
    return common


def matched(common: Array) -> Array:
    """A companion for every student, best pairs first, then exchanged while that helps; a student left over has none.

    Without a companion a student is their own.
    """
    mate = np.arange(len(common))
    for flat in np.argsort(-common, axis=None, kind="stable"):
        one, other = divmod(int(flat), len(common))
        if one < other and mate[one] == one and mate[other] == other and common[one, other] > 0:
            mate[one], mate[other] = other, one
    _exchange(common, mate)
    return mate


@njit(cache=True)
def _exchange(common: Array, mate: Array) -> None:
    """Pairs (a, b), (c, d) become (a, c), (b, d) wherever that keeps more, until nothing does."""
    improved = True
    while improved:
        improved = False
        for a in range(mate.size):
            for c in range(mate.size):
                b, d = mate[a], mate[c]
                if c in (a, b):
                    continue
                before = common[a, b] + common[c, d]
                apart = b == a or d == c
                after = common[a, c] + (0.0 if apart else common[b, d])
                if after > before + 1e-9:
                    mate[a], mate[c] = c, a
                    if b != a:
                        mate[b] = b if d == c else d
                    if d != c:
                        mate[d] = d if b == a else b
                    improved = True


def _shuffles(log: Log, generator: np.random.Generator) -> Array:
    """DRAWS random orders of every student's points: the first ones still released are what an attacker knows."""
    order = np.argsort(generator.random((DRAWS, len(log.points))) + log.owners, axis=1)
    return log.points[order]


def _give_back(log: Log, kept: Array, shuffled: Array, *, known: int, target: float, cap: float) -> None:
    """Rounds of giving back the best points until the risk is spent or nothing is left to give.

    What a point would add is taken again only for students who got one: for the others it can only have fallen,
    since more company lowers a risk.
    """
    everyone, nothing = np.arange(log.students, dtype=np.int32), np.full(log.students, -1, np.int32)
    offers = np.flatnonzero(~kept[log.owners, log.points])
    after, stale = np.zeros((len(log.points), 2)), np.ones(log.students, np.bool_)
    for _ in range(ROUNDS):
        by_point = np.ascontiguousarray(kept.T)
        now = _risks(kept, by_point, shuffled, log.starts, known, everyone, nothing)
        again = offers[stale[log.owners[offers]]]
        after[again] = _risks(kept, by_point, shuffled, log.starts, known, log.owners[again], log.points[again])
        added = np.maximum((after[offers] - now[log.owners[offers]]).max(axis=1), 0.0)
        worth = np.where(after[offers].max(axis=1) <= cap, log.events[offers] / (added + 0.1 / DRAWS), -1.0)
        present = kept.any(axis=1)
        given = _affordable(log.owners[offers], worth, added, _left(now[present], target))
        if not len(given):
            break
        kept[log.owners[offers[given]], log.points[offers[given]]] = True
        stale[:] = False
        stale[log.owners[offers[given]]] = True
        offers = np.delete(offers, given)


def _left(risks: Array, target: float) -> float:
    """How much risk, summed over the students, may still be added."""
    return float((target - risks.mean(axis=0).max()) * len(risks)) if len(risks) else 0.0


def _affordable(owners: Array, worth: Array, added: Array, budget: float) -> Array:
    """The best offer to each of the students who gain most, as far as the budget goes."""
    given = []
    for place in _best_per_student(owners, worth):
        if added[place] <= budget:
            budget -= added[place]
            given.append(place)
    return np.array(given, np.int64)


def _best_per_student(students: Array, worth: Array) -> Array:
    """The place of the best offer to each student, best first; only the leading part of them."""
    order = np.lexsort((-worth, students))
    best = order[np.flatnonzero(np.diff(students[order], prepend=-1))]
    best = best[worth[best] > 0]
    leading = max(5, len(best) // SHARE_PER_ROUND)
    return np.asarray(best[np.argsort(-worth[best], kind="stable")][:leading])


@njit(parallel=True, cache=True)
def _risks(
    kept: Array,
    by_point: Array,
    shuffled: Array,
    starts: Array,
    known: int,
    students: Array,
    points: Array,
) -> Array:
    """The risk of each of the students if they had one more point; -1 for as they are."""
    risks = np.zeros((students.size, 2))
    for place in prange(students.size):
        _student_risk(kept, by_point, shuffled, starts, known, students[place], points[place], risks[place])
    return risks


@njit(cache=True)
def _student_risk(
    kept: Array,
    by_point: Array,
    shuffled: Array,
    starts: Array,
    known: int,
    student: int,
    extra: int,
    out: Array,
) -> None:
    """How often a student stands out, with one extra point: on the release alone, and with original points."""
    points = np.empty(known, np.int64)
    witness = 0  # whoever was like the student last time is asked first
    for draw in range(shuffled.shape[0]):
        mine = shuffled[draw, starts[student] : starts[student + 1]]
        released = 0
        for point in mine:
            if kept[student, point] or point == extra:
                points[released] = point
                released += 1
                if released == known:
                    break
        if released > 0:
            found = _someone(by_point, points[:released], released, student, witness)
            witness = max(found, 0)
            out[0] += found < 0
        count = min(known, mine.size)
        fit = 0
        for place in range(count):
            points[place] = mine[place]
            fit += kept[student, mine[place]] or mine[place] == extra
        if fit > 0:
            out[1] += _someone(by_point, points[:count], fit, student, witness) < 0
    out /= shuffled.shape[0]


@njit(cache=True)
def _someone(by_point: Array, points: Array, needed: int, student: int, witness: int) -> int:
    """Another student who has at least `needed` of the points, or -1."""
    others = by_point.shape[1]
    for step in range(others):
        other = witness + step
        if other >= others:
            other -= others
        if other == student:
            continue
        missing = points.size - needed
        for point in points:
            if not by_point[point, other]:
                missing -= 1
                if missing < 0:
                    break
        if missing >= 0:
            return other
    return -1
