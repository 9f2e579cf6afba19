"""Fixtures that every test may use."""

import hashlib
import os
import pickle
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from course_folder import ReleaseCourse, make_folder
from hypothesis import HealthCheck, settings

from sharewell import pipeline, review
from sharewell.data import system
from sharewell.plan.document import load
from sharewell.release import office

os.environ.setdefault("SHAREWELL_WORKERS", "1")  # the suite takes all cores already

# Each run tries the same few examples of a property; `make test-deep` draws many fresh ones. A busy machine is no
# failure: examples are judged by what comes out, never by how long they take.
PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
settings.register_profile("few", PATIENT, max_examples=25, derandomize=True, database=None)
settings.register_profile("deep", PATIENT, max_examples=200)
settings.load_profile("few")


class SameKeys:
    """Keys of releases that are made inside a test: the same in every run, others in every test and fixture.

    What one key in fifty refuses would otherwise fail one run in fifty, and nobody could repeat it.
    """

    def __init__(self) -> None:
        self.seed, self.drawn = "", 0

    def __call__(self) -> bytes:
        self.drawn += 1
        return hashlib.sha256(f"{self.seed} {self.drawn}".encode()).digest()

    @contextmanager
    def of(self, seed: str) -> Iterator[None]:
        before = self.seed, self.drawn
        self.seed, self.drawn = seed, 0
        try:
            yield
        finally:
            self.seed, self.drawn = before


KEYS = SameKeys()
for module in (office, pipeline, review):
    pytest.MonkeyPatch().setattr(module, "new_key", KEYS)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: Any, request: Any) -> Iterator[None]:
    with KEYS.of(f"{fixturedef.baseid} {fixturedef.argname} {getattr(request, 'param_index', 0)}"):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    with KEYS.of(item.nodeid):
        return (yield)


@pytest.fixture(scope="session")
def release_course(tmp_path_factory: pytest.TempPathFactory) -> ReleaseCourse:
    """Release the small course into a folder: each plan once, by the worker that asks first, and copied for others."""
    base = tmp_path_factory.getbasetemp()
    made = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "courses"
    made.mkdir(exist_ok=True)

    def release(folder: Path, plan: str) -> pipeline.Outcome:
        name = hashlib.sha256(plan.encode()).hexdigest()
        with (made / f"{name}.lock").open("w") as lock:
            system.lock(lock.fileno(), wait=True)
            if not (made / f"{name}.outcome").exists():
                with KEYS.of(name):
                    outcome = pipeline.release(load(make_folder(made / name, plan=plan)))
                assert outcome.verdict.passed, outcome.verdict.reasons
                (made / f"{name}.outcome").write_bytes(pickle.dumps(outcome))
        shutil.copytree(made / name, folder, dirs_exist_ok=True)
        told: pipeline.Outcome = pickle.loads((made / f"{name}.outcome").read_bytes())
        return replace(told, report=told.report and folder / told.report.relative_to(made / name))

    return release


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
