"""Files and roles: what only a person can decide, one question at a time; then every column with its role."""

from calendar import month_name
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from sharewell import kinds
from sharewell.desk import plan_text, tasks
from sharewell.desk.answers import Page, back, desk_of, form_of, fragment, in_words, is_fragment, session_of, shown
from sharewell.desk.before_after import IDENTIFYING
from sharewell.desk.columns import sections, used
from sharewell.desk.guard import Rule
from sharewell.desk.state import Ask, Desk
from sharewell.errors import InputError, PlanError
from sharewell.plan.audience_limits import LIMITS
from sharewell.plan.questions import ANY, Question
from sharewell.show import contents

KEPT_OUT = "The students in {} are kept out of every file."
LEFT_OUT = "The file is left out of the release. The plan says so."
HEADING = ("name", "audience", "purpose", "contact", "date", "expires")  # what a form asks of the release itself
WORDS = {  # key and answer → what a button says
    ("missing", "yes"): "Yes, it means no value",
    ("missing", "no"): "No, it is a value of its own",
    ("role", "keep"): "Yes, pass it on",
    ("role", "quasi"): "Yes, in ranges",
    ("role", "drop"): "No, leave it out",
    ("categories", "yes"): "Yes, they are codes",
    ("categories", "no"): "No, they are quantities",
    ("first_month", "1"): "No, they are of one year",
    **{("first_month", str(month)): f"Yes, they begin in {name}" for month, name in enumerate(month_name) if month > 1},
}
LONGEST = 2_000  # characters of an answer


def files(request: Request) -> Response:
    desk = desk_of(request)
    source = desk.plan_source()
    if source is None:
        return shown(request, "first.html.j2", files=_names(desk))
    if tasks.kept(desk.where, "columns.json") is not None:
        desk.look_again(session_of(request).person.name)
    return shown(request, "files.html.j2", **_shown(desk, source))


def _names(desk: Desk) -> list[str]:
    return sorted(path.name for path in desk.folder.iterdir() if path.is_file() and not path.name.startswith("."))


def _shown(desk: Desk, source: str) -> dict[str, Any]:
    try:
        document: Any = plan_text.parsed(source).unwrap()
    except PlanError:
        document = {}
    looked = {file["label"]: file for file in desk.columns()}
    there = {one["name"]: one for one in (tasks.kept(desk.where, "columns.json") or {}).get("others", [])}
    return {
        **_plan_part(desk, source),
        "files": [_file(label, section, looked.get(label)) for label, section in sections(document)],
        "looked": all(label in looked for label, _ in sections(document)),
        "heading": document.get("release", {}),
        "readers": {name: limits.reader for name, limits in LIMITS.items()},
        "others": [
            there.get(name, {"name": name, "columns": []}) for name in _names(desk) if name not in used(document)
        ],
        "kinds": [kinds.load(name) for name in kinds.names()],
    }


def _plan_part(desk: Desk, source: str) -> dict[str, Any]:
    columns = {file["label"]: [one["name"] for one in file["columns"]] for file in desk.columns()}
    asked = [{**_question(ask), "columns": columns.get(ask.label, [])} for ask in desk.asked()]
    return {"source": source, "problems": desk.problems(), "asked": asked, "can_undo": desk.can_undo}


def _question(ask: Ask) -> dict[str, Any]:
    """A question with its answers in words."""
    one = ask.question or Question(text="")
    answers = [(answer, WORDS.get((one.key, answer), answer)) for answer in one.answers if answer != ANY]
    return {
        "file": ask.file, "label": ask.label, "number": ask.number, "left": ask.left, "text": one.text, "key": one.key,
        "answers": answers if one.key else [("", "It is right as the plan says")], "free": ANY in one.answers,
    }  # fmt: skip


def _file(label: str, section: Any, looked: dict[str, Any] | None) -> dict[str, Any]:
    name = label.partition(".")[0]
    kind = kinds.load(name)
    found = {"problem": "", **(looked or {"columns": [], "problem": "not looked at yet"})}
    meaning = {**contents.ROLES, **kind.roles}
    roles = [
        {"key": role.key, "says": role.says or meaning.get(role.key, ""), "needed": role.needed}
        for role in plan_text.roles(name)
    ]
    columns, given = [], plan_text.roles_given(section, name)
    for number, column in enumerate(found["columns"]):
        role = given.get(column["name"], "")
        columns.append({**column, "number": number, "role": role, "hide": role in IDENTIFYING})
    groups = {
        "Without a role yet": [one for one in columns if not one["role"]],
        "Recipients get": [one for one in columns if one["role"] and one["role"] not in kind.section.withheld],
        "Left out": [one for one in columns if one["role"] in kind.section.withheld],
    }
    groupable = name == "records" and any(one["role"] == "quasi" and one.get("values") for one in columns)
    return {
        **found, "label": label, "file": section.get("file", ""), "kind": kind, "roles": roles, "groups": groups,
        "groupable": groupable,
    }  # fmt: skip


