"""Someone knows the original log and how the release was made, and so the rows that every student must have in it.

Students with the same rows cannot be separated, and all others can: no attacker who looks at points
and at how often they occur comes further.
"""

import numpy as np

from sharewell.traces.arrays import Array
from sharewell.traces.attacks.view import View
from sharewell.traces.row_classes import trace_hashes


def know(view: View, targets: Array, known: int, seed: int) -> tuple[Array]:
    """A hash of the released rows of each target."""
    return (trace_hashes(view.released)[targets],)


def score(view: View, knowledge: tuple[Array]) -> Array:
    """Whether a candidate has these rows."""
    return np.asarray(knowledge[0][:, None] == view.once(_released))


def _released(view: View) -> Array:
    return np.asarray(trace_hashes(view.released)[view.present])
