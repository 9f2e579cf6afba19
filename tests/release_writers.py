"""Every way in which findings leave the house, each as one text."""

import contextlib
import io
import json
from collections.abc import Callable
from dataclasses import MISSING, fields
from functools import partial
from pathlib import Path
from typing import Any

from sharewell import disclosure, kinds
from sharewell.contract import Results
from sharewell.data.files import to_json
from sharewell.findings import Findings
from sharewell.plan.document import Header, Plan
from sharewell.release.gate import judge
from sharewell.release.summary import summary
from sharewell.show import contents, croissant, datasheet, explorer, report, terminal

PAGE = Path("explore.html")


def printed(show: Callable[[], None]) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as out:
        show()
    return out.getvalue()


def _columns_of(kind: str) -> dict[str, Any]:
    """The columns that a section of this kind cannot do without."""
    section = kinds.load(kind).section
    needed = [item.name for item in fields(section) if "role" in item.metadata and item.default is MISSING]
    return {name: f"the {name}" for name in needed if name != "text"}


def plan_of(findings: Findings, **header: Any) -> Plan:
    sections = tuple(
        kinds.load(file.kind).section(name=file.name, folder=Path(), file=file.file, **_columns_of(file.kind))
        for file in findings.files
    )
    return Plan(path=Path("plan.toml"), header=Header(name=findings.release, **header), sections=sections)


def held(findings: disclosure.Disclosed, columns: tuple[str, ...] = ("id", "age")) -> list[contents.Content]:
    """The finished files, described without writing them."""
    described = tuple(contents.Column(name=name, type="text", holds="something", done="") for name in columns)
    return [
        contents.Content(file=file, path=f"data/{file.file}", size=9, digest="0" * 64, columns=described)
        for file in findings.files
    ]


def summary_json(findings: Findings) -> str:
    return to_json(summary(disclosure.disclose(findings), judge(findings))).decode()


def report_html(findings: Findings) -> str:
    return report.render(disclosure.disclose(findings), judge(findings), plan=plan_of(findings), identifier="abc")


def explorer_html(findings: Findings) -> str:
    return explorer.render(disclosure.disclose(findings))


def readme(findings: Findings) -> str:
    disclosed = disclosure.disclose(findings)
    return datasheet.render(plan_of(findings), disclosed, held(disclosed), identifier="abc")


def croissant_json(findings: Findings) -> str:
    disclosed = disclosure.disclose(findings)
    header = plan_of(findings).header
    return json.dumps(croissant.describe(header, held(disclosed), description="d", identifier="abc"), sort_keys=True)


def terminal_text(findings: Findings) -> str:
    disclosed, verdict = disclosure.disclose(findings), judge(findings)
    after = [(file.label, risk) for file in findings.files for risk in file.after]
    return "".join(
        (
            printed(lambda: terminal.show_outcome(disclosed, verdict, report=None, notes=())),
            printed(lambda: terminal.show_assessment(disclosed)),
            printed(lambda: terminal.show_curves(disclosed, page=PAGE)),
            printed(lambda: terminal.show_verification(after, ())),
        )
    )


def terminal_json(findings: Findings) -> str:
    disclosed = disclosure.disclose(findings)
    after = [(file.label, risk) for file in findings.files for risk in file.after]
    parts = (terminal.assessment(disclosed), terminal.curves(disclosed, page=PAGE), terminal.verification(after, ()))
    return "".join(printed(partial(terminal.show_json, part)) for part in parts)


def notebook_html(findings: Findings) -> str:
    parts = []
    for file in findings.files:
        parts += [Results(file.before)._repr_html_(), Results(file.after)._repr_html_()]
        parts += [Results(file.utility)._repr_html_()]
        parts += [file.curve._repr_html_()] if file.curve else []
    return "".join(parts)


def plotly_json(findings: Findings) -> str:
    parts: list[str] = []
    for file in findings.files:
        parts += [Results(results).plot().to_json() for results in (file.before, file.after) if results]
        parts += [file.curve.plot().to_json()] if file.curve else []
    return "".join(parts)


WRITERS: dict[str, Callable[[Findings], str]] = {
    "report.html": report_html,
    "explore.html": explorer_html,
    "summary.json": summary_json,
    "README.md": readme,
    "croissant.json": croissant_json,
    "terminal": terminal_text,
    "terminal --json": terminal_json,
    "notebook": notebook_html,
    "plotly": plotly_json,
}
