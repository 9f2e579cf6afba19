"""What a summary says, as the findings it was written from: so that the papers can be written again and compared."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TypeVar, cast

from sharewell import disclosure
from sharewell.contract import Change, Count, Curve, CurvePoint, Measure, Risk, Utility
from sharewell.disclosure import Disclosed
from sharewell.findings import Failure, FileFindings, Findings, Verdict
from sharewell.plan.document import Header, Plan
from sharewell.plan.sections import Section

Made = TypeVar("Made")
NAN = float("nan")


def findings(summary: Mapping[str, Any], *, seed: int) -> Disclosed:
    """The findings of a release as anybody may read them."""
    findings = Findings(
        release=summary["release"],
        audience=summary["audience"],
        join=summary["join"],
        seed=seed,
        files=tuple(_file(file) for file in summary["files"]),
        linkage=tuple(_result(Risk, risk) for risk in summary["linkage"]),
    )
    return disclosure.read_again(findings)


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
    """The plan as far as the papers describe it: its heading, the roles of columns, and what they are said to hold."""
    stated = summary["plan"]
    sections = [
        StatedSection(kind=one["kind"], name=one["name"], given=tuple((role, name) for role, name in one["roles"]))
        for one in stated["sections"]
    ]
    return Plan(
        path=Path("plan.toml"),
        header=Header(**stated["heading"]),
        sections=cast(tuple[Section, ...], tuple(sections)),
        describe=stated["describe"],
    )


def verdict(summary: Mapping[str, Any]) -> Verdict:
    return Verdict(passed=summary["passed"], reasons=tuple(summary["reasons"]))


def _file(file: Mapping[str, Any]) -> FileFindings:
    return FileFindings(
        kind=file["kind"],
        name=file["name"],
        file=file["data"].removeprefix("data/"),
        format=file["format"],
        limits=file["limits"],
        rows_before=file["rows_before"],
        rows_after=file["rows"],
        before=tuple(_result(Risk, risk) for risk in file["risk_before"]),
        after=tuple(_result(Risk, risk) for risk in file["risk_after"]),
        utility=tuple(_result(Utility, utility) for utility in file["utility"]),
        changes=tuple(_change(change) for change in file["changes"]),
        curve=_curve(file["curve"]),
        facts=file["facts"],
        failures=tuple(Failure(**failure) for failure in file["failures"]),
        synthetic=file["synthetic"],
        linkable=file["linkable"],
        dates=file.get("dates", {}),
    )


def _result(kind: type[Made], given: Mapping[str, Any]) -> Made:
    """A withheld number is missing in JSON; a number of cases under five stands there in words."""
    entries = {**given, "measure": _only(Measure, given["measure"])}
    entries["value"] = NAN if given["value"] is None else given["value"]
    entries["setting"] = {
        name: Count(value) if name in given["counts"] and isinstance(value, int) else value
        for name, value in given["setting"].items()
    }
    entries["n"] = given["n"] if isinstance(given["n"], int) else 0
    return _only(kind, entries)


def _change(given: Mapping[str, Any]) -> Change:
    cells = Count(given["cells"]) if isinstance(given["cells"], int) else None
    return _only(Change, {**given, "columns": tuple(given["columns"]), "cells": cells})


def _curve(given: Mapping[str, Any] | None) -> Curve | None:
    if given is None:
        return None
    points = tuple(_point(point) for point in given["points"])
    measures = {side: _only(Measure, given[side]) for side in ("risk", "utility")}
    return _only(Curve, {**given, **measures, "points": points})


def _point(given: Mapping[str, Any]) -> CurvePoint:
    numbers = {name: NAN if given[name] is None else given[name] for name in ("risk", "utility")}
    return _only(CurvePoint, {**given, **numbers})


def _only(kind: type[Made], given: Mapping[str, Any]) -> Made:
    """What the class knows of; the summary says more for machines that only read it."""
    names: Sequence[str] = [item.name for item in fields(kind)]  # type: ignore[arg-type]
    return kind(**{name: given[name] for name in names if name in given})
