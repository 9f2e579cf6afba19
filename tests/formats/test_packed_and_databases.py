"""Workbooks, database files and packed files: what comes in goes out the same way, what is wrong gets a sentence."""

import bz2
import lzma
import sqlite3
import zipfile
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from openpyxl import Workbook, load_workbook

from sharewell.data import engine, formats
from sharewell.errors import InputError
from sharewell.plan.sizes import Sizes

ROWS = [{"student": "007", "mark": "7.5"}, {"student": "Zoë", "mark": None}]
CSV = "student,mark\n007,7.5\nZoë,\n"


def rows_of(path: Path, **options: Any) -> list[dict[str, object]]:
    return list(engine.arrow(formats.read(path, **options).table).to_pylist())


def packed(folder: Path, ending: str) -> Path:
    path = folder / f"marks.csv.{ending}"
    if ending == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("marks.csv", CSV)
    else:
        path.write_bytes({"bz2": bz2, "xz": lzma}[ending].compress(CSV.encode()))
    return path


@pytest.mark.parametrize("ending", ["bz2", "xz", "zip"])
def test_packed_text_is_read_and_written_packed(ending: str, tmp_path: Path) -> None:
    source = formats.read(packed(tmp_path, ending))
    assert list(engine.arrow(source.table).to_pylist()) == ROWS
    copies = [tmp_path / name / f"marks.csv.{ending}" for name in ("one", "two")]
    for copy in copies:
        copy.parent.mkdir()
        formats.write(source.table, copy, source)
    assert rows_of(copies[0]) == ROWS
    assert copies[0].read_bytes() == copies[1].read_bytes()
    assert [path.name for path in copies[0].parent.iterdir()] == [f"marks.csv.{ending}"]


@pytest.mark.parametrize("ending", ["bz2", "xz", "zip"])
def test_a_cut_off_packed_file_gets_a_sentence(ending: str, tmp_path: Path) -> None:
    path = packed(tmp_path, ending)
    path.write_bytes(path.read_bytes()[:-12])
    with pytest.raises(InputError, match="is not a complete"):
        rows_of(path)


def test_an_archive_of_two_files_is_refused(tmp_path: Path) -> None:
    path = packed(tmp_path, "zip")
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("more.csv", CSV)
    with pytest.raises(InputError, match="holds 2 files; expected one"):
        rows_of(path)


@pytest.fixture
def workbook(tmp_path: Path) -> Path:
    book = Workbook()
    first = book.active
    assert first is not None
    first.title = "Marks"
    for row in (["student", "mark", None], ["007", 7.5, None], ["Zoë", None, None], [None, None, None]):
        first.append(row)
    more = book.create_sheet("Roster")
    more.append(["id", "joined", "age"])
    from datetime import datetime

    more.append(["a", datetime(2024, 3, 1), 20.0])
    book.save(tmp_path / "book.xlsx")
    return tmp_path / "book.xlsx"


def test_the_first_or_the_named_sheet_is_read(workbook: Path) -> None:
    assert rows_of(workbook) == ROWS
    assert rows_of(workbook, table="Roster") == [{"id": "a", "joined": "2024-03-01", "age": "20"}]


def test_a_workbook_is_written_as_text_and_always_in_the_same_bytes(workbook: Path, tmp_path: Path) -> None:
    source = formats.read(workbook)
    table = pa.table({"student": ["=1+1", "007"], "mark": ["2", None]})
    outs = [tmp_path / "one.xlsx", tmp_path / "two.xlsx"]
    for out in outs:
        formats.write(engine.table(table), out, source)
    assert outs[0].read_bytes() == outs[1].read_bytes()
    (sheet,) = load_workbook(outs[0]).worksheets
    assert sheet.title == "Sheet1"  # what the plan does not say does not leave
    assert [[cell.value for cell in row] for row in sheet.iter_rows()] == [
        ["student", "mark"],
        ["=1+1", "2"],
        ["007", None],
    ]
    assert {cell.data_type for row in sheet.iter_rows() for cell in row if cell.value} == {"s"}
    formats.write(engine.table(table), outs[0], formats.read(workbook, table="Roster"))
    assert load_workbook(outs[0]).sheetnames == ["Roster"]


@pytest.mark.parametrize(
    ("table", "sentence"), [("Nobody", "there is no sheet 'Nobody'; the workbook has 'Marks', 'Roster'")]
)
def test_a_wrong_sheet_names_those_there_are(workbook: Path, table: str, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        rows_of(workbook, table=table)


def test_what_is_no_workbook_is_refused(tmp_path: Path) -> None:
    (tmp_path / "book.xlsx").write_bytes(b"PK\x03\x04 nothing more")
    with pytest.raises(InputError, match=r"is not a complete \.xlsx workbook"):
        rows_of(tmp_path / "book.xlsx")


@pytest.fixture(params=["sqlite", "duckdb"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / f"store.{request.param}"
    connection = sqlite3.connect(path) if request.param == "sqlite" else duckdb.connect(str(path))
    connection.execute('CREATE TABLE "the marks" (student TEXT, mark TEXT)')
    connection.execute("INSERT INTO \"the marks\" VALUES ('007', '7.5'), ('Zoë', NULL)")
    connection.execute("CREATE TABLE counts (student TEXT, n INTEGER)")
    connection.execute("INSERT INTO counts VALUES ('007', 3)")
    if request.param == "sqlite":
        connection.commit()
    connection.close()
    return path


def test_a_named_table_is_read_and_written(database: Path, tmp_path: Path) -> None:
    source = formats.read(database, table="the marks")
    assert list(engine.arrow(source.table).to_pylist()) == ROWS
    assert rows_of(database, table="counts") == [{"student": "007", "n": 3}]
    out = tmp_path / f"out{database.suffix}"
    formats.write(source.table, out, source)
    assert rows_of(out) == ROWS


def test_several_tables_must_be_told_apart(database: Path) -> None:
    with pytest.raises(InputError, match="has 2 tables; name one in the plan"):
        rows_of(database)
    with pytest.raises(InputError, match="there is no table 'users'; the file has 'counts', 'the marks'"):
        rows_of(database, table="users")


@pytest.mark.parametrize("ending", ["sqlite", "duckdb"])
def test_what_is_no_database_is_refused(ending: str, tmp_path: Path) -> None:
    (tmp_path / f"store.{ending}").write_bytes(b"SQLite format 3\x00 nothing more" * 40)
    with pytest.raises(InputError, match="is not a complete"):
        rows_of(tmp_path / f"store.{ending}")


@pytest.mark.parametrize(("sizes", "said"), [({"rows": 1}, "more than 1 rows"), ({"columns": 1}, "has 2 columns")])
def test_a_workbook_and_a_database_heed_the_sizes_of_the_plan(
    sizes: dict[str, int], said: str, workbook: Path, database: Path
) -> None:
    for path, table in ((workbook, "Marks"), (database, "the marks")):
        with pytest.raises(InputError, match=said):
            formats.read(path, table=table, sizes=Sizes(rows=sizes.get("rows", 9), columns=sizes.get("columns", 9)))
