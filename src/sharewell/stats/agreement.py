"""How far two raters agree beyond chance."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from scipy.special import ndtri


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """Share of equal ratings, and Cohen's kappa with its interval."""

    share: float
    kappa: float
    low: float
    high: float
    n: int


def cohen_kappa(first: Sequence[bool], second: Sequence[bool], *, confidence: float = 0.95) -> Agreement:
    """Cohen's kappa (Cohen 1960, eq. 1) with the large-sample interval of Fleiss, Cohen and Everitt (1969, eq. 13).

    Where both raters use one and the same category throughout, kappa is not defined: not a number.
    """
    if len(first) != len(second):
        raise ValueError("both raters must rate the same things")
    n = len(first)
    if n == 0:
        return Agreement(share=math.nan, kappa=math.nan, low=math.nan, high=math.nan, n=0)
    pairs = Counter((bool(a), bool(b)) for a, b in zip(first, second, strict=True))
    cell = {(a, b): pairs[a, b] / n for a in (False, True) for b in (False, True)}
    row = {a: cell[a, False] + cell[a, True] for a in (False, True)}
    column = {b: cell[False, b] + cell[True, b] for b in (False, True)}
    observed = cell[True, True] + cell[False, False]
    expected = sum(row[a] * column[a] for a in (False, True))
    if expected >= 1:
        return Agreement(share=observed, kappa=math.nan, low=math.nan, high=math.nan, n=n)
    kappa = (observed - expected) / (1 - expected)
    agreeing = sum(cell[a, a] * ((1 - expected) - (row[a] + column[a]) * (1 - observed)) ** 2 for a in (False, True))
    differing = (1 - observed) ** 2 * sum(cell[a, not a] * (column[a] + row[not a]) ** 2 for a in (False, True))
    correction = (observed * expected - 2 * expected + observed) ** 2
    variance = max(agreeing + differing - correction, 0.0) / (n * (1 - expected) ** 4)
    half = float(ndtri(0.5 + confidence / 2)) * math.sqrt(variance)
    return Agreement(share=observed, kappa=kappa, low=kappa - half, high=min(kappa + half, 1.0), n=n)
