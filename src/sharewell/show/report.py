"""report.html: one file, no network, for a review board to read. A refusal gets the same page, with what would help."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sharewell import kinds
from sharewell.contract import Curve, CurvePoint
from sharewell.data import versions
from sharewell.disclosure import Disclosed
from sharewell.findings import FileFindings, Verdict
from sharewell.plan.document import Plan
from sharewell.show import board, contents, environment, view, words
from sharewell.show.view import FileView, Pair


@dataclass(frozen=True, kw_only=True)
class RoleColumns:
    """The columns of one file that have one role."""

    place: str
    role: str
    meaning: str
    columns: tuple[str, ...]


def render(disclosed: Disclosed, verdict: Verdict, *, plan: Plan, identifier: str) -> str:
    """The whole page; the same plan and findings give the same bytes."""
    linkage = [Pair(after=risk) for risk in disclosed.linkage]
    answers = list(board.answers(disclosed))
    views = [FileView(file) for file in disclosed.files]
    page = environment.html().get_template("report.html.j2")
    text: str = page.render(
        findings=disclosed,
        verdict=verdict,
        header=plan.header,
        identifier=identifier,
        sentence=view.verdict_sentence(disclosed, verdict),
        reader=words.reader(disclosed.audience),
        views=views,
        most_exposed=view.most_exposed(views),
        missed=[] if verdict.passed else list(view.missed(disclosed)),
        linkage=linkage,
        joined=max((pair for pair in linkage if pair.status), key=lambda pair: pair.strain, default=None),
        linkage_stories=view.stories(disclosed.linkage),
        answers=[answer for answer in answers if answer.pair],
        unasked=board.unasked(answers),
        frameworks=board.FRAMEWORKS,
        not_answered=board.NOT_ANSWERED,
        roles=list(roles(plan)),
        glossary=words.GLOSSARY,
        versions=versions.installed(),
        recommendation=recommendation,
        over=over,
        named=lambda text: named(text, views),
        sort_key=view.sort_key,
    )
    return text


def roles(plan: Plan) -> Iterator[RoleColumns]:
    """What the plan says of every column, file by file."""
    for section in plan.sections:
        kind = kinds.load(section.kind)
        given: dict[str, list[str]] = {}
        for role, name in section.roles():
            given.setdefault(role, []).append(name)
        for role, names in given.items():
            meaning = {**contents.ROLES, **kind.roles}.get(role, role)
            yield RoleColumns(place=kind.title, role=role, meaning=meaning, columns=tuple(names))


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
    sign = 1 if curve.better == "lower" else -1
    worst = sign * (next_one.risk if next_one.high is None or sign < 0 else next_one.high)
    which = "the" if curve.limit is not None and worst > sign * curve.limit else "another"
    risk = words.point_risk(curve, next_one)
    return f"; the next more useful one, “{next_one.label}”, misses {which} limit ({risk})"


def named(text: str, views: Sequence[FileView]) -> str:
    """Name files by what they are, where a text names sections of the plan."""
    for one in views:
        text = text.replace(one.file.label, words.inline(one.kind.title))
    return text


def over(pair: Pair) -> str:
    """By how much a limit is missed."""
    if pair.strain == float("inf") or pair.strain == 0:
        return ""
    if pair.risk.better == "higher":
        return f"; {1 - 1 / pair.strain:.0%} under it"
    if pair.strain >= 2:
        return f"; {words.number(round(pair.strain, 1))} times the limit"
    return f"; {pair.strain - 1:.0%} over it"
