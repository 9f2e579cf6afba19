"""Let the learner write, look at it as an analyst would, and correct what comes out too easy, too hard or too often.

What is aimed at is what analysts fit: how often items come, Rasch difficulties, and the share of right answers at the
first, second … attempt on a skill, all of the students learnt from and all with noise. A learner with practice whose
numbers are fitted row by row does not meet them when it walks by itself: who tries how often depends on the answers.
Only the noisy aims are used, so that levelling gives nothing away.
"""

from dataclasses import dataclass, replace

import numpy as np

from sharewell.responses.log import Log
from sharewell.responses.practice_counts import attempts_before
from sharewell.responses.protection.abilities import Abilities
from sharewell.responses.protection.answering import FEW, Rates
from sharewell.responses.protection.item_shares import MOST_FALL, as_hard, corrected, forgotten
from sharewell.responses.protection.learner import Learner
from sharewell.responses.protection.rasch import Rasch, abilities_given, cells_of, chance_of
from sharewell.stats.arrays import Array
from sharewell.stats.noise import blurred, share_errors

ROUNDS, FEWEST_WALKS, MOST_WALKS = 8, 300, 1_500
SLOWLY = 0.4  # of the correction of how ability goes with length: it shows only when items have followed it
DOUBT = 10.0  # answers: an item that came a few times only is hardly corrected
ATTEMPTS = 10
SPREAD = 0.7  # logits by which items differ, about: what is reckoned with before the noise is seen
MOST_SPENT = 6.0  # times what an item discloses on average: what one of them discloses at most
LEAST_SPENT = 0.05  # and at least: an item with less is not published, and counts as average
HALVINGS, LEAST = 60, 1e-9
STEEP = 0.01  # share of right answers by which later attempts rise or fall from one to the next, about
ROUGH = 0.01  # share of right answers: how far one attempt may lie off a straight line through its neighbours


@dataclass(frozen=True, kw_only=True)
class Aims:
    """What an analyst finds in the answers of the students learnt from, with noise."""

    difficulty: Array
    level: float  # mean ability
    hardness: float  # mean difficulty of a row
    curve: Array  # share of right answers at the first, second … attempt; not a number where nobody got so far


def fit_aims(log: Log, fitted: Rasch, *, c: float, generator: np.random.Generator) -> Aims:
    """Rasch difficulties, how hard rows are and a learning curve, each with noise of c standard errors."""
    assert log.correct is not None
    chance = chance_of(fitted.ability[log.student], fitted.difficulty[log.item])
    information = np.bincount(log.item, weights=chance * (1 - chance), minlength=len(log.items))
    rows = np.bincount(log.item, minlength=len(log.items))
    residual = log.correct - chance
    error = share_errors(log.item, residual, log.student, rows) * rows
    error = np.maximum(error, np.sqrt(information)) / (information + 1)
    part = spent_parts(error, rows, c=c)
    difficulty = np.full(rows.size, np.nan)  # what is left out is not aimed at
    asked = part > 0
    group = None if log.skill_of is None else log.skill_of[asked]
    of_mean = FEW * c if group is None else None
    spent = error[asked] / np.sqrt(part[asked])
    difficulty[asked] = blurred(
        fitted.difficulty[asked],
        spent,
        group=group,
        c=c,
        generator=generator,
        usual=SPREAD,
        weight=rows[asked],
        of_mean=of_mean,
    )
    difficulty[(rows > 0) & ~asked] = np.average(difficulty[asked], weights=rows[asked])
    return Aims(
        difficulty=difficulty,
        level=float(fitted.ability.mean()),
        hardness=_hardness(log, difficulty, c=FEW * c, generator=generator),
        curve=_curve(log, c=c, generator=generator),
    )


def spent_parts(error: Array, rows: Array, *, c: float) -> Array:
    """Divide what may be disclosed among the items, one part each on average.

    Most goes where analysts gain most, and nothing where noise would leave nothing.

    A difficulty with noise of variance v_j = c²e_j²/part_j leaves a posterior variance of τ²v_j/(τ² + v_j), e_j its
    standard error and τ the usual spread. The sum Σ part_j/c² decides what an attacker gains; the least Σ rows_j ·
    posterior variance for it has part_j = c·e_j·(k·√rows_j − c·e_j/τ²), or nothing where that is below zero (Lagrange's
    rule; water filling).
    """
    there = error > 0
    if c == 0 or not there.any():
        return there.astype(float)
    own, weight = c * error[there], np.sqrt(rows[there] / rows[there].mean())

    def parts(k: float) -> Array:
        found: Array = np.minimum(own * np.maximum(k * weight - own / SPREAD**2, 0.0), MOST_SPENT)
        return np.where(found < LEAST_SPENT, 0.0, found)

    low, high = 0.0, 1.0
    while parts(high).sum() < own.size and high < MOST_SPENT / LEAST:
        high *= 2
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if parts(middle).sum() < own.size else (low, middle)
    found = np.zeros(error.size)
    found[there] = parts(high)
    return found


def _hardness(log: Log, difficulty: Array, *, c: float, generator: np.random.Generator) -> float:
    """The mean difficulty of a row, with noise."""
    value, together = difficulty[log.item], np.zeros(log.rows, dtype=np.int64)
    error = float(share_errors(together, value - value.mean(), log.student, np.array([log.rows]))[0])
    return float(value.mean()) + c * error * float(generator.standard_normal())


