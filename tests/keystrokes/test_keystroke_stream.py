"""A log that passes once gives the same sample as the engine's windows, in any order of its rows."""

import numpy as np
import pyarrow as pa
import pytest

from sharewell.data import engine
from sharewell.keystrokes.columns import KeyColumns, canonical
from sharewell.keystrokes.latencies import timing_table
from sharewell.keystrokes.samples import TypingSample, reduce
from sharewell.keystrokes.stream import stream


def log_of(seed: int, *, releases: bool = True) -> pa.Table:
    generator = np.random.default_rng(seed)
    rows = 3000
    student, session = generator.integers(0, 7, rows), generator.integers(0, 4, rows)
    press = np.cumsum(generator.integers(0, 300, rows)).astype(float)
    order = np.lexsort((press, session, student))
    return pa.table(
        {
            "student": [f"p{one}" for one in student[order]],
            "session": [f"s{one}" for one in session[order]],
            "key": generator.choice(list("abcd "), rows),
            "press": press[order],
            "release": pa.array(press[order] + generator.integers(5, 200, rows))
            if releases
            else pa.nulls(rows, "double"),
        }
    )


def canonical_of(table: pa.Table) -> object:
    columns = KeyColumns(student="student", session="session", key="key", press="press", release="release")
    return canonical(engine.materialise(engine.table(table)), columns)


def cells(sample: TypingSample) -> dict[tuple[str, str], tuple[float, ...]]:
    values = zip(
        sample.student, sample.feature, sample.count, sample.mean, sample.log_mean, sample.log_spread, strict=True
    )
    return {(sample.students[who], sample.features[what]): tuple(numbers) for who, what, *numbers in values}


def assert_same(table: pa.Table) -> None:
    events = canonical_of(table)
    expected, found = cells(reduce(timing_table(events))), cells(stream(events))
    assert found.keys() == expected.keys() and len(found) > 30
    for name, numbers in expected.items():
        assert found[name] == pytest.approx(numbers, rel=1e-9, abs=1e-6)


@pytest.mark.parametrize("releases", [True, False])
def test_a_sorted_log(releases: bool) -> None:
    assert_same(log_of(1, releases=releases))


def test_a_shuffled_log_is_sorted_first() -> None:
    table = log_of(2)
    assert_same(table.take(np.random.default_rng(0).permutation(table.num_rows)))


def test_students_may_be_interleaved() -> None:
    table = log_of(3)
    one_session = table.filter(pa.compute.equal(table["session"], "s1"))
    assert_same(one_session.sort_by("press"))
