"""Types, sizes and odd files: each works or is one sentence, and no sentence carries a value."""

import datetime
import decimal
import gzip
import json
import os
import uuid
from collections.abc import Callable
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharewell.data import engine, formats, memory
from sharewell.data.fingerprint import Fingerprint
from sharewell.data.formats import formulas
from sharewell.errors import InputError
from sharewell.plan.sizes import Sizes

SECRET = "Xanthippe"
NOON = datetime.time(12, 0)

MARCH = datetime.datetime(2025, 3, 1, tzinfo=datetime.UTC)

# the columns of a Parquet file: what comes out of a cell, or what the sentence says
KEPT: dict[str, tuple[pa.Array, object]] = {
    "time of day": (pa.array([NOON]), "12:00:00"),
    "time of day, seconds": (pa.array([43200], pa.time32("s")), "12:00:00"),
    "time of day, nanoseconds": (pa.array([43_200_000_000_000], pa.time64("ns")), "12:00:00"),
    "UUID": (pa.array([uuid.UUID(int=5).bytes], pa.uuid()), str(uuid.UUID(int=5))),
    "nanoseconds with a zone": (pa.array([MARCH], pa.timestamp("ns", "UTC")), MARCH),
    "all null": (pa.nulls(1), None),
    "all null text": (pa.array([None], pa.string()), None),
    "JSON": (pa.array(['{"a": 1}'], pa.json_()), '{"a": 1}'),
    "large text": (pa.array(["x"], pa.large_string()), "x"),
    "a dictionary": (pa.array(["x"]).dictionary_encode(), "x"),
    "half floats": (pa.array([1.5], pa.float16()), 1.5),
    "large whole numbers": (pa.array([2**64 - 1], pa.uint64()), 2**64 - 1),
    "decimals": (pa.array([decimal.Decimal("1.50")], pa.decimal128(38, 2)), decimal.Decimal("1.50")),
    "days": (pa.array([datetime.date(2025, 1, 1)]), datetime.date(2025, 1, 1)),
    "a time in an unknown zone": (
        pa.array([0], pa.timestamp("us", tz="Mars/Olympus")), datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC),
    ),
    "truth": (pa.array([True]), True),
    "lists": (pa.array([["x", "y"]]), '["x","y"]'),
    "maps": (pa.array([[("a", "x")]], pa.map_(pa.string(), pa.string())), '{"a":"x"}'),
}  # fmt: skip
REFUSED: dict[str, tuple[pa.Array, str]] = {
    "binary": (pa.array([SECRET.encode()]), "holds binary data"),
    "large binary": (pa.array([SECRET.encode()], pa.large_binary()), "holds binary data"),
    "binary of fixed size": (pa.array([SECRET.encode()], pa.binary(len(SECRET))), "holds binary data"),
    "a length of time": (pa.array([1], pa.duration("s")), "holds lengths of time"),
    "decimals of 50 digits": (pa.array([decimal.Decimal(1)], pa.decimal256(50, 2)), "more digits than can be kept"),
}


@pytest.mark.parametrize("case", KEPT)
def test_a_type_that_few_steps_know_becomes_plain(case: str, tmp_path: Path) -> None:
    column, cell = KEPT[case]
    pq.write_table(pa.table({"c": column}), tmp_path / "a.parquet")
    source = formats.read(tmp_path / "a.parquet")
    assert engine.arrow(source.table)["c"].to_pylist() == [cell]
    formats.write(source.table, tmp_path / "b.parquet", source)
    assert engine.arrow(formats.read(tmp_path / "b.parquet").table)["c"].to_pylist() == [cell]


def test_a_structure_becomes_columns(tmp_path: Path) -> None:
    pq.write_table(pa.table({"c": pa.array([{"a": "x", "b": 1}])}), tmp_path / "a.parquet")
    assert engine.arrow(formats.read(tmp_path / "a.parquet").table).to_pylist() == [{"c.a": "x", "c.b": 1}]


@pytest.mark.parametrize("case", REFUSED)
def test_a_type_that_is_no_cell_is_one_sentence(case: str, tmp_path: Path) -> None:
    column, said = REFUSED[case]
    pq.write_table(pa.table({"ok": [1], "c": column}), tmp_path / "a.parquet")
    with pytest.raises(InputError, match=said) as error:
        formats.read(tmp_path / "a.parquet")
    assert "column 'c'" in str(error.value) and SECRET not in str(error.value)


