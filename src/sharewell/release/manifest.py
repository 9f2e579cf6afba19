"""What the gate saw (summary.json), what was written (manifest.json), and whether both still hold."""

import hashlib
import hmac
import platform
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

from sharewell import __version__
from sharewell.contract import FEWEST, Change
from sharewell.data.files import file_digest
from sharewell.findings import FileFindings, Findings
from sharewell.release.gate import Verdict

COUNTS_OF_ROWS = ("silent", "suppressed")
VERSIONS = (
    "sharewell", "duckdb", "ibis-framework", "numpy", "numba", "pandas", "pyarrow", "rapidfuzz", "scikit-learn",
    "scipy", "torch", "opendp", "pyagrum",
)  # fmt: skip


def summary(findings: Findings, verdict: Verdict) -> dict[str, Any]:
    """Everything that a recipient may know, as plain data."""
    return {
        "release": findings.release,
        "audience": findings.audience,
        "join": findings.join,
        "passed": verdict.passed,
        "reasons": list(verdict.reasons),
        "files": [_file(file) for file in findings.files],
        "linkage": [risk.to_dict() for risk in findings.linkage],
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
        "risk_before": [_discreet(risk.to_dict()) for risk in file.before],
        "risk_after": [_discreet(risk.to_dict()) for risk in file.after],
        "utility": [utility.to_dict() for utility in file.utility],
        "changes": [harmless(change) for change in file.changes],
        "curve": file.curve.to_dict() if file.curve else None,
        "facts": {name: _discreet_count(name, value) for name, value in file.facts.items()},
        "failures": [{"stage": failure.stage, "reason": failure.reason} for failure in file.failures],
    }


def harmless(change: Change) -> dict[str, Any]:
    """A change without a count that is small enough to point at someone."""
    told = change.to_dict()
    if change.cells is not None and 0 < change.cells < FEWEST:
        told["cells"] = f"under {FEWEST}"
    return told


def _discreet(risk: dict[str, Any]) -> dict[str, Any]:
    setting = {name: _discreet_count(name, value) for name, value in risk["setting"].items()}
    return {**risk, "setting": setting}


def _discreet_count(name: str, value: Any) -> Any:
    """Counts of suppressed or silent rows, unless they are too small to be told."""
    small = name in COUNTS_OF_ROWS and isinstance(value, int) and 0 < value < FEWEST
    return f"under {FEWEST}" if small else value


def manifest(folder: Path, *, identifier: str, plan: bytes, key: bytes, told: Findings) -> dict[str, Any]:
    """Hashes of every file. The plan's digest is keyed: nobody can test guesses of the plan against it."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.name != "manifest.json"]
    return {
        "id": identifier,
        "files": {path.relative_to(folder).as_posix(): file_digest(path) for path in files},
        "versions": {"python": platform.python_version(), **{name: metadata_version(name) for name in VERSIONS}},
        "made_with": {file.label: dict(file.made_with) for file in told.files if file.made_with},
        "measurement_seed": told.seed,
        "plan_digest": hmac.digest(key, b"plan\0" + plan, hashlib.sha256).hex(),
    }


def metadata_version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return __version__ if package == "sharewell" else "not installed"


def hash_problems(folder: Path, stated: Mapping[str, str]) -> list[str]:
    """What differs between the files of a release and its manifest, one sentence each."""
    found = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file() or path.is_symlink()}
    found.discard("manifest.json")
    problems = [f"{name}: listed in the manifest but missing" for name in sorted(stated.keys() - found)]
    problems += [f"{name}: not listed in the manifest" for name in sorted(found - stated.keys())]
    changed = [name for name in sorted(stated.keys() & found) if file_digest(folder / name) != stated[name]]
    return problems + [f"{name}: its content is not what the manifest says" for name in changed]
