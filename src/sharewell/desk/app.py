"""The pages of the desk behind their one door."""

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sharewell.desk import entry_pages, files_page, groups_page, names_page, release_page, risk_page, student_page
from sharewell.desk.answers import Page
from sharewell.desk.guard import DeskGuard, said
from sharewell.desk.state import Desk

PAGES: tuple[Page, ...] = (
    *entry_pages.ROUTES,
    *files_page.ROUTES,
    *groups_page.ROUTES,
    *risk_page.ROUTES,
    *names_page.ROUTES,
    *release_page.ROUTES,
    *student_page.ROUTES,
)


def make(desk: Desk, *, hosts: frozenset[str], scheme: str = "http", cookie: str = "sharewell_desk") -> Starlette:
    """The application; `hosts` are the names, with their port, that it answers to."""
    guard = Middleware(
        DeskGuard,
        hosts=hosts,
        scheme=scheme,
        cookie=cookie,
        sessions=desk.sessions,
        work=desk.work,
        rules={(page.method, page.path): page.rule for page in PAGES},
    )
    app = Starlette(
        routes=[Route(page.path, page.answer, methods=[page.method]) for page in PAGES],
        middleware=[guard],
        exception_handlers={404: _absent, 405: _absent},
    )
    app.router.redirect_slashes = False
    app.state.desk, app.state.cookie = desk, cookie
    return app


def _absent(request: Request, error: Exception) -> Response:
    return said(404, "There is no such page.")
