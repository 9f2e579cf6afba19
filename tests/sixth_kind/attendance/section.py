"""What a plan may say of a list of attendance."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from sharewell.plan import sections
from sharewell.plan.audience_limits import Audience
from sharewell.plan.sections import column, table


@dataclass(frozen=True, kw_only=True)
class Limit:
    """How many students may be alone with the number of their lectures."""

    alone: float | None = sections.limit(low=0.0, high=1.0, says="Share of students alone with their number.")


@dataclass(frozen=True, kw_only=True)
class Section(sections.Section):
    """One row per student and lecture."""

    kind: ClassVar[str] = "attendance"
    audience_limits: ClassVar[Mapping[Audience, Mapping[str, float]]] = {
        "public": {"alone": 0.0},
        "agreement": {"alone": 0.05},
        "enclave": {"alone": 0.2},
    }

    lecture: str = column("lecture", says="The lecture that was attended.")
    limit: Limit = table(default_factory=Limit, says="What the release is held to.")
