"""README.md of a release: a datasheet for whoever receives it, and its twin for machines.

The sections stand in the order in which data repositories ask for them at deposit: what it is and whom to ask, how it
may be used and cited, which files there are, how it was made, then each file with its columns, and what it is fit for.
"""

from pathlib import Path
from typing import Any

from sharewell.findings import Findings
from sharewell.plan.document import Plan
from sharewell.release.manifest import to_json
from sharewell.show import contents, croissant, words
from sharewell.show.report import environment
from sharewell.show.view import FileView


def write(built: Path, plan: Plan, findings: Findings, *, identifier: str) -> None:
    """README.md and croissant.json, from the plan, the findings and the finished files."""
    held = contents.describe(built, plan, findings)
    (built / "README.md").write_text(render(plan, findings, held, identifier=identifier))
    twin = croissant.describe(plan.header, held, description=_description(plan, findings), identifier=identifier)
    (built / "croissant.json").write_bytes(to_json(twin))


def render(plan: Plan, findings: Findings, held: list[contents.Content], *, identifier: str) -> str:
    template = environment().get_template("datasheet.md.j2")
    return template.render(
        header=plan.header,
        findings=findings,
        files=[(content, FileView(content.file)) for content in held],
        description=_description(plan, findings),
        reader=words.AUDIENCES[plan.header.audience],
        citation=plan.header.citation or f"{findings.release}. Protected student data, release {identifier}.",
        identifier=identifier,
        cell=_cell,
    )


def _description(plan: Plan, findings: Findings) -> str:
    if plan.header.description:
        return plan.header.description
    kinds = dict.fromkeys(words.kind_words(file.kind).title.lower() for file in findings.files)
    return f"Student data ({', '.join(kinds)}), protected before release."


def _cell(text: Any) -> str:
    """Text that stays inside its cell of a Markdown table."""
    return " ".join(str(text).split()).replace("|", "\\|")
