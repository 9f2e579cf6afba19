"""What a person sees in the terminal: one table that fits a hundred columns, or JSON for machines.

Every word from data or plans goes through `_text`, which strips what would move the cursor or set a colour; the console
reads no markup at all, so that a column called `[red]` stays one.
"""

import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from sharewell import disclosure
from sharewell.contract import Curve, CurvePoint, Risk
from sharewell.data.files import to_json
from sharewell.disclosure import Disclosed
from sharewell.findings import FileFindings, Verdict
from sharewell.show import words
from sharewell.show.escape import terminal
from sharewell.show.report import recommendation
from sharewell.show.view import FileView, Pair, level

WIDTH = 100
SCREEN = 40  # lines that an assessment or the curves may take
TABLE = 12  # of them for the settings of one file; the page has the rest
LINES = 30  # of them for single files, where there are many
ROWS = 8  # measurements that are shown for each file at most
MANY = 3  # files beyond which each gets one line
COLOURS = {"met": "green", "missed": "red", "care": "yellow"}
LONGEST_LABEL = 40
NUMBERS = ("before", "after", "value", "limit", "chance")


def show_outcome(disclosed: Disclosed, verdict: Verdict, *, report: Path | None, notes: Sequence[str]) -> None:
    """Risks before and after against their limits, and what the gate decided."""
    console = _console()
    console.print(_risk_table(disclosed))
    for file in disclosed.files:
        for pair in FileView(file).promises:
            console.print(_text("promise: ", "green") + _text(f"{file.label}: {pair.risk.story}"))
        if weaker := FileView(file).not_covered:
            console.print(_text("weaker promise: ", "yellow") + _text(f"{file.label}: {weaker}"))
        for pair in FileView(file).advice[:1]:
            console.print(_text("take care: ", "yellow") + _text(f"{file.label}: {pair.risk.story}"))
        if gone := FileView(file).gone:
            console.print(_text("not in the release: ", "yellow") + _text(f"{file.label}: {', '.join(gone)}"))
    for note in notes:
        console.print(_text(f"note: {note}"))
    for reason in verdict.reasons:
        console.print(_text("✗ ", "red") + _text(reason))
    console.print(_text(verdict.sentence, f"{'green' if verdict.passed else 'red'} bold"))
    if report is None:
        console.print(_text("A rehearsal: nothing was written."))
    elif verdict.passed:  # where the report of a refusal is, the refusal itself says
        console.print(_text(f"Report: {report}"), soft_wrap=True)


def show_json(content: Mapping[str, Any]) -> None:
    """The same for machines."""
    sys.stdout.write(to_json(content).decode())


def assessment(disclosed: Disclosed) -> dict[str, Any]:
    """The risk of the data as it stands, as plain data."""
    files = [
        {"file": file.label, "risks": [risk.to_dict() for risk in file.before], "failures": _failures(file)}
        for file in disclosed.files
    ]
    return {"release": disclosed.release, "files": files}


def show_assessment(disclosed: Disclosed) -> None:
    """The risk of the data as it stands: the strongest risks of every file."""
    console, many = _console(), len(disclosed.files) > MANY
    files = _worst_first(disclosed.files, lambda file: bool(file.failures)) if many else list(disclosed.files)
    if many:
        tables = [_assessed_together(files)]
    else:
        lines = (SCREEN - 2) // max(1, len(files))
        tables = [_fitting(console, partial(_assessed, file), lines=lines) for file in files]
    for table in tables:
        console.print(table)
    left_out = sum(len(FileView(file).pairs) for file in disclosed.files) - sum(table.row_count for table in tables)
    if left_out > 0:
        others = (
            f" ({len(disclosed.files) - len(files)} further files among them)"
            if len(files) < len(disclosed.files)
            else ""
        )
        console.print(_text(f"{left_out} further measurements{others}: add --json, or see the report of a release."))


def _worst_first(files: Sequence[FileFindings], is_bad: Callable[[FileFindings], bool]) -> list[FileFindings]:
    """As many files as a screen has lines for, in their order; those that a person must look at are never left out
    for others."""
    chosen = sorted(files, key=lambda file: not is_bad(file))[:LINES]
    return [file for file in files if file in chosen]


def _assessed_together(files: Sequence[FileFindings]) -> Table:
    """A line for each file: what failed, or its strongest risk."""
    table = _table("the data as it stands: the strongest risk of each file", "risk", "value", "chance")
    table.columns[0].no_wrap, table.columns[0].overflow = True, "ellipsis"
    for file in files:
        if file.failures:
            failure = file.failures[0]
            table.add_row(_text(f"{file.label}: {failure.stage}: {failure.reason}"), _text("none", "red"))
        for pair in _most_telling(FileView(file).pairs, 1) if not file.failures else ():
            name = f"{file.label}: {pair.title} ({pair.risk.attacker})"
            table.add_row(*map(_text, (name, words.said(pair.risk), words.chance(pair.risk))))
    return table


