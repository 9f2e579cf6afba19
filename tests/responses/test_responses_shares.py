"""How often items come and how long logs are: met with noise, without borders that depend on students."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sharewell as sw
from sharewell.lab.shadows import Look, Shadow, strengths
from sharewell.lab.tracing import posterior_mean
from sharewell.responses.log import Columns, Log, read
from sharewell.responses.measure.log_profile import LogProfile
from sharewell.responses.protection.abilities import Diligence
from sharewell.responses.protection.generator import answers_of, fit_log
from sharewell.responses.protection.item_shares import as_hard
from sharewell.responses.protection.items_left_out import hidden_items, students_per_item
from sharewell.responses.protection.lengths import fit_lengths
from sharewell.responses.protection.markov_chain import Chain, Noise, fit_chain
from sharewell.responses.settings import Settings
from sharewell.stats import roc
from sharewell.stats.arrays import Array

COLUMNS = Columns(student="user", item="item", correct="correct")


def course(seed: int, students: int = 400) -> Log:
    """Items of very different frequency, in an order that hardly repeats itself."""
    generator = np.random.default_rng(seed)
    weight = 1 / np.arange(1, 31)
    item = generator.choice(30, (students, 40), p=weight / weight.sum()).ravel()
    user = np.repeat(np.arange(students), 40)
    table = pa.table({"user": user, "item": item, "correct": generator.integers(0, 2, user.size)})
    return read(table, COLUMNS, items=pa.array(np.arange(30)))


def rows_of(chain: Chain) -> list[Array]:
    return [np.diff(chain.chances[a:b], prepend=0.0) for a, b in zip(chain.starts[:-1], chain.starts[1:], strict=True)]


@settings(max_examples=20)
@given(seed=st.integers(0, 1_000), spread=st.floats(0.0, 3.0))
def test_factors_move_chances_and_no_row_gives_more_than_everything(seed: int, spread: float) -> None:
    generator = np.random.default_rng(seed)
    chain = fit_chain(course(1, 60), m=5, noise=Noise(2.0, generator))
    factor = np.exp(spread * generator.normal(size=30))
    for row, (before, after) in enumerate(zip(rows_of(chain), rows_of(chain.weighted(factor)), strict=True)):
        assert (after >= -1e-12).all() and after.sum() <= 1 + 1e-9
        if row >= chain.rungs[chain.order + 2] and before.size:
            assert after.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(chain.weighted(np.ones(30)).chances, chain.chances, atol=1e-9)


def test_items_come_as_often_as_they_did_though_steps_carry_much_noise() -> None:
    log = course(2)
    table = pa.table({"user": log.student, "item": log.item, "correct": log.correct})
    made = sw.responses.fit(table, student="user", item="item", correct="correct", noise=0.5, m=5)
    fake = read(made.generate(400, seed=1), COLUMNS, items=log.items)
    ours, theirs = (np.bincount(one.item, minlength=30) / one.rows for one in (log, fake))
    assert np.abs(ours - theirs).sum() / 2 < 0.1
    assert (theirs > 0).all()


@given(seed=st.integers(0, 1_000), c=st.floats(0.0, 4.0))
def test_borders_of_classes_lie_on_the_grid_whoever_is_in(seed: int, c: float) -> None:
    generator = np.random.default_rng(seed)
    lengths = np.maximum(generator.lognormal(3.5, 0.8, 500), 1).astype(np.int64)
    fitted = fit_lengths(lengths, m=10, longest=None, c=c, generator=generator)
    grid = set(np.unique(np.ceil(1.25 ** np.arange(60))).astype(int).tolist())
    classes = fitted.low < fitted.high
    assert set(fitted.low[classes].tolist()) <= grid
    assert {int(one) + 1 for one in fitted.high[classes]} <= grid | {fitted.longest + 1}
    assert fitted.cumulative[-1] == pytest.approx(1.0)
    assert fitted.longest <= np.sort(lengths)[-10]
    if c > 0:  # the end of the longest class is no student's own number either
        assert {fitted.longest, fitted.longest + 1} & grid or (lengths == fitted.longest).sum() >= 10


def test_an_exam_keeps_its_length_and_a_few_who_left_do_not_show() -> None:
    generator = np.random.default_rng(4)
    lengths = np.concatenate([np.full(300, 20), [3, 7, 11]])
    drawn = fit_lengths(lengths, m=10, longest=None, c=9.0, generator=generator).draw(2_000, generator)
    assert set(drawn.tolist()) == {20}


@given(seed=st.integers(0, 10_000), moved=st.floats(-0.3, 0.3))
def test_tilted_shares_are_shares_and_rows_are_as_hard_as_they_should_be(seed: int, moved: float) -> None:
    generator = np.random.default_rng(seed)
    shares, difficulty = generator.dirichlet(np.ones(20)), generator.normal(0, 1, 20)
    hardness = float(shares @ difficulty) + moved * float(np.sqrt(shares @ (difficulty - shares @ difficulty) ** 2))
    tilted = as_hard(shares, difficulty, hardness)
    assert (tilted >= 0).all() and tilted.sum() == pytest.approx(1.0)
    assert float(tilted @ difficulty) == pytest.approx(hardness, abs=1e-6)


def test_items_of_one_difficulty_cannot_be_tilted() -> None:
    shares = np.array([0.25, 0.75])
    np.testing.assert_array_equal(as_hard(shares, np.ones(2), 1.0), shares)


@given(seed=st.integers(0, 10_000))
def test_long_logs_have_by_luck_neither_the_better_students_nor_the_worse(seed: int) -> None:
    generator = np.random.default_rng(seed)
    ability, lengths = generator.normal(0.3, 1, 50), generator.integers(1, 400, 50)
    even = Diligence().even(ability, lengths)
    assert even.mean() == pytest.approx(ability.mean())
    assert float(lengths @ even) / lengths.sum() == pytest.approx(ability.mean())


def test_answers_that_are_known_already_change_nothing() -> None:
    log, settings_ = course(3, 120), Settings(m=5, noise=1.0)
    models = [
        fit_log(log, COLUMNS, settings_, generator=np.random.default_rng(1), answers=answers)
        for answers in (None, answers_of(log, settings_))
    ]
    one, other = (model.table(50, np.random.default_rng(2)) for model in models)
    assert one.equals(other)


def scattered(students: int, items: int, each: int) -> Log:
    """Every item is had by about as many students as are needed for it to be there."""
    generator = np.random.default_rng(9)
    had = generator.random((students, items)) < each / students
    user, item = np.nonzero(had)
    table = pa.table({"user": user, "item": item, "correct": generator.integers(0, 2, user.size)})
    return read(table, COLUMNS, items=pa.array(np.arange(items)))


def told_by_presence(log: Log, *, m: int, c: float) -> float:
    """How well members are told by which items are there: each student's items that are, less those that are not."""
    generator = np.random.default_rng(2)
    found = []
    for _ in range(4):
        member = generator.random(log.lengths.size) < 0.8
        learnt = log.only(member)
        there = students_per_item(learnt) >= m
        if c:
            there &= ~hidden_items(learnt.without_items(~there), m, c=c, generator=generator)
        score = np.bincount(log.student, weights=there[log.item] - there.mean(), minlength=log.lengths.size)
        found.append(roc.area(score[member], score[~member]))
    return float(np.mean(found))


