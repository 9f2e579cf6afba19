"""The second look sees what the first said around a place, inside the post only."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sharewell.stats.arrays import Array
from sharewell.text import second_look
from sharewell.text.second_look import NOT_ASKED, STEPS, log_odds

PLACES = st.lists(st.tuples(st.integers(0, 3), st.floats(0.01, 0.99), st.booleans()), max_size=25)


def by_hand(said: dict[int, float], post: dict[int, int], token: int) -> list[float]:
    """One place after the other, as the module's text says it."""
    odds = {number: float(np.log(share / (1 - share))) for number, share in said.items()}
    beside = [
        odds[token + step] if post.get(token + step) == post[token] and token + step in said else NOT_ASKED
        for step in STEPS
    ]
    rest = sum(share for number, share in said.items() if post[number] == post[token] and number != token)
    return [odds[token], *beside, rest]


@given(PLACES)
def test_neighbours_and_the_rest_of_the_post(places: list[tuple[int, float, bool]]) -> None:
    posts = sorted(number for number, _, _ in places)
    asked = [number for number, (_, _, kept) in enumerate(places) if kept]
    said = {number: places[number][1] for number in asked}
    first = np.zeros((len(asked), 2))
    token, post = np.array(asked, int), np.array([posts[number] for number in asked], int)
    rows = second_look.rows(first, np.array([said[number] for number in asked], float), token, post)
    assert rows.shape == (len(asked), 2 + 1 + len(STEPS) + 1)
    for row, number in zip(rows, asked, strict=True):
        wanted = by_hand(said, dict(enumerate(posts)), number)
        assert np.allclose(row[2:], wanted, atol=1e-4)


def test_certainty_has_finite_odds() -> None:
    ends: Array = log_odds(np.array([0.0, 1.0]))
    assert np.isfinite(ends).all() and ends[0] < -10 and ends[1] > 10
