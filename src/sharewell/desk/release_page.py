"""The release: dry run, candidate, the report inside the page, two people's decisions, the register, late opt-outs."""

import base64
import hashlib
import json
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from sharewell.data.files import file_digest
from sharewell.desk import plan_text, tasks
from sharewell.desk.answers import Page, back, desk_of, form_of, in_words, session_of, shown
from sharewell.desk.guard import Rule, Turned
from sharewell.desk.state import Desk
from sharewell.errors import InputError, PlanError, SharewellError
from sharewell.office_commands import register_entry
from sharewell.plan.document import Plan, load_each
from sharewell.plan.questions import received
from sharewell.release import candidate, office, place, signature
from sharewell.release.signature import Signer
from sharewell.show import environment

APPROVERS = "approvers.pub"
WAITING = f"{tasks.FOLDER}/keys-to-accept.pub"  # under the private folder
MOST_APPROVALS = 3
LONGEST_COMMENT = 4_000
STANDING = "standing"  # the report of the candidate, or of the release where none waits


def release(request: Request) -> Response:
    desk = desk_of(request)
    steward = session_of(request).person.steward
    plan, problems = _plan(desk)
    who = session_of(request).person.name
    reviews = [review for label in desk.labels() if (review := desk.reviewing(label)) is not None]
    open_words = [one for review in reviews for one in review.standing(who).open]
    return shown(
        request,
        "release.html.j2",
        has_plan=desk.plan_source() is not None,
        problems=problems,
        asked_open=desk.asked() if steward else [],
        received=received(plan.sections, desk.plan_source() or "") if plan is not None and steward else [],
        open_words=open_words,
        posts="[posts." in (desk.plan_source() or ""),
        ended=tasks.kept(desk.where, "ended.json") if steward else None,
        waiting=_candidate(desk),
        there=desk.where.release.exists(),
        report=_report_there(desk),
        asked=plan.header.approve if plan is not None else 0,
        signers=_signers(desk, plan),
        keys=_keys_waiting(desk) if steward else [],
        own_key=any(one.name == session_of(request).person.name for one in _signers(desk, plan)),
        register=_register(desk, plan) if steward else None,
        most=MOST_APPROVALS,
    )


def _plan(desk: Desk) -> tuple[Plan | None, list[str]]:
    if desk.plan_source() is None:
        return None, ["there is no plan yet"]
    try:
        return load_each(desk.plan)[0], desk.problems()
    except PlanError:
        return None, desk.problems()


def _candidate(desk: Desk) -> dict[str, Any] | None:
    folder = desk.folder / "candidate"
    try:
        state = candidate.read_state(folder)
    except SharewellError:
        return None
    made = [one for one in signature.read(folder) if one.purpose == "approval"]
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    return {
        "id": state["id"],
        "asked": state["asked"],
        "signed": made,
        "name": summary["release"],
        "audience": summary["audience"],
        "digest": signature.spoken(file_digest(folder / "manifest.json")[:32]),
    }


def _report_there(desk: Desk) -> str | None:
    for name in ("candidate", "release"):
        if (desk.folder / name / "report.html").is_file():
            return name
    return None


def _signers(desk: Desk, plan: Plan | None) -> list[Signer]:
    name = plan.header.approvers if plan is not None and plan.header.approvers else APPROVERS
    path = desk.folder / name
    try:
        return signature.read_signers(path) if path.is_file() else []
    except SharewellError:
        return []


def _keys_waiting(desk: Desk) -> list[Signer]:
    path = desk.where.private / WAITING
    return signature.read_signers(path) if path.is_file() and path.stat().st_size else []


def _register(desk: Desk, plan: Plan | None) -> dict[str, Any] | None:
    if plan is None:
        return None
    home = office.opened(plan, desk.where)
    if not home.register.exists():
        return None
    back_ = [
        {"id": entry.release, "at": entry.at, "by": entry.body["sent_back_by"], "comment": entry.body["comment"]}
        for entry in home.register.entries()
        if entry.kind == "abandoned" and "comment" in entry.body
    ]
    return {
        "releases": [register_entry(one) for one in reversed(home.register.releases())],
        "sent_back": list(reversed(back_)),
        "problems": home.register.problems(),
        "head": home.register.head(),
    }


@in_words("/release")
def make(request: Request) -> Response:
    desk, form = desk_of(request), form_of(request)
    given = {"replace": form.get("replace") == "yes"}
    desk.start("release", "Making the release", who=session_of(request).person.name, given=given)
    return back(request, "/release")


@in_words("/release")
def approve(request: Request) -> Response:
    """Sign as the person who is signed in; forget the key after the signature."""
    who, key = session_of(request).person.name, form_of(request).get("key", "")
    if not key.strip():
        raise InputError("choose the file of your signing key first")
    desk_of(request).start("approve", f"{who} approves", who=who, given={"name": who, "key": key})
    return back(request, "/release")


@in_words("/release")
def send_back(request: Request) -> Response:
    who, comment = session_of(request).person.name, form_of(request).get("comment", "").strip()[:LONGEST_COMMENT]
    if not comment:
        raise InputError("say what must change before this can be approved")
    given = {"name": who, "comment": comment}
    desk_of(request).start("send back", f"{who} sends the candidate back", who=who, given=given)
    return back(request, "/release")


