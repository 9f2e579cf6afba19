"""Midpoints in place of ranges, and a transformer that scikit-learn takes for one of its own."""

import numpy as np
import pyarrow as pa
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import check_estimator

import sharewell as sw
from sharewell.records.midpoints import midpoint


def students(rows: int = 120) -> pa.Table:
    draw = np.random.default_rng(4)
    return pa.table({"age": draw.integers(18, 40, rows), "town": draw.choice(["Oslo", "Bergen", "Tromsø"], rows)})


@pytest.mark.parametrize(
    "label, number", [("[20, 24]", 22.0), ("[20, 25)", 22.5), ("17", 17.0), ("under 16", 16.0), ("60 or more", 60.0)]
)
def test_a_range_has_a_midpoint(label: str, number: float) -> None:
    assert midpoint(label) == number


def test_ranges_of_numbers_become_numbers_and_categories_stay() -> None:
    table = students()
    ranges = sw.records.anonymize(table, quasi=["age", "town"], k=5)
    numbers = sw.records.anonymize(table, quasi=["age", "town"], k=5, values="midpoints")
    assert numbers.table.schema.field("age").type == pa.float64() and ranges.table["town"] == numbers.table["town"]
    expected = [midpoint(label) for label in ranges.table["age"].to_pylist()]
    assert numbers.table["age"].to_pylist() == [None if cell != cell else cell for cell in expected]
    assert ranges.k == numbers.k >= 5


def test_new_rows_get_the_cells_of_a_class_that_they_fit() -> None:
    table = students().to_pandas()
    fitted = sw.records.Anonymizer(k=5, max_suppressed=0.0, values="ranges").fit(table)
    known = fitted.transform(table)
    cells, counts = np.unique(known.astype(str), axis=0, return_counts=True)
    assert counts.min() >= 5 and len(cells) > 1
    new = table.iloc[:3].assign(town=["Paris", *table["town"][1:3]])
    assert fitted.transform(new)[0].tolist() == ["*", "*"], "nobody of that town was there"
    assert {tuple(row) for row in fitted.transform(new)[1:].astype(str)} <= {tuple(row) for row in cells}


def test_it_stands_in_a_pipeline() -> None:
    ages = students().select(["age"]).to_pandas()
    made = make_pipeline(sw.records.Anonymizer(k=10), FunctionTransformer(np.nan_to_num)).fit_transform(ages)
    assert made.shape == (120, 1) and made.dtype == float
    assert np.unique(made, return_counts=True)[1].min() >= 10


def test_scikit_learn_finds_nothing_wrong() -> None:
    check_estimator(sw.records.Anonymizer(k=2, seconds=0.2))
