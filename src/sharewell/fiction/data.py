"""Phrases and names of fictional students, kept as JSON in the folder `data`."""

import json
from functools import cache
from importlib import resources
from typing import Any


@cache
def load(name: str) -> Any:
    """Read one file of the folder; it is shared, so nobody may change it."""
    text = resources.files("sharewell.fiction").joinpath("data", f"{name}.json").read_text(encoding="utf-8")
    return json.loads(text)
