"""Groups of values: what each value of a column becomes, typed, and tried on ten rows before anything is released."""

from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from sharewell.desk import plan_text, tasks, typed_groups
from sharewell.desk.answers import Page, back, desk_of, form_of, in_words, session_of, shown
from sharewell.desk.columns import sections
from sharewell.desk.guard import Rule
from sharewell.desk.state import Desk
from sharewell.desk.typed_groups import Levels
from sharewell.desk.work import Busy
from sharewell.errors import InputError, PlanError

LONGEST = 100  # characters of a group's name


def groups(request: Request) -> Response:
    """Show every column of categories with its values and what they become."""
    desk = desk_of(request)
    job, ended = desk.work.job, tasks.kept(desk.where, "ended.json")
    tried = ended if ended and ended["dry"] and job is not None and job.task == "group" and not job.running else None
    return shown(request, "groups.html.j2", columns=list(_columns(desk)), ended=tried, can_undo=desk.can_undo)


def _columns(desk: Desk) -> Iterator[dict[str, Any]]:
    """Quasi columns of categories, each with the values that five students share."""
    try:
        document: Any = plan_text.parsed(desk.plan_source() or "").unwrap()
    except PlanError:
        return
    looked = {file["label"]: file["columns"] for file in desk.columns()}
    for label, section in sections(document):
        if not label.startswith("records.") or section.get("method") == "synthetic":
            continue
        for column in looked.get(label, ()):
            name, values = column["name"], column.get("values")
            if values and name in section.get("quasi", ()):
                given = typed_groups.read(desk.folder / str(section.get("hierarchies", "")), name)
                rest = next((levels for value, levels in given.items() if value not in values), typed_groups.REST)
                rows = [(value, students, given.get(value, ("", ""))) for value, students in values.items()]
                yield {
                    "label": label,
                    "file": section["file"],
                    "name": name,
                    "rows": rows,
                    "rest": rest,
                    "hidden": column["hidden"],
                }


@in_words("/groups")
def group(request: Request) -> Response:
    """Put other groups of one column into the plan, and try them on ten rows."""
    desk, form = desk_of(request), form_of(request)
    chosen = (form.get("file"), form.get("column"))
    column = next((one for one in _columns(desk) if (one["label"], one["name"]) == chosen), None)
    if column is None:
        raise InputError("there is no such column; look at the files again")
    typed = {value: _levels(form, str(number)) for number, (value, *_) in enumerate(column["rows"])}
    rest = _levels(form, "rest")
    if not any(one for one, _ in typed.values()):
        raise InputError("type a group for at least one value")
    typed_groups.rows(typed, typed, rest)  # contradictions are said before any work
    with desk.changing:
        text = desk.plan_source() or ""
        earlier = dict(sections(plan_text.parsed(text).unwrap()))[column["label"]].get("hierarchies")
        folder = next(name for number in count(1) if not (desk.folder / (name := f"hierarchies-{number}")).exists())
        desk.write_plan(plan_text.with_values(text, column["label"], {"hierarchies": folder}))
        given = {
            "label": column["label"],
            "column": column["name"],
            "earlier": earlier,
            "to": folder,
            "typed": typed,
            "rest": rest,
        }
        try:
            desk.start("group", f"Trying groups of {column['name']}", who=session_of(request).person.name, given=given)
        except Busy:
            desk.undo_plan()
            raise
    return back(request, "/groups")


def _levels(form: Mapping[str, str], which: str) -> Levels:
    group, wider = (form.get(f"{level}-{which}", "").strip()[:LONGEST] for level in ("group", "wider"))
    return group, wider


ROUTES = (
    Page(method="GET", path="/groups", answer=groups, rule=Rule(who="steward")),
    Page(method="POST", path="/groups", answer=group, rule=Rule(who="steward")),
)
