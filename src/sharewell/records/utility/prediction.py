"""How well outcomes can still be predicted: on the release itself, and for students it has not seen."""

from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from sharewell.contract import Utility
from sharewell.records import outcomes
from sharewell.records.arrays import Array
from sharewell.records.hierarchies import Hierarchy
from sharewell.records.kind import AUC, R_SQUARED
from sharewell.records.protection.settings import Settings
from sharewell.records.published_cells import texts
from sharewell.records.utility import models, protocols
from sharewell.records.utility.protocols import LabelledRows
from sharewell.stats.intervals import bootstrap_mean

SEEDS = 2
HELD_OUT_SEEDS = 2


def predictions(
    before: pa.Table,
    cells: Mapping[str, list[str | None]],
    hierarchies: Mapping[str, Hierarchy],
    target: str,
    seed: int,
) -> list[Utility]:
    """Cross-validated AUC (or R²) of both models on the released and on the original cells."""
    outcome, classes = outcomes.outcome_of(before, target)
    if np.unique(outcome).size < 2:
        return []
    names = list(cells)
    released = protocols.encode(hierarchies, names, list(cells.values()), None)
    raw = protocols.encode(hierarchies, names, [texts(before[name]) for name in names], None)
    found = []
    measure = AUC if classes else R_SQUARED
    for model in models.MODELS:
        scores = [
            [_score(table, outcome, model, classes, seed + number) for number in range(SEEDS)]
            for table in (released, raw)
        ]
        low, high = bootstrap_mean(np.array(scores[0]), seed=seed)
        found.append(
            Utility(
                measure=measure, value=float(np.mean(scores[0])), low=low, high=high,
                baseline=float(np.mean(scores[1])), n=before.num_rows, seed=seed,
                setting={"target": target, "model": model, "protocol": "cross-validated on the release"},
                story=f"How well {target} can be predicted from the released columns, by probabilities.",
            )
        )  # fmt: skip
    return found


def _score(table: Array, outcome: Array, model: str, classes: bool, seed: int) -> float:
    splits = list(models.folds(outcome.size, None, seed=seed))
    views = [protocols.varying(table[train], table[test]) for train, test in splits]
    _, chances = models.predict(model, outcome, splits, views, classes=classes, seed=seed)
    return models.auc(outcome, chances) if classes else models.r_squared(outcome, chances)


def held_out(study: LabelledRows, settings: Settings, *, target: str, seed: int) -> list[Utility]:
    """The honest protocol: anonymize the training rows of every fold alone, test on rows carried through."""
    seeds = range(seed, seed + HELD_OUT_SEEDS)
    kept = protocols.evaluate(study, settings.recode, settings, protocol="held-out", seeds=seeds)
    raw = protocols.evaluate(study, None, settings, protocol="held-out", seeds=seeds)
    return [
        Utility(
            measure=AUC if study.classes else R_SQUARED, value=float(kept[model].by_probability.mean()),
            low=float(kept[model].by_probability.min()), high=float(kept[model].by_probability.max()),
            baseline=float(raw[model].by_probability.mean()), n=study.outcome.size, seed=seed,
            setting={"target": target, "model": model, "protocol": "held out"},
            story=f"The same for students whose outcome the anonymization has not seen; lowest and highest of "
            f"{HELD_OUT_SEEDS} divisions into folds.",
        )
        for model in models.MODELS
    ]  # fmt: skip