@in_words("/release")
def new_key(request: Request) -> Response:
    """Make a pair of keys; the private half stays nowhere here."""
    desk, who = desk_of(request), session_of(request).person.name
    with tempfile.TemporaryDirectory(prefix="key-") as folder:
        path = Path(folder) / "signing-key"
        signature.new_keys(path, who)
        private = path.read_text(encoding="utf-8")
        public = path.with_name("signing-key.pub").read_text(encoding="utf-8")
    with desk.changing:
        waiting = desk.where.private / WAITING
        known = waiting.read_text(encoding="utf-8") if waiting.is_file() else ""
        place.write_private(desk.where, WAITING, (known + public).encode())
    headers = {"content-disposition": 'attachment; filename="signing-key"'}
    return Response(private, media_type="application/octet-stream", headers=headers)


@in_words("/release")
def accept(request: Request) -> Response:
    """Accept a key as the person's own; from then on its signature counts."""
    desk, public = desk_of(request), form_of(request).get("public", "")
    with desk.changing:
        keys = _keys_waiting(desk)
        chosen = next((one for one in keys if one.public == public), None)
        if chosen is None:
            raise InputError("there is no such key to accept")
        plan, _ = _plan(desk)
        name = plan.header.approvers if plan is not None and plan.header.approvers else APPROVERS
        signers = [*(one for one in _signers(desk, plan) if one.public != public), chosen]
        (desk.folder / name).write_text("".join(map(_line, signers)), encoding="utf-8")
        left = "".join(_line(one) for one in keys if one.public != public)
        place.write_private(desk.where, WAITING, left.encode())
        if form_of(request).get("asked", "").isdecimal():
            return ask(request)
    return back(request, "/release", f"{chosen.name} may approve from now on.")


def _line(signer: Signer) -> str:
    return f"{signature.PUBLIC} {signer.public} {signer.name}\n"


@in_words("/release")
def ask(request: Request) -> Response:
    """How many people must approve, into the plan."""
    desk, asked = desk_of(request), form_of(request).get("asked", "")
    if not asked.isdecimal() or int(asked) > MOST_APPROVALS:
        raise InputError("say how many people must approve")
    with desk.changing:
        source = desk.plan_source() or ""
        heading: Any = plan_text.parsed(source).unwrap().get("release", {})
        approvers = heading.get("approvers", APPROVERS)
        if int(asked) and not (desk.folder / approvers).is_file():
            raise InputError("accept somebody's key first: nobody's signature counts yet")
        values = {"approve": int(asked), **({"approvers": approvers} if int(asked) else {})}
        desk.write_plan(plan_text.with_heading(source, values))
    return back(request, "/release", f"{asked} of the approvers must approve before anything leaves.")


@in_words("/release")
def withdraw(request: Request) -> Response:
    students = [line.strip() for line in form_of(request).get("students", "").splitlines() if line.strip()]
    if not students:
        raise InputError("write the ids of the students who opted out, one in each line")
    who = session_of(request).person.name
    desk_of(request).start("withdraw", "Taking students out", who=who, given={"students": students})
    return back(request, "/release")


def report(request: Request) -> Response:
    """Send a report for a frame, with a policy for its own script and style alone."""
    path = _report(request)
    if path is None:
        raise Turned(404, "There is no such report.")
    style, script = _hashes()
    policy = (
        f"default-src 'none'; style-src '{style}'; script-src '{script}'; img-src data:; frame-ancestors 'self'; "
        "sandbox allow-scripts; base-uri 'none'; form-action 'none'"
    )
    headers = {"content-security-policy": policy, "x-frame-options": "SAMEORIGIN"}
    return HTMLResponse(path.read_text(encoding="utf-8"), headers=headers)


def _report(request: Request) -> Path | None:
    """One of the reports that lie here; the address names which, never where."""
    desk, which = desk_of(request), request.query_params.get("of", "")
    if which == STANDING:  # a candidate becomes the release while somebody reads its report
        there = _report_there(desk)
        return desk.folder / there / "report.html" if there is not None else None
    outcomes = (tasks.kept(desk.where, "ended.json") or {}).get("outcomes", [])
    if not session_of(request).person.steward or not which.isdecimal() or int(which) >= len(outcomes):
        return None
    path = Path(outcomes[int(which)]["report"] or "")
    return path if path.is_file() and path.resolve().is_relative_to(desk.folder.resolve()) else None


@cache
def _hashes() -> tuple[str, str]:
    """The hashes by which a policy lets the shipped style and script run (CSP level 3), and nothing else."""
    shipped = environment.html().get_template("page.html.j2").render()
    found = [shipped.partition(f"<{tag}>")[2].partition(f"</{tag}>")[0] for tag in ("style", "script")]
    style, script = (base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in found)
    return f"sha256-{style}", f"sha256-{script}"


ROUTES = (
    Page(method="GET", path="/release", answer=release, rule=Rule(who="reviewer")),
    Page(method="GET", path="/release/report", answer=report, rule=Rule(who="reviewer")),
    Page(method="POST", path="/release/make", answer=make, rule=Rule(who="steward")),
    Page(method="POST", path="/release/approve", answer=approve, rule=Rule(who="reviewer")),
    Page(method="POST", path="/release/back", answer=send_back, rule=Rule(who="reviewer")),
    Page(method="POST", path="/release/key", answer=new_key, rule=Rule(who="reviewer")),
    Page(method="POST", path="/release/accept", answer=accept, rule=Rule(who="steward")),
    Page(method="POST", path="/release/ask", answer=ask, rule=Rule(who="steward")),
    Page(method="POST", path="/release/withdraw", answer=withdraw, rule=Rule(who="steward")),
)
