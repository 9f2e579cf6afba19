"""What fuzzing once found (benchmarks/fuzz.py), each in its shortest form: one sentence now, and no value in it."""

import io
import sqlite3
import zipfile
from collections.abc import Callable
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from openpyxl import Workbook

from sharewell.data import formats, sources
from sharewell.errors import InputError

NAME = "Xanthippe"


def torn_header(folder: Path) -> Path:
    path = folder / "a.csv"
    path.write_text(f'"id,name\ns1,{NAME}\ns2,"{NAME} B"\n', encoding="utf-8")
    return path


def a_first_row_that_repeats(folder: Path) -> Path:
    path = folder / "a.csv"
    path.write_text(f"Time,saw {NAME},saw {NAME}\n1,2,3\n", encoding="utf-8")
    return path


def a_header_torn_into_a_row(folder: Path) -> Path:
    path = folder / "a.csv"
    path.write_text(f"id,name,age{NAME},age{NAME},20\ns2,B,21,22,x\n", encoding="utf-8")
    return path


def a_parquet_with_half_a_letter(folder: Path) -> Path:
    path = folder / "a.parquet"
    pq.write_table(pa.table({"id": ["s1", "s2"], "name": [NAME, "é"]}), path, use_dictionary=False, compression="none")
    path.write_bytes(path.read_bytes().replace("é".encode(), b"\xee\x41"))
    return path


def flipped_workbook(folder: Path) -> Path:
    book, sink = Workbook(), io.BytesIO()
    book.active.append(["id", "name"])
    book.active.append(["s1", NAME])
    book.save(sink)
    raw = bytearray(sink.getvalue())
    sheet = raw.index(b"xl/worksheets/sheet1.xml") + len(b"xl/worksheets/sheet1.xml")
    raw[sheet + 8 : sheet + 24] = b"\xff" * 16
    path = folder / "a.xlsx"
    path.write_bytes(raw)
    return path


def flipped_database(folder: Path) -> Path:
    path = folder / "a.duckdb"
    with duckdb.connect(str(path)) as base:
        base.execute(f"CREATE TABLE a AS SELECT '{NAME}' || i AS id FROM range(5000) r(i)")
    raw = bytearray(path.read_bytes())
    raw[-200_000:-100_000] = b"\0" * 100_000
    path.write_bytes(raw)
    return path


def flipped_sqlite(folder: Path) -> Path:
    path = folder / "a.sqlite"
    base = sqlite3.connect(path)
    base.execute("CREATE TABLE a (id TEXT)")
    base.executemany("INSERT INTO a VALUES (?)", [(f"{NAME} {n}",) for n in range(5_000)])
    base.commit()
    base.close()
    raw = bytearray(path.read_bytes())
    raw[8_192:12_288] = b"\xff" * 4_096
    path.write_bytes(raw)
    return path


def a_zip_of_another_age(folder: Path) -> Path:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        archive.writestr("a.csv", f"id,name\ns1,{NAME}\n")
    raw = bytearray(sink.getvalue())
    raw[raw.index(b"PK\x01\x02") + 6] = 84  # the version that it takes to unpack it
    path = folder / "a.csv.zip"
    path.write_bytes(raw)
    return path


def half_a_character(folder: Path) -> Path:
    path = folder / "a.json"
    path.write_text(f'[[{{"userid": 1, "subject": "\\ud800", "message": "{NAME}"}}]]', encoding="utf-8")
    return path


FOUND: dict[Callable[[Path], Path], tuple[str | None, str]] = {
    torn_header: (None, "goes on after a closing quote"),
    a_first_row_that_repeats: (None, "columns 2 and 3 have the same name"),
    a_header_torn_into_a_row: (None, "columns 3 and 4 have the same name"),
    a_parquet_with_half_a_letter: (None, "is not a complete Parquet file"),
    flipped_workbook: (None, "is not a complete .xlsx workbook"),
    flipped_database: (None, "is not a complete DuckDB file"),
    flipped_sqlite: (None, "is not a complete SQLite file"),
    a_zip_of_another_age: (None, "is not a complete"),
    half_a_character: ("moodle_forum", "holds half of a character"),
}


@pytest.mark.parametrize("made", FOUND, ids=lambda made: made.__name__)
def test_what_is_broken_is_one_sentence_without_a_value(made: Callable[[Path], Path], tmp_path: Path) -> None:
    format, sentence = FOUND[made]
    path = made(tmp_path)
    with pytest.raises(InputError, match=sentence) as refused:
        sources.on_disk(formats.read(path, format=format).table, path)
    assert NAME not in str(refused.value)


@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"])
def test_a_file_that_is_a_byte_order_mark_is_empty(mark: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(mark)
    with pytest.raises(InputError, match=r"a\.csv: is empty"):
        formats.read(tmp_path / "a.csv")


def test_a_name_of_a_column_that_has_no_end_is_told_by_its_position(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f"id,{'x' * 201}\n1,2\n", encoding="utf-8")
    with pytest.raises(InputError, match="column 2 has a name of over 200 letters"):
        formats.read(tmp_path / "a.csv")
