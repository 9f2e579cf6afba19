"""The better method is taken by itself, and the limit that binds is named."""

from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import sharewell as sw
from sharewell.data import engine
from sharewell.errors import Refused
from sharewell.records.limits import Limits
from sharewell.records.protection.anonymization import Method
from sharewell.records.protection.best import binding, limit_costs
from sharewell.records.protection.settings import Settings
from sharewell.records.utility.most_predictable import most_auc


def students(rows: int = 300) -> pa.Table:
    draw = np.random.default_rng(4)
    return pa.table(
        {
            "age": draw.integers(17, 50, rows),
            "town": draw.choice(list("abcdefghij"), rows),
            "ill": draw.choice(["no", "yes"], rows, p=[0.9, 0.1]),
        }
    )


@pytest.mark.parametrize("limits", [{"k": 5}, {"k": 5, "l": 2}, {"k": 4, "t": 0.2}])
def test_the_best_is_never_worse_than_either(limits: dict[str, float]) -> None:
    given: dict[str, Any] = {"quasi": ["age", "town"], "sensitive": ["ill"], "seconds": 2, **limits}
    methods: tuple[Method, ...] = ("full-domain", "local")
    both = [sw.records.anonymize(students(), method=method, **given).loss for method in methods]
    best = sw.records.anonymize(students(), **given)
    assert best.loss <= min(both) + 0.01
    assert best.method in ("full-domain", "local")


def test_what_neither_can_meet_is_refused() -> None:
    with pytest.raises(Refused):
        sw.records.anonymize(students(20), quasi=["age"], keep=["town", "ill"], k=21)


def test_the_limit_that_binds_is_named() -> None:
    wanted = Settings(quasi=("age", "town"), sensitive=("ill",), limits=Limits(k=5, l=2))
    costs = limit_costs(wanted.request_for(engine.table(students())), wanted.recode)
    assert list(costs) == ["k = 5", "k = 5, l = 2", "with max_suppressed = 0.05"]
    assert costs["k = 5, l = 2"] > costs["k = 5"] + 0.05
    assert "l = 2 is the limit that binds" in binding(costs)
    assert "k is the limit that binds" in binding({"k = 5": 0.3, "k = 5, l = 2": 0.301})
    freer = {"k = 5": 0.4, "k = 5, l = 2": 0.45, "with max_suppressed = 0.05": 0.2}
    assert "it would cost 20%: max_suppressed is the limit that binds" in binding(freer)
    assert binding({"k = 5": 0.3, "with max_suppressed = 0.05": 0.3}).endswith("k is the limit that binds.")
    assert binding({}) == ""


def test_no_classes_within_t_predict_better_than_the_bound() -> None:
    """Against every way to deal eight students, half of them yes, into three classes."""
    share, t, reached = 0.5, 0.25, 0.0
    for a, b, c, d in product(range(5), repeat=4):
        yes, no = np.array([a, b, 4 - a - b]), np.array([c, d, 4 - c - d])
        if min(yes.min(), no.min()) < 0:
            continue
        real = yes + no > 0
        q = yes[real] / (yes + no)[real]
        if np.abs(q - share).max() > t + 1e-9:
            continue
        order = np.argsort(q)
        below = np.cumsum(no[real][order]) - no[real][order] / 2
        reached = max(reached, float((yes[real][order] * below).sum() / 16))
    assert reached == pytest.approx(most_auc(share, t)) == pytest.approx(0.75)
    assert most_auc(0.7, 0.4) == pytest.approx(1 - (0.3 * 0.3 / (0.7 * 0.7)) / 2)
