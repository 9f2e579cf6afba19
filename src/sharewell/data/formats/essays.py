"""A folder of essays: one plain-text file per student, named after the student.

The table has two columns: `file`, the name without its ending, and `text`. What is written is a folder again; once the
pipeline has replaced the students by pseudonyms, the files carry those.
"""

from pathlib import Path

import pyarrow as pa
from ibis.expr.types import Table

from sharewell.data import backends
from sharewell.data.formats import ReadOptions, check_regular
from sharewell.data.formats.batches import batches
from sharewell.data.formats.csv_check import MAX_FIELD
from sharewell.errors import InputError

ENDING = ".txt"


def read(path: Path, options: ReadOptions) -> Table:
    if not path.is_dir():
        raise InputError("there is no such folder; check its name", file=path)
    files = sorted(file for file in path.iterdir() if file.suffix.lower() == ENDING)
    if not files:
        raise InputError("holds no .txt files; expected one per essay", file=path)
    options.sizes.check_rows(len(files), path)
    texts = [_text(file, options.encoding) for file in files]
    columns = {"file": [file.stem for file in files], "text": texts}
    return backends.listed(pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()}))


def write(table: Table, path: Path) -> None:
    path.mkdir(parents=True)
    for batch in batches(table.select("file", "text")):
        for name, text in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            (path / f"{name}{ENDING}").write_bytes((text or "").encode())


def _text(file: Path, encoding: str | None) -> str:
    """The text as it stands, line ends and all."""
    check_regular(file)
    if file.stat().st_size > MAX_FIELD:
        raise InputError(f"an essay of over {MAX_FIELD // 1_000_000} MB; shorten it", file=file.name)
    raw = file.read_bytes()
    try:
        return raw.decode(encoding or ("utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"))
    except (UnicodeDecodeError, LookupError):
        raise InputError(
            'cannot be read in this encoding; name it in the plan, as in encoding = "latin-1"', file=file.name
        ) from None
