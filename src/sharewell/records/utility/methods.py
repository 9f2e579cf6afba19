"""Every method for one table, risk against usefulness: unique rows matched against pairs of columns kept.

Both are those of NIST's Collaborative Research Cycle. Ranges and groups are read as draws inside.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from sharewell.contract import Curve, CurvePoint
from sharewell.errors import InputError, Refused
from sharewell.lab.threads import one_thread
from sharewell.records.kind import K_MARGINAL, MATCHED_MEAN
from sharewell.records.protection.cell_values import read_inside
from sharewell.records.protection.predicted_outcomes import guided
from sharewell.records.protection.settings import METHODS, Settings
from sharewell.records.synthetic.generator import Wanted, fit_table
from sharewell.records.utility.protocols import labelled_rows, released_cells
from sharewell.records.utility.yardsticks import comparison, k_marginal, unique_matches

MOST_STUDENTS = 2_000
DRAWS = 3
SHOWN = ("full-domain", "local", "stinar")

Made = tuple[str, Sequence[pa.Table]]  # its name, and several draws


def compare_methods(
    original: pa.Table, released: pa.Table, settings: Settings, categories: Sequence[str], epsilon: float
) -> Curve | None:
    """Set the release (rows of the original in the same order) beside what other methods make of the same students.

    Nothing but the release leaves. `epsilon` is what the audience allows.
    """
    names = list(dict.fromkeys([*settings.quasi, *settings.sensitive, *settings.keep]))
    if len(names) < 2:
        return None
    original, released = original.select(names), released.select(names)
    found: list[Made] = [(f"{settings.method}, k = {settings.limits.k}", _inside(original, released, settings))]
    found += [*_grouped(original, settings), *_invented(original, settings, categories, epsilon)]
    points = []
    for place, (label, tables) in enumerate(found):
        both = [comparison(original, made, names, categories, settings.seed) for made in tables]
        matched = [unique_matches(original, made).value for made in tables]
        kept = float(np.mean([k_marginal(one).value for one in both]))
        points.append(
            CurvePoint(
                label=label, strength=float(place), risk=float(np.mean(matched)), utility=kept, meets=True,
                chosen=place == 0,
            )
        )  # fmt: skip
    return Curve(
        strength="method",
        risk=MATCHED_MEAN,
        utility=K_MARGINAL,
        limit=None,
        points=tuple(points),
        n=original.num_rows,
        note=f"Each mark is a method, on {original.num_rows:,} students, the mean of {DRAWS} draws; ranges are read as "
        "values inside. Groups keep real rows, invented ones are nobody's: matches of those are chance. Set method and "
        "epsilon in the plan to choose another one.",
    )


def _inside(original: pa.Table, released: pa.Table, settings: Settings) -> list[pa.Table]:
    seeds = range(settings.seed, settings.seed + DRAWS)
    return [read_inside(original, released, settings.quasi, settings.hierarchies, seed) for seed in seeds]


def _grouped(original: pa.Table, settings: Settings) -> Iterator[Made]:
    """Groups of look-alikes under the same limits."""
    every = np.arange(original.num_rows)
    aims = settings if set(settings.targets) <= set(original.column_names) else replace(settings, targets=())
    rows = labelled_rows(original, aims)
    request = guided(aims.request(rows.rows_of(every), rows.hierarchies))
    for name in SHOWN:
        if name == settings.method or (name == "stinar" and not aims.targets):
            continue
        try:
            made = METHODS[name](request)
        except Refused:
            continue
        table = original
        for column, cells in zip(settings.quasi, released_cells(rows, made, every), strict=True):
            place = table.column_names.index(column)
            table = table.set_column(place, column, pa.array(cells, pa.string()))
        yield f"{name}, k = {settings.limits.k}", _inside(original, table, settings)


def _invented(original: pa.Table, settings: Settings, categories: Sequence[str], epsilon: float) -> Iterator[Made]:
    """Invented rows, where enough students share values to learn from."""
    wanted = Wanted(epsilon=epsilon, categories=tuple(name for name in categories if name in original.column_names))
    generator = np.random.default_rng(settings.secret)
    try:
        with one_thread():
            model = fit_table(original, wanted, generator)
            yield f"invented, ε = {epsilon:g}", [model.table(original.num_rows, generator) for _ in range(DRAWS)]
    except InputError:
        return
