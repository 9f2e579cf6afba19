"""Fixtures that every test may use."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real public data, where it is at hand: named by SHAREWELL_DATA, or beside the project."""
    beside = Path(__file__).parents[2] / "shared" / "data"
    folder = Path(os.environ.get("SHAREWELL_DATA", beside))
    if not folder.is_dir():
        pytest.skip("no real data here: set SHAREWELL_DATA to its folder")
    return folder
