"""Latent groups of items, for logs that name no skills: items with the same neighbours go together."""

import numpy as np

from sharewell.responses.log import Log
from sharewell.responses.steps_taken import step_keys
from sharewell.stats.arrays import Array

FEWEST = 400  # items from which on groups are worth having
DIMENSIONS = 16
SEED = 0  # of the clustering alone; it protects nothing


def latent_groups(log: Log, *, m: int) -> Array | None:
    """A group per item by spectral clustering of the step graph; None for small item sets.

    The graph joins items that some student did one after the other, scaled by their degrees (Ng, Jordan, Weiss 2001).
    """
    used = np.unique(log.item)
    if used.size < FEWEST:
        return None
    from sklearn.cluster import MiniBatchKMeans

    embedded = _embedding(log, used)
    groups = int(np.clip(np.sqrt(used.size), 2, 256))
    labels = MiniBatchKMeans(n_clusters=groups, random_state=SEED, n_init=3).fit_predict(embedded)
    group = np.zeros(len(log.items), dtype=np.int32)
    group[used] = labels
    return group


def _embedding(log: Log, used: Array) -> Array:
    from scipy.sparse import coo_matrix, diags
    from scipy.sparse.linalg import svds

    keys = step_keys(log)[0]
    place = np.zeros(len(log.items), dtype=np.int64)
    place[used] = np.arange(used.size)
    one, other = place[keys // len(log.items)], place[keys % len(log.items)]
    graph = coo_matrix((np.ones(keys.size), (one, other)), shape=(used.size, used.size)).tocsr()
    graph = graph + graph.T
    degree = np.asarray(graph.sum(axis=1)).ravel() + graph.sum() / used.size
    scale = diags(1 / np.sqrt(degree))
    start = np.full(used.size, 1 / np.sqrt(used.size))
    vectors, values, _ = svds(scale @ graph @ scale, k=min(DIMENSIONS, used.size - 2), v0=start)
    embedded = vectors * values
    found: Array = embedded / np.maximum(np.linalg.norm(embedded, axis=1, keepdims=True), 1e-12)
    return found
