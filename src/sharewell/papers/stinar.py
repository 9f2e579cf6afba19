"""Stinar, Bosch and Xiong (2024), "An Approach to Improve k-Anonymization Practices in Educational Data Mining".

The procedure of §3 on whole numbers: bins of 2, 4, 8 … neighbours, k-anonymity with ARX's default loss and no
suppressed rows, the method of §3.3.1, and a random forest and a logistic regression in three folds, scored by AUC.

What the paper does not print but its figures need, as Table A1 shows when it is reproduced: no row is suppressed, and
the loss is the geometric mean of ARX. A mean over cells gives G2 up for binary columns. For the authors' models AUC is
taken from predicted labels. Each k is a search of its own: a larger k can keep more.
"""

import math
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from sharewell.data import engine
from sharewell.errors import InputError
from sharewell.papers.tables import PaperTable, rows_of
from sharewell.progress import step
from sharewell.records import Anonymized, Hierarchy
from sharewell.records import anonymize as recode
from sharewell.records.arrays import Array
from sharewell.records.hierarchies import from_rows
from sharewell.records.limits import Limits
from sharewell.records.protection.settings import Settings
from sharewell.records.protection.stinar import LEAST_SHARE, permutation_importance
from sharewell.records.published_cells import features, texts
from sharewell.records.utility import models

Variant = Literal["baseline", "printed", "code", "corrected", "ours"]
BINS = 16  # of the authors' recipe for measured numbers
RARE = 0.05  # of the rows: values of fewer become the smallest of them
STAR = -1.0  # what the authors' code puts in place of `*`
SUPPRESSED = 0.02  # of the rows, at most, in the corrected variant
PUBLISHED: Mapping[tuple[str, str], tuple[Sequence[float], Sequence[float]]] = {  # k = 1 … 15: baseline, method
    ("Academics", "random forest"): (
        [.681, .659, .479, .479, .560, .480, .558, .667, .667, .659, .659, .664, .664, .574, .501],
        [.681, .659, .479, .479, .674, .480, .674, .667, .667, .674, .637, .664, .664, .649, .649],
    ),
    ("Academics", "linear"): (
        [.687, .676, .477, .477, .486, .476, .533, .544, .544, .535, .535, .576, .576, .502, .474],
        [.687, .676, .477, .477, .639, .476, .639, .544, .544, .637, .648, .576, .576, .658, .658],
    ),
    ("Portuguese", "random forest"): (
        [.915, .655, .585, .582, .582, .582, .582, .582, .582, .582, .582, .581, .581, .598, .581],
        [.915, .859, .859, .841, .841, .841, .688, .688, .688, .678, .678, .616, .678, .583, .581],
    ),
    ("Portuguese", "linear"): (
        [.868, .543, .506, .498, .498, .498, .498, .498, .498, .498, .498, .501, .498, .499, .501],
        [.868, .828, .828, .748, .748, .748, .616, .616, .616, .639, .639, .616, .639, .584, .584],
    ),
    ("Math", "random forest"): (
        [.936, .496, .491, .494, .494, .494, .512, .512, .512, .466, .466, .466, .489, .489, .491],
        [.936, .916, .880, .889, .889, .889, .889, .889, .889, .889, .889, .889, .889, .672, .672],
    ),
    ("Math", "linear"): (
        [.914, .483, .508, .479, .479, .479, .488, .488, .488, .474, .474, .474, .492, .492, .488],
        [.914, .917, .895, .873, .873, .873, .873, .873, .873, .873, .873, .873, .873, .672, .672],
    ),
    ("EPM", "random forest"): (
        [.827, .587, .546, .639, .639, .559, .559, .559, .559, .559, .559, .559, .559, .559, .559],
        [.827, .739, .761, .761, .761, .764, .764, .764, .764, .764, .764, .764, .764, .764, .764],
    ),
    ("EPM", "linear"): (
        [.769, .500, .500, .503, .503, .500, .500, .500, .500, .500, .500, .500, .500, .500, .500],
        [.769, .589, .676, .676, .676, .524, .524, .524, .524, .500, .500, .500, .500, .500, .500],
    ),
    ("MATHia", "random forest"): (
        [.775, .812, .819, .816, .816, .775, .764, .804, .777, .823, .849, .849, .849, .849, .857],
        [.775, .812, .819, .815, .816, .775, .764, .804, .777, .823, .849, .849, .849, .849, .849],
    ),
    ("MATHia", "linear"): (
        [.549, .649, .649, .649, .621, .589, .569, .500, .589, .649, .540, .540, .540, .540, .540],
        [.549, .649, .649, .649, .621, .588, .569, .500, .589, .649, .540, .540, .540, .540, .540],
    ),
}  # fmt: skip


