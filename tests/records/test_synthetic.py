"""Invented records: noise as it should be, budgets that add up, tables that stay tables, and attacks that fail."""

import math
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from numpy.typing import NDArray
from scipy.stats import chisquare, norm

import sharewell as sw
from sharewell.data import engine
from sharewell.errors import InputError
from sharewell.records.recheck import invented_rows, promise
from sharewell.synthetic import zcdp
from sharewell.synthetic.discrete_gaussian import bernoulli_exp, discrete_gaussian, exponential_mechanism
from sharewell.synthetic.graphical_model import NoisyCounts, fit
from sharewell.synthetic.junction_tree import junction_tree, summed
from sharewell.synthetic.sampling import sample

ROWS = 2_000


def course(rows: int, seed: int = 0) -> pd.DataFrame:
    """Fictional students: age goes with the programme, passing with the hours of work."""
    generator = np.random.default_rng(seed)
    programme = generator.choice(["arts", "law", "maths"], rows, p=[0.5, 0.3, 0.2])
    age = np.where(programme == "law", 25, 19) + generator.poisson(3, rows)
    hours = np.round(generator.gamma(3, 4, rows), 1)
    passed = generator.random(rows) < 1 / (1 + np.exp(3 - hours / 4))
    job = pd.Series(np.where(age > 24, generator.choice(["yes", "no"], rows), "no"), dtype="category")
    job[generator.random(rows) < 0.1] = None
    return pd.DataFrame(
        {"id": np.arange(rows), "programme": programme, "age": age, "hours": hours, "passed": passed, "job": job}
    )


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return course(ROWS)


@pytest.fixture(scope="module")
def model(table: pd.DataFrame) -> Any:
    return sw.records.fit(table, epsilon=3, student="id", target="passed", seed=1)


@pytest.mark.parametrize("variance", [0.3, 9.0, 2_500.0])
def test_noise_has_the_chances_of_a_discrete_gaussian(variance: float) -> None:
    drawn = discrete_gaussian(variance, 50_000, np.random.default_rng(3))
    wide = max(2, round(2 * math.sqrt(variance)))
    at = np.arange(-40 * wide, 40 * wide + 1)
    chances = np.exp(-(at.astype(float) ** 2) / (2 * math.ceil(16 * variance) / 16))
    chances /= chances.sum()
    edges = np.unique(np.linspace(-wide, wide, 9).round())
    seen = np.bincount(np.searchsorted(edges, drawn), minlength=edges.size + 1)
    expected = np.bincount(np.searchsorted(edges, at), weights=chances, minlength=edges.size + 1)
    assert chisquare(seen, expected * drawn.size).pvalue > 0.001


def test_coins_and_choices_have_their_chances() -> None:
    generator = np.random.default_rng(4)
    hits = bernoulli_exp(np.full(20_000, 13), 8, generator).mean()
    assert hits == pytest.approx(math.exp(-13 / 8), abs=0.012)
    chosen = np.bincount([exponential_mechanism([5, 3, -20], over=2, generator=generator) for _ in range(1_500)])
    weights = np.exp(np.array([5, 3, -20]) / 2)
    assert chosen[:2] / 1_500 == pytest.approx((weights / weights.sum())[:2], abs=0.05)


@pytest.mark.parametrize("rho", [0.001, 0.02, 0.3, 4.0])
@pytest.mark.parametrize("delta", [1e-9, 1e-5])
def test_epsilon_of_a_cost_is_no_less_than_that_of_the_gaussian_mechanism_itself(rho: float, delta: float) -> None:
    """Balle and Wang (2018), theorem 8: the exact δ of one Gaussian mechanism is within what zCDP promises."""
    epsilon, shift = zcdp.epsilon_of(rho, delta), math.sqrt(2 * rho)
    exact = norm.cdf(shift / 2 - epsilon / shift) - math.exp(epsilon) * norm.cdf(-shift / 2 - epsilon / shift)
    assert 0.001 * delta < exact <= delta
    assert epsilon < rho + 2 * math.sqrt(rho * math.log(1 / delta))  # the first conversion of Bun and Steinke
    assert zcdp.rho_of(epsilon, delta) == pytest.approx(rho, rel=1e-6)


