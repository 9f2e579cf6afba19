"""The plan as people wrote it: one thing in it is changed, and every comment and blank line stays."""

import os
import re
import tempfile
from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, fields
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import ParseError
from tomlkit.items import Array, Table

from sharewell import kinds
from sharewell.errors import InputError, PlanError
from sharewell.plan.document import column_problems, load_each
from sharewell.plan.questions import ANY, NOBODY, Question, questions

HEADING = "release"  # the table of a plan that is about no file
_ITEM = re.compile(r"^\s*(?P<item>\"(?:[^\"\\]|\\.)*\"|'[^']*')\s*,?\s*#\s?(?P<comment>.*)$")


@dataclass(frozen=True, kw_only=True)
class Role:
    """A place in a section for columns: one or several, and what it means."""

    key: str
    many: bool
    needed: bool
    says: str


def roles(kind: str) -> list[Role]:
    """The roles that a column of such a file can have."""
    return [_role(item) for item in fields(kinds.load(kind).section) if "role" in item.metadata]


def _role(item: Field[Any]) -> Role:
    needed = item.default is MISSING and item.default_factory is MISSING
    return Role(key=item.name, many=item.metadata["many"], needed=needed, says=item.metadata["says"])


def parsed(text: str) -> tomlkit.TOMLDocument:
    try:
        return tomlkit.parse(text)
    except ParseError as error:
        raise PlanError([f"the plan is not valid TOML: {error}"]) from None


def roles_given(section: Mapping[str, Any], kind: str) -> dict[str, str]:
    """Column → the role that a section gives to it."""
    found: dict[str, str] = {}
    for role in roles(kind):
        given = section.get(role.key)
        for column in given if isinstance(given, list) else [given]:
            found.setdefault(str(column), role.key)
    return found


def with_role(text: str, label: str, column: str, role: str) -> str:
    """The plan with one column under another role; the comment beside it goes along."""
    document = parsed(text)
    section, kind = _section(document, label), label.partition(".")[0]
    known = {one.key: one for one in roles(kind)}
    if role not in known:
        raise InputError("there is no such role for a column of this kind of file", column=column)
    comment = _taken_out(section, known, column).removeprefix(NOBODY)
    if not known[role].many:
        _name(section, role, column, comment)
    else:
        _put_in(section, role, column, comment)
    return tomlkit.dumps(document)


def _taken_out(section: Table, known: Mapping[str, Role], column: str) -> str:
    comment = ""
    for key in known:
        given = section.get(key)
        if isinstance(given, Array):
            comment = _comments(given).get(column, comment)
            while column in given:
                given.remove(column)
        elif given == column:
            comment = section[key].trivia.comment.lstrip("# ") or comment
            section.remove(key)
    return comment


def _comments(items: Array) -> dict[str, str]:
    """Item → the comment on its line, where it has a line of its own."""
    found = {}
    for line in items.as_string().splitlines():
        if matched := _ITEM.match(line):
            found[str(tomlkit.value(matched["item"]))] = matched["comment"]
    return found


def _name(section: Table, role: str, column: str, comment: str) -> None:
    """The one column of a role; what was said of another that had it is kept on a line of its own."""
    if role in section and (said := section[role].trivia.comment.lstrip("# ")):
        section.add(tomlkit.comment(f"{section[role]}: {said}"))
        section.remove(role)
    item = tomlkit.item(column)
    if comment:
        item.comment(comment)
    section[role] = item


def _put_in(section: Table, role: str, column: str, comment: str) -> None:
    """One more item; where it has a comment every item gets a line of its own."""
    items = section.get(role)
    if not isinstance(items, Array):
        section[role] = items = tomlkit.array()
    if "\n" in items.as_string():
        items.add_line(column, comment=comment or None)
    elif comment:
        lines = tomlkit.array()
        for item in items:
            lines.add_line(item)
        lines.add_line(column, comment=comment)
        lines.add_line(indent="")
        section[role] = lines
    else:
        items.append(column)


