"""The judge of wording: what it adds up by tables is what it learnt from; it holds weights and no words."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharewell.text import wording
from sharewell.text.name_model import WORDING_SHARE, mixed
from sharewell.text.tokens import tokenize
from sharewell.text.wording import BUCKETS, Wording

RNG = np.random.default_rng(3)
RANDOM = Wording(RNG.normal(size=BUCKETS).astype(np.float16), np.array([-1.5], np.float32))
TEXTS = st.lists(st.text("ab AB.,é\n", max_size=30), min_size=1, max_size=4)


@given(TEXTS)
def test_sums_by_table_and_by_matrix_agree(texts: list[str]) -> None:
    tokens = tokenize(texts)
    chosen = np.arange(len(tokens.start))
    if len(chosen):
        assert RANDOM.log_odds(tokens, chosen) == pytest.approx(RANDOM.of_rows(wording.rows(tokens, chosen)), abs=1e-6)


def test_neighbours_end_at_the_edge_of_a_post() -> None:
    together, apart = tokenize(["so Maria"]), tokenize(["so", "Maria"])
    assert RANDOM.log_odds(together, np.array([1])) != pytest.approx(RANDOM.log_odds(apart, np.array([1])))
    alone = tokenize(["Maria"])
    assert RANDOM.log_odds(apart, np.array([1])) == pytest.approx(RANDOM.log_odds(alone, np.array([0])))


def test_a_word_that_stands_before_names_is_learnt() -> None:
    """Words without meaning: only "feat" before them tells the planted names."""
    made = ["".join(RNG.choice(list("klmnopau"), 5)) for _ in range(200)]
    tokens = tokenize([f"{'feat' if i % 2 else 'plus'} {word} again" for i, word in enumerate(made)])
    chosen = np.arange(1, len(tokens.start), 3)
    named = np.arange(len(made)) % 2 == 1
    learnt = wording.fit(wording.rows(tokens, chosen), named, np.ones(len(made)))
    fresh = tokenize(["feat zzvork again", "plus zzvork again"])
    first, second = learnt.log_odds(fresh, np.array([1, 4]))
    assert first > second + 1


def test_the_mixture_lies_between_both_opinions() -> None:
    trees = np.array([0.01, 0.5, 0.99])
    assert mixed(trees, np.log(trees / (1 - trees))) == pytest.approx(trees)
    assert mixed(np.array([0.5]), np.array([1.0])) == pytest.approx(1 / (1 + np.exp(-WORDING_SHARE)))
    assert 0 < mixed(np.array([1e-12]), np.array([50.0]))[0] < 1
