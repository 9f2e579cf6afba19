"""What a person sees in the terminal: one table that fits a hundred columns, or JSON for machines."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from sharewell.findings import FileFindings, Findings
from sharewell.pipeline import Outcome
from sharewell.release.manifest import summary, to_json
from sharewell.release.report import held, number, recommendation
from sharewell.results import CurvePoint, Risk
from sharewell.verification import Verification

WIDTH = 100


def show_outcome(outcome: Outcome, *, as_json: bool) -> None:
    if as_json:
        told = summary(outcome.findings, outcome.verdict)
        _print_json({**told, "report": str(outcome.report) if outcome.report else None, "notes": outcome.notes})
        return
    console = _console()
    console.print(_risk_table(outcome.findings))
    for note in outcome.notes:
        console.print(f"note: {escape(note)}")
    for reason in outcome.verdict.reasons:
        console.print(f"[red]✗[/red] {escape(reason)}")
    colour = "green" if outcome.verdict.passed else "red"
    console.print(f"[{colour} bold]{outcome.verdict.sentence}[/]")
    where = f"Report: {escape(str(outcome.report))}" if outcome.report else "A rehearsal: nothing was written."
    console.print(where, soft_wrap=True)


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
    table = _table("The data as it stands", "file", "risk", "value", "95 % interval", "chance")
    for file in findings.files:
        for risk in file.before:
            low_high = f"{number(risk.low)}–{number(risk.high)}" if risk.low is not None else ""
            chance = number(risk.chance) if risk.chance is not None else ""
            table.add_row(escape(file.label), _named(risk), number(risk.value), low_high, chance)
        for failure in file.failures:
            table.add_row(escape(file.label), f"[red]{escape(failure.stage)}[/red]", escape(failure.reason))
    _console().print(table)


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
    console.print(
        f"The curves, to look at: {escape(str(page))} (private: it holds risks of the original)", soft_wrap=True
    )


def show_verification(checked: Verification, *, as_json: bool) -> None:
    if as_json:
        risks = [{"file": label, **risk.to_dict()} for label, risk in checked.risks]
        _print_json({"verified": not checked.problems, "problems": checked.problems, "risks": risks})
        return
    console = _console()
    table = _table("Measured again from the files alone", "file", "risk", "value", "limit")
    for label, risk in checked.risks:
        table.add_row(escape(label), _named(risk), number(risk.value), held(risk))
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
    """The risks that are held to a limit, before and after."""
    table = _table(escape(findings.release), "file", "risk", "before", "after", "limit", "")
    gated = [(file.label, risk, _same_before(file, risk)) for file in findings.files for risk in file.after]
    gated += [("together", risk, None) for risk in findings.linkage]
    for label, risk, before in gated:
        if risk.gate:
            mark = "[green]met[/green]" if risk.holds else "[red]missed[/red]"
            earlier = number(before) if before is not None else "–"
            table.add_row(escape(label), _described(risk), earlier, number(risk.value), held(risk), mark)
    return table


def _described(risk: Risk) -> str:
    """What was measured and by whom, on two lines."""
    return f"{escape(risk.name)}\n[dim]{escape(risk.attacker)}[/dim]"


def _same_before(file: FileFindings, risk: Risk) -> float | None:
    same = [other.value for other in file.before if (other.name, other.attacker) == (risk.name, risk.attacker)]
    return same[0] if same else None


def _named(risk: Risk) -> str:
    known = ", ".join(f"{key}={value}" for key, value in risk.setting.items())
    return f"{_described(risk)}[dim]{escape(f', {known}') if known else ''}[/dim]"


def _mark(point: CurvePoint) -> str:
    if point.chosen:
        return "[green bold]← chosen[/]"
    return "" if point.meets else "[dim]over the limit[/]"


def _failures(file: FileFindings) -> list[dict[str, str]]:
    return [{"stage": failure.stage, "reason": failure.reason} for failure in file.failures]


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left", header_style="bold")
    for name in columns:
        table.add_column(name, overflow="fold", no_wrap=name in ("file", "before", "after", "value", "limit", "chance"))
    return table


def _console() -> Console:
    console = Console()
    return console if console.width <= WIDTH else Console(width=WIDTH)


def _print_json(content: dict[str, Any]) -> None:
    sys.stdout.write(to_json(content).decode())
