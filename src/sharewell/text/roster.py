"""Names from a roster: exact, shortened, inflected, transliterated, split and nearly right.

The roster only says which words *of the posts* are names; no word of it enters any output by itself, and a name that no
post mentions is written nowhere.
"""

import itertools
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache

import numpy as np
from rapidfuzz import process
from rapidfuzz.distance import OSA

from sharewell.text import languages
from sharewell.text.listed_words import read
from sharewell.text.patterns import NAME
from sharewell.text.tokens import fold
from sharewell.text.word_lists import WordLists, english, surname_ranks

NEAR_MISS_LETTERS = 5  # shorter names are too close to too many words
UNSPACED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]+")
LEAST_NAME, LONGEST_CASE = 4, 6  # letters of a name, and of what is written behind it
USUAL = 4.0  # on the Zipf scale of `languages`: a word used as often is no inflected name
# in plain letters; Turkish: genitive, accusative, dative, locative, ablative, with somebody, plural, and "who is at"
_TURKISH = "n[iu]n|y[iuae]|[dt][ae]n?(?:ki)?|yl[ae]|l[ae]|l[ae]r(?:[iu]n?|[ae]|d[ae]n?)?|[iu]n"
_AFTER_APOSTROPHE = re.compile(rf"{_TURKISH}|[iuae]|s")
_SURE_CASE = re.compile(rf"{_TURKISH}|s")  # one letter alone would make names of too many words
_CASE = re.compile(
    "es|ens?|sche[nrsm]?|in|innen|chen|lein"  # German
    "|owi|em|ie[jm]?|ego|e?mu|im?i?|ow|om|ami|ach|owie|ej|ich|ym|oy|oi|ey|ov|am|yu|ya"  # Polish, Russian
    "|ll[ae]|lt[ae]|ss[ae]|st[ae]|ksi|t?ta|[aeiou]?an|[eiou]{1,2}n|nn?e|nsa|n"  # Finnish
    "|n[ae]k|[vk][ae]l|ek|n[ae]l|t[oe]l|h[eo]z|r[ae]|b[ae]n|[eo]t"  # Hungarian
    "|c?it[ao]s?|z?inh[ao]|ill[ao]|in[ao]|ett[ao]|ell[ao]|ucci[ao]|cim|cigim|cik|gil|gilin"  # Romance, Turkish
    "|skan|et|ish|ians?|esque|y|ie|ji|bhai|didi|san|kun|chan|sama|sensei|ssi|nim"  # Nordic, English, forms of address
)
_LETTERS = str.maketrans({
    "ß": "ss", "ø": "o", "æ": "ae", "œ": "oe", "đ": "d", "ł": "l", "ı": "i", "þ": "th", "ð": "d", "ħ": "h", "ŋ": "n",
    "ʻ": "", "ʼ": "'", "’": "'", "`": "'", "´": "'",
})  # fmt: skip
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"})
_FIGURES = tuple(str.maketrans("013457$@", letters) for letters in ("oieastsa", "oleastsa"))  # "l0p3z"
_STRETCHED = re.compile(r"(.)\1{2,}")
_L = r"[^\W\d_]"
_SPLIT = re.compile(  # "Lo-\npez", "L o p e z", "<b>L</b>opez", "L*pez"
    rf"(?P<line>(?<!\w){_L}+[-‐‑\u00ad][ \t]*\r?\n[ \t>]*{_L}+)"
    rf"|(?P<spaced>(?<![\w'’]){_L}(?P<sign>[ .·_*/|-]){_L}(?:(?P=sign){_L})+(?!\w))"
    rf"|(?P<tagged>(?<!\w){_L}+(?:</?[A-Za-z][^<>]{{0,40}}>{_L}+)+)"
    rf"|(?P<starred>(?<![\w*]){_L}+\*+{_L}+(?!\w))"
)


