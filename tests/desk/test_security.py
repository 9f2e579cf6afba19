"""Who gets in, what a request must carry, and what every answer says: by walking the table of routes."""

import re
import socket
import tomllib
from pathlib import Path
from typing import Any

import pytest
from course_folder import make_folder
from desk.desk_at import HOST, LABEL, ORIGIN, At, desk_at, put_queue, small_queue

from sharewell.desk import app, columns, server
from sharewell.desk.answers import Page
from sharewell.desk.guard import HEADERS
from sharewell.desk.sessions import DeskUser, Sessions
from sharewell.errors import InputError

GETS = [page for page in app.PAGES if page.method == "GET" and page.path not in ("/enter", "/work/events")]
POSTS = [page for page in app.PAGES if page.method == "POST"]
EVIL = "<script>alert(1)</script>"
TRAVERSALS = (
    "../../etc/passwd",
    "..%2f..%2fetc%2fpasswd",
    "/etc/passwd",
    "\0",
    "posts.forum/../../x",
    "999999999999",
    "-1",
)


@pytest.fixture
def at(tmp_path: Path) -> At:
    make_folder(tmp_path / "course")
    made = desk_at(tmp_path / "course")
    put_queue(made.desk, small_queue())
    return made


def name(page: Page) -> str:
    return f"{page.method} {page.path}"


def test_the_table_of_routes_is_what_the_application_answers_to(at: At) -> None:
    served = {(method, route.path) for route in at.app.routes for method in route.methods if method != "HEAD"}
    assert served == {(page.method, page.path) for page in app.PAGES}


@pytest.mark.parametrize("page", [*GETS, *POSTS], ids=name)
def test_every_answer_carries_the_headers(at: At, page: Page) -> None:
    """The stream of progress, which has no end, is looked at in a browser."""
    who = at.visitor()
    answer = who.get(page.path) if page.method == "GET" else who.post(page.path)
    assert answer.status_code != 500
    policy = answer.headers["content-security-policy"]
    assert "unsafe" not in policy and "default-src 'none'" in policy and "frame-ancestors" in policy
    for header in set(HEADERS) - {"content-security-policy", "x-frame-options"}:
        assert answer.headers[header] == HEADERS[header]
    assert "server" not in answer.headers


@pytest.mark.parametrize("page", [page for page in GETS if not page.path.startswith("/static/")], ids=name)
def test_no_page_has_script_or_style_of_its_own_inside(at: At, page: Page) -> None:
    text = at.visitor().get(page.path).text
    assert not re.search(r"\son\w+=|\sstyle=|<style|javascript:", text)
    assert not re.search(r"<script(?![^>]*\ssrc=\"/static/)(?![^>]*type=\"application/json\")", text)
    assert not re.search(r"(?:src|href|action)=\"(?:https?:)?//", text)


@pytest.mark.parametrize("page", [page for page in app.PAGES if page.rule.who != "anybody"], ids=name)
def test_nobody_gets_in_without_a_cookie(at: At, page: Page) -> None:
    stranger = at.stranger()
    answer = stranger.get(page.path) if page.method == "GET" else stranger.post(page.path)
    assert answer.status_code == 401 and "set-cookie" not in answer.headers


@pytest.mark.parametrize("page", [page for page in app.PAGES if page.rule.who == "steward"], ids=name)
def test_what_is_the_stewards_is_no_reviewers(at: At, page: Page) -> None:
    reviewer = at.visitor("Ada", steward=False)
    answer = reviewer.get(page.path) if page.method == "GET" else reviewer.post(page.path)
    assert answer.status_code == 403


def test_only_what_must_be_open_is_open() -> None:
    opened = {page.path for page in app.PAGES if page.rule.who == "anybody"}
    assert {path for path in opened if not path.startswith("/static/")} == {"/enter", "/left"}


@pytest.mark.parametrize("page", POSTS, ids=name)
@pytest.mark.parametrize(
    ("headers", "token"),
    [({"origin": "https://elsewhere.example"}, True), ({"origin": "null"}, True), ({"origin": ""}, True), ({}, False)],
    ids=["foreign origin", "hidden origin", "no origin", "no token"],
)
def test_a_forged_request_is_refused(at: At, page: Page, headers: dict[str, str], token: bool) -> None:
    who = at.visitor()
    fields = {} if token else {"csrf": ""}
    before = (at.desk.plan.read_bytes(), at.desk.store.marks(LABEL), at.desk.work.job)
    assert who.post(page.path, fields, headers=headers).status_code == 403
    assert (at.desk.plan.read_bytes(), at.desk.store.marks(LABEL), at.desk.work.job) == before


def test_a_token_of_somebody_else_is_no_token(at: At) -> None:
    mine, theirs = at.visitor(), at.visitor("Ada", steward=False)
    assert mine.post("/names/undo", {"csrf": theirs.csrf, "file": LABEL}).status_code == 403
    assert mine.post("/names/undo", {"csrf": mine.csrf + "é", "file": LABEL}).status_code == 403


