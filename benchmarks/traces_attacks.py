"""Every attacker on every way to release a log: the original, the search and groups, for public and agreement.

Protocol: each log is opened as a plan would open it; "original" is the log by the day, as it stands. Each way is
protected with a fixed key and attacked with all attackers of the gate (knowledge from the original, four known points
unless said, seed 12345, which no search has used). A cell says: share alone, mean guess, guess at the most exposed
student; an exclamation mark stands where a limit of the audience is missed. What each way keeps stands below: events,
and events that stay with their own student. `--log PATH --student S --at T [--quasi …] [--keep …] [--dates LAYOUT]`
adds a log of your own.

    python benchmarks/traces_attacks.py --data /path/to/data --logs edify lamethods epm oulad
"""

import argparse
import time
from dataclasses import dataclass, replace
from pathlib import Path

from ibis.expr.types import Table as Events
from rich.console import Console
from rich.table import Table

from sharewell.contract import Job, Protected, Risk
from sharewell.data import engine
from sharewell.data.formats import read
from sharewell.data.keyed import Keyed
from sharewell.errors import Refused
from sharewell.traces.section import METHODS, Limit, Section
from sharewell.traces.study import TraceStudy, open

MEASURES = ("unicity", "guess", "guess, most exposed")
SEED, KEY = 12345, b"benchmark of the traces attacks!"


@dataclass(frozen=True, kw_only=True)
class Log:
    """A log with the roles that a plan would give."""

    name: str
    table: Events
    student: str
    at: str
    quasi: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    dates: str | None = None

    def study(self, audience: str, method: str | None) -> TraceStudy:
        limit = Limit(**Section.audience_limits[audience])  # type: ignore[arg-type, index]
        section = Section(
            name=self.name, folder=Path(), file=f"{self.name}.csv", student=self.student, at=self.at, quasi=self.quasi,
            keep=self.keep, dates={self.at: self.dates} if self.dates else {}, limit=limit, method=method,
        )  # fmt: skip
        columns = [self.student, self.at, *self.quasi, *self.keep]
        job = Job(section=section, source=self.table.select(*columns), seed=SEED, keyed=Keyed(KEY, self.name))
        return open(job)


def edify(data: Path) -> Log:
    table = read(data / "moodle_edify" / "moodle_events.csv.gz").table
    table = table.filter(table.user_id.notnull() & ~table.Time.startswith("29/02/18"))
    return Log(name="edify", table=table, student="user_id", at="Time", quasi=("Event name",), dates="day-first")


def lamethods(data: Path) -> Log:
    table = read(data / "moodle_lamethods" / "Events.csv.gz").table
    return Log(name="lamethods", table=table, student="user", at="timecreated", quasi=("Action",))


def epm(data: Path) -> Log:
    table = read(data / "epm" / "epm_all_sessions.csv.gz").table
    typed = table.mutate(idle_time=table.idle_time.cast("float64"), keystroke=table.keystroke.cast("float64"))
    return Log(
        name="epm", table=typed, student="student_id", at="start_time", quasi=("activity",),
        keep=("idle_time", "keystroke"), dates="day-first",
    )  # fmt: skip


def oulad(data: Path) -> Log:
    table = read(data / "oulad" / "studentVle_AAA2013J_head.csv", format="oulad").table
    typed = table.mutate(sum_click=table.sum_click.cast("int64"))
    return Log(name="oulad", table=typed, student="id_student", at="date", quasi=("id_site",), keep=("sum_click",))


LOGS = {"edify": edify, "lamethods": lamethods, "epm": epm, "oulad": oulad}


def attacked(log: Log, audience: str, method: str | None) -> tuple[list[Risk], str]:
    """The risks of one way, and what it keeps; method None is the original as it stands."""
    study = log.study(audience, method)
    if method is None:
        plain = Protected(table=study.events, facts={"window": "1d"}, order=(log.at,))
        return study.attack(plain), ""
    start = time.perf_counter()
    try:
        protected = study.protect()
    except Refused as error:
        return [], f"refused: {error}"
    protected = replace(protected, table=engine.materialise(protected.table))
    seconds = time.perf_counter() - start
    told = {found.name: found.value for found in study.utility(protected)}
    own = f", own {told['own events']:.2f}" if "own events" in told else ""
    words = f"{protected.facts['setting']}: events {told['events kept']:.2f}{own}, students {told['students kept']:.2f}"
    return study.attack(protected), f"{words} ({seconds:.0f} s)"


def cell(risks: list[Risk], attacker: str) -> str:
    own = {risk.name: risk for risk in risks if risk.attacker == attacker}
    there = [own[name] for name in MEASURES if name in own]
    return " ".join(f"{risk.value:.3f}{'!' if risk.gate and not risk.holds else ''}" for risk in there) or "–"


def compare(log: Log, audience: str) -> tuple[Table, list[str]]:
    ways = {"original": None, **{method: method for method in METHODS}}
    found = {name: attacked(log, audience, method) for name, method in ways.items()}
    table = Table("attacker", *found, title=f"{log.name}, {audience}: alone, guess, most exposed")
    for name in dict.fromkeys(risk.attacker for risks, _ in found.values() for risk in risks):
        table.add_row(name, *(cell(risks, name) for risks, _ in found.values()))
    return table, [f"  {name}: {words}" for name, (_, words) in found.items() if words]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--logs", nargs="*", default=list(LOGS), choices=list(LOGS))
    parser.add_argument("--audiences", nargs="*", default=["public", "agreement"])
    parser.add_argument("--log", type=Path)
    for name in ("student", "at", "dates"):
        parser.add_argument(f"--{name}")
    for name in ("quasi", "keep"):
        parser.add_argument(f"--{name}", nargs="*", default=[])
    options = parser.parse_args()
    logs = [LOGS[name](options.data) for name in options.logs] if options.data else []
    if options.log:
        logs.append(
            Log(
                name=options.log.stem, table=read(options.log).table, student=options.student, at=options.at,
                quasi=tuple(options.quasi), keep=tuple(options.keep), dates=options.dates,
            )
        )  # fmt: skip
    console = Console(width=120)
    for log in logs:
        for audience in options.audiences:
            table, kept = compare(log, audience)
            console.print(table, *kept, sep="\n", soft_wrap=True)


if __name__ == "__main__":
    main()
