"""How common a word is in English and in 26 other languages, and which language a post is written in.

The table is made by scripts/make_word_tables.py from the frequencies of wordfreq (Speer 2022). Its data are under
CC BY-SA 4.0, and so is the table; it holds hashes of words and one byte per language.
"""

from collections.abc import Sequence
from functools import cache
from importlib import resources

import numpy as np

from sharewell.text.arrays import Array
from sharewell.text.evidence import hashed

_ABROAD = "ca cs da de es fi fil fr hu id is it lt lv ms nb nl pl pt ro sh sk sl sv tr vi"
ABROAD = tuple(_ABROAD.split())  # languages in Latin letters that wordfreq knows
STEP = 1 / 25  # frequencies are kept on the Zipf scale: logarithm to base 10 of uses per thousand million words
UNSEEN = 2.5  # on that scale, what a word counts that a language does not know


def short(word: str) -> int:
    """The upper half of a word's hash: one of 2^32 values, few enough to be small, many enough not to meet."""
    return hashed(word) >> 32


@cache
def _table() -> tuple[Array, Array]:
    with resources.files("sharewell.text").joinpath("tables", "languages.npz").open("rb") as file:
        stored = np.load(file, allow_pickle=False)
        return stored["keys"], stored["values"]


def look_up(words: Sequence[str]) -> Array:
    """Per word, how common it is in English and then in each of ABROAD; 0 where it is not known."""
    keys, values = _table()
    wanted = np.array([short(word) for word in words], dtype=np.uint32)
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where((keys[place] == wanted)[:, None], values[place], 0).astype(np.float32) * np.float32(STEP)


def languages_of_posts(known: Array, counted: Array, surface: Array, post: Array) -> tuple[Array, Array, Array]:
    """Per token: how common its word is in the language of the rest of its post, and how much better that language
    explains the rest than English does, per word and altogether.

    `known` is `look_up` of every surface, `counted` says which surfaces are words. The language is the one with the
    largest log-likelihood ratio over the other words of the post.
    """
    gain = np.where(counted[:, None], np.maximum(known[:, 1:], UNSEEN) - np.maximum(known[:, :1], UNSEEN), 0)
    gain = gain.astype(np.float32)
    sizes = np.bincount(post)[np.unique(post)] if len(post) else np.zeros(0, int)
    starts = np.cumsum(sizes) - sizes
    own = gain[surface]
    rest = np.repeat(np.add.reduceat(own, starts, axis=0), sizes, axis=0) - own if len(post) else own
    words = np.repeat(np.add.reduceat(counted[surface].astype(int), starts), sizes) if len(post) else sizes
    best = rest.argmax(axis=1)
    total = np.take_along_axis(rest, best[:, None], axis=1)[:, 0]
    return known[surface, best + 1], total / np.maximum(words - 1, 1), total
