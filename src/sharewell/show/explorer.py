"""explore.html: every curve with what the limits would choose. Private, since it holds risks of the original."""

from sharewell.disclosure import Disclosed
from sharewell.show import environment, view, words
from sharewell.show.report import recommendation
from sharewell.show.view import FileView, Pair

PAGE = "explore.html"


def render(disclosed: Disclosed) -> str:
    """One chart and one recommendation per file."""
    page = environment.html().get_template("explore.html.j2")
    text: str = page.render(
        findings=disclosed,
        sentence=_sentence(disclosed),
        reader=words.reader(disclosed.audience),
        views=[FileView(file) for file in disclosed.files],
        linkage=[Pair(after=risk) for risk in disclosed.linkage],
        recommendation=recommendation,
        sort_key=view.sort_key,
    )
    return text


def _sentence(disclosed: Disclosed) -> str:
    curves = [file.curve for file in disclosed.files if file.curve and file.curve.points]
    if not curves:
        return "No curve could be drawn."
    chosen = sum(curve.chosen is not None for curve in curves)
    drawn = words.plural(len(curves), "curve")
    on = "it" if len(curves) == 1 else "each"
    said = f"{drawn}: on {on if chosen == len(curves) else f'{chosen} of them'} a setting meets the limit."
    refused = any(risk.gate and not risk.holds for risk in disclosed.linkage)
    return f"{said} Taken together the files would be refused." if refused else said
