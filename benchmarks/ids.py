"""A table with an id in every row, given pseudonyms and written: seconds and peak memory, linear or not.

Protocol: rows of a student (one of a hundred rows each), an id of its own and a number, in one Parquet file that DuckDB
writes. Both columns get pseudonyms as in a release, rows are sorted by them and written to Parquet. Each size runs in a
process of its own under SHAREWELL_MEMORY; the peak is of the whole process. Every id must be gone and no two may have
become one. Two cores.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb
from rich.console import Console
from rich.table import Table

TOLD = ("seconds", "processor", "peak", "rows", "different", "left")
ROWS = """
COPY (SELECT 's' || hash(i) % {students} AS student, 'event-' || i AS id, (hash(i, 2) % 100)::INT AS points
      FROM range({rows}) AS t(i)) TO '{file}' (FORMAT parquet)
"""


def measured(path: Path) -> None:
    """One run, told as JSON."""
    from sharewell.data import engine, formats, id_mapping
    from sharewell.data.keyed import Keyed
    from sharewell.data.pseudonyms import mapping, of_rows

    start, keyed = time.perf_counter(), Keyed(b"k" * 32, "release")
    table = engine.read(path)
    table = id_mapping.replaced(table, ["student"], mapping(table, ["student"], keyed, "student"))
    table = of_rows(table, ["id"], keyed, "id")
    out = path.with_name("out.parquet")
    formats.write(table.order_by(["student", "id", "points"]), out, "parquet")
    seconds, processor = time.perf_counter() - start, time.process_time()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    checked = "SELECT count(*), approx_count_distinct(id), count(*) FILTER (id LIKE 'event-%') FROM read_parquet(?)"
    rows, different, left = duckdb.execute(checked, [str(out)]).fetchall()[0]
    told = {"seconds": seconds, "processor": processor, "peak": peak}
    print(json.dumps({**told, "rows": rows, "different": different, "left": left}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[2_000_000, 20_000_000])
    parser.add_argument("--memory", default="2GB")
    parser.add_argument("--run", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.run:
        return measured(given.run)
    heads = ("rows", "seconds", "of the processor", "peak MB", "written", "different ids, about", "old ids left")
    table = Table(*heads, title="pseudonyms")
    for rows in given.rows:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "rows.parquet"
            duckdb.sql(ROWS.format(students=rows // 100, rows=rows, file=path))
            command = [sys.executable, "-W", "ignore", __file__, "--run", str(path)]
            here = {**os.environ, "SHAREWELL_MEMORY": given.memory}
            done = subprocess.run(command, capture_output=True, text=True, env=here, check=True)
            found = json.loads(done.stdout.splitlines()[-1])
            cells = (f"{found[name]:,.0f}" for name in TOLD)
            table.add_row(f"{rows:,}", *cells)
    Console().print(table)


if __name__ == "__main__":
    main()
