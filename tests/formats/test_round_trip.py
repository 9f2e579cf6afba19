"""What is written is read again cell by cell, in every delimiter and packing, always in the same bytes."""

import csv
import gzip
import hashlib
import json
import re
from pathlib import Path

import ibis
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sharewell.data import engine, formats
from sharewell.data.formats.formulas import without_formulas
from sharewell.errors import InputError

ENCODABLE = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
CELLS = st.none() | st.text(st.sampled_from("ab é\"',;|\t\r\n=+-@1.") | ENCODABLE, max_size=12)
TEXT_FORMATS = ("csv", "tsv", "csv.gz", "csv.zst", "jsonl", "jsonl.gz", "jsonl.zst", "json")


def rows_of(table: ibis.Table) -> list[tuple[object, ...]]:
    return [tuple(row.values()) for row in engine.arrow(table).to_pylist()]


@st.composite
def tables(draw: st.DrawFn) -> pa.Table:
    width = draw(st.integers(1, 4))
    rows = draw(st.lists(st.lists(CELLS, min_size=width, max_size=width), min_size=1, max_size=6))
    columns = {f"column {place}": pa.array([row[place] for row in rows], pa.string()) for place in range(width)}
    return pa.table(columns)


def expected(table: pa.Table, guarded: bool) -> list[tuple[object, ...]]:
    """The cells that should come back: an empty text is a missing one, formulas have their apostrophe."""
    written = without_formulas(ibis.memtable(table)) if guarded else ibis.memtable(table)
    return [tuple(cell or None for cell in row) for row in rows_of(written)]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@given(table=tables())
@example(table=pa.table({"a": ["x", None, "y"]}))
@example(table=pa.table({"a": ['"', "\r\n", None], "b": ["\r", ",;\t|", '""']}))
def test_any_text_survives_a_csv_file(delimiter: str, table: pa.Table, tmp_path: Path) -> None:
    source = formats.Source(table=ibis.memtable(table), format="csv", path=tmp_path, style={"delimiter": delimiter})
    formats.write(source.table, tmp_path / "x.csv", source)
    back = formats.read(tmp_path / "x.csv", delimiter=delimiter)
    assert rows_of(back.table) == expected(table, guarded=True)
    assert list(back.table.columns) == table.column_names


@pytest.mark.parametrize("format", TEXT_FORMATS)
@settings(max_examples=20)
@given(table=tables())
def test_any_text_survives_every_text_format(format: str, table: pa.Table, tmp_path: Path) -> None:
    path = tmp_path / f"x.{format}"
    formats.write(ibis.memtable(table), path, format)
    guarded = format.startswith(("csv", "tsv"))
    if not guarded and not any(any(row) for row in expected(table, guarded=False)):
        return  # a JSON file of nothing but nulls says nothing about its columns' types
    delimiter = ("\t" if format == "tsv" else ",") if guarded else None
    back = formats.read(path, delimiter=delimiter)
    assert back.format == format
    names = table.column_names
    assert rows_of(back.table.select(names)) == expected(table, guarded)


@given(table=tables())
def test_python_reads_what_is_written(table: pa.Table, tmp_path: Path) -> None:
    formats.write(ibis.memtable(table), tmp_path / "x.csv.gz", "csv.gz")
    with gzip.open(tmp_path / "x.csv.gz", "rt", encoding="utf-8", newline="") as file:
        rows = [tuple(cell or None for cell in row) for row in csv.reader(file) if row]
    assert rows[1:] == expected(table, guarded=True)
    formats.write(ibis.memtable(table), tmp_path / "x.jsonl", "jsonl")
    lines = (tmp_path / "x.jsonl").read_text(encoding="utf-8").split("\n")[:-1]
    assert [tuple(json.loads(line).values()) for line in lines] == [tuple(row.values()) for row in table.to_pylist()]


