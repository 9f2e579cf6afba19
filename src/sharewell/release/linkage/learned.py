"""An attacker who has learned how two files belong together: from students whose rows in both are known to them.

Half of the students in both files teach, the other half is judged, and the other way round, so that what is chosen on
one half is never judged on it. Three lessons: the pair of numbers that tells most, a mapping of everything numeric
(canonical correlation, Hotelling 1936), and the weights with which the kinds of evidence add up.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sharewell.release.linkage.evidence import Evidence, ranks
from sharewell.release.linkage.match import standardised
from sharewell.release.linkage.tells import Tells
from sharewell.stats.arrays import Array

LARGEST = 0.999  # correlation that a mapping believes in
STUDENTS_PER_DIRECTION = 8  # that teach each direction of the mapping
MOST_DIRECTIONS = 20
PENALTY = 1e-3  # on the weights, so that evidence that teaches nothing gets none
MOST_NUMBERS, TOGETHER = 8, 0.4  # pairs of numbers that are added up, and how well they must go together
LESSONS, OTHERS = 150, 250  # students who teach the weights, and candidates that each is set against


@dataclass(frozen=True)
class Halves:
    """Two halves of the students in both files; each is judged by what the other teaches."""

    common: int
    first: Array  # true for the students of the first half

    def turns(self) -> Sequence[tuple[Array, Array]]:
        """(who teaches, who is judged), twice."""
        places = np.arange(self.common)
        one, other = places[self.first], places[~self.first]
        return ((one, other), (other, one))


def halves(common: int, seed: int) -> Halves:
    first = np.zeros(common, bool)
    first[np.random.default_rng(seed).permutation(common)[: common // 2]] = True
    return Halves(common, first)


def best_numbers(one: Tells, other: Tells, split: Halves) -> tuple[str, Array] | None:
    """Scores by the pair of numbers that put most of the teaching half together: by value, or by rank."""
    tried = [
        (
            f"{here} and {there}{' by rank' if ranked else ''}",
            _line(one.numbers[here], ranked),
            _line(other.numbers[there], ranked),
        )
        for here in one.numbers
        for there in other.numbers
        for ranked in (False, True)
    ]
    if not tried:
        return None
    right = np.array([_right(mine, theirs, split.common) for _, mine, theirs in tried])
    scores = np.zeros((one.students.size, other.students.size))
    names = []
    for teaching, judged in split.turns():
        name, mine, theirs = tried[int(right[:, teaching].mean(axis=1).argmax())]
        scores[judged] = -_gap(mine[judged], theirs)
        names.append(name)
    return "the numbers " + "; ".join(dict.fromkeys(names)), scores


def several_numbers(one: Tells, other: Tells, split: Halves) -> Array | None:
    """Scores by the few pairs of numbers that go together best in the teaching half, each with its own scatter."""
    here, there = (np.array([ranks(numbers) for numbers in side.numbers.values()]) for side in (one, other))
    if not (here.size and there.size):
        return None
    scores = np.zeros((one.students.size, other.students.size))
    for teaching, judged in split.turns():
        for mine, theirs, turned in _together(here[:, teaching], there[:, teaching]):
            line = 1 - there[theirs] if turned else there[theirs]
            scatter = np.nanmean((here[mine, teaching] - line[teaching]) ** 2) + 1e-6
            gap = (here[mine, judged][:, None] - line[None, :]) ** 2 / (2 * scatter)
            scores[judged] -= np.where(np.isfinite(gap), gap, np.nanmean(gap) if np.isfinite(gap).any() else 0.0)
    return scores


def _together(here: Array, there: Array) -> list[tuple[int, int, bool]]:
    """Pairs of numbers by their rank correlation, strongest first, each number once; whether one falls as one rises."""
    sides = [np.nan_to_num(side - np.nanmean(side, axis=1, keepdims=True)) for side in (here, there)]
    lengths = [np.linalg.norm(side, axis=1) + 1e-12 for side in sides]
    correlation = sides[0] @ sides[1].T / lengths[0][:, None] / lengths[1][None, :]
    chosen: list[tuple[int, int, bool]] = []
    for place in np.argsort(-np.abs(correlation), axis=None):
        mine, theirs = np.unravel_index(place, correlation.shape)
        if len(chosen) == MOST_NUMBERS or abs(correlation[mine, theirs]) < TOGETHER:
            break
        if all(mine != one and theirs != other for one, other, _ in chosen):
            chosen.append((int(mine), int(theirs), bool(correlation[mine, theirs] < 0)))
    return chosen


def _line(numbers: Array, ranked: bool) -> Array:
    return ranks(numbers) if ranked else numbers


def _gap(mine: Array, theirs: Array) -> Array:
    gap = np.abs(mine[:, None] - theirs[None, :])
    return np.where(np.isfinite(gap), gap, np.inf if not np.isfinite(gap).any() else np.nanmax(gap[np.isfinite(gap)]))


def _right(mine: Array, theirs: Array, common: int) -> Array:
    """The chance that the candidate with the nearest number is the right one; equal ones share it."""
    line = np.sort(theirs[np.isfinite(theirs)])
    value, truth = mine[:common], theirs[:common]
    if line.size == 0:
        return np.zeros(common)
    place = np.clip(np.searchsorted(line, value), 1, line.size - 1) if line.size > 1 else np.zeros(common, int)
    below, above = line[np.maximum(place - 1, 0)], line[place]
    gap = np.minimum(np.abs(value - below), np.abs(above - value))
    counts = _how_many(line, value - gap) + np.where(gap > 0, _how_many(line, value + gap), 0)
    found = np.isclose(np.abs(value - truth), gap, rtol=1e-12, atol=1e-12)
    return np.where(np.isfinite(value) & np.isfinite(truth) & found, 1 / np.maximum(counts, 1), 0.0)


def _how_many(line: Array, value: Array) -> Array:
    near = 1e-12 * np.maximum(np.abs(value), 1)
    return np.asarray(line.searchsorted(value + near, side="right") - line.searchsorted(value - near, side="left"))


def mapped(here: Array, there: Array, split: Halves) -> Array:
    """Log-likelihood ratio of "the same student" against "two students" under a mapping learned from the other half.

    For canonical variates u, v with correlation r, jointly normal: log p(u, v) / p(u) p(v)
    = −½ log(1 − r²) − (r² u² − 2 r u v + r² v²) / (2 (1 − r²)).
    """
    scores = np.zeros((here.shape[0], there.shape[0]))
    main = _directions(here, MOST_DIRECTIONS), _directions(there, MOST_DIRECTIONS)
    for teaching, judged in split.turns():
        count = max(1, min(MOST_DIRECTIONS, teaching.size // STUDENTS_PER_DIRECTION))
        left, right = (side[:, :count] for side in main)
        forth, correlation, back = _canonical(left[teaching], right[teaching])
        scores[judged] = _ratio(left[judged] @ forth, right @ back, correlation)
    return scores


def _directions(side: Array, count: int) -> Array:
    """The main directions of what a file tells, on one scale (principal components)."""
    values, vectors = np.linalg.eigh(side.T @ side / side.shape[0])
    kept = np.argsort(-values)[:count]
    kept = kept[values[kept] > 1e-9]
    return np.asarray(side @ vectors[:, kept] / np.sqrt(values[kept]))


def _canonical(left: Array, right: Array) -> tuple[Array, Array, Array]:
    """Both sides are white already: the singular vectors of their correlation are the canonical directions.

    A correlation learned from n students over p directions is too large by about p/n: that much is taken off (Wherry).
    """
    turned, strength, back = np.linalg.svd(left.T @ right / left.shape[0], full_matrices=False)
    spare = min(1.0, max(left.shape[1], right.shape[1]) / left.shape[0])
    adjusted = np.sqrt(np.maximum(0.0, 1 - (1 - np.minimum(strength, 1) ** 2) / max(1e-9, 1 - spare)))
    return turned, np.minimum(adjusted, LARGEST), back.T


def _ratio(left: Array, right: Array, correlation: Array) -> Array:
    total = np.zeros((left.shape[0], right.shape[0]))
    for place, r in enumerate(correlation):
        if r > 0:
            u, v = left[:, place][:, None], right[:, place][None, :]
            total += -0.5 * np.log(1 - r * r) - (r * r * (u * u + v * v) - 2 * r * u * v) / (2 * (1 - r * r))
    return total


def added_up(evidence: Sequence[Evidence], split: Halves) -> Array:
    """All evidence in one score; the weights make the truth of the teaching half most likely (conditional logit)."""
    stack = np.stack([standardised(one.scores).astype(np.float32) for one in evidence])
    total = np.zeros(stack.shape[1:])
    for teaching, judged in split.turns():
        weights = _weights(stack, teaching[:LESSONS])
        total[judged] = np.tensordot(weights, stack[:, judged], axes=1)
    return total


def _weights(stack: Array, teaching: Array) -> Array:
    """Maximum likelihood of a softmax over candidates, weights not negative.

    The truth against a draw of the other candidates gives the same weights as against all (McFadden 1978).
    """
    draw = np.random.default_rng(teaching.size)
    others = draw.choice(stack.shape[2], min(OTHERS, stack.shape[2]), replace=False)
    truth = stack[:, teaching, teaching].astype(float)
    rest = stack[:, teaching][:, :, others].astype(float)
    own = teaching[:, None] == others[None, :]  # the truth stands apart already

    def loss(weights: Array) -> tuple[float, Array]:
        right = weights @ truth
        scores = np.where(own, -np.inf, np.tensordot(weights, rest, axes=1))
        top = np.maximum(scores.max(axis=1), right)
        powers = np.exp(scores - top[:, None])
        total = powers.sum(axis=1) + np.exp(right - top)
        expected = np.einsum("cij,ij->ci", rest, powers / total[:, None]) + truth * (np.exp(right - top) / total)
        likelihood = right - np.log(total) - top
        return (
            -likelihood.mean() + PENALTY * float(weights @ weights),
            -(truth - expected).mean(axis=1) + 2 * PENALTY * weights,
        )

    from scipy.optimize import minimize

    start = np.full(stack.shape[0], 0.1)
    found = minimize(
        loss, start, jac=True, method="L-BFGS-B", bounds=[(0, 20)] * stack.shape[0], options={"maxiter": 60}
    )
    return np.asarray(found.x)


def everything(tells: Tells, evidence_columns: int = 40) -> Array:
    """All that is numeric of a file, a row per student: numbers by rank, and the main directions of its counts."""
    columns = [np.nan_to_num(ranks(numbers) - 0.5) * 3.4 for numbers in tells.numbers.values()]
    parts = [np.column_stack(columns)] if columns else []
    for counted in (*tells.moments.values(), *tells.values.values()):
        parts.append(_main(tells, counted.student, counted.value, counted.times, evidence_columns))
    whole = np.column_stack(parts) if parts else np.zeros((tells.students.size, 1))
    spread = whole.std(axis=0)
    return np.asarray((whole - whole.mean(axis=0))[:, spread > 1e-9] / spread[spread > 1e-9])


def _main(tells: Tells, student: Array, value: Array, times: Array, count: int) -> Array:
    """Counts of the commonest values, logarithms of them."""
    distinct, code = np.unique(value, return_inverse=True)
    common = np.argsort(-np.bincount(code, minlength=distinct.size))[:count]
    place = np.full(distinct.size, -1)
    place[common] = np.arange(common.size)
    kept = place[code] >= 0
    table = np.zeros((tells.students.size, common.size))
    np.add.at(table, (student[kept], place[code[kept]]), times[kept])
    return np.log1p(table)
