"""README.md of a release: a datasheet for whoever receives it."""

from sharewell.findings import Findings
from sharewell.plan import Plan
from sharewell.release.report import environment


def render(plan: Plan, findings: Findings) -> str:
    return environment().get_template("datasheet.md.j2").render(header=plan.header, findings=findings)
