"""Files and roles: what was found, why a role was guessed, and the plan beside it."""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from sharewell import kinds
from sharewell.desk import plan_text, tasks
from sharewell.desk.answers import Page, back, desk_of, form_of, fragment, in_words, is_fragment, session_of, shown
from sharewell.desk.columns import sections
from sharewell.desk.guard import Rule
from sharewell.desk.state import PLAN, Desk
from sharewell.errors import InputError, PlanError
from sharewell.show import contents

KEPT_OUT = "The students in {} are kept out of every file."
LEFT_OUT = "The file is left out of the release. The plan says so."
HIDDEN_IN = ("student", "direct", "ids", "peers", "text")  # roles whose values are shown to nobody


def files(request: Request) -> Response:
    desk = desk_of(request)
    source = desk.plan_source()
    if source is None:
        return shown(request, "first.html.j2", files=_names(desk))
    if tasks.kept(desk.where, "columns.json") is not None:
        desk.look_again(session_of(request).person.name)
    return shown(request, "files.html.j2", **_told(desk, source))


def _names(desk: Desk) -> list[str]:
    return sorted(path.name for path in desk.folder.iterdir() if path.is_file() and not path.name.startswith("."))


def _told(desk: Desk, source: str) -> dict[str, Any]:
    try:
        document: Any = plan_text.parsed(source).unwrap()
    except PlanError as error:
        return {
            "source": source,
            "problems": list(error.problems),
            "files": [],
            "looked": True,
            "heading": {},
            "others": [],
        }
    looked = {file["label"]: file for file in desk.columns()}
    return {
        "source": source,
        "problems": desk.problems(),
        "files": [_file(label, section, looked.get(label)) for label, section in sections(document)],
        "looked": all(label in looked for label, _ in sections(document)),
        "heading": document.get("release", {}),
        "others": [name for name in _names(desk) if name not in _used(document)],
    }


def _used(document: Any) -> set[str]:
    """Files that the plan names somewhere."""
    heading = document.get("release", {})
    excluded = heading.get("exclude", {})
    named = {section.get("file") for _, section in sections(document)}
    named |= {section["roster"].get("file") for _, section in sections(document) if "roster" in section}
    return {
        PLAN,
        str(heading.get("approvers")),
        str(excluded.get("file") if isinstance(excluded, dict) else excluded),
        *map(str, named),
    }


def _file(label: str, section: Any, looked: dict[str, Any] | None) -> dict[str, Any]:
    name = label.partition(".")[0]
    kind = kinds.load(name)
    told = {"problem": "", **(looked or {"columns": [], "problem": "not looked at yet"})}
    meaning = {**contents.ROLES, **kind.roles}
    roles = [
        {"key": role.key, "says": role.says or meaning.get(role.key, ""), "needed": role.needed}
        for role in plan_text.roles(name)
    ]
    columns, given = [], plan_text.roles_given(section, name)
    for number, column in enumerate(told["columns"]):
        role = given.get(column["name"], "")
        columns.append({**column, "number": number, "role": role, "hide": role in HIDDEN_IN})
    return {**told, "label": label, "file": section.get("file", ""), "kind": kind, "roles": roles, "columns": columns}


@in_words("/files")
def role(request: Request) -> Response:
    """One column under another role; what that contradicts is said in the same answer."""
    desk, form = desk_of(request), form_of(request)
    file = next((one for one in desk.columns() if one["label"] == form.get("file")), None)
    number = form.get("column", "")
    if file is None or not number.isdecimal() or int(number) >= len(file["columns"]):
        raise InputError("there is no such column; look at the files again")
    with desk.changing:
        source = desk.plan_source() or ""
        name = file["columns"][int(number)]["name"]
        plan_text.written(desk.plan, plan_text.with_role(source, file["label"], name, form.get("role", "")))
    return _changed(request)


@in_words("/files")
def plan(request: Request) -> Response:
    """The plan as somebody typed it; not over what was changed elsewhere in the meantime."""
    desk, form = desk_of(request), form_of(request)
    text = form.get("text", "").replace("\r\n", "\n")
    with desk.changing:
        if form.get("before", "").replace("\r\n", "\n") != (desk.plan_source() or "").replace("\r\n", "\n"):
            raise InputError("the plan was changed elsewhere in the meantime; what you typed was not saved")
        plan_text.written(desk.plan, text)
    desk.look_again(session_of(request).person.name)
    return back(request, "/files", "The plan is saved.")


@in_words("/files")
def said_no(request: Request) -> Response:
    """A file of the folder that lists the students who said no: they leave every file first."""
    desk, name = desk_of(request), form_of(request).get("name", "")
    if name not in _names(desk):
        raise InputError("there is no such file in the folder")
    with desk.changing:
        plan_text.written(desk.plan, plan_text.with_heading(desk.plan_source() or "", {"exclude": name}))
    return back(request, "/files", KEPT_OUT.format(name))


@in_words("/files")
def leave_out(request: Request) -> Response:
    """A file that is not released; it may be the list of those who said no."""
    desk, form = desk_of(request), form_of(request)
    label = form.get("file", "")
    with desk.changing:
        source = desk.plan_source() or ""
        file = dict(sections(plan_text.parsed(source).unwrap())).get(label, {}).get("file")
        text, sentence = plan_text.without_section(source, label), LEFT_OUT
        if form.get("said") == "no" and isinstance(file, str):
            text, sentence = plan_text.with_heading(text, {"exclude": file}), KEPT_OUT.format(file)
        plan_text.written(desk.plan, text)
    return back(request, "/files", sentence)


def _changed(request: Request) -> Response:
    if not is_fragment(request):
        return back(request, "/files")
    desk = desk_of(request)
    return fragment(request, "plan_part.html.j2", source=desk.plan_source() or "", problems=desk.problems())


ROUTES = (
    Page(method="GET", path="/files", answer=files, rule=Rule(who="steward")),
    Page(method="POST", path="/files/role", answer=role, rule=Rule(who="steward")),
    Page(method="POST", path="/files/no", answer=said_no, rule=Rule(who="steward")),
    Page(method="POST", path="/files/out", answer=leave_out, rule=Rule(who="steward")),
    Page(method="POST", path="/files/plan", answer=plan, rule=Rule(who="steward")),
)
