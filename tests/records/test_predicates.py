"""Descriptions that fit one student: caught where labels shrink to their class, at chance where they do not."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from sharewell.data import engine
from sharewell.records import row_pairs
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


def dealt(rows: int, size: int, seed: int) -> tuple[Array, list[Array]]:
    """Students in groups at random, with six questions that one in eight answers with yes."""
    draw = np.random.default_rng(seed)
    return draw.permutation(np.arange(rows) // size), [draw.binomial(1, 1 / 8, rows) for _ in range(6)]


def recoded(table: pa.Table) -> tuple[Request, Recoding]:
    wanted = Settings(quasi=tuple(table.column_names), limits=Limits(k=5), method="local")
    request = wanted.request_for(engine.table(table))
    return request, wanted.recode(request)


def labelled(classes: Array, held: Array, *, shrink: bool) -> predicates.LabelledColumn:
    """A column whose labels list what occurs in their class, or always both answers; nobody gives the third."""
    low, high = np.ones(classes.max() + 1, int), np.zeros(classes.max() + 1, int)
    np.minimum.at(low, classes, held)
    np.maximum.at(high, classes, held)
    label = np.where(low == high, low, 2)[classes] if shrink else np.full(held.size, 2)
    return predicates.LabelledColumn(
        name="q", true=held, label=label, margin=np.bincount(held, minlength=3),
        inside={0: np.array([1, 0, 0], bool), 1: np.array([0, 1, 0], bool), 2: np.array([1, 1, 0], bool)},
        cover=(lambda first, last: np.where(first == last, first, 2)) if shrink else None,
    )  # fmt: skip


@pytest.mark.parametrize("seed", [1, 2])
def test_labels_that_list_what_occurs_are_caught_and_fixed_ones_are_not(seed: int) -> None:
    classes, columns = dealt(1200, 6, seed)
    caught = predicates.attack([labelled(classes, held, shrink=True) for held in columns], classes, seed=0)
    assert caught.chance is not None and caught.low is not None and caught.low > caught.chance + 0.02
    fixed = predicates.attack([labelled(classes, held, shrink=False) for held in columns], classes, seed=0)
    assert fixed.chance is not None and fixed.low is not None and fixed.low <= fixed.chance
    assert fixed.chance == pytest.approx((5 / 6) ** 5 / 6) and fixed.n == 1200


def test_rows_of_nothing_but_stars_tell_nothing() -> None:
    """A table of 24 with one value each: whoever knows the column knows that, with the release or without it."""
    star = predicates.LabelledColumn(
        name="mark", true=np.arange(24), label=np.zeros(24, int), margin=np.ones(24), inside={0: np.ones(24, bool)}
    )
    risk = predicates.attack([star], np.zeros(24, int), seed=0)
    assert (risk.value, risk.high, risk.setting["groups"]) == (0.0, 0.0, 0)


def test_whoever_knows_how_groups_are_divided_finds_what_was_left_because_it_could_not_be() -> None:
    """Groups of twelve that were divided wherever six and six were possible: a rare answer is left, and often alone."""
    draw = np.random.default_rng(5)
    sizes = draw.choice([1, 6], 200, p=[0.5, 0.5])
    held = np.concatenate([np.arange(12) < size for size in sizes]).astype(int)
    classes = np.repeat(np.arange(200), 12)
    still = np.isin(classes, np.flatnonzero(sizes == 1))
    column = labelled(classes[still] % 200, held[still], shrink=False)
    even = replace(column, margin=np.array([7, 5]))
    naive = predicates.attack([even], classes[still], seed=0)
    knowing = predicates.attack([even], classes[still], uncut=12, seed=0)
    assert knowing.value == pytest.approx(1 / 12) and knowing.chance is not None and knowing.value > knowing.chance
    assert naive.value <= knowing.value


@pytest.mark.parametrize("seed", [1, 2])
def test_local_recoding_gives_no_description_away(seed: int) -> None:
    table = answers(900, seed)
    request, made = recoded(table)
    reps = np.repeat(np.arange(request.combinations.counts.size), request.combinations.counts)
    after = pa.table({name: pa.array([labels[n] for n in reps], pa.string()) for name, labels in made.labels.items()})
    before = pa.table(
        {c.name: pa.array([c.values[code] for code in c.codes[reps]]) for c in request.combinations.quasi}
    )
    for risk in predicates.singled_out(before, after, request.combinations, request.hierarchies, k=5, seed=0):
        assert risk.chance is not None and risk.high is not None and risk.high <= risk.chance + 0.02


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


def test_which_classes_of_a_long_table_are_looked_at_does_not_depend_on_the_order_of_an_engine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(row_pairs, "MOST_ROWS", 30)
    draw = np.random.default_rng(1)
    rows = pa.table({"age": draw.integers(0, 9, 90), "town": [["a", "b", None][n] for n in draw.integers(0, 3, 90)]})
    table = row_pairs.numbered(engine.table(rows), "row")
    straight = row_pairs.whole_classes(table, table, "row", ["age", "town"], seed=3)
    arrow = engine.arrow
    monkeypatch.setattr(engine, "arrow", lambda asked: backwards(arrow(asked)))
    again = row_pairs.whole_classes(table, table, "row", ["age", "town"], seed=3)
    assert 0 < straight[0].num_rows <= 30
    assert [backwards(side) for side in again] == list(straight)


@pytest.mark.parametrize("small", [3, 0])
def test_a_class_larger_than_the_room_does_not_keep_the_others_from_being_looked_at(
    small: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(row_pairs, "MOST_ROWS", 30)
    towns = ["large"] * 40 + ["larger"] * 50 + [f"small {n // 10}" for n in range(10 * small)]
    table = row_pairs.numbered(engine.table(pa.table({"town": towns})), "row")
    for seed in range(8):
        _, after = row_pairs.whole_classes(table, table, "row", ["town"], seed=seed)
        seen = Counter(after["town"].to_pylist())
        assert len(seen) == (small or 1) and set(seen.values()) == {10 if small else 30}


def test_whoever_is_shown_no_row_gives_no_number() -> None:
    risk = predicates.attack([], np.empty(0, np.int64), seed=0)
    assert replace(risk, gate="predicate", limit=0.02, bound="high").holds is False


def backwards(table: pa.Table) -> pa.Table:
    return table.take(pa.array(range(table.num_rows - 1, -1, -1), pa.int64()))
