"""Attacks that learn from releases of their own: they find what is planted, and nothing where nothing is told."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.covariance import LedoitWolf

from sharewell.lab.shadows import Look, Shadow, shrunk_solve, stacked, strengths, whitened
from sharewell.lab.splits import SIDES, draw_members, room_for
from sharewell.lab.tracing import Averages, Observed, centred, posterior_mean
from sharewell.stats import roc
from sharewell.traces.arrays import Array
from sharewell.traces.protection.learnt_numbers import Learning, counted
from sharewell.traces.protection.verb_chain import balanced

STUDENTS, TOTALS, RELEASES = 60, 12, 24


def averages(generator: np.random.Generator) -> Averages:
    counts = generator.poisson(3.0, (TOTALS, STUDENTS)).astype(float)
    return Averages(
        counts=csr_matrix(counts), base=csr_matrix(counts.sum(axis=0, keepdims=True)), over=np.zeros(TOTALS, np.int64),
        share=counts.sum(axis=1) / counts.sum(), scale=np.full(TOTALS, 1 / counts.sum()),
        family=np.zeros(TOTALS, np.int64),
    )  # fmt: skip


def released(
    known: dict[str, Averages], noise: dict[str, Array], member: Array, *, follows: dict[str, float]
) -> Shadow:
    """A release whose totals follow their members more or less, with the noise that is given."""
    seen = {
        name: Observed(
            change=follows[name] * group.moved_by(centred(member)) + noise[name],
            size=np.full(TOTALS, 1 / group.moved_by(centred(member)).var()),
        )
        for name, group in known.items()
    }
    return Shadow(Look(seen, {}), member)


def mean_auc(scores: list[Array], releases: list[Shadow]) -> float:
    areas = [roc.area(score[one.member], score[~one.member]) for score, one in zip(scores, releases, strict=True)]
    return float(np.mean(areas))


def draws(known: dict[str, Averages], follows: dict[str, float], *, common: float, seed: int) -> list[Shadow]:
    """Releases with noise of their own for every total, and noise in one direction that totals have in common."""
    generator, direction = np.random.default_rng(seed), np.random.default_rng(99).standard_normal(TOTALS)
    usual = {name: known[name].rows(np.arange(TOTALS)).std() * np.sqrt(STUDENTS) / 4 for name in known}
    found = []
    for _ in range(RELEASES):
        noise = {
            name: usual[name] * (generator.standard_normal(TOTALS) + common * direction * generator.standard_normal())
            for name in known
        }
        found.append(released(known, noise, draw_members(STUDENTS, STUDENTS // 3, generator), follows=follows))
    return found


def whitened_scores(known: dict[str, Averages], releases: list[Shadow]) -> list[Array]:
    found = []
    for place, one in enumerate(releases):
        others = releases[:place] + releases[place + 1 :]
        found.append(whitened(known, one.look, others, strengths(known, others), share=2 / 3))
    return found


def test_noise_that_totals_have_in_common_hides_nothing_from_their_covariance() -> None:
    known = {"days": averages(np.random.default_rng(1))}
    releases = draws(known, {"days": 1.0}, common=10.0, seed=2)
    plain = []
    for place, one in enumerate(releases):
        trust = strengths(known, releases[:place] + releases[place + 1 :])
        plain.append(posterior_mean([known["days"]], [one.look.averages["days"]], [trust["days"]], share=2 / 3))
    together = mean_auc(whitened_scores(known, releases), releases)
    assert together > 0.65 and together > mean_auc(plain, releases) + 0.05


def test_kinds_of_totals_are_weighed_by_what_they_tell() -> None:
    generator = np.random.default_rng(3)
    known = {name: averages(generator) for name in ("days", "verbs", "hours")}
    releases = draws(known, {"days": 2.0, "verbs": 0.0, "hours": 0.0}, common=0.0, seed=4)
    assert mean_auc(stacked(known, releases, share=2 / 3), releases) > 0.65


def test_releases_that_tell_nothing_tell_nothing() -> None:
    """Members used where they must not be would show here: both attacks learn from releases with known members."""
    generator = np.random.default_rng(5)
    known = {name: averages(generator) for name in ("days", "verbs", "hours")}
    found = []
    for seed in range(6):
        releases = draws(known, dict.fromkeys(known, 0.0), common=1.0, seed=seed)
        scores = (stacked(known, releases, share=2 / 3), whitened_scores(known, releases))
        found.append([mean_auc(score, releases) for score in scores])
    # weights learnt from chance fail more often a little than they succeed much: only the upper side is sharp
    assert (np.mean(found, axis=0) < 0.515).all() and (np.mean(found, axis=0) > 0.44).all()


@pytest.mark.parametrize("shape", [(8, 40), (60, 5)])
def test_the_shrunk_covariance_is_that_of_ledoit_and_wolf(shape: tuple[int, int]) -> None:
    generator = np.random.default_rng(6)
    noise = generator.standard_normal(shape) @ np.diag(generator.uniform(0.5, 2, shape[1]))
    noise -= noise.mean(axis=0)
    sides = generator.standard_normal((shape[1], 3))
    expected = LedoitWolf(assume_centered=True).fit(noise).precision_ @ sides
    assert shrunk_solve(noise, sides) == pytest.approx(expected, rel=1e-6)


def test_the_size_of_noise_does_not_tell_who_was_alone() -> None:
    """One student alone on a day: with the student or without, the day looks alike when noise is large."""
    generator = np.random.default_rng(7)
    student = np.repeat(np.arange(60), 40)
    usual = counted(student, generator.integers(0, 50, student.size), 60, 51)
    alone = counted(np.append(student, [0] * 40), np.append(generator.integers(0, 50, student.size), [50] * 40), 60, 51)
    there = np.ones(51, np.bool_)
    seen = [
        [
            Learning(noise=20.0, m=2, generator=np.random.default_rng(draw)).totals(table, there=there)[50]
            for draw in range(150)
        ]
        for table in (usual, alone)
    ]
    assert np.std(seen[1]) / np.std(seen[0]) == pytest.approx(1.0, abs=0.3)


def test_steps_bring_tokens_as_often_as_they_should() -> None:
    allowed = np.array([[1.0, 1.0, 0.0], [1.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
    comes = np.array([60.0, 30.0, 10.0])
    found = balanced(allowed, comes, comes)
    assert found.sum(axis=0) == pytest.approx(comes, rel=0.01) and found.sum(axis=1) == pytest.approx(comes, rel=0.01)
    assert (found[allowed == 0] == 0).all() and (found[allowed > 0] > 0).all()


def test_a_choice_leaves_room_for_the_scatter_of_both_draws() -> None:
    """Of strengths at the very edge of what is chosen, five of six pass on other splits."""
    generator = np.random.default_rng(8)
    error, limit = 0.01, 0.55
    truth = generator.uniform(0.45, 0.6, 200_000)
    tried, judged = (truth + error * generator.standard_normal(truth.size) for _ in range(2))
    half = SIDES * error
    edge = np.abs(tried + half + room_for(half, half) - limit) < 0.002
    assert float(np.mean(judged[edge] + half <= limit)) == pytest.approx(0.84, abs=0.02)
