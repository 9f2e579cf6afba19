"""Which kind of student the released table exposes most, by one or two released values."""

from collections.abc import Sequence
from itertools import combinations as subsets

import ibis
from ibis.expr.types import Table

from sharewell.contract import Risk
from sharewell.data import engine
from sharewell.disclosure import FEWEST
from sharewell.records.kind import EXPOSED_KIND

STAR = "*"
FEWEST_STUDENTS = 20  # a kind of student is no description of a few
MOST_COLUMNS = 8  # that are looked at alone and two at a time


def most_exposed(table: Table, quasi: Sequence[str]) -> list[Risk]:
    """The kind of student whose groups of look-alikes are smallest on average; nothing where all are alike.

    The mean of 1 / size over the students of a kind is their number of groups over their number.
    """
    names = list(quasi)[:MOST_COLUMNS]
    groups = table.group_by([table[name].cast("string").name(f"q{place}") for place, name in enumerate(quasi)])
    classes = engine.materialise(groups.agg(students=lambda t: t.count()))
    kinds = [_kinds(classes, places) for size in (1, 2) for places in subsets(range(len(names)), size)]
    found = ibis.union(*kinds, distinct=False) if len(kinds) > 1 else kinds[0]
    order = [ibis.desc(found.mean), ibis.desc(found.students), found["columns"], found["first"], found["second"]]
    rows = engine.arrow(found.order_by(order).limit(1)).to_pylist()
    total = engine.arrow(classes.aggregate(groups=classes.count(), students=classes.students.sum())).to_pylist()[0]
    if not rows or rows[0]["mean"] <= total["groups"] / total["students"]:
        return []
    best = rows[0]
    columns = [names[int(place)] for place in best["columns"].split()]
    values = [value for value in (best["first"], best["second"]) if value is not None]
    who = " and ".join(f"{name} {value}" for name, value in zip(columns, values, strict=True))
    return [
        Risk(
            measure=EXPOSED_KIND,
            attacker="prosecutor",
            value=best["mean"],
            n=int(best["students"]),
            setting={"who": f"Students with {who}", "everyone": round(total["groups"] / total["students"], 4)},
            story="Students with the same released values are a group, and somebody who looks for one of them guesses "
            "within it. This kind of student has the smallest groups.",
        )
    ]


def _kinds(classes: Table, places: Sequence[int]) -> Table:
    """Every value of these columns that enough groups and students share, with its groups over its students."""
    one, other = places[0], places[-1]
    known = [classes[f"q{place}"].notnull() & (classes[f"q{place}"] != STAR) for place in places]
    told = classes.filter(*known)
    pair = len(places) > 1
    named = told.select(
        first=told[f"q{one}"],
        second=told[f"q{other}"] if pair else ibis.null("string"),
        students=told.students,
    )
    kinds = named.group_by("first", "second").agg(groups=named.count(), students=named.students.sum())
    enough = kinds.filter((kinds.groups >= FEWEST) & (kinds.students >= FEWEST_STUDENTS))
    return enough.select(
        columns=ibis.literal(" ".join(map(str, places))),
        first=enough["first"],
        second=enough.second,
        students=enough.students.cast("int64"),
        mean=enough.groups / enough.students,
    )
