"""A table of a PostgreSQL server that the test starts itself: read-only, no more than needed, and told in sentences."""

import getpass
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from sharewell import pipeline
from sharewell.data import engine, formats, sources
from sharewell.data.fetched import fetched
from sharewell.data.postgres import parse
from sharewell.errors import InputError, PlanError
from sharewell.plan.document import Plan, load

pytest.importorskip("adbc_driver_postgresql", reason="the extra 'postgres' is not installed")

PLAN = """
[release]
name = "From a warehouse"
[records.people]
file = "{file}"
student = "id"
direct = ["name"]
quasi = ["age", "town"]
keep = ["passed"]
"""


def binaries() -> Path | None:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    here = shutil.which("initdb")
    return found[-1].parent if found else Path(here).parent if here else None


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of the socket of a server of our own; the program refuses to run as root."""
    programs = binaries()
    if programs is None:
        pytest.skip("no PostgreSQL server is installed here (Debian: postgresql)")
    folder = Path(subprocess.check_output(["mktemp", "-d", "/tmp/sw-pg-XXXX"], text=True).strip())
    other = ["runuser", "-u", "nobody", "--"] if os.geteuid() == 0 else []
    if other:
        shutil.chown(folder, "nobody")
    try:
        quiet = {"check": True, "capture_output": True, "cwd": "/"}
        subprocess.run([*other, programs / "initdb", "-D", folder / "data", "-U", "steward", "-A", "trust"], **quiet)  # type: ignore[call-overload]
        options = f"-c listen_addresses='' -c unix_socket_directories='{folder}' -c fsync=off"
        start = [programs / "pg_ctl", "-D", folder / "data", "-l", folder / "log", "-o", options, "-w", "start"]
        subprocess.run([*other, *start], **quiet)  # type: ignore[call-overload]
        rows = "SELECT 's' || n, 'Name ' || n, 19 + n % 4, 'T' || n % 3, n % 2 FROM generate_series(1, 120) AS n"
        sql = f"CREATE TABLE people (id text, name text, age int, town text, passed int); INSERT INTO people {rows};"
        subprocess.run([programs / "psql", "-h", folder, "-U", "steward", "postgres", "-c", sql], **quiet)  # type: ignore[call-overload]
        yield folder
    finally:
        subprocess.run(
            [*other, programs / "pg_ctl", "-D", folder / "data", "-m", "immediate", "stop"],
            capture_output=True,
            cwd="/",
        )
        shutil.rmtree(folder, ignore_errors=True)


def address(server: Path, asked: str = "table=people") -> str:
    return f"postgresql:///postgres?host={server}&user=steward&{asked}"


def plan_of(folder: Path, file: str) -> Plan:
    (folder / "plan.toml").write_text(PLAN.format(file=file))
    return load(folder / "plan.toml")


def test_a_table_is_released(server: Path, tmp_path: Path) -> None:
    outcome = pipeline.release(plan_of(tmp_path, address(server)))
    assert outcome.verdict.passed
    released = formats.read(tmp_path / "release" / "data" / "people.parquet").table
    assert set(released.columns) == {"id", "age", "town", "passed"}
    assert int(released.count().execute()) == 120


def test_what_is_dropped_is_not_fetched_and_order_is_our_own(server: Path, tmp_path: Path) -> None:
    one = fetched(plan_of(tmp_path, address(server)))
    cells = engine.arrow(sources.read(one).files["records.people"].table)
    assert cells["name"].null_count == 120
    query = "query=select%20*%20from%20people%20order%20by%20random()"
    other = fetched(plan_of(tmp_path, address(server, query)))
    assert engine.arrow(sources.read(other).files["records.people"].table) == cells


def test_nothing_can_be_written(server: Path, tmp_path: Path) -> None:
    query = "query=with%20gone%20as%20(delete%20from%20people%20returning%20*)%20select%20*%20from%20gone"
    with pytest.raises(InputError):
        fetched(plan_of(tmp_path, address(server, query)))
    with pytest.raises(InputError):
        fetched(plan_of(tmp_path, address(server, "query=select%20*%20from%20people%20limit%200")))
    assert pipeline.assess(plan_of(tmp_path, address(server))).files[0].rows_before == 120


def test_columns_are_held_to_the_plan_before_rows_are_fetched(server: Path, tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="no role for 'extra'"):
        fetched(plan_of(tmp_path, address(server, "query=select%20*,%201%20as%20extra%20from%20people")))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("postgresql:///warehouse", "name one table or one query"),
        (f"postgresql://{getpass.getuser()}:hunter2@db/warehouse?table=x", "a plan holds no password"),
    ],
)
def test_addresses_that_are_refused(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said) as told:
        parse(text)
    assert "hunter2" not in str(told.value)


def test_a_server_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="did not answer as asked"):
        fetched(plan_of(tmp_path, f"postgresql:///x?host={tmp_path}&table=people"))
