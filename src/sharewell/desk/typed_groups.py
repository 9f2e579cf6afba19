"""Hierarchies that a person typed, as the CSV files that `hierarchies` of a plan names.

Every version lies in a folder of its own beside the plan, which names one of them: to undo the plan undoes the groups.
"""

import csv
import shutil
from collections.abc import Collection, Mapping
from pathlib import Path

from sharewell.errors import InputError

Levels = tuple[str, str]  # the group of a value and the wider group of that; empty where none was typed
REST: Levels = ("other", "")  # of values that few students share, and that nobody is shown


def read(folder: Path, column: str) -> dict[str, Levels]:
    """Read what each value becomes, where a hierarchy of the column is there."""
    path = folder / _name(column)
    if not path.is_file():
        return {}
    with path.open(newline="", encoding="utf-8-sig") as file:
        levels = [[*row, "", ""] for row in csv.reader(file, delimiter=";") if row]
    return {row[0]: (row[1].replace("*", ""), row[2].replace("*", "")) for row in levels}


def rows(values: Collection[str], typed: Mapping[str, Levels], rest: Levels) -> list[list[str]]:
    """Make the rows of a hierarchy; values that nobody saw go to `rest`."""
    everyone = [typed.get(value, rest) for value in values]
    wider: dict[str, str] = {}
    for value, (group, above) in zip(values, everyone, strict=True):
        if above and wider.setdefault(group or value, above) != above:
            raise InputError(f"the group “{group or 'without a name'}” lies in two wider groups; give it one")
    made = [[value, group or value] for value, (group, _) in zip(values, everyone, strict=True)]
    return [[*row, wider.get(row[1], row[1])] for row in made] if wider else made


def write(folder: Path, column: str, rows: list[list[str]], *, earlier: Path | None) -> None:
    """Write one hierarchy into a new folder, with an earlier folder's others."""
    name = _name(column)
    if earlier is not None and earlier.is_dir():
        shutil.copytree(earlier, folder, ignore=shutil.ignore_patterns(name, f"*_{name}"))
    folder.mkdir(exist_ok=True)
    with (folder / name).open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=";").writerows(rows)


def _name(column: str) -> str:
    if Path(column).name != column:
        raise InputError("the name of this column cannot be that of a file; rename it first", column=column)
    return f"{column}.csv"
