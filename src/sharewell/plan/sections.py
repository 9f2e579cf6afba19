"""What one section of a plan may say: roles of columns, settings and limits, shared by all kinds.

A kind describes its section as a frozen dataclass that extends `Section`; every field says what it is through one
of the helpers below, and plan.py reads, checks and refuses from that description alone. This module and the
`section.py` of each kind import nothing heavy.
"""

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, ClassVar, Self

from sharewell.plan.audience_limits import Audience

Columns = tuple[str, ...]
CATALOG = "catalog:"
ADDRESSES = ("postgresql://", "postgres://", CATALOG)


def column(role: str, *, says: str = "", default: Any = MISSING) -> Any:
    """One column's name; the field gives it this role."""
    return field(default=default, metadata={"role": role, "many": False, "says": says})


def columns(role: str, *, says: str = "") -> Any:
    """A list of column names that get this role."""
    return field(default=(), metadata={"role": role, "many": True, "says": says})


def mentions(*, says: str = "") -> Any:
    """A list of columns that have their role elsewhere and are referred to here (a target, for instance)."""
    return field(default=(), metadata={"mention": True, "many": True, "says": says})


def setting(
    default: Any = None, *, says: str = "", one_of: tuple[Any, ...] = (), low: Any = None, high: Any = None
) -> Any:
    """A value that is not a column, with what it may be."""
    return field(default=default, metadata={"one_of": one_of, "low": low, "high": high, "says": says})


def limit(*, low: float, high: float = float("inf"), says: str = "") -> Any:
    """A number that a risk is held to; None where neither plan nor audience asks for it."""
    return field(default=None, metadata={"low": low, "high": high, "bound": True, "says": says})


def table(default: Any = MISSING, *, says: str = "", default_factory: Any = MISSING) -> Any:
    """A table of its own inside the section (limits, a roster, date formats)."""
    return field(default=default, default_factory=default_factory, metadata={"says": says})


@dataclass(frozen=True, kw_only=True)
class Roster:
    """A list of the people of the course; its words are looked for in texts and written nowhere."""

    file: str = setting(MISSING, says="The file that lists the people of the course.")
    columns: Columns = setting(MISSING, says="Its columns that hold names or e-mail addresses.")


