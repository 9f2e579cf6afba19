"""Descriptions that fit one student: caught where labels shrink to their class, at chance where they do not."""

import numpy as np
import pyarrow as pa
import pytest

from sharewell.data import engine
from sharewell.records.arrays import Array
from sharewell.records.limits import Limits
from sharewell.records.measure import predicates
from sharewell.records.protection.recoding import Recoding, Request
from sharewell.records.protection.settings import Settings
from sharewell.records.public_labels import labels_of


def answers(rows: int, seed: int) -> pa.Table:
    """Yes-or-no questions, most of them rarely answered with yes."""
    draw = np.random.default_rng(seed)
    shares = np.linspace(0.05, 0.5, 24)
    return pa.table({f"q{n}": draw.binomial(1, share, rows).astype(str) for n, share in enumerate(shares)})


def recoded(table: pa.Table) -> tuple[Request, Recoding]:
    wanted = Settings(quasi=tuple(table.column_names), limits=Limits(k=5), method="local")
    request = wanted.request_for(engine.table(table))
    return request, wanted.recode(request)


def rows_of(request: Request, classes: Array) -> tuple[Array, list[Array]]:
    reps = np.repeat(np.arange(request.combinations.counts.size), request.combinations.counts)
    return classes[reps], [column.codes[reps] for column in request.combinations.quasi]


def shrunk(request: Request, classes: Array) -> list[predicates.Labelled]:
    """The same classes with labels that list what occurs in them."""
    numbers, codes = rows_of(request, classes)
    columns = []
    for column, held in zip(request.combinations.quasi, codes, strict=True):
        low, high = np.full(numbers.max() + 1, 9), np.zeros(numbers.max() + 1, int)
        np.minimum.at(low, numbers, held)
        np.maximum.at(high, numbers, held)
        inside = {0: np.array([True, False]), 1: np.array([False, True]), 2: np.array([True, True])}
        label = np.where(low == high, low, 2)[numbers]
        margin = np.bincount(held, minlength=2)
        columns.append(
            predicates.Labelled(
                name=column.name, true=held, label=label, inside=inside, margin=margin,
                cover=lambda first, last: np.where(first == last, first, 2),
            )
        )  # fmt: skip
    return columns


@pytest.mark.parametrize("seed", [1, 2])
def test_labels_that_list_what_occurs_are_caught_and_public_ones_are_not(seed: int) -> None:
    table = answers(900, seed)
    request, made = recoded(table)
    numbers, _ = rows_of(request, made.classes)
    caught = predicates.attack(shrunk(request, made.classes), numbers, seed=0)
    assert caught.chance is not None and caught.low is not None and caught.low > caught.chance + 0.1
    names = {column.name: made.labels[column.name] for column in request.combinations.quasi}
    reps = np.repeat(np.arange(request.combinations.counts.size), request.combinations.counts)
    after = pa.table({name: pa.array([labels[n] for n in reps], pa.string()) for name, labels in names.items()})
    before = pa.table(
        {c.name: pa.array([c.values[code] for code in c.codes[reps]]) for c in request.combinations.quasi}
    )
    risk = predicates.singled_out(before, after, request.combinations, request.hierarchies, seed=0)
    assert risk.chance is not None and risk.low is not None and risk.low <= risk.chance


def test_a_label_covers_whoever_would_have_come_there() -> None:
    """Labels belong to the cuts, not to who is there: any combination of values is covered where it would fall."""
    draw = np.random.default_rng(3)
    table = pa.table({
        "age": draw.integers(17, 60, 400), "town": draw.choice(list("abcdefgh"), 400), "grade": draw.normal(5, 2, 400),
    })  # fmt: skip
    request, made = recoded(table)
    codes = np.stack([draw.integers(0, len(c.values), 500) for c in request.combinations.quasi]).astype(np.int32)
    from sharewell.records.protection import local_cuts

    classes = local_cuts.descend(codes, made.tree)
    first = {number: place for place, number in reversed(list(enumerate(made.classes.tolist())))}
    for c, column in enumerate(request.combinations.quasi):
        known = labels_of(request.hierarchies[column.name])
        spans = {span.name: span for span in reversed(known.spans)}
        for number, code in zip(classes.tolist(), codes[c].tolist(), strict=True):
            span = spans[made.labels[column.name][first[number]]]
            place = known.place_of[request.hierarchies[column.name].position[column.values[code]]]
            assert span.first <= place <= span.last