def encode(table: Any, *, keep: Sequence[str] = ()) -> pa.Table:
    """Encode columns as whole numbers, as the authors do; `keep` stay as they are.

    Whole numbers stay, also where a file has them as text. Measured numbers become at most 16 ranks, those of under
    5 % of the rows the smallest of them. Words become their place in the alphabet: the authors list an order by hand,
    which a table does not show. A missing value is −1.
    """
    made = engine.arrow(engine.table(table))
    for number, name in enumerate(made.column_names):
        if name not in keep:
            made = made.set_column(number, name, pa.array(_whole(made[name]), pa.int64()))
    return made


def _whole(column: pa.ChunkedArray) -> Array:
    try:
        numbers = column.cast(pa.float64()).to_numpy(zero_copy_only=False)
    except pa.ArrowInvalid:  # words
        cells = column.cast(pa.string()).to_pylist()
        place = {value: number for number, value in enumerate(sorted({cell for cell in cells if cell is not None}))}
        return np.array([-1 if cell is None else place[cell] for cell in cells], np.int64)
    present = ~np.isnan(numbers)
    if (numbers[present] == np.round(numbers[present])).all():
        return np.where(present, numbers, -1).astype(np.int64)
    values, ranks = np.unique(numbers[present], return_inverse=True)
    if values.size >= BINS:
        width = (values[-1] - values[0]) / BINS
        ranks = np.clip(np.ceil((numbers[present] - values[0]) / width).astype(np.int64) - 1, 0, BINS - 1)
    counts = np.bincount(ranks)
    rare = np.flatnonzero((counts > 0) & (counts < RARE * numbers.size))
    made = np.full(numbers.size, -1, np.int64)
    made[present] = np.where(np.isin(ranks, rare), rare.min(initial=0), ranks)
    return made


def hierarchies(table: Any, columns: Sequence[str]) -> dict[str, Hierarchy]:
    """Make bins of 2, 4, 8 … from each column's smallest, then `*` (§3.2.1)."""
    made = engine.arrow(engine.table(table))
    return {name: _bins(name, made[name]) for name in columns}


