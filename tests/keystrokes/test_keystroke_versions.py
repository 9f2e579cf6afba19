"""Versions of a release under one key: whoever averages them learns no more than one of them tells."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from keystrokes.planted import COLUMNS, job, material_of, typists

from sharewell import pipeline
from sharewell.data import engine
from sharewell.data.keyed import Keyed
from sharewell.errors import InputError
from sharewell.keystrokes import eventlog, partitions, splits, study
from sharewell.keystrokes.arrays import Array, TypedEvents, session_starts
from sharewell.keystrokes.columns import KeyColumns
from sharewell.keystrokes.keygroups import key_kinds
from sharewell.keystrokes.protection import earlier_speeds, judging, lots, versions
from sharewell.keystrokes.protection.draft import KeySetting, Material, Setting, draw
from sharewell.keystrokes.protection.lots import Lots
from sharewell.keystrokes.protection.rhythm_draws import OWN_PART
from sharewell.keystrokes.releasing import setting_of
from sharewell.keystrokes.section import Limit
from sharewell.plan.document import load
from sharewell.release.verify import verify

PEOPLE, SESSIONS, LETTERS, WITHIN = 200, 8, 240, 10
KEYS = np.array(["a", "b", "1", "2"])
SETTING = Setting(keys=KeySetting(), classes=1, stray=0.0)


def typing() -> TypedEvents:
    """Letters at one speed for all; one pair of digits in every session, at each student's own."""
    generator = np.random.default_rng(3)
    keys = np.concatenate([np.tile([0, 1], LETTERS // 2), [2, 3]])
    own = np.ones((PEOPLE, 1, len(keys)))
    own[:, 0, LETTERS] = np.exp(generator.normal(0, 0.4, PEOPLE))
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


def digits(one: TypedEvents) -> Array:
    """The mean log time of every student between digits."""
    first, second = (one.keys.tolist().index(key) for key in ("1", "2"))
    pairs = (one.key == first) & (one.next_key == second)
    return np.asarray(np.bincount(one.student[pairs], np.log(one.latency[pairs])) / np.bincount(one.student[pairs]))


def averaged(source: Material, held: Lots | None, versions: int) -> Array:
    found = [digits(draw(source, SETTING, np.random.default_rng(seed), held).typing) for seed in range(versions)]
    return np.asarray(np.mean(found, axis=0))


def found_by(seen: Array, known: Array) -> float:
    """By someone who knows every student's own speed in digits, best guess first: how many on a list of ten."""
    slope, level = np.polyfit(known, seen, 1)
    apart = np.abs(seen[:, None] - (slope * known + level))
    own = np.diagonal(apart)[:, None]
    return float(((apart < own).sum(axis=1) < WITHIN).mean())


@pytest.fixture(scope="module")
def source() -> Material:
    return material_of(typing(), PEOPLE)


def test_what_digits_keep_does_not_come_out_of_many_versions(source: Material) -> None:
    """Two sevenths of the variance in however many versions; noise drawn anew would leave nearly all of it."""
    known = digits(typing())
    kept, spread = OWN_PART / (1 + OWN_PART), 0.12  # four standard errors of r² among 200 students

    for key in range(3):
        held = lots.drawn(PEOPLE * SESSIONS, PEOPLE, np.random.default_rng(100 + key))
        told = [np.corrcoef(averaged(source, held, versions), known)[0, 1] ** 2 for versions in (1, 5, 20)]
        assert max(told) < kept + spread and min(told) > 0.05
    anew = np.corrcoef(averaged(source, None, 20), known)[0, 1] ** 2
    assert anew > 0.75


def test_twenty_versions_find_no_more_typists_than_one_may(source: Material) -> None:
    known = digits(typing())
    chance = WITHIN / PEOPLE
    held = [lots.drawn(PEOPLE * SESSIONS, PEOPLE, np.random.default_rng(200 + key)) for key in range(6)]
    found = np.mean([found_by(averaged(source, one, 20), known) for one in held])
    one = np.mean([found_by(averaged(source, each, 1), known) for each in held])
    assert found < one + 0.03 and found < 2.2 * chance  # .19 where the noise is drawn anew
    assert found_by(averaged(source, None, 20), known) > 3 * chance


def events(table: pa.Table) -> eventlog.Events:
    return eventlog.load(engine.table(table), KeyColumns(**COLUMNS))


def without(table: pa.Table, gone: set[str]) -> pa.Table:
    return table.filter(pa.array([who not in gone for who in table["student"].to_pylist()]))


def test_lots_stay_with_whoever_stays_and_differ_from_key_to_key() -> None:
    table, keyed = typists(20), Keyed(b"k" * 32, "test")
    whole, gone = events(table), {"student-3", "student-11"}
    less = events(without(table, gone))
    before, after = (lots.of_release(lots.secrets(keyed, SETTING), one) for one in (whole, less))
    stay = ~np.isin(whole.students, list(gone))
    owner = whole.typing.student[session_starts(whole.typing.session)[:-1]]
    assert np.array_equal(before.student[stay], after.student)
    assert np.array_equal(before.session[stay[owner]], after.session)
    assert before.session.min() > 0 and before.session.max() < 1 and np.isfinite(before.student).all()
    assert not np.isin(
        lots.of_release(lots.secrets(Keyed(b"j" * 32, "test"), SETTING), whole).session, before.session
    ).any()
    other = lots.of_release(lots.secrets(keyed, replace(SETTING, stray=0.5)), whole)
    assert not np.isin(other.session, before.session).any() and np.array_equal(other.student, before.student)


def test_versions_are_held_against_what_was_typed_and_not_against_each_other() -> None:
    """Their pseudonyms are the same: a part of them finds nothing in the rest that they do not say themselves."""
    loaded = events(typists(20))
    made = material_of(loaded.typing, 20)
    generators = [np.random.default_rng(one) for one in range(5)]
    found = versions.found(judging.original(loaded, 0), made, SETTING, generators, within=3, limit=0.15)
    assert {one.setting["reference"] for one in found} == {"raw"}
    assert {one.attacker for one in found} == {"kinds of pairs", "same side", "fusion"}
    assert {one.setting["draws"] for one in found} == {5}  # keys: ways of parting what is known are no further ones
    seen = versions.pooled(judging.original(loaded, 0), [loaded.typing] * 3, np.zeros(120, dtype=bool)).whole
    once = splits.halves(loaded.typing, loaded.students, np.zeros(120, dtype=bool)).whole
    latencies = once.features[np.char.startswith(once.features, "latency ")]
    for name in ("count", "log_spread"):
        three, one = (sample.spread_out(getattr(sample, name), latencies) for sample in (seen, once))
        assert three == pytest.approx(3 * one) and one.any()


def speeds_of_sessions(asked: Any, done: Any) -> dict[tuple[str, str], float]:
    """Student and original session → the mean log latency that is released."""
    found = asked._released(done)
    owner = found.typing.student[session_starts(found.typing.session)[:-1]]
    typed, latency = (one[np.isfinite(found.typing.latency)] for one in (found.typing.session, found.typing.latency))
    mean = np.bincount(typed, latency) / np.bincount(typed)
    names = zip(found.students[owner].tolist(), found.sessions.tolist(), strict=True)
    return dict(zip(names, np.log(mean), strict=True))


def test_a_next_version_types_every_session_of_whoever_stays_at_the_same_speed(tmp_path: Path) -> None:
    """Classes, their speeds and lots are those of the first version, though a quarter of all typists left."""
    table, limit = typists(40, keys=90), Limit(found=0.6, within=5)
    first = study.open(job(table, limit))
    before = first.protect()
    path = tmp_path / "speeds.csv"
    pa.csv.write_csv(before.private["speeds"], path)
    gone = {f"student-{number}" for number in range(0, 40, 4)}
    second = study.open(job(without(table, gone), limit, recoding=str(path)))
    after = second.protect()
    assert setting_of(after) == setting_of(before) and after.curve is None
    assert int(before.facts["classes"]) > 1
    then, now = speeds_of_sessions(first, before), speeds_of_sessions(second, after)
    moved = np.array([now[name] - then[name] for name in now])
    apart = earlier_speeds.read(path).slower
    assert len(now) == 30 * 6 and np.ptp(moved) < 0.2 * (max(apart.values()) - min(apart.values()))


def test_a_newcomer_goes_to_the_nearest_class() -> None:
    earlier = earlier_speeds.EarlierSpeeds(setting=SETTING, own={"a": 0, "b": 1, "c": 1}, slower={0: -0.4, 1: 0.4})
    found = earlier.speeds(np.array(["a", "b", "new", "slow"]), np.array([200.0, 100.0, 101.0, 220.0]))
    assert found.own.tolist() == [0, 1, 0, 1]


@pytest.mark.parametrize("content", ["", "student,class\na,1\n", "student,group\na,1\n"])
def test_another_table_is_refused_in_one_sentence(tmp_path: Path, content: str) -> None:
    (tmp_path / "speeds.csv").write_text(content)
    with pytest.raises(InputError, match=r"speeds\.csv"):
        earlier_speeds.read(tmp_path / "speeds.csv")


PLAN = """
[release]
name = "Typing"
audience = "enclave"

[keystrokes.typing]
file = "keys.csv"
student = "student"
session = "exercise"
key = "key"
press = "press"
release = "release"
keep = ["note"]
redact_text = false
limit = { found = 0.9, within = 5 }
"""


@pytest.mark.parametrize("part", [None, 2_000], ids=["one partition", "several"])
def test_replace_and_withdraw_use_the_classes_of_the_release_before(
    tmp_path: Path, part: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same data again are the same bytes; without somebody classes and setting are those of before."""
    typed = typists(24, keys=40)
    if part is not None:
        for name, value in {"MOST_EVENTS": part, "LEAST_STUDENTS": 5}.items():
            monkeypatch.setattr(partitions, name, value)
        assert typed.num_rows > 2 * part
    pa.csv.write_csv(typed, tmp_path / "keys.csv")
    (tmp_path / "plan.toml").write_text(PLAN)
    made = [pipeline.release(load(tmp_path / "plan.toml"))]
    content = (tmp_path / "release" / "data" / "keys.csv").read_bytes()
    made.append(pipeline.release(load(tmp_path / "plan.toml"), over=True))
    assert (tmp_path / "release" / "data" / "keys.csv").read_bytes() == content
    left = pipeline.withdraw(load(tmp_path / "plan.toml"), ["student-5"])
    assert left.outcome is not None
    made.append(left.outcome)
    assert all(one.verdict.passed for one in made), [one.verdict.reasons for one in made]
    assert not verify(tmp_path / "release").problems
    first, *_, last = (
        earlier_speeds.read(tmp_path / "private" / str(one.release) / "keystrokes.typing" / "speeds.csv")
        for one in made
    )
    assert last.setting == first.setting and len(last.own) < len(first.own) and last.own.items() <= first.own.items()
