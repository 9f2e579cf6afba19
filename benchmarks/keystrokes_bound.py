"""How much of speeds any release can keep where a list of w may find no more than a share of N students.

Whoever knows every student's speed x and the chances p(y|x) of the speeds y that a release may give takes for each y
the w students for whom it is likeliest, and finds (1/N) Σ_y (sum of the w largest p(y|x)). The correlation of x and y
under a limit on that is largest where 2·E[xy] − E[y²] is (x with mean 0 and variance 1): a linear program in p. What
else is released, and what sessions tell about each other, can only lower it. Students need not be drawn one by one:
with y in units of what the released speeds vary by, which everybody sees, the correlation of a release is the mean of
x·y, so that the mean over releases is bound by the chances of each student alone.

The program knows some speeds y; others might do better. Its dual bounds them all: any μ and λ ≥ 0 with which, for every
y, none of the gains 2·x_i·y − y² − μ_i is over λ, nor the sum of those above zero over λ·w, prove
2·E[xy] − E[y²] ≤ (Σ μ_i)/N + λ·found. What the program leaves of λ is raised until that holds for all y.
"""

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sparse
from keystrokes_typists import typists
from scipy.optimize import linprog
from scipy.stats import norm

from sharewell.data import engine
from sharewell.keystrokes import eventlog
from sharewell.keystrokes.columns import KeyColumns
from sharewell.keystrokes.utility.habits import mean_latency

Array = np.ndarray[Any, Any]
LEVELS = 151  # released speeds that are tried, from that of the fastest to that of the slowest
FINE = 100_001  # released speeds at which the proof is looked at
COLUMNS = KeyColumns(student="participant", session="section", key="keycode", press="press_ms", unit="ms")


@dataclass(frozen=True, kw_only=True)
class Bound:
    """The largest correlation with some released speeds, and one that is proved to be no smaller with any."""

    reached: float
    proved: float


def largest_correlation(speed: Array, within: int, found: float, levels: int = LEVELS) -> Bound:
    """The largest correlation over all tables of chances that let a list of `within` find `found`."""
    x, n = (speed - speed.mean()) / speed.std(), len(speed)
    y = np.linspace(x.min(), x.max(), levels)
    cells = n * levels
    gain = (2 * np.outer(x, y) - y**2).ravel() / n
    every, level = np.arange(cells), np.tile(np.arange(levels), n)
    # the sum of the w largest chances is the least of w·s + Σ max(p − s, 0) over s
    over = sparse.hstack([sparse.eye(cells), _places(every, level, cells, levels), -sparse.eye(cells)])
    total = np.concatenate([np.zeros(cells), np.full(levels, float(within)), np.ones(cells)])
    once = _places(np.repeat(np.arange(n), levels), every, n, cells)
    done = linprog(
        -np.concatenate([gain, np.zeros(levels + cells)]),
        A_ub=sparse.vstack([over, total[None, :]]).tocsr(),
        b_ub=np.append(np.zeros(cells), found * n),
        A_eq=sparse.hstack([-once, sparse.csr_array((n, levels + cells))]).tocsr(),
        b_eq=np.ones(n),
        bounds=(0, None),
        method="highs",
    )
    proved = _proved(x, -n * done.eqlin.marginals, -n * done.ineqlin.marginals[-1], within, found)
    return Bound(reached=float(np.sqrt(-done.fun)), proved=proved)


def _proved(x: Array, mu: Array, rate: float, within: int, found: float) -> float:
    """What the dual proves for all released speeds; up to halfway to the next one gains grow by `between` at most."""
    y, step = np.linspace(x.min(), x.max(), FINE, retstep=True)
    between = np.ptp(x) * step  # the slope 2·(x − y) times half a step
    for some in np.array_split(y, 100):
        gain = 2 * np.outer(x, some) - some**2 - mu[:, None] + between
        rate = max(rate, float(gain.max()), float(np.maximum(gain, 0).sum(axis=0).max()) / within)
    return float(np.sqrt(mu.mean() + rate * found))


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
        shown = [
            f"{found}: {one.reached:.4f} to {one.proved:.4f}" for found, one in zip(options.found, kept, strict=True)
        ]
        print(name, ", ".join(shown))


if __name__ == "__main__":
    main()
