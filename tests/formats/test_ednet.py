"""EdNet: a folder with one file per user, in and out."""

from pathlib import Path

import pytest

from sharewell.data import engine
from sharewell.data.formats import read, write
from sharewell.data.formats.columns import moment
from sharewell.errors import InputError


def test_in_and_out(tmp_path: Path) -> None:
    folder = tmp_path / "KT4"
    folder.mkdir()
    (folder / "u1.csv").write_text(
        "timestamp,action_type,item_id\n1565096151269,enter,b3544\n1565096187972,respond,q1\n"
    )
    (folder / "u2.csv").write_text("timestamp,action_type,item_id\n1565096151000,enter,\n")
    source = read(folder, format="ednet")
    rows = engine.arrow(source.table.order_by(["user", "timestamp"])).to_pylist()
    assert [row["user"] for row in rows] == ["u1", "u1", "u2"]
    assert rows[2]["item_id"] is None
    table = source.table.mutate(timestamp=moment(source.table, "timestamp").truncate("s"))
    write(table, tmp_path / "out", source)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["u1.csv", "u2.csv"]
    again = read(tmp_path / "out", format="ednet").table
    assert engine.arrow(again.order_by(["user", "timestamp"]))["timestamp"].to_pylist()[0] == "1565096151000"


def test_a_folder_without_files_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="one CSV file per user"):
        read(tmp_path, format="ednet")
