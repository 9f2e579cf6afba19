"""Full-domain search against brute force."""

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import sharewell as sw
from sharewell.data.coded import code_column
from sharewell.errors import Refused
from sharewell.records import Limits
from sharewell.records.combinations import Combinations
from sharewell.records.hierarchies import Hierarchy, from_rows
from sharewell.records.protection.lattice import search
from sharewell.records.protection.search_space import make_space

SUPPRESSION = (0.0, 0.02, 0.1)


def random_case(seed: int) -> tuple[pa.Table, dict[str, Hierarchy], int, float]:
    """A small table with skewed columns and random hierarchies that only merge."""
    draw = np.random.default_rng(seed)
    rows, columns = int(draw.integers(12, 201)), int(draw.integers(1, 6))
    table, hierarchies = {}, {}
    for number in range(columns):
        size = int(draw.integers(2, 8))
        weights = draw.dirichlet(np.full(size, 0.7))
        name = f"c{number}"
        table[name] = [f"v{v}" for v in draw.choice(size, rows, p=weights)]
        hierarchies[name] = random_hierarchy(name, size, draw)
    k = int(draw.integers(2, min(10, rows) + 1))
    return pa.table(table), hierarchies, k, float(draw.choice(SUPPRESSION))


def random_hierarchy(name: str, size: int, draw: np.random.Generator) -> Hierarchy:
    groups = np.arange(size)
    rows: list[list[str | None]] = [[f"v{v}"] for v in range(size)]
    for level in range(int(draw.integers(0, 3))):
        merged = draw.integers(0, max(2, groups.max()), groups.max() + 1)
        groups = merged[groups]
        for v in range(size):
            rows[v].append(f"g{level}-{groups[v]}")
    return from_rows(name, [[*row, "*"] for row in rows])


def brute_force(table: pa.Table, hierarchies: dict[str, Hierarchy], k: int, most: float) -> float:
    """The least loss over all nodes, row by row in plain Python."""
    names, rows = table.column_names, table.to_pylist()
    best = np.inf
    for node in product(*(range(hierarchies[name].height + 1) for name in names)):
        cells = [tuple(hierarchies[n].label(row[n], lv) for n, lv in zip(names, node, strict=True)) for row in rows]
        sizes: dict[tuple[Any, ...], int] = {}
        for cell in cells:
            sizes[cell] = sizes.get(cell, 0) + 1
        gone = [sizes[cell] < k for cell in cells]
        if sum(gone) > most * len(rows) + 1e-9:
            continue
        lost = 0.0
        for row, hidden in zip(rows, gone, strict=True):
            for name, level in zip(names, node, strict=True):
                leaves = hierarchies[name].leaves
                label = hierarchies[name].label(row[name], level)
                under = sum(hierarchies[name].label(leaf, level) == label for leaf in leaves)
                lost += 1.0 if hidden else (under - 1) / (len(leaves) - 1)
        best = min(best, lost / (len(rows) * len(names)))
    return best


@pytest.mark.parametrize("block", [0, 1, *(pytest.param(block, marks=pytest.mark.deep) for block in range(2, 10))])
def test_the_search_finds_the_least_loss_of_all_nodes(block: int) -> None:
    for seed in range(30 * block, 30 * block + 30):
        table, hierarchies, k, most = random_case(seed)
        columns = tuple(code_column(name, table[name]) for name in table.column_names)
        none = np.zeros((0, table.num_rows))
        rows = np.ones(table.num_rows, np.int64)
        space = make_space(Combinations(quasi=columns, others=(), counts=rows, sums=none, squares=none), hierarchies)
        found = search(space, Limits(k=k, max_suppressed=most), seconds=20, seed=0)
        assert found.proven
        assert found.best.loss == pytest.approx(brute_force(table, hierarchies, k, most), abs=1e-12), seed


