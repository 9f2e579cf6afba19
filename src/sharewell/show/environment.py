"""The templates of this folder, with what they may call. Whatever they fill in is escaped for its medium."""

from functools import cache
from typing import Any

from sharewell.disclosure import cases
from sharewell.show import escape, words


@cache
def html() -> Any:
    """Pages: everything that a template fills in is escaped as HTML."""
    from sharewell.show import charts

    made = _environment(autoescape=True)
    made.globals |= {
        "panels": charts.panels,
        "strip": charts.strip,
        "curve_chart": charts.curve_chart,
        "bar": charts.bar,
    }
    return made


@cache
def markdown() -> Any:
    """Sheets: everything that a template fills in is escaped as Markdown."""
    made = _environment(autoescape=False, finalize=escape.markdown)
    made.filters |= {"code": escape.code, "codes": escape.codes}
    return made


def _environment(**options: Any) -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("sharewell.show"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        **options,
    )
    made.filters |= {
        "number": words.number,
        "percent": words.percent,
        "said": words.said,
        "seen": words.seen,
        "original": words.original,
        "chance": words.chance,
        "interval": words.interval,
        "limit": words.limit,
        "label": words.label,
        "setting": words.setting,
        "inline": words.inline,
        "cells": words.cells,
        "cases": cases,
        "risk_of": words.point_risk,
        "utility_of": words.point_utility,
    }
    return made
