"""The pages of the desk, with the charts and words of `show`. Whatever a template fills in is escaped."""

from datetime import UTC, datetime
from functools import cache
from typing import Any

from sharewell.show import environment, words


@cache
def _environment() -> Any:
    from jinja2 import ChoiceLoader, PackageLoader

    made = environment.html().overlay(
        loader=ChoiceLoader([PackageLoader("sharewell.desk"), PackageLoader("sharewell.show")])
    )
    made.globals["glossary"] = words.GLOSSARY
    made.filters["when"] = lambda moment: when(datetime.fromisoformat(moment))
    return made


def when(moment: datetime) -> str:
    """A moment as people write it."""
    return f"{moment.astimezone(UTC):%d %b %Y, %H:%M} UTC"


def page(name: str, **values: Any) -> str:
    text: str = _environment().get_template(name).render(**values)
    return text