def test_which_items_are_there_tells_members_and_noise_hides_part_of_it() -> None:
    """The worst case: all items are near the number of students that they need."""
    log = scattered(250, 800, 15)
    plain = told_by_presence(log, m=12, c=0.0)
    assert plain > 0.8 and told_by_presence(log, m=12, c=4.0) < plain - 0.1


def test_tracing_sees_which_items_are_there() -> None:
    log = scattered(250, 400, 15)
    generator, population = np.random.default_rng(3), LogProfile(log, 0.8)
    shadows = []
    for _ in range(8):
        member = generator.random(250) < 0.8
        learnt = log.only(member)
        fake = learnt.without_items(students_per_item(learnt) < 12)
        seen = {"presence": population.look(fake).averages["presence"]}
        shadows.append(Shadow(Look(seen, {}), member))
    first, known = shadows[0], {"presence": population.averages["presence"]}
    trust, seen = strengths(known, shadows[1:]), first.look.averages
    score = posterior_mean([known["presence"]], [seen["presence"]], [trust["presence"]], share=0.8)
    assert roc.area(score[first.member], score[~first.member]) > 0.75


@given(seed=st.integers(0, 1_000), c=st.floats(0.0, 20.0))
def test_hidden_items_had_enough_students_and_some_always_stay(seed: int, c: float) -> None:
    log = course(seed, 60)
    hidden = hidden_items(log, 5, c=c, generator=np.random.default_rng(seed))
    had = students_per_item(log) > 0
    assert not hidden[~had].any() and (~hidden & had).sum() >= 0.25 * had.sum()
