"""Excel workbooks (.xlsx): one sheet is one table, the first row its header; the first sheet unless the plan names one.

Cells become the text that a person sees: whole numbers without a point, dates in ISO order. What is written is a
workbook with one sheet, and every cell in it is text, so that no cell is ever run as a formula. A name of a sheet that
the plan does not say ("group of Ms Ortega") does not leave.
"""

import re
import warnings
import zipfile
import zlib
from collections.abc import Iterator
from datetime import date, datetime, time
from itertools import islice
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import ParseError

import ibis
import pyarrow as pa
import pyarrow.parquet as pq
from ibis.expr.types import Table

from sharewell.data.backends import connection
from sharewell.data.formats import ReadOptions
from sharewell.data.formats.batches import batches
from sharewell.data.formats.names import TITLES, check_names
from sharewell.data.scratch import scratch
from sharewell.errors import InputError

BATCH = 20_000
WRITTEN = datetime(2000, 1, 1)  # the same table gives the same bytes
# what openpyxl and zipfile raise on an archive that is cut, flipped, locked or no workbook inside
BROKEN = (
    zipfile.BadZipFile, zlib.error, ParseError, OSError, EOFError, RuntimeError, KeyError, IndexError, ValueError,
    TypeError, AttributeError,
)  # fmt: skip


def read(path: Path, options: ReadOptions) -> Table:
    _check_sizes(path, options)
    with _opened(path) as book:
        rows = _sheet(path, book, options.table).iter_rows(values_only=True)
        names = [_text(cell) or "" for cell in next(rows, ())]
        while names and not names[-1]:  # formatted columns without a name or a cell
            names.pop()
        if not names:
            raise InputError("the sheet is empty; expected a header and at least one row", file=path)
        check_names(names, path)
        options.sizes.check_columns(len(names), path)
        return _stored(path, names, rows, options)


def style(path: Path, options: ReadOptions) -> dict[str, Any]:
    return {"sheet": options.table} if options.table else {}


def write(table: Table, path: Path, sheet: str = "Sheet1") -> None:
    from openpyxl import Workbook
    from openpyxl.cell import WriteOnlyCell

    book = Workbook(write_only=True)
    book.properties.created = book.properties.modified = WRITTEN
    page = book.create_sheet(sheet)

    def cell(value: Any) -> Any:
        made = WriteOnlyCell(page, value=None)
        made.value, made.data_type = value, "s"
        return made

    page.append([cell(name) for name in table.columns])
    for batch in batches(table.select(*(table[name].cast("string").name(name) for name in table.columns))):
        for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            page.append([None if value is None else cell(value) for value in row])
    book.save(path)
    _without_clock(path)


def _without_clock(path: Path) -> None:
    """The archive once more with a fixed date on every part: the same table gives the same bytes."""
    with zipfile.ZipFile(path) as packed:
        parts = [(name, packed.read(name)) for name in sorted(packed.namelist())]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in parts:
            packed.writestr(zipfile.ZipInfo(name, WRITTEN.timetuple()[:6]), _undated(name, content))


def _undated(name: str, content: bytes) -> bytes:
    """openpyxl writes the hour of saving into the properties, whatever they say."""
    if name != "docProps/core.xml":
        return content
    fixed = WRITTEN.isoformat().encode() + b"Z"
    return re.sub(rb"(<dcterms:modified[^>]*>)[^<]*", rb"\g<1>" + fixed, content)


class _opened:
    """A workbook for reading only, closed whatever happens; what is wrong with it in one sentence."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> Any:
        from openpyxl import load_workbook

        warnings.filterwarnings("ignore", module=r"openpyxl\..*")  # of extensions that hold no cells
        try:
            self.book = load_workbook(self.path, read_only=True, data_only=True, keep_links=False)
        except BROKEN:
            raise _incomplete(self.path) from None
        return self.book

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        self.book.close()
        if isinstance(error, BROKEN):  # a sheet is parsed as its rows are taken
            raise _incomplete(self.path) from None


def _incomplete(path: Path) -> InputError:
    return InputError("is not a complete .xlsx workbook; save it again, or as CSV", file=path)


def _sheet(path: Path, book: Any, named: str | None) -> Any:
    if not book.worksheets:
        raise InputError("the workbook has no sheet; expected one with a header and rows", file=path)
    if named is None:
        return book.worksheets[0]
    if named not in book.sheetnames:
        known = ", ".join(f"'{name}'" for name in book.sheetnames)
        raise InputError(f"there is no sheet '{named}'; the workbook has {known}", file=path)
    return book[named]


def _check_sizes(path: Path, options: ReadOptions) -> None:
    """A workbook is a zip archive, and an archive says how large its parts are before they are unpacked."""
    try:
        with zipfile.ZipFile(path) as archive:
            unpacked = sum(entry.file_size for entry in archive.infolist())
    except BROKEN:
        raise _incomplete(path) from None
    options.sizes.check_bytes(unpacked, path.stat().st_size, path)


def _stored(path: Path, names: list[str], rows: Iterator[tuple[Any, ...]], options: ReadOptions) -> Table:
    """The rows on disk, a batch at a time; blank rows are none."""
    target = scratch() / f"{ibis.util.gen_name('sheet')}.parquet"
    schema = pa.schema([(name, pa.string()) for name in names])
    written = 0
    with pq.ParquetWriter(target, schema) as writer:
        while batch := list(islice(rows, BATCH)):
            cells = [[_kept(cell, options.missing) for cell in row] for row in batch]
            for number, row in enumerate(cells, start=written + 1):
                if any(cell is not None for cell in row[len(names) :]):
                    problem = f"has more cells than the header's {len(names)}; name every column, and {TITLES}"
                    raise InputError(problem, file=path, row=number)
            wide = [(row + [None] * len(names))[: len(names)] for row in cells]
            filled = [row for row in wide if any(cell is not None for cell in row)]
            columns = [pa.array([row[place] for row in filled], pa.string()) for place in range(len(names))]
            writer.write_batch(pa.record_batch(columns, schema=schema))
            written += len(filled)
            options.sizes.check_rows(written, path)
    if not written:
        raise InputError("the sheet has a header and no rows; expected at least one row", file=path)
    return connection().read_parquet(str(target))


def _kept(cell: Any, missing: tuple[str, ...]) -> str | None:
    text = _text(cell)
    return None if text is None or text in missing else text


def _text(cell: Any) -> str | None:
    """A cell as a person reads it."""
    if cell is None or cell == "":
        return None
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**53:
        return str(int(cell))
    if isinstance(cell, datetime):
        return cell.date().isoformat() if cell.time() == time() else cell.isoformat(sep=" ")
    if isinstance(cell, date | time):
        return cell.isoformat()
    return str(cell)
