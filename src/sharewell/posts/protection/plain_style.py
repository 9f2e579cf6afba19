"""A plainer way of writing, so that habits identify a writer less: case, punctuation, stretched letters, blanks.

Placeholders stay as they are. What it costs is case and emphasis; words and their order stay.
"""

import re
import unicodedata

_PLACEHOLDER = re.compile(r"(\[[A-Z_]+(?: \d+)?\])")
_SIGNS = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "…": ".", ";": ",", "\t": " "})
_RUN = re.compile(r"([.!?,'\"-])[.!?,'\"-]+")
_STRETCHED = re.compile(r"([^\W\d_])\1{2,}", re.IGNORECASE)
_BLANKS = re.compile(r" {2,}")
_LINES = re.compile(r"\n{2,}")


def plain(text: str) -> str:
    """The text in lower case, one sign at a time, without symbols and stretched letters."""
    parts = _PLACEHOLDER.split(text)
    return _spaced("".join(part if i % 2 else _even(part).lower() for i, part in enumerate(parts)))


def evened(text: str) -> str:
    """All of it but the lower case, which is needed to find names: nothing comes together later that was apart."""
    return _spaced(_even(text))


def _even(text: str) -> str:
    text = text.translate(_SIGNS)
    text = "".join(character for character in text if unicodedata.category(character) not in ("So", "Sk", "Cf"))
    return _STRETCHED.sub(r"\1\1", _RUN.sub(r"\1", text))


def _spaced(text: str) -> str:
    return _LINES.sub("\n", _BLANKS.sub(" ", text)).strip()
