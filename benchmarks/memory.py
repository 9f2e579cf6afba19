"""Peak memory of `sharewell assess` and `sharewell release` on many students, under several SHAREWELL_MEMORY.

    python benchmarks/memory.py --rows 10000000 --memory 600MB 1200MB

SHAREWELL_MEMORY is what the engine may hold before it spills to disk; beside it stands the program itself, which is
measured on a table of a thousand students. The promise: the peak is at most their sum and a quarter of what the engine
may hold, for buffers of readers and writers that it does not count. Each run is a process of its own whose resident
memory, with that of its children, is sampled twenty times a second. Exit 1 where the promise is broken. Seed 5.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import duckdb
import psutil

from sharewell.data.engine import duckdb as engine

MB = 10**6
SMALL = 1_000
UNCOUNTED = 0.25  # of what the engine may hold
PLAN = """
[release]
name = "Many students"
[records.students]
file = "students.csv"
student = "id"
direct = ["email"]
quasi = ["age", "sex", "town"]
keep = ["passed"]
"""
ROWS = """
COPY (
    SELECT 's' || n AS id, 's' || n || '@uni.example' AS email, 18 + (hash(n) % 12)::INT AS age,
           CASE WHEN hash(n, 1) % 2 = 0 THEN 'f' ELSE 'm' END AS sex, 'T' || (hash(n, 2) % 40) AS town,
           (hash(n, 5) % 3 > 0)::INT AS passed
    FROM range({rows}) AS t(n)
) TO '{file}' (FORMAT csv)
"""


@dataclass(frozen=True)
class Run:
    """One command, what it took, and how it ended."""

    command: str
    memory: str
    peak: float  # MB
    seconds: float
    ended: int


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--memory", nargs="+", default=["600MB", "1200MB"])
    parser.add_argument("--command", nargs="+", default=["assess", "release"])
    asked = parser.parse_args()
    broken = 0
    heads = ("may hold", "itself", "peak", "promised", "seconds")
    print(f"{'command':<10}" + "".join(f"{head:>10}" for head in heads) + f"   (MB; {asked.rows:,} rows)")
    for command in asked.command:
        itself = next(runs(SMALL, command, asked.memory[-1:])).peak
        for run in runs(asked.rows, command, asked.memory):
            promised = itself + (1 + UNCOUNTED) * stated(run.memory)
            kept = run.peak <= promised and run.ended in (0, 3)
            broken += not kept
            numbers = (stated(run.memory), itself, run.peak, promised, run.seconds)
            print(f"{command:<10}" + "".join(f"{value:>10.0f}" for value in numbers) + ("" if kept else "   broken"))
    return int(broken > 0)


def stated(memory: str) -> float:
    """Megabytes, as the engine reads them."""
    found = engine.memory(memory)
    number = found.rstrip("KMGTiBkmgtb ")
    return float(number) * engine.UNITS[found.removeprefix(number).strip().upper()] / MB


def runs(rows: int, command: str, memories: list[str]) -> Iterator[Run]:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        duckdb.sql(ROWS.format(rows=rows, file=folder / "students.csv"))
        (folder / "plan.toml").write_text(PLAN)
        for number, memory in enumerate(memories):
            out = ["--out", str(folder / "out" / str(number))] if command == "release" else []
            yield measured([command, str(folder / "plan.toml"), *out], memory)


def measured(words: list[str], memory: str) -> Run:
    began = time.monotonic()
    process = psutil.Popen(
        [sys.executable, "-m", "sharewell", *words],
        env={**os.environ, "SHAREWELL_MEMORY": memory},
        stdout=subprocess.DEVNULL,
    )
    peak = 0
    while process.poll() is None:
        peak = max(peak, resident(process))
        time.sleep(0.05)
    return Run(words[0], memory, peak / MB, time.monotonic() - began, process.returncode)


def resident(process: psutil.Process) -> int:
    """Of the process and its children; one that has just ended holds nothing."""
    total = 0
    try:
        for one in (process, *process.children(recursive=True)):
            total += one.memory_info().rss
    except psutil.NoSuchProcess:
        pass
    return total


if __name__ == "__main__":
    sys.exit(main())
