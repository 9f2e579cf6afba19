"""Invented students who behave like students: they try an item again or not, as others did after such an answer.

How many rows a student has is drawn first. Then visit after visit: the chain says which item comes next, the answer is
drawn, and what it was decides with others' habits whether the student tries once more (`staying`). Where nobody comes
back to an item that was left, as in an exam, no invented student does.
"""

from dataclasses import dataclass

import numpy as np

from sharewell.responses.log import Log
from sharewell.responses.practice_counts import attempts_before
from sharewell.responses.protection.abilities import Diligence
from sharewell.responses.protection.answering import Answering, Rates
from sharewell.responses.protection.chain_walk import Rungs, next_item
from sharewell.responses.protection.lengths import Lengths, fit_lengths
from sharewell.responses.protection.markov_chain import Chain, Noise, fit_chain
from sharewell.responses.protection.settled_answers import settled, settled_attempts
from sharewell.responses.protection.staying import comes_back, fit_staying, visits_of
from sharewell.responses.settings import Settings
from sharewell.responses.steps_taken import BEFORE_START, step_keys, tally
from sharewell.stats.arrays import Array
from sharewell.stats.compiled import njit

TRIES = 30  # draws of a next item that is another one, before the walk takes what comes
STEP_NOISE = 8.0  # standard errors on steps and stays for each on answers, where both are equally many
LENGTH_NOISE = 4.0  # the same on lengths, which are few numbers


@dataclass(frozen=True, kw_only=True)
class Learner:
    """A chain from item to item, how long logs are, how often an item is tried again, and what is answered."""

    chain: Chain
    lengths: Lengths
    staying: Array
    rates: Rates
    diligence: Diligence
    again: bool  # whether students come back to an item that they left
    difficulty: Array | None = None  # what an analyst shall find; where it is known, luck is taken out of the answers
    curve: Array | None = None  # the same of the share right at the first, second … attempt on a skill

    @property
    def longest(self) -> int:
        return self.lengths.longest

    def draw(self, ability: Array, generator: np.random.Generator) -> tuple[Array, Array, Array]:
        """Item codes of new students, one after the other, how many rows each has, and right or wrong."""
        lengths = self.lengths.draw(ability.size, generator)
        ability = self.diligence.even(ability, lengths) + self.diligence.of(lengths)
        item, correct = _walk(lengths, ability, self.chain.rungs_of(), self.staying, self.rates, self.again, generator)
        if self.difficulty is not None:
            student = np.repeat(np.arange(lengths.size), lengths)
            correct = settled(item, student, correct, self.difficulty, generator)
            correct = self._practised(item, student, correct, generator)
        return item, lengths, correct

    def _practised(self, item: Array, student: Array, correct: Array, generator: np.random.Generator) -> Array:
        """Answers whose learning curve is the one aimed at, where ability grows with practice."""
        if self.curve is None or self.rates.tries.size == 1:
            return correct
        attempt = np.minimum(attempts_before(student, self.rates.skill_of[item]), self.curve.size - 1)
        return settled_attempts(item, student, attempt, correct, self.curve, generator)


def fit_learner(
    log: Log,
    answering: Answering,
    settings: Settings,
    *,
    diligence: Diligence,
    group: Array | None,
    generator: np.random.Generator,
) -> Learner:
    """Every part with noise of so many standard errors as the settings say."""
    visits = visits_of(log)
    c = settings.noise * step_noise(visits, settings.m)
    chain = fit_chain(
        visits,
        m=settings.m,
        order=settings.order,
        group=group,
        smoothing=settings.smoothing,
        noise=Noise(c, generator),
    )
    return Learner(
        chain=chain,
        lengths=fit_lengths(
            log.lengths, m=settings.m, longest=settings.longest, c=LENGTH_NOISE * settings.noise, generator=generator
        ),
        staying=fit_staying(log, c=c, generator=generator),
        rates=answering.blurred(settings.noise, generator),
        diligence=diligence,
        again=comes_back(visits),
    )


def step_noise(visits: Log, m: int) -> float:
    """Standard errors on steps for each on answers: what many numbers tell together grows with the root of how many."""
    keys, student = step_keys(visits)
    shared = int((tally(keys, student)[2] >= m).sum())
    return STEP_NOISE * max(1.0, float(np.sqrt(shared / np.unique(visits.item).size)))


@njit(cache=True)
def _walk(
    lengths: Array,
    ability: Array,
    chain: Rungs,
    staying: Array,
    rates: Rates,
    again: bool,
    generator: np.random.Generator,
) -> tuple[Array, Array]:
    rows = lengths.sum()
    item, correct = np.empty(rows, dtype=np.int32), np.empty(rows, dtype=np.int8)
    won, lost = np.zeros(rates.gain.size), np.zeros(rates.gain.size)
    visited = np.zeros(chain.items + 1, dtype=np.int64)
    recent = np.empty(3, dtype=np.int64)
    place = 0
    for student in range(lengths.size):
        recent[0], recent[1], recent[2] = chain.items, BEFORE_START, BEFORE_START
        begun, end = place, place + lengths[student]
        while place < end:
            code = _another(recent, chain, visited, student + 1, again, generator)
            visited[code] = student + 1
            recent[2], recent[1], recent[0] = recent[1], recent[0], code
            skill = rates.skill_of[code]
            stay = True
            while stay and place < end:
                z = rates.slope[code] * ability[student] + rates.ease[code]
                z += rates.gain[skill] * np.log1p(won[skill]) + rates.loss[skill] * np.log1p(lost[skill])
                z += rates.tries[min(int(won[skill] + lost[skill]), rates.tries.size - 1)]
                right = int(generator.random() < 1 / (1 + np.exp(-z)))
                item[place], correct[place] = code, right
                won[skill] += right
                lost[skill] += 1 - right
                place += 1
                stay = generator.random() < staying[code, right]
        for back in range(begun, place):
            won[rates.skill_of[item[back]]] = 0.0
            lost[rates.skill_of[item[back]]] = 0.0
    return item, correct


@njit(cache=True)
def _another(
    recent: Array, chain: Rungs, visited: Array, student: int, again: bool, generator: np.random.Generator
) -> int:
    """The next item: another than the last one and, where nobody comes back, one not yet visited."""
    code = chain.items
    for _ in range(TRIES):
        code = next_item(recent, chain, generator)
        if code != chain.items and code != recent[0] and (again or visited[code] != student):
            return code
    first, last = chain.starts[chain.rungs[chain.order + 2]], chain.starts[chain.rungs[chain.order + 2] + 1]
    begin = int(generator.random() * (last - first))
    for fresh in (True, False):  # any item that is not yet visited; then any other than the last one
        for step in range(last - first):
            code = chain.targets[first + (begin + step) % (last - first)]
            if code != chain.items and code != recent[0] and not (fresh and visited[code] == student):
                return int(code)
    return int(code)
