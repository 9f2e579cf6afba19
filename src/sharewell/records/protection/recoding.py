"""What a search for a recoding is asked, and what it answers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sharewell.records import kernels
from sharewell.records.arrays import Array
from sharewell.records.combinations import Combinations
from sharewell.records.hierarchies import Hierarchy, Label
from sharewell.records.limits import Limits
from sharewell.records.protection.search_space import Space


@dataclass(frozen=True, kw_only=True)
class Request:
    """`weight` is that of the outcomes against general usefulness: 0 the loss alone, 1 the outcomes alone.

    `guide` holds the same combinations with every outcome replaced by its prediction, once that has been made.
    `secret` seeds the draws among nearly equal cuts: an attacker who knows it can replay them.
    """

    combinations: Combinations
    hierarchies: Mapping[str, Hierarchy]
    limits: Limits
    sensitive: tuple[str, ...] = ()
    weight: float = 0.0
    seconds: float = 5.0
    seed: int = 0
    guide: Combinations | None = None
    secret: int = 0

    @property
    def aim(self) -> Combinations:
        return self.guide or self.combinations


@dataclass(frozen=True, kw_only=True)
class Recoding:
    """Which combinations look alike afterwards, which are suppressed, and what is published for each.

    Full-domain methods give `levels` (and the hierarchies they speak of); local recoding gives `labels`, one per
    combination and column.
    """

    classes: Array  # the class of every combination
    gone: Array  # bool: suppressed
    loss: float
    proven: bool
    hierarchies: Mapping[str, Hierarchy]
    levels: Mapping[str, int] = field(default_factory=dict)
    labels: Mapping[str, Sequence[Label]] = field(default_factory=dict)
    tree: Any = None  # of local recoding: carries other rows to their class
    evaluated: int = 0


Recode = Callable[[Request], Recoding]


def explained(request: Request, made: Recoding) -> float:
    """1 − the squared error that is left when everyone's outcome is guessed from their class."""
    classes, aim = int(made.classes.max()) + 1, request.aim
    ids = np.where(made.gone, classes, made.classes).astype(np.int32)
    return 1 - kernels.unexplained(ids, classes + 1, aim.counts, aim.sums, aim.squares)


def value_of(request: Request, made: Recoding) -> float:
    """What a search minimises: the loss, mixed with what the classes leave open of the outcomes."""
    if request.weight <= 0 or request.aim.sums.shape[0] == 0:
        return made.loss
    return (1 - request.weight) * made.loss + request.weight * (1 - explained(request, made))


def at_levels(
    space: Space, hierarchies: Mapping[str, Hierarchy], node: Sequence[int], limits: Limits
) -> tuple[dict[str, int], Array, Array]:
    """Levels by name, the class of every combination, and which ones are suppressed.

    A column that distinguishes nobody is published as what all have in common, such as `8063*`, where its
    hierarchy has a word for that.
    """
    node = [
        level - 1 if level == height > 0 and len(hierarchies[name].labels[level - 1]) == 1 else level
        for name, level, height in zip(space.columns, node, space.heights, strict=True)
    ]
    ids, classes = space.classes(node)
    gone = space.failing(ids, classes, limits)[ids]
    return dict(zip(space.columns, (int(level) for level in node), strict=True)), ids, gone
