"""Who is at the desk: one-time links that become cookies, a token against forged requests, and log-out when idle."""

import hashlib
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field

BYTES = 32  # of every secret


@dataclass(frozen=True, kw_only=True)
class DeskUser:
    """Somebody with a name; a reviewer sees words and candidates, the steward everything."""

    name: str
    steward: bool


@dataclass(kw_only=True)
class Session:
    """A person at one browser; `csrf` is known to the pages that this desk wrote, and to nobody else."""

    person: DeskUser
    seen: float
    at: dict[str, str] = field(default_factory=dict)  # the word that this browser looks at, by file
    said: list[str] = field(default_factory=list)  # sentences that the next page shows once
    csrf: str = field(default_factory=lambda: secrets.token_urlsafe(BYTES))


class Sessions:
    """Links and sessions of one run of the desk; only hashes of the secrets are kept."""

    def __init__(self, *, idle: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.idle = idle
        self._clock = clock
        self._links: dict[str, DeskUser] = {}
        self._sessions: dict[str, Session] = {}

    def invite(self, person: DeskUser) -> str:
        """A link that opens the desk once."""
        secret = secrets.token_urlsafe(BYTES)
        self._links[_hashed(secret)] = person
        return secret

    def enter(self, link: str) -> str | None:
        """The cookie for a link that nobody used yet."""
        person = self._links.pop(_hashed(link), None)
        if person is None:
            return None
        cookie = secrets.token_urlsafe(BYTES)
        self._sessions[_hashed(cookie)] = Session(person=person, seen=self._clock())
        return cookie

    def find(self, cookie: str, *, active: bool) -> Session | None:
        """Return the session of a cookie that was not idle too long; `active` wakes it."""
        name = _hashed(cookie)
        session = self._sessions.get(name)
        if session is None:
            return None
        now = self._clock()
        if now - session.seen > self.idle:
            self._sessions.pop(name, None)
            return None
        if active:
            session.seen = now
        return session

    def leave(self, cookie: str) -> None:
        self._sessions.pop(_hashed(cookie), None)


def _hashed(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
