"""summary.json: the disclosed findings as plain data and back, so that papers can be written again and compared."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TypeVar, cast

from sharewell import disclosure
from sharewell.contract import Change, Count, Curve, CurvePoint, Measure, Risk, Utility
from sharewell.disclosure import UNDER, Disclosed
from sharewell.findings import Failure, FileFindings, Findings, Verdict
from sharewell.plan.document import Header, Plan
from sharewell.plan.sections import Section

SCHEMA = 2  # docs/summary-json.md describes every entry
OURS = ("stalled", "exclude", "sizes", "key", "register", "sign", "approvers", "practice")  # no recipient needs them
AS_IT_IS = ("kind", "name", "format", "rows_before", "synthetic", "linkable", "limits", "facts")
RESULTS = {"risk_before": "before", "risk_after": "after", "utility": "utility"}
Made = TypeVar("Made")
NAN = float("nan")


def summary(disclosed: Disclosed, verdict: Verdict) -> dict[str, Any]:
    """Write everything that a recipient may know as plain data."""
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
    """Return a plan's heading, column roles and descriptions for summary.json."""
    heading = {item.name: getattr(plan.header, item.name) for item in fields(plan.header) if item.name not in OURS}
    sections = [
        {"kind": section.kind, "name": section.name, "roles": [list(pair) for pair in section.roles()]}
        for section in plan.sections
    ]
    described = {label: dict(columns) for label, columns in plan.describe.items()}
    return {"heading": heading, "sections": sections, "describe": described}


def _file(file: FileFindings) -> dict[str, Any]:
    return {
        **{name: getattr(file, name) for name in AS_IT_IS},
        **{name: [_result(one) for one in getattr(file, field)] for name, field in RESULTS.items()},
        "data": f"data/{file.file}",
        "rows": file.rows_after,
        "dates": {column: dict(how) for column, how in file.dates.items()},
        "changes": [{**change.to_dict(), "cells": change.withheld or change.cells} for change in file.changes],
        "curve": file.curve.to_dict() if file.curve else None,
        **({"methods": file.methods.to_dict()} if file.methods else {}),
        "failures": [{"stage": failure.stage, "reason": failure.reason} for failure in file.failures],
    }


def _result(result: Risk | Utility) -> dict[str, Any]:
    counts = sorted(name for name, value in result.setting.items() if isinstance(value, Count))
    return {**result.to_dict(), "n": result.n or UNDER, "counts": counts}


def findings(summary: Mapping[str, Any], *, seed: int) -> Disclosed:
    """Read the findings that a summary was written from."""
    return disclosure.read_again(
        Findings(
            release=summary["release"],
            audience=summary["audience"],
            join=summary["join"],
            seed=seed,
            files=tuple(_read_file(file) for file in summary["files"]),
            linkage=tuple(_read_result(Risk, risk) for risk in summary["linkage"]),
        )
    )


def verdict(summary: Mapping[str, Any]) -> Verdict:
    return Verdict(passed=summary["passed"], reasons=tuple(summary["reasons"]))


@dataclass(frozen=True, kw_only=True)
class StatedSection:
    """A section of the plan as far as the papers describe it."""

    kind: str
    name: str
    given: tuple[tuple[str, str], ...]

    @property
    def label(self) -> str:
        return f"{self.kind}.{self.name}"

    def roles(self) -> Iterator[tuple[str, str]]:
        return iter(self.given)


def plan(summary: Mapping[str, Any]) -> Plan:
    """Read the plan as far as the papers describe it."""
    stated = summary["plan"]
    sections = tuple(
        StatedSection(kind=one["kind"], name=one["name"], given=tuple((role, name) for role, name in one["roles"]))
        for one in stated["sections"]
    )
    return Plan(
        path=Path("plan.toml"),
        header=Header(**stated["heading"]),
        sections=cast(tuple[Section, ...], sections),
        describe=stated["describe"],
    )


def _read_file(file: Mapping[str, Any]) -> FileFindings:
    kinds = {"before": Risk, "after": Risk, "utility": Utility}
    results: dict[str, Any] = {
        field: tuple(_read_result(kinds[field], one) for one in file[name]) for name, field in RESULTS.items()
    }
    return FileFindings(
        **{name: file[name] for name in AS_IT_IS},
        **results,
        file=file["data"].removeprefix("data/"),
        rows_after=file["rows"],
        changes=tuple(_read_change(change) for change in file["changes"]),
        curve=_read_curve(file["curve"]),
        methods=_read_curve(file.get("methods")),
        failures=tuple(Failure(**failure) for failure in file["failures"]),
        dates=file.get("dates", {}),
    )


def _read_result(kind: type[Made], given: Mapping[str, Any]) -> Made:
    """A withheld number is missing in JSON; a number of cases under five stands there in words."""
    setting = {
        name: Count(value) if name in given["counts"] and isinstance(value, int) else value
        for name, value in given["setting"].items()
    }
    number = NAN if given["value"] is None else given["value"]
    n = given["n"] if isinstance(given["n"], int) else 0
    return _only(
        kind, {**given, "measure": _only(Measure, given["measure"]), "value": number, "setting": setting, "n": n}
    )


def _read_change(given: Mapping[str, Any]) -> Change:
    cells = Count(given["cells"]) if isinstance(given["cells"], int) else None
    return _only(Change, {**given, "columns": tuple(given["columns"]), "cells": cells})


def _read_curve(given: Mapping[str, Any] | None) -> Curve | None:
    if given is None:
        return None
    sides = ("risk", "utility")
    points = tuple(
        _only(CurvePoint, {**point, **{side: NAN if point[side] is None else point[side] for side in sides}})
        for point in given["points"]
    )
    return _only(Curve, {**given, **{side: _only(Measure, given[side]) for side in sides}, "points": points})


def _only(kind: type[Made], given: Mapping[str, Any]) -> Made:
    """What the class knows of; the summary says more for machines that only read it."""
    names = [item.name for item in fields(kind)]  # type: ignore[arg-type]
    return kind(**{name: given[name] for name in names if name in given})