def _assessed(file: FileFindings, room: int) -> Table:
    table = _table(f"{file.label}: the data as it stands", "risk", "value", "95 % interval", "chance", "limit")
    for pair in _most_telling(FileView(file).pairs, min(room, ROWS)):
        risk = pair.risk
        limit = words.limit(risk) if risk.gate else ""
        numbers = (words.said(risk), words.interval(risk), words.chance(risk), limit)
        table.add_row(_named(pair), *map(_text, numbers))
    for failure in file.failures:
        table.add_row(_text(failure.stage, "red"), _text(failure.reason))
    return table


def _most_telling(pairs: Sequence[Pair], room: int) -> list[Pair]:
    """What limits hold, and of the others the strongest of each measure before its second; as many as have room."""
    limited = [pair for pair in pairs if pair.risk.limit is not None][:room]
    rest = [pair for pair in pairs if pair.risk.measure.unit == "share" and pair not in limited]
    seen: Counter[str] = Counter()
    ranked: list[tuple[int, Pair]] = []
    for pair in sorted(rest, key=lambda pair: -level(pair.risk)):
        ranked.append((seen[pair.risk.name], pair))
        seen[pair.risk.name] += 1
    strongest = [pair for _, pair in sorted(ranked, key=lambda one: one[0])][: room - len(limited)]
    return [pair for pair in pairs if pair in limited or pair in strongest] or list(pairs[:room])


def curves(disclosed: Disclosed, *, page: Path) -> dict[str, Any]:
    """The curves as plain data."""
    drawn = {file.label: file.curve.to_dict() for file in disclosed.files if file.curve}
    return {"release": disclosed.release, "curves": drawn, "page": str(page)}


