"""Disclosure control of all figures about students: every writer asks it and takes nothing else.

A count under five can point at persons. So a count of students or cells (`Count`, or a `Measure` that counts) from one
to four is published as "under 5". The same goes for all that would give the count back: a share that makes it when
multiplied by n, the interval around it, what is left over at the other end, a number of cases under five, and the
chance of a guess among so few.

A number with all its digits gives more away than it says: a mean times n is a sum, and two sums that differ by one
student are that student. So a number that was measured on students is rounded so that one student cannot change its
last digit (`_rounded`).

Writers take `Disclosed`, which only this module makes; two findings that differ in small counts alone become the same
`Disclosed`, so that no writer can distinguish them.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NewType

from sharewell.contract import Change, Count, Curve, CurvePoint, Measure, Result, Results, Risk, Share, Utility
from sharewell.findings import FileFindings, Findings

FEWEST = 5
UNDER = f"under {FEWEST}"
ALL_BUT = f"all but {UNDER}"
SOME = "some"
WHOLE = 1e-6  # a share that was made by dividing gives its count back to within this
READABLE = 1_000  # students: a risk is rounded to a thousandth in smaller classes too, since limits are that fine
NOTHING = 1e-9  # a number that is smaller has no digits worth publishing
SMALLEST = 10  # students: a number keeps its first digit
ROUNDED = 0.51e-4  # and one that stands in a setting, where shares are rounded to four digits, to within this of n

Disclosed = NewType("Disclosed", Findings)


def disclose(findings: Findings) -> Disclosed:
    """Withhold small counts and round measured numbers of all findings."""
    files = tuple(_file(file) for file in findings.files)
    known = [file.students for file in findings.files if file.students is not None]
    linkage = results(findings.linkage, students=min(known, default=None))
    return Disclosed(replace(findings, files=files, linkage=tuple(linkage)))


def read_again(findings: Findings) -> Disclosed:
    """Accept findings out of a paper that was written from `Disclosed`."""
    return Disclosed(findings)


def results(measured: Iterable[Result], *, students: int | None = None) -> Results[Result]:
    """Disclose results; `students` is how many they were measured on, where known."""
    safe = (_result(one, students) for one in measured)
    return Results(safe if students is None else (_rounded(one, students) for one in safe))


def change(done: Change, *, rows: Iterable[int] = (), students: int | None = None) -> Change:
    """Withhold small counts of the cells a change touched and of those it left alone."""
    if done.cells is None:
        return done
    words = _words_of_part(done.cells, [len(done.columns) * count for count in rows])
    if words:
        return replace(done, cells=None, withheld=words)
    return replace(done, cells=Count(_rounded_count(done.cells, students)))


def curve(drawn: Curve, *, cases: Mapping[str, frozenset[int]] | None = None, students: int | None = None) -> Curve:
    """Replace small counts of a curve by NaN; `cases` are the n published beside it."""
    own = frozenset() if drawn.n is None else frozenset({drawn.n})
    risk, utility = (own | (cases or {}).get(measure.id, own) for measure in (drawn.risk, drawn.utility))
    points = []
    for point in drawn.points:
        if _counts_out(drawn.risk, point.risk, risk):
            point = replace(point, risk=math.nan, low=None, high=None, withheld=True)
        if _counts_out(drawn.utility, point.utility, utility):
            point = replace(point, utility=math.nan, withheld=True)
        points.append(point if students is None else _rounded_point(drawn, point, students))
    n = None if drawn.n is None or is_few(drawn.n) else _rounded_count(drawn.n, students)
    return replace(drawn, points=tuple(points), n=n)


def is_few(count: float) -> bool:
    """Return whether a count is small enough to point at someone (not zero)."""
    return 0 < round(count, 6) < FEWEST


def part(count: int, whole: int) -> str:
    """Put a part into words where it or the rest is few; else return nothing."""
    return _words_of_part(count, [whole])


def shared(holders: Mapping[str, int]) -> tuple[dict[str, int], int]:
    """Count students per value without values that few share; count those left out.

    Where the others together are few as well, the least shared value goes with them: who knows the whole could else
    take the rest from it.
    """
    ranked = sorted(holders.items(), key=lambda one: (-one[1], one[0]))
    shown = {value: count for value, count in ranked if count >= FEWEST}
    hidden = sum(count for value, count in ranked if value not in shown)
    while shown and is_few(hidden):
        hidden += shown.popitem()[1]
    return shown, hidden


def joined_neighbours(holders: Sequence[int]) -> list[tuple[int, int]]:
    """Join neighbouring bands until none has few students: first and last of each."""
    spans: list[tuple[int, int]] = []
    first, students = 0, 0
    for place, count in enumerate(holders):
        students += count
        if not is_few(students):
            spans.append((first, place))
            first, students = place + 1, 0
    if students and spans:
        while is_few(students) and spans:
            first = spans.pop()[0]
            students = sum(holders[first:])
        spans.append((first, len(holders) - 1))
    return spans if not any(is_few(sum(holders[a : b + 1])) for a, b in spans) else []


def facts(values: Mapping[str, Any], *, students: int | None = None) -> dict[str, Any]:
    """Put small `Count`s of settings and facts into words; round every `Share`."""
    return {name: _plain(value, students) for name, value in values.items()}


def cases(n: int) -> str:
    """Say how many were measured: a number under five was withheld and left none."""
    return f"{n:,}" if n else UNDER


def point_words(point: CurvePoint, value: float) -> str:
    """Return the words for a withheld number of a curve, or nothing."""
    return UNDER if point.withheld and math.isnan(value) else ""


def _plain(value: Any, students: int | None) -> Any:
    if isinstance(value, Count):
        return UNDER if is_few(value) else value
    if isinstance(value, Share):
        return value if students is None else _to_digits(value, _digits(1.0, students))
    if isinstance(value, Mapping):
        return facts(value, students=students)
    if isinstance(value, list | tuple):
        return type(value)(_plain(part, students) for part in value)
    return value


def _file(file: FileFindings) -> FileFindings:
    rows = [count for count in (file.rows_before, file.rows_after) if count is not None]
    return replace(
        file,
        rows_before=_rows_before(file),
        before=tuple(results(file.before, students=file.students)),
        after=tuple(results(file.after, students=file.students)),
        utility=tuple(results(file.utility, students=file.students)),
        changes=tuple(change(done, rows=rows, students=file.students) for done in file.changes),
        curve=_drawn(file.curve, file, rows),
        methods=_drawn(file.methods, file, rows),
        facts=facts(file.facts, students=file.students),
    )


def _drawn(drawn: Curve | None, file: FileFindings, rows: Iterable[int]) -> Curve | None:
    if drawn is None:
        return None
    return curve(drawn, cases=_cases_by_measure(drawn, file, rows), students=file.students)


def _rows_before(file: FileFindings) -> int:
    """Rows of the original, unless they, or their difference from the released ones, are a small count."""
    after = file.rows_after
    if is_few(file.rows_before) or (after is not None and is_few(abs(file.rows_before - after))):
        return after or 0
    if file.rows_before == after:  # nothing that the released file does not show by itself
        return after
    return max(_rounded_count(file.rows_before, file.students), after or 0)


def _cases_by_measure(drawn: Curve, file: FileFindings, rows: Iterable[int]) -> dict[str, frozenset[int]]:
    """Every n that a reader could multiply the share of a curve by."""
    found: dict[str, set[int]] = {}
    measured: tuple[Risk | Utility, ...] = (*file.before, *file.after, *file.utility)
    for result in measured:
        found.setdefault(result.measure.id, set()).add(result.n)
    return {measure.id: frozenset(found.get(measure.id) or rows) for measure in (drawn.risk, drawn.utility)}


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


def _rounded(one: Result, students: int) -> Result:
    """The numbers of a result to the digit that one of the students can move; a verdict stays what it was."""
    if isinstance(one, Utility):
        numbers = {name: getattr(one, name) for name in ("value", "low", "high", "baseline")}
        return replace(
            one, **{name: _rounded_number(one.measure, number, students) for name, number in numbers.items()}
        )
    of = max(students, READABLE)
    numbers = {name: getattr(one, name) for name in ("value", "low", "high")}
    after = replace(one, **{name: _rounded_number(one.measure, number, of) for name, number in numbers.items()})
    if one.holds == after.holds:
        return after
    towards = math.floor if one.holds == (one.better == "lower") else math.ceil
    seen: dict[str, Any] = {one.bound: _rounded_number(one.measure, one.seen, of, towards)}
    return replace(after, **seen)


def _rounded_point(drawn: Curve, point: CurvePoint, students: int) -> CurvePoint:
    of = max(students, READABLE)
    risk = {name: _rounded_number(drawn.risk, getattr(point, name), of) for name in ("risk", "low", "high")}
    return replace(point, **risk, utility=_rounded_number(drawn.utility, point.utility, students))


def _rounded_number(
    measure: Measure, value: float | None, students: int, towards: Callable[[float], int] = round
) -> Any:
    if value is None or not math.isfinite(value) or measure.unit == "count":
        return value
    scale = 1.0 if measure.unit in ("share", "auc") else max(abs(value), NOTHING)
    return _to_digits(value, _digits(scale, students), towards)


def _to_digits(value: float, digits: int, towards: Callable[[float], int] = round) -> float:
    return round(float(towards(value * 10.0**digits)) / 10.0**digits, max(digits, 0))


def _digits(scale: float, students: int) -> int:
    """Decimals: one of n students moves a share by up to 1/n, and a mean by about the nth part of it."""
    return math.floor(math.log10(max(students, SMALLEST) / scale))


def _rounded_count(count: int, students: int | None) -> int:
    """A number of rows, cells or events to the digit that one student can move: students have many of them each."""
    if students is None or count <= students:
        return count
    return int(_to_digits(count, _digits(count, students)))


def _result(one: Result, students: int | None) -> Result:
    n = _rounded_count(one.n, students)
    settings = {name: _beside(one, value, n) for name, value in facts(one.setting).items()}
    hidden: dict[str, Any] = {"setting": settings, "n": n}
    if is_few(one.n):
        hidden["n"] = 0
        if isinstance(one, Risk) and one.measure.unit == "share":
            hidden["chance"] = None  # one in n, as a rule
    if isinstance(one, Utility) and one.baseline is not None and _counts_out(one.measure, one.baseline, (one.n,)):
        hidden["baseline"] = None
    if words := _withheld(one, n):
        hidden |= {"value": math.nan, "low": None, "high": None, "withheld": words}
        if isinstance(one, Risk):
            hidden["met"] = one.holds
    return replace(one, **hidden)


def _beside(one: Risk | Utility, value: Any, n: int) -> Any:
    """A number of the setting; one that is a share as the result itself may give a small count back like it does."""
    if one.measure.unit != "share" or not isinstance(value, float) or not 0 < value < 1:
        return value
    count = value * one.n
    whole = abs(count - round(count)) <= max(WHOLE, ROUNDED * one.n)
    few = is_few(round(count)) or is_few(one.n - round(count))
    return f"{_words_of_part(round(count), [one.n])} of {UNDER if is_few(n) else f'{n:,}'}" if whole and few else value


def _withheld(one: Risk | Utility, n: int) -> str:
    """The words that stand for a small count, or nothing where the number is safe; `n` is how many are published."""
    if not _counts_out(one.measure, one.value, (one.n,)):
        return ""
    count = one.value if one.measure.unit == "count" else one.value * one.n
    if is_few(one.n):
        return f"{SOME if count else 'none'} of {UNDER}"
    words = _words_of_part(count, [one.n])
    return words if one.measure.unit == "count" and words == UNDER else f"{words} of {n:,}"


def _words_of_part(count: float, wholes: Iterable[int]) -> str:
    """A part of something in words, where the part or the rest is few; nothing where it is safe.

    Of fewer than nine the part or the rest is always few, and to say which would narrow it down: "some" says neither.
    """
    rest = [whole - count for whole in wholes]
    if not is_few(count) and not any(is_few(left) for left in rest):
        return ""
    if any(left > 0 and count + left < 2 * FEWEST - 1 for left in rest):
        return SOME
    return UNDER if is_few(count) else ALL_BUT


def is_nearly_all(one: Risk | Utility) -> bool:
    """Return whether a number was withheld because so few are left over."""
    return one.withheld.startswith(ALL_BUT)
