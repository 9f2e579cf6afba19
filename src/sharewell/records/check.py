"""Recounting k, l and t on a finished table, by code that shares nothing with the search.

Plain aggregation over the released cells: no codes, no hierarchies, no kernels. A missing cell is a value of its
own, so that students match only who looks the same (the stricter reading). Rows of nothing but `*` are a class
like any other, and a small group of them misses k; only where their other cells are empty as well do they tell
nothing about anyone and are left out.
"""

from collections.abc import Sequence
from typing import Any

import ibis
from ibis.expr.types import Table

from sharewell.contract import Risk
from sharewell.data import engine

STAR = "*"


def measure(
    released: Any, *, quasi: Sequence[str], sensitive: Sequence[str] = (), withheld: Sequence[str] = ()
) -> list[Risk]:
    """k over all classes; distinct l and t for every sensitive column. `released` is a frame, a path or a table."""
    table = engine.table(released)
    telling = _telling(table, quasi, [*sensitive, *withheld])
    rows, seen = _number(table.count()), _number(telling.count())
    classes = telling.group_by(list(quasi)).agg(__n=lambda t: t.count())
    smallest = _number(classes["__n"].min()) if seen else rows
    risks = [
        Risk(
            name="k",
            attacker="prosecutor",
            value=smallest,
            n=int(rows),
            better="higher",
            setting={"silent": int(rows - seen)},
            story="The smallest number of students who look alike in the released file.",
        )
    ]
    for column in sensitive:
        risks += [
            _distinct(telling, quasi, column, rows, seen),
            _closeness(telling, quasi, column, rows, seen),
        ]
    return risks


def _telling(table: Table, quasi: Sequence[str], others: Sequence[str]) -> Table:
    """All rows but those that tell nothing at all: every quasi-identifier `*`, every other cell empty."""
    hidden = [(table[name].cast("string") == STAR).fill_null(False) for name in quasi]
    empty = [table[name].isnull() for name in others]
    return table.filter(~ibis.and_(*hidden, *empty))


def _distinct(telling: Table, quasi: Sequence[str], column: str, rows: float, seen: float) -> Risk:
    held = telling.group_by([*quasi, column]).agg(__n=lambda t: t.count())
    kinds = held.group_by(list(quasi)).agg(__l=lambda t: t.count())
    return Risk(
        name="l",
        attacker="knows the class",
        value=_number(kinds["__l"].min()) if seen else rows,
        n=int(rows),
        better="higher",
        setting={"column": column},
        story="The fewest different values in a class of students.",
    )


def _closeness(telling: Table, quasi: Sequence[str], column: str, rows: float, seen: float) -> Risk:
    """Earth mover's distance as an expression: classes × values, shares, and a running sum where values are ordered."""
    held = telling.group_by([*quasi, column]).agg(__n=lambda t: t.count())
    values = telling.group_by(column).agg(__all=lambda t: t.count())
    number = values[column].try_cast("float64") if values[column].type().is_string() else values[column]
    ordered = seen > 0 and values[column].type().is_numeric()
    if values[column].type().is_string():
        ordered = seen > 0 and bool(_number(number.isnull().sum()) == 0)
    ordered = ordered and _number(values[column].isnull().sum()) == 0 and _number(values.count()) > 1
    values = values.mutate(__rank=ibis.row_number().over(order_by=number if ordered else values[column]))
    numbered = held.left_join(
        values.rename(__value=column), _same(held[column], values.rename(__value=column)["__value"])
    )
    return Risk(
        name="t",
        attacker="knows the class",
        value=_farthest(numbered, quasi, values, seen, ordered) if seen else 0.0,
        n=int(rows),
        setting={"column": column, "distance": "ordered" if ordered else "equal"},
        story="How far the values in a class lie from those of everyone (earth mover's distance).",
    )


def _farthest(held: Table, quasi: Sequence[str], values: Table, seen: float, ordered: bool) -> float:
    classes = held.group_by(list(quasi)).agg(__size=lambda t: t["__n"].sum())
    classes = classes.mutate(__class=ibis.row_number())
    named = held.left_join(classes, [_same(held[name], classes[name]) for name in quasi])
    here = named.select("__class", "__rank", "__n")
    grid = classes.select("__class", "__size").cross_join(values.select("__rank", "__all"))
    full = grid.left_join(here, ["__class", "__rank"])
    apart = full.mutate(__gap=full["__n"].fill_null(0) / full["__size"] - full["__all"] / seen)
    if ordered:
        window = ibis.window(group_by="__class", order_by="__rank", preceding=None, following=0)
        apart = apart.mutate(__gap=apart["__gap"].sum().over(window))
    divisor = _number(values.count()) - 1 if ordered else 2
    distances = apart.group_by("__class").agg(__t=lambda t: t["__gap"].abs().sum() / divisor)
    return _number(distances["__t"].max())


def _same(left: Any, right: Any) -> Any:
    return left.identical_to(right)


def _number(expression: Any) -> float:
    return float(engine.connection().execute(expression))
