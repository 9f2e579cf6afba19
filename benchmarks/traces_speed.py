"""Unicity at the size of Duolingo's and EdNet's logs, against DuckDB's `select distinct student, minute`.

Protocol: a log is generated with DuckDB (sessions of ten events, a few busy students, evenings busier than mornings)
and written to a temporary Parquet file. All times are taken in this one run, on the same file, the fastest of --rounds;
ratios are what counts. `--growth` repeats the every-student run from 1 to 131 million events and prints peak memory:
each size runs in a process of its own. Seed 0 throughout.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import duckdb
from rich.console import Console
from rich.table import Table

EVENTS_PER_SESSION = 10
DUOLINGO, EDNET = (13_000_000, 115_000, 14), (131_000_000, 298_000, 450)  # events, students, days


def generate(path: Path, events: int, students: int, days: int, verbs: int = 0) -> None:
    """Sessions at uneven hours by uneven students; ids are text, as real ones are. `verbs`: of so many, unevenly."""
    verb = f", 'v' || floor(pow(random(), 2) * {verbs})::INT AS verb" if verbs else ""
    connection = duckdb.connect()
    connection.execute(
        "SET threads = 2; SET memory_limit = '4GB'; SET enable_progress_bar = false; SELECT setseed(0.5)"
    )
    connection.execute(
        f"""COPY (
            WITH sessions AS (
                SELECT 'u' || (pow(random(), 1.6) * {students})::INT AS student,
                       floor(random() * {days}) * 86400
                       + greatest(0, least(86000, 68000 + 21000 * (random() + random() + random() - 1.5)))
                       AS start
                FROM range({events // EVENTS_PER_SESSION}))
            SELECT student, TIMESTAMP '2024-01-01' + to_seconds((start + i * (5 + 40 * random()))::BIGINT) AS time{verb}
            FROM sessions, range({EVENTS_PER_SESSION}) AS r(i)
        ) TO '{path}' (FORMAT parquet)"""
    )


def fastest(action: Callable[[], object], rounds: int) -> float:
    return min(took(action)[0] for _ in range(rounds))


def took(action: Callable[[], object]) -> tuple[float, float]:
    """Seconds on the clock, and of the processor: on a busy machine only the second compares."""
    start, processor = time.perf_counter(), time.process_time()
    action()
    return time.perf_counter() - start, time.process_time() - processor


def distinct(path: Path) -> None:
    connection = duckdb.connect()
    connection.execute("SET threads = 2; SET memory_limit = '4GB'")
    connection.execute(
        f"CREATE TEMP TABLE d AS SELECT DISTINCT student, date_trunc('minute', time) FROM '{path}'"
    ).fetchall()


def figure(path: Path) -> None:
    """The paper's figure 3: known 1 … 8, ten repeats, 2,500 students in each."""
    import sharewell as sw

    sw.traces.unicity(path, student="student", at="time", window="1min", known=range(1, 9), sample=2_500, repeats=10)


def everyone(path: Path) -> None:
    import sharewell as sw

    risks = sw.traces.unicity(path, student="student", at="time", window="1min", known=range(1, 9), repeats=1)
    print("unicity", [round(risk.value, 3) for risk in risks], "students", risks[0].n, file=sys.stderr)


def attackers(path: Path) -> None:
    """Every attack on the log by the day, read and reduced once."""
    from sharewell.plan.windows import parse
    from sharewell.traces.attacks import battery
    from sharewell.traces.attacks.attempts import Attempts
    from sharewell.traces.attacks.view import View
    from sharewell.traces.events import ready
    from sharewell.traces.kind import GUESS
    from sharewell.traces.log import reduce

    events = ready(path, student="student", at="time", only_these=True)
    log = reduce(events, student="student", at="time", window=parse("1d"))
    risks = list(battery.risks(View(known=log, released=log), Attempts(seed=0, tries=600), 4, measures=(GUESS,)))
    print(len(risks), "attacks", file=sys.stderr)


def groups(students: int = 10_000) -> Table:
    """Groups of five for a log of two hundred events per student, thirty weeks long."""
    import sharewell as sw

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.parquet"
        generate(path, 200 * students, students, 210)
        begun, processor = time.perf_counter(), time.process_time()
        made = sw.traces.group(path, student="student", at="time", window="1w", k=5)
        seconds, processor = time.perf_counter() - begun, time.process_time() - processor
    table = Table("what", "seconds", "processor seconds", "rows", "target")
    words = f"groups of 5, {students:,} students, {200 * students:,} events"
    table.add_row(words, f"{seconds:.1f}", f"{processor:.1f}", f"{made.num_rows:,}", "under 120 s")
    return table


def compile_kernels(path: Path) -> None:
    import sharewell as sw

    head = duckdb.sql(f"SELECT * FROM '{path}' LIMIT 1000").to_arrow_table()
    sw.traces.unicity(head, student="student", at="time", repeats=1)
    small = path.with_name("head.parquet")
    duckdb.sql(f"COPY (SELECT * FROM '{path}' LIMIT 20000) TO '{small}' (FORMAT parquet)")
    attackers(small)


def compare(path: Path, rounds: int) -> Table:
    compile_kernels(path)
    base = [min(found) for found in zip(*(took(lambda: distinct(path)) for _ in range(rounds)), strict=True)]
    table = Table("what", "seconds", "times DuckDB's distinct", "times its processor seconds", "target")
    table.add_row("DuckDB: select distinct student, minute", f"{base[0]:.2f}", "1", "1", "")
    for name, action, target in (
        ("figure, 2,500 students × 10", figure, 4),
        ("every student once", everyone, 8),
        ("all attacks by the day", attackers, 12),
    ):
        times = (took(lambda action=action: action(path)) for _ in range(rounds))  # type: ignore[misc]
        best = [min(found) for found in zip(*times, strict=True)]
        ratios = [f"{one / other:.2f}" for one, other in zip(best, base, strict=True)]
        table.add_row(name, f"{best[0]:.2f}", *ratios, f"at most {target}")
    return table


def grow(folder: Path, largest: int) -> Table:
    """Each size in a process of its own, so that its peak memory is its own."""
    table = Table("events", "students", "seconds", "processor seconds", "processor µs per event", "peak memory, GB")
    events, students, days = EDNET
    for size in (1_000_000, 4_000_000, 16_000_000, 64_000_000, events):
        if size > largest:
            break
        path, people = folder / f"{size}.parquet", int(students * size / events)
        generate(path, size, people, days)
        run = [sys.executable, __file__, "--one", str(path)]
        found = subprocess.run(run, capture_output=True, text=True, check=True).stdout.split()
        seconds, processor, peak = map(float, found)
        cost = f"{processor / size * 1e6:.3f}"
        table.add_row(f"{size:,}", f"{people:,}", f"{seconds:.1f}", f"{processor:.1f}", cost, f"{peak:.2f}")
        path.unlink()
    return table


def one(path: Path) -> None:
    os.environ.setdefault("SHAREWELL_MEMORY", "4GB")
    compile_kernels(path)
    before = time.process_time()
    took = fastest(lambda: everyone(path), 1)
    print(took, time.process_time() - before, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=DUOLINGO[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--growth", type=int, default=0, metavar="EVENTS", help="grow up to so many events")
    parser.add_argument("--groups", action="store_true", help="groups for 10,000 students instead")
    parser.add_argument("--one", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        return one(options.one)
    if options.groups:
        return Console().print(groups())
    with tempfile.TemporaryDirectory() as folder:
        if options.growth:
            return Console().print(grow(Path(folder), options.growth))
        path = Path(folder) / "log.parquet"
        generate(path, options.events, DUOLINGO[1], DUOLINGO[2])
        Console().print(compare(path, options.rounds))


if __name__ == "__main__":
    main()
