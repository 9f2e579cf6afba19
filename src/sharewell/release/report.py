"""report.html: one file, no network, for a review board to read."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from sharewell.findings import FileFindings, Findings
from sharewell.release.gate import Verdict
from sharewell.release.manifest import harmless
from sharewell.results import Risk, Utility


@cache
def environment() -> Any:
    """The templates of this folder; HTML is escaped, Markdown is not."""
    from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

    env = Environment(
        loader=PackageLoader("sharewell.release"),
        autoescape=select_autoescape(["html", "html.j2"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    env.filters |= {"number": number, "interval": interval, "held": held, "harmless": harmless}
    return env


def render(findings: Findings, verdict: Verdict) -> str:
    """The whole page."""
    rows = [(file, _pairs(file)) for file in findings.files]
    return environment().get_template("report.html.j2").render(findings=findings, verdict=verdict, files=rows)


def _pairs(file: FileFindings) -> Sequence[tuple[Risk | None, Risk | None]]:
    """Each risk before beside the same risk after; those without a partner stand alone."""
    after = {_identity(risk): risk for risk in file.after}
    before = {_identity(risk): risk for risk in file.before}
    return [(before.get(name), after.get(name)) for name in {**after, **before}]


def _identity(risk: Risk) -> tuple[Any, ...]:
    return risk.name, risk.attacker, tuple(sorted((key, str(value)) for key, value in risk.setting.items()))


def number(value: float | None) -> str:
    """Four digits at most; no number is said in words."""
    if value is None or value != value:
        return "not measured"
    return f"{value:,.0f}" if float(value).is_integer() and abs(value) >= 1 else f"{value:.3g}"


def interval(result: Risk | Utility | None) -> str:
    if result is None or result.low is None or result.high is None:
        return ""
    return f"{number(result.low)} to {number(result.high)}"


def held(risk: Risk | None) -> str:
    """What the limit asks, in words."""
    if risk is None or risk.limit is None:
        return ""
    side = "at most" if risk.better == "lower" else "at least"
    return f"{side} {number(risk.limit)}"
