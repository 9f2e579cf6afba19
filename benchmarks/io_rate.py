"""Ten million event rows: read, derive a column, sort, write; rows per second and peak memory.

Each step runs in a process of its own whose resident memory is sampled. The yardstick is DuckDB copying the
same CSV file without any check. Seed 1; the file is generated once per run in a temporary folder.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb
import psutil
from rich.console import Console
from rich.table import Table

ROWS = 10_000_000

COPY = """
import duckdb, sys
source, target = sys.argv[1:]
duckdb.sql(f"COPY (FROM read_csv('{source}', all_varchar = true)) TO '{target}' (FORMAT csv)")
"""
READ = """
import sys
from sharewell.data import formats
formats.read(sys.argv[1])
"""
PIPELINE = """
import sys
from sharewell.data import formats
from sharewell.data.formats.columns import moment
source = formats.read(sys.argv[1])
table = source.table
hour = moment(table, "time", file=sys.argv[1]).truncate("h")
table = table.mutate(time=hour, user=table.user.hexdigest("sha256")[:16])
formats.write(table.order_by(["user", "time", "verb", "object"]), sys.argv[2], source)
"""


def generate(path: Path, rows: int) -> None:
    duckdb.sql(
        f"""COPY (SELECT 'student' || (hash(i) % 20000) AS user,
                         strftime(TIMESTAMP '2025-01-01' + to_seconds((hash(i + 1) % 10000000)::BIGINT),
                                  '%Y-%m-%d %H:%M:%S') AS time,
                         ['viewed', 'answered', 'posted', 'played'][(hash(i + 2) % 4 + 1)::BIGINT] AS verb,
                         'object ' || (hash(i + 3) % 500) AS object
                  FROM range({rows}) r(i)) TO '{path}' (FORMAT csv)"""
    )


def run(script: str, *paths: Path) -> tuple[float, float]:
    """Seconds, and the highest resident memory in megabytes seen meanwhile."""
    start, peak = time.perf_counter(), 0
    child = subprocess.Popen([sys.executable, "-c", script, *map(str, paths)])
    process = psutil.Process(child.pid)
    while child.poll() is None:
        try:
            peak = max(peak, process.memory_info().rss)
        except psutil.NoSuchProcess:
            break
        time.sleep(0.02)
    if child.wait() != 0:
        raise SystemExit("a step failed: see above")
    return time.perf_counter() - start, peak / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--data", type=Path, help="a CSV file with user, time, verb and object to use instead")
    options = parser.parse_args()
    shown = Table(
        "step", "seconds", "rows per second", "share of plain copy", "peak MB", title=f"{options.rows:,} rows"
    )
    with tempfile.TemporaryDirectory() as folder:
        source = options.data or Path(folder) / "events.csv"
        if options.data is None:
            generate(source, options.rows)
        target = Path(folder) / "out.csv"
        plain, memory = run(COPY, source, target)
        shown.add_row("DuckDB copies the file", f"{plain:.1f}", f"{options.rows / plain:,.0f}", "1", f"{memory:.0f}")
        for name, script, paths in (
            ("read and check", READ, [source]),
            ("read, derive, sort, write", PIPELINE, [source, target]),
        ):
            seconds, memory = run(script, *paths)
            rate, share = f"{options.rows / seconds:,.0f}", f"{plain / seconds:.2f}"
            shown.add_row(name, f"{seconds:.1f}", rate, share, f"{memory:.0f}")
    Console().print(shown)


if __name__ == "__main__":
    main()
