"""One student: the private page of `sharewell student`, shown to the steward and kept in the private folder."""

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from sharewell.desk.answers import Page, back, desk_of, form_of, in_words, job_of, session_of, shown
from sharewell.desk.guard import Rule
from sharewell.errors import InputError

WAIT = 90  # seconds


@dataclass(frozen=True, kw_only=True)
class Block:
    """A piece of the page: a heading, a paragraph, a list or a table."""

    kind: str
    rows: tuple[tuple[str, ...], ...]


def student(request: Request) -> Response:
    """Show what the last question came to; the id stands in no address."""
    desk = desk_of(request)
    job = job_of(request)
    mine = job is not None and job.task == "student" and job.who == session_of(request).person.name
    text = ""
    if mine and job is not None and "page" in job.result:
        path = desk.where.private / str(job.result["page"])
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
    return shown(request, "student.html.j2", blocks=blocks(text), said=job.said if mine and job is not None else "")


@in_words("/student")
def ask(request: Request) -> Response:
    desk, who = desk_of(request), form_of(request).get("student", "").strip()
    if not who:
        raise InputError("write the id of the student, as in the original files")
    person = session_of(request).person.name
    desk.start("student", "Looking for one student in every release", who=person, given={"student": who})
    desk.work.finished(WAIT)
    return back(request, "/student")


def blocks(text: str) -> list[Block]:
    """Split simple Markdown into pieces that a template fills in and escapes."""
    found: list[Block] = []
    for line in text.splitlines():
        kind, row = _read(line)
        if kind is None:
            continue
        if found and kind == found[-1].kind and kind in ("list", "table"):
            found[-1] = Block(kind=kind, rows=(*found[-1].rows, row))
        else:
            found.append(Block(kind=kind, rows=(row,)))
    return found


def _read(line: str) -> tuple[str | None, tuple[str, ...]]:
    if not line.strip() or line.startswith("|---"):
        return None, ()
    if line.startswith("#"):
        return f"h{len(line) - len(line.lstrip('#'))}", (line.lstrip("# "),)
    if line.startswith("- "):
        return "list", (line[2:].replace("`", ""),)
    if line.startswith("| "):
        marked = line.strip().removeprefix("|").removesuffix("|").replace("\\|", "\0")
        return "table", tuple(cell.strip().replace("\0", "|") for cell in marked.split("|"))
    return "p", (line,)


ROUTES = (
    Page(method="GET", path="/student", answer=student, rule=Rule(who="steward")),
    Page(method="POST", path="/student", answer=ask, rule=Rule(who="steward")),
)
