"""How common a word is in English and in 26 other languages, and which language a post is written in.

The tables are made by train/make_word_tables.py from the frequencies of wordfreq (Speer 2022). Its data are under
CC BY-SA 4.0, and so are the tables: `languages.npz` holds hashes of words and one byte per language, `rarer.npz` hashes
of languages with their rarer words. The second is read when somebody writes in such a language.
"""

from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import cast

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


def spelled(word: str) -> str:
    """As the tables spell it: "gross" for "groß", and a Turkish capital İ is an i without a dot of its own."""
    return word.replace("ß", "ss").replace("i\u0307", "i")


@cache
def _table() -> tuple[Array, Array]:
    with resources.files("sharewell.text").joinpath("tables", "languages.npz").open("rb") as file:
        stored = np.load(file, allow_pickle=False)
        return stored["keys"], stored["values"]


def look_up(words: Sequence[str]) -> Array:
    """Per word, how common it is in English and then in each of ABROAD; 0 where it is not known."""
    keys, values = _table()
    wanted = np.array([short(spelled(word)) for word in words], dtype=np.uint32)
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where((keys[place] == wanted)[:, None], values[place], 0).astype(np.float32) * np.float32(STEP)


@cache
def _rarer() -> Array:
    with resources.files("sharewell.text").joinpath("tables", "rarer.npz").open("rb") as file:
        keys: Array = np.load(file, allow_pickle=False)["keys"]
        return keys


def rarer_key(language: str, word: str) -> int:
    return short(f"{language}:{spelled(word)}")


def is_rarer(words: Sequence[str], language: Array) -> Array:
    """Per word, whether it is one of the rarer words of a language, by its number in ABROAD."""
    keys = _rarer()
    pairs = zip(words, language.tolist(), strict=True)
    wanted = np.array([rarer_key(ABROAD[number], word) for word, number in pairs], dtype=np.uint32)
    return cast(Array, keys[np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)] == wanted)


def languages_of_posts(known: Array, counted: Array, surface: Array, post: Array) -> tuple[Array, Array, Array, Array]:
    """Per token: how common its word is in the language of the rest of its post, how much better that language
    explains the rest than English does, per word and altogether, and the number of that language in ABROAD.

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
    return known[surface, best + 1], total / np.maximum(words - 1, 1), total, best
