"""Ranges end on a grid that stands before any group does; no end and no listed value tells of one student."""

import re
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sharewell as sw
from sharewell.records import hierarchy_rules, published_cells
from sharewell.records.arrays import Array
from sharewell.records.category_bands import in_order
from sharewell.records.hierarchies import Hierarchy
from sharewell.records.protection.anonymization import Method
from sharewell.records.public_labels import labels_of
from sharewell.stats.number_grid import GUARD, NumberGrid, make_grid

whole = st.lists(st.integers(-300, 3000).map(str), min_size=2, max_size=60)
measured = st.lists(st.decimals(min_value=-1000, max_value=1000, places=4).map(str), min_size=2, max_size=60)
METHODS: list[Method] = ["full-domain", "local"]


def grid_of(cells: list[str]) -> NumberGrid:
    values = sorted(set(cells), key=Decimal)
    return make_grid(values, [float(cells.count(value)) for value in values])


def hierarchy_of(cells: list[str]) -> Hierarchy:
    values = sorted(set(cells), key=Decimal)
    return hierarchy_rules.powers_of_two("mark", values, np.array([float(cells.count(value)) for value in values]))


def ends(label: str) -> set[Decimal]:
    return {Decimal(number) for number in re.findall(r"-?\d+(?:\.\d+)?", label)}


@given(st.one_of(whole, measured), st.data())
def test_the_ends_of_a_groups_label_are_ends_of_the_grid_and_cover_it(cells: list[str], data: st.DataObject) -> None:
    made = hierarchy_of(cells)
    assert isinstance(made.grid, NumberGrid)
    allowed = {*made.grid.cuts, *(cut - 1 for cut in made.grid.cuts if made.grid.whole)}
    group = data.draw(st.lists(st.sampled_from(cells), min_size=2, max_size=8))
    known = labels_of(made)
    places = [int(known.place_of[made.position[value]]) for value in group]
    label = known.spans[known.covering(min(places), max(places))].name
    covered = published_cells.covered(made, label)
    assert all(covered[made.position[value]] for value in group)
    if label not in (*group, "*"):
        assert label is not None and ends(label) <= allowed


@given(st.lists(st.integers(0, 60), min_size=8, max_size=60), st.data())
def test_an_end_does_not_move_with_a_student_inside_the_label(numbers: list[int], data: st.DataObject) -> None:
    """Only which label of the list is taken depends on the group: students between its ends may be anywhere."""
    cells = [str(number) for number in numbers]
    made = hierarchy_of(cells)
    known = labels_of(made)
    group = data.draw(st.lists(st.sampled_from(sorted(set(numbers))), min_size=3, max_size=8))
    places = sorted(int(known.place_of[made.position[str(number)]]) for number in group)
    number = known.covering(places[0], places[-1])
    span = known.spans[number]
    moved = data.draw(st.integers(places[0], places[-1]))
    assert known.covering(min(places[0], moved), max(places[-1], moved)) == number
    assert span.first <= places[0] and places[-1] <= span.last


@given(st.lists(st.integers(0, 40), min_size=30, max_size=80), st.data())
def test_no_end_goes_with_the_one_student_who_has_it(numbers: list[int], data: st.DataObject) -> None:
    """Without a student the grid has the same inner ends; an outermost one is held up by five, never by one."""
    cells = [str(number) for number in numbers]
    grid = grid_of(cells)
    owner = data.draw(st.sampled_from(cells))
    rest = list(cells)
    rest.remove(owner)
    gone = set(grid.cuts) - set(grid_of(rest).cuts)
    beyond = [(sum(int(cell) >= cut for cell in cells), sum(int(cell) < cut for cell in cells)) for cut in gone]
    assert all(GUARD in pair for pair in beyond)


@given(st.lists(st.integers(0, 30), min_size=24, max_size=60), st.data())
def test_no_label_is_a_function_of_its_class(numbers: list[int], data: st.DataObject) -> None:
    """The list of labels is made from the column alone: any permutation of the students gives the same list."""
    order = data.draw(st.permutations(numbers))
    first, second = (hierarchy_of([str(number) for number in held]) for held in (numbers, order))
    assert [span.name for span in labels_of(first).spans] == [span.name for span in labels_of(second).spans]