def test_the_budget_is_spent_and_not_more(model: Any) -> None:
    budget = model.budget
    cost = sum(one["rho"] for one in budget["spent"])
    assert zcdp.epsilon_of(cost, budget["delta"]) <= budget["epsilon"]
    assert cost > 0.99 * zcdp.rho_of(budget["epsilon"], budget["delta"])
    for one in budget["spent"]:
        if one["what"] == "counts":
            assert one["rho"] == pytest.approx(1 / (2 * one["noise"] ** 2))


def test_a_model_prints_its_promise_and_a_seed_takes_it_away(table: pd.DataFrame) -> None:
    small = table.head(60)
    promised, seeded = (str(sw.records.fit(small, epsilon=2.0, seed=seed)) for seed in (None, 1))
    assert "ε = 2" in promised and "no promise" not in promised and len(promised.splitlines()) <= 5
    assert "no promise" in seeded and "ε" not in seeded


def test_a_second_program_adds_the_stated_noise_up_to_the_same(model: Any) -> None:
    facts = {"privacy budget": model.budget, "rows": ROWS}
    (risk,) = promise(facts, {"epsilon": 3.0})
    assert risk.holds and risk.value == pytest.approx(model.budget["spent epsilon"], rel=1e-6)
    louder = {
        **model.budget,
        "spent": [{**one, "noise": one["noise"] and one["noise"] / 2} for one in model.budget["spent"]],
    }
    assert not promise({**facts, "privacy budget": louder}, {"epsilon": 3.0})[0].holds


def test_belief_propagation_gives_the_marginals_of_the_whole_table() -> None:
    generator = np.random.default_rng(5)
    sizes = (2, 3, 2, 4, 2)
    tree = junction_tree(sizes, [(0, 1), (1, 2), (2, 3), (0, 3)])
    potentials = [generator.random(shape) + 0.1 for shape in tree.shapes]
    whole = np.ones(sizes)
    for clique, potential in zip(tree.cliques, potentials, strict=True):
        whole = whole * potential.reshape([size if column in clique else 1 for column, size in enumerate(sizes)])
    beliefs, log_sum = tree.beliefs(potentials)
    assert log_sum == pytest.approx(math.log(whole.sum()))
    for clique, belief in zip(tree.cliques, beliefs, strict=True):
        assert belief == pytest.approx(summed(whole, (0, 1, 2, 3, 4), clique) / whole.sum())


def test_a_model_of_exact_counts_draws_rows_with_those_counts() -> None:
    counts = {(0, 1): np.array([[400.0, 100], [200, 300]]), (1, 2): np.array([[500.0, 100], [50, 350]])}
    noisy = [NoisyCounts(columns=pair, counts=found, variance=0.01) for pair, found in counts.items()]
    drawn = sample(fit((2, 2, 2), noisy, rows=1_000), 1_000, np.random.default_rng(6))
    for (a, b), found in counts.items():
        seen = np.bincount(drawn[a] * 2 + drawn[b], minlength=4).reshape(2, 2)
        assert seen == pytest.approx(found, abs=3)


def test_columns_types_missing_cells_and_categories_are_as_they_were(table: pd.DataFrame, model: Any) -> None:
    made = model.generate(1_000, seed=2)
    assert list(made.columns) == list(table.columns)
    assert {name: made[name].dtype.kind for name in ("programme", "age", "hours", "passed")} == {
        name: table[name].dtype.kind for name in ("programme", "age", "hours", "passed")
    }
    assert made["id"].str.startswith("fake-").all() and made["id"].is_unique
    assert isinstance(made["job"].dtype, pd.CategoricalDtype)
    assert set(made["programme"]) <= {"arts", "law", "maths"}
    assert made["job"].isna().mean() == pytest.approx(0.1, abs=0.04)
    assert made["age"].mean() == pytest.approx(table["age"].mean(), abs=0.6)
    assert (made["hours"] * 10 - (made["hours"] * 10).round()).abs().max() < 1e-6


def test_columns_go_together_as_they_did(table: pd.DataFrame, model: Any) -> None:
    made = model.generate(ROWS, seed=2)
    measured = sw.records.yardsticks(table, made, columns=list(table.columns[1:]), target="passed")
    assert next(one for one in measured if one.name == "k-marginal").value > 900
    learnt = [one for one in measured if one.name == "trained on the release"]
    assert len(learnt) == 3
    assert all(one.value > one.baseline - 0.05 for one in learnt)


