"""What every request passes before a page sees it, and what every answer carries.

- Host: a name that is not the desk's own is refused, so that no page elsewhere can reach it by changing its DNS.
- Origin and token: a request that changes something must come from a page of this desk (OWASP, CSRF prevention).
- Cookie: HttpOnly and SameSite=Strict; without it there is a page that says how to get in, and nothing else.
- Answers: a content security policy without inline script or style, no cache, no frame, no referrer to anybody else.
- A bug of ours shows its kind and place and never what was in the data.
"""

import hmac
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal
from urllib.parse import parse_qsl

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sharewell.desk import fill
from sharewell.desk.bugs import bug
from sharewell.desk.sessions import Session, Sessions
from sharewell.desk.work import Work

Who = Literal["anybody", "reviewer", "steward"]
MOST_BYTES = 11_000_000  # of a request: a plan may have ten million
MOST_FIELDS = 100
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


@dataclass(frozen=True, kw_only=True)
class Rule:
    """What one address asks of its callers; `quiet` calls are made by pages and keep no session awake."""

    who: Who
    quiet: bool = False


class Turned(Exception):
    """A request that is turned away, with what to say."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status, self.sentence = status, sentence


class DeskGuard:
    """The one door of the desk."""

    def __init__(
        self, app: ASGIApp, *, hosts: frozenset[str], scheme: str, cookie: str, sessions: Sessions, work: Work,
        rules: Mapping[tuple[str, str], Rule],
    ) -> None:  # fmt: skip
        self.app, self.hosts, self.scheme, self.cookie = app, hosts, scheme, cookie
        self.sessions, self.work, self.rules = sessions, work, rules

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        began = False

        async def guarded(message: Message) -> None:
            nonlocal began
            if message["type"] == "http.response.start":
                began = True
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            await self._admitted(scope, receive)
            await self.app(scope, receive, guarded)
        except Turned as turned:
            await said(turned.status, turned.sentence)(scope, receive, guarded)
        except Exception as error:  # its message may carry values of students: only kind and place are shown
            print(bug(error), file=sys.stderr)
            if not began:
                await said(500, bug(error))(scope, receive, guarded)

    async def _admitted(self, scope: Scope, receive: Receive) -> None:
        headers = Headers(scope=scope)
        if headers.get("host", "").lower() not in self.hosts:
            raise Turned(421, "This desk does not answer to that name. Open the link that the terminal shows.")
        rule = self._rule(scope)
        session = self._session(headers, active=not rule.quiet)
        scope.setdefault("state", {})
        scope["state"] |= {"session": session, "form": {}, "job": self.work.job}
        if scope["method"] == "POST":
            self._check_origin(headers)
            scope["state"]["form"] = await _form(headers, receive)
        if rule.who != "anybody" and session is None:
            raise Turned(401, "Nobody is signed in here, or it was idle for too long.")
        if rule.who == "steward" and session is not None and not session.person.steward:
            raise Turned(403, "This page is the steward's.")
        if scope["method"] == "POST" and rule.who != "anybody":
            _check_token(session, headers, scope["state"]["form"])

    def _rule(self, scope: Scope) -> Rule:
        """An address that no page has is confirmed to nobody who is not signed in."""
        method = "GET" if scope["method"] == "HEAD" else scope["method"]
        if method not in ("GET", "POST"):
            raise Turned(405, "This cannot be done here.")
        return self.rules.get((method, scope["path"]), Rule(who="reviewer"))

    def _session(self, headers: Headers, *, active: bool) -> Session | None:
        for part in headers.get("cookie", "").split(";"):
            name, _, value = part.strip().partition("=")
            if name == self.cookie:
                return self.sessions.find(value, active=active)
        return None

    def _check_origin(self, headers: Headers) -> None:
        """Browsers say with every POST which page it comes from."""
        if headers.get("origin", "").lower() != f"{self.scheme}://{headers.get('host', '').lower()}":
            raise Turned(403, "This request did not come from a page of this desk.")


def _check_token(session: Session | None, headers: Headers, form: Mapping[str, str]) -> None:
    given = headers.get("x-csrf") or form.get("csrf", "")
    if session is None or not hmac.compare_digest(given.encode(), session.csrf.encode()):
        raise Turned(403, "This page is out of date. Load it again, and repeat what you did.")


async def _form(headers: Headers, receive: Receive) -> dict[str, str]:
    if headers.get("content-type", "").partition(";")[0].strip() != "application/x-www-form-urlencoded":
        raise Turned(415, "Only forms are taken here.")
    body = b""
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Turned(400, "The request ended too soon.")
        body += message.get("body", b"")
        more = message.get("more_body", False)
        if len(body) > MOST_BYTES:
            raise Turned(413, "This is more than a form may hold.")
    try:
        return dict(
            parse_qsl(body.decode("ascii"), keep_blank_values=True, max_num_fields=MOST_FIELDS, errors="strict")
        )
    except ValueError:
        raise Turned(400, "The form cannot be read.") from None


def said(status: int, sentence: str) -> Response:
    """A page of one sentence for those turned away."""
    page = fill.page("said.html.j2", status=status, sentence=sentence)
    return Response(page, status_code=status, media_type="text/html")
