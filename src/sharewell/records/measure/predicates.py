"""Descriptions that fit exactly one student, chosen from the release alone.

Cohen (USENIX Security 2022) calls it downcoding and predicate singling out: a recoding that is as fine as it can be
says why it could not be finer, so that a label tells more than the values under it. For every class the attacker takes
the description "in this class, and the value of this column is among these" that most likely fits exactly one student,
from the released labels and the distribution of the column. Where labels shrink to what occurs in their class, the
attacker reckons with that as well. Without the release the best description of one in s students fits exactly one with
chance (1 − 1/s)^(s − 1) (Cohen and Nissim 2020, §2); what works more often than that was given away by the labels.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from sharewell.contract import Risk
from sharewell.records import published_cells
from sharewell.records.arrays import Array
from sharewell.records.combinations import Combinations, code_column
from sharewell.records.hierarchies import Hierarchy
from sharewell.records.kind import PREDICATE
from sharewell.stats.intervals import wilson

DRAWS = 600  # imagined classes from which the chance of a description is estimated
FEWEST_DRAWS = 20  # of them that agree with the label, or the label's rule is left out
MOST_CLASSES = 600
Cover = Callable[[Array, Array], Array]  # from the first and the last place of a class to the number of its label


@dataclass(frozen=True, kw_only=True)
class Labelled:
    """One column: the place of every row's true value, its label's number, how common each place is, and the rule.

    `inside[label]` says which places a label covers; `cover` is None where a label does not depend on its class.
    """

    name: str
    true: Array
    label: Array
    inside: Mapping[int, Array]
    margin: Array
    cover: Cover | None = None


@dataclass(frozen=True, kw_only=True)
class Description:
    """A set of places, and the estimated chance that it fits exactly one of the class."""

    places: Array = field(repr=False)
    chance: float


def singled_out(
    before: pa.Table, after: pa.Table, known: Combinations, hierarchies: Mapping[str, Hierarchy], *, seed: int
) -> Risk:
    """The attack on released rows, whole classes of them, beside the original ones; `known` gives the distributions."""
    classes = np.zeros(after.num_rows, np.int64)
    columns = []
    for column in known.quasi:
        hierarchy, released = hierarchies[column.name], code_column(column.name, after[column.name])
        place = np.array([hierarchy.position[value] for value in column.values])
        margin = np.bincount(place[column.codes], weights=known.counts, minlength=len(hierarchy.leaves))
        original = code_column(column.name, before[column.name])
        columns.append(
            Labelled(
                name=column.name,
                true=np.array([hierarchy.position[value] for value in original.values])[original.codes],
                label=released.codes,
                inside={n: published_cells.covered(hierarchy, label) for n, label in enumerate(released.values)},
                margin=margin,
            )
        )
        classes = np.unique(classes * len(released.values) + released.codes, return_inverse=True)[1].reshape(-1)
    return attack(columns, classes, seed=seed)


def attack(columns: Sequence[Labelled], classes: Array, *, seed: int) -> Risk:
    """The share of classes in which the chosen description fits exactly one student.

    Classes whose labels are all single values are left out: there is nothing finer to say of them.
    """
    draw = np.random.default_rng(seed)
    numbers, sizes = np.unique(classes, return_counts=True)
    order = draw.permutation(numbers[sizes > 1])
    known: dict[tuple[int, int, int], Description] = {}
    tried, hits, blind = 0, 0, 0.0
    for number in order:
        rows = np.flatnonzero(classes == number)
        labels = [int(column.label[rows[0]]) for column in columns]
        found = [_described(columns, c, label, rows.size, known, draw) for c, label in enumerate(labels)]
        best = max(range(len(found)), key=lambda c: found[c].chance)
        if found[best].chance <= 0 or tried >= MOST_CLASSES:
            continue
        tried += 1
        hits += int(found[best].places[columns[best].true[rows]].sum()) == 1
        blind += (1 - 1 / rows.size) ** (rows.size - 1)
    low, high = wilson(hits, tried)
    return Risk(
        measure=PREDICATE,
        attacker="knows the release and the distribution of every column",
        value=hits / max(tried, 1),
        low=low,
        high=high,
        chance=blind / max(tried, 1),
        n=tried,
        seed=seed,
        story="For every group of look-alikes somebody chooses a finer description that should fit exactly one of "
        "them; chance is the best that can be done without the labels.",
    )


def _described(
    columns: Sequence[Labelled], c: int, label: int, size: int, known: dict[tuple[int, int, int], Description],
    draw: np.random.Generator,
) -> Description:  # fmt: skip
    if (c, label, size) not in known:
        known[c, label, size] = _best(columns[c], label, size, draw)
    return known[c, label, size]


def _best(column: Labelled, label: int, size: int, draw: np.random.Generator) -> Description:
    """The set of places under a label that most likely holds exactly one of `size` students."""
    inside = np.flatnonzero(column.inside[label])
    weights = column.margin[inside].astype(float)
    nothing = Description(places=np.zeros(column.margin.size, bool), chance=0.0)
    if inside.size < 2 or weights.sum() <= 0:
        return nothing
    drawn = np.sort(_imagined(column, label, size, inside, weights / weights.sum(), draw), axis=1)
    alone = [float(((drawn == place).sum(axis=1) == 1).mean()) for place in inside]
    lowest = [float(((drawn[:, 0] <= place) & (drawn[:, 1] > place)).mean()) for place in inside]
    highest = [float(((drawn[:, -1] >= place) & (drawn[:, -2] < place)).mean()) for place in inside]
    which = int(np.argmax([max(alone), max(lowest), max(highest)]))
    chances = (alone, lowest, highest)[which]
    at = int(np.argmax(chances))
    places = nothing.places.copy()
    places[(inside[at : at + 1], inside[: at + 1], inside[at:])[which]] = True
    return Description(places=places, chance=chances[at])


def _imagined(
    column: Labelled, label: int, size: int, inside: Array, shares: Array, draw: np.random.Generator
) -> Array:
    """Classes as they may have been: values as common as everywhere, that need just this label."""
    drawn: Array = draw.choice(inside, (DRAWS, size), p=shares)
    if column.cover is None:
        return drawn
    agree = column.cover(drawn.min(axis=1), drawn.max(axis=1)) == label
    if agree.sum() >= FEWEST_DRAWS:
        drawn = drawn[agree]
        return drawn
    drawn[:, 0], drawn[:, -1] = inside[0], inside[-1]  # a label that few would need: somebody stands at its ends
    agree = column.cover(drawn.min(axis=1), drawn.max(axis=1)) == label
    return np.compress(agree, drawn, axis=0) if agree.sum() >= FEWEST_DRAWS else drawn
