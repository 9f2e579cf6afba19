"""What earlier releases of invented students leave of the limit, and that noise of two versions does not cancel."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from sharewell import pipeline
from sharewell.data.keyed import Keyed
from sharewell.errors import Refused
from sharewell.plan.audience_limits import AUDIENCES, Audience
from sharewell.plan.document import load
from sharewell.release.membership_left import BY_TPR, FALSE_ALARMS, Spent, left
from sharewell.stats.roc import area, hits_at

EASE = np.linspace(0.15, 0.85, 40)
AUCS = st.floats(0.5, 0.7)
SPENT = st.builds(Spent, audience=st.sampled_from(AUDIENCES), seen=AUCS, limit=AUCS)


def together(aucs: Sequence[float]) -> float:
    return float(norm.cdf(math.sqrt(sum(norm.ppf(auc) ** 2 for auc in aucs))))


@given(limit=AUCS, audience=st.sampled_from(AUDIENCES), spent=st.lists(SPENT, max_size=5))
def test_with_what_is_left_nobody_gets_beyond_their_limit(limit: float, audience: Audience, spent: list[Spent]) -> None:
    found = left(limit, audience, spent)
    assert 0.5 <= found <= limit
    for holder in AUDIENCES[AUDIENCES.index(audience) :]:
        seen = [one.seen for one in spent if AUDIENCES.index(one.audience) <= AUDIENCES.index(holder)]
        limits = [one.limit for one in spent if one.audience == holder] + [limit] * (holder == audience)
        if limits and found > 0.5:
            assert together([*seen, found]) <= max(limits) + 1e-6


@given(limit=AUCS, audience=st.sampled_from(AUDIENCES), spent=st.lists(SPENT, min_size=1, max_size=5))
def test_one_more_release_never_leaves_more(limit: float, audience: Audience, spent: list[Spent]) -> None:
    alike = [Spent(audience=one.audience, seen=one.seen, limit=limit) for one in spent]
    assert left(limit, audience, alike) <= left(limit, audience, alike[1:]) + 1e-9


def test_what_is_narrower_does_not_count_for_a_wider_audience_but_for_those_who_hold_both() -> None:
    enclave = Spent(audience="enclave", seen=0.55, limit=0.60)
    assert left(0.53, "public", [enclave]) == 0.53  # together .559, within what an enclave may reach
    assert left(0.53, "public", [Spent(audience="enclave", seen=0.598, limit=0.60)]) < 0.53
    assert left(0.55, "agreement", []) == 0.55


def test_scores_of_two_releases_put_together_tell_as_much_as_is_reckoned() -> None:
    """Planted: members half, and three tenths, of a standard deviation above the others."""
    draw = np.random.default_rng(3)
    inside, outside = draw.normal(size=(2, 40_000)), draw.normal(size=(2, 40_000))
    shift = np.array([0.5, 0.3])
    inside += shift[:, None]
    single = [area(one, other) for one, other in zip(inside, outside, strict=True)]
    both = area(shift @ inside, shift @ outside)  # each release weighed by what it tells
    assert both == pytest.approx(together(single), abs=0.004) and both > max(single)


SHARES = st.floats(0.0, 0.2)
FOUND = st.builds(Spent, audience=st.sampled_from(AUDIENCES), seen=SHARES, limit=SHARES)


@given(limit=SHARES, audience=st.sampled_from(AUDIENCES), spent=st.lists(FOUND, max_size=5))
def test_shares_found_by_all_releases_stay_within_each_limit(
    limit: float, audience: Audience, spent: list[Spent]
) -> None:
    found = left(limit, audience, spent, BY_TPR)
    assert found <= limit
    for holder in AUDIENCES[AUDIENCES.index(audience) :]:
        seen = [one.seen for one in spent if AUDIENCES.index(one.audience) <= AUDIENCES.index(holder)]
        limits = [one.limit for one in spent if one.audience == holder] + [limit] * (holder == audience)
        if limits and seen and found > FALSE_ALARMS:
            beyond = sum(max(one - FALSE_ALARMS, 0.0) for one in [*seen, found])
            assert beyond <= max(max(limits) - FALSE_ALARMS, 0.0) + 1e-9


@pytest.mark.parametrize("releases", [2, 5, 11])
def test_what_a_few_students_give_away_adds_up_though_areas_hardly_do(releases: int) -> None:
    """Planted: each release gives three of a hundred members away for certain, others each time."""
    draw = np.random.default_rng(4)
    inside, outside = draw.normal(size=(2, releases, 40_000))
    inside[draw.random(inside.shape) < 0.03] += 20
    areas = [area(one, other) for one, other in zip(inside, outside, strict=True)]
    single = [hits_at(one, other, false_alarms=FALSE_ALARMS).value for one, other in zip(inside, outside, strict=True)]
    both = hits_at(inside.max(axis=0), outside.max(axis=0), false_alarms=FALSE_ALARMS).value
    assert together(areas) < 0.56  # within what an agreement lets, or hardly beyond
    reckoned = FALSE_ALARMS + sum(share - FALSE_ALARMS for share in single)
    assert 0.8 * reckoned < both <= reckoned + 0.01 and both > 0.02 * releases
    spent = [Spent(audience="agreement", seen=share, limit=0.05) for share in single[:-1]]
    assert left(0.05, "agreement", spent, BY_TPR) < 0.03  # 3 % more are not let


def test_members_who_all_stand_out_a_little_are_found_more_seldom_than_is_reckoned() -> None:
    for apart in np.linspace(0.05, 0.75, 15):  # up to .06 found by one of two
        one, two = (float(norm.sf(norm.isf(FALSE_ALARMS) - d)) for d in (apart, math.sqrt(2) * apart))
        assert two <= FALSE_ALARMS + 2 * (one - FALSE_ALARMS)


def exam(folder: Path, students: int) -> None:
    """Everybody answers every question once; questions are of very different ease."""
    draw = np.random.default_rng(1)
    rows = ["who,what,right"]
    for student in range(students):
        rows += [f"s{student},q{item:02d},{int(draw.random() < EASE[item])}" for item in range(EASE.size)]
    folder.mkdir(exist_ok=True)
    (folder / "exam.csv").write_text("\n".join(rows) + "\n")
    (folder / "plan.toml").write_text(
        '[release]\nname = "Exam"\naudience = "enclave"\n\n'
        '[responses.exam]\nfile = "exam.csv"\nstudent = "who"\nitem = "what"\ncorrect = "right"\n'
        "noise = 4.0\nrepeats = 4\nstudents = 400\nlimit = { membership = 0.95, tpr = 1.0, ranks = -1, jump = 1 }\n"
    )


def noise(folder: Path) -> np.ndarray[Any, Any]:
    """How far released shares of right answers lie from what the planted ease lets expect (drawn together: a cubic)."""
    rows = [line.split(",") for line in (folder / "release" / "data" / "exam.csv").read_text().splitlines()[1:]]
    shares = [np.mean([int(row[2]) for row in rows if row[1] == f"q{item:02d}"]) for item in range(EASE.size)]
    found: np.ndarray[Any, Any] = shares - np.polyval(np.polyfit(EASE, shares, 3), EASE)
    return found


def test_a_changed_log_gets_fresh_noise_and_what_is_left_of_the_limit(tmp_path: Path) -> None:
    exam(tmp_path, 60)
    first = pipeline.release(load(tmp_path / "plan.toml"))
    assert first.verdict.passed
    before, content = noise(tmp_path), (tmp_path / "release" / "data" / "exam.csv").read_bytes()

    again = pipeline.release(load(tmp_path / "plan.toml"), over=True)
    assert again.verdict.passed and again.findings.files[0].limits["membership"] == 0.95
    assert (tmp_path / "release" / "data" / "exam.csv").read_bytes() == content

    exam(tmp_path, 59)
    less = pipeline.release(load(tmp_path / "plan.toml"), over=True)
    assert less.verdict.passed and 0.5 < less.findings.files[0].limits["membership"] < 0.95
    assert FALSE_ALARMS < less.findings.files[0].limits["tpr"] < 1.0
    assert any("they leave" in note for note in less.notes)
    assert np.corrcoef(before, noise(tmp_path))[0, 1] < 0.6  # 1.00 where both versions have the same noise


def test_going_back_to_an_earlier_log_is_held_to_what_both_versions_left(tmp_path: Path) -> None:
    """Under a lower limit another noise might be taken: only a file held to the same limit is the same file."""
    exam(tmp_path, 60)
    limits = []
    for students in (60, 59, 60):
        exam(tmp_path, students)
        made = pipeline.release(load(tmp_path / "plan.toml"), over=True)
        limits.append(made.findings.files[0].limits["membership"])
    assert limits[0] == 0.95 and limits[2] < limits[1] < limits[0]


def test_where_nothing_is_left_the_release_is_refused_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    exam(tmp_path, 60)
    assert pipeline.release(load(tmp_path / "plan.toml")).verdict.passed
    exam(tmp_path, 59)
    monkeypatch.setattr("sharewell.release.membership_left.left", lambda *_: 0.5)
    with pytest.raises(Refused, match=r"Leave \[responses\.exam\] out of this release"):
        pipeline.release(load(tmp_path / "plan.toml"), over=True)


def test_draws_of_one_key_are_apart_for_logs_that_differ() -> None:
    keyed = Keyed(b"k" * 32, "release")
    draws = [keyed.within(digest).generator("generate").normal(size=8) for digest in ("a", "b", "a")]
    assert np.array_equal(draws[0], draws[2]) and not np.allclose(draws[0], draws[1])
