"""Loops are compiled when they first run, with all that they call; until then nobody loads numba."""

import importlib.util
import os
import pkgutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numba.core.dispatcher import Dispatcher

import sharewell
from sharewell import progress
from sharewell.stats.compiled import Kernel, njit, prange

SILENT = """
import importlib, sys
import sharewell.pipeline, sharewell.cli
for kind in ("records", "traces", "responses", "posts", "keystrokes"):
    importlib.import_module(f"sharewell.{kind}.study")
    importlib.import_module(f"sharewell.{kind}.recheck")
from sharewell.data.backends import spark
print("numba" in sys.modules)
"""


@njit()
def _doubled(number: int) -> int:
    return 2 * number


@njit(parallel=True)
def _all_doubled(numbers: Any) -> Any:
    """Each number twice."""
    found = np.empty_like(numbers)
    for place in prange(numbers.size):
        found[place] = _doubled(numbers[place])
    return found


def test_a_kernel_calls_others_and_runs_its_loops_side_by_side() -> None:
    assert isinstance(_all_doubled, Kernel)
    assert "compiled" not in vars(_all_doubled)
    assert _all_doubled(np.arange(5)).tolist() == [0, 2, 4, 6, 8]
    compiled = vars(_all_doubled)["compiled"]
    assert isinstance(compiled, Dispatcher)
    assert isinstance(vars(_doubled)["compiled"], Dispatcher)
    ((_, about),) = compiled.get_metadata().items()
    assert len(about["parfor_diagnostics"].initial_parfors) >= 1


def test_a_kernel_says_what_it_is() -> None:
    assert (_all_doubled.__name__, _all_doubled.__doc__) == ("_all_doubled", "Each number twice.")
    assert _doubled.__module__ == __name__


def test_nobody_loads_numba_who_runs_no_kernel() -> None:
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", SILENT], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


HELPER = """
from sharewell.stats.compiled import njit
STEP = 3

@njit(cache=True)
def stepped(number):
    return number + STEP
"""
CALLER = """
from {helper} import stepped
from sharewell.stats.compiled import njit

@njit(cache=True)
def twice(number):
    return stepped(stepped(number))
"""


def loaded(folder: Path, helper: str = HELPER, caller: str = CALLER) -> Any:
    """The kernel that calls, from a checkout of two modules of the same names."""
    folder.mkdir()
    for name, text in (("stepping", helper), ("calling", caller.format(helper="stepping"))):
        (folder / f"{name}.py").write_text(text)
        spec = importlib.util.spec_from_file_location(name, folder / f"{name}.py")
        assert spec is not None and spec.loader is not None
        sys.modules[name] = module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return module.twice


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for kernels; modules that a test loads are forgotten after it."""
    monkeypatch.setenv("SHAREWELL_KERNELS", str(tmp_path / "kernels"))
    for name in ("stepping", "calling"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    (tmp_path / "kernels").mkdir(mode=0o700)
    return tmp_path / "kernels"


def hits(kernel: Any) -> int:
    return sum(kernel.compiled.stats.cache_hits.values())


def test_another_checkout_loads_what_one_compiled(kept: Path, tmp_path: Path) -> None:
    first = loaded(tmp_path / "one")
    assert (first(1), hits(first)) == (7, 0)
    files = {path.name for path in kept.iterdir()}
    second = loaded(tmp_path / "two", helper="# a remark moves every line\n" + HELPER)
    assert (second(1), hits(second)) == (7, 1)
    assert {path.name for path in kept.iterdir()} == files
    assert (second(1.5), hits(second)) == (7.5, 1)


@pytest.mark.parametrize(
    ("changed", "result"),
    [
        (HELPER.replace("STEP = 3", "STEP = 4"), 9),
        (HELPER.replace("number + STEP", "number - STEP"), -5),
        (HELPER.replace("number + STEP", "number + STEP + 2"), 11),
        (HELPER.replace("cache=True", "cache=True, fastmath=True"), 7),
        (HELPER.replace("stepped(number):", "stepped(number, more=5):").replace("+ STEP", "+ STEP + more"), 17),
    ],
)
def test_a_change_of_what_a_kernel_calls_is_compiled_anew(
    changed: str, result: int, kept: Path, tmp_path: Path
) -> None:
    assert loaded(tmp_path / "one")(1) == 7
    second = loaded(tmp_path / "two", helper=changed)
    assert (second(1), hits(second)) == (result, 0)


def test_a_setting_of_the_compiler_is_part_of_what_a_kernel_is(
    kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = loaded(tmp_path / "one").identity
    monkeypatch.setenv("NUMBA_NUM_THREADS", "1")
    assert loaded(tmp_path / "two").identity == before
    monkeypatch.setenv("NUMBA_BOUNDSCHECK", "1")
    assert loaded(tmp_path / "three").identity != before


@pytest.mark.parametrize("content", [b"", b"short", b"x" * 10_000])
def test_a_file_that_is_not_whole_is_compiled_anew(content: bytes, kept: Path, tmp_path: Path) -> None:
    loaded(tmp_path / "one")(1)
    for path in kept.iterdir():
        path.write_bytes(content)
    second = loaded(tmp_path / "two")
    assert (second(1), hits(second)) == (7, 0)
    third = loaded(tmp_path / "three")
    assert (third(1), hits(third)) == (7, 1)


def test_a_full_disk_does_not_stop_a_kernel(kept: Path, tmp_path: Path) -> None:
    kept.rmdir()
    kept.write_text("no folder")
    assert loaded(tmp_path / "one")(1) == 7


def test_files_that_nobody_uses_go(kept: Path, tmp_path: Path) -> None:
    old, young = kept / "old", kept / "young"
    for path in (old, young):
        path.touch()
    os.utime(old, (0, 0))
    loaded(tmp_path / "one")(1)
    assert young.exists() and not old.exists()


def test_a_kernel_that_names_what_may_change_unseen_is_refused(kept: Path, tmp_path: Path) -> None:
    plain = HELPER.replace("@njit(cache=True)\n", "")
    with pytest.raises(TypeError, match="kernel twice names stepped, which is neither a constant nor a kernel"):
        loaded(tmp_path / "one", helper=plain)(1)


def test_the_identity_of_every_kernel_can_be_told() -> None:
    found = 0
    for info in pkgutil.walk_packages(sharewell.__path__, "sharewell."):
        if not info.name.endswith("__main__"):
            kernels = [
                value for value in vars(importlib.import_module(info.name)).values() if isinstance(value, Kernel)
            ]
            found += sum(len(kernel.identity) == 64 for kernel in kernels)
    assert found


def test_the_progress_line_says_that_a_kernel_is_compiled(kept: Path, tmp_path: Path) -> None:
    heard: list[str] = []
    with progress.heard(lambda step, share, left: heard.append(step)), progress.step("protecting"):
        loaded(tmp_path / "one")(1)
        loaded(tmp_path / "two")(1)
    assert heard[0] == heard[2] == "protecting" and len(heard) == 3
    assert heard[1].startswith("protecting (compiling once, for this computer: ")
