"""What a search for a recoding is asked, and what it answers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

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
    """

    combinations: Combinations
    hierarchies: Mapping[str, Hierarchy]
    limits: Limits
    sensitive: tuple[str, ...] = ()
    weight: float = 0.0
    seconds: float = 5.0
    seed: int = 0
    guide: Combinations | None = None

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


def at_levels(
    space: Space, hierarchies: Mapping[str, Hierarchy], node: Sequence[int], limits: Limits
) -> tuple[dict[str, int], Array, Array]:
    """Levels by name, the class of every combination, and which ones are suppressed."""
    ids, classes = space.classes(node)
    gone = (space.faults(ids, classes, limits) != kernels.FINE)[ids]
    return dict(zip(space.columns, (int(level) for level in node), strict=True)), ids, gone
