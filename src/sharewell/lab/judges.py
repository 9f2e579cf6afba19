"""Judge a choice on draws that did not make it, and stop as soon as its interval lies on one side of the limit.

Several looks are wrong more often than one: each has an interval wide enough that all
of them together miss the truth as often as one interval of 95 % would (group sequential bounds, O'Brien and Fleming
1979; constants after Jennison and Turnbull 2000, table 2.3). A first look stops what is far from its limit, the last is
hardly wider than an interval that was looked at once.
"""

import math
from collections.abc import Callable, Mapping, Sequence

from sharewell.contract import Measure, Risk
from sharewell.lab.splits import SIDES

BOUNDS = {1: (SIDES,), 2: (2.797, 1.977), 3: (3.471, 2.454, 2.004)}  # standard errors, of equally spaced looks
FEWEST = 12  # draws between two looks: fewer do not show how they scatter


def looks(draws: int) -> Sequence[tuple[int, float]]:
    """After how many draws to look, and with how many standard errors to each side."""
    bounds = BOUNDS[max(1, min(max(BOUNDS), draws // FEWEST))]
    return [(math.ceil(draws * (place + 1) / len(bounds)), sides) for place, sides in enumerate(bounds)]


def judged(
    draws: int,
    more: Callable[[int, int], None],
    risks: Callable[[float], list[Risk]],
    limits: Mapping[Measure, float],
) -> list[Risk]:
    """What every attack reaches: `more(first, last)` makes draws and attacks them, `risks` sums up all there are."""
    found: list[Risk] = []
    made = 0
    for size, sides in looks(draws):
        more(made, size)
        made, found = size, risks(sides)
        if settled(found, limits):
            break
    return found


def settled(risks: Sequence[Risk], limits: Mapping[Measure, float]) -> bool:
    """Whether every limit is met at the unfavourable end, or one is missed at the favourable end."""
    gated = [(risk, limits[risk.measure]) for risk in risks if risk.measure in limits]
    missed = any(risk.low is not None and risk.low > limit for risk, limit in gated)
    return missed or all(risk.high is not None and risk.high <= limit for risk, limit in gated)
