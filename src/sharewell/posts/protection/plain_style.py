"""A plainer way of writing, so that habits tell less about the writer: case, punctuation, stretched letters, blanks.

Placeholders stay as they are. What it costs is case and emphasis; words and their order stay.
"""

import re
import unicodedata

_PLACEHOLDER = re.compile(r"(\[[A-Z_]+(?: \d+)?\])")
_SIGNS = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "…": ".", ";": ",", "\t": " "})
_RUN = re.compile(r"([.!?,'\"-])[.!?,'\"-]+")
_STRETCHED = re.compile(r"([^\W\d_])\1{2,}")
_BLANKS = re.compile(r" {2,}")
_LINES = re.compile(r"\n{2,}")


def plain(text: str) -> str:
    """The text in lower case, one sign at a time, without symbols and stretched letters."""
    parts = _PLACEHOLDER.split(text)
    done = "".join(part if i % 2 else _plainer(part) for i, part in enumerate(parts))
    return _LINES.sub("\n", _BLANKS.sub(" ", done)).strip()


def _plainer(text: str) -> str:
    text = text.translate(_SIGNS).lower()
    text = "".join(character for character in text if unicodedata.category(character) not in ("So", "Sk", "Cf"))
    return _STRETCHED.sub(r"\1\1", _RUN.sub(r"\1", text))