def parsed(text: str) -> list[tuple[str | None, ...]] | None:
    """A second, slow reader of CSV with the same rules; None where the text is no table."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    cell = re.compile(r' ?"((?:[^"]|"")*)" *(?=,|\n|\Z)|(?! *")([^,\n]*)')
    rows, row, place = [], [], 0
    while place <= len(text):
        match = cell.match(text, place)
        if match is None:
            return None
        quoted, plain = match.groups()
        row.append((quoted.replace('""', '"') if quoted is not None else plain) or None)
        place = match.end()
        if place == len(text) or text[place] == "\n":
            if row != [None] or quoted is not None:
                rows.append(tuple(row))
            row = []
        place += 1
    return rows if len(rows) > 1 and len({len(row) for row in rows}) == 1 else None


PIECES = st.sampled_from(["a", "b", ",", '"', '""', '"x,y"', '"p\nq"', " ", "é", "=", "\n", "\r\n", "\r", "1,2\n"])


@given(body=st.lists(PIECES, max_size=14).map("".join), header=st.sampled_from(["h", "h,i", "h,i,j"]))
@example(body='a,"x" b\n', header="h,i")
@example(body=' "a, b" ,c\n', header="h,i")
@example(body='  ""', header="h")
@example(body='"a"  \n', header="h")
def test_the_check_and_the_reader_agree_with_a_slow_reader(body: str, header: str, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(f"{header}\n{body}".encode())
    rows = parsed(f"{header}\n{body}")
    if rows is None:
        with pytest.raises(InputError):
            formats.read(path, delimiter=",")
        return
    found = rows_of(formats.read(path, delimiter=",").table)
    plain = [tuple(cell and re.sub("\r\n?", "\n", str(cell)) for cell in row) for row in found]
    assert plain == rows[1:]


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "latin-1", "cp1252", "utf-32"]
)
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_encodings_are_found(encoding: str, line_end: str, tmp_path: Path) -> None:
    lines = ['"name";"town"', "Zoë;Köln", 'François;"Saint-Étienne; Loire"']
    path = tmp_path / "x.csv"
    path.write_bytes(line_end.join(lines).encode(encoding))
    source = formats.read(path)
    assert source.style["delimiter"] == ";"
    assert list(source.table.columns) == ["name", "town"]
    assert rows_of(source.table) == [("Zoë", "Köln"), ("François", "Saint-Étienne; Loire")]


def test_an_encoding_can_be_named(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes("a,b\nŁódź,1\n".encode("iso8859_2"))
    assert rows_of(formats.read(path, encoding="iso8859_2").table) == [("Łódź", "1")]


@pytest.mark.parametrize("name", ["x.csv", "x.csv.gz", "x.csv.zst", "x.tsv"])
def test_the_delimiter_is_found_and_kept(name: str, tmp_path: Path) -> None:
    table = ibis.memtable(pa.table({"a;b": ["1, 2", "x"], "c": ["3", "y|z"], "d": ["4", "5"]}))
    for delimiter in ",;\t|":
        compression = {"gz": "gzip", "zst": "zstd"}.get(name.rsplit(".", 1)[1])
        style = {"delimiter": delimiter, "compression": compression}
        like = formats.Source(table=table, format=name[2:], path=tmp_path, style=style)
        formats.write(table, tmp_path / name, like)
        source = formats.read(tmp_path / name)
        assert source.style == style
        assert rows_of(source.table) == rows_of(table)


def test_only_the_named_cells_are_missing(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text('a,b\nNA,\n" ",""\nna,N/A\n')
    assert rows_of(formats.read(path).table) == [("NA", None), (" ", None), ("na", "N/A")]
    assert rows_of(formats.read(path, missing=("NA", "N/A")).table) == [(None, ""), (" ", ""), ("na", None)]
    assert rows_of(formats.read(path, missing=()).table) == [("NA", ""), (" ", ""), ("na", "N/A")]


def test_one_column_keeps_its_missing_cells_and_skips_blank_lines(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text('id\na\n\n""\nb\n\n')
    assert rows_of(formats.read(path).table) == [("a",), (None,), ("b",)]
    assert rows_of(formats.read(path, missing=("b",)).table) == [("a",), ("",), (None,)]


def test_columns_may_be_called_anything(tmp_path: Path) -> None:
    names = ["it's", 'say "x"', "größe, m", "a\nb", "{}", "select", "\\", "$.x"]
    table = ibis.memtable(pa.table({name: [str(place)] for place, name in enumerate(names)}))
    for format in ("csv", "jsonl", "parquet", "tsv"):
        formats.write(table, tmp_path / f"it's {format}.{format}", format)
        back = formats.read(tmp_path / f"it's {format}.{format}").table
        assert list(back.columns) == names
        assert rows_of(back) == [tuple("01234567")]


def test_a_field_just_under_the_limit_is_read(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(b"a,b\n1," + b"x" * 9_999_000 + b"\n2," + b"y" * 9_999_000 + b"\n")
    lengths = formats.read(path).table.mutate(n=ibis._.b.length()).n.to_pyarrow().to_pylist()
    assert lengths == [9_999_000, 9_999_000]


def test_formulas_are_neutralised_once(tmp_path: Path) -> None:
    cells = [
        "=1+1",
        "+49 170",
        "-3.5",
        "+2",
        "-3,5",
        "@me",
        "\tx",
        "\rx",
        "'=1",
        "a=1",
        "-",
        "1e-5",
        "-1e5",
        None,
    ]
    table = ibis.memtable(pa.table({"a": cells, "n": list(range(len(cells)))}))
    formats.write(table, tmp_path / "x.csv", "csv")
    once = formats.read(tmp_path / "x.csv").table
    safe = [
        "'=1+1",
        "'+49 170",
        "-3.5",
        "+2",
        "-3,5",
        "'@me",
        "'\tx",
        "'\rx",
        "'=1",
        "a=1",
        "-",
        "1e-5",
        "-1e5",
        None,
    ]
    assert [row[0] for row in rows_of(once)] == safe
    formats.write(once, tmp_path / "y.csv", "csv")
    assert (tmp_path / "y.csv").read_bytes() == (tmp_path / "x.csv").read_bytes()


def test_typed_columns_survive_parquet_and_json(tmp_path: Path) -> None:
    table = pa.table({"n": [1, None], "x": [0.1, 2.0], "ok": [True, None], "t": ["a", None]})
    for format in ("parquet", "jsonl", "json"):
        formats.write(ibis.memtable(table), tmp_path / f"x.{format}", format)
        assert engine.arrow(formats.read(tmp_path / f"x.{format}").table).to_pylist() == table.to_pylist()


def test_the_footer_names_nobody(tmp_path: Path) -> None:
    formats.write(ibis.memtable(pa.table({"a": [1]})), tmp_path / "x.parquet", "parquet")
    metadata = pq.read_metadata(tmp_path / "x.parquet")
    assert metadata.metadata is None
    assert metadata.created_by.startswith("DuckDB")
    assert str(tmp_path).encode() not in (tmp_path / "x.parquet").read_bytes()


@pytest.mark.parametrize("format", ["csv", "csv.zst", "jsonl.gz", "parquet"])
def test_same_rows_same_bytes_on_any_number_of_threads(format: str, tmp_path: Path) -> None:
    table = engine.view("SELECT (i * 7919 % 1009)::VARCHAR AS who, i, i / 7 AS x FROM range(300000) r(i)")
    digests: set[str] = set()
    for threads in (2, 1, 2):
        engine.connection().raw_sql(f"SET threads = {threads}").fetchall()
        path = tmp_path / f"{len(digests)}.{format}"
        formats.write(table.order_by(["who", "i"]), path, format)
        digests.add(hashlib.sha256(path.read_bytes()).hexdigest())
    engine.connection().raw_sql("RESET threads").fetchall()
    assert len(digests) == 1
