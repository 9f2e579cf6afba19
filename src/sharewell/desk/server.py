"""`sharewell desk FOLDER`: the desk on this machine, with a link for each person, until somebody stops it."""

import ipaddress
import socket
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn

from sharewell.desk import app
from sharewell.desk.sessions import DeskUser, Sessions
from sharewell.desk.state import Desk
from sharewell.desk.store import Store
from sharewell.desk.tasks import FOLDER
from sharewell.errors import InputError
from sharewell.release import place
from sharewell.release.place import Place

LONGEST_NAME = 80
WRITE_EVERY = 1.0  # seconds between two looks for marks that are not in the lists yet
LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True, kw_only=True)
class DeskAddress:
    """Where the desk listens, and the files that encrypt what it says."""

    host: str = "127.0.0.1"
    port: int = 8710
    certificate: Path | None = None
    key: Path | None = None

    @property
    def scheme(self) -> str:
        return "https" if self.certificate else "http"

    def check(self) -> None:
        """Refuse other machines without TLS: words would pass in the clear."""
        for path in (self.certificate, self.key):
            if path is not None and not path.is_file():
                raise InputError("there is no such file for TLS", file=path)
        if (self.certificate is None) != (self.key is None):
            raise InputError("TLS needs both a certificate (--certificate) and its key (--tls-key)")
        if self.host in ("0.0.0.0", "::", ""):
            raise InputError("name the one address or host name that people use, not every address of this machine")
        if not is_loopback(self.host) and self.certificate is None:
            raise InputError(
                f"the desk listens on this machine alone; for others to reach it on {self.host} give --certificate and "
                "--tls-key"
            )

    def hosts(self, port: int) -> frozenset[str]:
        names = LOOPBACK if is_loopback(self.host) else (self.host,)
        shown = [f"[{name}]" if ":" in name else name.lower() for name in names]
        default = {"http": 80, "https": 443}[self.scheme]
        return frozenset(f"{name}:{port}" for name in shown) | frozenset(shown if port == default else ())


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def opened(folder: Path, *, idle: float) -> Desk:
    """Open the desk of a folder, with the decisions made there before."""
    folder = folder.resolve()
    if not folder.is_dir():
        raise InputError("expected a folder with the files to release", file=folder)
    where = Place(folder)
    place.prepare(where, replace=True)
    with place.clear_sentences(where.private):
        place.write_private(where, f"{FOLDER}/README", b"What people decided at the desk, and what it last showed.\n")
        store = Store(where.private / FOLDER / "desk.sqlite")
    return Desk(folder=folder, sessions=Sessions(idle=idle), store=store)


def people(steward: str, reviewers: Sequence[str]) -> list[DeskUser]:
    """Return the steward and the reviewers, each with a distinct name."""
    names = [" ".join(name.split()) for name in (steward, *reviewers)]
    if any(not name or len(name) > LONGEST_NAME or name.startswith("=") or not name.isprintable() for name in names):
        raise InputError(f"a name has 1 to {LONGEST_NAME} letters and does not begin with =")
    if len({name.casefold() for name in names}) < len(names):
        raise InputError("two people have the same name; give each a name of their own")
    return [DeskUser(name=name, steward=place == 0) for place, name in enumerate(names)]


def serve(
    folder: Path, *, address: DeskAddress, steward: str, reviewers: Sequence[str], idle: float,
    say: Callable[[str], None],
) -> None:  # fmt: skip
    """Listen, print a link for each person, and go on until interrupted."""
    address.check()
    everybody = people(steward, reviewers)
    desk = opened(folder, idle=idle)
    listening = _socket(address)
    port = listening.getsockname()[1]
    made = app.make(desk, hosts=address.hosts(port), scheme=address.scheme, cookie=f"sharewell_desk_{port}")
    shown = f"[{address.host}]" if ":" in address.host else address.host

    def invite() -> None:
        for person in everybody:
            link = f"{address.scheme}://{shown}:{port}/enter?link={desk.sessions.invite(person)}"
            say(f"{person.name}{' (steward)' if person.steward else ''}: {link}")

    say("Each link opens the desk once, for one person. Ctrl+C ends the desk; nothing is lost.")
    invite()
    if sys.stdin.isatty():
        say("Press Enter for new links.")
        threading.Thread(target=_more_links, args=(invite,), daemon=True).start()
    threading.Thread(target=_write_lists, args=(desk, say), daemon=True).start()
    desk.work.prepare()
    try:
        _server(made, address).run(sockets=[listening])
    finally:
        desk.work.close()
        desk.write_lists()
        desk.store.close()


def _server(made: Any, address: DeskAddress) -> uvicorn.Server:
    """No access log: an address is nobody's business. Errors are reported by the guard, without values."""
    config = uvicorn.Config(
        made,
        log_level="critical",
        access_log=False,
        server_header=False,
        ssl_certfile=address.certificate,
        ssl_keyfile=address.key,
        timeout_graceful_shutdown=1,
        lifespan="off",
    )
    return uvicorn.Server(config)


def _socket(address: DeskAddress) -> socket.socket:
    try:
        family, _, _, _, where = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(where)
        listening.listen(64)
    except OSError:
        raise InputError(
            f"cannot listen on {address.host}, port {address.port}: is another desk open? Choose another with --port"
        ) from None
    return listening


def _more_links(invite: Callable[[], None]) -> None:
    for _ in sys.stdin:
        invite()


def _write_lists(desk: Desk, say: Callable[[str], None]) -> None:
    """The lists follow the marks; the marks themselves were on disk before anybody got an answer."""
    pause = threading.Event()
    while not pause.wait(WRITE_EVERY):
        try:
            desk.write_lists()
        except Exception as error:  # the next try may do; the marks are safe
            say(f"The review lists could not be written ({type(error).__name__}); marks are kept.")
