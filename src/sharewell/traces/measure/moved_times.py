"""Attacks on moved times: match known points over all shifts and within the noise, or find each shift first."""

import numpy as np

from sharewell.stats.compiled import njit
from sharewell.traces.arrays import Array
from sharewell.traces.attacks.draws import NO_POINT, Attacker, draw
from sharewell.traces.log import Log, index
from sharewell.traces.measure.known_points import Alone, attempts
from sharewell.traces.side_by_side import same_students

UNKNOWN = np.iinfo(np.int64).min  # stands for a point that a student does not have
MOST_WORK = 2_000_000_000  # comparisons over all targets, beyond which targets are sampled


def over_all_moves(
    original: Log, released: Log, who: Attacker, *, known: int, moves: Array, slack: int, repeats: int, seed: int
) -> Alone:
    """Known points of the original against every candidate under every move, each point within `slack` windows."""
    students = same_students(original, released)
    numbers = np.full(original.students, -1)
    numbers[students[students >= 0]] = np.flatnonzero(students >= 0)
    present = np.flatnonzero(numbers >= 0)
    work = max(1, released.students * len(moves) * known * (2 * slack + 1) * 8 * repeats)
    sample = max(50, MOST_WORK // work)
    step, pairs = original.combinations_count, released.keys[released.points]
    hits, tries = np.zeros((1, original.students), np.int64), np.zeros(original.students, np.int64)
    for targets, turns in attempts(present, repeats=repeats, sample=sample, seed=seed):
        drawn = draw(original, who, targets, known, seed=seed, repeats=turns)
        keys = np.where(drawn == NO_POINT, UNKNOWN, original.keys[drawn])
        found = _best_fit(released.starts, pairs, numbers[targets], keys, moves * step, slack, step)
        tries += np.bincount(targets, minlength=original.students)
        hits[0] += np.bincount(targets[found], minlength=original.students)
    return Alone(known=(known,), hits=hits, tries=tries)


@njit(cache=True)
def _best_fit(
    starts: Array,
    keys: Array,
    targets: Array,
    drawn: Array,
    moves: Array,
    slack: int,
    step: int,
) -> Array:
    found = np.zeros(targets.size, np.bool_)
    for i in range(targets.size):
        fit = _fit(keys[starts[targets[i]] : starts[targets[i] + 1]], drawn[i], moves, slack, step)
        alone = fit > 0
        for other in range(starts.size - 1):
            if alone and other != targets[i]:
                alone = _fit(keys[starts[other] : starts[other + 1]], drawn[i], moves, slack, step) < fit
        found[i] = alone
    return found


@njit(cache=True)
def _fit(own: Array, known: Array, moves: Array, slack: int, step: int) -> int:
    best = 0
    for move in moves:
        fit = 0
        for key in known:
            near = False
            for off in range(-slack, slack + 1):
                wanted = key + move + off * step
                place = np.searchsorted(own, wanted)
                near = near or (key != UNKNOWN and place < own.size and own[place] == wanted)
            fit += near
        best = max(best, fit)
    return best


def unshifted(original: Log, released: Log, moves: Array) -> Log:
    """The release with each student moved back by the shift that best fits lectures and deadlines.

    Busy windows of the original, which a timetable tells, are the anchors: the most likely shift is the one under
    which a student's points fall where many were active.
    """
    step = original.combinations_count
    keys, owners = released.keys[released.points], released.owners
    scores = np.stack([_score(original, keys - move * step, owners, released.students) for move in moves])
    back = moves[np.argmax(scores, axis=0)][owners] * step
    place = np.minimum(np.searchsorted(original.keys, keys - back), len(original.keys) - 1)
    students = same_students(original, released)[owners]
    known = (original.keys[place] == keys - back) & (students >= 0)
    pairs = np.unique(students[known].astype(np.int64) * len(original.keys) + place[known])
    who, where = np.divmod(pairs, len(original.keys))
    return index(original, who.astype(np.int32), where.astype(np.int32), np.ones(len(pairs), np.int32), original.keys)


def _score(original: Log, keys: Array, owners: Array, students: int) -> Array:
    """How well a student's moved points agree with where the course was busy: the sum of log popularities."""
    place = np.minimum(np.searchsorted(original.keys, keys), len(original.keys) - 1)
    busy = np.where(original.keys[place] == keys, original.popularity[place], 0)
    return np.bincount(owners, weights=np.log(busy + 0.5), minlength=students)
