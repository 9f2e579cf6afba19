"""Tracing, density and shadows: exact where they can be, catching what must be caught, and silent where nothing is."""

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from scipy.sparse import csr_matrix

from sharewell.data.keyed import Keyed
from sharewell.lab.membership import AUC, TPR, Measured, measured
from sharewell.lab.shadows import likelihood_ratio
from sharewell.lab.splits import Split, risks_over_splits
from sharewell.lab.tracing import Averages, Observed, calibrated, centred, posterior_mean, sums_of, uncalibrated
from sharewell.responses.log import Columns, Log, read
from sharewell.responses.measure.attackers import ATTACKS, LogTarget
from sharewell.responses.measure.log_profile import LogProfile
from sharewell.responses.protection.strength_search import CHOOSING, JUDGING, Level, Search
from sharewell.responses.settings import Settings
from sharewell.stats import roc
from sharewell.stats.arrays import Array

COLUMNS = Columns(student="user", item="item", correct="correct")
TRACING = [
    name for name, attack in ATTACKS.items() if name.startswith("tracing") and attack.needs_group in (None, "answers")
]


def random_averages(generator: np.random.Generator, averages: int = 60, students: int = 40) -> Averages:
    counts = csr_matrix(generator.poisson(0.5, (averages, students)).astype(float))
    base = csr_matrix(generator.poisson(2.0, (5, students)).astype(float))
    over = generator.integers(0, 5, averages)
    return Averages(
        counts=counts,
        base=base,
        over=over,
        share=generator.random(averages),
        scale=generator.random(averages),
        family=generator.integers(0, 3, averages),
    )


def dense(averages: Averages) -> Array:
    found: Array = averages.scale[:, None] * (
        averages.counts.toarray() - averages.share[:, None] * averages.base.toarray()[averages.over]
    )
    return found


def test_the_posterior_mean_is_the_solution_of_its_equation() -> None:
    generator = np.random.default_rng(0)
    averages = random_averages(generator)
    seen = Observed(change=generator.normal(size=60), size=generator.random(60) * 5)
    found = posterior_mean([averages], [seen], [uncalibrated(averages)], share=0.5)
    influence = dense(averages)
    system = influence.T @ np.diag(seen.size) @ influence + 4 * np.eye(40)
    np.testing.assert_allclose(found, np.linalg.solve(system, influence.T @ (seen.size * seen.change)), atol=1e-3)


def test_shadows_find_how_strongly_averages_follow_their_members() -> None:
    """Averages that follow by a fifth, are all off by one, and scatter by a known amount."""
    generator = np.random.default_rng(1)
    averages = random_averages(generator, averages=400)
    members = [generator.random(40) < 0.5 for _ in range(30)]
    noise = 0.1
    shadows = [
        Observed(
            change=1 + 0.2 * averages.moved_by(centred(member)) + noise * generator.normal(size=400), size=np.ones(400)
        )
        for member in members
    ]
    sums = [sums_of(averages, *release) for release in zip(shadows, members, strict=True)]
    found = calibrated(averages, sum(sums[1:], sums[0]))
    np.testing.assert_allclose(found.slope, 0.2, atol=0.03)
    np.testing.assert_allclose(np.sqrt(found.noise), noise, rtol=0.1)
    np.testing.assert_allclose(found.bias, 1, atol=0.12)


def test_the_likelihood_ratio_tells_members_whose_score_rises_when_they_are_in() -> None:
    generator = np.random.default_rng(2)
    usual = generator.normal(0, 5, 300)  # students differ far more than membership changes

    def scores(member: Array) -> Array:
        found: Array = usual + member * 1.0 + generator.normal(0, 0.5, 300)
        return found

    members = [generator.random(300) < 0.5 for _ in range(12)]
    target = generator.random(300) < 0.5
    score = scores(target)
    found = likelihood_ratio(score, [scores(member) for member in members], members)
    assert roc.auc(score[target], score[~target]).value < 0.65
    assert roc.auc(found[target], found[~target]).value > 0.85


def halves(log: Log, seed: int) -> Array:
    found: Array = np.random.default_rng(seed).permutation(log.lengths.size) < log.lengths.size // 2
    return found


@pytest.mark.parametrize("attack", [*TRACING, "density"])
def test_members_as_they_are_get_traced_and_strangers_do_not(course: Any, make_planted: Any, attack: str) -> None:
    """The positive and the negative control of every attack by averages."""
    log = read(course.table, COLUMNS)
    member = halves(log, 3)
    stranger = read(make_planted(seed=98).table, COLUMNS, items=log.items)
    population = LogProfile(log, 0.5)

    def auc(fake: Log) -> roc.MeasuredShare:
        found = measured(attack, ATTACKS[attack].score(LogTarget(population, fake, member)), member, 0)
        return roc.auc(found.inside, found.outside)

    few = {"tracing-answers": 0.58, "tracing-practice": 0.58}  # thirty items can tell only so much of 400 students
    least = {**few, "tracing-overall": 0.55}  # and sixteen numbers of the whole log less
    assert auc(log.only(member)).value > least.get(attack, 0.75)
    nothing = auc(stranger)
    assert nothing.low - 0.02 <= 0.5 <= nothing.high + 0.02


