"""Keys: classes, own words, exchange, pasted text; and the attacks that look at keys and texts."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from keystrokes.planted import COLUMNS, job, material_of, typists, with_class_keys

from sharewell.data import engine
from sharewell.keystrokes import splits, study
from sharewell.keystrokes.arrays import TypedEvents, session_starts
from sharewell.keystrokes.columns import KeyColumns
from sharewell.keystrokes.eventlog import load
from sharewell.keystrokes.keygroups import CLASSES, is_key_name, key_classes, key_kinds
from sharewell.keystrokes.measure.known_text import known_text, known_texts
from sharewell.keystrokes.measure.measuring import Attackers, measure
from sharewell.keystrokes.protection import draft, exchanged_sessions, search
from sharewell.keystrokes.protection.rare_keys import (
    class_keys_of,
    common_keys,
    common_words,
    shapes_of_own_words,
    without_rare_keys,
)
from sharewell.keystrokes.protection.session_names import free_stem, renumbered
from sharewell.keystrokes.protection.typed_text import without_pastes
from sharewell.keystrokes.section import Limit
from sharewell.keystrokes.texts import final_texts


@pytest.fixture(autouse=True)
def few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """What becomes of keys has nothing to do with how surely a speed is judged."""
    for name in ("LEAST_DRAWS", "MOST_DRAWS"):
        monkeypatch.setattr(search, name, 1)


def typing_of(sessions: list[tuple[int, list[str]]]) -> TypedEvents:
    """Sessions by student, each a list of keys."""
    keys = np.unique([key for _, typed in sessions for key in typed])
    sizes = [len(typed) for _, typed in sessions]
    events = sum(sizes)
    return TypedEvents(
        student=np.repeat([who for who, _ in sessions], sizes),
        session=np.repeat(np.arange(len(sizes)), sizes),
        key=np.searchsorted(keys, [key for _, typed in sessions for key in typed]),
        latency=np.where(np.append(np.diff(np.repeat(np.arange(len(sizes)), sizes)), 1) > 0, np.nan, 100.0),
        hold=np.full(events, 60.0),
        keys=keys,
        kinds=key_kinds(keys),
    )


def test_every_key_has_a_class() -> None:
    keys = ["q", "7", " ", ";", "Backspace", "ShiftLeft", "Enter", "ArrowUp", "AudioVolumeUp", "[REDACTED]"]
    assert [CLASSES[one] for one in key_classes(keys)] == list(CLASSES)
    codes = ["65", "50", "32", "188", "8", "16", "13", "37", "255", "0"]
    assert [CLASSES[one] for one in key_classes(codes)] == list(CLASSES)


@pytest.mark.parametrize(
    ("cell", "key"),
    [("Backspace", True), ("Ctrl+v", True), ("Shift+ArrowLeft", True), ("F5", True), ("KeyA", True), ("Paste", True),
     ("+", True), ("ann@example.org", False), ("+44 20 7946 0000", False), ("https://a.org", False), ("Ann", False),
     ("a+b", False), ("1-2-3", False), ("123456", False)],
)  # fmt: skip
def test_names_of_keys_are_told_from_text(cell: str, key: bool) -> None:
    assert is_key_name(cell) is key


PASTED = ["ann@example.org", "+44 20 7946 0000", "https://a.org/x", "my whole answer\nin two lines", "ab"]


@pytest.mark.parametrize("text", PASTED)
def test_pasted_text_never_leaves(text: str) -> None:
    table = typists(20, sessions=4, keys=20, seed=1)
    keys = table["key"].to_pylist()
    for place in (3, 100, 400, 401, 700):
        keys[place] = text
    table = table.set_column(table.column_names.index("key"), "key", pa.array(keys))
    done = study.open(job(table, Limit(found=1.0, within=1))).protect()
    assert text not in set(engine.arrow(done.table)["key"].to_pylist())
    (told,) = [one for one in done.changes if "instead of a key" in one.what]
    assert told.cells == 5 and text not in str(done.changes)


def test_pasted_numbers_among_key_codes_are_text() -> None:
    table = engine.table(pa.table({"key": [65, 66, 8, 447946000000]}))
    clean, count = without_pastes(table, "key")
    assert count == 1 and engine.arrow(clean)["key"].to_pylist() == [65, 66, 8, 0]
    accents, none = without_pastes(engine.table(pa.table({"key": ["é", "e\u0301", "👍🏽", "Dead", None]})), "key")
    assert none == 0 and engine.arrow(accents).num_rows == 5


def test_rare_keys_and_own_words_become_their_class() -> None:
    sessions = [(who, [*"the cat", "Enter"]) for who in range(6)]
    sessions.append((6, [*"the zebra", "LaunchMail"]))
    typing = with_class_keys(typing_of(sessions))
    stands = class_keys_of(typing.keys)
    common = without_rare_keys(typing, stands, common_keys(typing))
    shaped = shapes_of_own_words(typing, common, stands, common_words(typing, common))
    last = typing.keys[shaped[typing.session == 6]].tolist()
    assert last == [*"the aaaaa", "Unidentified"]
    assert typing.keys[shaped[typing.session == 0]].tolist() == [*"the cat", "Enter"]


@given(st.integers(0, 10_000))
def test_exchanged_keys_are_another_students(seed: int) -> None:
    generator = np.random.default_rng(seed)
    sizes = generator.integers(1, 40, 24)
    session, student = np.repeat(np.arange(24), sizes), np.repeat(np.arange(24) // 4, sizes)
    chosen = generator.random(24) < 0.7
    giver = exchanged_sessions.same_sizes(student, session, chosen, generator.random((24, exchanged_sessions.TRIES)))
    assert len(giver) == len(session)
    moved = chosen[session]
    assert (giver[~moved] == np.flatnonzero(~moved)).all()
    starts = session_starts(session)
    for one in np.flatnonzero(chosen):
        part = giver[starts[one] : starts[one + 1]]
        assert part[0] in starts  # from the beginning of a session
    assert (student[giver[moved]] != student[moved]).mean() > 0.9 if moved.any() else True


@given(st.integers(0, 10_000))
def test_whole_sessions_change_places(seed: int) -> None:
    generator = np.random.default_rng(seed)
    sizes = generator.integers(1, 40, 24)
    session, student = np.repeat(np.arange(24), sizes), np.repeat(np.arange(24) // 4, sizes)
    place, giver = exchanged_sessions.whole_sessions(student, session, generator.random(24))
    assert sorted(giver.tolist()) == list(range(len(session)))  # every event once
    starts = session_starts(session)
    assert (student[giver] != student[starts[place]]).all()
    assert (np.diff(giver)[np.diff(place) == 0] == 1).all()  # in the order in which they were typed


def test_sessions_get_the_same_keys_in_a_next_version_unless_one_between_them_left() -> None:
    """Drawn anew, keys of many sessions would come to each pseudonym over several versions."""
    generator = np.random.default_rng(5)
    student, session, chance = np.arange(400) // 4, np.arange(400), generator.random(400)
    _, giver = exchanged_sessions.whole_sessions(student, session, chance)
    stay = np.flatnonzero(student >= 10)
    _, later = exchanged_sessions.whole_sessions(student[stay] - 10, np.arange(len(stay)), chance[stay])
    same = giver[stay] == stay[later]
    assert same.mean() > 0.8  # a tenth of all sessions left
    assert np.isin(giver[stay][~same], np.flatnonzero(student < 10)).mean() > 0.5


def test_new_names_are_never_old_ones() -> None:
    names = renumbered(np.array([0, 0, 1, 1]), np.random.default_rng(0).random(4), free_stem(["s1", "s_2", "x"], 2))
    assert set(names) == {"s__1", "s__2"}


def test_final_texts_apply_corrections() -> None:
    typing = typing_of([(0, [*"helo", "Backspace", *"lo"]), (0, ["Shift", "A", " ", "b"])])
    assert final_texts(typing, 100) == ["hello", "a b"]


def test_known_text_and_key_habits_are_found_raw_and_lost_when_exchanged() -> None:
    generator = np.random.default_rng(1)
    words = ["".join(generator.choice(list("abcdefgh"), 5)) for _ in range(60)]
    sessions = []
    for who in range(60):
        slips = generator.beta(1, 3)
        for _ in range(8):
            text = " ".join(generator.choice(words, 8))
            keys = [key for one in text for key in ([one, "Backspace", one] if generator.random() < slips else [one])]
            sessions.append((who, keys))
    typing, names = typing_of(sessions), np.array([f"p{who:02}" for who in range(60)])
    odd = np.arange(len(sessions)) % 2 == 1
    attackers = Attackers(within=[3], seed=0, attacks=["keys"], fused=False)
    known = known_texts(typing, 0)
    source = material_of(typing, 60)
    setting = draft.KeySetting(exchanged=1.0, any_size=True)  # sizes alone tell who slips often
    fresh = draft.draw_keys(source, setting, np.random.default_rng(2)).typing
    habits = [measure(None, splits.halves(one, names, odd), attackers)[0].value for one in (typing, fresh)]
    texts = [{one.setting["form"]: one.value for one in known_text(known, keys, attackers)} for keys in (typing, fresh)]
    assert habits[0] > 0.2 and habits[1] < 0.15
    assert texts[0]["letters"] > 0.99 and texts[1]["letters"] < 0.15 and texts[1]["shape"] < 0.15


def test_columns_of_single_events_go_with_the_keys() -> None:
    table = typists(20, sessions=4, keys=20, seed=1)
    keys = table["key"].to_pylist()
    marks = [f"{key}!" for key in keys]
    table = table.append_column("mark", pa.array(marks)).append_column("course", table["exercise"])
    work = job(table, Limit(found=0.06, within=1))
    done = study.open(work).protect()
    after = engine.arrow(done.table)
    if done.facts["exchanged"] == 1.0:
        pairs = list(zip(after["key"].to_pylist(), after["mark"].to_pylist(), strict=True))
        assert all(mark == f"{key}!" or key == "a" for key, mark in pairs)  # an own word is its shape
    named = {(row["student"], row["released_as"]): row["session"] for row in done.private["sessions"].to_pylist()}
    rows = after.select(["student", "exercise", "course"]).to_pylist()
    assert all(named[row["student"], row["exercise"]] == row["course"] for row in rows)


def test_the_loaded_release_is_what_was_written() -> None:
    table = typists(20, sessions=4, keys=20, seed=1)
    opened = study.open(job(table, Limit(found=1.0, within=1)))
    assert isinstance(opened, study.KeystrokeStudy)
    done = opened.protect()
    released = opened._released(done)
    assert released.sessions.tolist() == load(engine.table(table), KeyColumns(**COLUMNS)).sessions.tolist()