def show_curves(disclosed: Disclosed, *, page: Path) -> None:
    """Every curve as a table, with the setting that the limits would choose."""
    console = _console()
    drawn = [file for file in disclosed.files if file.curve is not None]
    together = [risk for risk in disclosed.linkage if risk.gate and not risk.holds][:2]
    for file in drawn if len(drawn) <= MANY else ():
        _show_curve(console, file, lines=(SCREEN - 2 - 2 * len(together)) // len(drawn), brief=len(drawn) == MANY)
    if len(drawn) > MANY:
        _show_recommendations(console, drawn)
    for risk in together:
        said = f"together: {words.inline(risk.measure.title)} ({risk.attacker}): {words.seen(risk)}"
        console.print(_text("✗ ", "red") + _one_line(f"{said}, {words.limit(risk)}", 2 * console.width - 10))
    where = f"The curves, to look at: {page} (private: it holds risks of the original)"
    console.print(_text(where), soft_wrap=True)


def _show_curve(console: Console, file: FileFindings, *, lines: int, brief: bool) -> None:
    """The settings of one file, as many as there is room for, and what they come to."""
    assert file.curve is not None
    said = [recommendation(file), *([file.curve.note] if file.curve.note and not brief else [])]
    room = min(TABLE, lines - 2 * len(said))
    table = _fitting(console, partial(_curve_table, file, console.width), lines=room)
    console.print(table)
    for sentence in said:
        console.print(_one_line(sentence, 2 * console.width - 10))


def _fitting(console: Console, make: Callable[[int], Table], *, lines: int) -> Table:
    """The table with as many rows as its lines leave room for, one at least."""
    tables = (make(rows) for rows in range(lines, 1, -1))
    return next((table for table in tables if len(console.render_lines(table)) <= lines), make(1))


def _show_recommendations(console: Console, drawn: Sequence[FileFindings]) -> None:
    """A line or two for each file, and how many there are beyond them."""
    shown = _worst_first(drawn, lambda file: bool(file.failures or file.curve is None or file.curve.chosen is None))
    room = 2 * console.width - 10 if 2 * len(shown) <= LINES else console.width - 2
    for file in shown:
        console.print(_one_line(f"{file.label}: {recommendation(file)}", room))
    if len(shown) < len(drawn):
        console.print(_text(f"… and {len(drawn) - len(shown)} further files, on the page."))


def _one_line(said: str, most: int) -> Text:
    """A sentence of so many letters at most."""
    line = _text(said)
    line.truncate(most, overflow="ellipsis")
    return line


def _curve_table(file: FileFindings, width: int, room: int) -> Table:
    curve = file.curve
    assert curve is not None
    limit = f", limit {words.amount(curve.risk, curve.limit)}" if curve.limit is not None else ""
    heads = (curve.strength, curve.risk.title, curve.utility.title, "")
    table = _table(f"{file.label}: {words.inline(curve.risk.title)}{limit}", *heads)
    table.columns[0].no_wrap, table.columns[0].overflow = True, "ellipsis"  # a setting takes one line
    table.columns[0].max_width = max(LONGEST_LABEL // 2, width - WIDTH + LONGEST_LABEL)  # and leaves room for titles
    table.columns[-1].no_wrap, table.columns[-1].min_width = True, len("over the limit")
    for point in _leading_points(curve, room):
        numbers = (_short(point.label), words.point_risk(curve, point), words.point_utility(curve, point))
        table.add_row(*map(_text, numbers), _mark(point))
    return table


def _leading_points(curve: Curve, room: int) -> list[CurvePoint]:
    """The choice, the most useful that hold, and the most useful that do not, in the order of the curve."""
    order = sorted(curve.points, key=lambda point: (not point.chosen, not point.meets, -point.utility))
    return [point for point in curve.points if point in order[:room]]


def verification(risks: Sequence[tuple[str, Risk]], problems: Sequence[str]) -> dict[str, Any]:
    """What was measured again, as plain data."""
    disclosed = [{"file": label, **risk.to_dict()} for label, risk in _disclosed(risks)]
    return {"verified": not problems, "problems": list(problems), "risks": disclosed}


def show_verification(risks: Sequence[tuple[str, Risk]], problems: Sequence[str]) -> None:
    """Show what was measured again from the files alone, and what does not hold."""
    console = _console()
    table = _table("Measured again from the files alone", "risk", "value", "limit")
    for label, risk in _disclosed(risks):
        table.add_row(_named(Pair(after=risk), label), _text(words.said(risk)), _text(words.limit(risk)))
    if risks:
        console.print(table)
    for problem in problems:
        console.print(_text("✗ ", "red") + _text(problem))
    if not problems:
        console.print(_text("The release holds what it says.", "green bold"))


def _disclosed(risks: Sequence[tuple[str, Risk]]) -> list[tuple[str, Risk]]:
    disclosed = disclosure.results(risk for _, risk in risks)
    return [(label, risk) for (label, _), risk in zip(risks, disclosed, strict=True)]


def show_candidates(candidates: Sequence[tuple[str, float, int]]) -> None:
    """What a reviewer of the fictional course's posts would look at first."""
    console = _console()
    table = _table("Possible names in the posts, most frequent first", "word", "probability", "occurrences")
    for word, probability, occurrences in candidates:
        table.add_row(_text(word), _text(f"{probability:.2f}"), _text(f"{occurrences:,}"))
    console.print(table)


def _risk_table(disclosed: Disclosed) -> Table:
    """The risks that have a limit or need care, before and after."""
    table = _table(disclosed.release, "risk", "before", "after", "limit", "")
    rows = [(file.label, pair) for file in disclosed.files for pair in _leading(FileView(file).pairs)]
    rows += [("together", pair) for pair in _leading([Pair(after=risk) for risk in disclosed.linkage])]
    for label, pair in rows:
        if pair.status and pair.after is not None:
            numbers = (words.said(pair.before) or "–", words.said(pair.after))
            status = pair.status, COLOURS[pair.status]
            table.add_row(_named(pair, label), *map(_text, numbers), _limit(pair.after), _text(*status))
    if any(pair.after is not None and words.end_seen(pair.after) for _, pair in rows):
        table.caption = _text("under a limit: the end of an interval that the gate looked at")
    return table


def _limit(risk: Risk) -> Text:
    """The limit; below it the end of an interval, where the gate looked at that and not at the number itself."""
    if not risk.gate:
        return _text("none")
    end = words.end_seen(risk)
    return Text("\n").join([_text(words.limit(risk)), *([_text(" ".join(end), "dim")] if end else [])])


def _leading(pairs: Sequence[Pair]) -> list[Pair]:
    """Of several attackers under one limit the strongest, and every one that exceeds it. The page has them all."""
    strongest: dict[tuple[str, str | None], Pair] = {}
    for pair in pairs:
        key = (pair.risk.name, pair.risk.gate)
        if pair.status == "met" and (key not in strongest or pair.strain > strongest[key].strain):
            strongest[key] = pair
    return [pair for pair in pairs if pair.status != "met" or pair in strongest.values()]


def _named(pair: Pair, label: str = "") -> Text:
    """The file, what was measured, and by whom with what, a line each."""
    who = ", ".join(filter(None, (pair.risk.attacker, words.setting(pair.risk))))
    lines = [_text(label, "bold")] if label else []
    return Text("\n").join([*lines, _text(pair.title), _text(who, "dim")])


def _short(label: str) -> str:
    return label if len(label) <= LONGEST_LABEL else f"{label[: LONGEST_LABEL - 1]}…"


def _mark(point: CurvePoint) -> Text:
    if point.chosen:
        return _text("← chosen", "green bold")
    return _text("" if point.meets else "over the limit", "dim")


def _failures(file: FileFindings) -> list[dict[str, str]]:
    return [{"stage": failure.stage, "reason": failure.reason} for failure in file.failures]


def _text(words: str, style: str = "") -> Text:
    """Words that stay words; a space at the end is kept for what follows."""
    return Text(terminal(words) + (" " if words.endswith(" ") else ""), style=style)


def _table(title: str, *columns: str) -> Table:
    table = Table(title=_text(title), title_justify="left", header_style="bold")
    for name in columns:
        table.add_column(_text(name), overflow="fold", no_wrap=name in NUMBERS)
    return table


def _console() -> Console:
    width = min(Console().width, WIDTH)
    return Console(width=width, markup=False, emoji=False, highlight=False)
