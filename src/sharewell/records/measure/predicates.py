"""Descriptions that fit exactly one student, chosen from the release alone.

Cohen (USENIX Security 2022) calls it downcoding and predicate singling out: a recoding that is as fine as it can be
says why it could not be finer, so that a label says more than the values under it. For every class the attacker takes
the descriptions "in this class, and the value of this column is among these" that most likely fit exactly one student,
from the released labels and the distribution of the column. Where labels shrink to what occurs in their class, the
attacker reckons with that; a second one reckons with cuts that were not made: a class of 2k students that was not
divided by a column has fewer than k on one side of every cut. Without the release the best description of one in s
students fits exactly one with chance (1 − 1/s)^(s − 1) (Cohen and Nissim 2020, §2); what works more often than that was
given away. Both are reported as shares of the students: larger classes give fewer of them away.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa

from sharewell.contract import Risk
from sharewell.data.coded import code_column
from sharewell.records import published_cells
from sharewell.records.arrays import Array
from sharewell.records.combinations import Combinations
from sharewell.records.hierarchies import Hierarchy
from sharewell.records.kind import PREDICATE
from sharewell.stats.intervals import wilson

DRAWS = 600  # imagined classes from which the chance of a description is estimated
FEWEST_DRAWS = 20  # of them that agree with the label, or the label's rule is left out
MOST_CLASSES = 600
NEARLY = 0.05  # descriptions whose chance is this close to the best one's: the attacker takes any of them
KNOWS = "knows the release and the distribution of every column"
DOWNCODES = "knows these, and how groups are divided"
Cover = Callable[[Array, Array], Array]  # from the first and the last place of a class to the number of its label


@dataclass(frozen=True, kw_only=True)
class LabelledColumn:
    """One column: the place of every row's true value, its label's number, how common each place is, and the rule.

    `inside[label]` says which places a label covers; `cover` is None where a label does not depend on its class.
    `ordered`: cuts fall between neighbouring places; otherwise around single ones.
    """

    name: str
    true: Array
    label: Array
    inside: Mapping[int, Array]
    margin: Array
    cover: Cover | None = None
    ordered: bool = True


@dataclass(frozen=True, kw_only=True)
class Description:
    """A set of places, and the estimated chance that it fits exactly one of the class."""

    places: Array = field(repr=False)
    chance: float


Draw = tuple[int | None, np.random.Generator]
Known = dict[tuple[int, int, int], list[Description]]  # by column, label and size


def singled_out(
    before: pa.Table, after: pa.Table, known: Combinations, hierarchies: Mapping[str, Hierarchy], *, k: int, seed: int
) -> list[Risk]:
    """Both attackers on released rows, whole classes of them, beside the original ones; `known` has distributions."""
    classes = np.zeros(after.num_rows, np.int64)
    columns = []
    for column in known.quasi:
        hierarchy, released = hierarchies[column.name], code_column(column.name, after[column.name])
        place = np.array([hierarchy.position[value] for value in column.values])
        margin = np.bincount(place[column.codes], weights=known.counts, minlength=len(hierarchy.leaves))
        original = code_column(column.name, before[column.name])
        columns.append(
            LabelledColumn(
                name=column.name,
                true=np.array([hierarchy.position[value] for value in original.values])[original.codes],
                label=released.codes,
                inside={n: published_cells.covered(hierarchy, label) for n, label in enumerate(released.values)},
                margin=margin,
                ordered=hierarchy.ordered,
            )
        )
        classes = np.unique(classes * len(released.values) + released.codes, return_inverse=True)[1].reshape(-1)
    plain = attack(columns, classes, seed=seed)
    return [plain, replace(attack(columns, classes, uncut=2 * k, seed=seed), attacker=DOWNCODES)]


def attack(columns: Sequence[LabelledColumn], classes: Array, *, uncut: int | None = None, seed: int) -> Risk:
    """The share of students whom the chosen descriptions single out, each in its class.

    Classes whose labels are all single values are left out: there is nothing finer to say of them. So are those of
    nothing but `*`: what can be said of them comes from the columns' distributions, not from the release.
    `uncut`: from this size on a class would have been divided, had a cut left half as many students on either side.
    """
    draw = np.random.default_rng(seed)
    numbers, sizes = np.unique(classes, return_counts=True)
    known: Known = {}
    hits: list[float] = []
    blind, students = 0.0, 0
    for number in draw.permutation(numbers[sizes > 1]):
        if len(hits) >= MOST_CLASSES:
            break
        rows = np.flatnonzero(classes == number)
        labels = [int(column.label[rows[0]]) for column in columns]
        if all(column.inside[label].all() for column, label in zip(columns, labels, strict=True)):
            continue
        described = [
            (one, columns[c])
            for c, label in enumerate(labels)
            for one in _described(columns, c, label, rows.size, known, (uncut, draw))
        ]
        best = max((one.chance for one, _ in described), default=0.0)
        if best <= 0:
            continue
        fits = [one.places[column.true[rows]].sum() == 1 for one, column in described if one.chance >= best - NEARLY]
        hits.append(float(np.mean(fits)))
        blind += (1 - 1 / rows.size) ** (rows.size - 1)
        students += rows.size
    risk = _risk(np.array(hits), blind, students, seed)
    if classes.size:
        return risk
    return replace(risk, value=math.nan, low=math.nan, high=math.nan)  # an attacker who saw no row has not failed


def _risk(hits: Array, blind: float, students: int, seed: int) -> Risk:
    """Hits by class, each a mean over descriptions that are equally good to the attacker, as shares of the students."""
    tried, value = max(hits.size, 1), float(hits.mean()) if hits.size else 0.0
    spread = float(hits.var()) if hits.size else 0.0
    worth = tried * value * (1 - value) / spread if spread > 0 else tried  # Korn and Graubard 1998: effective number
    low, high = wilson(value * worth, worth) if hits.size else (0.0, 0.0)
    share = tried / max(students, 1)
    return Risk(
        measure=PREDICATE,
        attacker=KNOWS,
        value=value * share,
        low=low * share,
        high=high * share,
        chance=blind / max(students, 1),
        n=students,
        seed=seed,
        setting={"groups": hits.size},
        story="For every group of look-alikes somebody chooses a finer description that should fit exactly one of "
        "them; chance is the best that can be done without the labels.",
    )


def _described(
    columns: Sequence[LabelledColumn], c: int, label: int, size: int, known: Known, draw: Draw
) -> list[Description]:
    if (c, label, size) not in known:
        known[c, label, size] = _best(columns[c], label, size, draw)
    return known[c, label, size]


def _best(column: LabelledColumn, label: int, size: int, draw: Draw) -> list[Description]:
    """The sets of places under a label that most likely hold exactly one of `size` students: one value, all up to
    one, or all from one."""
    inside = np.flatnonzero(column.inside[label])
    weights = column.margin[inside].astype(float)
    if inside.size < 2 or weights.sum() <= 0:
        return []
    drawn = np.sort(_imagined(column, label, size, inside, weights / weights.sum(), draw), axis=1)
    chances = {}
    for at, place in enumerate(inside):
        chances[at, at + 1] = float(((drawn == place).sum(axis=1) == 1).mean())
        chances[0, at + 1] = float(((drawn[:, 0] <= place) & (drawn[:, 1] > place)).mean())
        chances[at, inside.size] = float(((drawn[:, -1] >= place) & (drawn[:, -2] < place)).mean())
    least = max(chances.values()) - NEARLY
    return [
        Description(places=np.isin(np.arange(column.margin.size), inside[first:end]), chance=chance)
        for (first, end), chance in chances.items()
        if chance >= max(least, 1e-9)
    ]


def _imagined(column: LabelledColumn, label: int, size: int, inside: Array, shares: Array, draw: Draw) -> Array:
    """Classes as they may have been: values as common as everywhere, that need just this label and were not divided."""
    uncut, generator = draw
    drawn: Array = generator.choice(inside, (DRAWS, size), p=shares)
    if uncut is not None and size >= uncut:
        whole = ~_divisible(drawn, inside, uncut // 2, column.ordered)
        drawn = np.compress(whole, drawn, axis=0) if whole.sum() >= FEWEST_DRAWS else drawn
    if column.cover is None:
        return drawn
    agree = column.cover(drawn.min(axis=1), drawn.max(axis=1)) == label
    if agree.sum() >= FEWEST_DRAWS:
        return np.compress(agree, drawn, axis=0)
    drawn[:, 0], drawn[:, -1] = inside[0], inside[-1]  # a label that few would need: somebody stands at its ends
    agree = column.cover(drawn.min(axis=1), drawn.max(axis=1)) == label
    return np.compress(agree, drawn, axis=0) if agree.sum() >= FEWEST_DRAWS else drawn


def _divisible(drawn: Array, inside: Array, k: int, ordered: bool) -> Array:
    """Which of the imagined classes a cut could have divided into k and k."""
    found = np.zeros(len(drawn), bool)
    for place in inside:
        left = ((drawn <= place) if ordered else (drawn == place)).sum(axis=1)
        found |= (left >= k) & (drawn.shape[1] - left >= k)
    return found
