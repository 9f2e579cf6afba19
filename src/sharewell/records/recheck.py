"""Recounting k, l and t on a finished table, by code that shares nothing with the search.

Plain aggregation over the released cells: no codes, no hierarchies, no kernels. A missing cell is a value of its
own, so that students match only who looks the same (the stricter reading). Rows of nothing but `*` are a class
like any other, and a small group of them misses k; only where their other cells are empty as well are they
silent about everyone and left out.
"""

import itertools
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import ibis
import numpy as np
from ibis.expr.types import Table

from sharewell.contract import Count, Results, Risk
from sharewell.data import engine
from sharewell.errors import InputError
from sharewell.records.kind import EPSILON, IMPOSSIBLE, KEPT, NOT_INVENTED, UNLISTED, K, L, T

STAR = "*"
READER = "reads the file"


def recheck(released: Table, facts: Mapping[str, Any]) -> list[Risk]:
    """What a recipient can measure: k, l and t of the file, beside the limits of the release.

    Of invented rows: what the stated uses of the budget add up to, and that every cell is one that could be invented.
    """
    if facts.get("method") == "synthetic":
        return [*promise(facts, facts["limits"]), *invented_rows(released, facts)]
    if facts.get("student"):
        students = recount_students(released, facts["student"], facts["quasi"], facts["sensitive"])
        return [with_limit(one, facts["limits"]) for one in students]
    measured = recount(released, quasi=facts["quasi"], sensitive=facts["sensitive"], withheld=facts["withheld"])
    if "kept" in facts["limits"]:
        measured += _with_kept(released, facts["quasi"], facts["sensitive"], facts["withheld"])
    return [with_limit(one, facts["limits"]) for one in measured]


def promise(facts: Mapping[str, Any], limits: Mapping[str, float]) -> list[Risk]:
    """Add up ε of the stated noise anew, where such a promise is made."""
    budget = facts.get("privacy budget")
    if budget is None:
        return []
    cost = math.fsum(1 / (2 * one["noise"] ** 2) if one["what"] == "counts" else one["rho"] for one in budget["spent"])
    epsilon, delta = _least_epsilon(cost, float(budget["delta"])), float(budget["delta"])
    story = (
        "Whether any one student is in the table changes the chance of any conclusion at most "
        f"{math.exp(epsilon):,.1f} times (ε = {epsilon:.3g}; but for a chance of {delta:.1g}), whatever an attacker "
        "knows and does; added up from the stated noise."
    )
    risk = Risk(
        measure=EPSILON, attacker="knows everything but one student", value=epsilon, n=int(facts["rows"]), story=story
    )
    return [with_limit(risk, limits)]


def _least_epsilon(cost: float, delta: float) -> float:
    """By the Rényi divergences of a cost of ρ, order by order (Canonne, Kamath and Steinke 2020, proposition 12)."""
    order = 1 + np.exp(np.linspace(-8, 14, 200_001))
    slack = (np.log(1 / delta) - np.log(order)) / (order - 1) + np.log1p(-1 / order)
    return max(0.0, float((cost * order + slack).min()))


def invented_rows(released: Table, facts: Mapping[str, Any]) -> list[Risk]:
    """Count ids, cells and rows that no generator would have written."""
    rows = engine.arrow(released)
    texts = {name: rows[name].cast("string").to_pylist() for name in rows.column_names}
    ids = texts.get(facts["student"], [])
    real = sum(not (one or "").startswith(facts["prefix"]) for one in ids) + len(ids) - len(set(ids))
    beyond = sum(_beyond(texts[name], domain) for name, domain in facts["domain"].items() if name in texts)
    beyond += rows.num_rows * len(set(facts["columns"]) ^ set(rows.column_names))
    broken = {row for rule in facts["impossible"] for row in _breaking(rule, texts)}
    found = (
        (NOT_INVENTED, real, "Every student has an invented id of their own."),
        (UNLISTED, beyond, "Every cell is a listed value or lies in the range of its column."),
        (IMPOSSIBLE, len(broken), "No row is what the plan calls impossible."),
    )
    return [
        Risk(
            measure=measure,
            attacker=READER,
            value=value,
            n=rows.num_rows,
            limit=0,
            gate="recheck",
            story=story,
        )
        for measure, value, story in found
    ]


def _beyond(texts: Sequence[str | None], domain: Mapping[str, Any]) -> int:
    """Cells that are neither listed nor numbers of the range, ends included."""
    listed = {_plain(value) for value in domain["listed"]}
    low, high = domain["low"], domain["high"]
    found = 0
    for text, count in Counter(texts).items():
        at = text if isinstance(low, str) else math.nan if text is None else _number_of(text)
        inside = low is not None and at is not None and low <= at <= high
        found += count * (_plain(text) not in listed and not inside)
    return found


def _breaking(rule: str, texts: Mapping[str, Sequence[str | None]]) -> set[int]:
    """The rows of which all comparisons of a rule hold; a missing cell is the empty text."""
    found: list[set[int]] = []
    for column, sign, value in re.findall(r"(\S.*?)\s*(==|!=|<=|>=|=|<|>)\s*(.*?)(?:\s+and\s+|$)", rule):
        cells = enumerate(texts[column])
        found.append({row for row, text in cells if _compares(text or "", sign, value.strip("\"' "))})
    return set.intersection(*found)


