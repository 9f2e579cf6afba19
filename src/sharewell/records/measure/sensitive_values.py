"""What a class gives away of the sensitive columns: how varied its values are, and how unlike everyone's."""

from typing import Any

import numpy as np

from sharewell.contract import Risk
from sharewell.records.arrays import Array
from sharewell.records.closeness import closeness, is_ordered, tree_closeness
from sharewell.records.combinations import Combinations
from sharewell.records.given_hierarchies import gather
from sharewell.records.kind import C_RECURSIVE, L_ENTROPY, T_EQUAL, T_TREE, L, T


def sensitive_risks(combinations: Combinations, ids: Array, sizes: Array, hierarchies: Any = None) -> list[Risk]:
    risks = []
    for column in combinations.others:
        counts = np.zeros((sizes.size, len(column.values)), np.int64)
        np.add.at(counts, (ids, column.codes), combinations.counts)
        risks += _diversity(column.name, counts) + _distances(column.name, column.values, counts, hierarchies)
    return risks


def _diversity(name: str, counts: Array) -> list[Risk]:
    """Distinct, entropy and recursive l-diversity (Machanavajjhala et al. 2007, §4)."""
    shares = counts / counts.sum(axis=1, keepdims=True)
    entropy = -(shares * np.log(np.where(shares > 0, shares, 1))).sum(axis=1)
    ordered = -np.sort(-counts, axis=1)
    rest = ordered[:, 1:].sum(axis=1)
    worst = float((ordered[:, 0] / np.maximum(rest, 0.5)).max())
    common: dict[str, Any] = {"attacker": "knows the class", "n": int(counts.sum()), "setting": {"column": name}}
    return [
        Risk(
            measure=L, value=float((counts > 0).sum(axis=1).min()), **common,
            story="The smallest number of different values in a class of students.",
        ),
        Risk(
            measure=L_ENTROPY, value=float(np.exp(entropy.min())), **common,
            story="The same, counting values by how evenly they occur.",
        ),
        Risk(
            measure=C_RECURSIVE, value=worst, **common,
            story="How often the commonest value of a class occurs for every other value in it, at worst (a class with "
            "nothing else counts half a student).",
        ),
    ]  # fmt: skip


def _distances(name: str, values: tuple[str | None, ...], counts: Array, hierarchies: Any) -> list[Risk]:
    ordered = is_ordered(values)
    found = {"ordered" if ordered else "equal": closeness(counts, ordered=ordered).max()}
    if ordered:
        found["equal"] = closeness(counts, ordered=False).max()
    if isinstance(hierarchies, dict) and name in hierarchies:
        made = gather({name: hierarchies[name]}, {name: values}, {name: counts.sum(axis=0)})[name]
        place = [made.position[value] for value in values]
        found["hierarchical"] = tree_closeness(counts, made.groups[:, place]).max()
    further = {"equal": T_EQUAL, "hierarchical": T_TREE}
    return [
        Risk(
            measure=T if number == 0 else further[distance],
            attacker="knows the class", value=float(far), n=int(counts.sum()),
            setting={"column": name, "distance": distance},
            story="How far the values in a class lie from those of everyone (earth mover's distance).",
        )
        for number, (distance, far) in enumerate(found.items())
    ]  # fmt: skip
