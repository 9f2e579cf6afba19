"""Serve signing in and out, the work under way, and the files of pages."""

import asyncio
import json
from collections.abc import AsyncIterator
from functools import cache
from importlib import resources

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response, StreamingResponse

from sharewell.desk import fill
from sharewell.desk.answers import Page, back, desk_of, form_of, in_words, session_of, shown
from sharewell.desk.guard import Rule, Turned

PACE = 0.25  # seconds between two looks at the work
BEAT = 15  # seconds after which a silent stream says that it is there
STATIC = {
    "page.css": ("sharewell.show", "templates/page.css", "text/css"),
    "page.js": ("sharewell.show", "templates/page.js", "text/javascript"),
    "desk.css": ("sharewell.desk", "static/desk.css", "text/css"),
    "desk.js": ("sharewell.desk", "static/desk.js", "text/javascript"),
}
SIMPLE = {  # task → what it is called, and the page that shows its result
    "draft": ("Writing a first plan", "/files"),
    "look": ("Looking at the files", "/files"),
    "assess": ("Measuring the risk as it stands", "/risk"),
    "explore": ("Drawing the curves", "/risk"),
    "names": ("Looking for possible names", "/names"),
    "rehearse": ("Dry run", "/release"),
}


def enter(request: Request) -> Response:
    """A link works once. The page then leads on by itself: a cookie that is strict is not sent with a redirect from
    elsewhere."""
    desk = desk_of(request)
    cookie = desk.sessions.enter(request.query_params.get("link", ""))
    if cookie is None:
        raise Turned(403, "This link was used already, or it is not from this desk.")
    answer = HTMLResponse(fill.page("entered.html.j2"))
    secure = request.url.scheme == "https"
    answer.set_cookie(request.app.state.cookie, cookie, httponly=True, samesite="strict", secure=secure, path="/")
    return answer


def leave(request: Request) -> Response:
    desk_of(request).sessions.leave(request.cookies.get(request.app.state.cookie, ""))
    answer = RedirectResponse("/left", status_code=303)
    answer.delete_cookie(request.app.state.cookie, path="/")
    return answer


def left(request: Request) -> Response:
    return HTMLResponse(fill.page("said.html.j2", status=200, sentence="You are signed out."))


def home(request: Request) -> Response:
    """What is done, and what comes next."""
    desk = desk_of(request)
    source = desk.plan_source()
    reviews = [review for label in desk.labels() if (review := desk.reviewing(label)) is not None]
    who = session_of(request).person.name
    return shown(
        request,
        "home.html.j2",
        has_plan=source is not None,
        problems=desk.problems() if source is not None and session_of(request).person.steward else [],
        asked=len(desk.asked()),
        explored=(desk.where.private / "desk" / "explored.json").is_file(),
        open_words=sum(review.standing(who).left for review in reviews),
        has_words=bool(reviews),
        posts=source is not None and "[posts." in source,
        candidate=(desk.folder / "candidate").is_dir(),
        released=(desk.folder / "release").is_dir(),
    )


@in_words("/")
def start(request: Request) -> Response:
    task = form_of(request).get("task", "")
    if task not in SIMPLE:
        raise Turned(404, "There is no such work.")
    title, page = SIMPLE[task]
    if task not in ("draft", "look") and (problems := desk_of(request).problems()):
        return back(request, page, "The plan has something to settle first: " + problems[0])
    desk_of(request).start(task, title, who=session_of(request).person.name)
    return back(request, page)


def stop(request: Request) -> Response:
    desk_of(request).work.stop()
    return back(request, "/")


async def events(request: Request) -> Response:
    """The work under way, sent whenever it changes."""
    work = desk_of(request).work

    async def states() -> AsyncIterator[str]:
        before, silent = "", 0.0
        while not await request.is_disconnected():
            job = work.job
            now = json.dumps(job.to_dict() if job is not None else None)
            if now != before or silent > BEAT:
                before, silent = now, 0.0
                yield f"data: {now}\n\n"
            silent += PACE
            await asyncio.sleep(PACE)

    return StreamingResponse(states(), media_type="text/event-stream")


def static(name: str) -> Page:
    package, path, kind = STATIC[name]
    text = _read(package, path)
    return Page(
        method="GET",
        path=f"/static/{name}",
        answer=lambda request: PlainTextResponse(text, media_type=kind),
        rule=Rule(who="anybody", quiet=True),
    )


@cache
def _read(package: str, path: str) -> str:
    return resources.files(package).joinpath(path).read_text(encoding="utf-8")


ROUTES = (
    Page(method="GET", path="/enter", answer=enter, rule=Rule(who="anybody")),
    Page(method="GET", path="/left", answer=left, rule=Rule(who="anybody")),
    Page(method="POST", path="/leave", answer=leave, rule=Rule(who="reviewer")),
    Page(method="GET", path="/", answer=home, rule=Rule(who="reviewer")),
    Page(method="POST", path="/work/start", answer=start, rule=Rule(who="steward")),
    Page(method="POST", path="/work/stop", answer=stop, rule=Rule(who="steward")),
    Page(method="GET", path="/work/events", answer=events, rule=Rule(who="reviewer", quiet=True)),
    *(static(name) for name in STATIC),
)
