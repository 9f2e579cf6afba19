"""What the release discloses of a student beyond what it says of everyone.

An attacker knows a student's quasi-identifiers, takes the released rows that agree with them, and guesses a sensitive
value, or a coarsened one from the others. The same guess is made for students who are not in the release: what works
on them as well is knowledge about people like them, not about them (Giomi et al. 2023, anonymeter's control).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from sharewell.contract import Measure, Risk
from sharewell.data.coded import Coded
from sharewell.records import published_cells
from sharewell.records.arrays import Array
from sharewell.records.hierarchies import Hierarchy, Label
from sharewell.records.kind import GUESSED_COARSENED, GUESSED_SENSITIVE
from sharewell.records.protection.settings import Settings
from sharewell.records.utility.protocols import labelled_rows, released_cells
from sharewell.stats.intervals import wilson

MOST_STUDENTS = 500  # attacked of either group
MOST_ROWS = 20_000  # of the release that the attacker searches
MOST_REHEARSED = 6_000  # students in a rehearsal
SECONDS = 1.0  # for its search


@dataclass(frozen=True, kw_only=True)
class ReleasedCells:
    """Released cells by quasi column, and the sensitive values beside them."""

    cells: Mapping[str, Sequence[Label]]
    sensitive: Mapping[str, Array]  # codes


def attack(
    release: ReleasedCells,
    hierarchies: Mapping[str, Hierarchy],
    columns: Sequence[Coded],
    sensitive: Sequence[Coded],
    members: Array,
    controls: Array,
    *,
    seed: int,
) -> list[Risk]:
    """One risk per sensitive column and per column that was coarsened: right about members; `chance`: about others.

    `members` and `controls` are places in the original `columns`.
    """
    draw = np.random.default_rng(seed)
    members, controls = (_some(group, MOST_STUDENTS, draw) for group in (members, controls))
    rows, covers = _search_view(release, hierarchies, draw)
    known = {c.name: np.array([hierarchies[c.name].position[value] for value in c.values])[c.codes] for c in columns}
    risks = []
    for column in sensitive:
        spread = np.zeros((rows.size, len(column.values)))
        spread[np.arange(rows.size), release.sensitive[column.name][rows]] = 1
        right = [_right(covers, known, None, spread, column.codes, group) for group in (members, controls)]
        risks.append(_risk(GUESSED_SENSITIVE, column.name, right, seed))
    for column in columns:
        if all(label in hierarchies[column.name].position for label in set(release.cells[column.name])):
            continue  # published as it is: there is nothing to guess
        spread = covers[column.name] / covers[column.name].sum(axis=1, keepdims=True)
        right = [_right(covers, known, column.name, spread, known[column.name], group) for group in (members, controls)]
        risks.append(_risk(GUESSED_COARSENED, column.name, right, seed))
    return risks


def _search_view(
    release: ReleasedCells, hierarchies: Mapping[str, Hierarchy], draw: np.random.Generator
) -> tuple[Array, dict[str, Array]]:
    """The released rows that are searched, and for every column which values each of them may stand for."""
    size = len(next(iter(release.cells.values())))
    rows = _some(np.arange(size), MOST_ROWS, draw)
    covers = {}
    for name, cells in release.cells.items():
        labels = list(dict.fromkeys(cells))
        table = np.stack([published_cells.covered(hierarchies[name], label) for label in labels])
        index = {label: number for number, label in enumerate(labels)}
        covers[name] = table[[index[cells[row]] for row in rows]].astype(np.float32)
    return rows, covers


def _right(
    covers: Mapping[str, Array], known: Mapping[str, Array], hidden: str | None, spread: Array,
    truth: Array, group: Array,
) -> Array:  # fmt: skip
    """Whether the guess about each student is right: the likeliest value among the rows that agree best."""
    right = np.zeros(group.size, bool)
    for number, student in enumerate(group):
        agree = np.zeros(spread.shape[0], np.float32)
        for name, cover in covers.items():
            if name != hidden:
                agree += cover[:, known[name][student]]
        votes = spread[agree == agree.max()].sum(axis=0)
        right[number] = int(votes.argmax()) == truth[student]
    return right


def _some(places: Array, most: int, draw: np.random.Generator) -> Array:
    return np.sort(draw.choice(places, most, replace=False)) if places.size > most else places


def _risk(measure: Measure, column: str, right: Sequence[Array], seed: int) -> Risk:
    members, controls = right
    low, high = wilson(int(members.sum()), members.size)
    return Risk(
        measure=measure,
        attacker="knows the other columns" if measure is GUESSED_COARSENED else "knows the quasi columns",
        value=float(members.mean()) if members.size else 0.0,
        low=low,
        high=high,
        chance=float(controls.mean()) if controls.size else None,
        n=members.size,
        seed=seed,
        setting={"column": column, "controls": controls.size},
        story=f"How often {column} of a released student is guessed right; chance is the same guess about students "
        "who are not in the release.",
    )


def rehearsed(table: pa.Table, settings: Settings) -> list[Risk]:
    """The attack on a release of two thirds of the students, made the same way; the others are the control."""
    draw = np.random.default_rng(settings.seed)
    places = _some(np.arange(table.num_rows), MOST_REHEARSED, draw)
    table = table.take(pa.array(places))
    members = np.sort(draw.choice(table.num_rows, max(1, 2 * table.num_rows // 3), replace=False))
    controls = np.setdiff1d(np.arange(table.num_rows), members)
    rows = labelled_rows(table, settings)
    limits = replace(settings.limits, k=max(1, min(settings.limits.k, members.size)))
    wanted = replace(settings, limits=limits, seconds=SECONDS)
    recoding = settings.recode(wanted.request(rows.rows_of(members), rows.hierarchies))
    cells = dict(zip(settings.quasi, released_cells(rows, recoding, members), strict=True))
    release = ReleasedCells(cells=cells, sensitive={column.name: column.codes[members] for column in rows.others})
    return attack(release, rows.hierarchies, rows.columns, rows.others, members, controls, seed=settings.seed)