@pytest.mark.parametrize("page", app.PAGES, ids=name)
@pytest.mark.parametrize("host", ["evil.example", "evil.example:8710", "127.0.0.1", "127.0.0.1.evil.example:8710", ""])
def test_a_foreign_host_is_refused(at: At, page: Page, host: str) -> None:
    who = at.visitor()
    options: Any = {"headers": {"host": host}}
    answer = who.get(page.path, **options) if page.method == "GET" else who.post(page.path, **options)
    assert answer.status_code == 421 and HEADERS["content-security-policy"] == answer.headers["content-security-policy"]


def test_a_link_works_once_and_its_cookie_is_closed_to_scripts(at: At) -> None:
    link = at.desk.sessions.invite(DeskUser(name="steward", steward=True))
    first = at.stranger().get(f"/enter?link={link}")
    cookie = first.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=strict" in cookie and "Path=/" in cookie
    again = at.stranger().get(f"/enter?link={link}")
    assert again.status_code == 403 and "set-cookie" not in again.headers
    assert at.stranger().get("/enter").status_code == 403
    assert at.stranger().get("/enter?link=" + "x" * 43).status_code == 403


def test_over_tls_the_cookie_is_for_tls_alone(at: At) -> None:
    from starlette.testclient import TestClient

    made = app.make(at.desk, hosts=frozenset({"desk.example"}), scheme="https")
    visitor = TestClient(made, base_url="https://desk.example")
    link = at.desk.sessions.invite(DeskUser(name="steward", steward=True))
    assert "Secure" in visitor.get(f"/enter?link={link}").headers["set-cookie"]
    assert visitor.post("/leave", headers={"origin": "http://desk.example"}).status_code == 403


def test_a_cookie_ends_with_signing_out_and_with_idleness(at: At) -> None:
    who = at.visitor()
    assert who.get("/").status_code == 200
    who.post("/leave")
    assert who.get("/").status_code == 401
    now = [0.0]
    sessions = Sessions(idle=60, clock=lambda: now[0])
    cookie = sessions.enter(sessions.invite(DeskUser(name="a", steward=True)))
    assert cookie is not None
    now[0] = 50
    assert sessions.find(cookie, active=False) is not None  # what a page asks by itself keeps nobody awake
    now[0] = 61
    assert sessions.find(cookie, active=True) is None
    now[0] = 0
    assert sessions.find(cookie, active=True) is None  # gone, whatever the clock says later


def test_secrets_are_kept_as_hashes_only() -> None:
    sessions = Sessions(idle=60)
    link = sessions.invite(DeskUser(name="a", steward=True))
    cookie = sessions.enter(link)
    assert link not in str(vars(sessions)) and str(cookie) not in str(vars(sessions))


@pytest.mark.parametrize("value", TRAVERSALS)
def test_a_parameter_leads_nowhere_but_where_it_should(at: At, value: str) -> None:
    who = at.visitor()
    for path in ("/names", "/names/list", "/names/differing"):
        assert who.get(path, params={"file": value}).status_code == 404
    for which in ("show", "start"):
        answer = who.get("/names/list", params={"file": LABEL, which: value})
        assert answer.status_code in (200, 404) and "root:" not in answer.text
    assert who.get("/release/report", params={"of": value}).status_code == 404
    assert who.get(f"/static/{value}".replace("\0", "%00")).status_code == 404
    before = at.desk.plan.read_bytes()
    for page in POSTS:
        if page.path in (
            "/leave",
            "/work/stop",
            "/release/key",
            "/release/make",
            "/release/withdraw",
            "/student",
            "/release/approve",
            "/release/back",
        ):
            continue
        fields = dict.fromkeys(
            (
                "file",
                "column",
                "role",
                "word",
                "mark",
                "place",
                "step",
                "point",
                "task",
                "public",
                "asked",
                "before",
                "name",
            ),
            value,
        )
        assert who.post(page.path, fields).status_code in (303, 404), page.path
    assert at.desk.plan.read_bytes() == before and at.desk.store.marks(LABEL) == []
    assert at.desk.work.job is None


