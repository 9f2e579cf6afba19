"""Every attacker on every way to release a log: the original, search, groups and invented students.

Protocol: each log is opened as a plan would open it; "original" is the log by the day, as it stands. Each way is
protected with a fixed key and attacked with all attackers of the gate (knowledge from the original, four known points
unless said, seed 12345, which no search has used). A cell says: share alone, mean guess, guess at the most exposed
student; for invented students AUC and its upper end, and members found at one false alarm in a hundred. An exclamation
mark stands where a limit of the audience is missed. What each way keeps stands below: events, events that stay with
their own student, and which uses differ from the original by more than twice what two halves of it do. `--repeats`
and `--ways` make it shorter. `--log PATH --student S --at T [--quasi …] [--keep …] [--dates LAYOUT]` adds a log of
your own. `--save FOLDER` keeps every way that was measured in FOLDER/traces_attacks.json, and writes the tables of all
of them to FOLDER/traces_attacks.md.

    python benchmarks/traces_attacks.py --data /path/to/data --logs edify lamethods epm oulad
"""

import argparse
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

from ibis.expr.types import Table as Events
from rich.console import Console

from sharewell.contract import Answer, Job, Memory, NoMemory, Protected, Risk, Utility
from sharewell.data import engine
from sharewell.data.formats import read
from sharewell.data.keyed import Keyed
from sharewell.errors import Refused
from sharewell.traces.section import METHODS, Limit, Section
from sharewell.traces.study import TraceStudy, open

MEASURES = ("unicity", "guess", "guess, most exposed")
SHOWN = (*MEASURES, "auc")
ORIGINAL = "original"
WAYS = (ORIGINAL, *METHODS)
TABLES = "<!-- tables: written by benchmarks/traces_attacks.py, what stands above stays -->"
ANEW = NoMemory()
SEED, KEY = 12345, b"benchmark of the traces attacks!"


class Remembered:
    """What was tried for one audience and does not depend on its limits, for the next one."""

    def __init__(self) -> None:
        self.found: dict[str, Any] = {}

    def recall(self, what: str, setting: Mapping[str, Any], work: Callable[[], Answer]) -> Answer:
        key = f"{what} {sorted(setting.items())}"
        if key not in self.found:
            self.found[key] = work()
        answer: Answer = self.found[key]
        return answer


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

    def study(self, audience: str, method: str | None, repeats: int | None = None, memory: Memory = ANEW) -> TraceStudy:
        limit = Limit(**Section.audience_limits[audience])  # type: ignore[arg-type, index]
        section = Section(
            name=self.name, folder=Path(), file=f"{self.name}.csv", student=self.student, at=self.at, quasi=self.quasi,
            keep=self.keep, dates={self.at: self.dates} if self.dates else {}, limit=limit, method=method,
            repeats=repeats, target=self.target, noise=self.noise,
        )  # fmt: skip
        columns = [self.student, self.at, *self.quasi, *self.keep]
        source, keyed = self.table.select(*columns), Keyed(KEY, self.name)
        return open(Job(section=section, source=source, seed=SEED, keyed=keyed, memory=memory))


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


def attacked(
    log: Log, audience: str, method: str | None, repeats: int | None, memory: Memory
) -> tuple[list[Risk], str]:
    """The risks of one way, and what it keeps; method None is the original as it stands."""
    study = log.study(audience, method, repeats, memory)
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
    lost = [_against(found) for found in uses if found.setting.get("against it") == "lost"]
    own = f", own {told['own events']:.2f}" if "own events" in told else ""
    early = next((f", {_against(found)}" for found in uses if found.name == "outcome predicted early"), "")
    words = f"{protected.facts['setting']}: events {told['events kept']:.2f}{own}, students {told['students kept']:.2f}"
    words += early
    kept = sum(found.setting.get("against it") == "kept" for found in uses)
    return study.attack(protected), f"{words} ({seconds:.0f} s); {kept} uses kept, lost: {', '.join(lost) or 'none'}"


