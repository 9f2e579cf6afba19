"""Hierarchies: given, made, written out and read again."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sharewell as sw
from sharewell.errors import InputError
from sharewell.records import hierarchy_rules
from sharewell.records.arrays import Array
from sharewell.records.given_hierarchies import gather
from sharewell.records.hierarchies import Hierarchy, from_rows, read_csv, write_csv


def ones(values: list[Any]) -> Array:
    return np.ones(len(values))


def labels(hierarchy: Hierarchy, leaf: str | None) -> list[str | None]:
    return [hierarchy.label(leaf, level) for level in range(hierarchy.height + 1)]


def test_numbers_in_powers_of_two_as_in_the_paper() -> None:
    made = hierarchy_rules.powers_of_two("c", ["1", "2", "3", "4", "5", "6"], ones([0] * 6))
    assert labels(made, "3") == ["3", "[3, 4]", "under 5", "*"]
    assert labels(made, "6") == ["6", "5 or more", "5 or more", "*"]
    assert made.ordered


@pytest.mark.parametrize(("count", "levels"), [(1, 2), (2, 2), (4, 3), (5, 4), (8, 4), (9, 5)])
def test_the_number_of_levels_is_the_papers(count: int, levels: int) -> None:
    values = [str(n) for n in range(count)]
    assert hierarchy_rules.powers_of_two("c", values, ones(values)).height + 1 == levels


def test_dates_go_to_month_quarter_year() -> None:
    values = ["2001-05-31", "2001-05-30", "2001-06-01", "2001-01-01", "2002-01-01", "1999-12-31"]
    made = hierarchy_rules.make("born", values, ones(values))
    assert labels(made, "2001-05-31") == ["2001-05-31", "2001-05", "2001-Q2", "2001", "[2000, 2009]", "*"]


def test_postcodes_lose_their_last_digits() -> None:
    made = hierarchy_rules.make("postcode", ["10115", "10117", "20095"], ones([0] * 3))
    assert labels(made, "10115")[:2] == ["10115", "1011*"]
    assert labels(made, "10115")[-1] == "*"
    assert made.label("10117", 1) == "1011*"


def test_rare_categories_are_merged_step_by_step() -> None:
    values = ["a", "b", "c", "d"]
    made = hierarchy_rules.make("origin", values, np.array([90.0, 6.0, 3.0, 1.0]))
    assert made.label("c", 1) == "other" == made.label("d", 1)
    assert made.label("a", 1) == "a"
    assert labels(made, "a")[-1] == "*"


def test_given_groups_become_a_level() -> None:
    made = hierarchy_rules.from_groups("c", ["de", "fr", "jp"], {"de": "Europe", "fr": "Europe"})
    assert labels(made, "de") == ["de", "Europe", "*"]
    assert labels(made, "jp") == ["jp", "jp", "*"]


@given(st.lists(st.integers(-500, 500), min_size=1, max_size=60, unique=True), st.booleans())
def test_made_hierarchies_only_merge_and_end_in_a_star(numbers: list[int], with_missing: bool) -> None:
    values: list[str | None] = [str(n) for n in numbers] + ([None] if with_missing else [])
    made = hierarchy_rules.make("c", values, ones(values))
    losses = np.stack([made.loss(level) for level in range(made.height + 1)])
    assert set(made.leaves) == set(values)
    assert (np.diff(losses, axis=0) >= -1e-12).all()
    assert (losses[0] == 0).all()
    assert set(made.labels[-1]) == {"*"}


def test_arx_files_come_in_and_go_out(tmp_path: Path) -> None:
    file = tmp_path / "adult_hierarchy_education.csv"
    file.write_text("Bachelors;Higher;*\nMasters;Higher;*\n11th;School;*\n")
    made = read_csv("education", file)
    assert labels(made, "Masters") == ["Masters", "Higher", "*"]
    write_csv(made, tmp_path / "education.csv")
    assert read_csv("education", tmp_path / "education.csv").rows() == made.rows()
    found = gather(tmp_path, {"education": ["11th", "Masters"]}, {"education": np.array([1.0, 2.0])})
    assert found["education"].rows() == made.rows()


def test_a_made_hierarchy_can_be_edited_and_used_again(tmp_path: Path) -> None:
    table = pa.table({"age": [18, 19, 20, 21, 22, 40] * 5, "sex": ["f", "m"] * 15})
    kept = sw.records.anonymize(table, quasi=["age", "sex"], k=5, method="full-domain")
    write_csv(kept.hierarchies["age"], tmp_path / "age.csv")
    again = sw.records.anonymize(table, quasi=["age", "sex"], k=5, hierarchies=tmp_path, method="full-domain")
    assert again.table == kept.table


def test_missing_values_stand_alone_until_the_star() -> None:
    made = hierarchy_rules.make("c", ["1", "2", "3", None], ones([0] * 4))
    assert labels(made, None) == [None, None, "*"]


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([["a", "x"], ["a", "y"]], "twice"),
        ([["a", "x", "u"], ["b", "x", "v"]], "only merge"),
        ([["a", "x"], ["b"]], "levels"),
        ([], "no rows"),
    ],
)
def test_bad_hierarchies_are_refused_without_their_values(rows: list[Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence) as caught:
        from_rows("secret", rows)
    assert "'secret'" in str(caught.value)


def test_values_without_a_row_in_the_hierarchy_are_refused() -> None:
    table = pa.table({"a": ["hidden-name", "y"] * 5})
    with pytest.raises(InputError, match="not in its hierarchy") as caught:
        sw.records.anonymize(table, quasi=["a"], k=2, hierarchies={"a": [["y", "*"]]}, method="full-domain")
    assert "hidden-name" not in str(caught.value)