@dataclass(frozen=True, kw_only=True)
class Section:
    """One file of a release. Every column of the file must appear under exactly one role."""

    kind: ClassVar[str]
    one_row_per_student: ClassVar[bool] = False
    numbers_rows: ClassVar[bool] = False  # no column names the students: `student` is a new one with numbers
    audience_limits: ClassVar[Mapping[Audience, Mapping[str, float]]]
    retired: ClassVar[Mapping[str, str]] = {}  # keys of earlier versions, each with how to write it now
    withheld: ClassVar[Columns] = ("direct", "drop")  # roles whose columns no recipient gets
    used_again: ClassVar[str | None] = None  # a private table of a release that its next version can use again

    name: str = field(metadata={"internal": True})
    folder: Path = field(metadata={"internal": True})
    file: str = setting(
        MISSING,
        says="The file to release, or a folder of Parquet files, relative to the plan; or a table: "
        "`postgresql:///warehouse?table=events`; with Spark `catalog:lms.events`.",
    )
    format: str | None = setting(says="The format, where the name of the file does not tell it.")
    encoding: str | None = setting(says="The encoding of a text file, where it is not UTF-8 and cannot be recognised.")
    delimiter: str | None = setting(says="What separates the cells of a text file, where it cannot be recognised.")
    dates: Mapping[str, str] = table(
        default_factory=dict,
        says='How a column writes its dates: a pattern such as "%d %b, %H:%M", in which times come out again; "excel", '
        '"epoch-s", "epoch-ms", "elapsed-s", "elapsed-ms" … for numbers; or "day-first", "month-first", "iso" for '
        "several ways of writing, which come out in ISO order.",
    )
    missing: tuple[str, ...] = setting(("",), says='Cells of a text file that stand for "no value".')
    rows_without_student: str = setting(
        "refuse", one_of=("refuse", "drop"), says="What to do with rows that name no student."
    )

    student: str = column("student", says="The column that tells whose row it is; replaced by pseudonyms.")
    direct: Columns = columns("direct", says="Columns that identify by themselves; dropped.")
    drop: Columns = columns("drop", says="Columns that nobody needs; dropped.")
    keep: Columns = columns("keep", says="Columns that are passed on as they are; their risk is measured.")
    ids: Columns = columns("ids", says="Numbers of rows or threads; replaced by pseudonyms.")
    peers: Columns = columns("peers", says="Other students; they get the same pseudonyms as the student column.")
    year: int | None = setting(
        low=1900, high=2200, says="The year of dates that are written without one (`%d %b, %H:%M`)."
    )
    first_month: int | None = setting(
        low=1,
        high=12,
        says="The month of `year` with which the twelve begin that hold all dates without a year; needed where some "
        "are of December and some of January. `9`: September of `year` to August of the next.",
    )
    table: str | None = setting(says="The table of a database file, or the sheet of a workbook.")

    @property
    def path(self) -> Path:
        return self.folder / self.file

    @property
    def label(self) -> str:
        return f"{self.kind}.{self.name}"

    def roles(self) -> Iterator[tuple[str, str]]:
        """Every (role, column) pair that the section gives."""
        for item, value in self._filled():
            if "role" in item.metadata:
                yield from ((item.metadata["role"], name) for name in _as_columns(value))

    def mentioned(self) -> Iterator[tuple[str, str]]:
        """Every (field, column) pair that refers to a column without giving it a role."""
        for item, value in self._filled():
            if item.metadata.get("mention"):
                yield from ((item.name, name) for name in _as_columns(value))

    def problems(self) -> list[str]:
        """What a kind finds contradictory in its own section, one sentence each."""
        return []

    def limits(self) -> dict[str, float]:
        """The limits that the gate holds this file to; a kind leaves out those that do not apply."""
        bounds: Any = getattr(self, "limit")  # noqa: B009 — every kind's section has one, this shared part does not
        given = {item.name: getattr(bounds, item.name) for item in fields(bounds) if "bound" in item.metadata}
        return {name: value for name, value in given.items() if value is not None}

    def for_audience(self, audience: Audience) -> Self:
        """The same section with the limits of the audience where the plan leaves them open."""
        bounds: Any = getattr(self, "limit")  # noqa: B009 — as above
        usual = self.audience_limits[audience]
        return self.held_to(**{name: value for name, value in usual.items() if getattr(bounds, name) is None})

    def held_to(self, **limits: float | None) -> Self:
        """The same section with other limits."""
        bounds: Any = getattr(self, "limit")  # noqa: B009 — as above
        changed: Any = {"limit": replace(bounds, **limits)}
        return replace(self, **changed)

    @property
    def instead(self) -> str | None:
        """What recipients get in place of the columns of the file; None where they get columns."""
        return None

    @property
    def uses_again(self) -> bool:
        """Whether a next version takes the table `used_again` by itself; a plan may ask for it where it does not."""
        return False

    def as_before(self, table: str) -> Self:
        """The same section with the table `used_again` of an earlier release, by its path.

        A kind that names such a table has a setting `recoding` for it.
        """
        again: Any = {"recoding": table}
        return replace(self, **again)

    def files(self) -> Mapping[str, Path]:
        """Further tables that the section reads (a roster), by what they are."""
        return {}

    def reads(self) -> Mapping[str, Path]:
        """Files and folders beside tables that its kind reads by itself (hierarchies, a model), by what they are."""
        return {}

    def people(self) -> Mapping[str, Columns]:
        """Of the further files those that list people, with the columns that hold their names and addresses."""
        return {}

    def _filled(self) -> Iterator[tuple[Field[Any], Any]]:
        return ((item, value) for item in fields(self) if (value := getattr(self, item.name)))


def is_address(file: str) -> bool:
    """Whether a file of a plan is a table of a database server or of a catalog."""
    return file.startswith(ADDRESSES)


def _as_columns(value: Any) -> Columns:
    return (value,) if isinstance(value, str) else tuple(value)