def test_rows_can_be_asked_for_by_condition(model: Any) -> None:
    made = model.generate(50, seed=3, where={"programme": "law", "age": (20, 27), "passed": [True]})
    assert set(made["programme"]) == {"law"} and made["age"].between(20, 27).all() and made["passed"].all()
    with pytest.raises(InputError, match="no row with such a value"):
        model.generate(5, where={"age": (90, 99)})


def test_what_is_impossible_never_comes_out(table: pd.DataFrame) -> None:
    rules = ["age < 25 and job = yes", "programme = maths and age > 27"]
    made = sw.records.fit(table, epsilon=1, student="id", impossible=rules, seed=1).generate(3_000, seed=1)
    assert not ((made["age"] < 25) & (made["job"] == "yes")).any()
    assert not ((made["programme"] == "maths") & (made["age"] > 27)).any()
    with pytest.raises(InputError, match="no comparison"):
        sw.records.fit(table, impossible=["height < 3"])


def test_codes_of_categories_are_no_quantities(table: pd.DataFrame) -> None:
    coded = table.assign(town=np.random.default_rng(1).choice([1067, 8010, 10115, 80331, 99084], ROWS))
    made = sw.records.fit(coded[["town", "passed"]], epsilon=3, categories=["town"], seed=1).generate(500, seed=1)
    assert set(made["town"]) <= set(coded["town"])


def test_a_value_of_few_never_comes_out(table: pd.DataFrame) -> None:
    odd = table.assign(programme=table["programme"].mask(table["id"] == 7, "alchemy"))
    odd.loc[odd["id"] == 8, "age"] = 1_000
    made = sw.records.fit(odd, epsilon=30, student="id", seed=1).generate(5_000, seed=1)
    assert "alchemy" not in set(made["programme"])
    assert made["age"].max() < 100


def test_bad_input_gets_a_sentence(table: pd.DataFrame) -> None:
    for wrong, words in (
        ({"epsilon": 0}, "positive"),
        ({"delta": 2}, "delta"),
        ({"categories": ["height"]}, "no such column"),
        ({"student": "programme"}, "several rows"),
    ):
        with pytest.raises(InputError, match=words):
            sw.records.fit(table, **wrong)
    with pytest.raises(InputError, match="shared by"):
        sw.records.fit(pa.table({"note": [f"text {n}" for n in range(50)]}))


def pairs_of(rows: NDArray[Any]) -> list[dict[tuple[Any, ...], int]]:
    """How many rows have every pair of values."""
    found = []
    for one, other in combinations(range(rows.shape[1]), 2):
        values, counts = np.unique(rows[:, [one, other]].astype(str), axis=0, return_counts=True)
        found.append({tuple(value): int(count) for value, count in zip(values, counts, strict=True)})
    return found


def scores_of(rows: NDArray[Any], fake: NDArray[Any]) -> NDArray[Any]:
    """The attack: how much commoner are a student's pairs of values among the invented than among everybody?"""
    everybody, invented = pairs_of(rows), pairs_of(fake)
    found = np.zeros(len(rows))
    for place, (one, other) in enumerate(combinations(range(rows.shape[1]), 2)):
        for number, row in enumerate(rows):
            pair = (str(row[one]), str(row[other]))
            here, there = everybody[place][pair] / len(rows), invented[place].get(pair, 0) / len(fake)
            found[number] += (there - here) / math.sqrt(here)
    return found


def advantage(epsilon: float) -> tuple[float, float]:
    """How many members more than others the best threshold of the attack finds, and how sure that is."""
    gaps = []
    for seed in range(5):
        generator = np.random.default_rng([7, seed])
        codes = generator.integers(0, 6, (160, 5))  # independent columns: all that a generator learns is who was in
        rows = pa.table({f"c{n}": pa.array(codes[:, n]).cast(pa.string()) for n in range(5)})
        member = generator.permutation(160) < 80
        model = sw.records.fit(rows.filter(pa.array(member)), epsilon=epsilon, seed=seed)
        fake = np.stack([column.to_numpy() for column in model.generate(80, seed=seed).columns], axis=1)
        scores = scores_of(codes.astype(str), fake.astype(str))
        picked = scores > np.quantile(scores, 0.5)
        gaps.append(picked[member].mean() - picked[~member].mean())
    return float(np.mean(gaps)), float(np.std(gaps, ddof=1) / math.sqrt(len(gaps)))


