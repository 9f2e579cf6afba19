"""From Python nothing passes by silence; what does not fit gets one sentence without a value of the data."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sharewell as sw
from sharewell.errors import InputError
from sharewell.records.given_hierarchies import gather

TABLE = pa.table({"age": ["18", "19"] * 20, "town": ["hidden-town", "b", "c", "d"] * 10, "note": ["x"] * 40})


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"quasi": ["age", "town"]}, "'note': this column has no role: name it in keep"),
        ({"quasi": ["age"]}, "'town': this column has no role .and 1 more."),
        ({"quasi": "age", "keep": ["town", "note"]}, "quasi takes a list"),
        ({"quasi": ["age"], "keep": "note"}, "keep takes a list"),
        ({"quasi": ["age", "town"], "keep": ["note"], "k": "5"}, "k takes a number, not str"),
        ({"quasi": ["age", "town"], "keep": ["note"], "k": 2.5}, "k takes a whole number"),
        ({"quasi": ["age", "town"], "keep": ["note"], "t": "0.4"}, "t takes a number"),
        ({"quasi": ["age", "town"], "keep": ["note"], "hierarchies": {"town": {"z": "East"}}}, "few of its values"),
    ],
)
def test_arguments_that_do_not_fit_get_one_sentence(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence) as caught:
        sw.records.anonymize(TABLE, **given)
    assert "hidden-town" not in str(caught.value)


@pytest.mark.parametrize("call", [sw.records.assess, sw.records.tradeoff, sw.records.recount])
def test_one_text_is_no_list_of_columns(call: Any) -> None:
    with pytest.raises(InputError, match="list"):
        call(TABLE, quasi="age")


def test_numbers_of_numpy_are_numbers() -> None:
    numbers: dict[str, Any] = {"k": np.int64(5), "max_suppressed": np.float64(0)}
    done = sw.records.anonymize(TABLE, quasi=["age", "town"], keep=["note"], **numbers)
    assert done.k >= 5


def test_a_hierarchy_that_lacks_values_is_named_by_its_file(tmp_path: Path) -> None:
    file = tmp_path / "town.csv"
    file.write_text("b;north\nc;north\n")
    with pytest.raises(InputError, match=r"town.csv.*'town'.*2 of its values.*such as Yemen;Asia") as caught:
        sw.records.anonymize(TABLE, quasi=["age", "town"], keep=["note"], hierarchies={"town": file})
    assert "hidden-town" not in str(caught.value)


def test_a_sensitive_column_in_which_everyone_differs_is_refused() -> None:
    table = pa.table({"age": ["18", "19"] * 20, "income": list(range(40))})
    with pytest.raises(InputError, match="value of their own"):
        sw.records.anonymize(table, quasi=["age"], sensitive=["income"], l=2)
    assert sw.records.anonymize(table, quasi=["age"], sensitive=["income"], k=5).k >= 5


LEVELS = {"value": [18, 19, 30, 30], "years": ["teens", "teens", "thirties", "thirties"]}
FORMS: list[Any] = [
    pd.DataFrame(LEVELS),
    pl.DataFrame(LEVELS),
    pa.table(LEVELS),
    [[18, "teens"], ["19", "teens"], [30, "thirties"]],
    {18: "teens", "19": "teens", 30: "thirties"},
    {"teens": [18, "19"], "thirties": [30]},
]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: type(form).__name__)
def test_hierarchies_come_in_the_forms_that_people_have(form: Any) -> None:
    made = gather({"age": form}, {"age": ["18", "19", "30"]}, {"age": np.ones(3)})["age"]
    assert [made.label(value, 1) for value in ("18", "19", "30")] == ["teens", "teens", "thirties"]
