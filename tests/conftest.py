"""Fixtures that every test may use."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# a busy machine is no failure: examples are judged by what comes out, never by how long they take
settings.register_profile("patient", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real public data, where it is at hand: named by SHAREWELL_DATA, or beside the project."""
    beside = Path(__file__).parents[2] / "shared" / "data"
    folder = Path(os.environ.get("SHAREWELL_DATA", beside))
    if not folder.is_dir():
        pytest.skip("no real data here: set SHAREWELL_DATA to its folder")
    return folder


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A real browser without a window; playwright steers the system's own."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install playwright")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("no chromium here: apt-get install chromium")
    with sync_api.sync_playwright() as play:
        started = play.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield started
        started.close()
