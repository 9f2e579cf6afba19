"""signoff.html: who decided what and when. A signature covers the report, so that it cannot stand in the report."""

from collections.abc import Sequence
from dataclasses import dataclass

from sharewell.show import environment


@dataclass(frozen=True, kw_only=True)
class Decision:
    """One signature as a person reads it."""

    at: str
    name: str
    decided: str
    fingerprint: str


def render(decisions: Sequence[Decision], *, digest: str) -> str:
    page = environment.html().get_template("signoff.html.j2")
    text: str = page.render(decisions=decisions, digest=digest)
    return text