def test_the_released_table_has_the_least_loss_and_keeps_k() -> None:
    for seed in range(1000, 1030):
        table, hierarchies, k, most = random_case(seed)
        kept = sw.records.anonymize(
            table,
            quasi=table.column_names,
            k=k,
            hierarchies=hierarchies,
            max_suppressed=most,
            seconds=20,
            method="full-domain",
        )
        assert kept.proven
        assert kept.loss == pytest.approx(brute_force(table, hierarchies, k, most), abs=1e-12), seed
        assert kept.suppressed <= most
        visible = [tuple(row.values()) for row in kept.table.to_pylist() if set(row.values()) != {"*"}]
        assert all(visible.count(row) >= k for row in set(visible))


def test_with_sensitive_columns_no_node_is_better() -> None:
    """l and t in the search: the best of all nodes by the independent recount, on small tables."""
    for seed in range(12):
        draw = np.random.default_rng(900 + seed)
        table = pa.table(
            {
                "a": draw.choice(["x", "y", "z"], 60, p=[0.6, 0.3, 0.1]),
                "b": [str(v) for v in draw.integers(0, 6, 60)],
                "s": draw.choice(["p", "q", "r"], 60, p=[0.7, 0.2, 0.1]),
            }
        )
        limits: dict[str, Any] = {"k": 3, "l": 2, "t": 0.35}
        kept = sw.records.anonymize(
            table, quasi=["a", "b"], sensitive=["s"], max_suppressed=0.1, **limits, method="full-domain"
        )
        assert kept.proven
        assert kept.loss == pytest.approx(best_with_limits(table, kept.hierarchies, 0.1, **limits), abs=1e-12)


def best_with_limits(
    table: pa.Table,
    hierarchies: Mapping[str, Hierarchy],
    most: float,
    *,
    k: int,
    l: int,  # noqa: E741
    t: float,
) -> float:
    rows = table.to_pylist()
    values = sorted({row["s"] for row in rows})
    whole = [sum(row["s"] == value for row in rows) / len(rows) for value in values]
    best = np.inf
    for node in product(*(range(hierarchies[name].height + 1) for name in ("a", "b"))):
        classes: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
        for row in rows:
            cell = tuple(hierarchies[n].label(row[n], lv) for n, lv in zip(("a", "b"), node, strict=True))
            classes.setdefault(cell, []).append(row)
        lost, gone = 0.0, 0
        for members in classes.values():
            shares = [sum(row["s"] == value for row in members) / len(members) for value in values]
            far = sum(abs(p - q) for p, q in zip(shares, whole, strict=True)) / 2
            bad = len(members) < k or sum(share > 0 for share in shares) < l or far > t + 1e-12
            gone += len(members) if bad else 0
            for row in members:
                costs = [
                    hierarchies[n].loss(lv)[hierarchies[n].position[row[n]]]
                    for n, lv in zip(("a", "b"), node, strict=True)
                ]
                lost += 2.0 if bad else sum(costs)
        if gone <= most * len(rows) + 1e-9:
            best = min(best, lost / (2 * len(rows)))
    return best


def test_a_lattice_too_large_to_settle_gives_its_best_and_says_so() -> None:
    draw = np.random.default_rng(5)
    table = pa.table({f"c{n}": draw.integers(0, 16, 120) for n in range(14)})
    kept = sw.records.anonymize(table, quasi=table.column_names, k=4, seconds=0.5, method="full-domain")
    again = sw.records.anonymize(table, quasi=table.column_names, k=4, seconds=0.5, method="full-domain")
    assert not kept.proven
    assert kept.k >= 4
    assert kept.levels == again.levels
    assert kept.loss < 1.0


def test_limits_that_nothing_can_meet_are_refused() -> None:
    table = pa.table({"a": ["x", "y", "z"]})
    with pytest.raises(Refused, match="cannot meet k = 5"):
        sw.records.anonymize(table, quasi=["a"], k=5, method="full-domain")
