"""A table or figure of a paper: tidy rows, published figures beside measured ones, a caption and a chart."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from markupsafe import Markup

from sharewell.errors import InputError

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

WIDE, HIGH, EDGE = 620, 260, 46
COLOURS = ("#0060a0", "#b85c00", "#2c7a3f", "#8a4fa3", "#8b96a3", "#b3361b")
PAGE = Markup(
    "<!doctype html><html lang=en><meta charset=utf-8><title>{title}</title>"
    "<style>body{{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}}"
    "table{{border-collapse:collapse}}td,th{{padding:.2rem .8rem .2rem 0;text-align:left;border-bottom:1px solid #ddd}}"
    "figure{{margin:2rem 0}}figcaption{{max-width:45rem}}</style><h1>{title}</h1>{body}</html>"
)


@dataclass(frozen=True, kw_only=True)
class PaperTable:
    """Rows of one table or figure. `x` is the column along the bottom of the chart, `series` what distinguishes lines.

    `measured` and `published` are columns of `rows`; a figure that the paper does not give is missing there.
    """

    name: str  # such as "Table A1"
    title: str
    caption: str  # protocol and seed
    rows: pa.Table
    x: str = ""
    series: tuple[str, ...] = ()

    def to_arrow(self) -> pa.Table:
        return self.rows

    def to_pandas(self) -> "pd.DataFrame":
        """The rows as a pandas frame."""
        return self.rows.to_pandas()

    def to_polars(self) -> "pl.DataFrame":
        """The rows as a polars frame."""
        try:
            import polars
        except ImportError:
            raise InputError("polars is not installed; use .to_pandas() or .to_arrow()") from None
        made = polars.from_arrow(self.rows)
        assert isinstance(made, polars.DataFrame)
        return made

    def to_dict(self) -> dict[str, Any]:
        """Name, title, caption and rows as plain data."""
        return {"name": self.name, "title": self.title, "caption": self.caption, "rows": self.rows.to_pylist()}

    def __str__(self) -> str:
        lines = [tuple(self.rows.column_names), *(tuple(map(shown, row.values())) for row in self.rows.to_pylist())]
        widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
        body = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines]
        return "\n".join([f"{self.name}. {self.title}", *body, self.caption])

    def _repr_html_(self) -> str:
        return str(self.html())

    def html(self) -> Markup:
        """The chart, the rows and the caption."""
        head = Markup("").join(Markup("<th>{}</th>").format(name) for name in self.rows.column_names)
        lines = [
            Markup("").join(Markup("<td>{}</td>").format(shown(cell)) for cell in row.values())
            for row in self.rows.to_pylist()
        ]
        body = Markup("").join(Markup("<tr>{}</tr>").format(line) for line in lines)
        table = Markup("<table><tr>{}</tr>{}</table>").format(head, body)
        words = Markup("<figcaption><b>{}.</b> {} {}</figcaption>").format(self.name, self.title, self.caption)
        return Markup("<figure>{}{}{}</figure>").format(self.chart(), table, words)

    def chart(self) -> Markup:
        """Draw measured figures as lines and published ones dashed, as SVG."""
        rows = [row for row in self.rows.to_pylist() if self.x and row[self.x] is not None]
        lines: dict[tuple[str, bool], list[tuple[float, float]]] = {}
        for row in rows:
            name = ", ".join(str(row[column]) for column in self.series)
            for column in ("measured", "published"):
                if row.get(column) is not None:
                    lines.setdefault((name, column == "published"), []).append((float(row[self.x]), row[column]))
        return _drawn(lines, self.x) if lines else Markup("")


def _drawn(lines: Mapping[tuple[str, bool], Sequence[tuple[float, float]]], label: str) -> Markup:
    places = [point for line in lines.values() for point in line]
    left, right = min(x for x, _ in places), max(x for x, _ in places)
    low, high = min(0.0, *(y for _, y in places)), max(y for _, y in places)
    names = list(dict.fromkeys(name for name, _ in lines))

    def at(x: float, y: float) -> tuple[float, float]:
        across = EDGE + (x - left) / max(right - left, 1e-9) * (WIDE - 2 * EDGE)
        return round(across, 1), round(HIGH - EDGE - (y - low) / max(high - low, 1e-9) * (HIGH - 2 * EDGE), 1)

    parts = [
        Markup('<polyline points="{}" fill="none" stroke="{}" stroke-width="2"{}/>').format(
            " ".join("{},{}".format(*at(*point)) for point in sorted(line)),
            COLOURS[names.index(name) % len(COLOURS)],
            Markup(' stroke-dasharray="5 4"') if printed else "",
        )
        for (name, printed), line in lines.items()
    ]
    for (name, _), (first, *rest) in lines.items():
        if not rest:
            colour = COLOURS[names.index(name) % len(COLOURS)]
            parts.append(Markup('<circle cx="{}" cy="{}" r="4" fill="{}"/>').format(*at(*first), colour))
    for value in (low, high):
        parts.append(Markup('<text x="2" y="{}" font-size="12">{}</text>').format(at(left, value)[1] + 4, shown(value)))
    for value in (left, right):
        across = at(value, low)[0]
        parts.append(Markup('<text x="{}" y="{}" font-size="12">{:g}</text>').format(across, HIGH - EDGE + 16, value))
    parts.append(Markup('<text x="{}" y="{}" font-size="12">{}</text>').format(WIDE // 2, HIGH - EDGE + 32, label))
    for number, name in enumerate(names):
        colour = COLOURS[number % len(COLOURS)]
        text = Markup('<text x="{}" y="{}" fill="{}" font-size="12">{}</text>')
        parts.append(text.format(WIDE - EDGE + 6, 20 + 16 * number, colour, name))
    alt = f"Measured figures against {label}, solid; published ones dashed."
    head = Markup('<svg viewBox="0 0 {} {}" width="{}" role="img" aria-label="{}">')
    return head.format(WIDE + 200, HIGH, WIDE + 200, alt) + Markup("").join(parts) + Markup("</svg>")


def shown(cell: Any) -> str:
    """A cell as text: shares with three digits, a missing one as a dash."""
    return "–" if cell is None else f"{cell:.3f}" if isinstance(cell, float) else str(cell)


def rows_of(rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    """Make a table of rows; an empty `published` column is one of numbers."""
    made = pa.Table.from_pylist([dict(row) for row in rows])
    for number, field in enumerate(made.schema):
        if pa.types.is_null(field.type):
            made = made.set_column(number, field.name, made.column(number).cast(pa.float64()))
    return made


def page(title: str, tables: Sequence[PaperTable]) -> str:
    """One HTML file with all tables and charts; nothing is loaded from a network."""
    return str(PAGE.format(title=title, body=Markup("").join(table.html() for table in tables)))
