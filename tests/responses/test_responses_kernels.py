"""Every compiled loop of responses beside the same in plain numpy or Python."""

from typing import Any

import numpy as np
import pytest

from sharewell.responses.log import Columns, Log, read
from sharewell.responses.practice_counts import practice
from sharewell.responses.protection.chain_walk import next_item, next_items
from sharewell.responses.protection.learner import TRIES, _visits
from sharewell.responses.protection.markov_chain import Chain, fit_chain
from sharewell.responses.steps_taken import BEFORE_START
from sharewell.stats.arrays import Array

COLUMNS = Columns(student="user", item="item", correct="correct", skill="skill")


@pytest.fixture(scope="module")
def log(make_planted: Any) -> Log:
    return read(make_planted(students=60, items=12, rows=(5, 30), seed=3).table, COLUMNS)


@pytest.fixture(scope="module", params=[1, 2, 3])
def chain(log: Log, request: pytest.FixtureRequest) -> Chain:
    return fit_chain(log, m=6, order=request.param, group=log.skill_of)


def test_practice_counts_earlier_answers_of_the_student_on_the_skill(log: Log) -> None:
    assert log.skill_of is not None and log.correct is not None
    skill, place = log.skill_of[log.item], np.arange(log.rows)
    earlier = (log.student[:, None] == log.student) & (skill[:, None] == skill) & (place[:, None] > place)
    wins, fails = practice(log.item, log.bounds, log.correct, log.skill_of, int(log.skill_of.max()) + 1)
    assert wins.tolist() == (earlier @ log.correct).tolist()
    assert fails.tolist() == (earlier @ (1 - log.correct)).tolist()


def test_a_step_of_one_student_is_drawn_as_those_of_many_are(chain: Chain) -> None:
    rungs, times, generator = chain.rungs_of(), 4_000, np.random.default_rng(1)
    for past in ((3, 2, 1), (chain.items, BEFORE_START, BEFORE_START), (5, chain.items, BEFORE_START)):
        many = next_items(np.tile(np.array(past)[:, None], times), rungs, generator)
        step: Any = next_item
        one = np.array([step(*past, draws, 0, *rungs)[0] for draws in generator.random((times, 20))])
        ours, plain = (np.bincount(codes, minlength=chain.items + 1) / times for codes in (one, many))
        np.testing.assert_allclose(ours, plain, atol=0.045)


def test_visits_are_those_of_a_plain_loop(chain: Chain) -> None:
    """The same draws give the same items and answers, also where they run out in between."""
    generator = np.random.default_rng(2)
    items, skills = chain.items, 3
    lengths, ability = generator.integers(1, 40, 50), generator.normal(size=50)
    staying = generator.uniform(0, 0.6, (items, 2))
    skill_of = generator.integers(0, skills, items).astype(np.int32)
    rates = (np.ones(items), generator.normal(size=items), np.full(skills, 0.2), np.full(skills, 0.1), np.zeros(3))
    draws = generator.random(40_000)
    rungs, first = chain.rungs_of(), np.cumsum(lengths) - lengths
    visits: Any = _visits
    for again in (True, False):
        item, correct = np.zeros(int(lengths.sum()), np.int32), np.zeros(int(lengths.sum()), np.int8)
        known = (item, correct, lengths, first, ability, staying, again, *rates, skill_of)
        student, used = visits(*known, 0, draws[:3_000], 0, *rungs)
        assert 0 < student < lengths.size
        student, used = visits(*known, student, draws, used, *rungs)
        assert student == lengths.size
        plain = plain_visits(lengths, ability, staying, again, (*rates, skill_of), draws, rungs)
        assert item.tolist() == plain[0] and correct.tolist() == plain[1]


def plain_visits(
    lengths: Array, ability: Array, staying: Array, again: bool, rates: tuple[Array, ...], draws: Array, rungs: Any
) -> tuple[list[int], list[int]]:
    slope, ease, gain, loss, tries, skill_of = rates
    step: Any = next_item
    low, high = (int(rungs.starts[rungs.rungs[rungs.order + 2] + more]) for more in (0, 1))
    items, answers, at = [], [], 0
    for who, length in enumerate(lengths):
        past, seen, left = [rungs.items, BEFORE_START, BEFORE_START], set[int](), int(length)
        score = {skill: [0, 0] for skill in range(gain.size)}
        while left:
            for _ in range(TRIES):
                code, at = step(*past, draws, at, *rungs)
                if code not in (rungs.items, past[0]) and (again or code not in seen):
                    break
            else:
                ring = np.roll(rungs.targets[low:high], -int(draws[at] * (high - low))).tolist()
                other = [one for one in ring if one not in (rungs.items, past[0])]
                code, at = next((one for one in other if one not in seen), (other or ring)[0]), at + 1
            seen.add(code)
            past = [code, past[0], past[1]]
            won = score[int(skill_of[code])]
            stays = True
            while stays and left:
                z = slope[code] * ability[who] + ease[code] + tries[min(sum(won), tries.size - 1)]
                z += gain[skill_of[code]] * np.log1p(won[0]) + loss[skill_of[code]] * np.log1p(won[1])
                right = int(draws[at] < 1 / (1 + np.exp(-z)))
                items.append(code)
                answers.append(right)
                won[1 - right] += 1
                stays = draws[at + 1] < staying[code, right]
                at, left = at + 2, left - 1
    return items, answers
