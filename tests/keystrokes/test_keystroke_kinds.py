"""How fast someone is in each kind of pairs: an attack on the original, and next to nothing in a release."""

from typing import Any

import numpy as np
import pytest
from keystrokes.planted import material_of

from sharewell.keystrokes.arrays import Array, TypedEvents
from sharewell.keystrokes.keygroups import GROUPS, key_kinds
from sharewell.keystrokes.measure.identification import found
from sharewell.keystrokes.protection import rhythm_draws
from sharewell.keystrokes.protection.draft import KeySetting, Setting, draw
from sharewell.keystrokes.splits import halves

PEOPLE, SESSIONS, LETTERS, WITHIN, RELEASES = 100, 8, 150, 5, 4
KEYS = np.array(["a", "b", ".", "ArrowLeft"])
STUDENTS = np.array([f"s{one:03}" for one in range(PEOPLE)])


def typing() -> TypedEvents:
    """Letters at one speed for all; a pair of signs and one of arrows in every session, at each student's own."""
    generator = np.random.default_rng(3)
    keys = np.concatenate([np.tile([0, 1], LETTERS // 2), [2, 2], np.tile([0, 1], 2), [3, 3]])
    own = np.ones((PEOPLE, 1, len(keys)))
    own[:, 0, [LETTERS, len(keys) - 2]] = np.exp(generator.normal(0, 0.4, (PEOPLE, 2)))
    latency = own * 150 * np.exp(generator.normal(0, 0.3, (PEOPLE, SESSIONS, len(keys))))
    latency[:, :, -1] = np.nan
    session = np.repeat(np.arange(PEOPLE * SESSIONS), len(keys))
    return TypedEvents(
        student=session // SESSIONS,
        session=session,
        key=np.tile(keys, PEOPLE * SESSIONS),
        latency=latency.ravel(),
        hold=np.full(len(session), 80.0),
        keys=KEYS,
        kinds=key_kinds(KEYS),
    )


def found_in(releases: list[TypedEvents]) -> float:
    """By someone who knows half of the sessions as they were typed."""
    half = np.arange(PEOPLE * SESSIONS) % 2 == 1
    known = halves(typing(), STUDENTS, half).reference
    seen = [halves(one, STUDENTS, half) for one in releases]
    risks = [found(known, one.target, attack="kinds of pairs", accept=[WITHIN])[0] for one in seen]
    return float(np.mean([one.value for one in risks]))


def released() -> list[TypedEvents]:
    source, setting = material_of(typing(), PEOPLE), Setting(keys=KeySetting(), classes=1, stray=0.0)
    return [draw(source, setting, np.random.default_rng(seed)).typing for seed in range(RELEASES)]


def test_rare_kinds_find_people_in_the_original_and_nobody_in_a_release() -> None:
    chance = WITHIN / PEOPLE
    assert found_in([typing()]) > 0.3
    assert found_in(released()) == pytest.approx(chance, abs=3 * np.sqrt(chance * (1 - chance) / (PEOPLE * RELEASES)))


def test_the_attack_would_see_deviations_kept_in_all_rare_kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    def rare(table: Any) -> Array:
        total = table.count.sum(axis=0)
        return np.asarray((total > 0) & (total < 0.01 * total.sum()))

    monkeypatch.setattr(rhythm_draws, "_keeps_own", rare)
    monkeypatch.setattr(rhythm_draws, "OWN_PART", 0.5e6)  # and next to no noise that stays with a student
    monkeypatch.setattr(rhythm_draws, "STAYS", 1e-6)
    assert found_in(released()) > 0.10


def test_only_digits_keep_a_part_of_the_own_deviation() -> None:
    donors = material_of(typing(), PEOPLE).donors[True]
    assert not donors.deviation[:, [GROUPS.index(kind) for kind in GROUPS if kind != "numeric"]].any()
