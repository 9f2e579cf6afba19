"""Bayesian knowledge tracing (Corbett and Anderson 1995): a skill is known or not, learnt with practice, never lost.

Four numbers per skill (known at first, learnt at an attempt, right by guessing, wrong by a slip) by expectation and
maximisation; those of all skills together count like a few students more, so that a rare skill has sensible ones. It is
trained on released rows and on real ones, and tested on real students whom neither has seen.
"""

from typing import NamedTuple

import numpy as np

from sharewell.responses.log import Log
from sharewell.stats import roc
from sharewell.stats.arrays import Array
from sharewell.stats.compiled import njit

ROUNDS = 25
PRIOR = 20.0  # answers that the numbers of all skills together count like
MOST_GUESS = 0.5  # of guesses and slips: beyond it known and unknown would change names
START = (0.4, 0.15, 0.25, 0.1)


class Numbers(NamedTuple):
    """Per skill: known at first, learnt at an attempt, right though unknown, wrong though known."""

    known: Array
    learnt: Array
    guess: Array
    slip: Array


def bayesian_auc(train: Log, test: Log) -> float:
    """How well numbers learnt from one log predict the answers of another."""
    assert train.correct is not None and test.correct is not None
    skills = _skills(test)
    score = _predicted(*_sequences(test), fit_bayesian(train, skills))
    right = test.correct[_order(test)]
    return roc.area(score[right == 1], score[right == 0])


def fit_bayesian(log: Log, skills: int) -> Numbers:
    """All skills as one first, then each by itself with those numbers behind it."""
    correct, skill, starts = _sequences(log)
    together = Numbers(*(np.array([value]) for value in START))
    one = np.zeros(skill.size, dtype=np.int64)
    for _ in range(ROUNDS):
        together = _improved(correct, one, starts, together, together, 0.0)
    prior = Numbers(*(np.full(skills, float(part[0])) for part in together))
    own = prior
    for _ in range(ROUNDS):
        own = _improved(correct, skill, starts, own, prior, PRIOR)
    return own


def _improved(correct: Array, skill: Array, starts: Array, now: Numbers, prior: Numbers, weight: float) -> Numbers:
    """One round: what is expected under the present numbers, and the numbers that this makes likeliest."""
    hits, of = _expected(correct, skill, starts, now)
    found = [
        (hits[place] + weight * prior[place]) / np.maximum(of[place] + weight, 1e-9) for place in range(len(prior))
    ]
    found = [np.clip(part, 0.001, 0.999 if place < 2 else MOST_GUESS) for place, part in enumerate(found)]
    return Numbers(*found)


def _sequences(log: Log) -> tuple[Array, Array, Array]:
    """Answers ordered by student, skill and time, the skill of each, and where sequences start."""
    assert log.correct is not None
    order = _order(log)
    skill = _skill(log)[order]
    key = log.student[order].astype(np.int64) * (int(skill.max(initial=0)) + 1) + skill
    starts = np.flatnonzero(np.concatenate([[True], np.diff(key) != 0]))
    return log.correct[order], skill, np.append(starts, key.size)


def _order(log: Log) -> Array:
    found: Array = np.lexsort((np.arange(log.rows), _skill(log), log.student))
    return found


def _skill(log: Log) -> Array:
    found: Array = (log.item if log.skill_of is None else log.skill_of[log.item]).astype(np.int64)
    return found


def _skills(log: Log) -> int:
    return len(log.items) if log.skill_of is None else int(log.skill_of.max()) + 1


@njit(cache=True)
def _expected(correct: Array, skill: Array, starts: Array, now: Numbers) -> tuple[Array, Array]:  # pragma: no cover
    """Expected times that each of the four happened, and that it could have: forward and backward over sequences."""
    skills = now.known.size
    hits, of = np.zeros((4, skills)), np.zeros((4, skills))
    longest = np.max(np.diff(starts))
    before, after = np.empty(longest), np.empty(longest)  # chance of "known" before and after seeing each answer
    for sequence in range(starts.size - 1):
        first, size = starts[sequence], starts[sequence + 1] - starts[sequence]
        one = skill[first]
        guess, slip, learnt = now.guess[one], now.slip[one], now.learnt[one]
        known = now.known[one]
        for place in range(size):
            before[place] = known
            if correct[first + place]:
                after[place] = known * (1 - slip) / (known * (1 - slip) + (1 - known) * guess)
            else:
                after[place] = known * slip / (known * slip + (1 - known) * (1 - guess))
            known = after[place] + (1 - after[place]) * learnt
        smooth = after[size - 1]
        for back in range(size):
            place = size - 1 - back
            if place < size - 1:  # given what comes later; who does not know it then does not know it now
                newly = (1 - after[place]) * learnt / before[place + 1] * smooth
                hits[1, one] += newly
                of[1, one] += newly + 1 - smooth
                smooth = after[place] / before[place + 1] * smooth
            right = correct[first + place]
            hits[2, one] += (1 - smooth) * right
            of[2, one] += 1 - smooth
            hits[3, one] += smooth * (1 - right)
            of[3, one] += smooth
        hits[0, one] += smooth
        of[0, one] += 1
    return hits, of


def _predicted(correct: Array, skill: Array, starts: Array, now: Numbers) -> Array:
    """The chance of a right answer at every row, from the answers before it: place by place, of all sequences."""
    found, size = np.empty(correct.size), np.diff(starts)
    of = skill[starts[:-1]]
    known = now.known[of]
    for place in range(int(size.max(initial=0))):
        there = np.flatnonzero(size > place)
        row, one, before = starts[there] + place, of[there], known[there]
        slip = now.slip[one]
        found[row] = before * (1 - slip) + (1 - before) * now.guess[one]
        right = correct[row] == 1
        after = np.where(right, before * (1 - slip) / found[row], before * slip / (1 - found[row]))
        known[there] = after + (1 - after) * now.learnt[one]
    return found
