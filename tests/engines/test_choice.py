"""Which engine computes is chosen outside the plan; what cannot be computed there is said before any work starts."""

import json
import sys
from pathlib import Path

import pytest
from engines.cases import release

from sharewell import cli, pipeline
from sharewell.data import engine
from sharewell.errors import DiskError, EngineError, InputError, MissingExtra, PlanError
from sharewell.plan.document import load

OTHER_KIND = """
[release]
name = "x"

[responses.attempts]
file = "unread.parquet"
student = "user"
item = "item"
correct = "correct"
"""


def write_plan(folder: Path) -> Path:
    """A plan of another kind, whose file cannot be read."""
    (folder / "unread.parquet").write_bytes(b"no Parquet")
    plan = folder / "plan.toml"
    plan.write_text(OTHER_KIND)
    return plan


def test_the_manifest_tells_the_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHAREWELL_ENGINE", "duckdb")
    release(tmp_path)
    assert json.loads((tmp_path / "release" / "manifest.json").read_text())["engine"] == "duckdb"


def test_an_unknown_engine_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHAREWELL_ENGINE", "abacus")
    with pytest.raises(InputError, match="duckdb, spark, sail"):
        engine.chosen()


@pytest.mark.parametrize("work", [pipeline.assess, pipeline.explore, pipeline.release, pipeline.rehearse])
def test_a_kind_that_runs_on_duckdb_alone_says_so_before_a_file_is_opened(
    work: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = write_plan(tmp_path)
    monkeypatch.setenv("SHAREWELL_ENGINE", "spark")
    with pytest.raises(PlanError, match=r"\[responses.attempts\] is computed on DuckDB alone so far"):
        work(load(plan))  # type: ignore[operator]


def test_the_command_line_chooses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = write_plan(tmp_path)
    monkeypatch.setenv("SHAREWELL_ENGINE", "duckdb")  # put back afterwards
    monkeypatch.setattr(sys, "argv", ["sharewell", "assess", str(plan), "--engine", "spark"])
    with pytest.raises(SystemExit) as left:
        cli.main()
    assert left.value.code == 2
    assert "leave out --engine spark" in capsys.readouterr().err


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from sharewell.data.engine.spark import spark

    monkeypatch.setitem(sys.modules, "pyspark", None)
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    spark.cache_clear()
    with pytest.raises(MissingExtra, match=r"sharewell\[spark\]"):
        spark("spark")


@pytest.mark.parametrize(
    ("said", "kind", "told"),
    [
        ("java.io.IOException: No space left on device", DiskError, "is full"),
        ("ExecutorLostFailure (executor 1 exited): Cassandra", EngineError, "a worker of Spark was lost"),
        ("[PATH_NOT_FOUND] Cassandra.parquet", EngineError, "part of a table is missing"),
        ("Answer from Java side is empty", EngineError, "cannot be reached or has stopped"),
        ("The value 'Cassandra' cannot be cast", RuntimeError, "stopped at a step"),
    ],
)
def test_what_spark_says_is_replaced(said: str, kind: type[Exception], told: str) -> None:
    from sharewell.data.engine.spark import _in_one_sentence

    found = _in_one_sentence(Exception(said))
    assert isinstance(found, kind)
    assert told in str(found)
    assert "Cassandra" not in str(found)