SMALL = Sizes(rows=50, gigabytes=0.001, expansion=250, columns=20)
BIG = Sizes()
BLANK_LINES = b"id,x\n" + b"\n" * 400_000_000
SOUND_ROWS = b"id,x\n" + b"7,Xanthippe\n" * 30_000_000


def parquet(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd")
    return bytes(sink.getvalue().to_pybytes())


def one_text_many_times(letters: int, times: int) -> bytes:
    text = pa.DictionaryArray.from_arrays(pa.array([0]).take(pa.array([0] * times)).cast(pa.int32()), ["x" * letters])
    return parquet(pa.table({"id": text}))


def zstd(content: bytes) -> bytes:
    return bytes(pa.compress(content, codec="zstd", asbytes=True))


def csv(rows: int, columns: int = 2) -> bytes:
    header = ",".join(f"c{n}" for n in range(columns))
    return f"{header}\n".encode() + (",".join(["7"] * columns) + "\n").encode() * rows


BOMBS: dict[str, tuple[str, Callable[[], bytes], Sizes, str]] = {
    "rows": ("a.csv", lambda: csv(51), SMALL, "more than 50 rows"),
    "rows, packed": ("a.csv.gz", lambda: gzip.compress(csv(51)), SMALL, "more than 50 rows"),
    "rows of JSON": ("a.jsonl", lambda: b'{"a": 1}\n' * 60, SMALL, "more than 50 rows"),
    "rows of Parquet": ("a.parquet", lambda: parquet(pa.table({"a": [1] * 51})), SMALL, "more than 50 rows"),
    "columns": ("a.csv", lambda: csv(3, 21), SMALL, "21 columns"),
    "columns of JSON": (
        "a.jsonl", lambda: json.dumps({f"c{n}": n for n in range(21)}).encode(), SMALL, "21 columns",
    ),
    "columns of JSON, one per record": (
        "a.jsonl", lambda: b"".join(b'{"c%d": 1}\n' % n for n in range(21)), SMALL, "21 columns",
    ),
    "columns of Parquet": (
        "a.parquet", lambda: parquet(pa.table({f"c{n}": [1] for n in range(21)})), SMALL, "21 columns",
    ),
    "5,000 columns": ("a.csv", lambda: csv(3, 5_000), BIG, "5,000 columns"),
    "bytes": ("a.csv", lambda: b"id,x\n" + b"7," + b"y" * 2_000_000 + b"\n", SMALL, "more than 0.001 GB"),
    "bytes in UTF-16": (
        "a.csv", lambda: ("id,x\n7," + "y" * 900_000 + "\n").encode("utf-16"), SMALL, "more than 0.001 GB",
    ),
    "bytes, packed": ("a.csv.gz", lambda: gzip.compress(csv(20) + b"7,y" * 700_000), SMALL, "more than 0.001 GB"),
    "blank lines in zstd": ("a.csv.zst", lambda: zstd(BLANK_LINES), BIG, "times its size"),
    "sound rows in zstd": ("a.csv.zst", lambda: zstd(SOUND_ROWS), BIG, "times its size"),
    "blank lines in gzip": ("a.csv.gz", lambda: gzip.compress(BLANK_LINES[:300_000_000], 6), BIG, "times its size"),
    "one text of 9 MB, 4,000 times": ("a.parquet", lambda: one_text_many_times(9_000_000, 4_000), BIG, "unpacks to"),
    "one text, a million times": ("a.parquet", lambda: one_text_many_times(2_000, 1_000_000), BIG, "unpacks to"),
    "a cell of 11 MB in Parquet": (
        "a.parquet", lambda: parquet(pa.table({"id": ["x" * 11_000_000]})), BIG, "a cell over 10 MB",
    ),
    "JSON 5,000 deep": ("a.jsonl", lambda: b'{"a": ' + b"[" * 5_000 + b"]" * 5_000 + b"}", BIG, "100 deep"),
    "JSON objects 5,000 deep": ("a.jsonl", lambda: b'{"a": ' * 5_000 + b"1" + b"}" * 5_000, BIG, "100 deep"),
    "JSON that only opens": ("a.json", lambda: b"[" * 1_000_000, BIG, "100 deep"),
    "NaN": ("a.jsonl", lambda: b'{"a": 1}\n{"a": NaN}\n', BIG, "line 2 holds NaN"),
    "nan": ("a.jsonl", lambda: b'{"a": nan}\n', BIG, "line 1 holds NaN"),
    "Infinity": ("a.jsonl", lambda: b'{"a": Infinity}\n', BIG, "line 1 holds NaN or Infinity"),
    "minus infinity": ("a.json", lambda: b'[{"a": -Infinity}]', BIG, "line 1 holds NaN or Infinity"),
    "a number without end": ("a.jsonl", lambda: b'{"a": 1e999}\n', BIG, "would change"),
    "a decimal of 20 digits": ("a.jsonl", lambda: b'{"a": 0.12345678901234567891}\n', BIG, "would change"),
    "whole numbers among decimals": (
        "a.jsonl", lambda: b'{"a": 1.5}\n{"a": 9007199254740993}\n', BIG, "column 'a', row 2: holds a whole number",
    ),
    "a whole number of 30 digits": (
        "a.jsonl", lambda: b'{"a": 123456789012345678901234567890}\n{"a": 1.5}\n', BIG, "would change",
    ),
    "xAPI 5,000 deep": ("a.json", lambda: b'[{"actor": ' + b"[" * 5_000 + b"]" * 5_000 + b"}]", BIG, "100 deep"),
}  # fmt: skip


@pytest.mark.parametrize("case", BOMBS)
def test_a_file_that_is_too_much_is_one_sentence(case: str, tmp_path: Path) -> None:
    name, made, sizes, said = BOMBS[case]
    (tmp_path / name).write_bytes(made())
    with pytest.raises(InputError) as error:
        formats.read(tmp_path / name, sizes=sizes, format="xapi" if case.startswith("xAPI") else None)
    message = str(error.value)
    assert said in message and "\n" not in message and SECRET not in message, message


def test_limits_can_be_raised(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(csv(51, 21))
    sizes = Sizes(rows=51, columns=21)
    assert formats.read(tmp_path / "a.csv", sizes=sizes).table.count().execute() == 51


def test_pipes_devices_and_folders_are_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "device.csv").symlink_to("/dev/zero")
    (tmp_path / "nowhere.csv").symlink_to(tmp_path / "gone")
    said = {"pipe.csv": "a pipe or a device", "device.csv": "a pipe or a device", "folder.csv": "a folder"}
    for name, words in {**said, "nowhere.csv": "no such file", "a\0b.csv": "cannot be opened"}.items():
        with pytest.raises(InputError, match=words):
            formats.read(tmp_path / name)
    with pytest.raises(InputError, match="cannot be opened"):
        formats.read(tmp_path / ("x" * 300 + ".csv"))


@pytest.mark.parametrize("reader", ["ednet", "essays"])
def test_a_pipe_in_a_folder_is_refused(reader: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ("a.csv" if reader == "ednet" else "a.txt"))
    with pytest.raises(InputError, match="a pipe or a device"):
        formats.read(tmp_path, format=reader)


def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a\n1\n")
    mark = Fingerprint.of(path)
    mark.check()
    stamps = path.stat()
    path.write_text("a\n2\n")
    os.utime(path, ns=(stamps.st_atime_ns, stamps.st_mtime_ns))
    with pytest.raises(InputError, match="was changed while it was read"):
        mark.check()
    mark = Fingerprint.of(tmp_path)
    (tmp_path / "b.csv").write_text("x")
    with pytest.raises(InputError, match="was changed"):
        mark.check()


CELLS = st.text(st.sampled_from('ab"\r\n,;é '), max_size=6)


@given(rows=st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=6), end=st.sampled_from(["\n", "\r\n", "\r", None]))
def test_a_carriage_return_in_a_cell_stays(
    rows: list[tuple[str, str]], end: str | None, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Whatever ends the rows, one way throughout or in turn: what stands inside quotes is not a row's end."""
    path = tmp_path_factory.mktemp("cr") / "a.csv"
    ends = ["\n", "\r\n", "\r"]
    cells = [("a", "b"), *((f"x{one}", f"y{other}") for one, other in rows)]
    lines = [",".join('"{}"'.format(cell.replace('"', '""')) for cell in row) for row in cells]
    text = "".join(line + (end or ends[n % 3]) for n, line in enumerate(lines))
    path.write_bytes(text.encode())
    source = formats.read(path, delimiter=",")
    assert rows_of(source) == cells[1:]
    formats.write(source.table, path.with_name("b.csv"), source)
    assert rows_of(formats.read(path.with_name("b.csv"), delimiter=",")) == cells[1:]


def rows_of(source: formats.Source) -> list[tuple[str, ...]]:
    return [tuple(row.values()) for row in engine.arrow(source.table).to_pylist()]


FORMULAS = (
    "=1", " =1", "  =1", "\t=1", "\r=1", "\n=1", "\u00a0=1", "\u200b=1", "\ufeff=1", "\u2060=1", "\u00ad=1",
    "\u3000=1", "\u034f=1", "\u115f=1", "\ufe0f=1", "＝1", "＋1", "－x", "＠x", "﹦1", "+x", "-x", "@SUM(1)", "−x",
    "=HYPERLINK(1)", "\x01=1", "\u200e\u200f=1", "+1+1", "-1-1", "+cmd|' /C calc'!A0",
)  # fmt: skip
HARMLESS = ("-", "+", "-3.5", "+4", "-1e-5", "1=1", "a", "", "'x", "3,5", "-3,5", "é=1", "_=1", "(=1)", '"=1"', "—x")


@pytest.mark.parametrize("cell", FORMULAS)
def test_a_cell_that_a_spreadsheet_would_run_gets_an_apostrophe(cell: str, tmp_path: Path) -> None:
    table = pa.table({"c": [cell, "x"], "d": ["y", "z"]})
    assert engine.arrow(formulas.without_formulas(engine.table(table)))["c"].to_pylist()[0] == "'" + cell
    assert formulas.arrow_without_formulas(table)["c"].to_pylist()[0] == "'" + cell
    guarded = engine.table(formulas.arrow_without_formulas(table))
    assert engine.arrow(formulas.as_they_were(guarded)).to_pylist() == table.to_pylist()
    formats.write(engine.table(table), tmp_path / "a.csv", "csv")
    assert engine.arrow(formats.read(tmp_path / "a.csv").table)["c"].to_pylist()[0] == "'" + cell


@pytest.mark.parametrize("cell", HARMLESS)
def test_other_cells_stay_as_they_are(cell: str) -> None:
    table = pa.table({"c": [cell]})
    assert engine.arrow(formulas.without_formulas(engine.table(table)))["c"].to_pylist() == [cell]
    assert formulas.arrow_without_formulas(table)["c"].to_pylist() == [cell]
    assert engine.arrow(formulas.as_they_were(engine.table(table)))["c"].to_pylist() == [cell]


def test_lists_for_people_have_no_formula_in_their_header() -> None:
    assert formulas.arrow_without_formulas(pa.table({"=1": ["x"]})).column_names == ["'=1"]


@given(st.text(max_size=8))
def test_engine_and_memory_agree_on_what_is_a_formula(cell: str) -> None:
    kept = formulas.arrow_without_formulas(pa.table({"c": [cell]}))["c"].to_pylist()[0]
    assert (kept != cell) == formulas.is_formula(cell)


MEMORY = {
    "2GB": True, "800MB": True, "1.5 GiB": True, "100MB": True, "2GB\n": True, "99MB": False, "1": False, "": False,
    "2GB'": False, "2GB'; DROP": False, "-1GB": False, "nan GB": False, "9" * 30 + "GB": False,
}  # fmt: skip


@pytest.mark.parametrize("stated", MEMORY)
def test_memory_is_an_amount_or_a_sentence(stated: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(memory.VARIABLE, stated)
    if MEMORY[stated]:
        for amount in (memory.memory(), memory.share(2)):
            assert duckdb.connect().execute(f"SET memory_limit = {engine.quoted(amount)}")
    else:
        with pytest.raises(InputError, match="SHAREWELL_MEMORY must be an amount"):
            memory.memory()
