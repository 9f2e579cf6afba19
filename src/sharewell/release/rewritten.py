"""Report and datasheet must say what the summary says: they are written again from it and compared byte by byte."""

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sharewell.data import versions
from sharewell.data.scratch import scratch
from sharewell.errors import SharewellError
from sharewell.release import write
from sharewell.release.summary import SCHEMA

WRITTEN = ("report.html", "README.md", "croissant.json", "AGREEMENT.md")


def problems(folder: Path, summary: Mapping[str, Any], listed: Mapping[str, Any]) -> list[str]:
    """Find papers of this version that differ from what the summary says."""
    if not same_version(summary, listed):
        return []
    try:
        return _compared(folder, summary, listed)
    except (KeyError, TypeError, ValueError, AttributeError, OSError, SharewellError) as error:
        return [f"summary.json: no report can be written from it ({type(error).__name__})"]


def same_version(summary: Mapping[str, Any], listed: Mapping[str, Any]) -> bool:
    """Return whether the installed packages and schema wrote the papers."""
    stated = listed.get("versions")
    same = isinstance(stated, Mapping) and all(stated.get(name) == made for name, made in versions.installed().items())
    return same and summary.get("schema") == SCHEMA


def note(summary: Mapping[str, Any], listed: Mapping[str, Any]) -> list[str]:
    """What could not be compared."""
    if same_version(summary, listed):
        return []
    return [
        "Report and datasheet were written by another version than is installed here; their words were not compared."
    ]


def _compared(folder: Path, summary: Mapping[str, Any], listed: Mapping[str, Any]) -> list[str]:
    with tempfile.TemporaryDirectory(prefix="papers-", dir=scratch()) as other:
        again = Path(other)
        (again / "data").symlink_to((folder / "data").resolve(), target_is_directory=True)
        write.write_papers(again, summary, identifier=str(listed["id"]), seed=int(listed["measurement_seed"]))
        return [
            f"{name}: says something else than the summary and the data"
            for name in WRITTEN
            if (again / name).is_file() != (folder / name).is_file()
            or ((again / name).is_file() and (again / name).read_bytes() != (folder / name).read_bytes())
        ]
