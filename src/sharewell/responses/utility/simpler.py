"""What simpler things would give an analyst: rows drawn one by one, and a table of items with as much noise.

Independent rows are real answers dealt out anew to logs of the same lengths: nothing protects them, and they know no
student and no order. A table of items is what the release starts from, difficulties with its noise, without any rows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.stats import spearmanr

from sharewell.contract import Risk, Utility
from sharewell.responses.kind import DIFFICULTY_RANKS, SIMPLER, TRACING_AUC
from sharewell.responses.log import Log
from sharewell.responses.protection.rasch import fit_rasch
from sharewell.responses.utility.knowledge_tracing import tested_on
from sharewell.stats import roc
from sharewell.stats.arrays import Array

ROWS, TABLE = "independent rows, unprotected", "item table with the same noise"
WORSE = {DIFFICULTY_RANKS: 0.1, TRACING_AUC: 0.02}  # than a table of items: what luck of one draw makes


@dataclass(frozen=True)
class ItemTable:
    """Difficulties with noise; not a number where an item is left out."""

    difficulty: Array

    def uses(self, original: Log, *, seed: int) -> Mapping[str, float]:
        """Rank the difficulties, and predict answers of test students from them alone."""
        items = len(original.items)
        hard = self.difficulty[:items]
        hard = np.where(np.isfinite(hard), hard, np.nanmean(hard) if np.isfinite(hard).any() else 0.0)
        found = {DIFFICULTY_RANKS.id: float(spearmanr(hard, fit_rasch(original).difficulty[:items]).statistic)}
        test = tested_on(original, seed=seed)
        if test is not None:
            assert test.correct is not None
            score = -hard[test.item]
            found[TRACING_AUC.id] = roc.auc(score[test.correct == 1], score[test.correct == 0]).value
        return found


def independent_rows(log: Log, *, seed: int) -> Log:
    """Logs of the same lengths, each row drawn from all rows."""
    row = np.random.default_rng([seed, 9]).integers(0, log.rows, log.rows)
    return replace(log, item=log.item[row], correct=None if log.correct is None else log.correct[row], joined=None)


def beside(uses: Sequence[Utility], of_rows: Sequence[Utility], of_table: Mapping[str, float]) -> list[Utility]:
    """Every use with what the simpler things would give."""
    rows = {use.name: use.value for use in of_rows}
    return [
        replace(
            use,
            setting={
                **use.setting,
                **({ROWS: f"{rows[use.name]:.3f}"} if use.name in rows else {}),
                **({TABLE: f"{of_table[use.name]:.3f}"} if use.name in of_table else {}),
            },
        )
        for use in uses
    ]


def not_worth_it(uses: Sequence[Utility], of_table: Mapping[str, float]) -> list[Risk]:
    """Advise on page one where an item table would serve clearly better."""
    clearly = {measure.id: room for measure, room in WORSE.items()}
    worse = [
        use for use in uses if use.name in clearly and of_table.get(use.name, -1.0) > use.value + clearly[use.name]
    ]
    if not worse:
        return []
    uses_of = "; ".join(f"{use.measure.title}: {use.value:.2f} here, {of_table[use.name]:.2f} there" for use in worse)
    return [
        Risk(
            measure=SIMPLER,
            attacker="comparison with an item table",
            value=len(worse),
            limit=0,
            n=len(uses),
            story=f"A table of items with difficulties under the same noise would serve better ({uses_of}). Publish "
            "such a table instead, or learn from more students.",
        )
    ]
