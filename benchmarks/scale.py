"""Unicity of one log on every engine: seconds and peak memory from one million events on, linear or not.

Protocol: the log of `traces_speed.py` (sessions of ten events, uneven students, ids as text), written to one Parquet
file. Each size and engine runs in a process of its own; the share that is printed must be the same number on all of
them. With --attacks it is every attack on the log as it stands, and what is printed is the mean of all
that they find. With --release it is a whole release of a log with verbs, and what is printed is a number made of the
bytes that leave; every step is told while it runs: seconds on the clock and the peak of this process in it. Memory is
the peak of this process and, for Spark, of the Java process beside it. Seed 0, two cores. `--keep FOLDER` holds the
logs for a next run.
"""

import argparse
import hashlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table
from traces_speed import generate

STUDENTS_PER_EVENT, DAYS, VERBS = 0.01, 14, 12
PLAN = """
[release]
name = "a large log"
key = "key"

[traces.clicks]
file = "FILE"
student = "student"
at = "time"
quasi = ["verb"]
"""


def measured(path: Path, asked: Callable[[Path], float]) -> None:
    """One run, told as JSON: seconds on the clock and of the processor (of all processes), peak megabytes here and in
    the child processes, and the share.
    """
    from sharewell import progress

    start, steps = time.perf_counter(), Steps()
    with progress.heard(steps):
        share = asked(path)
    seconds = time.perf_counter() - start
    steps("end")
    used = resource.getrusage(resource.RUSAGE_SELF)
    processor = used.ru_utime + used.ru_stime + processor_beside()
    told = {"seconds": seconds, "processor": processor, "here": steps.most}
    print(json.dumps({**told, "beside": beside(), "share": share}))


def unicity(path: Path) -> float:
    import sharewell as sw

    (risk,) = sw.traces.unicity(path, student="student", at="time", window="1min", known=[2], repeats=1)
    return float(risk.value)


def attacks(path: Path) -> float:
    """As an assessment makes them: on drawn students where the log is large."""
    from sharewell.contract import Job
    from sharewell.data import engine
    from sharewell.data.keyed import Keyed
    from sharewell.traces.section import Section
    from sharewell.traces.study import open

    section = Section(name="log", folder=path.parent, file=path.name, student="student", at="time")
    study = open(
        Job(section=section, source=engine.table(path).select("student", "time"), seed=0, keyed=Keyed(b"", ""))
    )
    found = [risk.value for risk in study.before()]
    return sum(found) / len(found)


def release(path: Path) -> float:
    """All of a release, from the plan to the checked files; a number that any other byte would change."""
    from sharewell import pipeline
    from sharewell.data.files import file_digest
    from sharewell.plan.document import load

    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        (Path(folder) / "key").write_text("5a" * 32)
        (Path(folder) / "plan.toml").write_text(PLAN.replace("FILE", f"../{path.name}"))
        outcome = pipeline.release(load(Path(folder) / "plan.toml"))
        print(outcome.verdict, file=sys.stderr)
        data = Path(folder) / "release" / "data"
        files = [one for one in sorted(data.rglob("*")) if one.is_file()]
        bytes_of_all = hashlib.sha256("".join(file_digest(one) for one in files).encode()).hexdigest()
    return float(int(bytes_of_all[:12], 16) / 16**12)


class Steps:
    """Told on the error stream when the next step begins: how long each took, and the peak of this process in it."""

    def __init__(self) -> None:
        self.title, self.began, self.most = "beginning", time.perf_counter(), 0.0

    def __call__(self, title: str, done: float | None = None, left: float | None = None) -> None:
        if title != self.title:
            seconds, held = time.perf_counter() - self.began, peak()
            print(f"{self.title}: {seconds:.0f} s, {held:.0f} MB", file=sys.stderr, flush=True)
            self.title, self.began, self.most = title, time.perf_counter(), max(self.most, held)
            Path("/proc/self/clear_refs").write_text("5")  # Linux: the peak counts anew


def peak() -> float:
    """Megabytes that this process held at most since the peak was last counted anew."""
    said = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(said["VmHWM"].split()[0]) / 1024


def beside() -> float:
    """The peak memory of the processes that this one started, in megabytes."""
    own, total = os.getpid(), 0.0
    for said in processes():
        if int(said["PPid"]) == own and "VmHWM" in said:
            total += int(said["VmHWM"].split()[0]) / 1024
    return total


def processes() -> Iterator[dict[str, str]]:
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            yield dict(line.split(":", 1) for line in status.read_text().splitlines() if ":" in line)
        except OSError:  # it has ended
            continue


def processor_beside() -> float:
    """Seconds of the processor that the processes below this one took, and those of theirs that have ended."""
    parents = {int(said["Pid"]): int(said["PPid"]) for said in processes()}
    below, found = {os.getpid()}, 0.0
    while more := {one for one, parent in parents.items() if parent in below} - below:
        below |= more
    for one in below - {os.getpid()}:
        times = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()[11:15]
        found += sum(int(ticks) for ticks in times) / os.sysconf("SC_CLK_TCK")
    return found


def run(path: Path, engine: str, also: Sequence[str] = ()) -> dict[str, float]:
    environment = {**os.environ, "SHAREWELL_ENGINE": engine, "SHAREWELL_SPARK": "local[2]"}
    command = [sys.executable, "-W", "ignore", __file__, "--run", str(path), *also]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=environment, check=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, nargs="+", default=[1_000_000, 13_000_000])
    parser.add_argument("--engines", nargs="+", default=["duckdb"])
    parser.add_argument("--attacks", action="store_true", help="all of them instead of unicity alone")
    parser.add_argument("--release", action="store_true", help="a whole release instead")
    parser.add_argument("--keep", type=Path, help="a folder for the logs, which stay there")
    parser.add_argument("--run", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    asked, also = (
        (release, ["--release"]) if given.release else (attacks, ["--attacks"]) if given.attacks else (unicity, [])
    )
    if given.run:
        return measured(given.run, asked)
    heads = ("events", "engine", "seconds", "of the processor", "peak MB", "peak MB beside", "share")
    table = Table(*heads, title=asked.__name__)
    with tempfile.TemporaryDirectory() as folder:
        for events in given.events:
            path = (given.keep or Path(folder)) / f"{events}{'-verbs' if given.release else ''}.parquet"
            if not path.exists():
                generate(path, events, int(events * STUDENTS_PER_EVENT), DAYS, VERBS if given.release else 0)
            for engine in given.engines:
                found = run(path, engine, also)
                cells = (f"{found[name]:.1f}" for name in ("seconds", "processor", "here", "beside"))
                table.add_row(f"{events:,}", engine, *cells, f"{found['share']:.12f}")
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
