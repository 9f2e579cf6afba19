"""The word lists that narrow the words of a corpus to possible names (Bosch et al. 2020, §2.2).

The paper uses a dictionary of over 100,000 English words, over 23,000 places and over 7,000 census names. The cut here:

* dictionary: the lower-case entries of web2 that the GCIDE confirms, and the GCIDE's other single words (100,000
  together; web2 alone is twice as large and full of rare words and lower-cased names); regular inflections of
  these ("posts", "asked") count as dictionary words by rule, since both sources list base forms only; about a
  thousand words of today ("download", "weekend") are added by hand, since both sources are a century old;
* places: cities of at least 25,000 inhabitants (22,749), the states of the USA, and countries, by the words of
  their names;
* census names of 1990: all 5,163 first names and the 2,500 most frequent surnames.

Another language needs another `WordLists` and nothing else.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import cache, lru_cache, partial
from importlib import resources

from sharewell.text import evidence
from sharewell.text.listed_words import listed_words, read

SURNAMES = 2500
DOUBLED = frozenset("bdfgklmnprtvz")
FUNCTION_WORDS = listed_words("function")  # in lower case they are never names
CAPITALISED = listed_words("capitalised")  # case says nothing about them
NAMELESS = listed_words("nameless")  # of statistics, references and numerals, German weekdays and titles
SOFTWARE = listed_words("software")
SHORT_STEMS = listed_words("short stems")  # three-letter beginnings of everyday inflections
# dictionaries list "eric" and "brad", which nobody uses as words any more; "mark" and "hope" are used as both
HARDLY_USED = -13.7  # log probability in lower case below which a dictionary word that people bear is a name first
COMMON_NAME = 0.01  # per cent of the population: a dictionary word that so many are called by is a name first
EVERYDAY = listed_words("everyday")


@dataclass(frozen=True, kw_only=True, eq=False)
class WordLists:
    """What is known about words before a single post is read; every word is lower-case and in Unicode form NFC."""

    dictionary: frozenset[str]
    first: Mapping[str, float]  # first name → per cent of the population
    last: Mapping[str, float]
    cities: frozenset[str]
    regions: frozenset[str]
    countries: frozenset[str]
    plain: frozenset[str] = field(init=False)  # dictionary words that name neither a person nor a place

    def __post_init__(self) -> None:
        places = self.cities | self.regions | self.countries
        plain = self.dictionary - places - self.first.keys() - self.last.keys()
        object.__setattr__(self, "plain", frozenset(plain))

    def __reduce__(self) -> tuple[Callable[[], "WordLists"], tuple[()]]:
        """To another process go the words of another language; those that come with Sharewell are there already."""
        if self is english():
            return english, ()
        return partial(WordLists, **{item.name: getattr(self, item.name) for item in fields(self) if item.init}), ()

    def is_word(self, word: str) -> bool:
        """Whether the dictionary, taken with its regular inflections, holds the word."""
        return _is_listed(word, self.dictionary)

    def is_ordinary(self, word: str) -> bool:
        """Whether it is a word that people use as one, and not a name first."""
        return self.is_word(word) and (self.first.get(word, 0.0) < COMMON_NAME or word in EVERYDAY | FUNCTION_WORDS)

    def is_everyday(self, word: str) -> bool:
        """Whether it is ordinary even where somebody of the roster is called so: "rose" is, "wang" is not."""
        return self.is_ordinary(word) and (word in EVERYDAY | FUNCTION_WORDS or not _is_rare_name(word))

    def is_plain(self, word: str) -> bool:
        """Whether the word cannot be a name as far as the lists go."""
        if word in self.plain or word in CAPITALISED:
            return True
        named = word in self.first or word in self.last or word in self.dictionary
        named = named or word in self.cities or word in self.regions or word in self.countries
        return not named and _is_listed(word, self.plain)


@cache
def english() -> WordLists:
    """The lists named at the top of this file."""
    return WordLists(
        dictionary=_dictionary(),
        first=_first_names(),
        last=_census("dist.all.last", SURNAMES),
        **_places(),
    )


@cache
def surname_ranks() -> Mapping[str, int]:
    """All 88,799 surnames of the census in order of frequency: more than the narrowing uses."""
    return {name: rank for rank, name in enumerate(_census("dist.all.last", None), start=1)}


@cache
def city_sizes() -> Mapping[str, int]:
    """Words of cities' names, with the inhabitants of the largest one."""
    return {word: people for kind, word, people in _place_words() if kind == "city"}


