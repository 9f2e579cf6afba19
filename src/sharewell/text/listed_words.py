"""Word lists by section, kept as text beside the other tables of the name finder."""

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any


def listed_words(section: str) -> frozenset[str]:
    """Return the words of one section of words.txt."""
    return _sections()[section]


def table(name: str) -> Any:
    """Read a table that is kept as JSON."""
    return json.loads(read(f"{name}.json"))


def read(name: str) -> str:
    """Read a table that is kept as text."""
    return resources.files("sharewell.text").joinpath("tables", name).read_text(encoding="utf-8")


@cache
def _sections() -> Mapping[str, frozenset[str]]:
    parts = re.split(r"(?m)^\[(.+)\]$", re.sub("(?m)^#.*", "", read("words.txt")))
    return {name: frozenset(words.split()) for name, words in zip(parts[1::2], parts[2::2], strict=True)}