def _against(found: Utility) -> str:
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
class Way:
    """What all attackers come to on one log, released in one way for one audience, and what is kept."""

    log: str
    audience: str
    name: str
    cells: dict[str, str]
    words: str


def measured(log: Log, audience: str, name: str, repeats: int | None, memory: Memory) -> Way:
    risks, kept = attacked(log, audience, None if name == ORIGINAL else name, repeats, memory)
    names = dict.fromkeys(risk.attacker for risk in risks if risk.name in SHOWN)
    words = kept if name == ORIGINAL or not risks else f"{kept}. {verdict(risks)}"
    cells = {attacker: cell(risks, attacker) for attacker in names}
    return Way(log=log.name, audience=audience, name=name, cells=cells, words=words)


def verdict(risks: list[Risk]) -> str:
    """Whether the gate would let it go, and who gets furthest."""
    missed = [risk for risk in risks if risk.gate and not risk.holds]
    if not missed:
        return "All limits are met"
    worst = max(missed, key=lambda risk: (risk.seen or 0.0) / (risk.limit or 1.0))
    return (
        f"The gate refuses: {len(missed)} limits missed, furthest {worst.attacker} "
        f"({worst.measure.title}: {worst.seen or 0.0:.3f}, limit {worst.limit})"
    )


def markdown(ways: Sequence[Way]) -> str:
    """One table per log and audience: attackers by ways, and below it what each way keeps."""
    parts = []
    for log, audience in dict.fromkeys((way.log, way.audience) for way in ways):
        own = [way for way in ways if (way.log, way.audience) == (log, audience)]
        parts += [f"## {log}, {audience}", ""]
        real, invented = ([way for way in own if (way.name == "synthetic") == yes] for yes in (False, True))
        for shown in (real, [way for way in invented if way.cells]):
            parts += _lines(shown) if shown else []
        parts += [f"- {way.name}: {way.words}" for way in own if way.words] + [""]
    return "\n".join(parts)


def _lines(ways: Sequence[Way]) -> list[str]:
    names = dict.fromkeys(attacker for way in ways for attacker in way.cells)
    head = ["| attacker | " + " | ".join(way.name for way in ways) + " |", "|---" * (len(ways) + 1) + "|"]
    rows = (" | ".join(way.cells.get(attacker, "–") for way in ways) for attacker in names)
    return [*head, *(f"| {attacker} | {row} |" for attacker, row in zip(names, rows, strict=True)), ""]


def saved(way: Way, folder: Path) -> None:
    """Put beside what was measured before; the tables are written anew from all of it."""
    kept = folder / "traces_attacks.json"
    old = [Way(**one) for one in json.loads(kept.read_text("utf-8"))] if kept.exists() else []
    key = (way.log, way.audience, way.name)
    ways = sorted([one for one in old if (one.log, one.audience, one.name) != key] + [way], key=_place)
    kept.write_text(json.dumps([vars(one) for one in ways], indent=1, ensure_ascii=False) + "\n", "utf-8")
    page = folder / "traces_attacks.md"
    above = page.read_text("utf-8").split(TABLES)[0] if page.exists() else ""
    page.write_text(f"{above}{TABLES}\n\n{markdown(ways)}", "utf-8")


def _place(way: Way) -> tuple[int, str, str, int]:
    logs = list(LOGS)
    return logs.index(way.log) if way.log in logs else len(logs), way.log, way.audience, WAYS.index(way.name)


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
    parser.add_argument("--ways", nargs="*", default=list(WAYS), choices=WAYS)
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
        memories = {name: Remembered() for name in options.ways}
        for audience in options.audiences:
            ways = []
            for name in options.ways:
                ways.append(measured(log, audience, name, options.repeats, memories[name]))
                if options.save:
                    saved(ways[-1], options.save)
            console.print(markdown(ways), soft_wrap=True, markup=False, highlight=False)


if __name__ == "__main__":
    main()