def _compares(text: str, sign: str, value: str) -> bool:
    same = _plain(text) == _plain(value)
    if "<" not in sign and ">" not in sign:
        return same == (sign != "!=")
    one, other = _number_of(text), _number_of(value)
    return (
        one < other if sign == "<" else one <= other if sign == "<=" else one > other if sign == ">" else one >= other
    )


def _plain(text: str | None) -> str | float | None:
    """3.0 and 3 are the same."""
    number = math.nan if text is None else _number_of(text)
    return text if math.isnan(number) else number


def _number_of(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def recount_students(released: Table, student: str, quasi: Sequence[str], sensitive: Sequence[str]) -> list[Risk]:
    """Several rows per student: k over students; l and t for every kind of row of those who look alike."""
    gap, nothing = "\u001f", "\u0000"
    cells = [released[name].cast("string").fill_null(nothing) for name in quasi]
    secrets = {f"secret {number}": released[name] for number, name in enumerate(sensitive)}
    rows = released.select(who=released[student].cast("string"), row=ibis.literal(gap).join(cells), **secrets)
    whole = rows.group_by("who").agg(collection=lambda t: t.row.group_concat("\u001e", order_by=t.row))
    inside = (
        recount(rows.inner_join(whole, "who"), quasi=["collection", "row"], sensitive=list(secrets)) if secrets else []
    )
    named = dict(zip(secrets, sensitive, strict=True))
    rest = [one for one in inside if one.name != "k"]
    renamed = [replace(one, setting={**one.setting, "column": named[one.setting["column"]]}) for one in rest]
    return [_students_alike(whole, quasi), *renamed]


def _students_alike(whole: Table, quasi: Sequence[str]) -> Risk:
    """How many have the same collection of rows, at least."""
    sizes = whole.group_by("collection").agg(students=lambda t: t.count())
    found = engine.arrow(sizes.aggregate(k=sizes.students.min(), n=sizes.students.sum())).to_pylist()[0]
    return Risk(
        measure=K,
        attacker="knows all rows of a student",
        value=float(found["k"] or 0),
        n=int(found["n"] or 0),
        story=company(float(found["k"] or 0), f"{listed(quasi)} in all of their rows together"),
    )


def company(k: float, known: str) -> str:
    """The promise of k in words: k students with the same cells are the student and k − 1 others."""
    if k < 2:
        return f"At least one student differs from all others by {known}."
    others = "1 other" if k < 3 else f"{k - 1:,.0f} others"
    return f"No student can be distinguished from fewer than {others} by {known}; checked on the finished file."


def listed(names: Sequence[str]) -> str:
    """Names as a sentence lists them."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _with_kept(released: Table, quasi: Sequence[str], sensitive: Sequence[str], keep: Sequence[str]) -> list[Risk]:
    """Who is alone in their class by one kept column, or by two."""
    found, cells = [], _cells(released, quasi, keep, sensitive)
    for size in (1, 2):
        for places in itertools.combinations(range(len(keep)), size):
            groups = cells.classes(*(f"s{place}" for place in places))
            alone = _number((groups.rows == 1).sum()) if cells.seen else 0.0
            setting = {"columns": [keep[place] for place in places]}
            share = alone / max(cells.rows, 1)
            found.append(Risk(measure=KEPT, attacker="knows the group", value=share, n=cells.rows, setting=setting))
    return found


def with_limit(risk: Risk, limits: Mapping[str, Any]) -> Risk:
    """The risk with the limit of its own name, where there is one."""
    return replace(risk, gate=risk.name, limit=float(limits[risk.name])) if risk.name in limits else risk


def recount(
    released: Any, *, quasi: Sequence[str], sensitive: Sequence[str] = (), withheld: Sequence[str] = ()
) -> Results[Risk]:
    """Count k over all classes, and distinct l and t of every sensitive column.

    Args:
        released: The finished table: a pandas, polars or pyarrow frame, a path, or an Ibis table.
        quasi: Columns with what others may know of a student.
        sensitive: Columns with what nobody should learn.
        withheld: Further columns that are emptied in suppressed rows.

    Returns:
        One risk for k, and two (l and t) for every sensitive column.

    Example:
        >>> import pyarrow as pa
        >>> import sharewell as sw
        >>> released = pa.table({"age": ["[18, 19]"] * 3 + ["*"] * 2, "ill": ["yes", "no", "no", "no", "no"]})
        >>> [(risk.name, risk.value) for risk in sw.records.recount(released, quasi=["age"], sensitive=["ill"])][:2]
        [('k', 2.0), ('l', 1.0)]
    """
    if isinstance(quasi, str) or isinstance(sensitive, str):
        raise InputError('quasi and sensitive take lists of columns, as in quasi=["age"], not one text')
    cells = _cells(engine.table(released), quasi, sensitive, withheld)
    k = _number(cells.classes().rows.min()) if cells.seen else float(cells.rows)
    found = [
        Risk(
            measure=K,
            attacker="prosecutor",
            value=k,
            n=cells.rows,
            setting={"silent": Count(cells.rows - cells.seen)},
            story=company(k, listed(quasi)),
        )
    ]
    for number, column in enumerate(sensitive):
        found += [_distinct(cells, f"s{number}", column), _closeness(cells, f"s{number}", column)]
    return Results(found)


@dataclass(frozen=True, kw_only=True)
class TellingRows:
    """The rows that are not silent: the number of their class and sensitive columns as s0, s1 …; how many there are."""

    telling: Table
    rows: int
    seen: int

    def classes(self, *columns: str) -> Table:
        """Rows of every class, or of every class and value."""
        return self.telling.group_by(["number", *columns]).agg(rows=lambda t: t.count())


def _cells(table: Table, quasi: Sequence[str], sensitive: Sequence[str], withheld: Sequence[str]) -> TellingRows:
    """All rows but silent ones: every quasi-identifier `*` or empty, every other cell empty.

    Where rows of `*` are a class of their own, with other cells filled, those without any belong to it as well.
    """
    hidden = ibis.and_(*((table[name].cast("string") == STAR).fill_null(True) for name in quasi))
    empty = ibis.and_(*(table[name].isnull() for name in [*sensitive, *withheld]))
    counts = table.aggregate(rows=table.count(), silent=(hidden & empty).sum(), stars=(hidden & ~empty).sum())
    rows, silent, stars = (int(number or 0) for number in engine.arrow(counts).to_pylist()[0].values())
    places = {f"q{number}": table[name] for number, name in enumerate(quasi)}
    secrets = {f"s{number}": table[name] for number, name in enumerate(sensitive)}
    telling = engine.materialise((table if stars else table.filter(~(hidden & empty))).select(**places, **secrets))
    classes = engine.numbered(engine.materialise(engine.distinct(telling, list(places))), "number")
    alike = [telling[name].identical_to(classes[name]) for name in places]
    telling = engine.materialise(telling.inner_join(classes, alike).select("number", *secrets))
    return TellingRows(telling=telling, rows=rows, seen=rows if stars else rows - silent)


def _distinct(cells: TellingRows, place: str, column: str) -> Risk:
    kinds = cells.classes(place).group_by("number").agg(kinds=lambda t: t.count())
    fewest = _number(kinds["kinds"].min()) if cells.seen else float(cells.rows)
    said = f"Students who look alike differ in {column}: at least {fewest:,.0f} values in every group of them"
    return Risk(
        measure=L,
        attacker="knows the class",
        value=fewest,
        n=cells.rows,
        setting={"column": column},
        story=f"{said}; checked on the finished file."
        if fewest > 1
        else f"In at least one group of students who look alike, all have the same {column}.",
    )


def _closeness(cells: TellingRows, place: str, column: str) -> Risk:
    """Earth mover's distance as an expression: classes × values, shares, and a running sum where values are ordered."""
    counts = engine.materialise(cells.classes(place).rename(value=place))
    values = counts.group_by("value").agg(everyone=lambda t: t.rows.sum())
    number = values.value.try_cast("float64") if values.value.type().is_string() else values.value
    ordered = cells.seen > 0 and _all_numbers(values, number)
    values = engine.materialise(
        values.mutate(rank=ibis.row_number().over(order_by=number if ordered else values.value))
    )
    far = _farthest(counts, values, cells.seen, ordered=ordered) if cells.seen else 0.0
    return Risk(
        measure=T,
        attacker="knows the class",
        value=far,
        n=cells.rows,
        setting={"column": column, "distance": "ordered" if ordered else "equal"},
        story=f"In every group of students who look alike, {column} is spread as among everyone, up to a distance of "
        f"{math.ceil(100 * far) / 100:.2f} (0 the same, 1 as different as can be); checked on the finished file.",
    )


def _all_numbers(values: Table, number: Any) -> bool:
    """Whether the values are at least two numbers, none missing."""
    if not (values.value.type().is_numeric() or values.value.type().is_string()):
        return False
    return _number((number.isnull().sum() == 0) & (values.count() > 1)) > 0


def _farthest(counts: Table, values: Table, seen: int, *, ordered: bool) -> float:
    """The largest distance of a class from everyone, from the rows of every class and value, and of every value."""
    other = values.rename(other="value")
    here = counts.inner_join(other, counts.value.identical_to(other.other)).select("number", "rank", "rows")
    classes = counts.group_by("number").agg(size=lambda t: t["rows"].sum())
    full = classes.cross_join(values.select("rank", "everyone")).left_join(here, ["number", "rank"])
    apart = full.mutate(gap=full["rows"].fill_null(0) / full["size"] - full["everyone"] / seen)
    if ordered:
        window = ibis.window(group_by="number", order_by="rank", preceding=None, following=0)
        apart = apart.mutate(gap=apart["gap"].sum().over(window))
    divisor = _number(values.count()) - 1 if ordered else 2
    distances = apart.group_by("number").agg(far=lambda t: t["gap"].abs().sum() / divisor)
    return _number(distances["far"].max())


def _number(expression: Any) -> float:
    return float(engine.value(expression))
