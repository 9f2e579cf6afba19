"""The pages of the desk, with the charts and words of `show`. Whatever a template fills in is escaped."""

from functools import cache
from typing import Any

from sharewell.show import environment


@cache
def _environment() -> Any:
    from jinja2 import ChoiceLoader, PackageLoader

    return environment.html().overlay(
        loader=ChoiceLoader([PackageLoader("sharewell.desk"), PackageLoader("sharewell.show")])
    )


def page(name: str, **values: Any) -> str:
    text: str = _environment().get_template(name).render(**values)
    return text