@given(st.lists(st.integers(15, 40), min_size=30, max_size=80), st.integers(500, 10**6), st.booleans())
def test_one_mistyped_number_does_not_move_the_grid(numbers: list[int], far: int, low: bool) -> None:
    cells = sorted(numbers)
    extreme = cells[0] if low else cells[-1]
    others = cells[1:] if low else cells[:-1]
    mistyped = -far if low else far
    before, after = grid_of([str(n) for n in (*others, extreme)]), grid_of([str(n) for n in (*others, mistyped)])
    assert before.cuts == after.cuts and before.first == after.first
    beyond = sum(n < before.cuts[0] for n in cells) if before.cuts else GUARD
    assert beyond >= GUARD


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("typo", ["999.25", "-3", "2O", "Ü-typo"])
def test_a_mistyped_cell_never_comes_out(method: Method, typo: str) -> None:
    draw = np.random.default_rng(5)
    ages = [str(n) for n in draw.integers(17, 45, 200)]
    towns = [str(n) for n in draw.choice(["north", "south", "east", "west"], 200)]
    (ages if typo[-1].isdigit() else towns)[17] = typo
    done = sw.records.anonymize(pa.table({"age": ages, "town": towns}), quasi=["age", "town"], k=4, method=method)
    printed = " ".join({*done.table["age"].to_pylist(), *done.table["town"].to_pylist()})
    assert typo not in printed
    assert not {number for number in ends(printed) if abs(number) > 100 or number < 0}


@pytest.mark.parametrize("method", METHODS)
def test_one_number_written_in_two_ways_stays_in_one_place(method: Method) -> None:
    marks = [f"{n // 4 / 2:.{1 + n % 2}f}" for n in range(120)]  # 7.5 and 7.50 side by side
    table = pa.table({"mark": marks, "sex": ["f", "m"] * 60})
    done = sw.records.anonymize(table, quasi=["mark", "sex"], k=6, method=method)
    assert done.k >= 6 and done.table["mark"].null_count == 0
    for mark, cell in zip(marks, done.table["mark"].to_pylist(), strict=True):
        if cell.startswith("["):
            low, high = (Decimal(end) for end in cell[1:-1].split(", "))
            assert low <= Decimal(mark) < high


@pytest.mark.parametrize("method", METHODS)
def test_no_released_range_ends_at_a_students_own_mark(method: Method) -> None:
    marks = [round(3.0071 + n * 0.137 + (n % 7) * 0.0113, 6) for n in range(60)]
    table = pa.table({"mark": marks, "sex": ["f", "m"] * 30})
    done = sw.records.anonymize(table, quasi=["mark", "sex"], k=5, method=method)
    cells = set(done.table["mark"].to_pylist())
    assert any(cell.startswith("[") and cell.endswith(")") for cell in cells)
    assert not {float(end) for cell in cells for end in ends(cell)} & set(marks)
    assert done.k >= 5


def test_few_with_much_get_steps_that_grow() -> None:
    cells = [str(n) for n in (*range(100), *range(100, 1000, 30), *range(1000, 60000, 2500))]
    grid = grid_of(cells)
    gaps: Array = np.diff([float(cut) for cut in grid.cuts])
    assert gaps[-1] > 20 * gaps[0]
    assert {str(cut.normalize().as_tuple().digits) for cut in grid.cuts} <= {
        str(digits) for digits in ((1,), (1, 5), (2,), (3,), (5,), (7,))
    }


def test_bands_are_recognised_as_ordered_and_list_no_value_of_one_student() -> None:
    values = ["90-100%", "0-10%", "10-20", "20-30%", "30-40%", "35-40% x"]
    assert in_order(values[:5]) == ["0-10%", "10-20", "20-30%", "30-40%", "90-100%"]
    made = hierarchy_rules.make("imd_band", values, np.array([5.0, 9, 7, 8, 6, 1]))
    assert made.ordered
    labels = [made.label("20-30%", level) for level in range(made.height + 1)]
    assert labels == ["20-30%", "20-30%", "20-30% to 30-40%", "0-10% to 30-40%", "*"]
    assert made.label("35-40% x", 1) == "30-40% and others"
    assert not any("x" in str(name) for level in made.labels[1:] for name in level)


@pytest.mark.parametrize("values", [["Q1", "Q2", "Q3"], ["red", "green", "blue"], ["1a", "1b", "1c"]])
def test_codes_and_words_are_not_taken_for_bands(values: list[str]) -> None:
    assert in_order(values) is None


@given(st.lists(st.sampled_from("abcdefg"), min_size=6, max_size=60), st.data())
def test_categories_come_out_as_nodes_never_as_lists(cells: list[str], data: st.DataObject) -> None:
    values = sorted(set(cells))
    groups = {value: data.draw(st.sampled_from(["left", "right"])) for value in values}
    made = hierarchy_rules.from_groups("c", values, groups)
    known = labels_of(made)
    assert {span.name for span in known.spans} <= {*values, *groups.values(), "*"}
    for span in known.spans:
        inside = {value for value in values if span.first <= known.place_of[made.position[value]] <= span.last}
        assert inside == {v for v in values if span.name in (v, groups[v], "*")}
