"""Averages instead of events: rows alike within a class, noise that hides who is in them, attacks that would see it."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from keystrokes.planted import COLUMNS, job, typists

import sharewell as sw
from sharewell.contract import Protected
from sharewell.data import engine
from sharewell.errors import InputError
from sharewell.keystrokes import recheck, study
from sharewell.keystrokes.arrays import Array
from sharewell.keystrokes.kind import SHARED
from sharewell.keystrokes.measure import profile_attacks
from sharewell.keystrokes.profile_study import ProfileStudy
from sharewell.keystrokes.protection.alike_profiles import ProfileSetting, alike, bisected, classes_for
from sharewell.keystrokes.section import Limit
from sharewell.lab.membership import AUC
from sharewell.plan import document

LIMIT = Limit(found=0.1, within=4, membership=0.58)
STUDENTS = 80


@pytest.fixture(scope="module")
def typed() -> pa.Table:
    return typists(STUDENTS)


@pytest.fixture(scope="module")
def opened(typed: pa.Table) -> ProfileStudy:
    made = study.open(job(typed, LIMIT, publish="profiles"))
    assert isinstance(made, ProfileStudy)
    return made


@pytest.fixture(scope="module")
def done(opened: ProfileStudy) -> Protected:
    return opened.protect()


def values(students: int, columns: int, seed: int) -> Array:
    generator = np.random.default_rng(seed)
    return generator.normal(0, 1, (students, 1)) + generator.normal(0, 0.5, (students, columns)) + 200


@pytest.mark.parametrize("times", [1.5, 2.0, 2.6, 4.0])
def test_lots_and_classes_use_up_the_limit_and_nothing_more(times: float) -> None:
    classes, drawn = classes_for(times * 10 / 200, 10, 200)
    setting = ProfileSetting(classes=classes, drawn=drawn, noise=1)
    assert setting.found(10, 200) == pytest.approx(times * 10 / 200)


@pytest.mark.parametrize("times", [1.5, 3.0])
def test_whoever_knows_every_class_finds_what_the_bound_says(times: float) -> None:
    """The best list of ten: rows of the class that the student is known to be of."""
    given, found = values(120, 5, 1), []
    classes, drawn = classes_for(times * 10 / 120, 10, 120)
    setting, own = ProfileSetting(classes=classes, drawn=drawn, noise=1), bisected(given, classes)
    for seed in range(400):
        generator = np.random.default_rng(seed)
        label = alike(given, setting, generator.random((120, 2)), generator).label
        assert (np.bincount(label) == np.bincount(own)).all()
        found.append(np.mean((label == own) * 10 / np.bincount(own)[own]))
    assert np.mean(found) == pytest.approx(setting.found(10, 120), abs=4 * np.std(found) / 20 + 0.002)


def test_classes_are_even_and_cut_where_students_differ_most() -> None:
    given = values(101, 6, 2)
    given[:, 5] = np.random.default_rng(3).normal(0, 1, 101)
    own = bisected(given, 4)
    assert np.bincount(own).max() - np.bincount(own).min() <= 1
    halves = own >= 2
    assert given[halves, :5].mean() > given[~halves, :5].mean() + 1
    assert (own == bisected(given, 4)).all()


def test_exact_means_tell_who_is_in_them_and_noise_hides_it() -> None:
    given = values(100, 20, 4)
    exact, noisy = (
        max(
            profile_attacks.membership(given, ProfileSetting(classes=2, drawn=0, noise=noise), 1), key=lambda r: r.value
        )
        for noise in (0.0, 8.0)
    )
    assert exact.low is not None and exact.low > 0.6
    assert noisy.high is not None and noisy.high < 0.56


def test_splits_that_judge_are_not_those_that_choose() -> None:
    given, setting = values(40, 4, 5), ProfileSetting(classes=2, drawn=0, noise=1)
    looks = [
        {
            tuple(profile_attacks._traced(given, setting, look * profile_attacks.SPLITS + place).member)
            for place in range(60)
        }
        for look in (0, profile_attacks.CHOOSE, profile_attacks.JUDGE)
    ]
    assert not looks[0] & looks[1] and not looks[1] & looks[2] and not looks[0] & looks[2]


def test_profiles_hold_to_their_limits_and_keep_speeds(opened: ProfileStudy, done: Protected) -> None:
    before = opened.before()
    assert before[0].name == "strongest identification" and before[0].value == 1.0
    risks = opened.attack(done)
    held = {risk.gate: risk for risk in risks if risk.gate}
    assert set(held) == {"found", "membership"}
    assert held["found"].measure == SHARED and held["found"].value == pytest.approx(0.1) and held["found"].holds
    assert held["membership"].bound == "high" and held["membership"].measure == AUC and held["membership"].holds
    audits = [risk for risk in risks if risk.name == "found within 4" and risk.attacker != "own typing"]
    assert {risk.setting["sessions"] for risk in audits} == {"late", "odd and even", "drawn"}
    assert max(risk.value for risk in audits) <= 0.1 + 0.01
    kept = {(one.name, one.setting.get("about")): one.value for one in opened.utility(done)}
    assert kept["mean speed kept", None] > 0.7 and kept["differences in averages kept", "latencies"] > 0.3


def test_one_more_student_in_a_class_is_seen_again_in_the_finished_rows(opened: ProfileStudy, done: Protected) -> None:
    facts = {**done.facts, "gate": "found"}
    (found,) = recheck.recheck(done.table, facts)
    assert found.holds and found.story == next(one.story for one in opened.attack(done) if one.measure == SHARED)
    rows = engine.arrow(done.table)
    told = rows.column("mean latency").to_pylist()
    (changed,) = recheck.recheck(
        engine.listed(rows.set_column(1, "mean latency", pa.array([told[0] + 1, *told[1:]]))), facts
    )
    assert not changed.holds and "1 students at least" in changed.story


def test_other_students_get_other_noise(typed: pa.Table, done: Protected) -> None:
    fewer = typed.filter(pa.array([name != "student-7" for name in typed["student"].to_pylist()]))
    again = study.open(job(typed, LIMIT, publish="profiles")).protect()
    other = study.open(job(fewer, LIMIT, publish="profiles")).protect()
    first, same, without = (np.unique(engine.arrow(one.table)["mean latency"]) for one in (done, again, other))
    assert (first == same).all() and not np.isin(first, without).any()


def test_a_course_has_no_students_and_intervals_that_hold(typed: pa.Table) -> None:
    about = ("latencies", "holds", "corrections")
    opened = study.open(job(typed, LIMIT, publish="course", about=about))
    done = opened.protect()
    rows = engine.arrow(done.table)
    assert done.aggregate and rows.column_names == ["about", "keys", "students", "mean", "low", "high"]
    assert "student" in {name for change in done.changes if change.action == "dropped" for name in change.columns}
    assert [risk.gate for risk in opened.attack(done) if risk.gate] == ["membership"]
    assert isinstance(opened, ProfileStudy)
    true = opened._values.whole.mean(axis=0)
    holds = (rows["low"].to_numpy() <= true) & (true <= rows["high"].to_numpy())
    assert holds.mean() >= 0.9 and set(rows["students"].to_pylist()) == {80}


def test_the_function_keeps_the_promise_of_the_plan(typed: pa.Table) -> None:
    done = sw.keystrokes.average(
        typed.to_pandas(), about=["corrections"], limit=0.1, accept=4, membership=0.6, seed=2, **COLUMNS
    )
    assert len(done.table) == STUDENTS and set(done.table.columns[1:]) == set(done.made)
    assert done.table.groupby(list(done.made)).size().min() >= 40
    with pytest.raises(InputError, match="holds need the column"):
        sw.keystrokes.average(typed, about=["holds"], **{**COLUMNS, "release": None})


def test_profiles_of_a_plan_are_released_and_verified(typed: pa.Table, tmp_path: Path) -> None:
    pq.write_table(typed, tmp_path / "keys.parquet")
    (tmp_path / "plan.toml").write_text(
        '[release]\nname = "rhythms"\naudience = "public"\n[keystrokes.rates]\nfile = "keys.parquet"\n'
        'student = "student"\nsession = "exercise"\nkey = "key"\npress = "press"\nrelease = "release"\n'
        'drop = ["note"]\n'
        'publish = "profiles"\nabout = "corrections"\n'
    )
    outcome = sw.pipeline.release(document.load(tmp_path / "plan.toml"))
    assert outcome.verdict.passed, outcome.verdict.reasons
    rows = pq.read_table(tmp_path / "release" / "data" / "keys.parquet")
    assert rows.num_rows == STUDENTS and not set(rows["student"].to_pylist()) & set(typed["student"].to_pylist())
    assert rows.column_names == ["student", "corrections per 100 keys", "errors per 100 keys"]
    (file,) = outcome.findings.files
    assert file.after[0].value <= 1.5 * 4 / STUDENTS + 1e-9
