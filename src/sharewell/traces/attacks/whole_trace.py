"""Someone holds everything that a student did, from another copy of the log, and looks for the trace most like it.

Two releases of one log are joined in this way, and so is a release with the platform's own records. All points and how
often each occurred are compared by the cosine of the roots of counts.
"""

import numpy as np
from scipy.sparse import csr_matrix

from sharewell.traces.arrays import Array
from sharewell.traces.attacks.view import View
from sharewell.traces.log import Log


def know(view: View, targets: Array, known: int, seed: int) -> tuple[csr_matrix]:
    """The whole trace of each target."""
    return (_traces(view.known)[targets],)


def score(view: View, knowledge: tuple[csr_matrix]) -> Array:
    """Cosines with all candidates."""
    return np.asarray((knowledge[0] @ view.once(_released)).toarray())


def _released(view: View) -> csr_matrix:
    return csr_matrix(_traces(view.released)[view.present].T)


def _traces(log: Log) -> csr_matrix:
    """Roots of the numbers of events, students × points, of unit length."""
    roots: Array = np.sqrt(log.events.astype(float))
    length = np.sqrt(np.bincount(log.owners, weights=log.events, minlength=log.students))
    shape = (log.students, len(log.keys))
    return csr_matrix((roots / length[log.owners], log.points, log.starts), shape=shape)
