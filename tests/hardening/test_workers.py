"""Processes side by side: the same results in the same order, errors as they were raised, and nothing left behind."""

import os
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pyarrow as pa
import pytest
from course_folder import CLICKS, PLAN, make_folder
from worker_tasks import ERRORS, doubled, ends, slow_square, surroundings

from sharewell import pipeline
from sharewell.data import engine, memory, scratch, workers
from sharewell.errors import EngineError, InputError
from sharewell.plan.document import load


@pytest.mark.parametrize("processes", [1, 2, 5])
def test_results_come_in_the_order_of_the_tasks(processes: int) -> None:
    assert list(workers.each(slow_square, range(7), processes=processes)) == [n * n for n in range(7)]


def test_tables_go_to_workers_and_come_back() -> None:
    tables = [engine.table(pa.table({"mark": [number, None]})) for number in range(3)]
    made = [engine.arrow(table)["mark"].to_pylist() for table in workers.each(doubled, tables, processes=2)]
    assert made == [[0, None], [2, None], [4, None]]


def test_a_worker_takes_one_thread_and_its_part_of_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(memory.VARIABLE, "1GB")
    first, second = workers.each(surroundings, range(2), processes=2)
    assert {first[name] for name in (*workers.THREADS, workers.VARIABLE)} == {"1"}
    assert first[memory.VARIABLE] == second[memory.VARIABLE] == "500MB"
    assert Path(first[scratch.WORKER]).parent == scratch.scratch()


@pytest.mark.parametrize("how", ERRORS)
def test_an_error_arrives_as_it_was_raised(how: str) -> None:
    with pytest.raises(type(ERRORS[how])) as raised:
        list(workers.each(partial(ends, how), range(2), processes=2))
    assert str(raised.value) == str(ERRORS[how]) and vars(raised.value) == vars(ERRORS[how])


def test_a_bug_in_a_worker_says_where_and_no_value() -> None:
    with pytest.raises(workers.WorkerFailed, match=r"^ZeroDivisionError at worker_tasks\.py:\d+$") as raised:
        list(workers.each(partial(ends, "bug"), range(2), processes=2))
    assert raised.value.__cause__ is None


def test_a_worker_that_dies_fails_the_run_in_one_sentence() -> None:
    with pytest.raises(EngineError, match="a worker process ended before its work was done"):
        list(workers.each(partial(ends, "killed"), range(2), processes=2))


@pytest.mark.parametrize("stated", ["0", "two", "-1", "1.5", "", "9999"])
def test_a_number_of_workers_is_one_or_a_sentence(stated: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(workers.VARIABLE, stated)
    with pytest.raises(InputError, match="SHAREWELL_WORKERS must be a whole number"):
        workers.number()


def test_python_works_alone_and_commands_take_all_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(workers.VARIABLE)
    assert workers.number() == 1
    monkeypatch.setattr(workers, "_cores", lambda: 8)
    monkeypatch.setattr(workers, "_room", lambda: 3)
    workers.take_all_cores()
    assert workers.number() == 3


def test_two_workers_release_the_same_bytes_as_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = tmp_path / "key"
    key.write_bytes(b"7" * 64)
    key.chmod(0o600)
    released = []
    for processes in ("1", "2"):
        monkeypatch.setenv(workers.VARIABLE, processes)
        text = (PLAN + CLICKS).replace("[release]", f'[release]\nkey = "{key}"')
        plan = make_folder(tmp_path / processes, plan=text)
        assert pipeline.release(load(plan)).verdict.passed
        released.append({path.name: path.read_bytes() for path in plan.parent.glob("release/**/*.csv")})
    one, two = released
    assert one == two and len(one) >= 2


STARTS = """
import sys, time
from sharewell.data import workers
from worker_tasks import waits
if __name__ == "__main__":
    list(workers.each(waits, [sys.argv[1] + "/a", sys.argv[1] + "/b"], processes=2))
"""


def gone(process: int) -> bool:
    try:
        return "Z" in Path(f"/proc/{process}/stat").read_text().split()[2]
    except FileNotFoundError:
        return True


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_a_killed_run_leaves_no_worker_and_nothing_of_theirs(tmp_path: Path) -> None:
    script = tmp_path / "run.py"
    script.write_text(STARTS)
    paths = os.pathsep.join([*sys.path])
    run = subprocess.Popen([sys.executable, script, tmp_path], env={**os.environ, "PYTHONPATH": paths})
    begun = [tmp_path / "a", tmp_path / "b"]
    until = time.monotonic() + 120
    while not all(path.is_file() and path.read_text() for path in begun):
        assert time.monotonic() < until and run.poll() is None
        time.sleep(0.05)
    run.kill()
    run.wait()
    processes, folders = zip(*(path.read_text().split() for path in begun), strict=True)
    while not all(gone(int(process)) for process in processes):
        assert time.monotonic() < until
        time.sleep(0.05)
    assert not any(Path(folder).exists() for folder in folders)
