"""Keys sorted into kinds, and digraphs into the seven groups of Thomas, Karahasanovic and Kennedy (2005).

A digraph of two keys of one kind belongs to that kind: alphabetic, numeric, control, browsing, other. A browsing key
beside any other kind makes it H; every other mixture is an edge. Keys come as characters, as names ("Backspace",
"ArrowLeft") or as the key codes of browsers (65 is A).
"""

from collections.abc import Iterable

import numpy as np

from sharewell.keystrokes.arrays import Array

ALPHABETIC, NUMERIC, CONTROL, BROWSING, OTHER = range(5)
KEY_KINDS = ("alphabetic", "numeric", "control", "browsing", "other")
GROUPS = (*KEY_KINDS, "H", "edge")
H, EDGE = 5, 6

_CONTROL_NAMES = {"shift", "ctrl", "control", "alt", "altgr", "altgraph", "meta", "capslock", "caps_lock", "tab"}
_CONTROL_NAMES |= {"backspace", "delete", "del", "insert", "enter", "return", "escape", "esc", "bksp", "⌫", "\t"}
_CONTROL_NAMES |= {"\n", "\r", "\b", "numlock", "scrolllock", "contextmenu", "pause"} | {f"f{n}" for n in range(1, 13)}
_BROWSING_NAMES = {"home", "end", "pageup", "pagedown", "page_up", "page_down", "pgup", "pgdn"}
_BROWSING_NAMES |= {prefix + side for prefix in ("", "arrow", "arrow_") for side in ("left", "right", "up", "down")}
_CONTROL_CODES = {8, 9, 13, 16, 17, 18, 19, 20, 27, 45, 46, 91, 92, 93, 144, 145} | set(range(112, 124))
_BROWSING_CODES = set(range(33, 41))
_NUMERIC_CODES = set(range(48, 58)) | set(range(96, 106))


def key_kinds(keys: Iterable[str]) -> Array:
    """The kind of every key; whether they are key codes is told from all of them together."""
    keys = list(keys)
    kind = _code_kind if are_codes(keys) else _name_kind
    return np.array([kind(key) for key in keys], dtype=np.int64)


def are_codes(keys: list[str]) -> bool:
    """Whole numbers only, and some that no digit key could be: browser key codes."""
    return bool(keys) and all(key.isdecimal() for key in keys) and any(len(key) > 1 for key in keys)


def digraph_groups(first: Array, second: Array) -> Array:
    """The group of each digraph from the kinds of its keys."""
    mixed = np.where((first == BROWSING) | (second == BROWSING), H, EDGE)
    return np.where(first == second, first, mixed)


def _code_kind(key: str) -> int:
    code = int(key)
    if 65 <= code <= 90:
        return ALPHABETIC
    if code in _NUMERIC_CODES:
        return NUMERIC
    if code in _CONTROL_CODES:
        return CONTROL
    return BROWSING if code in _BROWSING_CODES else OTHER


def _name_kind(key: str) -> int:
    if len(key) == 1 and key.isalpha():
        return ALPHABETIC
    if len(key) == 1 and key.isdecimal():
        return NUMERIC
    name = key.lower().removesuffix("left").removesuffix("right") if key.lower().startswith("shift") else key.lower()
    if name in _CONTROL_NAMES:
        return CONTROL
    return BROWSING if name in _BROWSING_NAMES else OTHER
