"""A small name model that every test of posts may use: trained once, on few and small fictional texts."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from sharewell.text.name_model import NameModel, Settings
from sharewell.text.training import train


@pytest.fixture(scope="session")
def model() -> NameModel:
    return train(
        courses=((71, 150, str), (72, 60, str.lower), (73, 100, str)),
        chatter=((74, 300, str), (75, 150, str.lower)),
        settings=Settings(trees=100),
    )


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Tests leave the user's cache alone."""
    before = os.environ.get("SHAREWELL_CACHE")
    folder = tmp_path_factory.mktemp("cache")
    os.environ["SHAREWELL_CACHE"] = before or str(folder)
    yield folder
    if before is None:
        del os.environ["SHAREWELL_CACHE"]
