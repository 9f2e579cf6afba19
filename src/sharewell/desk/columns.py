"""What the files of a plan hold, column by column, through disclosure: nothing that fewer than five share.

The plan may be in the middle of being corrected: what it says of a file is taken as it stands, and a file that cannot
be read says why.
"""

import math
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from ibis.expr.types import Table

from sharewell import disclosure, kinds, progress
from sharewell.data import engine, formats
from sharewell.data.formats.recognised import recognised
from sharewell.errors import SharewellError
from sharewell.first_plan.draft import KINDS_OF, guess
from sharewell.first_plan.looks import looks
from sharewell.plan.claims import Looks
from sharewell.plan.sections import is_address

MOST_VALUES = 40  # a column with more different ones has no bars, unless they are numbers
MOST_BARS = 8
OFTEN_DIFFERENT = 0.3  # different values per cell: names of people hardly repeat, names of countries do
MANY_WORDS = 3  # a cell of more words is text
READING = ("format", "encoding", "delimiter", "table")
HOW = (*READING, "file", "missing", "rows")  # what of a section says which columns its file has


def found(plan: Path) -> list[dict[str, Any]]:
    """Every file that the plan names."""
    document = tomllib.loads(plan.read_text(encoding="utf-8-sig"))
    files = []
    for label, section in sections(document):
        with progress.step(f"{label}: looking at its columns"):
            found = {"label": label, "file": str(section.get("file", "")), "reading": reading(plan.parent, section)}
            files.append({**found, **_file(plan.parent, label, section)})
    return files


def others(plan: Path) -> list[dict[str, Any]]:
    """Read the columns of files in the folder that the plan names nowhere."""
    document = tomllib.loads(plan.read_text(encoding="utf-8-sig"))
    files = []
    for path in sorted(path for path in plan.parent.iterdir() if path.is_file() and not path.name.startswith(".")):
        if path.name not in used(document):
            with suppress(SharewellError):
                files.append(
                    {"name": path.name, "columns": list(formats.read(path, format=recognised(path)).table.columns)}
                )
    return files


def used(document: Mapping[str, Any]) -> set[str]:
    """Files that a plan names somewhere, and the plan itself."""
    heading = document.get("release", {})
    excluded = heading.get("exclude", {})
    named = {section.get("file") for _, section in sections(document)}
    named |= {section["roster"].get("file") for _, section in sections(document) if "roster" in section}
    listed = excluded.get("file") if isinstance(excluded, dict) else excluded
    return {"plan.toml", str(heading.get("approvers")), str(listed), *map(str, named)}


def reading(folder: Path, section: Mapping[str, Any]) -> dict[str, Any]:
    """Return how a section reads its file, and when the file was changed."""
    how = {key: section[key] for key in HOW if key in section}
    with suppress(OSError, ValueError):
        found = (folder / str(section.get("file"))).stat()
        how["changed"] = [found.st_mtime_ns, found.st_size]
    if how.get("rows") == "numbered":
        how["student"] = section.get("student")
    return how