@dataclass(frozen=True)
class Roster:
    """The words of a roster, each with the word it stands for (itself, or the name it is a form of)."""

    words: Mapping[str, str]
    whole: frozenset[str] = frozenset()  # whole names written as one, given name first or last
    pairs: frozenset[tuple[str, str]] = frozenset()  # two words of one name, as they may stand beside each other
    unspaced: tuple[str, ...] = ()  # names in scripts that put no space around them: looked for inside words, too

    def match(self, words: Sequence[str]) -> dict[str, str]:
        """Words of the corpus that are on the roster or nearly so → the roster's own form of them."""
        found = {word: named for word in words if (named := self.named_by(word)) is not None}
        rest = [word for word in words if word not in found and len(word) >= NEAR_MISS_LETTERS]
        return found | self._near_misses(rest)

    def named_by(self, word: str) -> str | None:
        """The name that a word is: in plain letters, drawn out, with figures for letters, or in a case of it."""
        plain = transliterated(word)
        for form in (word, plain, *_retyped(plain)):
            if form in self.words:
                return self.words[form]
        head, apostrophe, ending = plain.partition("'")
        if apostrophe:
            return self.words.get(head if _AFTER_APOSTROPHE.fullmatch(ending) else ending if len(head) <= 2 else "")
        for length in range(1, min(LONGEST_CASE, len(plain) - LEAST_NAME) + 1):
            head, ending = plain[:-length], plain[-length:]
            named = self.words.get(head)
            if named is not None and (_SURE_CASE.fullmatch(ending) or (_CASE.fullmatch(ending) and _is_unusual(word))):
                return named
            named = self._stems.get(head)
            if named is not None and length > 1 and _CASE.fullmatch(ending) and _is_unusual(word):
                return named
        return None

    @cached_property
    def _stems(self) -> Mapping[str, str]:
        """What stays of a name in some cases: Katarzyn-ą, Virtas-en, Pek-an."""
        found: dict[str, str] = {}
        for word in self.own:
            cuts = [word[:-3] + "s"] if word.endswith("nen") else [word[:-1]] if word[-1] in "aeioy" else []
            for cut in cuts:
                if len(cut) >= LEAST_NAME:
                    found.setdefault(cut, self.words[word])
        return found

    @cached_property
    def own(self) -> frozenset[str]:
        """The words of the roster themselves, without what their bearers may be called for short."""
        return frozenset(word for word, of in self.words.items() if transliterated(word) == transliterated(of))

    def sure(self, lists: WordLists) -> frozenset[str]:
        """What names somebody wherever it stands inside a word: no ordinary words, but whole names of such."""
        whole = (word for word in self.whole if not _is_listed(word, lists))
        return frozenset(word for word in self.words if not lists.is_everyday(word)).union(whole)

    def without_split(self, text: str) -> tuple[str, int]:
        """The text without names that a line break, blanks, tags or stars take apart, and how many there were."""
        found = 0

        def rewritten(match: re.Match[str]) -> str:
            nonlocal found
            if not self._is_split(match):
                return match[0]
            found += 1
            return NAME + ("\n" if match["line"] else "")

        return _SPLIT.sub(rewritten, text), found

    def _is_split(self, match: re.Match[str]) -> bool:
        if match["starred"]:
            shown = re.compile(transliterated(match[0]).replace("*", "."))
            stars = match[0].count("*")
            return len(match[0]) >= max(LEAST_NAME, 2 * stars) and any(map(shown.fullmatch, self.own))
        joined = re.sub(r"<[^<>]*>", "", match[0]) if match["tagged"] else match[0]
        plain = transliterated("".join(filter(str.isalpha, joined)))
        if match["spaced"]:
            sizes = range(3, min(max(map(len, self.own), default=0), len(plain)) + 1)
            return any(plain[i : i + size] in self.own for i in range(len(plain)) for size in sizes)
        return len(plain) >= LEAST_NAME and (plain in self.words or plain in self.whole)

    def without_unspaced(self, text: str) -> tuple[str, int]:
        """The text without the names that stand inside words, and how many of them there were."""
        return self._inside.subn(NAME, text) if self._inside is not None else (text, 0)

    @cached_property
    def _inside(self) -> re.Pattern[str] | None:
        return re.compile("|".join(map(re.escape, self.unspaced))) if self.unspaced else None

    def _near_misses(self, words: Sequence[str]) -> dict[str, str]:
        targets = [word for word in self.words if len(word) >= NEAR_MISS_LETTERS]
        if not words or not targets:
            return {}
        found: dict[str, str] = {}
        for start in range(0, len(words), 500):
            block = words[start : start + 500]
            distance = process.cdist(block, targets, scorer=OSA.distance, score_cutoff=1, dtype=np.uint8)
            for row, column in zip(*np.nonzero(distance <= 1), strict=True):
                found.setdefault(block[row], self.words[targets[column]])
        return found


