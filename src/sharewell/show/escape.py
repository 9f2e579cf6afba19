"""What comes from data and plans stays text: one function for each medium that is not HTML.

HTML is escaped by the templates themselves (jinja's autoescape) and by `Markup.format` where a chart is drawn.
Markdown is escaped by the templates as well: whatever a template fills in goes through `markdown`, unless it is a
`Safe` text, which only this module makes. What goes to a terminal passes `terminal`.
"""

import re
import unicodedata
from collections.abc import Iterable

DIRECTION = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff")
SPECIAL = re.compile(r"([\\`*\[\]|~${}])")  # code, emphasis, links and pictures, cells, strikes, formulas, attributes
LONE_UNDERSCORE = re.compile(r"(?<![^\W_])_|_(?![^\W_])")  # inside a word it is a letter like any other
BLOCK = re.compile(r"^(#{1,6}(?=\s|$)|[-+=](?=[\s\-+=]|$)|\d+[.)](?=\s|$))")  # opens a heading, a list or a rule
LIKE_AN_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:\S|www\.|@|\w\.[A-Za-z]{2,}", re.I)  # some renderers link these
HTML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


class Safe(str):
    """Markdown that is finished; nothing in it is escaped again."""


def terminal(text: object) -> str:
    """Text that moves no cursor, sets no colour and turns no direction of writing."""
    kept = ("".join(_visible(letter) for letter in str(text))).split()
    return " ".join(kept)


def markdown(text: object) -> Safe:
    """Text that opens no tag, link, picture, cell or block wherever it stands."""
    if isinstance(text, Safe):
        return text
    words = [code(word) if LIKE_AN_ADDRESS.search(word) else _escaped(word) for word in terminal(text).split()]
    return Safe(BLOCK.sub(lambda found: _blocked(found.group()), " ".join(words)))


def code(text: object) -> Safe:
    """Fence a name as code; a bar, which ends a table cell, stands between pieces."""
    return Safe("\\|".join(_fenced(piece) if piece else "" for piece in terminal(text).split("|")) or "` `")


def _fenced(name: str) -> str:
    """Between as many backticks as it takes."""
    fence = "`" * (max(map(len, re.findall("`+", name)), default=0) + 1)
    room = " " if name.startswith("`") or name.endswith("`") else ""
    return f"{fence}{room}{name}{room}{fence}"


def codes(names: Iterable[object]) -> Safe:
    """Several names, with commas between them."""
    return Safe(", ".join(code(name) for name in names))


def _visible(letter: str) -> str:
    if letter.isspace():
        return " "
    return "" if unicodedata.category(letter) in ("Cc", "Cs") or letter in DIRECTION else letter


def _escaped(word: str) -> str:
    return LONE_UNDERSCORE.sub(r"\\_", SPECIAL.sub(r"\\\1", word)).translate(HTML)


def _blocked(opening: str) -> str:
    return f"{opening[:-1]}\\{opening[-1]}" if opening[0].isdigit() else f"\\{opening}"
