"""What the gate saw (summary.json), what was written (manifest.json), and whether both still hold."""

import hashlib
import hmac
import platform
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sharewell.contract import Change, Risk, Utility
from sharewell.data import versions
from sharewell.data.files import file_digest
from sharewell.disclosure import UNDER, Told
from sharewell.findings import FileFindings, Verdict


def summary(told: Told, verdict: Verdict) -> dict[str, Any]:
    """Everything that a recipient may know, as plain data."""
    return {
        "release": told.release,
        "audience": told.audience,
        "join": told.join,
        "passed": verdict.passed,
        "reasons": list(verdict.reasons),
        "files": [_file(file) for file in told.files],
        "linkage": [_result(risk) for risk in told.linkage],
    }


def _file(file: FileFindings) -> dict[str, Any]:
    return {
        "kind": file.kind,
        "name": file.name,
        "data": f"data/{file.file}",
        "format": file.format,
        "rows": file.rows_after,
        "synthetic": file.synthetic,
        "linkable": file.linkable,
        "limits": dict(file.limits),
        "risk_before": [_result(risk) for risk in file.before],
        "risk_after": [_result(risk) for risk in file.after],
        "utility": [_result(utility) for utility in file.utility],
        "changes": [_change(change) for change in file.changes],
        "curve": file.curve.to_dict() if file.curve else None,
        "facts": dict(file.facts),
        "failures": [{"stage": failure.stage, "reason": failure.reason} for failure in file.failures],
    }


def _result(told: Risk | Utility) -> dict[str, Any]:
    return {**told.to_dict(), "n": told.n or UNDER}


def _change(told: Change) -> dict[str, Any]:
    return {**told.to_dict(), "cells": told.withheld or told.cells}


def manifest(folder: Path, *, identifier: str, plan: bytes, key: bytes, told: Told) -> dict[str, Any]:
    """Hashes of every file. The plan's digest is keyed: nobody can test guesses of the plan against it."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.name != "manifest.json"]
    return {
        "id": identifier,
        "files": {path.relative_to(folder).as_posix(): file_digest(path) for path in files},
        "versions": {"python": platform.python_version(), **versions.installed()},
        "made_with": {file.label: dict(file.made_with) for file in told.files if file.made_with},
        "measurement_seed": told.seed,
        "plan_digest": hmac.digest(key, b"plan\0" + plan, hashlib.sha256).hex(),
    }


def hash_problems(folder: Path, stated: Mapping[str, str]) -> list[str]:
    """What differs between the files of a release and its manifest, one sentence each."""
    found = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file() or path.is_symlink()}
    found.discard("manifest.json")
    problems = [f"{name}: listed in the manifest but missing" for name in sorted(stated.keys() - found)]
    problems += [f"{name}: not listed in the manifest" for name in sorted(found - stated.keys())]
    changed = [name for name in sorted(stated.keys() & found) if file_digest(folder / name) != stated[name]]
    return problems + [f"{name}: its content is not what the manifest says" for name in changed]
