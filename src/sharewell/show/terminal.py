"""What a person sees in the terminal: one table that fits a hundred columns, or JSON for machines."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from sharewell.contract import CurvePoint
from sharewell.findings import FileFindings, Findings
from sharewell.pipeline import Outcome
from sharewell.release.manifest import summary, to_json
from sharewell.release.verify import Verification
from sharewell.show import words
from sharewell.show.report import recommendation
from sharewell.show.view import FileView, Pair
from sharewell.show.words import held, interval, number, setting

WIDTH = 100
ROWS = 8  # of an assessment that are shown for each file
MARKS = {"met": "[green]met[/green]", "missed": "[red]missed[/red]", "care": "[yellow]care[/yellow]"}


def show_outcome(outcome: Outcome, *, as_json: bool) -> None:
    if as_json:
        told = summary(outcome.findings, outcome.verdict)
        _print_json({**told, "report": str(outcome.report) if outcome.report else None, "notes": outcome.notes})
        return
    console = _console()
    console.print(_risk_table(outcome.findings))
    for file in outcome.findings.files:
        for pair in FileView(file).advice[:1]:
            console.print(f"[yellow]take care:[/yellow] {escape(file.label)}: {escape(pair.risk.story)}")
    for note in outcome.notes:
        console.print(f"note: {escape(note)}")
    for reason in outcome.verdict.reasons:
        console.print(f"[red]✗[/red] {escape(reason)}")
    colour = "green" if outcome.verdict.passed else "red"
    console.print(f"[{colour} bold]{outcome.verdict.sentence}[/]")
    if outcome.report is None:
        console.print("A rehearsal: nothing was written.")
    elif outcome.verdict.passed:  # where the report of a refusal is, the refusal itself says
        console.print(f"Report: {escape(str(outcome.report))}", soft_wrap=True)


def show_assessment(findings: Findings, *, as_json: bool) -> None:
    if as_json:
        files = [
            {
                "file": file.label,
                "risks": [risk.to_dict() for risk in file.before],
                "failures": _failures(file),
            }
            for file in findings.files
        ]
        _print_json({"release": findings.release, "files": files})
        return
    console, left_out = _console(), 0
    for file in findings.files:
        told = FileView(file).pairs
        shown = _most_telling(told)
        left_out += len(told) - len(shown)
        table = _table(
            f"{escape(file.label)}: the data as it stands", "risk", "value", "95 % interval", "chance", "limit"
        )
        for pair in shown:
            risk = pair.risk
            chance = pair.say(risk.chance) if risk.chance is not None else ""
            table.add_row(
                _named(pair),
                pair.say(risk.value),
                interval(risk, pair.share),
                chance,
                held(risk, pair.share) if risk.gate else "",
            )
        for failure in file.failures:
            table.add_row(f"[red]{escape(failure.stage)}[/red]", escape(failure.reason))
        console.print(table)
    if left_out:
        console.print(f"{left_out} further measurements: add --json, or see the report of a release.")


def _most_telling(pairs: Sequence[Pair]) -> list[Pair]:
    """What limits hold, what needs care, and the strongest of the others."""
    held_to = [pair for pair in pairs if pair.risk.limit is not None]
    rest = [pair for pair in pairs if pair.share and pair not in held_to]
    strongest = sorted(rest, key=lambda pair: -pair.risk.value)[: max(2, ROWS - len(held_to))]
    return [pair for pair in pairs if pair in held_to or pair in strongest] or list(pairs[:ROWS])


def show_curves(findings: Findings, *, page: Path, as_json: bool) -> None:
    if as_json:
        curves = {file.label: file.curve.to_dict() for file in findings.files if file.curve}
        _print_json({"release": findings.release, "curves": curves, "page": str(page)})
        return
    console = _console()
    for file in findings.files:
        if file.curve is None:
            continue
        curve = file.curve
        limit = f", limit {number(curve.limit)}" if curve.limit is not None else ""
        title = f"{file.label}: {curve.risk}{limit}"
        table = _table(escape(title), escape(curve.strength), escape(curve.risk), escape(curve.utility), "")
        for point in curve.points:
            table.add_row(escape(point.label), number(point.risk), number(point.utility), _mark(point))
        console.print(table)
        console.print(escape(recommendation(file)))
    for risk in findings.linkage:
        if risk.gate and not risk.holds:
            told = f"{words.risk_name(risk.name)} ({risk.attacker})"
            console.print(f"[red]✗[/red] together: {escape(told)}: {number(risk.seen)}, {held(risk)}")
    console.print(
        f"The curves, to look at: {escape(str(page))} (private: it holds risks of the original)", soft_wrap=True
    )


def show_verification(checked: Verification, *, as_json: bool) -> None:
    if as_json:
        risks = [{"file": label, **risk.to_dict()} for label, risk in checked.risks]
        _print_json({"verified": not checked.problems, "problems": checked.problems, "risks": risks})
        return
    console = _console()
    table = _table("Measured again from the files alone", "risk", "value", "limit")
    for label, risk in checked.risks:
        pair = Pair(after=risk)
        table.add_row(_named(pair, label), pair.say(risk.value), held(risk, pair.share))
    if checked.risks:
        console.print(table)
    for problem in checked.problems:
        console.print(f"[red]✗[/red] {escape(problem)}")
    if not checked.problems:
        console.print("[green bold]The release holds what it says.[/]")


def show_candidates(candidates: Sequence[tuple[str, float, int]]) -> None:
    """What a reviewer of the fictional course's posts would look at first."""
    table = _table("Possible names in the posts, most frequent first", "word", "probability", "occurrences")
    for word, probability, occurrences in candidates:
        table.add_row(escape(word), f"{probability:.2f}", f"{occurrences:,}")
    _console().print(table)


def _risk_table(findings: Findings) -> Table:
    """The risks that are held to a limit or need care, before and after."""
    table = _table(escape(findings.release), "risk", "before", "after", "limit", "")
    rows = [(file.label, pair) for file in findings.files for pair in FileView(file).pairs]
    rows += [("together", Pair(after=risk)) for risk in findings.linkage]
    for label, pair in rows:
        if pair.status and pair.after is not None:
            earlier = pair.say(pair.before.value) if pair.before else "–"
            limit = held(pair.after, pair.share) if pair.after.gate else "none"
            table.add_row(_named(pair, label), earlier, pair.say(pair.after.value), limit, MARKS[pair.status])
    return table


def _named(pair: Pair, label: str = "") -> str:
    """The file, what was measured, and by whom with what, a line each."""
    who = ", ".join(filter(None, (pair.risk.attacker, setting(pair.risk))))
    file = f"[bold]{escape(label)}[/bold]\n" if label else ""
    return f"{file}{escape(pair.name)}\n[dim]{escape(who)}[/dim]"


def _mark(point: CurvePoint) -> str:
    if point.chosen:
        return "[green bold]← chosen[/]"
    return "" if point.meets else "[dim]over the limit[/]"


def _failures(file: FileFindings) -> list[dict[str, str]]:
    return [{"stage": failure.stage, "reason": failure.reason} for failure in file.failures]


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left", header_style="bold")
    for name in columns:
        table.add_column(name, overflow="fold", no_wrap=name in ("before", "after", "value", "limit", "chance"))
    return table


def _console() -> Console:
    console = Console()
    return console if console.width <= WIDTH else Console(width=WIDTH)


def _print_json(content: dict[str, Any]) -> None:
    sys.stdout.write(to_json(content).decode())
