"""How much of speeds any release can keep where a list of w may find no more than a share of N students.

Whoever knows every student's speed x and the chances p(y|x) of the speeds y that a release may give takes for each y
the w students for whom it is likeliest, and finds (1/N) Σ_y (sum of the w largest p(y|x)). The correlation of x and y
under a limit on that is largest where 2·E[xy] − E[y²] is (x with mean 0 and variance 1): a linear program in p. What
else is released, and what sessions tell about each other, can only lower it.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sparse
from keystrokes_typists import typists
from scipy.optimize import linprog
from scipy.stats import norm

from sharewell.data import engine
from sharewell.keystrokes import eventlog
from sharewell.keystrokes.columns import Columns
from sharewell.keystrokes.utility.habits import mean_latency

Array = np.ndarray[Any, Any]
LEVELS = 31  # released speeds, from that of the fastest to that of the slowest
COLUMNS = Columns(student="participant", session="section", key="keycode", press="press_ms", unit="ms")


def largest_correlation(speed: Array, within: int, found: float) -> float:
    """The largest correlation over all tables of chances that let a list of `within` find `found`."""
    x, n = (speed - speed.mean()) / speed.std(), len(speed)
    y = np.linspace(x.min(), x.max(), LEVELS)
    cells = n * LEVELS
    gain = (2 * np.outer(x, y) - y**2).ravel() / n
    every, level = np.arange(cells), np.tile(np.arange(LEVELS), n)
    # the sum of the w largest chances is the least of w·s + Σ max(p − s, 0) over s
    over = sparse.hstack([sparse.eye(cells), _places(every, level, cells, LEVELS), -sparse.eye(cells)])
    total = np.concatenate([np.zeros(cells), np.full(LEVELS, float(within)), np.ones(cells)])
    once = _places(np.repeat(np.arange(n), LEVELS), every, n, cells)
    ones = sparse.hstack([-once, sparse.csr_array((n, LEVELS + cells))])
    done = linprog(
        -np.concatenate([gain, np.zeros(LEVELS + cells)]),
        A_ub=sparse.vstack([over, total[None, :]]).tocsr(),
        b_ub=np.append(np.zeros(cells), found * n),
        A_eq=ones.tocsr(),
        b_eq=np.ones(n),
        bounds=[(0, 1)] * cells + [(0, None)] * (LEVELS + cells),
        method="highs",
    )
    return float(np.sqrt(-done.fun))


def _places(rows: Array, columns: Array, height: int, width: int) -> sparse.csr_array:
    """A matrix with −1 at every given place."""
    return sparse.csr_array((np.full(len(rows), -1.0), (rows, columns)), shape=(height, width))


def speeds(data: Path, people: int, skip: int) -> Array:
    events = eventlog.load(engine.table(typists(data, people, skip)), COLUMNS)
    return mean_latency(events.typing.student, events.typing.latency, len(events.students))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="folder that holds aalto_keystrokes")
    parser.add_argument("--people", type=int, default=200)
    parser.add_argument("--skip", type=int, nargs="*", default=[], help="groups that begin after these ids")
    parser.add_argument("--found", type=float, nargs="*", default=[0.10, 0.0975, 0.095, 0.09])
    options = parser.parse_args()
    groups = {"normal speeds": norm.ppf((np.arange(options.people) + 0.5) / options.people)}
    for skip in options.skip:
        groups[f"typists {skip + 1} to {skip + options.people}"] = speeds(options.data, options.people, skip)
    for name, speed in groups.items():
        kept = [largest_correlation(speed, 10, found) for found in options.found]
        print(name, ", ".join(f"{found}: {value:.3f}" for found, value in zip(options.found, kept, strict=True)))


if __name__ == "__main__":
    main()