def _bins(name: str, column: pa.ChunkedArray) -> Hierarchy:
    if not pa.types.is_integer(column.type):
        raise InputError(
            "the paper's bins are for whole numbers; use sharewell.papers.stinar.encode first", column=name
        )
    values = sorted({value for value in column.to_pylist() if value is not None})
    low, high = values[0], values[-1]
    widths = [2**power for power in range(1, math.ceil(math.log2(high - low + 0.001)))] if high > low else []
    rows = [[str(value), *(_bin(low + (value - low) // width * width, width) for width in widths)] for value in values]
    return from_rows(name, [[*row, "*"] for row in rows], ordered=True)


def _bin(start: int, width: int) -> str:
    return f"[{start}, {start + width - 1}]"


def anonymize(
    table: Any, *, outcome: str, k: int, quasi: Sequence[str], variant: Variant = "printed", seconds: float = 1,
    seed: int = 0,
) -> Anonymized[Any]:  # fmt: skip
    """k-anonymize by the paper's bins, by one of five variants of its method.

    "code" is the authors' notebook: the baseline stays where its columns have 10 % of the importance, which the text
    lets decide only about the scaled k. "corrected" weighs the last step's loss by importance, and up to 2 % of the
    rows may be suppressed. "ours" is `sw.records.anonymize(method="local")`, group by group, with the labels of its
    public grid.
    """
    if variant == "ours":
        return recode(table, quasi=quasi, k=k, target=outcome, method="local", seconds=seconds, seed=seed)
    if variant == "code":
        kept = anonymize(table, outcome=outcome, k=k, quasi=quasi, variant="baseline", seconds=seconds, seed=seed)
        if _kept_importance(table, kept, outcome, quasi) >= LEAST_SHARE:
            return kept
    method: Any = {"baseline": "arx", "corrected": "stinar"}.get(variant, "stinar-printed")
    return recode(
        table, quasi=quasi, k=k, target=outcome, method=method, hierarchies=hierarchies(table, quasi), seed=seed,
        max_suppressed=SUPPRESSED if variant == "corrected" else 0.0, seconds=seconds,
    )  # fmt: skip


def _kept_importance(table: Any, kept: Anonymized[Any], outcome: str, quasi: Sequence[str]) -> float:
    """The share of the importance in columns that still vary."""
    ranked = importance(engine.arrow(engine.table(table)).select([*quasi, outcome]), outcome=outcome).rows
    of = dict(zip(ranked["column"].to_pylist(), ranked["measured"].to_pylist(), strict=True))
    cells = engine.arrow(engine.table(kept.table))
    return float(sum(of[name] for name in quasi if len(cells[name].unique()) > 1) / sum(of.values()))


def predictors(table: Any, *, quasi: Sequence[str], kept: Anonymized[Any] | None = None) -> Array:
    """(rows, features) as the authors' models see a table: bins by their middle, `*` as −1; columns that vary."""
    cells = engine.arrow(engine.table(table if kept is None else kept.table))
    known = hierarchies(table, quasi) if kept is None else kept.hierarchies
    star = None if kept is not None and kept.method == "local" else STAR
    made = np.concatenate([features(known[name], texts(cells[name]), star=star) for name in quasi], axis=1)
    varying: Array = made[:, made.std(axis=0) > 1e-12]
    return varying


def auc(
    made: Array, outcome: Array, *, model: str, seeds: Sequence[int], groups: Array | None = None, by: str = "labels"
) -> float:
    """The mean AUC of three folds by student over the seeds; by predicted labels as printed, or by "probabilities".

    The paper scores labels. A constant prediction scores one half. The outcomes of test rows have guided the choice of
    columns: `sw.records` judges releases on rows held out of the anonymization.
    """
    found = []
    for seed in seeds:
        splits = list(models.folds(outcome.size, groups, seed=seed))
        views = [(made[train], made[test]) for train, test in splits]
        labels, chances = models.predict(model, outcome, splits, views, classes=True, seed=seed)
        found.append(models.auc(outcome, labels if by == "labels" else chances))
    return float(np.mean(found))


def table_a1(
    table: Any, *, outcome: str, k: Sequence[int] = tuple(range(1, 16)), data: str = "", student: str | None = None,
    variants: Sequence[Variant] = ("baseline", "printed", "corrected", "ours"), seeds: Sequence[int] = tuple(range(10)),
    seconds: float = 1,
) -> PaperTable:  # fmt: skip
    """Table A1, and with it Figures 1 and 3 to 7: AUC of both models over k, for the baseline and the method.

    Args:
        table: Whole numbers (see `encode`) with a column of the outcome, 0 or 1.
        outcome: That column.
        k: The values of k; 1 is the original.
        data: "Academics", "Portuguese", "Math", "EPM" or "MATHia" for the published figures beside the measured ones.
        student: The column that keeps rows of one student in one fold.
        variants: Of `anonymize`.
        seeds: Of folds and models; the paper's ten.
        seconds: For each search, counted in steps.

    Returns:
        One row per variant, model and k.
    """
    cells = engine.arrow(engine.table(table))
    groups = None if student is None else np.array(cells[student].to_pylist())
    cells = cells if student is None else cells.drop_columns([student])
    quasi = [name for name in cells.column_names if name != outcome]
    target = cells[outcome].to_numpy().astype(float)
    if not set(np.unique(target)) <= {0.0, 1.0}:
        raise InputError("the outcome of Table A1 is 0 or 1", column=outcome)
    scores: dict[tuple[bytes, str], float] = {}  # many k give the same table
    rows = []
    with step("Table A1", total=len(variants) * len(k)) as advance:
        for variant, number in product(variants, k):
            kept = None
            if number > 1:
                kept = anonymize(cells, outcome=outcome, k=number, quasi=quasi, variant=variant, seconds=seconds)
            made = predictors(cells, quasi=quasi, kept=kept)
            for model in models.MODELS:
                key = (made.tobytes(), model)
                if key not in scores:
                    scores[key] = auc(made, target, model=model, seeds=seeds, groups=groups)
                row = {"variant": variant, "model": model, "k": number, "measured": scores[key]}
                rows.append({**row, "published": _published(data, model, variant, number)})
            advance(1)
    return PaperTable(
        name="Table A1",
        title=f"AUC of {outcome} over k{f', {data}' if data else ''}",
        caption=f"From predicted labels, three folds{' by student' if student else ''}, seeds {_span(seeds)}; "
        "no row suppressed but in the corrected variant and ours. Published: Stinar, Bosch and Xiong, Table A1.",
        rows=rows_of(rows),
        x="k",
        series=("variant", "model"),
    )


def _published(data: str, model: str, variant: Variant, k: int) -> float | None:
    if (data, model) not in PUBLISHED or variant not in ("baseline", "printed", "code") or not 1 <= k <= 15:
        return None
    return float(PUBLISHED[data, model][variant != "baseline"][k - 1])


def _span(seeds: Sequence[int]) -> str:
    return f"{min(seeds)} to {max(seeds)}" if len(seeds) > 1 else str(seeds[0])


def importance(table: Any, *, outcome: str) -> PaperTable:
    """Rank columns by permutation importance in a linear model (step 3).

    Exact instead of by shuffling, and fitted on all rows as printed: it has seen the outcomes of the test folds.
    """
    cells = engine.arrow(engine.table(table))
    quasi = tuple(name for name in cells.column_names if name != outcome)
    settings = Settings(quasi=quasi, targets=(outcome,), limits=Limits(k=2), hierarchies=hierarchies(cells, quasi))
    found = permutation_importance(settings.request_for(engine.table(cells)).combinations)
    ranked = sorted(found.items(), key=lambda one: -one[1])
    return PaperTable(
        name="Step 3",
        title=f"Permutation importance for {outcome}",
        caption="A linear model of all rows, exact; the paper prints no figures of it.",
        rows=rows_of([{"column": name, "measured": value} for name, value in ranked]),
    )


def table_1() -> PaperTable:
    """Table 1: the toy class of four, k-anonymized with k = 2.

    The printed table is one of several that are 2-anonymous: it keeps the grade by a cut at 90, which no bins of 2, 4,
    8 … give, so that the cut is given by hand here.
    """
    toy = pa.table(
        {"Grade": [93, 72, 78, 96], "ZIP Code": ["80630", "80631", "80631", "80632"], "Age": [12, 13, 13, 12]}
    )
    given = {"Grade": {"x ≥ 90": ["93", "96"], "x < 90": ["72", "78"]}}
    kept = recode(toy, quasi=toy.column_names, k=2, hierarchies=given, max_suppressed=0.0)
    before = {f"{name} before": toy[name].to_pylist() for name in toy.column_names}
    return PaperTable(
        name="Table 1",
        title="Four students before and after, k = 2",
        caption="Grades cut at 90 as printed; ZIP codes lose digits from the right.",
        rows=pa.table({**before, **kept.table.to_pydict()}),
    )
