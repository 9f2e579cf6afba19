"""The review of names: one word at a time or as a list, by keys or by mouse; places, disagreements, notes."""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from sharewell.desk.answers import Page, back, desk_of, form_of, fragment, in_words, is_fragment, session_of, shown
from sharewell.desk.guard import Rule, Turned
from sharewell.desk.reviewing import Reviewing
from sharewell.posts.review_queue import Asked

ON_A_PAGE = 100
LONGEST_NOTE = 2_000
SHOWS = ("open", "marked", "all")


def names(request: Request) -> Response:
    """Show the word this browser looks at, or the next unmarked one."""
    desk = desk_of(request)
    if not desk.labels():
        return shown(request, "names_none.html.j2", posts="[posts." in (desk.plan_source() or ""))
    return shown(request, "names.html.j2", view="one", **_one(request, _asked_for(request)))


def listed(request: Request) -> Response:
    review, who = _asked_for(request), session_of(request).person.name
    show, start = request.query_params.get("show", "open"), request.query_params.get("start", "0")
    if show not in SHOWS or not start.isdecimal():
        raise Turned(404, "There is no such list.")
    rows, total = review.listed(who, show, start=int(start), many=ON_A_PAGE)  # type: ignore[arg-type]
    return shown(
        request,
        "names_list.html.j2",
        view="list",
        rows=[(one, review.own(who, one.word)) for one in rows],
        show=show,
        start=int(start),
        many=ON_A_PAGE,
        total=total,
        **_seen_by(request, review),
    )


def differing(request: Request) -> Response:
    review = _asked_for(request)
    return shown(
        request,
        "names_differ.html.j2",
        view="differ",
        differing=review.differing(),
        raters=review.raters(),
        **_seen_by(request, review),
    )


@in_words("/names")
def mark(request: Request) -> Response:
    """Write a mark, then show the next word; `both` stays for its places."""
    review, who, word = _given(request)
    review.mark(who, word, form_of(request).get("mark", ""))
    desk_of(request).unwritten.add(review.label)
    if form_of(request).get("view") == "list":
        return _row(request, review, word)
    stays = form_of(request).get("mark") == "both" and review.queue.context and review.open_places(who, word)
    _go(request, review, review.one(word) if stays else review.next_after(who, word))
    return _answered(request, review)


@in_words("/names")
def mark_place(request: Request) -> Response:
    review, who, word = _given(request)
    review.mark_place(who, form_of(request).get("place", ""), form_of(request).get("mark", ""))
    desk_of(request).unwritten.add(review.label)
    _go(request, review, review.one(word) if review.open_places(who, word) else review.next_after(who, word))
    return _answered(request, review)


@in_words("/names")
def go(request: Request) -> Response:
    """To the next or the previous word, or to the next that is open."""
    review, who, word = _given(request)
    step = form_of(request).get("step", "")
    if step == "open":
        _go(request, review, review.next_after(who, word))
    elif step in ("1", "-1"):
        _go(request, review, review.next_after(who, word, step=int(step), open_only=False))
    elif step == "here":
        _go(request, review, review.one(word))
    return _answered(request, review)


@in_words("/names")
def undo(request: Request) -> Response:
    review, who, _ = _given(request)
    about = review.undo(who)
    if about is not None:
        desk_of(request).unwritten.add(review.label)
        kind, _, name = about.partition(":")
        word = name if kind == "word" else review.word_of(name)
        _go(request, review, review.one(word))
    return _answered(request, review)


@in_words("/names")
def note(request: Request) -> Response:
    review, who, word = _given(request)
    text = form_of(request).get("text", "").strip()[:LONGEST_NOTE]
    if text:
        review.note(who, word, text)
    if form_of(request).get("view") == "differ":
        return back(request, f"/names/differing?file={review.label}")
    return _answered(request, review)


@in_words("/names")
def decide(request: Request) -> Response:
    """What raters agreed on after they talked."""
    review, who, word = _given(request)
    review.decide(who, word, form_of(request).get("mark", ""))
    desk_of(request).unwritten.add(review.label)
    return back(request, f"/names/differing?file={review.label}")


def _review(request: Request, label: str) -> Reviewing:
    review = desk_of(request).reviewing(label)
    if review is None:
        raise Turned(404, "There are no words to look at for such a file.")
    return review


def _asked_for(request: Request) -> Reviewing:
    """The review of the file in the address, or of the first."""
    return _review(request, request.query_params.get("file", next(iter(desk_of(request).labels()), "")))


def _seen_by(request: Request, review: Reviewing) -> dict[str, Any]:
    """What stands over every view of a review."""
    return {
        "label": review.label,
        "labels": desk_of(request).labels(),
        "standing": review.standing(session_of(request).person.name),
        "agreement": list(review.agreement()),
    }


def _given(request: Request) -> tuple[Reviewing, str, str]:
    form = form_of(request)
    return _review(request, form.get("file", "")), session_of(request).person.name, form.get("word", "")


def _go(request: Request, review: Reviewing, one: Asked | None) -> None:
    at = session_of(request).at
    if one is None:
        at.pop(review.label, None)
    else:
        at[review.label] = one.word


def _one(request: Request, review: Reviewing) -> dict[str, Any]:
    """The word that this browser looks at, and where the review stands."""
    session = session_of(request)
    who = session.person.name
    one = review.one(session.at.get(review.label, "")) or review.next_after(who, None)
    if one is not None:
        session.at[review.label] = one.word
    own = review.own(who, one.word) if one is not None else ""
    return {
        **_seen_by(request, review),
        "one": one,
        "own": own,
        "places": review.open_places(who, one.word) if one is not None and own == "both" else [],
        "examples": review.queue.examples.get(one.word, ()) if one is not None and review.queue.context else (),
        "context": review.queue.context,
        "notes": review.notes(one.word, who) if one is not None else [],
    }


def _answered(request: Request, review: Reviewing) -> Response:
    if is_fragment(request):
        return fragment(request, "names_one.html.j2", **_one(request, review))
    return back(request, f"/names?file={review.label}")


def _row(request: Request, review: Reviewing, word: str) -> Response:
    if not is_fragment(request):
        return back(request, f"/names/list?file={review.label}")
    who, one = session_of(request).person.name, review.one(word)
    return fragment(
        request,
        "names_row.html.j2",
        one=one,
        own=review.own(who, word),
        **_seen_by(request, review),
    )


ROUTES = (
    Page(method="GET", path="/names", answer=names, rule=Rule(who="reviewer")),
    Page(method="GET", path="/names/list", answer=listed, rule=Rule(who="reviewer")),
    Page(method="GET", path="/names/differing", answer=differing, rule=Rule(who="reviewer")),
    Page(method="POST", path="/names/mark", answer=mark, rule=Rule(who="reviewer")),
    Page(method="POST", path="/names/place", answer=mark_place, rule=Rule(who="reviewer")),
    Page(method="POST", path="/names/go", answer=go, rule=Rule(who="reviewer")),
    Page(method="POST", path="/names/undo", answer=undo, rule=Rule(who="reviewer")),
    Page(method="POST", path="/names/note", answer=note, rule=Rule(who="reviewer")),
    Page(method="POST", path="/names/decide", answer=decide, rule=Rule(who="reviewer")),
)
