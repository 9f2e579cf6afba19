"""Characters that nobody sees: inside an address or a name they hide it from a search, and from no reader.

Blanks of no width, soft hyphens and marks of direction come along when text is copied. Letters of scripts that join
them, and emoji, are held together or apart by such characters: there they are part of what is read, and stay.
"""

import re

_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]+"
)
_OF_ADDRESSES = re.compile(r"[\w@.:/+%-]")
_KEYCAP = "\u20e3"


def without_unseen(text: str) -> str:
    """The text as it is read: what nobody sees is gone, but for where it belongs to a script or an emoji."""
    if text.isascii():
        return text
    return _UNSEEN.sub(lambda run: run[0] if _is_read(run) else "", text)


def _is_read(run: re.Match[str]) -> bool:
    """After a letter or sign that may be joined, and not before what an address or a number goes on with."""
    before, after = run.string[run.start() - 1 : run.start()], run.string[run.end() : run.end() + 1]
    return after == _KEYCAP or (_joins(before) and (_joins(after) or not _OF_ADDRESSES.match(after)))


def _joins(character: str) -> bool:
    """Of a script east of the Greek, or a symbol; digits are digits everywhere."""
    european = character < "\u0590" or "\u1e00" <= character < "\u2190"
    return not european and not character.isdecimal()
