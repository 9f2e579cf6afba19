"""The one place that decides what may be told of students: every writer asks it and takes nothing else.

A count under five can point at persons. So a count of students or cells (`Count`, or a `Measure` that counts) from one
to four is told as "under 5". The same goes for all that would give the count back: a share that makes it when
multiplied by n, the interval around it, what is left over at the other end, a number of cases under five, and the
chance of a guess among so few. Writers take `Told`, which only this module makes; two findings that differ in small
counts alone become the same `Told`, so that no writer can tell them apart.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, NewType

from sharewell.contract import Change, Count, Curve, CurvePoint, Measure, Result, Results, Risk, Utility
from sharewell.findings import FileFindings, Findings

FEWEST = 5
UNDER = f"under {FEWEST}"
ALL_BUT = f"all but {UNDER}"
SOME = "some"
WHOLE = 1e-6  # a share that was made by dividing gives its count back to within this

Told = NewType("Told", Findings)


def told(findings: Findings) -> Told:
    """The findings as anybody may read them."""
    files = tuple(_file(file) for file in findings.files)
    return Told(replace(findings, files=files, linkage=tuple(results(findings.linkage))))


def results(measured: Iterable[Result]) -> Results[Result]:
    """Risks or measures of usefulness as anybody may read them."""
    return Results([_result(one) for one in measured])


def change(done: Change, *, rows: Iterable[int] = ()) -> Change:
    """A change without a count that points at someone: neither the cells it touched nor those it left alone."""
    if done.cells is None:
        return done
    words = _words_of_part(done.cells, [len(done.columns) * count for count in rows])
    return replace(done, cells=None, withheld=words) if words else done


def curve(drawn: Curve, *, cases: Mapping[str, frozenset[int]] | None = None) -> Curve:
    """A curve whose small counts are gone (not a number); `cases` are the n that are told beside each measure."""
    own = frozenset() if drawn.n is None else frozenset({drawn.n})
    risk, utility = (own | (cases or {}).get(measure.id, own) for measure in (drawn.risk, drawn.utility))
    points = []
    for point in drawn.points:
        if _counts_out(drawn.risk, point.risk, risk):
            point = replace(point, risk=math.nan, low=None, high=None, withheld=True)
        if _counts_out(drawn.utility, point.utility, utility):
            point = replace(point, utility=math.nan, withheld=True)
        points.append(point)
    return replace(drawn, points=tuple(points), n=None if drawn.n is None or is_few(drawn.n) else drawn.n)


def is_few(count: float) -> bool:
    """Whether a count is small enough to point at someone; none at all points at nobody."""
    return 0 < round(count, 6) < FEWEST


def facts(values: Mapping[str, Any]) -> dict[str, Any]:
    """Settings and facts, every small `Count` in them in words."""
    return {name: _plain(value) for name, value in values.items()}


def cases(n: int) -> str:
    """How many were measured, in words: a number under five was taken away and left none."""
    return f"{n:,}" if n else UNDER


def point_words(point: CurvePoint, value: float) -> str:
    """The words that stand for a number of a told curve that is gone; nothing where there is one."""
    return UNDER if point.withheld and math.isnan(value) else ""


def _plain(value: Any) -> Any:
    if isinstance(value, Count):
        return UNDER if is_few(value) else value
    if isinstance(value, Mapping):
        return facts(value)
    if isinstance(value, list | tuple):
        return type(value)(_plain(part) for part in value)
    return value


def _file(file: FileFindings) -> FileFindings:
    rows = [count for count in (file.rows_before, file.rows_after) if count is not None]
    return replace(
        file,
        rows_before=_rows_before(file),
        before=tuple(results(file.before)),
        after=tuple(results(file.after)),
        utility=tuple(results(file.utility)),
        changes=tuple(change(done, rows=rows) for done in file.changes),
        curve=None if file.curve is None else curve(file.curve, cases=_cases_by_measure(file, rows)),
        facts=facts(file.facts),
    )


def _rows_before(file: FileFindings) -> int:
    """Rows of the original, unless they, or their difference from the released ones, are a small count."""
    after = file.rows_after
    if is_few(file.rows_before) or (after is not None and is_few(abs(file.rows_before - after))):
        return after or 0
    return file.rows_before


def _cases_by_measure(file: FileFindings, rows: Iterable[int]) -> dict[str, frozenset[int]]:
    """Every n that a reader could multiply the share of a curve by."""
    found: dict[str, set[int]] = {}
    measured: tuple[Risk | Utility, ...] = (*file.before, *file.after, *file.utility)
    for result in measured:
        found.setdefault(result.measure.id, set()).add(result.n)
    drawn = () if file.curve is None else (file.curve.risk, file.curve.utility)
    return {measure.id: frozenset(found.get(measure.id) or rows) for measure in drawn}


def _counts_out(measure: Measure, value: float, cases: Iterable[int]) -> bool:
    """Whether a number gives a small count back, by itself or with one of these n."""
    if not math.isfinite(value):
        return False
    if measure.unit == "count":
        return measure.counts and (is_few(value) or any(is_few(n - value) for n in cases))
    return measure.unit == "share" and any(_gives_few(measure, value, n) for n in cases)


def _gives_few(measure: Measure, share: float, n: int) -> bool:
    """Whether a share of n is a small count; a measure that does not say so counts all the same if that is whole."""
    count = share * n
    if not measure.counts and (measure.of_one or abs(count - round(count)) > WHOLE):
        return False
    return is_few(n) or is_few(count) or is_few(n - count)


def _result(one: Result) -> Result:
    hidden: dict[str, Any] = {"setting": facts(one.setting)}
    if is_few(one.n):
        hidden["n"] = 0
        if isinstance(one, Risk) and one.measure.unit == "share":
            hidden["chance"] = None  # one in n, as a rule
    if isinstance(one, Utility) and one.baseline is not None and _counts_out(one.measure, one.baseline, (one.n,)):
        hidden["baseline"] = None
    if words := _withheld(one):
        hidden |= {"value": math.nan, "low": None, "high": None, "withheld": words}
        if isinstance(one, Risk):
            hidden["met"] = one.holds
    return replace(one, **hidden)


def _withheld(one: Risk | Utility) -> str:
    """The words that stand for a small count, or nothing where the number may be told."""
    if not _counts_out(one.measure, one.value, (one.n,)):
        return ""
    count = one.value if one.measure.unit == "count" else one.value * one.n
    if is_few(one.n):
        return f"{SOME if count else 'none'} of {UNDER}"
    words = _words_of_part(count, [one.n])
    return words if one.measure.unit == "count" and words == UNDER else f"{words} of {one.n:,}"


def _words_of_part(count: float, wholes: Iterable[int]) -> str:
    """A part of something in words, where the part or the rest is few; nothing where it may be told.

    Of fewer than nine the part or the rest is always few, and to say which would narrow it down: "some" says neither.
    """
    rest = [whole - count for whole in wholes]
    if not is_few(count) and not any(is_few(left) for left in rest):
        return ""
    if any(left > 0 and count + left < 2 * FEWEST - 1 for left in rest):
        return SOME
    return UNDER if is_few(count) else ALL_BUT


def is_nearly_all(one: Risk | Utility) -> bool:
    """Whether a number was taken away because so few are left over."""
    return one.withheld.startswith(ALL_BUT)