def read_roster(cells: Iterable[str | None]) -> Roster:
    """Names and e-mail addresses, as they stand in the cells of a roster."""
    names = [cell or "" for cell in cells]
    words: dict[str, str] = {}
    for cell in names:
        for part in _parts(cell):
            for form in (part, transliterated(part), part.translate(_UMLAUTS)):
                words.setdefault(form, part)
            for short in _nicknames().get(transliterated(part), ()):
                words.setdefault(short, part)
    cut = [name.split("@")[0] for name in names]
    parts = [[fold(part) for part in re.findall(_L + "+", name)] for name in cut]
    parts += [[fold(part) for part in re.findall(_L + "+", re.sub("['’-]", "", name))] for name in cut]
    pairs = {pair for name in parts for pair in _pairs(name)}
    plain = {(transliterated(first), transliterated(second)) for first, second in pairs}
    return Roster(words, frozenset(_whole(parts)), frozenset(pairs.union(plain)), _unspaced(names))


def _retyped(plain: str) -> Iterator[str]:
    """The word without letters drawn out and without figures, and with letters for the figures."""
    if _STRETCHED.search(plain):
        yield from (_STRETCHED.sub(run, plain) for run in (r"\1", r"\1\1"))
    if len(plain) >= LEAST_NAME and not plain.isalpha() and plain[:1].isalnum():
        yield from (plain.strip("0123456789"), *(plain.translate(figures) for figures in _FIGURES))


@lru_cache(maxsize=1 << 17)
def _is_unusual(word: str) -> bool:
    """Whether no list has the word, neither as another name nor as a usual word of some language."""
    return not (_is_listed(word, english()) or (languages.look_up([word]) >= USUAL).any())


def _is_listed(word: str, lists: WordLists) -> bool:
    return lists.is_word(word) or word in lists.first or word in surname_ranks()


def _pairs(parts: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Neighbouring words of a name, and its first and last in either order."""
    if len(parts) > 1:
        yield from (*itertools.pairwise(parts), (parts[0], parts[-1]), (parts[-1], parts[0]))


def _whole(names: Iterable[Sequence[str]]) -> Iterator[str]:
    """What a name is written as in one: two words of it, all of them, and one with an initial as in "mlopez"."""
    for parts in names:
        if len(parts) > 1:
            first, last = parts[0], parts[-1]
            joined = {*map("".join, _pairs(parts)), "".join(parts), first[0] + last, last + first[0]}
            joined |= {first + last[0], last[0] + first}
            for one in joined:
                if len(one) >= NEAR_MISS_LETTERS:
                    yield from {one, transliterated(one), transliterated(one.translate(_UMLAUTS))}


def _unspaced(names: Sequence[str]) -> tuple[str, ...]:
    """Chinese, Japanese, Korean and Thai names with what stands for them alone, longest first.

    Written in one, a name of three syllables ends in a given name of two.
    """
    found: set[str] = set()
    for name in names:
        parts = UNSPACED.findall(name)
        found.update((*parts, "".join(parts)))
        found.update(part[1:] for part in parts if len(parts) == 1 and len(part) == 3)
    return tuple(sorted((name for name in found if len(name) > 1), key=lambda name: (-len(name), name)))


def transliterated(word: str) -> str:
    """The word in plain letters, as people type names whose letters their keyboard lacks."""
    decomposed = unicodedata.normalize("NFKD", word.lower().translate(_LETTERS))
    return "".join(character for character in decomposed if not unicodedata.combining(character))


def _parts(cell: str) -> set[str]:
    """The words of a name, or of what stands before the @ of an address; parts of hyphenated names too."""
    text = cell.split("@")[0] if "@" in cell else cell
    text = re.sub(r"[\d_.+]" if "@" in cell else r"[\d_,;()\"]", " ", text)
    words = {fold(word.strip(".")) for word in text.split()}
    words |= {part for word in words for part in (*re.split(r"[-']", word), re.sub("[-']", "", word)) if len(part) > 2}
    return {word for word in words if len(word) > 1}


@cache
def _nicknames() -> dict[str, tuple[str, ...]]:
    groups = (line.split() for line in read("nicknames.txt").splitlines() if not line.startswith("#"))
    return {name: tuple(short) for name, *short in groups}


def shortened(word: str) -> tuple[str, ...]:
    """The usual short forms of a first name."""
    return _nicknames().get(transliterated(word), ())
