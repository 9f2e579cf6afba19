"""The groups of an earlier release, as its private folder keeps them."""

import csv
from pathlib import Path

from sharewell.errors import InputError


def read(path: Path) -> dict[str, int]:
    """The group of every student, also of those who were left out."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            return {row["student"]: int(row["group"]) for row in csv.DictReader(file)}
    except (OSError, KeyError, TypeError, ValueError):
        raise InputError("are no groups of an earlier release; name its private groups.csv", file=path) from None
