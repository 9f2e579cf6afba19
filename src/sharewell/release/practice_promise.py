"""The promise of a practice copy in a release, added up again from what it says that it spent."""

import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sharewell.plan.audience_limits import LIMITS
from sharewell.release.opened import printable
from sharewell.synthetic.zcdp import epsilon_of, gaussian_rho

FILE = Path("practice") / "promise.json"
CLOSE = 1e-6
MOST_BYTES = 10_000_000


def problems(folder: Path, audience: str) -> Iterator[str]:
    """Add up the promise of a practice copy, if there is one."""
    path = folder / FILE
    if not path.is_file():
        return
    name = FILE.as_posix()
    if path.stat().st_size > MOST_BYTES:
        yield f"{name}: is too large to be a promise"
        return
    try:
        promise = json.loads(path.read_text(encoding="utf-8"))
        rho, epsilon, delta = (float(promise[key]) for key in ("rho", "epsilon", "delta"))
        spent = [_cost(one) for one in promise["spent"]]
        reached = epsilon_of(math.fsum(spent), delta)
    except (ValueError, KeyError, TypeError, AttributeError, ZeroDivisionError, OverflowError):
        yield f"{name}: is not a promise that can be added up"
        return
    if abs(math.fsum(spent) - rho) > CLOSE * max(rho, CLOSE):
        yield f"{name}: its costs add up to another sum than it says"
    if reached > epsilon * (1 + CLOSE):
        yield f"{name}: what was spent comes to ε = {reached:.4f}, more than the {epsilon:.4g} that it promises"
    allowed = LIMITS[audience].kinds["records"]["epsilon"] if audience in LIMITS else 0.0
    if epsilon > allowed:
        yield f"{name}: ε = {epsilon:.4g} is more than the audience {printable(audience)} allows, {allowed:.4g}"


def _cost(one: Mapping[str, Any]) -> float:
    """What a count costs by its noise; a choice says its cost itself."""
    rho = float(one["rho"])
    if one["what"] != "choice":
        by_noise = gaussian_rho(float(one["noise"]) ** 2)
        rho = max(rho, by_noise) if rho < by_noise * (1 - CLOSE) else rho
    return rho
