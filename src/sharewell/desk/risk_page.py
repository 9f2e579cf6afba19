"""The risk as it stands, and the trade-off: a click on a point writes its limit or method into the plan."""

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from sharewell import kinds
from sharewell.contract import Curve, CurvePoint
from sharewell.desk import plan_text, tasks
from sharewell.desk.answers import Page, back, desk_of, form_of, in_words, shown
from sharewell.desk.guard import Rule
from sharewell.desk.state import Desk
from sharewell.disclosure import Disclosed
from sharewell.errors import InputError
from sharewell.findings import FileFindings
from sharewell.release import summary
from sharewell.show import charts, view, words
from sharewell.show.report import recommendation
from sharewell.show.view import FileView, Pair


def risk(request: Request) -> Response:
    desk = desk_of(request)
    if desk.plan_source() is None:
        return back(request, "/files")
    assessed, explored = _kept(desk, "assessed.json"), _kept(desk, "explored.json")
    return shown(
        request,
        "risk.html.j2",
        assessed=[_as_it_stands(file) for file in assessed[0].files] if assessed else [],
        assessed_at=assessed[1] if assessed else None,
        explored=[_traded(file) for file in explored[0].files] if explored else [],
        explored_at=explored[1] if explored else None,
        linkage=[Pair(after=risk) for risk in explored[0].linkage] if explored else [],
        problems=desk.problems(),
        sort_key=view.sort_key,
    )


def _kept(desk: Desk, name: str) -> tuple[Disclosed, str] | None:
    stated = tasks.kept(desk.where, name)
    return None if stated is None else (summary.findings(stated, seed=stated["seed"]), stated["at"])


def _as_it_stands(file: FileFindings) -> dict[str, Any]:
    pairs = [Pair(before=risk) for risk in file.before]
    shares = [pair for pair in pairs if pair.risk.measure.unit == "share"] or pairs
    worst = max(shares, key=lambda pair: view.beyond_guessing(pair.risk), default=None)
    return {"file": file, "kind": kinds.load(file.kind), "pairs": pairs, "worst": worst}


def _traded(file: FileFindings) -> dict[str, Any]:
    shown_ = FileView(file)
    limited = [pair for pair in shown_.pairs if pair.status in ("met", "missed")]
    binds = max(limited, key=lambda pair: pair.strain, default=None)
    drawn = charts.curve_chart(file.curve) if file.curve is not None and file.curve.points else None
    return {
        "view": shown_,
        "file": file,
        "chart": drawn,
        "recommendation": recommendation(file),
        "binds": binds,
        "asks": [said(_asked(file, point)) for point in drawn.points] if drawn is not None else [],
    }


def _asked(file: FileFindings, point: CurvePoint) -> Mapping[str, Any]:
    ask = kinds.load(file.kind).ask
    return ask(_curve(file), point) if ask is not None else {}


def _curve(file: FileFindings) -> Curve:
    if file.curve is None:
        raise InputError("there is no curve for this file; draw the curves first")
    return file.curve


def said(values: Mapping[str, Any]) -> str:
    """What the plan would say, as a person writes it."""
    return ", ".join(f"{name} = {value!r}".replace("'", '"') for name, value in values.items())


@in_words("/risk")
def choose(request: Request) -> Response:
    """Write a point of a curve into the plan; confirm one that misses the limit."""
    desk, form = desk_of(request), form_of(request)
    explored = _kept(desk, "explored.json")
    files = {file.label: file for file in explored[0].files} if explored else {}
    file, number = files.get(form.get("file", "")), form.get("point", "")
    points = charts.curve_chart(_curve(file)).points if file is not None else ()
    if file is None or not number.isdecimal() or int(number) >= len(points):
        raise InputError("there is no such point; draw the curves again")
    point = points[int(number)]
    values = _asked(file, point)
    if not values:
        raise InputError("no key of the plan leads to this point")
    if not point.meets and form.get("sure") != "yes":
        raise InputError("this point misses a limit: say that you are sure, and it is written")
    with desk.changing:
        text = plan_text.with_values(desk.plan_source() or "", file.label, values)
        desk.write_plan(text)
    risk_there = words.point_risk(_curve(file), point)
    return back(request, "/risk", f"The plan now says {said(values)} for {file.file} ({risk_there} at this point).")


ROUTES = (
    Page(method="GET", path="/risk", answer=risk, rule=Rule(who="steward")),
    Page(method="POST", path="/risk/choose", answer=choose, rule=Rule(who="steward")),
)
