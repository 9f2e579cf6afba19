"""Everything that can be wrong with a file: one sentence, where it is, and never a value out of it."""

import gzip
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sharewell.data import formats
from sharewell.errors import DiskError, InputError

CANARY = "Zyxwvut"


def parquet_of(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd", use_dictionary=False)
    return bytes(sink.getvalue().to_pybytes())


WORDS = parquet_of(pa.table({"a": [f"{CANARY}{i * i}" for i in range(3000)]}))
PACKED = gzip.compress(f"a,b\n{CANARY},2\n".encode() * 1000)
BYTES = bytes(range(256)) * 40

# name of the case: file name, its bytes, options of read, what the sentence must say
CASES: dict[str, tuple[str, bytes, dict[str, Any], str]] = {
    "empty file": ("x.csv", b"", {}, "is empty"),
    "empty gzip": ("x.csv.gz", gzip.compress(b""), {}, "is empty"),
    "header only": ("x.csv", b"a,b\n", {}, "a header and no rows"),
    "header only, blank lines": ("x.csv", b"a,b\n\n\n", {}, "a header and no rows"),
    "blank first line": ("x.csv", b"\na,b\n1,2\n", {}, "begins with a blank line"),
    "too few cells": ("x.csv", b"a,b\n1,2\n3\n", {}, "row 2: line 3 has 1 cells and the header has 2"),
    "too many cells": ("x.csv", f"a,b\n1,2\n3,4,{CANARY}\n".encode(), {}, "row 2: line 3 has more cells"),
    "too many cells, last": ("x.csv", b"a,b\n1,2\n3,4,5", {}, "row 2: line 3 has more cells"),
    "ragged after a long cell": ("x.csv", b'a,b\n"1\n1\n1",2\n3\n', {}, "row 2: line 5 has 1 cells"),
    "ragged semicolons": ("x.csv", b"a;b\n1;2\n3;4;5\n", {}, "row 2: line 3 has more cells"),
    "duplicate columns": ("x.csv", b"a,b,a\n1,2,3\n", {}, "columns 1 and 3 have the same name"),
    "columns that differ by case": (
        "x.csv",
        b"Age,age\n1,2\n",
        {},
        "columns 1 and 2 have names that differ only by case",
    ),
    "columns that differ by blanks": (
        "x.csv",
        b'age,"age "\n1,2\n',
        {},
        "columns 1 and 2 have names that differ only by case",
    ),
    "column without a name": ("x.csv", b"a,,c\n1,2,3\n", {}, "column 2 has no name"),
    "trailing delimiter in the header": ("x.csv", b"a,b,\n1,2,\n", {}, "column 3 has no name"),
    "NUL byte": ("x.csv", b"a,b\n1,2\n3,x\0y\n", {}, "line 3 holds a NUL byte"),
    "damaged UTF-8": (
        "x.csv",
        "a,b\né,ü\nß,".encode() + b"\xff\n",
        {},
        "line 3 holds bytes that do not fit utf-8",
    ),
    "named UTF-8 and is not": (
        "x.csv",
        b"a,b\n1,\xe9\n",
        {"encoding": "utf-8"},
        "line 2 holds bytes that do not",
    ),
    "named ASCII and is not": ("x.csv", "a,b\n1,é\n".encode(), {"encoding": "ascii"}, "do not fit ascii"),
    "named UTF-16 and cut off": ("x.csv", "a,b\n1,2\n".encode("utf-16")[:-1], {}, "do not fit utf-16"),
    "cut off in the middle of a character": (
        "x.csv",
        "a,b\né,ü\nß,é".encode()[:-1],
        {},
        "line 3 holds bytes that do not fit utf-8",
    ),
    "no encoding fits": ("x.csv", b"a,b\n1,\x81\n", {}, "line 2 holds bytes that do not fit utf-8"),
    "encoding unknown": ("x.csv", b"a,b\n1,2\n", {"encoding": "klingon"}, "encoding 'klingon'"),
    "encoding no text": ("x.csv", b"a,b\n1,2\n", {"encoding": "hex"}, "encoding 'hex'"),
    "unclosed quote": ("x.csv", f'a,b\n1,2\n3,"{CANARY}\n5,6\n'.encode(), {}, "row 2: line 3 opens a quote"),
    "unclosed quote in the header": ("x.csv", b'a,"b\n1,2\n', {}, "the header opens a quote"),
    "text after a quote": (
        "x.csv",
        f'a,b\n1,"x" {CANARY}\n'.encode(),
        {},
        "column 'b', row 1: line 2 goes on",
    ),
    "field over 10 MB": (
        "x.csv",
        b"a,b\n1,2\n3," + b"x" * 10_000_001,
        {},
        "column 'b', row 2: line 3 holds a cell",
    ),
    "binary named csv": ("x.csv", BYTES, {}, "is not a text file"),
    "spreadsheet named csv": ("x.csv", b"PK\x03\x04" + BYTES, {}, "a workbook or zip archive"),
    "gzip named csv": ("x.csv", PACKED, {}, "packed with gzip"),
    "Parquet named csv": ("x.csv", WORDS, {}, "a Parquet file"),
    "csv named gzip": ("x.csv.gz", b"a,b\n1,2\n", {}, "is not a complete gzip file"),
    "truncated gzip": ("x.csv.gz", PACKED[:-20], {}, "is not a complete gzip file"),
    "csv named zstd": ("x.csv.zst", b"a,b\n1,2\n", {}, "is not a complete zstd file"),
    "delimiter of two characters": ("x.csv", b"a,b\n1,2\n", {"delimiter": "::"}, "must be one character"),
    "delimiter ambiguous": ("x.csv", b"a,b;c\n1,2;3\n", {}, "could be split at ',' or ';'"),
    "csv named Parquet": ("x.parquet", b"a,b\n1,2\n", {}, "is not a complete Parquet file"),
    "truncated Parquet": ("x.parquet", WORDS[:-100], {}, "is not a complete Parquet file"),
    "Parquet with a damaged page": (
        "x.parquet",
        WORDS[:60] + bytes(400) + WORDS[460:],
        {},
        "not a complete Parquet",
    ),
    "Parquet without rows": (
        "x.parquet",
        parquet_of(pa.table({"a": pa.array([], pa.int64())})),
        {},
        "and no rows",
    ),
    "Parquet with lists of bytes": (
        "x.parquet",
        parquet_of(pa.table({"a": [[b"1"], [b"2"]]})),
        {},
        "column 'a': holds binary",
    ),
    "Parquet, same name": (
        "x.parquet",
        parquet_of(pa.table({"a": [1], "A": [2]})),
        {},
        "differ only by case",
    ),
    "broken JSON line": (
        "x.jsonl",
        f'{{"a": 1}}\n{{"a": {CANARY}\n'.encode(),
        {},
        "row 2: is not valid JSON",
    ),
    "broken JSON array": ("x.json", b'[{"a": 1}, {"a": 2]', {}, "is not valid JSON"),
    "JSON, no object": ("x.jsonl", b'{"a": 1}\n[1, 2]\n', {}, "row 2: is not an object"),
    "JSON, nested": (
        "x.jsonl",
        b'{"a": 1}\n{"a": {"b": 2}}\n',
        {},
        "column 'a', row 2: holds a list or an object",
    ),
    "JSON, nested list": (
        "x.jsonl",
        b'{"a": 1, "b": [1]}\n',
        {},
        "column 'b', row 1: holds a list or an object",
    ),
    "JSON, name twice": ("x.jsonl", b'{"a": 1}\n{"a": 1, "a": 2}\n', {}, "row 2: has the same name twice"),
    "JSON without values": ("x.jsonl", b"{}\n{}\n", {}, "has no rows with values"),
    "JSON, over 10 MB": ("x.jsonl", b'{"a": "' + b"x" * 10_000_001 + b'"}\n', {}, "row 1: is over 10 MB"),
    "unknown ending": ("x.ods", b"a,b\n1,2\n", {}, "the name does not tell the format"),
    "no ending": ("x", b"a,b\n1,2\n", {}, "the name does not tell the format"),
    "unknown format": ("x.csv", b"a,b\n1,2\n", {"format": "excel"}, "format 'excel' is not known"),
}


@pytest.mark.parametrize("case", CASES)
def test_a_bad_file_is_one_sentence_that_says_where(case: str, tmp_path: Path) -> None:
    name, content, options, said = CASES[case]
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError) as error:
        formats.read(path, **options)
    assert_one_clean_sentence(str(error.value), path, said)
    assert path.read_bytes() == content


def assert_one_clean_sentence(message: str, path: Path, said: str) -> None:
    assert said in message
    assert message.startswith(str(path))
    assert "\n" not in message
    assert CANARY not in message
    assert 40 < len(message) - len(str(path)) + 30 < 260


@pytest.mark.parametrize(("make", "said"), [(Path.mkdir, "found a folder"), (lambda path: None, "no such file")])
def test_folders_and_missing_files(make: Callable[[Path], None], said: str, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    make(path)
    with pytest.raises(InputError) as error:
        formats.read(path)
    assert_one_clean_sentence(str(error.value), path, said)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable_file(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a,b\n1,2\n")
    path.chmod(0)
    with pytest.raises(InputError, match="cannot be opened"):
        formats.read(path)


def test_a_folder_that_cannot_be_written_to_is_one_sentence(tmp_path: Path) -> None:
    source = tmp_path / "x.csv"
    source.write_text("a,b\n1,2\n")
    for name in ("x.csv", "x.parquet", "x.jsonl", "x.csv.gz"):
        with pytest.raises(DiskError, match="cannot be written"):
            formats.write(formats.read(source).table, tmp_path / "nowhere" / name, name.split(".", 1)[1])
