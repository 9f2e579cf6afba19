"""What a plan leaves open: comments that ask a person to decide, and columns left out because nobody knew them.

A question is a line of its section, with the key that answers it and the answers there are:

    # decide: day or month first? All cells of time would fit both [dates "time" = "%d/%m/%Y" | "%m/%d/%Y"]

Answering removes the line. `…` stands for any answer.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sharewell.plan.sections import Section

ANY = "…"
NOBODY = "nobody decided: "  # the comment beside a column that is dropped because its name says nothing
_HEADER = re.compile(r"^\s*\[(?P<label>[^\[\]]+)\]")
_DECIDE = re.compile(
    r"^\s*# decide: (?P<text>.*?)(?: \[(?P<key>\w+)(?: (?P<name>\"(?:[^\"\\]|\\.)*\"))? = (?P<answers>.*)\])?$"
)
_ITEM = re.compile(r"^\s*(?P<item>\"(?:[^\"\\]|\\.)*\")\s*,?\s*# " + NOBODY)


@dataclass(frozen=True, kw_only=True)
class Question:
    """One thing that only a person can say: the key of the section that says it, and the answers to choose from."""

    text: str
    key: str = ""  # none: nothing to write, only to look at
    name: str = ""  # of the column, or of the cell, that it is about
    answers: Sequence[str] = ()

    def __str__(self) -> str:
        if not self.key:
            return self.text
        about = f" {json.dumps(self.name, ensure_ascii=False)}" if self.name else ""
        return f"{self.text} [{self.key}{about} = {' | '.join(self.answers)}]"


def questions(text: str) -> Iterator[tuple[str, int, Question]]:
    """Yield the open questions of a plan in order: section, line number, question."""
    for label, number, line in _lines(text):
        if found := _DECIDE.match(line):
            name = json.loads(found["name"]) if found["name"] else ""
            answers = tuple(found["answers"].split(" | ")) if found["answers"] else ()
            yield label, number, Question(text=found["text"], key=found["key"] or "", name=name, answers=answers)


def undecided(text: str) -> dict[str, list[str]]:
    """Section → columns that it drops and that nobody has looked at."""
    found: dict[str, list[str]] = {}
    for label, _, line in _lines(text):
        if item := _ITEM.match(line):
            found.setdefault(label, []).append(json.loads(item["item"]))
    return found


def _lines(text: str) -> Iterator[tuple[str, int, str]]:
    label = ""
    for number, line in enumerate(text.splitlines()):
        if header := _HEADER.match(line):
            label = header["label"]
        yield label, number, line


def received(sections: Sequence[Section], text: str) -> Iterator[str]:
    """What recipients get of each file, and which columns they do not get because nobody decided."""
    nobody = undecided(text)
    for section in sections:
        yield _received(section, nobody.get(section.label, []))


def _received(section: Section, nobody: Sequence[str]) -> str:
    roles: Mapping[str, str] = {name: role for role, name in section.roles()}
    if section.instead is not None:
        return f"{section.file}: recipients get {section.instead}, and none of its {len(roles)} columns as they are"
    left = [name for name, role in roles.items() if role in section.withheld and name not in nobody]
    said = f"{section.file}: recipients get {len(roles) - len(left) - len(nobody)} of {len(roles)} columns"
    said += f"; you leave out {', '.join(left)}" if left else ""
    return said + (
        f"; nobody decided on {', '.join(nobody)}, so {'it is' if len(nobody) == 1 else 'they are'} left out"
        if nobody
        else ""
    )
