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
from sharewell.stats.compiled import njit

ROUNDS = 5
PAIRS = 20  # pairs of rows that are looked at, for each row there is


def settled(item: Array, student: Array, correct: Array, difficulty: Array, generator: np.random.Generator) -> Array:
    """The answers with a few of them turned, each item's drawn from its own rows."""
    correct, items = correct.copy(), difficulty.size
    there = np.isfinite(difficulty) & (np.bincount(item, minlength=items) > 0)
    aim = np.where(np.isfinite(difficulty), difficulty, 0.0)
    pull = aim[there].mean() - aim
    order = np.argsort(item, kind="stable")
    starts = np.searchsorted(item[order], np.arange(items + 1))
    for _ in range(ROUNDS):
        who, what, right, trials = cells_of(student, item, correct, items)
        ability = abilities_given(who, aim[what], right, trials, int(student[-1]) + 1)
        chance = chance_of(ability[who], aim[what])
        over = np.bincount(what, weights=right - trials * chance, minlength=items) - pull
        too_able = np.bincount(what, weights=trials * chance * (1 - chance), minlength=items) * ability.mean()
        over = over + too_able
        _turn(correct, order, starts, np.where(there, np.rint(over), 0).astype(np.int64), generator)
    return correct


@njit(cache=True)
def _turn(correct: Array, order: Array, starts: Array, over: Array, generator: np.random.Generator) -> None:
    """Turn so many right answers of each item into wrong ones (wrong into right where negative), drawn at random."""
    for item in range(over.size):
        wanted, turned = 1 if over[item] > 0 else 0, abs(over[item])
        first, size = starts[item], starts[item + 1] - starts[item]
        there = 0
        for place in range(size):
            there += correct[order[first + place]] == wanted
        left = min(turned, there)
        for place in range(size):  # each of those that are there with the same chance (Fan, Muller, Rezucha 1962)
            row = order[first + place]
            if correct[row] == wanted:
                if generator.random() * there < left:
                    correct[row] = 1 - wanted
                    left -= 1
                there -= 1


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
    order = np.argsort(alike, kind="stable")
    starts = np.searchsorted(alike[order], np.arange(int(alike.max()) + 2))
    _exchange(correct, alike, attempt, order, starts, over, generator)
    return correct


@njit(cache=True)
def _exchange(
    correct: Array,
    alike: Array,
    attempt: Array,
    order: Array,
    starts: Array,
    over: Array,
    generator: np.random.Generator,
) -> None:
    """Look at random pairs of rows that are alike; what is turned in one of them is turned back in the other."""
    left = np.maximum(over, 0).sum()
    for _ in range(PAIRS * alike.size):
        if left == 0:
            return
        one = int(generator.random() * alike.size)
        if correct[one] == 0 or over[attempt[one]] <= 0:
            continue
        first, size = starts[alike[one]], starts[alike[one] + 1] - starts[alike[one]]
        other = order[first + int(generator.random() * size)]
        if correct[other] == 1 or over[attempt[other]] >= 0:
            continue
        correct[one], correct[other] = 0, 1
        over[attempt[one]] -= 1
        over[attempt[other]] += 1
        left -= 1
