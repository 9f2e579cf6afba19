"""Re-checks a finished release from its files alone: hashes, and every risk that needs no original."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ibis.expr.types import Table

from sharewell import kinds
from sharewell.contract import Risk
from sharewell.data import formats
from sharewell.errors import InputError, SharewellError
from sharewell.release import linkage, manifest

PAPERS = ("report.html", "summary.json", "README.md")
SEED = 1  # of the draws of a second measurement


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
    if problems:
        return Verification(folder=folder, risks=(), problems=tuple(problems))
    summary = _json(folder / "summary.json")
    tables: dict[str, Table] = {}
    risks: list[tuple[str, Risk]] = []
    for file in summary["files"]:
        risks += [(_label(file), risk) for risk in _recheck(folder, file, tables, problems)]
    risks += [("together", risk) for risk in _recheck_together(summary, tables, problems)]
    return Verification(folder=folder, risks=tuple(risks), problems=tuple(problems))


def _hash_problems(folder: Path, stated: Mapping[str, Any] | None) -> Iterator[str]:
    """A built folder without a manifest yet is checked for its papers only when it says what it holds."""
    if stated is None or not isinstance(stated.get("files"), dict):
        yield "manifest.json: missing or not readable"
        return
    yield from (f"{name}: missing" for name in PAPERS if name not in stated["files"])
    yield from manifest.hash_problems(folder, stated["files"])


def _label(file: Mapping[str, Any]) -> str:
    return f"{file['kind']}.{file['name']}"


def _recheck(folder: Path, file: Mapping[str, Any], tables: dict[str, Table], problems: list[str]) -> list[Risk]:
    label = _label(file)
    try:
        released = formats.read(folder / file["data"], format=file.get("format")).table
        risks = kinds.load(file["kind"]).recheck(released, file["facts"])
    except SharewellError as error:
        problems.append(f"{label}: cannot be re-checked: {error}")
        return []
    rows = int(released.count().execute())
    if rows != file["rows"]:
        problems.append(f"{label}: {rows:,} rows, the summary says {file['rows']:,}")
    problems += _missed(label, risks)
    tables[label] = released
    return risks


def _recheck_together(summary: Mapping[str, Any], tables: Mapping[str, Table], problems: list[str]) -> list[Risk]:
    """Several files, where they share pseudonyms; without the key nobody can say which rows belong together."""
    if not summary["join"]:
        return []
    told = [file for file in summary["files"] if file["linkable"] and _label(file) in tables]
    files = [linkage.described(_label(file), tables[_label(file)], file["linkable"]) for file in told]
    measured = linkage.attack(files, joined=True, audience=summary["audience"], seed=SEED)
    risks = [replace(risk, bound="low") for risk in measured]
    problems += _missed("together", risks)
    return risks


def _missed(label: str, risks: Iterable[Risk]) -> Iterator[str]:
    for risk in risks:
        if risk.holds is False:
            yield f"{label}: {risk.name} ({risk.attacker}) is {risk.value:.4g}, the limit is {risk.limit:.4g}"


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_text())
    except (FileNotFoundError, UnicodeDecodeError, json.JSONDecodeError):
        return None
