"""Students in partitions: what they are follows from data and key, and each is protected as a file of its own."""

import pickle
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from keystrokes.planted import COLUMNS, job, typists

from sharewell import keystrokes
from sharewell.data import engine
from sharewell.errors import InputError
from sharewell.keystrokes import partitions, study
from sharewell.keystrokes.columns import KeyColumns
from sharewell.keystrokes.protection import release, typed_text
from sharewell.keystrokes.protection.draft import KeySetting, Setting
from sharewell.keystrokes.protection.search import KEY_SETTINGS, Choice
from sharewell.keystrokes.section import Limit
from sharewell.release.stated import limit_problems
from sharewell.text.redact import redact_texts

STUDENTS, SESSIONS, KEYS = 30, 4, 24
EVERYBODY = STUDENTS * SESSIONS * KEYS


@pytest.fixture(scope="module")
def typed() -> pa.Table:
    """Typists with digits that few type, and a column that differs from event to event."""
    table = typists(STUDENTS, sessions=SESSIONS, keys=KEYS)
    generator = np.random.default_rng(8)
    keys = np.array(table["key"].to_pylist(), dtype=object)
    keys[generator.random(len(keys)) < 0.05] = "7"
    keys[generator.random(len(keys)) < 0.002] = "F7"
    places = [f"place {one}" for one in range(len(keys))]
    table = table.set_column(2, "key", pa.array(keys.tolist())).set_column(5, "note", pa.array(places))
    return table.take(generator.permutation(len(keys)))  # sessions torn apart


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Partitions of a fifth of these events, whose setting is not looked for."""
    monkeypatch.setattr(partitions, "LEAST_STUDENTS", 5)
    monkeypatch.setattr(partitions, "MOST_EVENTS", EVERYBODY // 5)
    setting = Setting(keys=KeySetting(), classes=2, stray=0.3)
    monkeypatch.setattr(release, "chosen", lambda search: Choice(setting=setting))
    return monkeypatch


def released(typed: pa.Table) -> tuple[pa.Table, pa.Table]:
    opened = study.open(job(typed, Limit(found=0.5, within=2)))
    assert opened.roster.partitions == 5
    done = opened.protect()
    rows = engine.arrow(done.table.order_by(["student", *done.order])).drop_columns([done.order[0]])
    return rows, done.private["sessions"].sort_by([("student", "ascending"), ("session", "ascending")])


class Backwards(type(engine.DUCKDB)):  # type: ignore[misc]
    """Workers who are done in another order."""

    def each(self, work: Any, tasks: Any, like: pa.Schema) -> Any:
        return super().each(work, list(tasks)[::-1], like)


@pytest.mark.parametrize("keys", KEY_SETTINGS)
def test_the_same_rows_whichever_worker_is_first(typed: pa.Table, small: pytest.MonkeyPatch, keys: KeySetting) -> None:
    small.setattr(release, "chosen", lambda search: Choice(setting=Setting(keys=keys, classes=2, stray=0.3)))
    rows, sessions = released(typed)
    small.setattr(engine, "workers", Backwards)
    again, names = released(typed)
    assert rows.equals(again) and sessions.equals(names)
    assert rows.num_rows == typed.num_rows
    if keys.any_size or keys.as_typed:  # every event once; sessions of about the same size are cut to fit
        assert sorted(rows["note"].to_pylist()) == sorted(typed["note"].to_pylist())
    counts = [pa.table({"student": one["student"]}).group_by("student").aggregate([]).num_rows for one in (rows, typed)]
    assert counts == [STUDENTS, STUDENTS] and sessions.num_rows == STUDENTS * SESSIONS


def test_a_partition_has_its_students_with_all_of_their_events(typed: pa.Table, small: pytest.MonkeyPatch) -> None:
    work = job(typed, Limit(found=0.5, within=2))
    students = partitions.roster(work.source, "student", work.keyed)
    made = partitions.partitioned(work.source, "student", students)
    apart = [set(engine.arrow(made.table(one))["student"].to_pylist()) for one in range(students.partitions)]
    assert students.partitions == 5 and sum(map(len, apart)) == STUDENTS == len(set.union(*apart))
    assert sum(engine.value(made.table(one).count()) for one in range(students.partitions)) == typed.num_rows
    shuffled = job(typed.take(np.random.default_rng(1).permutation(typed.num_rows)), Limit(found=0.5)).source
    assert np.array_equal(partitions.roster(shuffled, "student", work.keyed).partition, students.partition)
    other = partitions.roster(work.source, "student", job(typed, Limit(found=0.5), key=b"l" * 32).keyed)
    assert not np.array_equal(students.partition, other.partition)  # only the key knows who is where


def test_no_partition_has_too_few_students_to_hide_among(typed: pa.Table, monkeypatch: pytest.MonkeyPatch) -> None:
    work = job(typed, Limit(found=0.5, within=2))
    monkeypatch.setattr(partitions, "MOST_EVENTS", 100)
    assert partitions.roster(work.source, "student", work.keyed).partitions == 1  # however much they typed
    monkeypatch.setattr(partitions, "LEAST_STUDENTS", 10)
    assert partitions.roster(work.source, "student", work.keyed).sizes.tolist() == [10, 10, 10]


def test_a_call_gives_rows_back_as_they_stood(typed: pa.Table, small: pytest.MonkeyPatch) -> None:
    done = keystrokes.protect(typed, limit=0.5, accept=2, seed=1, **COLUMNS)
    assert done.table.column_names == typed.column_names
    same = ["student", "exercise", "key", "note"]
    assert done.table.select(same).equals(typed.select(same)) and not done.table["press"].equals(typed["press"])


def test_a_missing_student_is_told_before_partitions_are_made(typed: pa.Table, small: pytest.MonkeyPatch) -> None:
    nobody = pa.array([None, *typed["student"].to_pylist()[1:]], pa.string())
    with pytest.raises(InputError, match="the student is missing"):
        keystrokes.protect(typed.set_column(0, "student", nobody), limit=0.5, accept=2, seed=1, **COLUMNS)


def test_a_setting_is_chosen_on_one_partition_and_judged_on_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """All four questions, the sample stated."""
    table = typists(60, sessions=4, keys=40)
    monkeypatch.setattr(partitions, "LEAST_STUDENTS", 5)
    monkeypatch.setattr(partitions, "MOST_EVENTS", table.num_rows // 3)
    opened = study.open(job(table, Limit(found=0.6, within=1)))
    assert isinstance(opened, study.KeystrokeStudy)
    assert opened.roster.partitions == 3 and opened._judged == range(1, 3)
    before = opened.before()
    assert before[0].name == "strongest identification" and before[0].value > 0.9
    done = opened.protect()
    risks = opened.attack(done)
    gated, later = [risk for risk in risks if risk.gate]
    means = [one for one in risks if "draws" in one.setting and "versions" not in one.setting]
    assert gated.high == max(one.high or 0.0 for one in means)
    assert gated.name == "strongest identification" and gated.limit == 0.6 and gated.value < before[0].value
    assert later.bound == gated.bound == "high" and gated.setting["draws"] > 2
    kept = {one.name: one for one in opened.utility(done)}
    size = int(opened.roster.sizes[1])
    assert kept["mean speed kept"].setting["students drawn"] == gated.setting["students drawn"] == size
    assert set(done.private["speeds"]["student"].to_pylist()) == set(table["student"].to_pylist())
    assert done.curve is not None and "3 partitions" in done.curve.note


def test_a_limit_in_multiples_of_chance_is_one_of_the_chance_that_is_told(
    typed: pa.Table, small: pytest.MonkeyPatch
) -> None:
    """Partitions differ in size, and whoever verifies a release works the limit out from the chance told with it."""
    names = typed["student"].to_pylist()
    few = set(sorted(set(names))[::2])  # half of them typed half as much
    halved = typed.filter([not (who in few and place % 2) for place, who in enumerate(names)])
    opened = study.open(job(halved, Limit(times_chance=1.5, within=2)))
    assert len(set(opened.roster.sizes.tolist())) > 1
    risks = opened.attack(opened.protect())
    gated = [risk for risk in risks if risk.gate == "times_chance"]
    assert len(gated) == 2 and list(limit_problems("typing", risks, {"times_chance": 1.5})) == []
    assert all(risk.limit is not None and risk.limit < 1 for risk in gated)


def test_workers_are_sent_no_key_but_their_own(typed: pa.Table, small: pytest.MonkeyPatch) -> None:
    setting = Setting(keys=KeySetting(exchanged=0.5), classes=2, stray=0.3)
    small.setattr(release, "chosen", lambda search: Choice(setting=setting))
    sent: list[bytes] = []

    class Sending(type(engine.DUCKDB)):  # type: ignore[misc]
        def each(self, work: Any, tasks: Any, like: pa.Schema) -> Any:
            sent.append(pickle.dumps((work, list(tasks))))
            taken_up, given = pickle.loads(sent[-1])
            return super().each(taken_up, given, like)

    by_hand = released(typed)
    small.setattr(engine, "workers", Sending)
    assert released(typed)[0].equals(by_hand[0])
    assert len(sent) == 2 and not any(b"k" * 32 in one for one in sent)


def test_names_are_found_however_many_rows_come_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    typed = "".join("my name is Margaret and I like it " for _ in range(4))
    rows = {"student": [], "exercise": [], "key": [], "press": [], "release": []}  # type: ignore[var-annotated]
    for session in range(5):
        for place, key in enumerate(typed[: 60 + 7 * session]):
            for name, cell in zip(rows, (f"u{session % 2}", f"t{session}", key, place, place + 1), strict=True):
                rows[name].append(cell)
    table, found = engine.table(pa.table(rows)), []
    monkeypatch.setattr(typed_text, "AT_ONCE", 2)
    for size in (typed_text.ROWS, 64, 7):
        monkeypatch.setattr(typed_text, "ROWS", size)
        made, gone = typed_text.without_names(
            table, KeyColumns(**COLUMNS), lambda texts: redact_texts(texts, ["Margaret"])
        )
        found.append((engine.arrow(made), gone))
    assert found[0][1] > 0 and all(one == found[0] for one in found)
