"""Rows that could be a student, if a missing or starred cell may stand for any value."""

import numpy as np

from sharewell.contract import Risk
from sharewell.records.arrays import Array
from sharewell.records.combinations import Combinations
from sharewell.records.kind import K_IF_UNKNOWN_MATCHES

MOST_PATTERNS = 200  # different sets of unknown columns; beyond them a row is matched with its commonest ones only


def fewest_candidates(combinations: Combinations, first: Array, sizes: Array) -> tuple[int, int]:
    """Over all classes, the fewest rows that agree wherever both are known; and how many patterns were compared.

    Classes with the same unknown columns share a pattern; two patterns are compared on what both know, by one lookup.
    """
    codes = np.stack([column.codes[first] for column in combinations.quasi]).astype(np.int64)
    unknown = np.stack([np.isin(column.codes[first], _unknown_codes(column.values)) for column in combinations.quasi])
    patterns, which = np.unique(unknown, axis=1, return_inverse=True)
    which = which.reshape(-1)
    common = np.argsort(-np.bincount(which, weights=sizes), kind="stable")[:MOST_PATTERNS]
    candidates = np.zeros(first.size)
    for mine in range(patterns.shape[1]):
        rows = np.flatnonzero(which == mine)
        for other in {mine, *common.tolist()}:
            others = np.flatnonzero(which == other)
            known = ~(patterns[:, mine] | patterns[:, other])
            candidates[rows] += _agreeing(codes[known][:, rows], codes[known][:, others], sizes[others])
    return int(candidates.min()), min(patterns.shape[1], MOST_PATTERNS)


def _unknown_codes(values: tuple[str | None, ...]) -> list[int]:
    return [code for code, value in enumerate(values) if value in (None, "*")]


def _agreeing(mine: Array, others: Array, sizes: Array) -> Array:
    """For every column of `mine`: the total size of the columns of `others` that are equal."""
    if mine.shape[0] == 0:
        return np.full(mine.shape[1], sizes.sum(), float)
    _, inverse = np.unique(np.concatenate([mine, others], axis=1), axis=1, return_inverse=True)
    inverse = inverse.reshape(-1)
    totals = np.bincount(inverse[mine.shape[1] :], weights=sizes, minlength=int(inverse.max()) + 1)
    found: Array = totals[inverse[: mine.shape[1]]]
    return found


def has_unknown(combinations: Combinations) -> bool:
    return any(value in (None, "*") for column in combinations.quasi for value in column.values)


def unknown_cells(combinations: Combinations, ids: Array, sizes: Array) -> Risk:
    first = np.unique(ids, return_index=True)[1]
    fewest, compared = fewest_candidates(combinations, first, sizes)
    return Risk(
        measure=K_IF_UNKNOWN_MATCHES, attacker="prosecutor", value=float(fewest), n=int(sizes.sum()),
        setting={"patterns of missing cells": compared},
        story="The fewest rows that could be a student, if a missing or starred cell may stand for any value.",
    )  # fmt: skip
