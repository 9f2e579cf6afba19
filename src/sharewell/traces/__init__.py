"""Event logs: how few clicks give a student away, and what to do about it."""

from sharewell.traces.group_observations import Slope, observations, slope
from sharewell.traces.measure.figures import against_known, against_quasi
from sharewell.traces.measure.group_size import by_group, by_size
from sharewell.traces.protections import coarsen, cut, drop_telling, group, jitter, merge_rare, protect, shift, suppress
from sharewell.traces.risk import exposure, unicity
from sharewell.traces.row_classes import company

__all__ = [
    "Slope",
    "against_known",
    "against_quasi",
    "by_group",
    "by_size",
    "coarsen",
    "company",
    "cut",
    "drop_telling",
    "exposure",
    "group",
    "jitter",
    "merge_rare",
    "observations",
    "protect",
    "shift",
    "slope",
    "suppress",
    "unicity",
]


def __dir__() -> list[str]:
    return sorted(__all__)
