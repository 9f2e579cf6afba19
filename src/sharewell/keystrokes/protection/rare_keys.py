"""Keys that few students use, such as the codes of one browser or one layout, become the usual key of their class."""

from collections.abc import Iterable

import numpy as np

from sharewell.keystrokes.arrays import Array, TypedEvents, numbered
from sharewell.keystrokes.keygroups import CLASS_CODES, CLASS_KEYS, HIDDEN, are_codes, key_classes

LEAST_STUDENTS = 5


def names_with_class_keys(names: Iterable[str]) -> Array:
    """Keys with one of every class among them, sorted."""
    known = set(names)
    return np.array(sorted({*known, *_usual(sorted(known))}), dtype=str)


def class_keys_of(keys: Array) -> Array:
    """Which code stands for the class of each code, where there is a key of every class."""
    usual = _usual(keys.tolist())
    places = {str(key): code for code, key in enumerate(keys)}
    stands = [code if group == HIDDEN else places[usual[group]] for code, group in enumerate(key_classes(keys))]
    return np.array(stands, dtype=np.int64)


def _usual(names: list[str]) -> tuple[str, ...]:
    return CLASS_CODES if are_codes(names) else CLASS_KEYS


def common_keys(typing: TypedEvents) -> Array:
    """Whether five students or more use a key, by code."""
    size = int(typing.student.max()) + 1
    pairs, _ = numbered(typing.key * size + typing.student)
    return np.asarray(np.bincount(pairs // size, minlength=len(typing.keys)) >= LEAST_STUDENTS)


def without_rare_keys(typing: TypedEvents, stands: Array, common: Array) -> Array:
    """The key of every event, or that of its class where it is not common."""
    return np.where(common[typing.key], typing.key, stands[typing.key])
