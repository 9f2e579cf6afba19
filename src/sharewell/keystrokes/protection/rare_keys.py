"""Keys that few students use, such as the codes of one browser or one layout, become the usual key of their class."""

from dataclasses import replace

import numpy as np

from sharewell.keystrokes.arrays import Array, Typing, numbered
from sharewell.keystrokes.keygroups import CLASS_CODES, CLASS_KEYS, HIDDEN, are_codes, key_classes, key_kinds

LEAST_STUDENTS = 5


def with_class_keys(typing: Typing) -> tuple[Typing, Array]:
    """The typing with one key of every class among its keys, and which code stands for the class of each code."""
    names = list(typing.keys)
    usual = CLASS_CODES if are_codes(names) else CLASS_KEYS
    keys = np.array([*names, *(key for key in usual if key not in names)], dtype=str)
    places = {str(key): code for code, key in enumerate(keys)}
    classes = key_classes(keys)
    stands = [code if group == HIDDEN else places[usual[group]] for code, group in enumerate(classes)]
    return replace(typing, keys=keys, kinds=key_kinds(keys)), np.array(stands, dtype=np.int64)


def without_rare_keys(typing: Typing, stands: Array) -> Array:
    """The key of every event, or that of its class where fewer than five students use it."""
    size = int(typing.student.max()) + 1
    pairs, _ = numbered(typing.key * size + typing.student)
    users = np.bincount(pairs // size, minlength=len(typing.keys))
    return np.where(users[typing.key] >= LEAST_STUDENTS, typing.key, stands[typing.key])
