"""What was written: the text that the keys of a session leave in the end."""

import numpy as np

from sharewell.keystrokes.arrays import Array, TypedEvents, session_starts
from sharewell.keystrokes.keygroups import CORRECTION, are_codes, key_classes

WRITTEN = {"enter": "\n", "return": "\n", "space": " ", "spacebar": " ", "tab": "\t", "\r": "\n"}
SIGNS = {"186": ";", "187": "=", "188": ",", "189": "-", "190": ".", "191": "/", "222": "'"}
CODE_NAMES = {"8": "backspace", "9": "tab", "13": "enter", "16": "shift", "32": "space"}
ERASE = "\b"
ENOUGH = 3  # keys per character: whoever needs more writes the rest too late to matter


def key_characters(keys: Array) -> list[str]:
    """What each key writes, in small letters: a character, "\\b" for one that erases, nothing for the others."""
    names = [str(key) for key in keys]
    codes, classes = are_codes(names), key_classes(names)
    erases = classes == CORRECTION
    return [ERASE if erase else _character(name, codes) for name, erase in zip(names, erases, strict=True)]


def _character(name: str, codes: bool) -> str:
    if codes and name not in CODE_NAMES:
        return chr(int(name)).lower() if 48 <= int(name) <= 90 else SIGNS.get(name, "")
    low = CODE_NAMES.get(name, name).lower() if codes else name.lower()
    return WRITTEN.get(low, low if len(low) == 1 else "")


def final_texts(typing: TypedEvents, most: int) -> list[str]:
    """The text of every session as it stood in the end, its first `most` characters; the cursor is taken to be last."""
    characters = np.array(key_characters(typing.keys), dtype=object)[typing.key]
    starts = session_starts(typing.session)
    ends = np.minimum(starts[1:], starts[:-1] + ENOUGH * most)
    return [_final(characters[start:end])[:most] for start, end in zip(starts[:-1], ends, strict=True)]


def _final(characters: Array) -> str:
    first, *others = "".join(characters.tolist()).split(ERASE)
    written = first
    for piece in others:
        written = written[:-1] + piece
    return written
