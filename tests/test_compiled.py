"""Loops are compiled when they first run, with all that they call; until then nobody loads numba."""

import subprocess
import sys
from typing import Any

import numpy as np
from numba.core.dispatcher import Dispatcher

from sharewell.stats.compiled import Kernel, njit, prange

SILENT = """
import sys
import sharewell.pipeline, sharewell.cli
from sharewell.{kind} import study, recheck
from sharewell.data.engine import spark
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
    for kind in ("records", "traces", "responses", "posts", "keystrokes"):
        command = [sys.executable, "-W", "ignore", "-c", SILENT.format(kind=kind)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert done.stdout.strip() == "False", kind
