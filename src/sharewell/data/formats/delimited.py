"""CSV and TSV: every cell stays text, the header is the first row, the delimiter is found or named.

DuckDB's own sniffer is never asked (it may skip rows, or take the header for data): the delimiter is settled
here, the whole file is checked by csv_check, and DuckDB gets every option in strict mode.
"""

import csv
import io
from itertools import islice
from pathlib import Path

import ibis
from ibis.expr.types import Table

from sharewell.data.backends import connection, copy, literal
from sharewell.data.formats import ReadOptions
from sharewell.data.formats.csv_check import Shape, check_csv, with_plain_lines
from sharewell.data.formats.formulas import check_header, without_formulas
from sharewell.data.formats.names import TITLES, check_names
from sharewell.data.formats.text import as_utf8, decoded_head
from sharewell.errors import InputError

DELIMITERS = (",", ";", "\t", "|")
NEVER = "\0"  # refused in any file, so that no cell is taken for missing when the plan names none
ROW_NAMES = "row"  # what a first column without a name is called: statistics programs put numbers of rows there
SAMPLE_ROWS = 1000
MOST_TITLES = 8  # lines above a header
LINE_BYTES = 2_097_152  # DuckDB's default; longer lines must be announced


def style(path: Path, options: ReadOptions) -> dict[str, str | None]:
    return {
        "delimiter": options.delimiter or find_delimiter(path, options),
        "compression": options.compression,
    }


def find_delimiter(path: Path, options: ReadOptions) -> str:
    """The one delimiter that the header holds and that cuts the first rows into equally many cells."""
    text = decoded_head(path, options)
    cuts = {delimiter: _widths(text, delimiter) for delimiter in DELIMITERS}
    wide = {delimiter: widths for delimiter, widths in cuts.items() if widths and widths[0] > 1}
    for delimiter in ";\t|" if not wide else "":
        below = cuts[delimiter][MOST_TITLES:]
        if below and below[0] > 1 and len(set(below)) == 1:
            raise InputError(f"the first line is not as wide as the rows; {TITLES}", file=path)
    if not wide:
        return "\t" if options.format == "tsv" else ","
    even = {delimiter: widths for delimiter, widths in wide.items() if len(set(widths)) == 1} or wide
    widest = max(widths[0] for widths in even.values())
    best = [delimiter for delimiter, widths in even.items() if widths[0] == widest]
    if len(best) > 1:
        raise InputError(f"could be split at {' or '.join(map(repr, best))}; name the delimiter in the plan", file=path)
    return best[0]


def read(path: Path, options: ReadOptions) -> Table:
    delimiter = options.delimiter or find_delimiter(path, options)
    if len(delimiter) != 1 or delimiter in '"\r\n' or not delimiter.isascii():
        raise InputError("the delimiter that the plan names must be one character, such as ';'", file=path)
    plain, compression = as_utf8(path, options)
    names = _header(path, plain, compression, delimiter)
    options.sizes.check_columns(len(names), path)
    check_header(names, path)
    shape = check_csv(plain, compression, names=names, delimiter=delimiter, shown_as=path, sizes=options.sizes)
    if shape.mixed_lines:
        plain, compression = with_plain_lines(plain, compression, delimiter=delimiter), None
    reading = _read_one_column if len(names) == 1 else _read_columns
    return reading(plain, compression, names, delimiter, shape, options.missing)


def write(table: Table, path: Path, delimiter: str = ",", compression: str | None = None) -> None:
    """UTF-8, a header, quotes by RFC 4180, and no cell that a spreadsheet would run as a formula."""
    if len(table.columns) == 1:  # a missing cell would be a blank line, which readers skip
        table = table.mutate(table[0].cast("string").fill_null("").name(table.columns[0]))
    options = {"delimiter": delimiter, "quote": '"', "escape": '"', "compression": compression or "none"}
    copy(without_formulas(table), path, format="csv", header=True, **options)


def _widths(text: str, delimiter: str) -> list[int]:
    """How many cells each of the first rows has; the last of the sample may be cut off: left out."""
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True)
    try:
        widths = [len(row) for row in islice(rows, SAMPLE_ROWS) if row]
    except csv.Error:  # a field longer than the csv module takes: the check of the whole file will name it
        return []
    return widths[:-1] if len(widths) > 2 else widths


def _header(path: Path, plain: Path, compression: str | None, delimiter: str) -> list[str]:
    text = decoded_head(plain, ReadOptions(format="csv", compression=compression, encoding="utf-8"))
    try:
        names = next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True), [])
    except csv.Error:
        names = []
    if len(names) > 1 and not names[0].strip() and all(name.strip() for name in names[1:]):
        names[0] = ROW_NAMES if ROW_NAMES not in names else f"{ROW_NAMES}_1"
    if not names:
        raise InputError("begins with a blank line; the first line must be the header", file=path)
    check_names(names, path)
    return names


def _read_columns(
    path: Path,
    compression: str | None,
    names: list[str],
    delimiter: str,
    shape: Shape,
    missing: tuple[str, ...],
) -> Table:
    return connection().read_csv(
        literal(path),
        columns=dict.fromkeys(names, "VARCHAR"),
        nullstr=list(missing) or [NEVER],
        allow_quoted_nulls=True,
        **_fixed(compression, delimiter, shape),
    )


def _read_one_column(
    path: Path,
    compression: str | None,
    names: list[str],
    delimiter: str,
    shape: Shape,
    missing: tuple[str, ...],
) -> Table:
    """In a file of one column a blank line is no row, while a cell that says "" is one."""
    table = connection().read_csv(
        literal(path),
        columns={names[0]: "VARCHAR"},
        nullstr=[""],
        allow_quoted_nulls=False,
        **_fixed(compression, delimiter, shape),
    )
    cells = table.filter(table[0].notnull())
    return cells.mutate(ibis.ifelse(cells[0].isin(missing), None, cells[0]).name(names[0])) if missing else cells


def _fixed(compression: str | None, delimiter: str, shape: Shape) -> dict[str, object]:
    options: dict[str, object] = {
        "header": True,
        "auto_detect": False,
        "strict_mode": True,
        "null_padding": False,
    }
    options |= {"delim": delimiter, "quote": '"', "escape": '"', "compression": compression or "none"}
    if shape.longest_line > LINE_BYTES // 2:
        longest = shape.longest_line + 4096
        options |= {"max_line_size": longest, "buffer_size": 4 * longest}
    return options
