"""Entropy-based discretisation with a stopping rule by description length (Fayyad and Irani 1993)."""

import numpy as np

from sharewell.stats.arrays import Array


def cut_points(values: Array, classes: Array) -> Array:
    """Cut a series so that its parts separate the classes; nowhere if no cut is worth its description."""
    order = np.argsort(values, kind="stable")
    cuts: list[float] = []
    _split(values[order], classes[order], int(classes.max()) + 1, cuts)
    return np.sort(np.array(cuts))


def coded(values: Array, cuts: Array) -> Array:
    """The part that each value falls into; a cut belongs to the part above it."""
    return np.searchsorted(cuts, values, side="right")


def entropy(counts: Array) -> Array:
    """Entropy in bits of class counts along the last axis."""
    total = counts.sum(axis=-1, keepdims=True)
    share = counts / np.maximum(total, 1)
    logs = np.log2(share, out=np.zeros_like(share, dtype=float), where=share > 0)
    bits: Array = -(share * logs).sum(axis=-1)
    return bits


def symmetrical_uncertainty(first: Array, second: Array) -> float:
    """2·I(X;Y) / (H(X) + H(Y)), between 0 and 1 (Press et al. 1988)."""
    table = np.zeros((int(first.max()) + 1, int(second.max()) + 1))
    np.add.at(table, (first, second), 1)
    rows, columns = float(entropy(table.sum(axis=1))), float(entropy(table.sum(axis=0)))
    if rows + columns == 0:
        return 0.0
    return 2 * (rows + columns - float(entropy(table.ravel()))) / (rows + columns)


def _split(values: Array, classes: Array, kinds: int, cuts: list[float]) -> None:
    n = len(values)
    places = np.flatnonzero(values[1:] > values[:-1]) + 1
    if n < 2 or len(places) == 0:
        return
    left = np.cumsum(np.eye(kinds)[classes], axis=0)[places - 1]
    whole = np.bincount(classes, minlength=kinds).astype(float)
    right = whole - left
    weighted = (places * entropy(left) + (n - places) * entropy(right)) / n
    best = int(np.argmin(weighted))
    if not _worth(whole, left[best], right[best], float(weighted[best])):
        return
    place = places[best]
    cuts.append(float((values[place - 1] + values[place]) / 2))
    _split(values[:place], classes[:place], kinds, cuts)
    _split(values[place:], classes[place:], kinds, cuts)


def _worth(whole: Array, left: Array, right: Array, weighted: float) -> bool:
    """The gain must pay for telling the cut (Fayyad and Irani 1993, §3: the MDLP criterion)."""
    n = whole.sum()
    kinds = [np.count_nonzero(counts) for counts in (whole, left, right)]
    bits = [float(entropy(counts)) for counts in (whole, left, right)]
    delta = np.log2(3.0 ** kinds[0] - 2) - (kinds[0] * bits[0] - kinds[1] * bits[1] - kinds[2] * bits[2])
    return bool(bits[0] - weighted > (np.log2(n - 1) + delta) / n)
