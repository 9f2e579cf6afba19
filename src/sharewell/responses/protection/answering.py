"""What decides right or wrong, whichever model was fitted, with the standard error of every number of it.

logit P = slope·θ + ease + gain·log(1 + wins) + loss·log(1 + fails) + tries(attempt): Rasch and the two-parameter model
learn nothing from practice, the learner with practice has slopes of one. Standard errors are those of students (see
`noise`): the root of the sum over students of their squared scores, over the information.
"""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from sharewell.responses.log import Log
from sharewell.responses.practice_counts import practice
from sharewell.responses.protection.practice import Pfa
from sharewell.responses.protection.rasch import Rasch
from sharewell.responses.protection.two_parameter import TwoParameter
from sharewell.stats.arrays import Array
from sharewell.stats.noise import blurred

RIDGE = 1.0  # of the fits: it counts like one answer more
EASES, SLOPES, GROWTHS = 0.7, 0.3, 0.15  # by how much items and skills differ, in logits, about
FEW = 0.5  # standard errors on a single number of the whole log, for each on answers: it discloses next to nothing
GROWTH_NOISE = 6.0  # standard errors on how skills grow with practice, for each on ease: twice as many numbers


class Rates(NamedTuple):
    """The numbers, as the compiled walk takes them."""

    slope: Array  # per item
    ease: Array  # per item
    gain: Array  # per skill and right answer before
    loss: Array  # per skill and wrong answer before
    tries: Array  # of the first, second … attempt on a skill; the last also of all later ones
    skill_of: Array


@dataclass(frozen=True, kw_only=True)
class Answering:
    """The fitted numbers and their standard errors; `group` is what an item's ease may be drawn towards."""

    rates: Rates
    errors: Rates
    group: Array | None

    def blurred(self, c: float, generator: np.random.Generator) -> Rates:
        """The numbers with noise of c standard errors, drawn towards their groups."""
        if c == 0:
            return self.rates
        fitted, error = self.rates, self.errors

        def grown(value: Array, off: Array) -> Array:
            more = GROWTH_NOISE * c
            return blurred(value, off, group=None, c=more, generator=generator, usual=GROWTHS, of_mean=FEW * c)

        slope = np.exp(blurred(np.log(fitted.slope), error.slope, group=None, c=c, generator=generator, usual=SLOPES))
        if not error.slope.any():
            slope = fitted.slope
        return fitted._replace(
            slope=slope,
            ease=blurred(fitted.ease, error.ease, group=self.group, c=c, generator=generator, usual=EASES),
            gain=grown(fitted.gain, error.gain),
            loss=grown(fitted.loss, error.loss),
            tries=fitted.tries + c * error.tries * generator.standard_normal(fitted.tries.size),
        )


def answering_of(log: Log, fitted: Any) -> Answering:
    """The fitted model in common terms, with the error that the choice of students leaves in each number."""
    rates, ability = _rates(log, fitted), fitted.ability
    assert log.correct is not None
    skills = rates.gain.size
    wins, fails = practice(log.item, log.bounds, log.correct, rates.skill_of, skills)
    skill = rates.skill_of[log.item]
    won, lost = np.log1p(wins), np.log1p(fails)
    z = rates.slope[log.item] * ability[log.student] + rates.ease[log.item]
    attempt = np.minimum(wins + fails, rates.tries.size - 1)
    z = z + rates.gain[skill] * won + rates.loss[skill] * lost + rates.tries[attempt]
    chance = 1 / (1 + np.exp(-z))
    scores = _Scores(log, log.correct - chance, chance * (1 - chance))
    errors = Rates(
        slope=scores.error(log.item, rates.slope[log.item] * ability[log.student], rates.slope.size),
        ease=scores.error(log.item, np.ones(log.rows), rates.ease.size),
        gain=scores.error(skill, won, skills),
        loss=scores.error(skill, lost, skills),
        tries=scores.error(attempt, np.ones(log.rows), rates.tries.size),
        skill_of=rates.skill_of,
    )
    if not isinstance(fitted, TwoParameter):
        errors = errors._replace(slope=np.zeros(rates.slope.size))
    if not isinstance(fitted, Pfa):
        errors = errors._replace(gain=np.zeros(skills), loss=np.zeros(skills), tries=np.zeros(rates.tries.size))
    return Answering(rates=rates, errors=errors, group=log.skill_of)


def nothing_answered(log: Log) -> Answering:
    """For a log without outcomes: every answer counts as wrong, and none is written."""
    items = len(log.items)
    none = np.zeros(items)
    rates = Rates(none, np.full(items, -50.0), none, none, np.zeros(1), np.arange(items, dtype=np.int32))
    return Answering(rates=rates, errors=Rates(none, none, none, none, np.zeros(1), rates.skill_of), group=None)


def without_abilities(fitted: Any) -> Any:
    """The fitted model without what belongs to single students."""
    return replace(fitted, ability=np.zeros(0))


@dataclass(frozen=True)
class _Scores:
    log: Log
    residual: Array
    weight: Array

    def error(self, of: Array, times: Array, size: int) -> Array:
        """Standard errors of numbers that enter row r as number `of[r]` times `times[r]`."""
        students = self.log.lengths.size
        pairs, place = np.unique(of.astype(np.int64) * students + self.log.student, return_inverse=True)
        scores = np.bincount(place, weights=self.residual * times)
        squares = np.bincount(pairs // students, weights=scores**2, minlength=size)
        information = np.bincount(of, weights=self.weight * times**2, minlength=size)
        found: Array = np.sqrt(np.maximum(squares, information)) / (information + RIDGE)
        return found


def _rates(log: Log, fitted: Any) -> Rates:
    items = len(log.items)
    skill_of = np.arange(items, dtype=np.int32) if log.skill_of is None else log.skill_of
    none = np.zeros(int(skill_of.max()) + 1)
    if isinstance(fitted, Pfa):
        ease = fitted.level - fitted.difficulty
        return Rates(np.ones(items), ease, fitted.wins, fitted.fails, fitted.tries, skill_of)
    if isinstance(fitted, TwoParameter):
        return Rates(fitted.slope, fitted.ease, none, none, np.zeros(1), skill_of)
    assert isinstance(fitted, Rasch)
    return Rates(np.ones(items), -fitted.difficulty, none, none, np.zeros(1), skill_of)
