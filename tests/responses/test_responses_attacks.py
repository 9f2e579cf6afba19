"""The attacks catch what must be caught, and say one half where there is nothing to find."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import sharewell as sw
from sharewell.errors import InputError
from sharewell.responses.log import Columns, Log, from_frames, read
from sharewell.responses.measure.attackers import ATTACKS
from sharewell.responses.measure.common_subsequence import closest
from sharewell.responses.measure.membership_risks import membership_of
from sharewell.responses.measure.verbatim_run import longest_shared
from sharewell.stats.arrays import Array

NAMES: dict[str, Any] = {"student": "user", "item": "item"}


def halves(table: pa.Table, seed: int = 0) -> tuple[pa.Table, list[str]]:
    ids = np.unique(table["user"].to_pylist())
    members = np.random.default_rng(seed).permutation(ids)[: len(ids) // 2].tolist()
    return table.filter(pa.compute.is_in(table["user"], pa.array(members))), members


def value(risks: list[Any], name: str, attacker: str) -> Any:
    return next(risk for risk in risks if risk.name == name and risk.attacker == attacker)


def lcs(one: list[int], other: list[int]) -> int:
    best = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i, a in enumerate(one):
        for j, b in enumerate(other):
            best[i + 1][j + 1] = best[i][j] + 1 if a == b else max(best[i][j + 1], best[i + 1][j])
    return best[-1][-1]


def sequences(log: Log) -> Iterator[list[int]]:
    return (part.tolist() for part in np.split(log.item, log.bounds[1:-1]))


@pytest.fixture(scope="module")
def tiny(make_planted: Any) -> tuple[Log, Log]:
    one, other = (make_planted(students=8, items=4, rows=(3, 14), seed=seed).table for seed in (1, 2))
    return tuple(from_frames([one, other], Columns(student="user", item="item")))  # type: ignore[return-value]


def test_subsequences_against_brute_force(tiny: tuple[Log, Log]) -> None:
    original, fake = tiny
    member = np.arange(8) < 4
    found = closest(original, fake, member)
    common = np.array([[lcs(a, b) for b in sequences(fake)] for a in sequences(original)])
    both = 2 * common / (original.lengths[:, None] + fake.lengths)
    np.testing.assert_allclose(found.both, both.max(axis=1), rtol=1e-6)
    np.testing.assert_allclose(found.printed, (common / fake.lengths).max(axis=1), rtol=1e-6)
    np.testing.assert_allclose(found.to_members, both[member].max(axis=0), rtol=1e-6)


@pytest.mark.parametrize("items", [2, 7, 300])
def test_subsequences_of_many_words_against_another_library(items: int) -> None:
    """Lengths around the edges of 64-bit words, and beyond several of them."""
    from rapidfuzz.distance import LCSseq

    generator = np.random.default_rng(items)
    lengths = np.array([1, 2, 63, 64, 65, 127, 128, 129, 200, 500])
    bounds = np.concatenate([[0], np.cumsum(lengths)])

    def log() -> Log:
        item = generator.integers(0, items, bounds[-1]).astype(np.int32)
        return Log(students=pa.array(range(10)), items=pa.array(range(items)), bounds=bounds, item=item)

    original, fake = log(), log()
    found = closest(original, fake, np.arange(10) < 5)
    common = np.array([[LCSseq.similarity(a, b) for b in sequences(fake)] for a in sequences(original)])
    both = 2 * common / (lengths[:, None] + lengths)
    np.testing.assert_allclose(found.both, both.max(axis=1), rtol=1e-6)
    np.testing.assert_allclose(found.to_others, both[5:].max(axis=0), rtol=1e-6)


def test_the_longest_stretch_against_brute_force(tiny: tuple[Log, Log]) -> None:
    original, fake = tiny
    texts = [" ".join(map(str, part)) + " " for part in sequences(fake)]

    def longest(part: list[int]) -> int:
        pieces = [part[a:b] for a in range(len(part)) for b in range(a + 1, len(part) + 1)]
        return max(len(p) for p in pieces if any((" ".join(map(str, p)) + " ") in f" {t}" for t in texts))

    assert longest_shared(original, fake).tolist() == [longest(part) for part in sequences(original)]


def test_the_original_released_as_it_is_gets_caught(course: Any) -> None:
    """The positive control, with new ids: every attack that looks at whole sequences must see it."""
    inside, members = halves(course.table)
    copy = sw.responses.drop_rows(inside, student="user", share=0.0)
    risks = sw.responses.membership(course.table, copy, members=members, **NAMES, correct="correct")
    for attacker in ("subsequence", "subsequence-correct", "nearest", "stretch", "strongest"):
        assert value(risks, "auc", attacker).value > 0.95, attacker
    assert value(risks, "tpr_at_1pct_fpr", "strongest").value > 0.9
    near = value(risks, "near_copies", "subsequence")
    assert near.value == 1.0 and near.chance < 0.5


def test_every_attack_says_one_half_about_independent_rows(course: Any, make_planted: Any) -> None:
    stranger = make_planted(seed=99).table
    _, members = halves(course.table)
    risks = sw.responses.membership(course.table, stranger, members=members, **NAMES, correct="correct")
    for risk in risks:
        if risk.name == "auc" and risk.attacker != "strongest":
            assert risk.low is not None and risk.high is not None
            assert risk.low <= 0.5 + 0.02 and risk.high >= 0.5 - 0.02, str(risk)
    alone = {
        name for name, attack in ATTACKS.items() if not attack.needs_shadows and attack.needs_group in (None, "answers")
    }
    assert {risk.attacker for risk in risks if risk.name == "auc"} == {*alone, "strongest"}


def test_a_plain_chain_is_caught_by_rare_steps_and_a_protected_one_is_not(make_planted: Any) -> None:
    """Everyone also takes a few steps of their own over many items: a plain chain repeats them."""
    table = make_planted(students=300, items=60, rows=(30, 60), seed=5).table
    generator = np.random.default_rng(0)
    item = np.array(table["item"].to_pylist(), dtype=object)
    own = generator.random(item.size) < 0.1
    item[own] = [f"item{place:02d}" for place in generator.integers(0, 60, int(own.sum()))]
    table = table.set_column(1, "item", pa.array(item.tolist()))
    inside, members = halves(table)

    def caught(m: int) -> float:
        fake = sw.responses.fit(inside, **NAMES, correct="correct", m=m).generate(150, seed=1)
        risks = sw.responses.membership(table, fake, members=members, **NAMES, attack="transitions")
        return float(value(risks, "auc", "transitions").value)

    assert caught(1) > 0.85
    assert caught(10) < 0.62


def test_one_attack_alone_gives_its_measures_only(course: Any) -> None:
    inside, members = halves(course.table)
    risks = sw.responses.membership(course.table, inside, members=members, **NAMES, attack="transitions")
    assert {risk.attacker for risk in risks} == {"transitions"}
    assert {risk.name for risk in risks} == {"auc", "tpr_at_1pct_fpr", "tpr_at_01pct_fpr"}
    assert all(risk.low is not None and risk.high is not None for risk in risks)
    assert all((risk.low or 0) <= risk.value <= (risk.high or 0) and risk.n == 400 for risk in risks)


def test_an_unknown_attack_and_a_missing_control_are_refused(course: Any) -> None:
    with pytest.raises(InputError, match="not known"):
        sw.responses.membership(course.table, course.table, members=[], **NAMES, attack="psychic")
    everyone = set(course.table["user"].to_pylist())
    with pytest.raises(InputError, match="control"):
        sw.responses.membership(course.table, course.table, members=everyone, **NAMES)


def test_the_best_of_many_settings_is_not_mistaken_for_success() -> None:
    """Scores without any signal: picking the best of fifty settings on the same students would look like success."""
    from sharewell.lab.membership import Scores, measured
    from sharewell.stats import roc

    generator = np.random.default_rng(1)
    member = np.arange(200) < 100
    settings: list[tuple[Mapping[str, Any], Array]] = [({"k": k}, generator.random(200)) for k in range(50)]
    best = max(roc.auc(score[member], score[~member]).value for _, score in settings)
    found = measured("nearest", Scores(by_setting=settings, about=np.ones(200, dtype=bool)), member, 0)
    honest = roc.auc(found.inside, found.outside)
    assert best > 0.58
    assert honest.low <= 0.5 <= honest.high


def test_membership_does_not_depend_on_the_order_of_frames(course: Any) -> None:
    inside, members = halves(course.table)
    shuffled = course.table.take(
        pa.array(np.argsort(course.table["user"].to_numpy(zero_copy_only=False), kind="stable"))
    )
    one = sw.responses.membership(course.table, inside, members=members, **NAMES, attack="subsequence")
    two = sw.responses.membership(shuffled, inside, members=reversed(members), **NAMES, attack="subsequence")
    assert [risk.value for risk in one] == [risk.value for risk in two]


def test_arrays_and_frames_agree(course: Any) -> None:
    log = read(course.table, Columns(student="user", item="item"))
    _, members = halves(course.table)
    member = np.isin(log.students.to_pylist(), members)
    direct = membership_of(log, log.only(member), member, attack="nearest")
    inside, _ = halves(course.table)
    framed = sw.responses.membership(course.table, inside, members=members, **NAMES, attack="nearest")
    assert [risk.value for risk in direct] == pytest.approx([risk.value for risk in framed])


def test_a_part_of_the_students_stands_for_all_when_there_are_too_many_pairs(
    course: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sharewell.responses.measure import attackers

    monkeypatch.setattr(attackers, "MOST_PAIRS", 0)
    monkeypatch.setattr(attackers, "FEWEST_COMPARED", 100)
    inside, members = halves(course.table)
    risks = sw.responses.membership(course.table, inside, members=members, **NAMES)
    found = value(risks, "auc", "nearest")
    assert found.n == 100 and found.value > 0.95
    assert value(risks, "auc", "subsequence").n <= 100
    assert value(risks, "auc", "transitions").n == 400


@pytest.mark.parametrize("path", ["abcd", "a"])
def test_where_no_step_is_rare_every_attack_still_gives_a_number(path: str) -> None:
    rows = [(who, what, (7 * who + place) % 2) for who in range(30) for place, what in enumerate(path)]
    log = pa.table(dict(zip(("user", "item", "correct"), map(list, zip(*rows, strict=True)), strict=True)))
    names: Any = {"student": "user", "item": "item", "correct": "correct"}
    risks = sw.responses.membership(log, log.slice(0, 15 * len(path)), members=range(15), **names)
    (rare,) = [risk for risk in risks if risk.attacker == "transitions" and risk.name == "auc"]
    assert rare.value == 0.5 and all(0 <= risk.value <= 1 for risk in risks)


def test_the_strongest_attack_is_the_one_whose_upper_end_is_highest() -> None:
    """That end is held to the limit: an attack that is a little weaker and much less sure must not hide behind it."""
    from sharewell.contract import Risk
    from sharewell.lab.membership import MEMBERSHIP, strongest

    ends = {"sure": (0.522, 0.527), "unsure": (0.521, 0.546)}
    risks = [
        Risk(measure=measure, attacker=name, value=value, low=0.5, high=high, n=2_000, chance=0.5)
        for measure in MEMBERSHIP
        for name, (value, high) in ends.items()
    ]
    assert [(risk.setting["attack"], risk.high) for risk in strongest(risks)] == [("unsure", 0.546)] * 3


def test_near_copies_are_found_where_only_some_students_are_compared(
    course: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every released student is a copy: a part of them says so, all of them beside a part of the originals do not."""
    from sharewell.responses.measure import attackers
    from sharewell.responses.measure.log_profile import LogProfile
    from sharewell.responses.measure.near_copies import near_copies

    monkeypatch.setattr(attackers, "MOST_PAIRS", 1)
    monkeypatch.setattr(attackers, "FEWEST_COMPARED", 40)
    log = read(course.table, Columns(student="user", item="item"))
    member = np.arange(log.lengths.size) % 5 > 0
    found = near_copies(attackers.LogTarget(LogProfile(log, 0.8), log.only(member), member))
    assert found.value == 1.0 and found.n == 40
