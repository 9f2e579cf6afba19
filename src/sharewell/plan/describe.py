"""The table [describe] of a plan: what columns hold, in the words of the people who know.

    [describe]
    passed = "1 if the student passed the course, 0 if not"

    [describe.clicks]
    verb = "what the student did, as the learning platform names it"

A text speaks of the column in every file that has it; a table named after a section speaks of that file alone.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sharewell.plan.sections import Section

Descriptions = dict[str, dict[str, str]]


def read(given: Any, sections: Sequence[Section], tell: Callable[[str], None]) -> Descriptions:
    """What the plan says of the columns of each section; tells of columns and sections that are not there."""
    if not isinstance(given, Mapping):
        tell('[describe]: write one line per column, as in passed = "1 if the student passed"')
        return {}
    columns = {section.label: {name for _, name in section.roles()} for section in sections}
    found: Descriptions = {label: {} for label in columns}
    for name, words in given.items():
        if isinstance(words, Mapping):
            labels = [section.label for section in sections if section.name == name]
            if not labels:
                tell(f"[describe.{name}]: the plan has no section of this name")
            for column, text in words.items():
                _describe(found, columns, labels, column, text, tell)
        else:
            _describe(found, columns, list(columns), name, words, tell)
    return found


def _describe(
    found: Descriptions, columns: Mapping[str, set[str]], labels: Sequence[str], name: str, text: Any,
    tell: Callable[[str], None],
) -> None:  # fmt: skip
    having = [label for label in labels if name in columns[label]]
    if not isinstance(text, str):
        tell(f"[describe] {name}: describe a column in one text")
    elif labels and not having:
        tell(f"[describe] {name}: no section names such a column")
    for label in having:
        found[label][name] = str(text)
