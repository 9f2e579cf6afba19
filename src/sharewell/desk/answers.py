"""What every page needs: who asks, what they filled in, and a page around what is shown."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from sharewell.desk import fill
from sharewell.desk.guard import Rule
from sharewell.desk.sessions import Session
from sharewell.desk.state import Desk
from sharewell.desk.work import DeskJob
from sharewell.errors import SharewellError

Handler = Callable[[Request], Response]
PAGES = (("/files", "Files and roles"), ("/risk", "Risk"), ("/names", "Names"), ("/release", "Release"))
STEWARDS = ("/files", "/risk", "/student")


@dataclass(frozen=True, kw_only=True)
class Page:
    """One address: how it is asked for, who may, and what answers."""

    method: str
    path: str
    answer: Callable[[Request], Any]
    rule: Rule


def desk_of(request: Request) -> Desk:
    found: Desk = request.app.state.desk
    return found


def session_of(request: Request) -> Session:
    found: Session = request.state.session
    return found


def job_of(request: Request) -> DeskJob | None:
    """Return the work as it stood before the page was made."""
    found: DeskJob | None = request.state.job
    return found


def form_of(request: Request) -> Mapping[str, str]:
    found: Mapping[str, str] = request.state.form
    return found


def shown(request: Request, name: str, **values: Any) -> HTMLResponse:
    """A page with the menu, the work under way and what was just done."""
    desk, session = desk_of(request), session_of(request)
    notices = list(session.said)
    session.said.clear()
    menu = [*_ways(request), *([("/student", "One student")] if session.person.steward else [])]
    job = job_of(request)
    text = fill.page(
        name,
        menu=menu,
        onward=_onward(request),
        here=request.url.path,
        person=session.person,
        csrf=session.csrf,
        idle=int(desk.sessions.idle),
        job=job.to_dict() if job is not None else None,
        notices=notices,
        folder=desk.folder.name,
        **{"asked": (), **values},
    )
    return HTMLResponse(text)


def _ways(request: Request) -> list[tuple[str, str]]:
    """The pages that this person may see, in the order of the work; names only where there are texts."""
    steward, source = session_of(request).person.steward, desk_of(request).plan_source() or ""
    ways = [page for page in PAGES if steward or page[0] not in STEWARDS]
    return [page for page in ways if page[0] != "/names" or not steward or "[posts." in source]


def _onward(request: Request) -> tuple[str, str] | None:
    """The page that comes after this one, by its address and title."""
    ways = _ways(request)
    here = next((place for place, (path, _) in enumerate(ways) if request.url.path.startswith(path)), len(ways))
    there = desk_of(request).plan_source() is not None
    return ways[here + 1] if there and here + 1 < len(ways) else None


def fragment(request: Request, name: str, **values: Any) -> HTMLResponse:
    """The part of a page that changed."""
    return HTMLResponse(fill.page(name, csrf=session_of(request).csrf, **values))


def is_fragment(request: Request) -> bool:
    return request.headers.get("x-fragment") == "1"


def back(request: Request, path: str, sentence: str = "") -> RedirectResponse:
    """To a page of this desk, with something to say there."""
    if sentence:
        session_of(request).said.append(sentence)
    return RedirectResponse(path, status_code=303)


def in_words(path: str) -> Callable[[Handler], Handler]:
    """Show errors of users on the page; leave bugs to the guard."""

    def around(answer: Handler) -> Handler:
        def careful(request: Request) -> Response:
            try:
                return answer(request)
            except SharewellError as error:
                return back(request, path, str(error).replace(f"{desk_of(request).folder}/", ""))

        careful.__name__ = answer.__name__
        return careful

    return around