def test_an_attack_on_membership_stays_within_what_epsilon_allows() -> None:
    """(ε, δ) bounds what any attack gains: hits − false alarms ≤ (e^ε − 1 + 2δ)/(e^ε + 1) (Kairouz et al. 2015)."""
    gain, error = advantage(0.5)
    assert gain - 2 * error <= (math.exp(0.5) - 1 + 2e-4) / (math.exp(0.5) + 1)
    loud, error = advantage(1_000)  # the same attack where hardly any noise is: it must see who was in
    assert loud - 2 * error > (math.exp(0.5) - 1) / (math.exp(0.5) + 1)


def test_the_recheck_finds_what_no_generator_would_write() -> None:
    ages, jobs = {"listed": ["18"], "low": 19.0, "high": 30.0}, {"listed": ["no", None], "low": None, "high": None}
    domain = {"age": ages, "job": jobs}
    facts = {"student": "id", "prefix": "fake-", "columns": ["id", "age", "job"], "domain": domain,
             "impossible": ["age < 20 and job != no"]}  # fmt: skip
    good = pa.table({"id": ["fake-1", "fake-2"], "age": [18, 25], "job": ["no", None]})
    bad = pa.table({"id": ["fake-1", "1234"], "age": [18, 31], "job": [None, "yes"]})
    for table, expected in ((good, [0, 0, 0]), (bad, [1, 2, 1])):
        assert [risk.value for risk in invented_rows(engine.table(table), facts)] == expected


@pytest.mark.parametrize("epsilon", [0.1, 0.3, 20.0])
def test_any_budget_ends_with_what_it_has(table: pd.DataFrame, epsilon: float) -> None:
    budget = sw.records.fit(table, epsilon=epsilon, student="id", seed=2).budget
    assert 0.98 * epsilon < budget["spent epsilon"] <= epsilon


def dated(rows: int) -> pd.DataFrame:
    draw = np.random.default_rng(7)
    born = pd.Timestamp("2001-02-03") + pd.to_timedelta(draw.integers(0, 900, rows), unit="D")
    seen = pd.Timestamp("2020-01-01") + pd.to_timedelta(draw.integers(0, 10**6, rows), unit="s")
    few = pd.Series([None if n % 9 == 0 else day.date() for n, day in enumerate(born)])
    return pd.DataFrame({"born": born, "seen": seen, "text": born.strftime("%Y-%m-%d"), "few": few, "one": "same"})


@pytest.mark.parametrize("rows", [50, 400])
def test_dates_and_times_come_out_as_they_were(rows: int) -> None:
    table = dated(rows)
    fitted = sw.records.fit(table, epsilon=5, seed=1)
    made = fitted.generate(300, seed=1)
    assert made.dtypes.equals(table.dtypes) and (made["one"] == "same").all()
    assert made["born"].equals(made["born"].dt.floor("D")) and not made["seen"].equals(made["seen"].dt.floor("D"))
    assert pd.to_datetime(made["text"]).between("2001-01-01", "2004-01-01").all()
    assert 0.03 < made["few"].isna().mean() < 0.3
    spring = fitted.generate(
        20, seed=1, where={"born": (pd.Timestamp("2002-03-01"), None), "text": ("2002-01-01", None)}
    )
    assert (spring["born"] >= "2002-03-01").all() and (spring["text"] >= "2002-01-01").all()


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ({"age": "old"}, "takes a value of type int64"),
        ({"age": 20.5}, "takes a value of type int64"),
        ({"age": (30, 20)}, "ends before it begins"),
        ({"programme": "alchemy"}, "'programme': where: the model gives no row with such a value"),
        ({"nothing": 1}, "there is no such column"),
    ],
)
def test_impossible_conditions_are_named(model: Any, where: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        model.generate(5, where=where)


def test_conditions_take_arrays_open_ends_and_missing_cells(model: Any) -> None:
    assert set(model.generate(20, seed=1, where={"age": np.array([20, 21])})["age"]) <= {20, 21}
    assert (model.generate(20, seed=1, where={"age": (None, 21)})["age"] <= 21).all()
    with pytest.raises(InputError, match="n takes a whole number"):
        model.generate(2.5)


def test_rules_that_leave_no_row_are_named() -> None:
    table = pd.DataFrame({"age": [18, 19] * 50, "sex": ["f", "m"] * 50})
    with pytest.raises(InputError, match="impossible: the rules leave hardly any row"):
        sw.records.fit(table, epsilon=5, impossible=["sex != x"], seed=1).generate(5)
