"""Invented students who behave like students: they try an item again or not, as others did after such an answer.

How many rows a student has is drawn first. Then visit after visit: the chain says which item comes next, the answer is
drawn, and what it was decides with others' habits whether the student tries once more (`staying`). Where nobody comes
back to an item that was left, as in an exam, no invented student does.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sharewell.responses.log import Log
from sharewell.responses.practice_counts import attempts_before
from sharewell.responses.protection.abilities import Diligence
from sharewell.responses.protection.answering import FEW, Answering, Rates
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
DRAWS, ROOM = 4, 1_000  # uniform numbers that a row takes, about, and beyond that: one step takes 250 at most
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
        staying=fit_staying(log, c=c, of_mean=FEW * settings.noise, generator=generator),
        rates=answering.blurred(settings.noise, generator),
        diligence=diligence,
        again=comes_back(visits),
    )


def step_noise(visits: Log, m: int) -> float:
    """Standard errors on steps for each on answers: what many numbers disclose grows with the root of how many."""
    keys, student = step_keys(visits)
    shared = int((tally(keys, student)[2] >= m).sum())
    return STEP_NOISE * max(1.0, float(np.sqrt(shared / np.unique(visits.item).size)))


def _walk(
    lengths: Array,
    ability: Array,
    chain: Rungs,
    staying: Array,
    rates: Rates,
    again: bool,
    generator: np.random.Generator,
) -> tuple[Array, Array]:
    """Items and answers of all students; uniform numbers are drawn beforehand, and more where they ran out."""
    rows = int(lengths.sum())
    item, correct, first = np.empty(rows, dtype=np.int32), np.empty(rows, dtype=np.int8), np.cumsum(lengths) - lengths
    draws = generator.random(DRAWS * rows + ROOM)
    student, used = 0, 0
    visits: Callable[..., tuple[int, int]] = _visits  # by position: tuples of arrays, laid flat
    while student < lengths.size:
        student, used = visits(
            item, correct, lengths, first, ability, staying, again, *rates, student, draws, used, *chain
        )
        if student < lengths.size:
            draws, used = np.concatenate([draws[used:], generator.random(draws.size)]), 0
    return item, correct


@njit(cache=True)
def _visits(
    item: Array,
    correct: Array,
    lengths: Array,
    first_row: Array,
    ability: Array,
    staying: Array,
    again: bool,
    slope: Array,
    ease: Array,
    gain: Array,
    loss: Array,
    tries: Array,
    skill_of: Array,
    student: int,
    draws: Array,
    used: int,
    items: int,
    order: int,
    group: Array,
    starts: Array,
    targets: Array,
    chances: Array,
    rungs: Array,
    contexts: Array,
    context_starts: Array,
) -> tuple[int, int]:
    """Walk from one student on until all have, or the draws may not suffice for another visit."""
    won, lost = np.zeros(gain.size, dtype=np.int64), np.zeros(gain.size, dtype=np.int64)
    visited = np.zeros(items + 1, dtype=np.int64)
    longest = 0
    for length in lengths:
        longest = max(longest, length)
    damped = np.log1p(np.arange(longest + 1).astype(np.float64))
    low, high = starts[rungs[order + 2]], starts[rungs[order + 2] + 1]
    while student < lengths.size:
        last, earlier, earliest = items, BEFORE_START, BEFORE_START
        begun, end = first_row[student], first_row[student] + lengths[student]
        place, at = begun, used
        while place < end:
            if at + TRIES * (order + 4) + 1 + 2 * (end - place) > draws.size:
                return student, used
            code = items
            for _ in range(TRIES):
                code, at = next_item(
                    last, earlier, earliest, draws, at,
                    items, order, group, starts, targets, chances, rungs, contexts, context_starts,
                )  # fmt: skip
                if code != items and code != last and (again or visited[code] != student + 1):
                    break
            else:
                begin = int(draws[at] * (high - low))
                at += 1
                for step in range(2 * (high - low)):  # any item not yet visited; then any other than the last one
                    code = targets[low + (begin + step) % (high - low)]
                    fresh = visited[code] != student + 1 or step >= high - low
                    if code != items and code != last and fresh:
                        break
            visited[code] = student + 1
            earliest, earlier, last = earlier, last, code
            skill = skill_of[code]
            stay = True
            while stay and place < end:
                z = slope[code] * ability[student] + ease[code]
                z += gain[skill] * damped[won[skill]] + loss[skill] * damped[lost[skill]]
                z += tries[min(won[skill] + lost[skill], tries.size - 1)]
                right = int(draws[at] < 1 / (1 + np.exp(-z)))
                item[place], correct[place] = code, right
                won[skill] += right
                lost[skill] += 1 - right
                place += 1
                stay = draws[at + 1] < staying[code, right]
                at += 2
        for back in range(begun, end):
            won[skill_of[item[back]]] = 0
            lost[skill_of[item[back]]] = 0
        used = at
        student += 1
    return student, used
