"""README.md of a release: a datasheet for recipients, its twin for machines, and the agreement to sign.

The sections stand in the order in which data repositories ask for them at deposit: what it is and whom to ask, how it
may be used and cited, which files there are, how it was made, then each file with its columns, and what it is fit for.
"""

from pathlib import Path

from sharewell import kinds
from sharewell.data.files import to_json
from sharewell.disclosure import Disclosed
from sharewell.plan.audience_limits import LIMITS
from sharewell.plan.document import Plan
from sharewell.show import contents, croissant, environment, words
from sharewell.show.view import FileView


def write(built: Path, plan: Plan, disclosed: Disclosed, *, identifier: str) -> None:
    """Write README.md, croissant.json and AGREEMENT.md of a release."""
    described = contents.describe(built, plan, disclosed)
    (built / "README.md").write_text(render(plan, disclosed, described, identifier=identifier), encoding="utf-8")
    if LIMITS[plan.header.audience].signs:
        (built / "AGREEMENT.md").write_text(agreement(plan, disclosed, identifier=identifier), encoding="utf-8")
    twin = croissant.describe(plan.header, described, description=_description(plan, disclosed), identifier=identifier)
    (built / "croissant.json").write_bytes(to_json(twin))


def render(plan: Plan, disclosed: Disclosed, described: list[contents.Content], *, identifier: str) -> str:
    template = environment.markdown().get_template("datasheet.md.j2")
    text: str = template.render(
        header=plan.header,
        findings=disclosed,
        files=[(content, FileView(content.file)) for content in described],
        description=_description(plan, disclosed),
        reader=words.reader(plan.header.audience),
        citation=plan.header.citation or f"{disclosed.release}. Protected student data, release {identifier}.",
        identifier=identifier,
    )
    return text


def agreement(plan: Plan, disclosed: Disclosed, *, identifier: str) -> str:
    """A draft of what recipients sign, filled from the plan; a lawyer adapts it."""
    template = environment.markdown().get_template("agreement.md.j2")
    text: str = template.render(
        header=plan.header,
        identifier=identifier,
        reader=words.reader(plan.header.audience),
        paths=[f"data/{file.file}" for file in disclosed.files],
        synthetic=[file.file for file in disclosed.files if file.synthetic],
    )
    return text


def _description(plan: Plan, disclosed: Disclosed) -> str:
    if plan.header.description:
        return plan.header.description
    titles = dict.fromkeys(words.inline(kinds.load(file.kind).title) for file in disclosed.files)
    return f"Student data ({', '.join(titles)}), protected before release."
