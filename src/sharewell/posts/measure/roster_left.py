"""Entries of the roster in the finished text, looked for by a search that shares nothing with what redacted it.

Texts are read in plain letters, with entities and escapes resolved. An entry counts where a reader would see it: alone,
with an ending, between capitals or beside words and names ("#MariaLopez", "laurenbacall"), or in pieces ("L o p e z").
"""

import html
import itertools
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from urllib.parse import unquote

from ibis.expr.types import Table

from sharewell.contract import Risk
from sharewell.posts.kind import ROSTER_LEFT
from sharewell.posts.recheck import written
from sharewell.text import languages
from sharewell.text.word_lists import FUNCTION_WORDS, WordLists, surname_ranks

_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
_FIGURED = re.compile(r"(?<!\w)(?=\w*[^\W\d_])(?=\w*\d)[^\W_]{4,}(?!\w)")
_UNSPACED = re.compile("[ก-๛぀-ヿ㐀-䶿一-鿿가-힯]{2,}")  # Thai, Japanese, Chinese, Korean: no space around a name
_PIECES = re.compile(  # over the end of a line, letter by letter, between tags
    r"(?<!\w)[^\W\d_]+[-‐‑]\s*?\n\s*[^\W\d_]+|(?<!\w)[^\W\d_](?:([ ._*-])[^\W\d_])(?:\1[^\W\d_]){2,}(?!\w)"
    r"|(?<!\w)[^\W\d_]+(?:</?\w[^<>]*>[^\W\d_]+)+"
)
_CASES = "s es n en in nin nun ya ye dan den tan ten da de a e u em owi iem om ym lle lta lla nak nek val vel"
_ENDINGS = frozenset(f"{_CASES} sche schen scher ji san kun".split())
_PLAIN = str.maketrans("øØłŁđĐıŋħ`´’ʼ", "oOlLdDinh''''") | str.maketrans({"ß": "ss", "æ": "ae", "œ": "oe", "þ": "th"})
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"})
_MIXED, _LETTERS = re.compile("[A-Za-z][Ͱ-Ֆ]|[Ͱ-Ֆ][A-Za-z]"), re.compile(r"[^\W\d_]+")
_ALIKE = str.maketrans("аеорсухіјѕԁһАВЕКМНОРСТХІЈЅορνΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "aeopcyxijsdhABEKMHOPCTXIJSopvABEZHIKMNOPTYX")
_FIGURES = str.maketrans("013457", "oieast")
_CODED = re.compile(r"\\u([\da-fA-F]{4})|\\[ntr](?=[^\W\d_])")
LONGEST = 60  # letters beside an entry that are taken apart
LEAST = 4  # letters of an entry inside a run without capitals, and of a word beside it one less
USUAL = 4.0  # on the Zipf scale: a word as usual in some language is no entry with an ending

STORY = (
    "Someone with the list of the course searches the released text for its names, inside hashtags and words written "
    "as one, too. A word of the roster that people marked as no name stays in the text: mark it as a name, or take it "
    "off the roster."
)


def roster_left(released: Table, columns: Sequence[str], roster: Sequence[str], lists: WordLists) -> list[Risk]:
    """Count entries of the roster, given by its cells, in the finished text; nothing without a roster."""
    if not roster:
        return []
    found = words_left(released, columns, roster, lists)
    posts = sum(1 for _ in written(released, columns))
    value = float(sum(found.values()))
    return [Risk(measure=ROSTER_LEFT, attacker="classmate", value=value, n=posts, story=STORY)]


def words_left(released: Table, columns: Sequence[str], roster: Sequence[str], lists: WordLists) -> Counter[str]:
    """Count how often each entry of the roster is found.

    A single ordinary dictionary word cannot be told from a name by a search; a whole name of such words can, where
    both have a capital or are written as one. A single "Maria" counts, and so do "Rose Baker" and "rosebaker", but not
    "rose".
    """
    search = _Search(roster, lists)
    found: Counter[str] = Counter()
    for text in written(released, columns):
        found.update(search.entries(text))
    return found


class _Search:
    """The entries of a roster, given by its cells, and where a text shows them."""

    def __init__(self, roster: Sequence[str], lists: WordLists) -> None:
        self.lists = lists
        cells = [_entry(cell) for cell in roster]
        cells += [_entry(cell.lower().translate(_UMLAUTS)) for cell in roster]
        words = {part for cell in cells for word in cell for part in (word, re.sub("['-]", "", word))}
        named = [cell for cell in cells if len(cell) > 1]
        self.wanted = {word for word in words if len(word) > 2 and not lists.is_everyday(word)}
        self.whole = {pair for cell in named for pair in (*itertools.pairwise(cell), (cell[-1], cell[0]))}
        logins = {login for cell in named for login in (cell[0][0] + cell[-1], cell[-1] + cell[0][0])}
        as_one = {word for word in {*map("".join, self.whole), *logins} if len(word) > LEAST}
        self.seen_inside = self.wanted | {word for word in as_one if not self._is_listed(word)}
        joined = sorted({cell for cell in map("".join, cells) if _UNSPACED.fullmatch(cell)}, key=len, reverse=True)
        self.unspaced = re.compile("|".join(map(re.escape, joined)) or r"(?!)")
        self.in_surface = lru_cache(maxsize=1 << 17)(self._in_surface)  # the same words are met again and again

    def entries(self, text: str) -> Iterator[str]:
        """Find every entry that a text shows."""
        read = _in_plain_letters(text)
        yield from self.unspaced.findall(read)
        for pieces in _PIECES.finditer(read):
            one = "".join(filter(str.isalpha, re.sub("<[^<>]*>", "", pieces[0]))).lower()
            if one in self.seen_inside:
                yield one
        for figured in _FIGURED.findall(read):
            if (one := figured.lower().translate(_FIGURES)) in self.wanted:
                yield one
        surfaces = _WORD.findall(read)
        for surface in surfaces:
            if not self.unspaced.search(surface):
                yield from self.in_surface(surface)
        for first, last in itertools.pairwise(surfaces):
            pair = _plain(first), _plain(last)
            if pair in self.whole and first[0].isupper() and last[0].isupper() and self.wanted.isdisjoint(pair):
                yield " ".join(pair)

    def _in_surface(self, surface: str) -> tuple[str, ...]:
        """The entry that a word is, with or without an ending, or the one inside a word that is several in one."""
        word = _plain(surface)
        for form in (word, re.sub(r"(.)\1{2,}", r"\1", word)):
            if form in self.wanted:
                return (form,)
        for size in range(1, min(len(word) - LEAST, 5) + 1):
            head, ending = word[:-size].rstrip("'"), word[-size:].lstrip("'")
            if head in self.wanted and ending in _ENDINGS and (len(head) > LEAST or size > 1 or ending == "s"):
                return () if self._is_listed(word) or (languages.look_up([word]) >= USUAL).any() else (head,)
        return tuple(self._inside(surface)) if len(surface) > LEAST else ()

    def _inside(self, surface: str) -> Iterator[str]:
        """The longest entry in a word that no list has, if capitals or known words stand around it."""
        lower = surface.lower()
        if self._is_listed(lower) and "-" not in lower:
            return
        longest = max(map(len, self.seen_inside), default=0)
        for size in range(min(longest, len(lower)), 2, -1):
            for start in range(len(lower) - size + 1):
                end = start + size
                if lower[start:end] not in self.seen_inside:
                    continue
                left, right = _shows_edge(surface, start), _shows_edge(surface, end)
                sides = (left or self._are_words(lower[:start])) and (right or self._are_words(lower[end:]))
                if sides and (size >= LEAST or (left and right)):
                    yield lower[start:end]
                    return

    def _are_words(self, rest: str) -> bool:
        """Whether what stands beside an entry is one listed word or several, of at most sixty letters."""
        ends = {0}
        for end in range(2, len(rest) + 1 if len(rest) <= LONGEST else 0):
            parts = (rest[start:end] for start in ends if end - start > 1)
            if any(self._is_listed(part) or part in FUNCTION_WORDS for part in parts):
                ends.add(end)
        return len(rest) in ends

    def _is_listed(self, word: str) -> bool:
        listed = self.lists.is_word(word) or word in self.lists.first or word in surname_ranks()
        return len(word) >= LEAST - 1 and listed


def _shows_edge(surface: str, at: int) -> bool:
    """Whether a word ends or begins here by its capitals, or the whole does."""
    if at in (0, len(surface)) or not (surface[at - 1].isalpha() and surface[at].isalpha()):
        return True
    return surface[at].isupper() and (surface[at - 1].islower() or surface[at + 1 : at + 2].islower())


def _in_plain_letters(text: str) -> str:
    """Read "J&uuml;rgen", "J%C3%BCrgen", "J\\u00fcrgen" and "Jürgen" alike as "Jurgen"."""
    if any(sign in text for sign in "&%\\"):
        text = unquote(html.unescape(text), errors="ignore")
        text = _CODED.sub(lambda coded: chr(int(coded[1], 16)) if coded[1] else "\n", text)
    if text.isascii():
        return text
    kept = (sign for sign in unicodedata.normalize("NFKD", text) if unicodedata.category(sign) not in ("Mn", "Cf"))
    plain = "".join(kept).translate(_PLAIN)
    if _MIXED.search(plain):
        plain = _LETTERS.sub(lambda word: word[0].translate(_ALIKE) if _MIXED.search(word[0]) else word[0], plain)
    return unicodedata.normalize("NFC", plain)


def _entry(cell: str) -> list[str]:
    """The words of a name, or of what stands before the @ of an address."""
    return [_plain(word) for word in _WORD.findall(_in_plain_letters(cell.split("@")[0]))]


def _plain(word: str) -> str:
    return word.lower().removesuffix("'s")
