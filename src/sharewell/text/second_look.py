"""A second reading at every place, after all places were judged once: what stands around a name is easier to judge.

"Will" before a word that surely is a surname, one more member of a list of people, a post without any other name: the
first look cannot know. What it said of a place, of the two places on either side and of the rest of the post are
further features of the second (stacking, Wolpert 1992; for sequences Cohen and Carvalho 2005, IJCAI).
"""

from typing import cast

import numpy as np

from sharewell.text.arrays import Array

STEPS = (-2, -1, 1, 2)
NOT_ASKED = -9.0  # log-odds of a neighbour that was not looked at, or that lies beyond the edge of the post


def rows(first: Array, said: Array, token: Array, post: Array, chosen: Array | None = None) -> Array:
    """The features of the first look, then what it said here, beside and in the rest of the post; of the chosen places.

    `token` are the numbers of the places in their text, ascending, `post` their posts.
    """
    odds = log_odds(said)
    beside = [_beside(odds, token, post, step) for step in STEPS]
    in_post = np.bincount(post, said) if len(post) else said
    around = np.column_stack([odds, *beside, in_post[post] - said]).astype(np.float32)
    return np.hstack([first, around] if chosen is None else [first[chosen], around[chosen]]).astype(np.float32)


def log_odds(probability: Array) -> Array:
    kept = np.clip(probability, 1e-6, 1 - 1e-6)
    return cast(Array, np.log(kept / (1 - kept)))


def _beside(odds: Array, token: Array, post: Array, step: int) -> Array:
    if not len(token):
        return odds
    place = np.minimum(np.searchsorted(token, token + step), len(token) - 1)
    there = (token[place] == token + step) & (post[place] == post)
    return np.where(there, odds[place], NOT_ASKED)
