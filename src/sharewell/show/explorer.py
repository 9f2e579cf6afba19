"""explore.html: every curve with what the limits would choose. Private, since it holds risks of the original."""

from pathlib import Path

from sharewell.findings import Findings
from sharewell.release.place import Place, clear_sentences, write_private
from sharewell.show import words
from sharewell.show.report import environment
from sharewell.show.view import FileView, Pair

PAGE = "explore.html"


def write(where: Place, findings: Findings) -> Path:
    """The page in the private folder; a new run writes over the old page."""
    with clear_sentences(where.private):
        return write_private(where, PAGE, render(findings).encode())


def render(findings: Findings) -> str:
    """One chart and one recommendation per file."""
    page = environment().get_template("explore.html.j2")
    return page.render(
        findings=findings,
        sentence=_sentence(findings),
        reader=words.AUDIENCES.get(findings.audience, findings.audience),
        views=[FileView(file) for file in findings.files],
        linkage=[Pair(after=risk) for risk in findings.linkage],
    )


def _sentence(findings: Findings) -> str:
    curves = [file.curve for file in findings.files if file.curve and file.curve.points]
    if not curves:
        return "No curve could be drawn."
    chosen = sum(curve.chosen is not None for curve in curves)
    drawn = words.plural(len(curves), "curve")
    on = "it" if len(curves) == 1 else "each"
    told = f"{drawn}: on {on if chosen == len(curves) else f'{chosen} of them'} a setting meets the limit."
    refused = any(risk.gate and not risk.holds for risk in findings.linkage)
    return f"{told} Taken together the files would be refused." if refused else told
