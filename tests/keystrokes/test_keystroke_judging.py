"""A judgement that stops early: its intervals hold at least as often as they say, and it hardly ever stops wrongly."""

from dataclasses import replace

import numpy as np
import pytest

from sharewell.contract import Risk
from sharewell.keystrokes.kind import found_within
from sharewell.keystrokes.measure import known_amounts, likelihood, together
from sharewell.keystrokes.protection import judging, search
from sharewell.keystrokes.samples import TypingSample

LIMIT, STUDENTS, JUDGEMENTS = 0.10, 200, 1_000
RELEASES, VERSIONS = judging.looks(search.MOST_DRAWS), judging.looks(search.MOST_DRAWS // search.PER_KEY)


def risk(value: float) -> Risk:
    return Risk(measure=found_within(10), attacker="fusion", value=value, n=STUDENTS, setting={"within": 10})


def judged(found: float, ends: list[int], generator: np.random.Generator) -> tuple[Risk, bool]:
    """One judgement of an attack that finds so many on average, and whether it stopped early.

    Some students are found more easily than others, and some draws hide all of them worse.
    """
    ease = generator.beta(4, 4 * (1 - found) / found, STUDENTS)
    ease *= found / ease.mean()
    chance = np.clip(ease * np.exp(0.1 * generator.standard_normal((ends[-1], 1))), 0, 1)
    shares = (generator.random((ends[-1], STUDENTS)) < chance).mean(axis=1)
    for end in ends:
        (told,) = judging.averaged([[risk(one)] for one in shares[:end]], ends)
        if judging.settled(LIMIT, [told]):
            break
    return told, end < ends[-1]


@pytest.mark.parametrize("ends", [RELEASES, VERSIONS])
@pytest.mark.parametrize("found", [0.06, 0.09, 0.10, 0.11, 0.14])
def test_intervals_hold_whenever_a_judgement_stops(found: float, ends: list[int]) -> None:
    generator = np.random.default_rng(11)
    told = [judged(found, ends, generator) for _ in range(JUDGEMENTS)]
    true = found * np.exp(0.1**2 / 2)
    holds = np.mean([one.low <= true <= one.high for one, _ in told])
    wrong = np.mean([early and (one.value > LIMIT) != (true > LIMIT) for one, early in told])
    assert holds >= 0.95 - 2 * np.sqrt(0.05 * 0.95 / JUDGEMENTS)
    assert wrong <= judging.EARLY * (len(ends) - 1)


def test_looks_end_at_all_draws_and_share_what_may_be_missed() -> None:
    for draws in range(1, 200):
        ends = judging.looks(draws)
        assert ends == sorted(set(ends)) and ends[-1] == draws
        assert sum(judging.missed(end, ends) for end in ends) == pytest.approx(judging.MISSED)


def test_far_from_the_limit_the_first_look_is_enough() -> None:
    generator = np.random.default_rng(12)
    assert all(judged(found, RELEASES, generator)[1] for found in (0.03, 0.3) for _ in range(20))


def sample(generator: np.random.Generator, people: int, features: int) -> TypingSample:
    """Counts and times of some pairs of keys; nobody has all of them."""
    student, feature = np.nonzero(generator.random((people, features)) < 0.7)
    log_mean = generator.normal(5, 0.3, (people, 1))[student, 0] + generator.normal(0, 0.2, len(student))
    count = generator.integers(2, 40, len(student)).astype(float)
    return TypingSample(
        students=np.array([f"s{one:03}" for one in range(people)]),
        features=np.array([f"latency {one:03}→x" for one in range(features)]),
        student=student,
        feature=feature,
        count=count,
        mean=np.exp(log_mean),
        log_mean=log_mean,
        log_spread=0.04 * count,
    )


def test_the_compiled_likelihood_ratio_is_the_formula() -> None:
    """Σ log N(a − b; 0, v) − log N(a − b; 0, v + 2s), with v = w/n_a + w/n_b, over what both have."""
    generator = np.random.default_rng(13)
    train, test = sample(generator, 12, 37), sample(generator, 9, 37)
    found = likelihood.scores(train, test)
    seen = likelihood.gather(train, test)
    both = (seen.train_count > 0)[None] & (seen.test_count > 0)[:, None]
    same = seen.within / np.maximum(seen.train_count, 1)[None] + seen.within / np.maximum(seen.test_count, 1)[:, None]
    square = (seen.test_mean[:, None] - seen.train_mean[None]) ** 2
    other = same + 2 * seen.between
    ratio = 0.5 * (np.log(other / same) - square / same + square / other)
    assert len(seen.within) > 20
    assert found == pytest.approx(np.where(both, ratio, 0).sum(axis=2), abs=1e-9)


def test_an_attack_far_from_the_limit_is_made_no_more_and_the_others_are() -> None:
    """Fusion weighs all attacks as long as it decides: without some of them it would be another one."""
    panel = judging.everyone([10])
    fusion, side, amounts, text = (
        judging.attack_of(replace(risk(0.09), attacker=attacker, setting={"within": 10, **setting}))
        for attacker, setting in (
            ("fusion", {"reference": "raw"}),
            ("same side", {"reference": "raw"}),
            ("amounts", {"of": "time", "matched": "by size", "reference": "amounts"}),
            ("text", {"form": "letters", "reference": "the text of one session"}),
        )
    )
    left = panel.of([side, amounts])
    assert (left.attacks, left.amounts, left.fused, left.texts) == (("same side",), ("time",), False, False)
    assert left.references == ("raw",)
    assert panel.of([fusion, text]) == replace(panel, references=("raw",), amounts=())
    assert panel.of([]).attacks == () and not panel.of([]).fused


def test_amounts_are_as_far_apart_as_over_the_places_that_both_have() -> None:
    generator = np.random.default_rng(14)
    known, sought = (
        np.where(generator.random((people, 6)) < 0.3, np.nan, generator.normal(5, 1, (people, 6))) for people in (7, 5)
    )
    known[0], sought[0] = np.nan, np.arange(6.0)
    found = known_amounts._mean_gaps(known, sought)
    for row, one in enumerate(sought):
        for column, other in enumerate(known):
            gaps = np.abs(one - other)[~np.isnan(one - other)]
            assert found[row, column] == pytest.approx(gaps.mean() if len(gaps) else known_amounts.NONE_SHARED)


@pytest.mark.parametrize("others", [4, 5, 40])
def test_the_distance_to_the_third_nearest_is_that_of_a_sorted_list(others: int) -> None:
    generator = np.random.default_rng(15)
    known, value = np.sort(generator.normal(0, 1, others)), generator.normal(0, 2, (30, 3))
    nearest = np.sort(np.abs(value[..., None] - known), axis=-1)[..., together.NEIGHBOURS - 1]
    assert together._distance(value, known) == pytest.approx(nearest)