def answered(text: str, number: int, answer: str) -> str:
    """Return the plan with the question on a line answered and gone."""
    asked = next(((label, one) for label, line, one in questions(text) if line == number), None)
    if asked is None:
        raise InputError("the plan no longer asks this; look at the page again")
    label, question = asked
    if ANY not in question.answers and answer not in (question.answers or ("",)):
        raise InputError("choose one of the answers")
    lines = text.splitlines(keepends=True)
    text = "".join([*lines[:number], *lines[number + 1 :]])
    return _with_answer(text, label, question, answer.strip()) if question.key else text


def _with_answer(text: str, label: str, question: Question, answer: str) -> str:
    if not answer:
        raise InputError("write an answer first")
    if question.key == "role":
        return with_role(text, label, question.name, answer)
    if label == HEADING:
        return with_heading(text, {question.key: answer})
    if question.key in ("missing", "categories"):
        known = list(_section(parsed(text), label).get(question.key, [""] if question.key == "missing" else []))
        return with_values(text, label, {question.key: [*known, question.name]}) if answer == "yes" else text
    if question.key == "dates":
        document = parsed(text)
        _section(document, label).setdefault("dates", tomlkit.inline_table())[question.name] = answer
        return tomlkit.dumps(document)
    if question.key == "student":
        return _with_student(text, label, answer)
    if not answer.isdecimal():
        raise InputError("write a number")
    return with_values(text, label, {question.key: int(answer)})


def _with_student(text: str, label: str, column: str) -> str:
    """Another column names the students; rows are then no longer numbered."""
    document = parsed(text)
    section = _section(document, label)
    if section.get("student") == column:
        return text
    section.pop("rows", None)
    section.pop("student")
    return with_role(tomlkit.dumps(document), label, column, "student")


def looked_at(text: str, label: str) -> str:
    """Return the plan with its unknown columns decided as left out."""
    _section(parsed(text), label)
    head = f"[{label}]"
    before, _, rest = text.partition(head)
    own, mark, others = rest.partition("\n[")
    return before + head + own.replace(f"# {NOBODY}", "# ") + mark + others


def with_values(text: str, label: str, values: Mapping[str, Any]) -> str:
    """Return the plan with settings of a section; `limit.k` is k of its limits."""
    document = parsed(text)
    section = _section(document, label)
    for name, value in values.items():
        table, _, key = name.rpartition(".")
        if not table:
            section[key] = value
            continue
        if table not in section:
            section[table] = tomlkit.inline_table()
        section[table][key] = value
    return tomlkit.dumps(document)


def with_heading(text: str, values: Mapping[str, Any]) -> str:
    """The plan with other values in its [release]."""
    document = parsed(text)
    heading = document.setdefault("release", tomlkit.table())
    for key, value in values.items():
        heading[key] = value
    return tomlkit.dumps(document)


def without_section(text: str, label: str) -> str:
    """The plan without one file."""
    document = parsed(text)
    _section(document, label)
    kind, _, name = label.partition(".")
    tables: Any = document[kind]
    tables.remove(name)
    if not tables:
        document.remove(kind)
    return tomlkit.dumps(document)


def _section(document: tomlkit.TOMLDocument, label: str) -> Any:
    kind, _, name = label.partition(".")
    if kind not in kinds.names() or kind not in document or name not in document[kind]:
        raise InputError("the plan has no such section")
    return document[kind][name]


def problems(path: Path, columns: Mapping[str, list[str]]) -> list[str]:
    """Return all that is wrong with the plan, by the command line's check."""
    try:
        plans = load_each(path)
    except PlanError as error:
        return list(error.problems)
    found = [
        problem
        for plan in plans
        for section in plan.sections
        if section.label in columns
        for problem in column_problems(section, columns[section.label])
    ]
    return list(dict.fromkeys(found))


def written(path: Path, text: str) -> None:
    """The whole plan or, if something fails, the old one."""
    parsed(text)
    handle, name = tempfile.mkstemp(prefix=".plan-", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(path.stat().st_mode & 0o777 if path.exists() else 0o644)
        Path(name).replace(path)
    finally:
        Path(name).unlink(missing_ok=True)
