"""What the gate saw (summary.json), what was written (manifest.json), and whether both still hold."""

import platform
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from sharewell.contract import Change, Count, Risk, Utility
from sharewell.data import engine, versions
from sharewell.data.files import file_digest
from sharewell.disclosure import UNDER, Disclosed
from sharewell.findings import FileFindings, Verdict
from sharewell.plan.document import Plan

SCHEMA = 2  # of summary.json; docs/summary-json.md describes every entry
OURS = (
    "stalled",
    "exclude",
    "sizes",
    "key",
    "register",
    "sign",
    "approvers",
)  # of the office: nothing a recipient needs
UNLISTED = {"manifest.json", "signature.json", "signoff.html"}  # the list itself, and what comes after it


def summary(disclosed: Disclosed, verdict: Verdict) -> dict[str, Any]:
    """Everything that a recipient may know, as plain data."""
    return {
        "schema": SCHEMA,
        "release": disclosed.release,
        "audience": disclosed.audience,
        "join": disclosed.join,
        "passed": verdict.passed,
        "reasons": list(verdict.reasons),
        "files": [_file(file) for file in disclosed.files],
        "linkage": [_result(risk) for risk in disclosed.linkage],
    }


def stated_plan(plan: Plan) -> dict[str, Any]:
    """What the papers say of the plan: its heading and the role of every column; no name of a file of ours."""
    heading = {item.name: getattr(plan.header, item.name) for item in fields(plan.header) if item.name not in OURS}
    sections = [
        {"kind": section.kind, "name": section.name, "roles": [list(pair) for pair in section.roles()]}
        for section in plan.sections
    ]
    described = {label: dict(columns) for label, columns in plan.describe.items()}
    return {"heading": heading, "sections": sections, "describe": described}


def _file(file: FileFindings) -> dict[str, Any]:
    return {
        "kind": file.kind,
        "name": file.name,
        "data": f"data/{file.file}",
        "format": file.format,
        "rows": file.rows_after,
        "rows_before": file.rows_before,
        "synthetic": file.synthetic,
        "linkable": file.linkable,
        "dates": {column: dict(how) for column, how in file.dates.items()},
        "limits": dict(file.limits),
        "risk_before": [_result(risk) for risk in file.before],
        "risk_after": [_result(risk) for risk in file.after],
        "utility": [_result(utility) for utility in file.utility],
        "changes": [_change(change) for change in file.changes],
        "curve": file.curve.to_dict() if file.curve else None,
        "facts": dict(file.facts),
        "failures": [{"stage": failure.stage, "reason": failure.reason} for failure in file.failures],
    }


def _result(result: Risk | Utility) -> dict[str, Any]:
    counts = sorted(name for name, value in result.setting.items() if isinstance(value, Count))
    return {**result.to_dict(), "n": result.n or UNDER, "counts": counts}


def _change(change: Change) -> dict[str, Any]:
    return {**change.to_dict(), "cells": change.withheld or change.cells}


def manifest(
    folder: Path, *, identifier: str, disclosed: Disclosed, binds: Mapping[str, Any], approvals: int
) -> dict[str, Any]:
    """Hashes of every file. What it binds beside them is keyed: nobody can test guesses of the plan against it."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.name not in UNLISTED]
    return {
        "id": identifier,
        "files": {path.relative_to(folder).as_posix(): file_digest(path) for path in files},
        "engine": engine.chosen(),
        "computed_on": {file.label: file.engine for file in disclosed.files},
        "versions": {"python": platform.python_version(), **versions.installed()},
        "made_with": {file.label: dict(file.made_with) for file in disclosed.files if file.made_with},
        "measurement_seed": disclosed.seed,
        "binds": dict(binds),
        "approvals": approvals,
    }
