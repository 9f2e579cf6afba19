"""Posts into words, in one pass over the characters.

A word is a run of letters, marks and digits with at least one letter; hyphens and apostrophes inside it belong to it
("Jean-Pierre", "O'Brien"). Sentences end at . ! ? …, at line breaks (the paper's largest false alarm, "my", came from
missing that), at list items, at block tags and at the comma of a greeting ("Hi Sam, Thanks"); an abbreviation ("Dr.")
or an initial ("J. Park") does not end one. A placeholder such as [EMAIL] is one token.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np

from sharewell.stats.compiled import njit
from sharewell.text.arrays import Array
from sharewell.text.regions import BREAK, PROSE, regions

(OTHER, LETTER, UPPER, DIGIT, APOSTROPHE, HYPHEN, NEWLINE, STOP, COMMA, SPACE, OPENING, CLOSING, BULLET) = range(13)
SPACED, AFTER_COMMA, AFTER_STOP, FRESH = range(4)  # what stands before a word: FRESH is a new line, item or post

_GREETINGS = "hi hello hey dear hiya greetings howdy hallo thanks thank thx cheers good morning"
GREETINGS = frozenset(_GREETINGS.split())
_ABBREVIATIONS = "mr mrs ms dr prof st sr jr mx fr rev hon vs etc eg ie fig eq no vol cf approx"
ABBREVIATIONS = frozenset(_ABBREVIATIONS.split())
GREETING_WORDS = 5  # "Good morning Maria Lopez," is as long as a greeting gets
TABLE_SIZE = 0x30000
# "\\nMaria" in a string of code is a line break and a word, "\\nabla" in a formula is neither
_ESCAPE = re.compile(
    r"\\[ntr](?=[^\W\d_])(?!(?<=n)(?:abla|e(?:q|g|w(?:line|page|command|environment)|arrow|xists)?|o(?:t|tin|indent|rm|number|limits|nl)?|u|i|[lg]eq\w*|mid|parallel|sim|sub\w+)\b"
    r"|(?<=t)(?:ext\w*|au|anh?|heta|ilde|imes|itle|iny|o|op|riangle\w*|herefore|hanks|hinspace|hispagestyle|ab(?:le\w*)?|ag|frac)\b"
    r"|(?<=r)(?:ho|ight\w*|angle|ceil|floor|aggedright|ef|enewcommand|equire|m|oot|ule|vert)\b)"
)
_FNV_OFFSET, _FNV_PRIME = np.uint64(14695981039346656037), np.uint64(1099511628211)  # Fowler, Noll, Vo: FNV-1a


@dataclass(frozen=True, eq=False)
class Tokens:
    """The words of a batch of posts as columns; `surface` indexes `surfaces`, the distinct words as written."""

    start: Array  # first character, counted from the start of the word's own post
    end: Array
    post: Array
    surface: Array
    prose: Array  # False in code, formulas and tags
    begins: Array  # at the beginning of a sentence
    gap: Array
    surfaces: list[str]
    texts: Sequence[str]


def tokenize(texts: Sequence[str]) -> Tokens:
    """Every word of every text with where it stands."""
    joined = "\n".join(texts)
    points = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), dtype=np.uint32).copy()
    points[[match.end() - 1 for match in _ESCAPE.finditer(joined)]] = ord(" ")
    offsets = np.cumsum([0, *(len(text) + 1 for text in texts)])[: len(texts)]
    silent = np.zeros(len(points) + 1, np.uint8)
    for offset, text in zip(offsets, texts, strict=True):
        for left, right, kind in regions(text):
            silent[offset + left : offset + right] = kind
    start, end, gap, hashes = _scan(points, silent, _classes())
    _, first, surface = np.unique(hashes, return_index=True, return_inverse=True)
    by_appearance = np.argsort(first)
    surface = np.argsort(by_appearance)[surface]
    first = first[by_appearance]
    surfaces = [joined[a:b] for a, b in zip(start[first], end[first], strict=True)]
    post = np.searchsorted(offsets, start, side="right") - 1
    gap[np.flatnonzero(np.diff(post, prepend=-1))] = FRESH
    return Tokens(
        start=start - offsets[post],
        end=end - offsets[post],
        post=post,
        surface=surface,
        prose=silent[start] == PROSE,
        begins=_sentence_starts(gap, surface, *_flags(surfaces)),
        gap=gap,
        surfaces=surfaces,
        texts=texts,
    )


@lru_cache(maxsize=1 << 17)  # the same words are asked for again and again
def fold(surface: str) -> str:
    """The word behind a surface: lower case, one form of apostrophe, without a possessive ending."""
    word = unicodedata.normalize("NFC", surface).lower().replace("’", "'").replace("ʼ", "'")
    if word.endswith("'s"):
        return word[:-2]
    return word[:-1] if word.endswith("'") else word


def is_capitalised(surface: str) -> bool:
    return surface[:1].isupper()


def is_placeholder(surface: str) -> bool:
    return surface.startswith("[")


def _flags(surfaces: list[str]) -> tuple[Array, Array]:
    folded = [fold(surface) for surface in surfaces]
    greets = np.fromiter((word in GREETINGS for word in folded), bool, len(folded))
    short = (word in ABBREVIATIONS or (len(word) == 1 and word != "i") for word in folded)
    return greets, np.fromiter(short, bool, len(folded))


@cache
def _classes() -> Array:
    """What each character is to the scanner."""
    table = np.zeros(TABLE_SIZE, np.uint8)
    for point in range(TABLE_SIZE):
        category = unicodedata.category(chr(point))
        if category[0] in "LM":
            table[point] = UPPER if category in ("Lu", "Lt") else LETTER
        elif category == "Nd":
            table[point] = DIGIT
        elif category[0] == "Z":
            table[point] = SPACE
    special = {APOSTROPHE: "'’ʼ", HYPHEN: "-‐‑", STOP: ".!?…。！？", COMMA: ",;،，", BULLET: "•‣◦▪·"}
    special |= {NEWLINE: "\n\r\v\f\x85\u2028\u2029", OPENING: "[", CLOSING: "]", SPACE: " \t\u00a0"}
    for kind, characters in special.items():
        for character in characters:
            table[ord(character)] = kind
    return table


@njit(cache=True)
def _scan(points: Array, silent: Array, classes: Array) -> tuple[Array, Array, Array, Array]:
    """Spans of words, what stands before each, and a hash of its characters."""
    n = len(points)
    start, end = np.empty(n // 2 + 1, np.int64), np.empty(n // 2 + 1, np.int64)
    gap, hashes = np.empty(n // 2 + 1, np.uint8), np.empty(n // 2 + 1, np.uint64)
    count, i, before = 0, 0, FRESH
    while i < n:
        kind = classes[points[i]] if points[i] < len(classes) else 0
        if kind == OPENING:
            stop = _placeholder_end(points, i)
        elif kind in (LETTER, UPPER, DIGIT):
            stop = _word_end(points, classes, i)
        else:
            stop = i
        if stop > i:
            value = _FNV_OFFSET
            for j in range(i, stop):
                value = (value ^ np.uint64(points[j])) * _FNV_PRIME
            start[count], end[count], gap[count], hashes[count] = i, stop, before, value
            count += 1
            i, before = stop, SPACED
            continue
        if kind in (NEWLINE, BULLET) or silent[i] == BREAK:
            before = FRESH
        elif kind == STOP and before < AFTER_STOP and not _is_decimal(points, classes, i):
            before = AFTER_STOP
        elif kind == COMMA and before < AFTER_COMMA:
            before = AFTER_COMMA
        i += 1
    return start[:count].copy(), end[:count].copy(), gap[:count].copy(), hashes[:count].copy()


@njit(cache=True)
def _is_decimal(points: Array, classes: Array, i: int) -> bool:
    """Whether a stop stands between two digits, as in 3.5."""
    if i == 0 or i + 1 >= len(points) or points[i - 1] >= len(classes) or points[i + 1] >= len(classes):
        return False
    return bool(classes[points[i - 1]] == DIGIT and classes[points[i + 1]] == DIGIT)


@njit(cache=True)
def _word_end(points: Array, classes: Array, i: int) -> int:
    """Where the word that begins at i ends; i itself where there is no letter in it."""
    n, letters, j = len(points), False, i
    while j < n:
        kind = classes[points[j]] if points[j] < len(classes) else 0
        if kind in (LETTER, UPPER, DIGIT):
            letters = letters or kind != DIGIT
        elif kind in (APOSTROPHE, HYPHEN) and j > i and j + 1 < n and points[j + 1] < len(classes):
            following = classes[points[j + 1]]
            if not (following in (LETTER, UPPER) or (following == DIGIT and kind == HYPHEN and letters)):
                break
        else:
            break
        j += 1
    return j if letters else i


@njit(cache=True)
def _placeholder_end(points: Array, i: int) -> int:
    """The end of [CAPITALS] or of [CAPITALS 12], or i."""
    n, j = len(points), i + 1
    while j < n and (65 <= points[j] <= 90 or points[j] == 95):
        j += 1
    if j - i < 3:
        return i
    if j < n and points[j] == 32:
        j += 1
        while j < n and 48 <= points[j] <= 57:
            j += 1
    return j + 1 if j < n and points[j] == 93 else i


@njit(cache=True)
def _sentence_starts(gap: Array, surface: Array, greets: Array, abbreviates: Array) -> Array:
    """True where a word begins a sentence: after a stop, on a new line, after the comma of a greeting."""
    begins = np.zeros(len(gap), np.bool_)
    line, commas = 0, 0
    for i in range(len(gap)):
        if gap[i] == FRESH:
            line, commas = i, 0
            begins[i] = True
        elif gap[i] == AFTER_STOP:
            begins[i] = not abbreviates[surface[i - 1]]
            if begins[i]:
                line, commas = i, 0
        elif gap[i] == AFTER_COMMA:
            commas += 1
            begins[i] = commas == 1 and greets[surface[line]] and i - line <= GREETING_WORDS
    return begins
