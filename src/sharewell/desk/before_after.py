"""Ten rows of each file before and after; of the original only values that five students share."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ibis.expr.types import Table

from sharewell.data import engine, formats
from sharewell.disclosure import FEWEST
from sharewell.findings import FileFindings, Findings
from sharewell.plan.document import Plan
from sharewell.plan.sections import Section, is_address

ROWS = 10
HIDDEN = "hidden"  # a cell of a column that identifies
RARE = "shared by few"
IDENTIFYING = ("student", "direct", "ids", "peers", "text")  # roles whose values are shown to nobody
GONE = ""


def tables(plan: Plan, findings: Findings, built: Path) -> list[dict[str, Any]]:
    """One entry for each file that a release was made of."""
    made = {file.label: file for file in findings.files}
    return [_pair(section, made[section.label], built) for section in plan.sections if not is_address(section.file)]


def _pair(section: Section, made: FileFindings, built: Path) -> dict[str, Any]:
    options = {key: value for key in ("format", "encoding", "delimiter", "table") if (value := getattr(section, key))}
    before = engine.materialise(formats.read(section.path, missing=section.missing, **options).table)
    after = formats.read_released(built, f"data/{made.file}", made.format)
    roles = {name: role for role, name in section.roles()}
    columns = [
        {"name": name, "role": roles.get(name, ""), "gone": name not in after.columns} for name in before.columns
    ]
    rows = engine.arrow(after.limit(ROWS)).to_pylist()
    return {
        "file": section.file,
        "columns": columns,
        "before": _shown(before, roles, section.student),
        "after": [[_cell(row[name]) if name in row else GONE for name in before.columns] for row in rows],
    }


def _shown(table: Table, roles: Mapping[str, str], student: str) -> list[list[str]]:
    rows = engine.arrow(table.limit(ROWS)).to_pylist()
    shared = {name: _shared(table, name, [row[name] for row in rows], student) for name in table.columns
              if roles.get(name) not in IDENTIFYING}  # fmt: skip
    return [
        [
            HIDDEN
            if name not in shared
            else _cell(row[name])
            if row[name] is None or row[name] in shared[name]
            else RARE
            for name in table.columns
        ]
        for row in rows
    ]


def _shared(table: Table, name: str, cells: list[Any], student: str) -> set[Any]:
    """Of some cells of a column those that five students or more share."""
    wanted = [cell for cell in dict.fromkeys(cells) if cell is not None]
    if not wanted:
        return set()
    who = table[student].nunique() if student in table.columns else table.count()
    counted = table.filter(table[name].isin(wanted)).group_by(name).agg(who=who)
    return {row[name] for row in engine.arrow(counted).to_pylist() if row["who"] >= FEWEST}


def _cell(value: Any) -> str:
    return "" if value is None else str(value)