@pytest.fixture(scope="module")
def small_search(make_planted: Any) -> Search:
    """Few students and many items: what published attacks call safe."""
    table = make_planted(students=120, items=60, rows=(40, 60), seed=6).table.select(["user", "item", "correct"])
    return Search(
        log=read(table, COLUMNS),
        columns=COLUMNS,
        settings=Settings(),
        levels=(),
        students=120,
        control=0.5,
        repeats=8,
        limits={},
        keyed=Keyed(b"k" * 32, "release"),
        seed=0,
    )


def test_tracing_finds_members_that_subsequences_do_not_and_noise_hides_them(small_search: Search) -> None:
    def aucs(level: Level) -> dict[str, float]:
        risks = small_search.attacked(small_search.splits(level, 1, range(8)), slow=4)
        return {risk.attacker: risk.value for risk in risks if risk.measure == AUC}

    bare, hidden = aucs(Level(0.0, 5)), aucs(Level(20.0, 5))
    assert bare["subsequence"] < 0.7 < 0.85 < bare["tracing"]
    assert hidden["tracing"] < 0.59 and hidden["tracing-answers"] < 0.57  # standard error .019


def test_what_choosing_learnt_of_answers_changes_nothing_that_judges(small_search: Search) -> None:
    """Those who judge are other members: with the answers of strangers in it a release would look safer than it is."""
    level, fresh, chose = Level(1.0, 5), replace(small_search, learnt={}), replace(small_search, learnt={})
    assert [one.fake.rows for one in chose.splits(level, CHOOSING, range(2))] and len(chose.learnt) == 2
    for one, other in zip(*(search.splits(level, JUDGING, range(2)) for search in (fresh, chose)), strict=True):
        assert np.array_equal(one.member, other.member) and one.fake.correct is not None
        assert np.array_equal(one.fake.item, other.fake.item) and np.array_equal(one.fake.correct, other.fake.correct)


def test_a_copy_is_caught_in_every_split(small_search: Search) -> None:
    log = small_search.log
    splits = [Split(log.only(member), member) for member in (halves(log, seed) for seed in range(6))]
    risks = {(risk.attacker, risk.measure): risk for risk in small_search.attacked(splits, slow=1)}
    assert risks["strongest", AUC].value > 0.95 and risks["strongest", TPR].value > 0.9
    assert risks["tracing", AUC].value > 0.9


def test_hits_are_counted_over_all_splits_together() -> None:
    """Twenty outsiders in each of fifty splits: one split cannot tell one false alarm in a hundred, all can."""
    generator = np.random.default_rng(4)
    same = [
        Measured(
            attack="tracing", setting={}, inside=generator.normal(size=80), outside=generator.normal(size=20), seed=0
        )
        for _ in range(50)
    ]
    hits = next(risk for risk in risks_over_splits(same) if risk.measure == TPR)
    assert hits.low is not None and hits.high is not None
    assert hits.low <= 0.01 <= hits.high and hits.value < 0.02


def test_ten_thousand_students_are_solved_without_their_equations_being_written_out() -> None:
    generator = np.random.default_rng(5)
    rows = 100_000
    table = pa.table(
        {
            "user": np.sort(generator.integers(0, 10_000, rows)),
            "item": generator.integers(0, 300, rows),
            "correct": generator.integers(0, 2, rows),
        }
    )
    log = read(table, COLUMNS)
    member = halves(log, 1)
    population = LogProfile(log, 0.5)
    score = ATTACKS["tracing-answers"].score(LogTarget(population, log.only(member), member)).by_setting[0][1]
    assert roc.auc(score[member], score[~member]).value > 0.55
    assert "written_out" not in vars(population.averages["answers"])


def test_growth_with_practice_is_seen_where_it_is_and_only_there(make_planted: Any) -> None:
    """One skill of six whose students learn in the release and did not in the population."""
    columns = Columns(student="user", item="item", correct="correct", skill="skill")
    log = read(make_planted(seed=11).table, columns)
    population = LogProfile(log, 0.5)
    assert np.abs(population.look(log).averages["growth"].change).max() < 0.05
    learning = read(make_planted(seed=12, growth=1.0).table, columns, items=log.items)
    assert log.skill_of is not None and log.correct is not None and learning.correct is not None
    other = read(make_planted(seed=12).table, columns, items=log.items)  # the same walks without growth
    assert other.correct is not None
    size = min(learning.rows, other.rows)
    changed = np.where(log.skill_of[other.item[:size]] == 2, learning.correct[:size], other.correct[:size])
    fake = replace(other, correct=np.append(changed, other.correct[size:]).astype(np.int8))
    change = population.look(fake).averages["growth"].change.reshape(-1, 2)
    assert change[2, 0] > 0.2 and np.abs(np.delete(change[:, 0], 2)).max() < change[2, 0]
