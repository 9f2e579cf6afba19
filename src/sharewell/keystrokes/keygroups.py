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
    """Return the kind of every key; all together decide whether they are key codes."""
    keys = list(keys)
    kind = _code_kind if are_codes(keys) else _name_kind
    return np.array([kind(key) for key in keys], dtype=np.int64)


def are_codes(keys: list[str]) -> bool:
    """Whole numbers only, and some that no digit key could be: browser key codes."""
    return bool(keys) and all(key.isdecimal() for key in keys) and any(len(key) > 1 for key in keys)


def digraph_groups(first: Array, second: Array) -> Array:
    """Return the group of each digraph from the kinds of its two keys."""
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


LETTER, DIGIT, SPACE, PUNCTUATION, CORRECTION, MODIFIER, NEWLINE, NAVIGATION, STRANGE, HIDDEN = range(10)
CLASSES = (
    "letter", "digit", "space", "punctuation", "correction", "modifier", "newline", "navigation", "other", "hidden"
)  # fmt: skip
CLASS_KEYS = ("a", "0", " ", ".", "Backspace", "Shift", "Enter", "ArrowLeft", "Unidentified")  # one key for each class
CLASS_CODES = ("65", "48", "32", "190", "8", "16", "13", "37", "229")  # the same among the key codes of browsers
PLACEHOLDER, PASTED, NO_CODE = "[REDACTED]", "[TEXT]", "0"  # what was typed or pasted, taken out
_CLASS_CODES = {8: CORRECTION, 46: CORRECTION, 32: SPACE, 13: NEWLINE, 9: NEWLINE, 0: HIDDEN}
_CLASS_CODES |= dict.fromkeys((16, 17, 18, 20, 91, 92, 93, 144, 145), MODIFIER)
_CLASS_CODES |= dict.fromkeys(range(33, 41), NAVIGATION)
_CLASS_CODES |= dict.fromkeys((*range(106, 112), *range(186, 193), *range(219, 224), 59, 61, 173), PUNCTUATION)
_CLASS_NAMES = dict.fromkeys(("backspace", "delete", "del", "bksp", "⌫", "\b"), CORRECTION)
_CLASS_NAMES |= dict.fromkeys(("enter", "return", "tab", "\n", "\r", "\t"), NEWLINE)
_CLASS_NAMES |= dict.fromkeys((" ", "space", "spacebar"), SPACE)
_CLASS_NAMES |= dict.fromkeys(("capslock", "caps_lock", "numlock", "scrolllock"), MODIFIER)
_CLASS_NAMES |= dict.fromkeys(("shift", "ctrl", "control", "alt", "altgr", "altgraph", "meta"), MODIFIER)


def key_classes(keys: Iterable[str]) -> Array:
    """What each key does to a text: finer than its kind, and what remains of a key that few students use."""
    keys = list(keys)
    kind = _code_class if are_codes(keys) else _name_class
    return np.array([kind(key) for key in keys], dtype=np.int64)


def _code_class(key: str) -> int:
    code = int(key)
    if 65 <= code <= 90:
        return LETTER
    return _CLASS_CODES.get(code, DIGIT if code in _NUMERIC_CODES else STRANGE)


def _name_class(key: str) -> int:
    if key in (PLACEHOLDER, PASTED):
        return HIDDEN
    name = _plain_name(key)
    if name in _CLASS_NAMES:
        return _CLASS_NAMES[name]
    if len(key) == 1:
        return LETTER if key.isalpha() else DIGIT if key.isdecimal() else PUNCTUATION
    return NAVIGATION if name in _BROWSING_NAMES else STRANGE


def _plain_name(key: str) -> str:
    """Left and right modifiers are one key."""
    name = key.lower()
    modifiers = ("shift", "control", "ctrl", "alt", "meta")
    return next((one for one in modifiers if name in (f"{one}left", f"{one}right", one)), name)


def is_key_name(key: str) -> bool:
    """Whether a cell of several characters is the name of a key; anything else is text that was pasted or completed."""
    *before, last = key.split("+") if len(key) > 1 and not key.endswith("+") else [key]
    pressed = len(last) == 1 or _plain_name(last) in _KEY_NAMES
    return pressed and all(_plain_name(part) in _MODIFIERS for part in before)


_MODIFIERS = {"shift", "ctrl", "control", "alt", "altgr", "altgraph", "meta", "cmd", "command", "option", "win", "fn"}
_KEY_NAMES = _CONTROL_NAMES | _BROWSING_NAMES | set(_CLASS_NAMES)
_KEY_NAMES |= {"space", "spacebar", "dead", "process", "unidentified", "compose", "clear", "cancel", "help", "print"}
_KEY_NAMES |= {"printscreen", "os", "win", "cmd", "command", "option", "super", "fn", "paste", "completion", "deletion"}
_KEY_NAMES |= {"copy", "cut", "undo", "redo", "select", "replacement"} | {f"f{n}" for n in range(13, 25)}
_KEY_NAMES |= {f"numpad{n}" for n in range(10)} | {f"digit{n}" for n in range(10)}
_KEY_NAMES |= {f"key{chr(letter)}" for letter in range(97, 123)}
_KEY_NAMES |= {"numpadadd", "numpadsubtract", "numpadmultiply", "numpaddivide", "numpaddecimal", "numpadenter", "plus"}
_KEY_NAMES |= {"minus", "equal", "comma", "period", "slash", "backslash", "semicolon", "quote", "backquote"}
_KEY_NAMES |= {"bracketleft", "bracketright", "intlbackslash", "dot", "audiovolumeup", "audiovolumedown"}
