"""Which items the same students do: pairs of items, released against original, beside two real halves."""

from collections.abc import Iterator

import numpy as np
from scipy.sparse import csr_matrix

from sharewell.contract import Utility
from sharewell.responses.kind import TOGETHER_OFF
from sharewell.responses.log import Log
from sharewell.responses.utility.histograms import total_variation
from sharewell.stats.arrays import Array

MOST_ITEMS = 400  # the commonest: pairs of rare items are a matter of luck in both


def of_pairs(original: Log, fake: Log, *, seed: int) -> Iterator[Utility]:
    """How far the shares of pairs of items lie apart; the baseline is how far two halves of the original do."""
    times = np.bincount(original.item, minlength=len(fake.items))
    common = np.sort(np.argsort(-times, kind="stable")[:MOST_ITEMS])
    if original.lengths.size < 4 or common.size < 2:
        return
    half = np.random.default_rng([seed, 9]).permutation(original.lengths.size) % 2 == 0
    ours, theirs = (_pairs(log, common) for log in (original, fake))
    halves = [_pairs(original.only(part), common) for part in (half, ~half)]
    yield Utility(
        measure=TOGETHER_OFF,
        value=total_variation(ours, theirs),
        n=int(common.size),
        baseline=total_variation(*halves),
        seed=seed,
        story="Total variation over pairs of items that one student did; the original's value is between two halves.",
    )


def _pairs(log: Log, common: Array) -> Array:
    """For every two of these items the number of students who did both."""
    place = np.full(len(log.items), -1)
    place[common[common < place.size]] = np.arange(int((common < place.size).sum()))
    where = place[log.item]
    rows, columns = log.student[where >= 0], where[where >= 0]
    did = csr_matrix((np.ones(rows.size), (rows, columns)), shape=(log.lengths.size, common.size))
    did.data[:] = 1.0
    both = np.asarray((did.T @ did).todense())
    found: Array = both[np.triu_indices(common.size, 1)]
    return found
