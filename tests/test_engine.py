"""Frames of every library come in and go out as they came."""

import pickle
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, cast

import duckdb
import ibis
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sharewell.data import engine
from sharewell.errors import DiskError, InputError

ROWS = [{"id": "a", "n": 1}, {"id": None, "n": 2}, {"id": "ä", "n": 3}]


@pytest.mark.parametrize("frame", [pd.DataFrame(ROWS), pl.DataFrame(ROWS), pa.Table.from_pylist(ROWS)])
def test_a_frame_leaves_as_it_came(frame: object) -> None:
    table = engine.table(frame)
    assert engine.arrow(table).to_pylist() == ROWS
    back = engine.like(table, frame)
    assert type(back) is type(frame)
    assert engine.arrow(back).to_pylist() == ROWS


def test_lazy_frames_ibis_tables_and_paths_come_in(tmp_path: Path) -> None:
    assert engine.arrow(pl.DataFrame(ROWS).lazy()).to_pylist() == ROWS
    table = ibis.memtable(pa.Table.from_pylist(ROWS))
    assert engine.like(table, table) is table
    path = tmp_path / "rows.csv"
    path.write_text("id,n\na,1\n")
    assert engine.arrow(path).to_pylist() == [{"id": "a", "n": "1"}]
    assert isinstance(engine.like(table, path), pa.Table)


def test_categories_are_decoded_and_the_index_is_left_out() -> None:
    frame = pd.DataFrame({"sex": pd.Categorical(["f", None, "m"])}, index=[7, 8, 9])
    assert engine.arrow(frame).to_pydict() == {"sex": ["f", None, "m"]}
    dictionary = pa.table({"sex": pa.array(["f", "m", "f"]).dictionary_encode()})
    assert engine.arrow(dictionary).schema.field("sex").type == pa.string()
    assert engine.arrow(pl.DataFrame({"sex": pl.Series(["f", "m"], dtype=pl.Categorical)})).to_pydict() == {
        "sex": ["f", "m"]
    }


def test_large_strings_nulls_decimals_and_zoned_times_pass_through_the_engine() -> None:
    moment = datetime(2025, 3, 4, 10, 30, tzinfo=UTC)
    data = pa.table(
        {
            "text": pa.array(["x", None], pa.large_string()),
            "none": pa.nulls(2),
            "money": pa.array([Decimal("1.50"), None], pa.decimal128(10, 2)),
            "at": pa.array([moment, None], pa.timestamp("us", tz="Europe/Berlin")),
        }
    )
    out = engine.arrow(engine.table(data))
    assert out.column("text").to_pylist() == ["x", None]
    assert out.column("none").to_pylist() == [None, None]
    assert out.column("money").to_pylist() == [Decimal("1.50"), None]
    assert out.column("at").to_pylist()[0] == moment


def test_metadata_of_a_library_does_not_travel() -> None:
    assert engine.arrow(pa.Table.from_pandas(pd.DataFrame({"a": [1]}))).schema.metadata is None


def test_a_frame_that_cannot_be_read_is_named_without_its_values() -> None:
    with pytest.raises(InputError, match="column 'a'") as error:
        engine.arrow(pd.DataFrame({"a": [1, "Cassandra"]}))
    assert "Cassandra" not in str(error.value)
    with pytest.raises(InputError, match="same name"):
        engine.arrow(pd.DataFrame([[1, 2]], columns=["a", "a"]))
    with pytest.raises(TypeError, match="not list"):
        engine.arrow([1, 2])


class Scattered:
    """Workers whose answers come back as bytes, the last first."""

    def each(self, work: Any, tasks: Any, like: pa.Schema) -> Any:
        yield from (pickle.loads(pickle.dumps(work))(task).cast(like) for task in reversed(tasks))


def _halved(number: int) -> float:
    if number == 13:
        raise InputError("is odd; expected an even one", file="numbers.csv", column="n", row=4)
    if number > 100:
        raise DiskError("the disk is full")
    return 1 / number


def test_answers_come_in_the_order_of_the_tasks() -> None:
    assert engine.answers(cast(engine.Engine, Scattered()), _halved, [1, 2, 4]) == [1.0, 0.5, 0.25]
    assert engine.answers(engine.DUCKDB, _halved, range(1, 3)) == [1.0, 0.5]
    assert engine.answers(engine.DUCKDB, _halved, []) == []


def test_what_a_worker_says_to_people_is_said_and_what_else_goes_wrong_passes() -> None:
    where = cast(engine.Engine, Scattered())
    with pytest.raises(InputError, match=r"^numbers.csv, column 'n', row 4: is odd; expected an even one$") as told:
        engine.answers(where, _halved, [2, 13])
    assert (told.value.row, told.value.problem) == (4, "is odd; expected an even one")
    with pytest.raises(DiskError, match="the disk is full"):
        engine.answers(where, _halved, [2, 101])
    with pytest.raises(ZeroDivisionError):
        engine.answers(where, _halved, [0])


def copied(rows: Any, folder: Path) -> Any:
    engine.copy(rows, folder / "n.parquet", format="parquet")
    return engine.read(folder / "n.parquet")


@pytest.mark.parametrize("fails", [1, 2])
@pytest.mark.parametrize("kept", [copied, lambda rows, _: engine.materialise(rows)], ids=["copied", "materialised"])
def test_rows_that_do_not_fit_into_memory_are_written_by_one_thread(
    kept: Any, fails: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend, rows = engine.connection(), engine.table(pa.table({"n": range(1000)}))
    threads, asked = "SELECT current_setting('threads')", []
    before, run = backend.raw_sql(threads).fetchall(), backend.raw_sql

    def short_of_memory(sql: str, **more: Any) -> Any:
        if str(sql).startswith("COPY"):
            asked.append(run(threads).fetchall())
            if len(asked) <= fails:
                raise duckdb.OutOfMemoryException("a cell of somebody")
        return run(sql, **more)

    monkeypatch.setattr(backend, "raw_sql", short_of_memory)
    if fails == 1:
        assert engine.arrow(kept(rows, tmp_path))["n"].to_pylist() == list(range(1000))
    else:
        with pytest.raises(DiskError, match=r"^the work needs more memory than it may have"):
            kept(rows, tmp_path)
    assert asked == [before, [(1,)]]
    assert run(threads).fetchall() == before
