"""The one place that decides what may be told of students: every writer asks it and takes nothing else.

A count under five can point at persons. So a count of students or cells (`Count`, or a `Measure` that counts) from one
to four is told as "under 5", and so is a share that gives it back when multiplied by n, and the same for what is left
over at the other end. Writers take `Told`, which only this module makes.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, NewType

from sharewell.contract import Change, Count, Curve, CurvePoint, Result, Results, Risk, Utility
from sharewell.findings import FileFindings, Findings

FEWEST = 5
UNDER = f"under {FEWEST}"

Told = NewType("Told", Findings)


def told(findings: Findings) -> Told:
    """The findings as anybody may read them."""
    files = tuple(_file(file) for file in findings.files)
    return Told(replace(findings, files=files, linkage=tuple(results(findings.linkage))))


def results(measured: Iterable[Result]) -> Results[Result]:
    """Risks or measures of usefulness as anybody may read them."""
    return Results([_result(one) for one in measured])


def change(done: Change) -> Change:
    """A change without a count that is small enough to point at someone."""
    if done.cells is None or not is_few(done.cells):
        return done
    return replace(done, cells=None, withheld=UNDER)


def is_few(count: float) -> bool:
    """Whether a count is small enough to point at someone; none at all points at nobody."""
    return 0 < round(count, 6) < FEWEST


def facts(values: Mapping[str, Any]) -> dict[str, Any]:
    """Settings and facts, every small `Count` in them in words."""
    return {name: _plain(value) for name, value in values.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, Count):
        return UNDER if is_few(value) else int(value)
    if isinstance(value, Mapping):
        return facts(value)
    if isinstance(value, list | tuple):
        return type(value)(_plain(part) for part in value)
    return value


def _file(file: FileFindings) -> FileFindings:
    return replace(
        file,
        rows_before=_rows_before(file),
        before=tuple(results(file.before)),
        after=tuple(results(file.after)),
        utility=tuple(results(file.utility)),
        changes=tuple(change(done) for done in file.changes),
        curve=None if file.curve is None else curve(file.curve),
        facts=facts(file.facts),
    )


def _rows_before(file: FileFindings) -> int:
    """Rows of the original, unless their difference from the released ones is a small count."""
    if file.rows_after is None or not is_few(abs(file.rows_before - file.rows_after)):
        return file.rows_before
    return file.rows_after


def curve(drawn: Curve) -> Curve:
    """A curve without the points whose counts are small."""
    kept = tuple(point for point in drawn.points if not _is_small(point, drawn))
    return replace(drawn, points=kept)


def _is_small(point: CurvePoint, drawn: Curve) -> bool:
    counted = [
        value
        for value, measure in ((point.risk, drawn.risk), (point.utility, drawn.utility))
        if measure.counts and measure.unit == "count"
    ]
    return any(is_few(value) for value in counted)


def _result(one: Result) -> Result:
    safe = replace(one, setting=facts(one.setting))
    words = _withheld(one)
    if not words:
        return safe
    hidden: dict[str, Any] = {"value": math.nan, "low": None, "high": None, "withheld": words}
    if is_few(one.n):
        hidden["n"] = 0
    if isinstance(one, Risk):
        hidden["met"] = one.holds
    return replace(safe, **hidden)


def _withheld(one: Risk | Utility) -> str:
    """The words that stand for a small count, or nothing where the number may be told."""
    if not one.measure.counts or not math.isfinite(one.value):
        return ""
    if one.measure.unit == "count":
        return UNDER if is_few(one.value) else ""
    if is_few(one.n):
        return f"some of {UNDER}"
    count = one.value * one.n
    if is_few(count):
        return f"{UNDER} of {one.n:,}"
    return f"all but {UNDER} of {one.n:,}" if is_few(one.n - count) else ""