def test_script_in_names_of_columns_files_words_and_notes_is_text(tmp_path: Path) -> None:
    folder = tmp_path / f"course {EVIL.replace('/', '')}"
    folder.mkdir()
    plan = f"""[release]
name = '{EVIL}'
[records.students]
file = '{EVIL.replace("/", "")}.csv'
student = "id"
quasi = ['{EVIL}']
"""
    (folder / f"{EVIL.replace('/', '')}.csv").write_text("id,x\n1,2\n")
    (folder / "plan.toml").write_text(plan)
    at = desk_at(folder)
    queue = small_queue()
    from dataclasses import replace

    asked = (replace(queue.asked[0], word=EVIL, why=EVIL), *queue.asked[1:])
    put_queue(at.desk, replace(queue, asked=asked))
    from sharewell.data.files import to_json
    from sharewell.release import place

    column = {"name": EVIL, "type": EVIL, "missing": "0%", "distinct": 2, "reason": EVIL, "hidden": 5,
              "bars": [{"name": EVIL, "count": 9, "share": 100}]}  # fmt: skip
    ((_, section),) = columns.sections(tomllib.loads(at.desk.plan.read_text()))
    reading = columns.reading(at.desk.folder, section)
    file = {
        "label": "records.students",
        "file": EVIL,
        "why": EVIL,
        "rows": "2",
        "columns": [column],
        "reading": reading,
    }
    place.write_private(at.desk.where, "desk/columns.json", to_json({"files": [file]}))
    ada, bob = at.visitor(EVIL, steward=False), at.visitor()
    assert ada.post("/names/note", {"file": LABEL, "word": EVIL, "text": EVIL}).status_code == 303
    ada.post("/names/mark", {"file": LABEL, "word": EVIL, "mark": "name"})
    bob.post("/names/mark", {"file": LABEL, "word": EVIL, "mark": "word"})
    for who in (ada, bob):
        for path in (
            "/",
            "/files",
            "/risk",
            "/names",
            "/names/list?show=all",
            "/names/differing",
            "/release",
            "/student",
        ):
            text = who.get(path).text
            assert EVIL not in text and "<script>" not in text
    shown = bob.get("/names/differing").text
    assert shown.count("&lt;script&gt;alert(1)&lt;/script&gt;") >= 2
    assert "&lt;script&gt;" in bob.get("/files").text


def test_a_bug_tells_no_value(at: At, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    def broken(*_: object) -> None:
        raise ValueError("s0042 Maria Lopez")

    monkeypatch.setattr("sharewell.desk.state.Desk.labels", broken)
    answer = at.visitor("Ada", steward=False).get("/names")
    told = capfd.readouterr()
    assert answer.status_code == 500 and "ValueError" in answer.text
    assert "Maria" not in answer.text + told.out + told.err and "Traceback" not in told.err


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7", "desk.example"])
def test_it_binds_nowhere_else_without_tls(host: str) -> None:
    with pytest.raises(InputError):
        server.DeskAddress(host=host).check()


def test_with_tls_it_binds_where_it_is_told_to(tmp_path: Path) -> None:
    certificate, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    with pytest.raises(InputError, match="no such file"):
        server.DeskAddress(host="desk.example", certificate=certificate, key=key).check()
    certificate.touch()
    key.touch()
    server.DeskAddress(host="desk.example", certificate=certificate, key=key).check()
    with pytest.raises(InputError, match="both"):
        server.DeskAddress(certificate=certificate).check()
    for everywhere in ("0.0.0.0", "::"):
        with pytest.raises(InputError, match="one address"):
            server.DeskAddress(host=everywhere, certificate=certificate, key=key).check()
    assert server.DeskAddress(host="desk.example", port=443, certificate=certificate, key=key).hosts(443) == {
        "desk.example:443",
        "desk.example",
    }
    assert server.DeskAddress().hosts(8710) == {"127.0.0.1:8710", "localhost:8710", "[::1]:8710"}
    assert HOST in server.DeskAddress().hosts(8710) and ORIGIN.endswith(HOST)


def test_a_taken_port_is_one_sentence() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(InputError, match="another desk"):
            server._socket(server.DeskAddress(port=taken.getsockname()[1]))


@pytest.mark.parametrize("names", [("",), ("=x",), ("a\tb\0",), ("x" * 81,), ("Ada", "ada"), ("steward",)])
def test_people_have_names_of_their_own(names: tuple[str, ...]) -> None:
    with pytest.raises(InputError):
        server.people("steward", names)


@pytest.mark.parametrize("kind", ["multipart/form-data", "application/json", "text/plain"])
def test_only_forms_are_taken(at: At, kind: str) -> None:
    who = at.visitor()
    answer = who.client.post("/names/undo", content=b"{}", headers={"origin": ORIGIN, "content-type": kind})
    assert answer.status_code == 415


def test_a_request_has_an_end(at: At, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sharewell.desk.guard.MOST_BYTES", 1000)
    assert at.visitor().post("/names/note", {"text": "x" * 2000}).status_code == 413
    assert at.visitor().post("/names/note", {f"f{i}": "x" for i in range(101)}).status_code == 400
    assert at.visitor().client.put("/names").status_code == 405


def test_nothing_private_is_open_to_others(at: At) -> None:
    for path in (at.desk.where.private, *at.desk.where.private.rglob("*")):
        assert path.stat().st_mode & 0o077 == 0, path
