"""Take luck out of drawn answers: a few are turned until an analyst's Rasch fit finds the difficulties aimed at.

Drawn answers scatter as those of real students do, and that scatter hides who was learnt from as noise does; but nobody
can draw it towards the mean afterwards, while an aim with noise has been (`stats.noise`). With as much noise in all,
what is aimed at and met lies nearer to the truth than what is drawn. The aims carry their noise already: meeting them
gives nothing away that they do not.

At the optimum of the Rasch fit the residuals of item j add up to mean(d) − d_j, the pull of its ridge (the mean is that
of the items that occur); those of a student add up to the ability. Abilities take up what all items have in common, so
that their mean, which is zero in the fit, shows it.

The same for the share of right answers at the first, second … attempt: within an item a right answer of an attempt that
has too many and a wrong one of an attempt that has too few change places, so that the item keeps its difficulty; after
both the student stays on the item or after both leaves it, so that as many stay after a wrong answer as did.
"""

import numpy as np

from sharewell.responses.protection.rasch import abilities_given, cells_of, chance_of
from sharewell.stats.arrays import Array

ROUNDS = 5
PAIRS = 20  # times that every row of an attempt with too many right answers is paired


def settled(item: Array, student: Array, correct: Array, difficulty: Array, generator: np.random.Generator) -> Array:
    """The answers with a few of them turned, each item's drawn from its own rows."""
    correct, items = correct.copy(), difficulty.size
    there = np.isfinite(difficulty) & (np.bincount(item, minlength=items) > 0)
    aim = np.where(np.isfinite(difficulty), difficulty, 0.0)
    pull = aim[there].mean() - aim
    for _ in range(ROUNDS):
        who, what, right, trials = cells_of(student, item, correct, items)
        ability = abilities_given(who, aim[what], right, trials, int(student[-1]) + 1)
        chance = chance_of(ability[who], aim[what])
        over = np.bincount(what, weights=right - trials * chance, minlength=items) - pull
        too_able = np.bincount(what, weights=trials * chance * (1 - chance), minlength=items) * ability.mean()
        over = over + too_able
        _turn(correct, item, np.where(there, np.rint(over), 0).astype(np.int64), generator)
    return correct


def _turn(correct: Array, item: Array, over: Array, generator: np.random.Generator) -> None:
    """Turn so many right answers of each item into wrong ones (wrong into right where negative), drawn at random."""
    row = np.flatnonzero((over[item] != 0) & (correct == (over[item] > 0)))
    row = row[np.argsort(item[row] + generator.random(row.size))]  # by item, and at random within it
    row = row[rank_within(item[row]) < np.abs(over)[item[row]]]
    correct[row] = 1 - correct[row]


def rank_within(key: Array) -> Array:
    """The place of every row within its key, from zero; keys come sorted."""
    first = np.flatnonzero(np.concatenate([[True], key[1:] != key[:-1]])) if key.size else np.zeros(0, dtype=np.int64)
    found: Array = np.arange(key.size) - np.repeat(first, np.diff(np.append(first, key.size)))
    return found


def settled_attempts(
    item: Array, student: Array, attempt: Array, correct: Array, curve: Array, generator: np.random.Generator
) -> Array:
    """The answers with pairs of one item exchanged until each attempt but the last, late ones, has its share right."""
    correct = correct.copy()
    times = np.bincount(attempt, minlength=curve.size)
    over = np.bincount(attempt, weights=correct, minlength=curve.size) - curve * times
    over = np.rint(over).astype(np.int64)
    over[-1] = -over[:-1].sum()  # late attempts take up what the others have too many or too few of
    alike = 2 * item.astype(np.int64)  # rows of one item after which students stay, or leave
    alike[:-1] += (item[1:] == item[:-1]) & (student[1:] == student[:-1])
    _exchange(correct, alike, attempt, over, generator)
    return correct


def _exchange(correct: Array, alike: Array, attempt: Array, over: Array, generator: np.random.Generator) -> None:
    """Draw random pairs of rows that are alike; what is turned in one of them is turned back in the other."""
    order = np.argsort(alike, kind="stable")
    starts = np.searchsorted(alike[order], np.arange(int(alike.max()) + 2))
    for _ in range(PAIRS):
        if not (over > 0).any():
            return
        one = np.flatnonzero((correct == 1) & (over[attempt] > 0))
        size = starts[alike[one] + 1] - starts[alike[one]]
        other = order[starts[alike[one]] + (generator.random(one.size) * size).astype(np.int64)]
        fits = (correct[other] == 0) & (over[attempt[other]] < 0)
        pairs = np.stack([one[fits], other[fits]])[:, generator.permutation(int(fits.sum()))]
        pairs = pairs[:, np.unique(pairs[1], return_index=True)[1]]  # no row twice
        for side, most in ((0, over), (1, -over)):  # as many of each attempt as it has too many, or too few
            pairs = pairs[:, np.argsort(attempt[pairs[side]] + generator.random(pairs.shape[1]))]
            pairs = pairs[:, rank_within(attempt[pairs[side]]) < most[attempt[pairs[side]]]]
        correct[pairs[0]], correct[pairs[1]] = 0, 1
        fewer, more = (np.bincount(attempt[side], minlength=over.size) for side in pairs)
        over = over - fewer + more
