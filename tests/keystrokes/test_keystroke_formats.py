"""Snapshots and ProgSnap2 give the same timings as the key events they were made of."""

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharewell import keystrokes
from sharewell.data import formats
from sharewell.data.formats import edits
from sharewell.errors import InputError


def keyed(seed: int, unit: float = 1.0, sessions: int = 4) -> list[tuple[str, str, str, float]]:
    """(student, session, key, time): characters at the cursor, now and then one taken back."""
    generator = np.random.default_rng(seed)
    rows = []
    for student in ("amy", "bo"):
        for session in range(sessions):
            time, typed = 1.7e12 + session * 1e7, 0
            for _ in range(60):
                time += float(generator.integers(5, 900))
                erase = typed > 0 and generator.random() < 0.15
                typed += -1 if erase else 1
                rows.append(
                    (student, f"task{session}", "Backspace" if erase else generator.choice(list("abc(;")), time)
                )
    return [(who, where, key, time * unit) for who, where, key, time in rows]


def snapshots_of(events: list[tuple[str, str, str, float]]) -> list[tuple[str, str, str, float]]:
    texts: dict[tuple[str, str], str] = {}
    rows = []
    for who, where, key, time in events:
        text = texts.get((who, where), "")
        texts[(who, where)] = text[:-1] if key == "Backspace" else text + key
        rows.append((who, where, texts[(who, where)], time))
    return rows


def timing_rows(events: Any, student: str, session: str) -> list[tuple[Any, ...]]:
    frame = keystrokes.timings(events, student=student, session=session, key="key", press="press_ms")
    return sorted(zip(*(frame[name].to_pylist() for name in ("student", "session", "keys", "ms")), strict=True))


def write_csv(path: Path, header: list[str], rows: Sequence[tuple[Any, ...]]) -> Path:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    return path


@pytest.mark.parametrize(("unit", "per_ms"), [("ms", 1.0), ("us", 1e3), ("ns", 1e6)])
def test_digraphs_from_snapshots_are_those_of_the_events(tmp_path: Path, unit: str, per_ms: float) -> None:
    events = keyed(1)
    rows = [(*row[:3], str(int(row[3] * per_ms))) for row in snapshots_of(events)]
    path = write_csv(tmp_path / "snapshots.csv", ["student", "exercise", "code", "timestamp"], rows)
    read = formats.read(path, format="snapshots").table.to_pyarrow()
    who, where, key, time = zip(*events, strict=True)
    direct = pa.table({"student": who, "exercise": where, "key": key, "press_ms": time})
    found, expected = timing_rows(read, "student", "exercise"), timing_rows(direct, "student", "exercise")
    assert [row[:3] for row in found] == [row[:3] for row in expected]
    assert [row[3] for row in found] == pytest.approx([row[3] for row in expected], abs=1e-3)
    assert len(found) > 200


def test_progsnap2_with_a_table_of_code_states(tmp_path: Path) -> None:
    events = keyed(2)
    main, states = [], []
    for number, (who, where, code, time) in enumerate(snapshots_of(events)):
        main.append((str(number), "File.Edit", who, where, str(int(time)), f"c{number}"))
        states.append((f"c{number}", code))
    header = ["EventID", "EventType", "SubjectID", "AssignmentID", "ClientTimestamp", "CodeStateID"]
    path = write_csv(tmp_path / "MainTable.csv", header, main)
    (tmp_path / "CodeStates").mkdir()
    write_csv(tmp_path / "CodeStates" / "CodeStates.csv", ["CodeStateID", "Code"], states)
    read = formats.read(path, format="progsnap2").table.to_pyarrow()
    names = ("SubjectID", "AssignmentID", "key", "press_ms")
    direct = pa.table(dict(zip(names, zip(*events, strict=True), strict=True)))
    assert timing_rows(read, "SubjectID", "AssignmentID") == timing_rows(direct, "SubjectID", "AssignmentID")


def test_progsnap2_with_inserted_and_deleted_text(tmp_path: Path) -> None:
    rows = [
        ("1", "File.Edit", "s", "a", "1000", "x", ""),
        ("2", "Run.Program", "s", "a", "1100", "", ""),
        ("3", "File.Edit", "s", "a", "1200", "y", ""),
        ("4", "File.Edit", "s", "a", "1300", "", "y"),
        ("5", "File.Edit", "s", "a", "1400", "a whole line\nand more", ""),
    ]
    header = ["EventID", "EventType", "SubjectID", "AssignmentID", "ClientTimestamp", "InsertText", "DeleteText"]
    read = formats.read(write_csv(tmp_path / "MainTable.csv", header, rows), format="progsnap2").table.to_pyarrow()
    assert read["key"].to_pylist() == ["x", "y", "Backspace", "Paste"]
    assert read["edit"].to_pylist() == ["typed", "typed", "erased", "paste"]


def test_real_programming_steps(shared_data: Path) -> None:
    read = formats.read(shared_data / "progsnap2_fitech" / "MainTable.csv", format="progsnap2").table.to_pyarrow()
    assert len(set(read["SubjectID"].to_pylist())) == 20
    counts = {edit: read["edit"].to_pylist().count(edit) for edit in set(read["edit"].to_pylist())}
    assert counts["typed"] > 500 and counts["paste"] > 0 and sum(counts.values()) <= 3603


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("pri", "print()", "completion"),
        ("if x", "if x:\n    return the whole of it", "paste"),
        ("f", "f()", "completion"),
        ("abc", "ab", "erased"),
        ("abc def", "abc", "deletion"),
        ("x = ", "x = 3", "typed"),
    ],
)
def test_edits_are_told_apart(before: str, after: str, expected: str) -> None:
    deleted, inserted, place = edits.difference(before, after)
    named = edits.named(deleted, inserted, before[:place])
    assert named is not None and named[0] == expected


@given(st.text("ab", max_size=30), st.text("ab", max_size=30))
def test_a_difference_rebuilds_the_new_text(before: str, after: str) -> None:
    deleted, inserted, place = edits.difference(before, after)
    assert before[:place] + inserted + before[place + len(deleted) :] == after
    assert before[place : place + len(deleted)] == deleted


def test_a_file_without_code_is_named(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "s.csv", ["student", "exercise", "time"], [("a", "b", "1")])
    with pytest.raises(InputError, match="source code"):
        formats.read(path, format="snapshots")
