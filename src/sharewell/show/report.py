"""report.html: one file, no network, for a review board to read. A refusal gets the same page, with what would help."""

from sharewell.contract import Curve, CurvePoint
from sharewell.data import versions
from sharewell.disclosure import Told
from sharewell.findings import FileFindings, Verdict
from sharewell.show import environment, view, words
from sharewell.show.view import FileView, Pair


def render(told: Told, verdict: Verdict) -> str:
    """The whole page; the same findings give the same bytes."""
    linkage = [Pair(after=risk) for risk in told.linkage]
    page = environment.html().get_template("report.html.j2")
    text: str = page.render(
        findings=told,
        verdict=verdict,
        sentence=view.verdict_sentence(told, verdict),
        reader=words.reader(told.audience),
        views=[FileView(file) for file in told.files],
        missed=[] if verdict.passed else list(view.missed(told)),
        linkage=linkage,
        joined=max((pair for pair in linkage if pair.status), key=lambda pair: pair.strain, default=None),
        linkage_stories=view.stories(told.linkage),
        versions=versions.installed(),
        recommendation=recommendation,
        over=over,
        sort_key=view.sort_key,
    )
    return text


def recommendation(file: FileFindings, verb: str = "Choose") -> str:
    """The choice on a curve in one sentence, or why there is none."""
    curve = file.curve
    nearest = view.nearest_point(curve)
    if curve is None or nearest is None:
        return "No curve was drawn for this file, so there is nothing to choose between."
    risk, utility = words.inline(curve.risk.title), words.inline(curve.utility.title)
    limit = "" if curve.limit is None else f", limit {words.amount(curve.risk, curve.limit)}"
    chosen = curve.chosen
    if chosen is None:
        return (
            f"None of the {words.plural(len(curve.points), 'setting')} tried meets every limit; nearest comes "
            f"“{nearest.label}” ({risk}: {words.point_risk(curve, nearest)}{limit})."
        )
    return (
        f"{verb} “{chosen.label}” ({utility}: {words.point_utility(curve, chosen)}; {risk}: "
        f"{words.point_risk(curve, chosen)}{limit}){_costs(curve, chosen)}."
    )


def _costs(curve: Curve, chosen: CurvePoint) -> str:
    """The next more useful setting, which shows what the limit costs."""
    better = [point for point in curve.points if point.utility > chosen.utility]
    missing = [point for point in better if not point.meets]
    if not missing:
        return ", the most useful of all that were tried" if len(curve.points) > 1 and not better else ""
    next_one = min(missing, key=lambda point: point.utility)
    return f"; the next more useful one, “{next_one.label}”, misses the limit ({words.point_risk(curve, next_one)})"


def over(pair: Pair) -> str:
    """By how much a limit is missed."""
    if pair.strain == float("inf") or pair.strain == 0:
        return ""
    if pair.risk.better == "higher":
        return f"; {1 - 1 / pair.strain:.0%} under it"
    if pair.strain >= 2:
        return f"; {words.number(round(pair.strain, 1))} times the limit"
    return f"; {pair.strain - 1:.0%} over it"
