"""Every attacker on every way to release a log: the original, search, groups and invented students.

Protocol: each log is opened as a plan would open it; "original" is the log by the day, as it stands. Each way is
protected with a fixed key and attacked with all attackers of the gate (knowledge from the original, four known points
unless said, seed 12345, which no search has used). A cell says: share alone, mean guess, guess at the most exposed
student; for invented students AUC and its upper end, and members found at one false alarm in a hundred. An exclamation
mark stands where a limit of the audience is missed. What each way keeps stands below: events, events that stay with
their own student, and which uses differ from the original by more than twice what two halves of it do. `--repeats`
and `--methods` make it shorter. `--log PATH --student S --at T [--quasi …] [--keep …] [--dates LAYOUT]` adds a log of
your own. `--save FOLDER` writes the tables to FOLDER/traces_attacks.md.

    python benchmarks/traces_attacks.py --data /path/to/data --logs edify lamethods epm oulad
"""

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from pathlib import Path

from ibis.expr.types import Table as Events
from rich.console import Console
from rich.table import Table

from sharewell.contract import Job, Protected, Risk, Utility
from sharewell.data import engine
from sharewell.data.formats import read
from sharewell.data.keyed import Keyed
from sharewell.errors import Refused
from sharewell.traces.section import METHODS, Limit, Section
from sharewell.traces.study import TraceStudy, open

MEASURES = ("unicity", "guess", "guess, most exposed")
SHOWN = (*MEASURES, "auc")
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
    target: str | None = None
    dates: str | None = None
    noise: float | None = None  # of invented students; searched where none is given

    def study(self, audience: str, method: str | None, repeats: int | None = None) -> TraceStudy:
        limit = Limit(**Section.audience_limits[audience])  # type: ignore[arg-type, index]
        section = Section(
            name=self.name, folder=Path(), file=f"{self.name}.csv", student=self.student, at=self.at, quasi=self.quasi,
            keep=self.keep, dates={self.at: self.dates} if self.dates else {}, limit=limit, method=method,
            repeats=repeats, target=self.target, noise=self.noise,
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
    marks = read(data / "moodle_lamethods" / "AllCombined.csv").table
    outcome = marks.select(who=marks.User, achieved=marks.AchievingGroup)
    table = table.join(outcome, table.user == outcome.who)
    return Log(
        name="lamethods", table=table, student="user", at="timecreated", quasi=("Action",), keep=("achieved",),
        target="achieved",
    )  # fmt: skip


def epm(data: Path) -> Log:
    table = read(data / "epm" / "epm_all_sessions.csv.gz").table
    typed = table.mutate(idle_time=table.idle_time.cast("float64"), keystroke=table.keystroke.cast("float64"))
    marks = read(data / "epm" / "intermediate_grades.xlsx").table
    total = reduce(add, (marks[f"Session {number}"].cast("float64") for number in range(2, 7)))
    marks = marks.select(who=marks["Student Id"], total=total)
    marks = marks.select("who", half=(marks.total > marks.total.median()).ifelse("upper half", "lower half"))
    typed = typed.join(marks, typed.student_id.cast("string") == marks.who.cast("string"))
    return Log(
        name="epm", table=typed, student="student_id", at="start_time", quasi=("activity",),
        keep=("idle_time", "keystroke", "half"), target="half", dates="day-first",
    )  # fmt: skip


def oulad(data: Path) -> Log:
    table = read(data / "oulad" / "studentVle_AAA2013J_head.csv", format="oulad").table
    typed = table.mutate(sum_click=table.sum_click.cast("int64"))
    return Log(name="oulad", table=typed, student="id_student", at="date", quasi=("id_site",), keep=("sum_click",))


LOGS = {"edify": edify, "lamethods": lamethods, "epm": epm, "oulad": oulad}


def attacked(log: Log, audience: str, method: str | None, repeats: int | None) -> tuple[list[Risk], str]:
    """The risks of one way, and what it keeps; method None is the original as it stands."""
    study = log.study(audience, method, repeats)
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
    uses = study.utility(protected)
    told = {found.name: found.value for found in uses}
    lost = [_lost(found) for found in uses if found.setting.get("against it") == "lost"]
    own = f", own {told['own events']:.2f}" if "own events" in told else ""
    words = f"{protected.facts['setting']}: events {told['events kept']:.2f}{own}, students {told['students kept']:.2f}"
    kept = sum(found.setting.get("against it") == "kept" for found in uses)
    return study.attack(protected), f"{words} ({seconds:.0f} s); {kept} uses kept, lost: {', '.join(lost) or 'none'}"


def _lost(found: Utility) -> str:
    return (
        f"{found.name} {found.value:.2f} of {found.baseline or 0:.2f} (halves ±{found.setting['sampling error']:.2f})"
    )


def cell(risks: list[Risk], attacker: str) -> str:
    own = {risk.name: risk for risk in risks if risk.attacker == attacker}
    if "auc" in own:
        auc, tpr = own["auc"], own["tpr_at_1pct_fpr"]
        marks = ["!" if risk.gate and not risk.holds else "" for risk in (auc, tpr)]
        return f"{auc.value:.3f} ≤ {auc.high:.3f}{marks[0]} {tpr.value:.3f}{marks[1]}"
    there = [own[name] for name in MEASURES if name in own]
    return " ".join(f"{risk.value:.3f}{'!' if risk.gate and not risk.holds else ''}" for risk in there) or "–"


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """All attackers on all ways, for one log and one audience."""

    title: str
    ways: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    kept: tuple[str, ...]

    def table(self) -> Table:
        table = Table("attacker", *self.ways, title=self.title)
        for row in self.rows:
            table.add_row(*row)
        return table

    def markdown(self) -> str:
        lines = [f"## {self.title}", "", "| attacker | " + " | ".join(self.ways) + " |"]
        lines += ["|---" * (len(self.ways) + 1) + "|", *("| " + " | ".join(row) + " |" for row in self.rows)]
        return "\n".join([*lines, "", *(f"- {words}" for words in self.kept), ""])


def compare(log: Log, audience: str, methods: Sequence[str], repeats: int | None) -> Comparison:
    ways = {"original": None, **{method: method for method in methods}}
    found = {name: attacked(log, audience, method, repeats) for name, method in ways.items()}
    names = dict.fromkeys(risk.attacker for risks, _ in found.values() for risk in risks if risk.name in SHOWN)
    return Comparison(
        title=f"{log.name}, {audience}: alone, guess, most exposed",
        ways=tuple(found),
        rows=tuple((name, *(cell(risks, name) for risks, _ in found.values())) for name in names),
        kept=tuple(f"{name}: {words}" for name, (_, words) in found.items() if words),
    )


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
    parser.add_argument("--methods", nargs="*", default=list(METHODS), choices=METHODS)
    parser.add_argument("--repeats", type=int, help="splits on which invented students are judged")
    parser.add_argument("--noise", type=float, help="fixed noise of invented students, instead of the search")
    parser.add_argument("--save", type=Path)
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
    for log in (replace(log, noise=options.noise) for log in logs):
        for audience in options.audiences:
            found = compare(log, audience, options.methods, options.repeats)
            console.print(found.table(), *found.kept, sep="\n", soft_wrap=True)
            if options.save:
                with (options.save / "traces_attacks.md").open("a", encoding="utf-8") as file:
                    file.write(found.markdown() + "\n")


if __name__ == "__main__":
    main()
