"""Baselines beside every use, and a release that is worth less than a table of items."""

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from sharewell.contract import Utility
from sharewell.data import engine
from sharewell.responses import study
from sharewell.responses.kind import DIFFICULTY_RANKS, LEARNING_WORST, SIMPLER, TRACING_AUC
from sharewell.responses.log import Columns, read
from sharewell.responses.protection.rasch import fit_rasch
from sharewell.responses.section import Limit
from sharewell.responses.utility.simpler import ROWS, TABLE, ItemTable, independent_rows, not_worth_it

COLUMNS = Columns(student="user", item="item", correct="correct")


def use(measure: Any, value: float) -> Utility:
    return Utility(measure=measure, value=value, n=10, baseline=1.0)


def test_independent_rows_keep_items_and_answers_and_lose_students(course: Any) -> None:
    log = read(course.table, COLUMNS)
    rows = independent_rows(log, seed=1)
    assert (rows.lengths == log.lengths).all()
    assert np.corrcoef(fit_rasch(rows).difficulty, fit_rasch(log).difficulty)[0, 1] > 0.9
    assert fit_rasch(rows).ability.std() < 0.6 * fit_rasch(log).ability.std()


def test_a_table_of_true_difficulties_serves_and_a_shuffled_one_does_not(course: Any) -> None:
    log = read(course.table, COLUMNS)
    exact = fit_rasch(log).difficulty
    true, none = (ItemTable(hard).uses(log, seed=0) for hard in (exact, exact[::-1]))
    assert true[DIFFICULTY_RANKS.id] == pytest.approx(1.0)
    assert true[TRACING_AUC.id] > 0.6 > none[TRACING_AUC.id]


def test_a_release_worse_than_a_table_is_told_with_both_numbers() -> None:
    table = {DIFFICULTY_RANKS.id: 0.7, TRACING_AUC.id: 0.63}
    told = not_worth_it([use(DIFFICULTY_RANKS, 0.4), use(TRACING_AUC, 0.62)], table)
    assert [(risk.measure, risk.value, risk.holds, risk.gate) for risk in told] == [(SIMPLER, 1, False, None)]
    assert "0.40 here, 0.70 there" in told[0].story
    assert not_worth_it([use(DIFFICULTY_RANKS, 0.65), use(TRACING_AUC, 0.7)], table) == []


@pytest.mark.parametrize(("insists", "refused"), [({}, {"ranks"}), ({"ranks": -1.0, "jump": 1.0}, set())])
def test_a_release_that_says_nothing_of_difficulties_is_refused_unless_the_plan_insists(
    course: Any, make_job: Any, insists: dict[str, float], refused: set[str]
) -> None:
    """Right answers that are dealt out anew leave no difficulty."""
    small = course.table.select(["user", "item", "correct"])
    limit = Limit(**{"membership": 1.0, "tpr": 1.0, "ranks": 0.5, "jump": 0.3, **insists})
    opened = study.open(make_job(small, noise=1.0, m=10, repeats=1, limit=limit))
    found = opened.protect()
    kept = engine.arrow(found.table)
    dealt = pa.array(np.random.default_rng(0).permutation(kept["correct"].to_numpy()))
    worthless = kept.set_column(kept.schema.get_field_index("correct"), "correct", dealt)
    risks = opened.attack(replace(found, table=engine.materialise(engine.table(worthless))))
    assert {risk.gate for risk in risks if risk.gate in ("ranks", "jump") and risk.holds is False} == refused
    served = {one.name: one.setting for one in opened.utility(replace(found, table=engine.materialise(found.table)))}
    assert {ROWS, TABLE} <= set(served[DIFFICULTY_RANKS.id]) and ROWS in served[LEARNING_WORST.id]
    assert float(served[DIFFICULTY_RANKS.id][ROWS]) > 0.9