def sections(document: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The sections of a plan that may be wrong in other ways."""
    for kind in kinds.names():
        tables = document.get(kind)
        for name, section in tables.items() if isinstance(tables, Mapping) else ():
            if isinstance(section, Mapping):
                yield f"{kind}.{name}", section


def _file(folder: Path, label: str, section: Mapping[str, Any]) -> dict[str, Any]:
    name = section.get("file")
    if not isinstance(name, str):
        return {"problem": "the plan names no file here", "columns": []}
    if is_address(name):
        return {"problem": "a table of a server or a catalog: it is looked at when the risk is measured", "columns": []}
    try:
        table = table_of(folder, section)
        student = section.get("student")
        if section.get("rows") == "numbered" and isinstance(student, str) and student not in table.columns:
            table = engine.numbered(table, student)
        return _looked(table, label, folder / name, section)
    except SharewellError as error:
        return {"problem": str(error).replace(f"{folder}/", ""), "columns": []}


def table_of(folder: Path, section: Mapping[str, Any]) -> Table:
    """Read the file of a section that may be wrong in other ways."""
    options = {key: section[key] for key in READING if isinstance(section.get(key), str)}
    return formats.read(folder / section["file"], missing=tuple(section.get("missing", [""])), **options).table


def _looked(table: Table, label: str, path: Path, section: Mapping[str, Any]) -> dict[str, Any]:
    rows = engine.materialise(table)
    format = section.get("format")
    seen = looks(rows, formats.meant(format, rows.columns))
    guessed = guess(path.name, seen, KINDS_OF.get(format or ""))
    student = section.get("student") if section.get("student") in rows.columns else None
    columns = _Columns(rows, student)
    kind = label.partition(".")[0]
    why = guessed.why if guessed.kind == kind else f"the plan says {kind}; its columns look like {guessed.kind}"
    return {
        "why": why,
        "rows": disclosure.cases(0 if disclosure.is_few(columns.rows) else columns.rows),
        "columns": [columns.shown(column, guessed.reasons.get(column.name, "")) for column in seen],
    }


class _Columns:
    """Counts over all rows of a file; who holds a value is counted in students where a column names them."""

    def __init__(self, table: Table, student: str | None) -> None:
        self.table, self.student = table, student
        names = [engine.named(name) for name in table.columns]
        counted = [f"count({name})" for name in names] + [f"count(DISTINCT {name})" for name in names]
        figures = engine.figures(table, ["count(*)", *counted])
        self.rows = int(figures[0])
        self.filled = dict(zip(table.columns, figures[1 : len(names) + 1], strict=True))
        self.distinct = dict(zip(table.columns, figures[len(names) + 1 :], strict=True))
        self.kinds = dict(table.schema().items())

    def shown(self, column: Looks, reason: str) -> dict[str, Any]:
        name = column.name
        absent = self.rows - self.filled[name]
        bars, hidden, values = self._bars(column)
        return {
            "name": name,
            "type": self._type(column),
            "missing": disclosure.part(absent, self.rows) or f"{absent / max(self.rows, 1):.0%}",
            "distinct": self.distinct[name],
            "reason": reason,
            "bars": bars,
            "hidden": hidden,
            "values": values,
        }

    def _type(self, column: Looks) -> str:
        kind = self.kinds[column.name]
        if kind.is_numeric() or column.number > 0.95:
            return "numbers"
        if kind.is_temporal() or column.date > 0.9:
            return "times"
        return "text" if column.words > MANY_WORDS else "categories" if self._few_values(column) else "words"

    def _few_values(self, column: Looks) -> bool:
        return bool(self.distinct[column.name] <= MOST_VALUES)

    def _bars(self, column: Looks) -> tuple[list[dict[str, Any]], int, dict[str, int]]:
        """Count students per value, but not of names, addresses, numbers of people or text; with all shared values."""
        named = column.person > 0.3 and column.spread > OFTEN_DIFFERENT
        personal = named or column.email > 0.05 or column.phone > 0.3 or column.words > MANY_WORDS
        if column.name == self.student or personal or not self.filled[column.name]:
            return [], 0, {}
        if self._few_values(column):
            shown, hidden = disclosure.shared(self._holders(engine.named(column.name)))
            most = max(shown.values(), default=1)
            kept, rest = list(shown.items())[:MOST_BARS], list(shown.items())[MOST_BARS:]
            if self._type(column) == "numbers":
                kept.sort(key=lambda one: float(one[0]))
            values = shown if self._type(column) == "categories" else {}
            return [_bar(value, count, most) for value, count in kept], hidden + sum(count for _, count in rest), values
        return (self._bands(column.name) if self._type(column) == "numbers" else []), 0, {}

    def _bands(self, name: str) -> list[dict[str, Any]]:
        """Numbers in bands of a round width between the outer twentieths, open at both ends."""
        number = f"TRY_CAST({engine.named(name)} AS DOUBLE)"
        low, high = engine.figures(self.table, [f"quantile_cont({number}, {share})" for share in (0.05, 0.95)])
        if low is None or not math.isfinite(low) or not math.isfinite(high) or high <= low:
            return []
        width = _round_width((high - low) / MOST_BARS)
        first, last = math.floor(low / width), math.floor(high / width)
        band = f"least(greatest(floor({number} / {width}), {first}), {last})"
        students = {int(float(value)): count for value, count in self._holders(band).items()}
        counts = [students.get(place, 0) for place in range(first, last + 1)]
        spans = disclosure.joined_neighbours(counts)
        sums = [sum(counts[a : b + 1]) for a, b in spans]
        return [
            _bar(_band_name(first + a, first + b, width, first, last), total, max(sums))
            for (a, b), total in zip(spans, sums, strict=True)
            if total
        ]

    def _holders(self, value: str) -> dict[str, int]:
        """Value → students, or rows where no column names the students."""
        who = f"count(DISTINCT {engine.named(self.student)})" if self.student else "count(*)"
        backend = engine.connection()
        query = f"SELECT CAST({value} AS VARCHAR) AS cell, {who} FROM ({backend.compile(self.table)}) GROUP BY 1"
        return {cell: int(count) for cell, count in backend.raw_sql(query).fetchall() if cell is not None}


def _bar(name: str, count: int, most: int) -> dict[str, Any]:
    return {"name": name, "count": count, "share": round(100 * count / most)}


def _round_width(width: float) -> float:
    """The next 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(width))
    return float(next(step * power for step in (1, 2, 5, 10) if step * power >= width * (1 - 1e-9)))


def _band_name(a: int, b: int, width: float, first: int, last: int) -> str:
    if a == first and b == last:
        return "all of them"
    if a == first:
        return f"under {(b + 1) * width:g}"
    return f"{a * width:g} and over" if b == last else f"{a * width:g} to under {(b + 1) * width:g}"
