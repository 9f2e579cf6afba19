"""report.html: one file, no network, for a review board to read. A refusal gets the same page, with what would help."""

from functools import cache
from typing import Any

from sharewell.contract import Change, Curve, CurvePoint
from sharewell.findings import FileFindings, Findings
from sharewell.release.gate import Verdict
from sharewell.release.manifest import VERSIONS, harmless, metadata_version
from sharewell.show import charts, view, words
from sharewell.show.view import FileView, Pair
from sharewell.show.words import amount, held, interval, number, percent, setting


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
    env.filters |= {"number": number, "percent": percent, "interval": interval, "held": held, "setting": setting}
    env.filters |= {"harmless": harmless, "cells": cells, "sort_cells": sort_cells, "over": over}
    env.filters |= {"risk_of": risk_of, "utility_of": utility_of, "recommendation": recommendation}
    env.globals |= {
        "panels": charts.panels,
        "strip": charts.strip,
        "curve_chart": charts.curve_chart,
        "bar": charts.bar,
    }
    return env


def render(findings: Findings, verdict: Verdict) -> str:
    """The whole page; the same findings give the same bytes."""
    linkage = [Pair(after=risk) for risk in findings.linkage]
    page = environment().get_template("report.html.j2")
    return page.render(
        findings=findings,
        verdict=verdict,
        sentence=view.verdict_sentence(findings, verdict),
        reader=words.AUDIENCES.get(findings.audience, findings.audience),
        views=[FileView(file) for file in findings.files],
        missed=[] if verdict.passed else list(view.missed(findings)),
        linkage=linkage,
        joined=max((pair for pair in linkage if pair.status), key=lambda pair: pair.strain, default=None),
        linkage_stories=view.stories(findings.linkage),
        versions={name: metadata_version(name) for name in VERSIONS},
    )


def recommendation(file: FileFindings, verb: str = "Choose") -> str:
    """The choice on a curve in one sentence, or why there is none."""
    curve = file.curve
    if curve is None or not curve.points:
        return "No curve was drawn for this file, so there is nothing to choose between."
    limit = "" if curve.limit is None else f", limit {amount(curve.limit, words.curve_risk_is_share(curve))}"
    chosen, nearest = curve.chosen, FileView(file).nearest
    if chosen is None:
        assert nearest is not None
        return (
            f"None of the {words.plural(len(curve.points), 'setting')} tried meets every limit; nearest comes "
            f"“{nearest.label}” ({curve.risk}: {risk_of(curve, nearest)}{limit})."
        )
    return (
        f"{verb} “{chosen.label}” ({curve.utility}: {utility_of(curve, chosen)}; {curve.risk}: "
        f"{risk_of(curve, chosen)}{limit}){_costs(curve, chosen)}."
    )


def _costs(curve: Curve, chosen: CurvePoint) -> str:
    """The next more useful setting, which shows what the limit costs."""
    better = [point for point in curve.points if point.utility > chosen.utility]
    missing = [point for point in better if not point.meets]
    if not missing:
        return ", the most useful of all that were tried" if len(curve.points) > 1 and not better else ""
    next_one = min(missing, key=lambda point: point.utility)
    return f"; the next more useful one, “{next_one.label}”, misses the limit ({risk_of(curve, next_one)})"


def risk_of(curve: Curve, point: CurvePoint) -> str:
    return amount(point.risk, words.curve_risk_is_share(curve))


def utility_of(curve: Curve, point: CurvePoint) -> str:
    return amount(point.utility, words.curve_utility_is_share(curve))


def over(pair: Pair) -> str:
    """By how much a limit is missed."""
    if pair.strain == float("inf") or pair.strain == 0:
        return ""
    if pair.risk.better == "higher":
        return f"; {1 - 1 / pair.strain:.0%} under it"
    return (
        f"; {number(round(pair.strain, 1))} times the limit" if pair.strain >= 2 else f"; {pair.strain - 1:.0%} over it"
    )


def cells(change: Change) -> str:
    """How many cells a change touched, unless so few that they could point at someone."""
    told = harmless(change)["cells"]
    if told is None:
        return ""
    return told if isinstance(told, str) else f"{told:,}"


def sort_cells(change: Change) -> str:
    """A key for sorting that tells no more than the cell itself."""
    told = harmless(change)["cells"]
    return "" if told is None else "1" if isinstance(told, str) else str(told)
