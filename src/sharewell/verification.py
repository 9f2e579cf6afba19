"""Re-checks a finished release from its files alone: hashes, and every risk that needs no original."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sharewell import formats, kinds
from sharewell.errors import InputError, SharewellError
from sharewell.release import manifest
from sharewell.results import Risk

PAPERS = ("report.html", "summary.json", "README.md")


@dataclass(frozen=True, kw_only=True)
class Verification:
    """What was re-measured, and everything that does not hold."""

    folder: Path
    risks: tuple[tuple[str, Risk], ...]
    problems: tuple[str, ...]


def verify(folder: Path) -> Verification:
    """Every problem at once; a release that is not there or cannot be read is a problem as well."""
    folder = Path(folder)
    if not folder.is_dir():
        raise InputError("there is no release here; name the folder that holds manifest.json", file=folder)
    stated = _json(folder / "manifest.json")
    problems = list(_hash_problems(folder, stated))
    risks: list[tuple[str, Risk]] = []
    if not problems:
        for file in _json(folder / "summary.json")["files"]:
            measured = _recheck(folder, file, problems)
            risks += [(f"{file['kind']}.{file['name']}", risk) for risk in measured]
    return Verification(folder=folder, risks=tuple(risks), problems=tuple(problems))


def _hash_problems(folder: Path, stated: Mapping[str, Any] | None) -> Iterator[str]:
    """A built folder without a manifest yet is checked for its papers only when it says what it holds."""
    if stated is None or not isinstance(stated.get("files"), dict):
        yield "manifest.json: missing or not readable"
        return
    yield from (f"{name}: missing" for name in PAPERS if name not in stated["files"])
    yield from manifest.hash_problems(folder, stated["files"])


def _recheck(folder: Path, file: Mapping[str, Any], problems: list[str]) -> list[Risk]:
    label = f"{file['kind']}.{file['name']}"
    try:
        released = formats.read(folder / file["data"], format=file.get("format")).table
        risks = kinds.load(file["kind"]).recheck(released, file["facts"])
    except SharewellError as error:
        problems.append(f"{label}: cannot be re-checked: {error}")
        return []
    rows = int(released.count().execute())
    if rows != file["rows"]:
        problems.append(f"{label}: {rows:,} rows, the summary says {file['rows']:,}")
    problems += [
        f"{label}: {risk.name} ({risk.attacker}) is {risk.value:.4g}, the limit is {risk.limit:.4g}"
        for risk in risks
        if risk.holds is False
    ]
    return risks


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_text())
    except (FileNotFoundError, UnicodeDecodeError, json.JSONDecodeError):
        return None
