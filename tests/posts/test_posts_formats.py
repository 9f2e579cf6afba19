"""Forum exports of Moodle and folders of essays."""

import json
from pathlib import Path

import pytest

from sharewell.data import engine, formats
from sharewell.errors import InputError

ROWS = [
    {
        "id": 1,
        "discussion": 4,
        "userid": 7,
        "userfullname": "A B",
        "subject": "Hi",
        "message": "<p>Hello Maria</p>",
        "parent": 0,
    },
    {
        "id": 2,
        "discussion": 4,
        "userid": 8,
        "userfullname": "C D",
        "subject": "Re: Hi",
        "message": '<p>ä, "q"</p>\n',
        "parent": 1,
    },
]


@pytest.mark.parametrize("nested", [False, True])
def test_moodle_json_keeps_its_rows(tmp_path: Path, nested: bool) -> None:
    file = tmp_path / "forum.json"
    file.write_text(json.dumps([ROWS] if nested else ROWS))
    source = formats.read(file, format="moodle_forum")
    assert engine.arrow(source.table)["message"].to_pylist() == [row["message"] for row in ROWS]
    formats.write(source.table, tmp_path / "out.json", source)
    again = formats.read(tmp_path / "out.json", format="moodle_forum")
    assert engine.arrow(again.table).equals(engine.arrow(source.table))


def test_moodle_csv(tmp_path: Path) -> None:
    file = tmp_path / "forum.csv"
    file.write_text('id,userid,subject,message\n1,7,Hi,"<p>Hello, Maria</p>"\n')
    source = formats.read(file, format="moodle_forum")
    assert engine.arrow(source.table)["message"].to_pylist() == ["<p>Hello, Maria</p>"]


@pytest.mark.parametrize("content", ["{", "[]", '{"a": 1}', '[{"id": 1}]'])
def test_what_is_no_export_is_refused(tmp_path: Path, content: str) -> None:
    file = tmp_path / "forum.json"
    file.write_text(content)
    with pytest.raises(InputError, match=r"forum\.json"):
        formats.read(file, format="moodle_forum")


def test_essays_are_a_folder_of_texts(tmp_path: Path) -> None:
    folder = tmp_path / "essays"
    folder.mkdir()
    (folder / "s2.txt").write_bytes(b"Zweiter\r\n\r\nText\n")
    (folder / "s1.txt").write_bytes("\ufeffÄpfel".encode())
    (folder / "notes.md").write_text("not an essay")
    source = formats.read(folder, format="essays")
    table = engine.arrow(source.table)
    assert table.to_pydict() == {"file": ["s1", "s2"], "text": ["Äpfel", "Zweiter\r\n\r\nText\n"]}
    formats.write(source.table, tmp_path / "out", source)
    assert (tmp_path / "out" / "s2.txt").read_bytes() == b"Zweiter\r\n\r\nText\n"


def test_a_folder_without_essays_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no \.txt files"):
        formats.read(tmp_path, format="essays")
    with pytest.raises(InputError, match="no such folder"):
        formats.read(tmp_path / "nowhere", format="essays")
