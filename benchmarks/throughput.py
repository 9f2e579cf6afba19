"""Ten million events through read → pseudonymise → coarsen → write, beside DuckDB simply copying the file.

    python benchmarks/throughput.py [--rows 10000000]

Prints rows per second of both, their ratio, and the peak memory of the pass in a process of its own.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table


def generate(path: Path, rows: int) -> None:
    import duckdb

    duckdb.sql("SELECT setseed(0.7)")
    duckdb.sql(
        f"""COPY (SELECT 's' || (random() * 40000)::INT AS student,
                   TIMESTAMP '2025-02-01' + INTERVAL (random() * 9000000) SECOND AS time,
                   ['read', 'quiz', 'watch', 'post'][1 + (random() * 3.99)::INT % 4] AS verb
            FROM range({rows})) TO '{path}' (FORMAT parquet)"""
    )


def copy(source: Path, target: Path) -> None:
    import duckdb

    duckdb.sql(f"COPY (SELECT * FROM '{source}') TO '{target}' (FORMAT parquet, COMPRESSION zstd)")


def through(source: Path, target: Path) -> None:
    """What the pipeline does to every row, without the measurements that look at distinct points only."""
    from sharewell import traces
    from sharewell.contract import Protected
    from sharewell.data import engine, formats
    from sharewell.data import pseudonyms as disguise
    from sharewell.data.keyed import Keyed, new_key
    from sharewell.traces.section import Section

    read = formats.read(source)
    section = Section(name="log", folder=source.parent, file=source.name, student="student", at="time", quasi=("verb",))
    coarse = engine.materialise(traces.coarsen(read.table, at="time", window="1d"))
    table = disguise.disguise(coarse, Protected(table=coarse), section, Keyed(new_key(), "release"), joined=False)
    formats.write(table, target, read)


def timed(step: str, source: Path, target: Path) -> tuple[float, float]:
    """Seconds and peak megabytes of one step in a process of its own."""
    began = time.monotonic()
    command = [sys.executable, __file__, "--step", step, "--source", str(source), "--target", str(target)]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return time.monotonic() - began, float(printed.split()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--data", help="not used: the log is generated")
    parser.add_argument("--step", choices=["copy", "through"])
    parser.add_argument("--source", type=Path)
    parser.add_argument("--target", type=Path)
    options = parser.parse_args()
    if options.step:
        {"copy": copy, "through": through}[options.step](options.source, options.target)
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
        return
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "events.parquet"
        generate(source, options.rows)
        results = {step: timed(step, source, Path(folder) / f"{step}.parquet") for step in ("copy", "through")}
    table = Table("step", "seconds", "million rows per second", "peak MB")
    for step, (seconds, peak) in results.items():
        table.add_row(step, f"{seconds:.1f}", f"{options.rows / seconds / 1e6:.2f}", f"{peak:,.0f}")
    console = Console()
    console.print(f"{options.rows:,} generated events; seed 0.7", table)
    console.print(f"ratio {results['through'][0] / results['copy'][0]:.1f}")


if __name__ == "__main__":
    main()
