"""Entries of the roster in the finished text, looked for by a search that shares nothing with what redacted it.

It reads runs of letters, whatever stands between them, and looks at every stretch of letters inside a run: an entry
counts where a reader would see it, between capitals or beside words and names ("#MariaLopez", "laurenbacall").
"""

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache

from ibis.expr.types import Table

from sharewell.contract import Risk
from sharewell.posts.kind import ROSTER_LEFT
from sharewell.posts.recheck import written
from sharewell.text.word_lists import WordLists, surname_ranks

_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_UNSPACED = re.compile("[ก-๛぀-ヿ㐀-䶿一-鿿가-힯]{2,}")  # Thai, Japanese, Chinese, Korean: no space around a name
LEAST = 4  # letters of an entry inside a run without capitals, and of a word beside it one less

STORY = (
    "Somebody with the list of the course searches the released text for its names, inside hashtags and words written "
    "as one, too. A word of the roster that people marked as no name stays in the text: mark it as a name, or take it "
    "off the roster."
)


def roster_left(released: Table, columns: Sequence[str], roster: Sequence[str], lists: WordLists) -> list[Risk]:
    """Entries of the roster, given by its cells, in the finished text; nothing where there is no roster."""
    if not roster:
        return []
    found = words_left(released, columns, roster, lists)
    posts = sum(1 for _ in written(released, columns))
    value = float(sum(found.values()))
    return [Risk(measure=ROSTER_LEFT, attacker="classmate", value=value, n=posts, story=STORY)]


def words_left(released: Table, columns: Sequence[str], roster: Sequence[str], lists: WordLists) -> Counter[str]:
    """How often each entry of the roster is found.

    A single ordinary dictionary word cannot be told from a name by a search; a whole name of such words can, where
    both have a capital or are written as one. A single "Maria" counts, and so do "Rose Baker" and "rosebaker", but not
    "rose".
    """
    cells = [_entry(cell) for cell in roster]
    wanted = {word for cell in cells for word in cell if len(word) > 2 and not lists.is_ordinary(word)}
    whole = {pair for cell in cells if len(cell) > 1 for pair in (*itertools.pairwise(cell), (cell[-1], cell[0]))}
    as_one = {"".join(pair) for pair in whole if len("".join(pair)) > LEAST}
    joined = sorted({cell for cell in map("".join, cells) if _UNSPACED.fullmatch(cell)}, key=len, reverse=True)
    inside = re.compile("|".join(map(re.escape, joined)) or r"(?!)")

    @lru_cache(maxsize=1 << 17)  # the same words are met again and again
    def entries(surface: str) -> tuple[str, ...]:
        if (word := _plain(surface)) in wanted:
            return (word,)
        return tuple(_seen_inside(surface, wanted | as_one, lists)) if len(surface) > LEAST else ()

    found: Counter[str] = Counter()
    for text in written(released, columns):
        found.update(inside.findall(text))
        surfaces = _WORD.findall(text)
        found.update(entry for surface in surfaces if not inside.search(surface) for entry in entries(surface))
        words = [_plain(surface) for surface in surfaces]
        capital = [surface[0].isupper() for surface in surfaces]
        pairs = zip(itertools.pairwise(words), itertools.pairwise(capital), strict=True)
        found.update(
            " ".join(pair) for pair, both in pairs if pair in whole and not wanted.intersection(pair) and all(both)
        )
    return found


def _seen_inside(surface: str, wanted: AbstractSet[str], lists: WordLists) -> Iterator[str]:
    """The longest entry in a word that no list has, if capitals or known words stand around it."""
    lower = surface.lower()
    if len(lower) != len(surface) or _is_listed(lower, lists):
        return
    for size, start in itertools.product(range(len(lower), 2, -1), range(len(lower))):
        end = start + size
        if end <= len(lower) and lower[start:end] in wanted:
            before, after = lower[:start], lower[end:]
            left, right = _shows_edge(surface, start), _shows_edge(surface, end)
            known = all(shown or _is_listed(rest, lists) for shown, rest in ((left, before), (right, after)))
            if known and (size >= LEAST or (left and right)):
                yield lower[start:end]
                return


def _shows_edge(surface: str, at: int) -> bool:
    """Whether a word ends or begins here by its capitals, or the whole does."""
    if at in (0, len(surface)) or not (surface[at - 1].isalpha() and surface[at].isalpha()):
        return True
    return surface[at].isupper() and (surface[at - 1].islower() or surface[at + 1 : at + 2].islower())


def _is_listed(word: str, lists: WordLists) -> bool:
    return len(word) >= LEAST - 1 and (lists.is_word(word) or word in lists.first or word in surname_ranks())


def _entry(cell: str) -> list[str]:
    """The words of a name, or of what stands before the @ of an address."""
    return [_plain(word) for word in _WORD.findall(cell.split("@")[0])]


def _plain(word: str) -> str:
    return word.lower().replace("’", "'").removesuffix("'s")
