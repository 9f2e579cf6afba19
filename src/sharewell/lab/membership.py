"""Attacks on membership that need nothing but a kind's totals: the same for every kind that invents students.

A kind says what of a log can be counted (its `Population` gives averages and a look at a release); these attacks solve,
compare and learn from that alone.
"""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np

from sharewell.stats.arrays import Array
from sharewell.stats.membership import Scores
from sharewell.stats.shadows import Look, Shadow, likelihood_ratio
from sharewell.stats.tracing import Equations, solution


class Population(Protocol):
    """What the attacker works out once from the log of everybody; `share` of them are in a release."""

    @property
    def share(self) -> float: ...

    @property
    def log(self) -> Any: ...


class Pair(Protocol):
    """A release, what the attacker works out of it, and the releases that the attacker made."""

    @property
    def population(self) -> Population: ...

    @property
    def look(self) -> Look: ...

    @property
    def shadows(self) -> tuple[Shadow, ...]: ...

    @property
    def equations(self) -> dict[str, Equations]: ...

    @property
    def everyone(self) -> Array: ...


def tracing(*groups: str) -> Callable[[Pair], Scores]:
    """Solve some groups of averages together for who was in them."""

    def score(pair: Pair) -> Scores:
        parts = [pair.equations[name] for name in groups if name in pair.equations]
        found = solution(parts, share=pair.population.share)
        return Scores(by_setting=[({"shadows": len(pair.shadows)}, found)], about=pair.everyone)

    return score


def density(pair: Pair) -> Scores:
    """Is what a student did likelier in the release than in the population (DOMIAS, van Breugel et al. 2023)?"""
    ratios, rows = pair.look.density, pair.population.log.lengths
    scores: list[tuple[Mapping[str, Any], Array]] = []
    for name, ratio in (("all", np.sum(list(ratios.values()), axis=0)), *ratios.items()):
        scores += [({"of": name, "over": "sum"}, ratio), ({"of": name, "over": "rows"}, ratio / rows)]
    return Scores(by_setting=scores, about=pair.everyone)


def compared_with_own(pair: Pair) -> Scores:
    """The same beside releases that the attacker made, with the student in and without (LiRA, Carlini et al. 2022)."""
    members = [shadow.member for shadow in pair.shadows]
    scores: list[tuple[Mapping[str, Any], Array]] = []
    total = np.zeros(pair.everyone.size)
    for name, own in pair.look.density.items():
        found = likelihood_ratio(own, [shadow.look.density[name] for shadow in pair.shadows], members)
        total = total + found
        scores.append(({"of": name, "shadows": len(members)}, found))
    return Scores(by_setting=[*scores, ({"of": "all", "shadows": len(members)}, total)], about=pair.everyone)
