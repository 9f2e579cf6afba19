"""Who began or stopped alone? Invented students who begin, or stop, where hardly anybody but one student did.

A course is cut into intakes, and whatever decides where may be tipped by one student: somebody who began between two
intakes joined them into one, and invented students then began in between, in every release that the student was in.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from sharewell.traces.arrays import Array
from sharewell.traces.course_log import CourseLog

NEAR = (0, 3, 10)  # days to either side


def beyond_usual(population: CourseLog, released: CourseLog) -> list[tuple[Mapping[str, Any], Array]]:
    """For every student: the share of invented students who begin or stop near them, less that of other real ones."""
    scores: list[tuple[Mapping[str, Any], Array]] = []
    for end, place in (("first", population.starts[:-1]), ("last", population.starts[1:] - 1)):
        ours = population.day[place]
        theirs = released.day[released.starts[:-1] if end == "first" else released.starts[1:] - 1]
        for near in NEAR:
            others = (_within(ours, ours, near) - 1) / max(1, ours.size - 1)
            scores.append(({"of": end, "days": near}, _within(theirs, ours, near) / max(1, theirs.size) - others))
    return scores


def _within(days: Array, centres: Array, near: int) -> Array:
    """How many of the days lie so near to each centre."""
    ordered = np.sort(days)
    after = np.searchsorted(ordered, centres + near, side="right")
    return np.asarray(after - np.searchsorted(ordered, centres - near, side="left"))