def _curve(log: Log, *, c: float, generator: np.random.Generator) -> Array:
    """The share right at each attempt: the first, the level and the slope of later ones with little noise.

    How single attempts lie off that line carries as much as anything, and counts by what the noise leaves of it.
    """
    assert log.correct is not None
    attempt, share, times = learning_curve_of(log.item, log.student, log.correct, log.skill_of)
    error = share_errors(attempt, log.correct - share[attempt], log.student, times)
    later = np.minimum(attempt, 1)
    two = np.bincount(later, minlength=2)
    of_two = np.bincount(later, weights=log.correct, minlength=2) / np.maximum(two, 1)
    of_two = share_errors(later, log.correct - of_two[later], log.student, two)
    weight = times[1:] / max(int(times[1:].sum()), 1)
    place = np.arange(share.size - 1) - weight @ np.arange(share.size - 1)
    reach = max(float(weight @ place**2), LEAST)
    level, slope = float(weight @ share[1:]), float(weight @ (place * share[1:])) / reach
    of_slope = float(np.sqrt(np.sum((weight * place * error[1:]) ** 2))) / reach
    away = share[1:] - level - slope * place
    off = generator.standard_normal(share.size + 2)
    steep = STEEP**2 / (STEEP**2 + (FEW * c * of_slope) ** 2) * (slope + FEW * c * of_slope * off[2])
    trust = ROUGH**2 / (ROUGH**2 + (c * error[1:]) ** 2)
    line = level + FEW * c * of_two[1] * off[1] + steep * place
    curve = np.append(share[0] + FEW * c * of_two[0] * off[0], line + trust * (away + c * error[1:] * off[3:]))
    return np.clip(curve, 0.01, 0.99)


def levelled(
    learner: Learner, abilities: Abilities | None, shares: Array, aims: Aims | None, *, students: int, seed: int
) -> Learner:
    """Correct steps, ease and effects of attempts, ever more carefully (Robbins and Monro 1951)."""
    generator = np.random.default_rng(seed)
    made = learner if aims is None else replace(learner, rates=_eased(learner.rates, aims))
    shares = shares if aims is None else as_hard(shares, aims.difficulty, aims.hardness)
    walks, factor, falling = int(np.clip(students, FEWEST_WALKS, MOST_WALKS)), np.ones(shares.size), 0.0
    for turn in range(ROUNDS):
        ability = np.zeros(walks) if abilities is None else abilities.draw(walks, generator)
        item, lengths, correct = made.draw(ability, generator)
        care = 1 / (1 + turn / 2)
        factor = corrected(factor, shares, item, care)
        falling = min(MOST_FALL, falling + care * forgotten(shares, item))
        if aims is not None:
            made = _answering_better(made, aims, item, lengths, correct, care)
        made = replace(made, chain=learner.chain.weighted(factor, keep=1 - falling))
    return made if aims is None else replace(made, difficulty=aims.difficulty, curve=aims.curve)


def _eased(rates: Rates, aims: Aims) -> Rates:
    return rates._replace(ease=np.where(np.isfinite(aims.difficulty), -aims.difficulty, rates.ease))


def _answering_better(made: Learner, aims: Aims, item: Array, lengths: Array, correct: Array, care: float) -> Learner:
    """Ease, effects of attempts and how ability goes with length after a look at what was answered."""
    student, rates = np.repeat(np.arange(lengths.size), lengths), made.rates
    too_easy, too_able = _too_easy(item, student, correct, aims)
    ease = rates.ease - care * too_easy
    tries = rates.tries - care * _too_easy_attempts(item, student, correct, rates, aims.curve)
    diligence = made.diligence.steeper(SLOWLY * care * too_able, lengths)
    return replace(made, rates=rates._replace(ease=ease, tries=tries), diligence=diligence)


def learning_curve_of(
    item: Array, student: Array, correct: Array, skill_of: Array | None
) -> tuple[Array, Array, Array]:
    """The attempt of every row (late ones count together), the share right at each, and how many rows it has."""
    skill = item.astype(np.int64) if skill_of is None else skill_of[item].astype(np.int64)
    attempt = np.minimum(attempts_before(student, skill), ATTEMPTS)
    times = np.bincount(attempt, minlength=ATTEMPTS + 1)
    right = np.bincount(attempt, weights=correct, minlength=ATTEMPTS + 1)
    return attempt, right / np.maximum(times, 1), times


def _too_easy(item: Array, student: Array, correct: Array, aims: Aims) -> tuple[Array, float]:
    """By how much items came out too easy and students too able, in logits, seen with the difficulties aimed at."""
    items = aims.difficulty.size
    who, what, right, trials = cells_of(student, item, correct, items)
    difficulty = aims.difficulty[what]
    ability = abilities_given(who, difficulty, right, trials, int(student[-1]) + 1)
    chance = chance_of(ability[who], difficulty)
    information = np.bincount(what, weights=trials * chance * (1 - chance), minlength=items)
    off = np.bincount(what, weights=right - trials * chance, minlength=items) / (information + DOUBT)
    return off, float(ability.mean()) - aims.level


def _too_easy_attempts(item: Array, student: Array, correct: Array, rates: Rates, curve: Array) -> Array:
    """By how much each attempt came out too easy, in logits; only where the model has effects of attempts."""
    if rates.tries.size == 1:
        return np.zeros(1)
    _, share, times = learning_curve_of(item, student, correct, rates.skill_of)
    gap = _logit(np.clip(share, 0.01, 0.99)) - _logit(curve)
    return np.where(times > FEWEST_WALKS / 10, gap, 0.0)[: rates.tries.size]


def _logit(share: Array) -> Array:
    found: Array = np.log(share / (1 - share))
    return found
