"""Names of fictional people: drawing, shortening and misspelling them, and which of them are words too."""

import re
import unicodedata
from dataclasses import dataclass
from functools import cache

import numpy as np

from sharewell.fiction.data import load
from sharewell.fiction.name_lists import NAMES
from sharewell.stats.arrays import Array

ORIGINS = tuple(NAMES)
_HOME_SHARE = 0.16  # the English list stands for the country of the course

# Names, and parts of names, that are ordinary words as well or too short to differ from one: a search for leaks
# takes "Will" and "will" for the same, so these are listed apart.
ALSO_WORDS = frozenset(load("nicknames")["also_words"].split())
_NICKNAMES: dict[str, str] = load("nicknames")["nicknames"]
_ENDINGS = ("ie", "y", "o", "i", "a")
_PLAIN_LETTERS = str.maketrans({
    "ß": "ss", "ø": "o", "Ø": "O", "æ": "ae", "Æ": "Ae", "đ": "d", "Đ": "D", "ł": "l", "Ł": "L", "ı": "i",
    "İ": "I", "þ": "th", "Þ": "Th", "ð": "d", "Ð": "D", "ʻ": "", "’": "'",
})  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Person:
    """Somebody with a name: a student or an instructor."""

    id: str
    given: str
    family: str  # empty for people with one name
    full: str
    nickname: str
    email: str
    handle: str
    origin: str


def draw_origins(rng: np.random.Generator, count: int) -> Array:
    """Origins in fixed shares, shuffled: small courses meet every origin too, if they have the students."""
    shares = np.full(len(ORIGINS), (1 - _HOME_SHARE) / (len(ORIGINS) - 1))
    shares[ORIGINS.index("english")] = _HOME_SHARE
    edges = np.round(np.cumsum(shares) * count).astype(int)
    return rng.permutation(np.repeat(np.arange(len(ORIGINS)), np.diff(edges, prepend=0)))


def draw_names(rng: np.random.Generator, origins: Array, female: Array) -> tuple[list[str], list[str], list[str]]:
    """Given, family and full name of each person; order and number of names follow the origin's customs."""
    pick_given, pick_family, order = rng.random((3, len(origins)))
    given, family, full = [], [], []
    for index, origin in enumerate(origins):
        names = NAMES[ORIGINS[origin]]
        pool = names.girls if female[index] else names.boys
        first = pool[int(pick_given[index] * len(pool))]
        last = names.families[int(pick_family[index] * len(names.families))]
        if order[index] < names.single:
            last = ""
        family_first = order[index] > 1 - names.family_first
        given.append(first)
        family.append(last)
        full.append(" ".join(part for part in ((last, first) if family_first else (first, last)) if part))
    return given, family, full


def plain(text: str) -> str:
    """The text in ASCII letters, as people type names whose letters their keyboard lacks."""
    decomposed = unicodedata.normalize("NFKD", text.translate(_PLAIN_LETTERS))
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))


def nickname(given: str) -> str:
    """What friends call somebody: from the list, or the name cut short with one of the usual endings."""
    if given in _NICKNAMES:
        return _NICKNAMES[given]
    base = plain(re.split(r"[ \-]", given)[-1]).capitalize()
    cut = re.match(r"[^aeiouy]*[aeiouy]+[^aeiouy]?", base.lower())
    short = base[: cut.end()] if cut and len(base) > 3 else base
    if short[-1].lower() in "aeiouy":
        return short + ("-" if len(short) > 2 else "") + short.lower()
    endings = (short + _ENDINGS[(sum(map(ord, given)) + step) % len(_ENDINGS)] for step in range(2))
    return next(name for name in endings if name != given)


def misspelling(name: str, kind: float, place: float) -> str:
    """The name with one slip: letters swapped, doubled, dropped or replaced; kind and place lie in [0, 1)."""
    letters = list(name)
    spots = [i for i in range(1, len(letters) - 1) if letters[i].isalpha() and letters[i + 1].isalpha()]
    if not spots:
        return name + name[-1].lower()
    at = spots[int(place * len(spots))]
    if kind < 0.3 and letters[at] != letters[at + 1]:
        letters[at], letters[at + 1] = letters[at + 1].lower(), letters[at].lower()
    elif kind < 0.55:
        letters.insert(at, letters[at].lower())
    elif kind < 0.8 and len(letters) > 4:
        del letters[at]
    else:
        swaps = dict(zip("aeiouyckszmnvw", "eaeuoikczsnmwv", strict=True))
        letters[at] = swaps.get(plain(letters[at]).lower(), letters[at].lower() + "h")
    return "".join(letters)


def name_tokens(name: str) -> set[str]:
    """The parts of a name that give it away alone, in lower case: words, and what stands after al- or O'."""
    words = {word.lower() for word in name.split()}
    return words | {part for word in words for part in re.split(r"[-'ʻ]", word) if len(part) > 3}


def is_ambiguous(token: str) -> bool:
    """Whether a name's part may be taken for a word: listed names by hand, slips by dictionary."""
    return len(token) < 3 or token in ALSO_WORDS or (token in _dictionary() and token not in _listed())


@cache
def _dictionary() -> frozenset[str]:
    from english_words import get_english_words_set

    return frozenset(word for word in get_english_words_set(["web2"]) if word.islower())


@cache
def _listed() -> frozenset[str]:
    lists = (names for origin in NAMES.values() for names in (origin.girls, origin.boys, origin.families))
    return frozenset(token for names in lists for name in names for token in name_tokens(name))
