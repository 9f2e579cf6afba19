"""What is taken of a table that stands on a server or in a catalog: no more than the plan needs."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from sharewell.data.formats.names import check_names
from sharewell.data.scratch import scratch
from sharewell.errors import PlanError
from sharewell.plan.document import Plan, column_problems
from sharewell.plan.sections import Section

Way = Literal["empty", "text", "as it is"]


def columns(section: Section, plan: Plan, names: Sequence[str], told: str) -> dict[str, Way]:
    """How each column comes, once the plan accounts for all: ids as text, and nothing of what the plan drops."""
    check_names(list(names), Path(told))
    if problems := column_problems(section, names):
        raise PlanError(problems, file=plan.path)
    gone, texts = {*section.direct, *section.drop}, {section.student, *section.peers, *section.ids}
    return {name: "empty" if name in gone else "text" if name in texts else "as it is" for name in names}


def target(section: Section, name: str) -> Path:
    """Where the rows go, in a folder of this run alone; a release names its file after it."""
    folder = scratch() / section.label
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder / (re.sub(r"[^\w-]", "_", name) or "table")