@in_words("/files")
def answer(request: Request) -> Response:
    """One question of the plan is answered."""
    desk, form = desk_of(request), form_of(request)
    with desk.changing:
        text, label, number = desk.plan_source() or "", form.get("file", ""), form.get("number", "")
        if form.get("left") == "yes":
            desk.write_plan(plan_text.looked_at(text, label))
        elif not number.isdecimal():
            raise InputError("there is no such question; look at the page again")
        else:
            desk.write_plan(plan_text.answered(text, int(number), form.get("answer", "")[:LONGEST]))
    desk.look_again(session_of(request).person.name)
    return back(request, "/files")


@in_words("/files")
def heading(request: Request) -> Response:
    """Who gets the release, what for, and whom to ask; an answer to who gets it, too."""
    desk, form = desk_of(request), form_of(request)
    values = {key: form.get(key, "").strip()[:LONGEST] for key in HEADING}
    if values["audience"] not in LIMITS:
        raise InputError("say who gets the release")
    with desk.changing:
        text = desk.plan_source() or ""
        asked = next(
            (one.number for one in desk.asked() if one.question is not None and one.question.key == "audience"), None
        )
        text = text if asked is None else plan_text.answered(text, asked, values["audience"])
        standing = plan_text.parsed(text).unwrap().get("release", {})
        changed = {key: value for key, value in values.items() if value != str(standing.get(key, ""))}
        desk.write_plan(plan_text.with_heading(text, changed))
    return back(request, "/files")


@in_words("/files")
def undo(request: Request) -> Response:
    """The last change of the plan taken back."""
    desk = desk_of(request)
    desk.undo_plan()
    desk.look_again(session_of(request).person.name)
    return back(request, "/files", "The last change of the plan is taken back.")


@in_words("/files")
def add(request: Request) -> Response:
    """A file that nobody named: its kind and its students, as a person says."""
    desk, form = desk_of(request), form_of(request)
    name = form.get("name", "")
    if name not in _names(desk) or form.get("kind") not in kinds.names():
        raise InputError("there is no such file in the folder, or no such kind of data")
    given = {"file": name, "kind": form["kind"], "student": form.get("student", "")}
    desk.start("add", f"Looking at {name}", who=session_of(request).person.name, given=given)
    return back(request, "/files")


@in_words("/files")
def role(request: Request) -> Response:
    """Give one column another role, and say what that contradicts."""
    desk, form = desk_of(request), form_of(request)
    file = next((one for one in desk.columns() if one["label"] == form.get("file")), None)
    number = form.get("column", "")
    if file is None or not number.isdecimal() or int(number) >= len(file["columns"]):
        raise InputError("there is no such column; look at the files again")
    with desk.changing:
        source = desk.plan_source() or ""
        name = file["columns"][int(number)]["name"]
        desk.write_plan(plan_text.with_role(source, file["label"], name, form.get("role", "")))
    return _changed(request)


@in_words("/files")
def plan(request: Request) -> Response:
    """Save the plan as typed, unless it was changed elsewhere in the meantime."""
    desk, form = desk_of(request), form_of(request)
    text = form.get("text", "").replace("\r\n", "\n")
    with desk.changing:
        if form.get("before", "").replace("\r\n", "\n") != (desk.plan_source() or "").replace("\r\n", "\n"):
            raise InputError("the plan was changed elsewhere in the meantime; what you typed was not saved")
        desk.write_plan(text)
    desk.look_again(session_of(request).person.name)
    return back(request, "/files", "The plan is saved.")


@in_words("/files")
def said_no(request: Request) -> Response:
    """Make a file of the folder the list of students who are kept out."""
    desk, name = desk_of(request), form_of(request).get("name", "")
    if name not in _names(desk):
        raise InputError("there is no such file in the folder")
    with desk.changing:
        desk.write_plan(plan_text.with_heading(desk.plan_source() or "", {"exclude": name}))
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
        desk.write_plan(text)
    return back(request, "/files", sentence)


def _changed(request: Request) -> Response:
    if not is_fragment(request):
        return back(request, "/files")
    desk = desk_of(request)
    return fragment(request, "plan_part.html.j2", **_plan_part(desk, desk.plan_source() or ""))


ROUTES = (
    Page(method="GET", path="/files", answer=files, rule=Rule(who="steward")),
    Page(method="POST", path="/files/answer", answer=answer, rule=Rule(who="steward")),
    Page(method="POST", path="/files/heading", answer=heading, rule=Rule(who="steward")),
    Page(method="POST", path="/files/undo", answer=undo, rule=Rule(who="steward")),
    Page(method="POST", path="/files/add", answer=add, rule=Rule(who="steward")),
    Page(method="POST", path="/files/role", answer=role, rule=Rule(who="steward")),
    Page(method="POST", path="/files/no", answer=said_no, rule=Rule(who="steward")),
    Page(method="POST", path="/files/out", answer=leave_out, rule=Rule(who="steward")),
    Page(method="POST", path="/files/plan", answer=plan, rule=Rule(who="steward")),
)
