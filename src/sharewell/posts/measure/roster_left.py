"""Entries of the roster in the finished text, looked for by a search that shares nothing with what redacted it."""

import itertools
import re
from collections import Counter
from collections.abc import Callable, Sequence

from ibis.expr.types import Table

from sharewell.contract import Risk
from sharewell.posts.kind import ROSTER_LEFT
from sharewell.posts.recheck import written

_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_UNSPACED = re.compile("[ก-๛぀-ヿ㐀-䶿一-鿿가-힯]{2,}")  # Thai, Japanese, Chinese, Korean: no space around a name


STORY = (
    "Somebody with the list of the course searches the released text for its names. A word of the roster that people "
    "marked as no name stays in the text: mark it as a name, or take it off the roster."
)
Ordinary = Callable[[str], bool]


def roster_left(released: Table, columns: Sequence[str], roster: Sequence[str], is_ordinary: Ordinary) -> list[Risk]:
    """Entries of the roster, given by its cells, in the finished text; nothing where there is no roster."""
    if not roster:
        return []
    found = words_left(released, columns, roster, is_ordinary)
    posts = sum(1 for _ in written(released, columns))
    value = float(sum(found.values()))
    return [Risk(measure=ROSTER_LEFT, attacker="classmate", value=value, n=posts, story=STORY)]


def words_left(released: Table, columns: Sequence[str], roster: Sequence[str], is_ordinary: Ordinary) -> Counter[str]:
    """How often each entry of the roster is found.

    A single ordinary dictionary word cannot be told from a name by a search; a whole name of such words can, where
    both have a capital. A single "Maria" counts, and so does "Rose Baker", but not "rose".
    """
    cells = [_entry(cell) for cell in roster]
    wanted = {word for cell in cells for word in cell if len(word) > 2 and not is_ordinary(word)}
    whole = {pair for cell in cells if len(cell) > 1 for pair in (*itertools.pairwise(cell), (cell[-1], cell[0]))}
    joined = sorted({cell for cell in map("".join, cells) if _UNSPACED.fullmatch(cell)}, key=len, reverse=True)
    inside = re.compile("|".join(map(re.escape, joined)) or r"(?!)")
    found: Counter[str] = Counter()
    for text in written(released, columns):
        found.update(inside.findall(text))
        surfaces = _WORD.findall(text)
        words = [_plain(word) for word in surfaces]
        found.update(word for word in words if word in wanted and not inside.search(word))
        capital = [word[0].isupper() for word in surfaces]
        pairs = zip(itertools.pairwise(words), itertools.pairwise(capital), strict=True)
        found.update(
            " ".join(pair) for pair, both in pairs if pair in whole and not wanted.intersection(pair) and all(both)
        )
    return found


def _entry(cell: str) -> list[str]:
    """The words of a name, or of what stands before the @ of an address."""
    return [_plain(word) for word in _WORD.findall(cell.split("@")[0])]


def _plain(word: str) -> str:
    return word.lower().replace("’", "'").removesuffix("'s")