def _dictionary() -> frozenset[str]:
    from english_words import get_english_words_set

    confirmed = get_english_words_set(["gcide"], lower=True)
    web = get_english_words_set(["web2"])
    common = {word for word in web if word.islower() and word in confirmed}
    lowered = {word.lower() for word in web}
    further = {word for word in confirmed if word not in lowered}
    return frozenset(word for word in common | further if word.isalpha()) | FUNCTION_WORDS | listed_words("modern")


def _first_names() -> dict[str, float]:
    """Women's and men's; of a name that both have the larger share, since a few men are called Mary."""
    women, men = _census("dist.female.first", None), _census("dist.male.first", None)
    return {name: max(women.get(name, 0.0), men.get(name, 0.0)) for name in women | men}


def _census(name: str, most: int | None) -> dict[str, float]:
    lines = resources.files("names").joinpath(name).read_text(encoding="utf-8").splitlines()
    rows = (line.split() for line in lines[:most])
    return {row[0].lower(): float(row[1]) for row in rows}


def _places() -> dict[str, frozenset[str]]:
    kinds = {"cities": "city", "regions": "region", "countries": "country"}
    return {
        name: frozenset(word for kind, word, _ in _place_words() if kind == wanted) for name, wanted in kinds.items()
    }


@cache
def _place_words() -> tuple[tuple[str, str, int], ...]:
    """Kind, word and inhabitants of places (GeoNames, CC BY 4.0; see train/make_word_tables.py)."""
    rows = (line.split("\t") for line in read("places.tsv").splitlines())
    return tuple((kind, word, int(people)) for kind, word, people in rows)


@lru_cache(maxsize=1 << 17)  # the same words are asked for again and again
def _is_listed(word: str, words: frozenset[str]) -> bool:
    """The word, a base form of it, or each part of a hyphenated word stands in the list."""
    if word in words:
        return True
    if "-" in word:  # "well-known", but not "woo-woo"
        parts = [part for part in word.split("-") if part]
        return len(set(parts)) > 1 and all(_is_listed(part, words) for part in parts)
    if "'" in word:
        return _is_contraction(word, words)
    return any(base in words for base in _bases(word))


@lru_cache(maxsize=1 << 17)
def _is_rare_name(word: str) -> bool:
    """Whether people are called so, and write it with a capital rather than as a word: "lars", "wang"."""
    lower, title, *_, flags = evidence.look_up([word])[0, :6].tolist()
    borne = int(flags) & (evidence.GIVEN | evidence.FAMILY) > 0 or word in surname_ranks()
    return borne and lower < HARDLY_USED and title >= lower


def _is_contraction(word: str, words: frozenset[str]) -> bool:
    head, _, tail = word.rpartition("'")
    if tail in {"ll", "re", "ve", "d", "m", "s"}:
        return _is_listed(head, words)
    return tail == "t" and (head in {"don", "can", "won", "ain", "shan"} or head.removesuffix("n") in words)


def _bases(word: str) -> list[str]:
    """Dictionary forms that a regular English inflection may come from."""
    bases: list[str] = []
    if len(word) < 4:
        return bases
    if word.endswith("s") and not word.endswith("ss"):
        bases.append(word[:-1])
        if word.endswith("ies"):
            bases.append(word[:-3] + "y")
        elif word.endswith("es"):
            bases.append(word[:-2])
    for ending in ("ed", "ing", "er", "est", "ly"):
        stem = word.removesuffix(ending)
        if stem != word and (len(stem) >= 4 or stem in SHORT_STEMS):  # "ask-ed", but not "yar-ed" nor "tur-ing"
            bases.extend(_stems(stem))
    return bases


def _stems(stem: str) -> list[str]:
    stems = [stem, stem + "e"]
    if stem.endswith("i"):
        stems.append(stem[:-1] + "y")
    if stem[-1] == stem[-2] and stem[-1] in DOUBLED:
        stems.append(stem[:-1])
    return stems
