"""A file that is not held whole: the rows of a student are the same however the others are put into parts."""

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from keystrokes.planted import COLUMNS, job, typists

from sharewell import keystrokes
from sharewell.contract import Risk
from sharewell.data import engine
from sharewell.data.keyed import Keyed
from sharewell.errors import InputError
from sharewell.keystrokes import parts, study
from sharewell.keystrokes.columns import Columns
from sharewell.keystrokes.kind import found_within
from sharewell.keystrokes.protection import in_parts, judging, typed_text
from sharewell.keystrokes.protection.chances import numbers, of_students
from sharewell.keystrokes.protection.draft import KeySetting, Setting
from sharewell.keystrokes.protection.search import KEY_SETTINGS, Choice
from sharewell.keystrokes.section import Limit
from sharewell.keystrokes.splits import WAYS
from sharewell.keystrokes.study_in_parts import StudyInParts, over_parts
from sharewell.release.stated import limit_problems
from sharewell.stats.intervals import wilson
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
def large(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Limits of a large file that a small one is over."""
    monkeypatch.setattr(parts, "LARGE", 100)
    monkeypatch.setattr(parts, "LEAST_STUDENTS", 5)
    monkeypatch.setattr(parts, "STAND_FOR_ALL", EVERYBODY // 3)
    return monkeypatch


def released(typed: pa.Table, **section: Any) -> tuple[pa.Table, pa.Table]:
    opened = study.open(job(typed, Limit(found=0.5, within=2), **section))
    assert isinstance(opened, StudyInParts)
    done = opened.protect()
    rows = engine.arrow(done.table.order_by(["student", *done.order])).drop_columns([done.order[0]])
    return rows, done.private["sessions"].sort_by([("student", "ascending"), ("session", "ascending")])


@pytest.mark.parametrize("keys", KEY_SETTINGS)
def test_one_part_and_many_release_the_same_rows(typed: pa.Table, large: pytest.MonkeyPatch, keys: KeySetting) -> None:
    setting = Setting(keys=keys, classes=2, stray=0.3)
    large.setattr(in_parts, "chosen", lambda search: Choice(setting=setting))
    found = []
    for size in (EVERYBODY, EVERYBODY // 5, SESSIONS * KEYS):
        large.setattr(parts, "IN_A_PART", size)
        found.append(released(typed))
    (rows, sessions), *others = found
    assert all(rows.equals(one) and sessions.equals(other) for one, other in others)
    assert set(rows["student"].to_pylist()) == set(typed["student"].to_pylist())
    assert (rows.num_rows == typed.num_rows) or keys.any_size


def test_a_part_holds_its_students_with_all_of_their_events(typed: pa.Table, large: pytest.MonkeyPatch) -> None:
    large.setattr(parts, "IN_A_PART", EVERYBODY // 5)
    work = job(typed, Limit(found=0.5, within=2))
    students = parts.roster(work.source, "student", work.keyed)
    made = parts.parted(work.source, "student", students)
    held = [set(engine.arrow(made.table(part))["student"].to_pylist()) for part in range(students.parts)]
    assert students.parts > 3 and sum(map(len, held)) == STUDENTS == len(set.union(*held))
    assert sum(engine.value(made.table(part).count()) for part in range(students.parts)) == typed.num_rows
    other = parts.roster(work.source, "student", job(typed, Limit(found=0.5), key=b"l" * 32).keyed)
    assert not np.array_equal(students.part, other.part)  # only the key knows who stands for all


def test_a_call_gives_rows_back_as_they_stood(typed: pa.Table, large: pytest.MonkeyPatch) -> None:
    large.setattr(in_parts, "chosen", lambda search: Choice(setting=Setting(keys=KeySetting(), classes=2, stray=0.3)))
    large.setattr(parts, "IN_A_PART", EVERYBODY // 5)
    done = keystrokes.protect(typed, limit=0.5, accept=2, seed=1, **COLUMNS)
    assert done.table.column_names == typed.column_names
    same = ["student", "exercise", "key", "note"]
    assert done.table.select(same).equals(typed.select(same)) and not done.table["press"].equals(typed["press"])


def test_a_missing_student_is_told_before_parts_are_made(typed: pa.Table, large: pytest.MonkeyPatch) -> None:
    nobody = pa.array([None, *typed["student"].to_pylist()[1:]], pa.string())
    with pytest.raises(InputError, match="the student is missing"):
        keystrokes.protect(typed.set_column(0, "student", nobody), limit=0.5, accept=2, seed=1, **COLUMNS)


def test_nothing_of_another_student_s_chance_is_in_a_draw() -> None:
    keyed = Keyed(b"k" * 32, "test")
    few, many = (of_students(keyed, "release", names) for names in (["bo"], ["ann", "bo", "cy"]))
    assert np.array_equal(
        numbers(few, np.zeros(5, dtype=int), 3), numbers(many, np.repeat([0, 1, 2], [2, 5, 4]), 3)[2:7]
    )


def test_the_finished_rows_are_attacked_part_by_part(large: pytest.MonkeyPatch) -> None:
    """All four questions, with the setting that the students of the first part chose."""
    table = typists(60, sessions=4, keys=40)
    large.setattr(parts, "STAND_FOR_ALL", table.num_rows // 3)
    large.setattr(parts, "IN_A_PART", table.num_rows // 3)
    opened = study.open(job(table, Limit(found=0.6, within=1)))
    assert isinstance(opened, StudyInParts) and opened.roster.parts == 3
    before = opened.before()
    assert before[0].name == "strongest identification" and before[0].value > 0.9
    done = opened.protect()
    risks = opened.attack(done)
    held, givers, later = [risk for risk in risks if risk.gate]
    parted = {one.attacker: one.setting["parts"] for one in risks[3:]}
    assert parted["likelihood"] == parted["sessions"] == 2 and parted["forest"] == 1
    assert held.value == max(one.value for one in risks[3:] if one.setting.get("within") and one.attacker != "sessions")
    assert held.name == "strongest identification" and held.limit == 0.6 and held.setting["parts"] <= 2
    assert held.value < before[0].value and givers.bound == later.bound == "low"
    kept = {one.name: one for one in opened.utility(done)}
    assert kept["mean speed kept"].setting["students drawn"] == opened.roster.students(1)
    assert set(done.private["speeds"]["student"].to_pylist()) == set(table["student"].to_pylist())
    assert done.curve is not None and "3 parts" in done.curve.note


def test_the_way_is_chosen_by_a_list_that_holds_the_share_of_students_that_the_gate_s_list_holds(
    typed: pa.Table, large: pytest.MonkeyPatch
) -> None:
    """Else half as many are found among twice as many students, and what was chosen is refused."""
    large.setattr(parts, "STAND_FOR_ALL", EVERYBODY // 2)
    large.setattr(parts, "IN_A_PART", EVERYBODY // 4)
    opened = study.open(job(typed, Limit(found=0.5, within=2)))
    assert isinstance(opened, StudyInParts) and opened.roster.parts == 3
    first, *others = (opened.roster.students(part) for part in range(3))
    (within, _), (request, _) = opened._bound, opened._request
    same_share = within * first / min(others)
    assert first > 1.5 * min(others) and same_share <= request.goal.within < same_share + 1


def test_a_limit_in_multiples_of_chance_is_one_of_the_chance_that_is_told(
    typed: pa.Table, large: pytest.MonkeyPatch
) -> None:
    """Parts differ in size, and whoever verifies a release works the limit out from the chance told with it."""
    names = typed["student"].to_pylist()
    few = set(sorted(set(names))[::2])  # half of them typed half as much
    halved = typed.filter([not (who in few and place % 2) for place, who in enumerate(names)])
    large.setattr(in_parts, "chosen", lambda search: Choice(setting=Setting(keys=KeySetting(), classes=2, stray=0.3)))
    large.setattr(parts, "IN_A_PART", EVERYBODY // 5)
    opened = study.open(job(halved, Limit(times_chance=1.5, within=2)))
    assert isinstance(opened, StudyInParts)
    risks = opened.attack(opened.protect())
    sizes = {opened.roster.students(part) for part in range(opened.roster.parts)}
    held = [risk for risk in risks if risk.gate == "times_chance"]
    assert len(held) == 3 and len(sizes) > 1
    assert list(limit_problems("typing", risks, {"times_chance": 1.5})) == []
    assert all(risk.limit is not None and risk.limit < 1 for risk in held)
    assert {one.setting["parts"] for one in risks[3:] if one.attacker == "likelihood"} == {len(opened._judged)}


def test_workers_are_sent_no_key_but_their_own(typed: pa.Table, large: pytest.MonkeyPatch) -> None:
    setting = Setting(keys=KeySetting(exchanged=0.5), classes=2, stray=0.3)
    large.setattr(in_parts, "chosen", lambda search: Choice(setting=setting))
    large.setattr(parts, "IN_A_PART", EVERYBODY // 5)
    sent: list[bytes] = []

    class Sending(type(engine.DUCKDB)):  # type: ignore[misc]
        def each(self, work: Any, tasks: Any, like: pa.Schema) -> Any:
            sent.append(pickle.dumps((work, list(tasks))))
            taken_up, given = pickle.loads(sent[-1])
            return super().each(taken_up, given, like)

    by_hand = released(typed)
    large.setattr(engine, "workers", Sending)
    opened = study.open(job(typed, Limit(found=0.5, within=2)))
    assert isinstance(opened, StudyInParts)
    done = opened.protect()
    assert opened.seen(done, [1]).found({1: judging.without_slow([2])})[1]
    assert len(sent) == 3 and released(typed)[0].equals(by_hand[0])
    assert not any(b"k" * 32 in one for one in sent)


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
            table, Columns(**COLUMNS), lambda texts: redact_texts(texts, ["Margaret"])
        )
        found.append((engine.arrow(made), gone))
    assert found[0][1] > 0 and all(one == found[0] for one in found)


def test_ways_of_parting_sessions_do_not_count_as_further_students() -> None:
    one = Risk(measure=found_within(1), attacker="likelihood", value=0.2, n=50, low=0.1, high=0.3, seed=0)
    parted = [[replace(one, setting={"within": 1, "sessions": way}) for way in WAYS] for _ in range(2)]
    (told,) = over_parts(parted)
    assert told.setting == {"within": 1, "parts": 2} and (told.low, told.high) == wilson(20, 100)
    sessions = replace(one, attacker="sessions", value=0.9, setting={"within": 1, "held to the limit": "no"})
    assert judging.strongest([told, sessions], 1) is told


def found_among(students: int, share: float) -> list[Risk]:
    """What one attack finds on a list of two in a part of so many students, by each way of parting sessions."""
    low, high = wilson(share * students, students)
    one = Risk(measure=found_within(2), attacker="likelihood", value=share, low=low, high=high, n=students)
    setting = {"within": 2, "candidates": students}
    return [replace(one, chance=2 / students, setting={**setting, "sessions": way}) for way in WAYS]


def test_parts_of_unequal_sizes_are_averaged_and_held_to_the_chance_of_the_largest() -> None:
    """A small part, where more are found by guessing, hides no larger one that misses its limit."""
    (told,) = over_parts([found_among(40, 0.075), found_among(80, 0.0625)])
    assert told.setting == {"within": 2, "candidates": 80, "parts": 2} and told.chance == 2 / 80
    assert told.value == pytest.approx((0.075 + 0.0625) / 2) and told.n == 60
    assert told.low is not None and told.low <= wilson(told.value * 120, 120)[0]
