"""Classes of speeds and the setting of an earlier release, as its private folder keeps them: a next version has both.

Classes formed anew would have other borders, and their means before and after would tell how fast those were who left.
"""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from sharewell.errors import InputError
from sharewell.keystrokes.arrays import Array
from sharewell.keystrokes.protection.draft import KeySetting, Setting, Speeds


@dataclass(frozen=True, kw_only=True)
class EarlierSpeeds:
    """What a next version uses again."""

    setting: Setting
    own: Mapping[str, int]  # the class of every student
    slower: Mapping[int, float]  # than the mean, by class, as a logarithm

    def speeds(self, students: Array, speed: Array) -> Speeds:
        """Students stay in their classes; a newcomer goes to the one that is nearest."""
        classes = sorted(self.slower)
        slower = np.array([self.slower[one] for one in classes])
        nearest = np.abs((np.log(speed) - np.log(speed).mean())[:, None] - slower).argmin(axis=1)
        known = [self.own.get(str(who)) for who in students]
        pairs = zip(known, nearest, strict=True)
        own = np.array([near if one is None else classes.index(one) for one, near in pairs], dtype=np.int64)
        return Speeds(own=own, slower=slower, everyone=own)


def table(students: Array, speeds: Speeds, setting: Setting) -> pa.Table:
    """For the private folder."""
    same = {"classes": setting.classes, "stray": setting.stray, "exchanged": setting.keys.exchanged,
            "any_size": int(setting.keys.any_size)}  # fmt: skip
    own = {"student": [str(who) for who in students], "class": speeds.own, "slower": speeds.slower[speeds.own]}
    return pa.table({**own, **{name: np.full(len(students), value) for name, value in same.items()}})


def read(path: Path) -> EarlierSpeeds:
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows = list(csv.DictReader(file))
        first = rows[0]
        keys = KeySetting(exchanged=float(first["exchanged"]), any_size=first["any_size"] == "1")
        return EarlierSpeeds(
            setting=Setting(keys=keys, classes=int(first["classes"]), stray=float(first["stray"])),
            own={row["student"]: int(row["class"]) for row in rows},
            slower={int(row["class"]): float(row["slower"]) for row in rows},
        )
    except (OSError, IndexError, KeyError, TypeError, ValueError):
        raise InputError("holds no speeds of an earlier release; name its private speeds.csv", file=path) from None
