"""Who could be singled out, by what others may know of them.

Missing and starred cells are read in two ways. As a value of their own they match only each other: the stricter
reading, and the one that limits are held to. As unknown they match everything, which is what an attacker who looks
for a certain student has to assume; the smallest number of candidates is reported beside it.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from sharewell.contract import Results, Risk
from sharewell.data import engine
from sharewell.records import outcomes, uniques
from sharewell.records.combinations import Combinations, combine
from sharewell.records.diversity import closeness, is_ordered, tree_closeness
from sharewell.records.hierarchies import gather
from sharewell.records.matching import fewest_candidates
from sharewell.stats.intervals import wilson


def assess(
    table: Any,
    *,
    quasi: Sequence[str],
    sensitive: Sequence[str] = (),
    target: str | Sequence[str] | None = None,
    population: Any = None,
    hierarchies: Any = None,
    seed: int = 0,
) -> Results[Risk]:
    """The risk to the students of a table, as it stands.

    `population` is a wider table with the same quasi columns (the whole school, say) for the journalist, who does not
    know whether a student is in this one. `hierarchies` of sensitive columns add the hierarchical distance to t.
    """
    source = engine.table(table)
    combinations = combine(source, tuple(quasi), tuple(sensitive))
    ids, sizes = class_sizes(combinations)
    risks = [*size_risks(sizes), journalist(combinations, ids, sizes, population)]
    risks += [unknown_cells(combinations, ids, sizes)] if has_unknown(combinations) else []
    risks += sensitive_risks(combinations, ids, sizes, hierarchies)
    risks += one_outcome_risks(source, quasi, outcomes.as_columns(target))
    return Results(risks + uniques.minimal(combinations, ids, sizes, seed=seed))


def class_sizes(combinations: Combinations) -> tuple[np.ndarray, np.ndarray]:
    """The class of every combination, and the rows of every class."""
    changes = np.zeros(combinations.counts.size - 1, bool)
    for column in combinations.quasi:  # combinations come sorted by the quasi-identifiers
        changes |= np.diff(column.codes) != 0
    ids = np.concatenate([[0], np.cumsum(changes)]).astype(np.int64)
    return ids, np.bincount(ids, weights=combinations.counts).astype(np.int64)


def size_risks(sizes: np.ndarray) -> list[Risk]:
    rows, smallest = int(sizes.sum()), float(sizes.min())
    alone = int((sizes == 1).sum())
    low, high = wilson(alone, rows)
    return [
        Risk(
            name="k", attacker="prosecutor", value=smallest, n=rows, better="higher",
            setting={"classes": int(sizes.size), "median class": float(np.median(np.repeat(sizes, sizes)))},
            story="The smallest number of students who look alike in what others may know of them.",
        ),
        Risk(
            name="alone", attacker="prosecutor", value=alone / rows, low=low, high=high, n=rows,
            story="The share of students whom nobody else looks like.",
        ),
        Risk(
            name="prosecutor", attacker="prosecutor", value=1 / smallest, n=rows, chance=1 / rows,
            story="Someone who knows that a certain student is in the table looks for them: the chance to be right "
            "about the student who is easiest to find.",
        ),
        Risk(
            name="marketer", attacker="marketer", value=sizes.size / rows, n=rows, chance=1 / rows,
            story="Someone matches every row with a list of everybody: the share of students they get right.",
        ),
    ]  # fmt: skip


def journalist(combinations: Combinations, ids: np.ndarray, sizes: np.ndarray, population: Any) -> Risk:
    """The chance to be right about anyone, when the table is a part of a wider population (El Emam and Dankar 2008)."""
    rows = int(sizes.sum())
    smallest, story = float(sizes.min()), "No wider population was given, so this is the upper bound: the prosecutor's."
    if population is not None:
        wider = combine(engine.table(population), [column.name for column in combinations.quasi])
        smallest = float(_sizes_in(wider, combinations, ids, sizes).min())
        story = "Someone who does not know whether a student is in the table wants to show that anyone can be found."
    return Risk(name="journalist", attacker="journalist", value=1 / smallest, n=rows, chance=1 / rows, story=story)


def _sizes_in(wider: Combinations, inside: Combinations, ids: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """How many of the population look like each class: never fewer than the class itself."""
    seen: dict[tuple[str | None, ...], int] = {}
    for place, rows in enumerate(wider.counts.tolist()):
        key = tuple(column.values[column.codes[place]] for column in wider.quasi)
        seen[key] = seen.get(key, 0) + rows
    first = np.unique(ids, return_index=True)[1]
    keys = [tuple(column.values[column.codes[place]] for column in inside.quasi) for place in first]
    return np.maximum([seen.get(key, 0) for key in keys], sizes)


def has_unknown(combinations: Combinations) -> bool:
    return any(value in (None, "*") for column in combinations.quasi for value in column.values)


def unknown_cells(combinations: Combinations, ids: np.ndarray, sizes: np.ndarray) -> Risk:
    first = np.unique(ids, return_index=True)[1]
    fewest, compared = fewest_candidates(combinations, first, sizes)
    return Risk(
        name="k, unknown cells match", attacker="prosecutor", value=float(fewest), n=int(sizes.sum()), better="higher",
        setting={"patterns of missing cells": compared},
        story="The fewest rows that could be a student, if a missing or starred cell may stand for any value.",
    )  # fmt: skip


def sensitive_risks(
    combinations: Combinations, ids: np.ndarray, sizes: np.ndarray, hierarchies: Any = None
) -> list[Risk]:
    risks = []
    for column in combinations.others:
        held = np.zeros((sizes.size, len(column.values)), np.int64)
        np.add.at(held, (ids, column.codes), combinations.counts)
        risks += _diversity(column.name, held) + _distances(column.name, column.values, held, hierarchies)
    return risks


def _diversity(name: str, held: np.ndarray) -> list[Risk]:
    """Distinct, entropy and recursive l-diversity (Machanavajjhala et al. 2007, §4)."""
    shares = held / held.sum(axis=1, keepdims=True)
    entropy = -(shares * np.log(np.where(shares > 0, shares, 1))).sum(axis=1)
    ordered = -np.sort(-held, axis=1)
    rest = ordered[:, 1:].sum(axis=1)
    worst = float((ordered[:, 0] / np.maximum(rest, 0.5)).max())
    common: dict[str, Any] = {"attacker": "knows the class", "n": int(held.sum()), "setting": {"column": name}}
    return [
        Risk(
            name="l", value=float((held > 0).sum(axis=1).min()), better="higher", **common,
            story="The smallest number of different values in a class of students.",
        ),
        Risk(
            name="l, entropy", value=float(np.exp(entropy.min())), better="higher", **common,
            story="The same, counting values by how evenly they occur.",
        ),
        Risk(
            name="c, recursive with l = 2", value=worst, **common,
            story="How often the commonest value of a class occurs for every other value in it, at worst (a class with "
            "nothing else counts half a student).",
        ),
    ]  # fmt: skip


def _distances(name: str, values: tuple[str | None, ...], held: np.ndarray, hierarchies: Any) -> list[Risk]:
    ordered = is_ordered(values)
    found = {"ordered" if ordered else "equal": closeness(held, ordered=ordered).max()}
    if ordered:
        found["equal"] = closeness(held, ordered=False).max()
    if isinstance(hierarchies, dict) and name in hierarchies:
        made = gather({name: hierarchies[name]}, {name: values}, {name: held.sum(axis=0)})[name]
        place = [made.position[value] for value in values]
        found["hierarchical"] = tree_closeness(held, made.groups[:, place]).max()
    return [
        Risk(
            name="t" if number == 0 else f"t, {distance} distance",
            attacker="knows the class", value=float(far), n=int(held.sum()),
            setting={"column": name, "distance": distance},
            story="How far the values in a class lie from those of everyone (earth mover's distance).",
        )
        for number, (distance, far) in enumerate(found.items())
    ]  # fmt: skip


def one_outcome_risks(table: Any, quasi: Sequence[str], targets: Sequence[str]) -> list[Risk]:
    """For every target: the share of students in classes that hold one outcome only."""
    risks = []
    for target in targets:
        if target in quasi:
            continue
        found = combine(table, tuple(quasi), (target,))
        ids, sizes = class_sizes(found)
        kinds = np.bincount(ids)  # combinations differ in the outcome only, within a class
        hits = int(sizes[kinds == 1].sum())
        low, high = wilson(hits, int(sizes.sum()))
        risks.append(
            Risk(
                name="one outcome", attacker="knows the class", value=hits / int(sizes.sum()), low=low, high=high,
                n=int(sizes.sum()), setting={"column": target},
                story="The share of students whose class holds one outcome only: finding the class tells it.",
            )
        )  # fmt: skip
    return risks
