"""Somebody who holds several versions of a release: the sessions of all of them, put together under their pseudonyms.

Times and exchanged keys are drawn anew in each version; lots, and what stays with a student, are not (see `lots`). What
is left of a student is told more surely by the mean over versions, and by digits that are in one of them and not in
another.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sharewell.contract import Risk
from sharewell.keystrokes import eventlog
from sharewell.keystrokes.arrays import Typing
from sharewell.keystrokes.kind import OVER_VERSIONS
from sharewell.keystrokes.protection import judging, lots
from sharewell.keystrokes.protection.draft import Material, Setting, draw
from sharewell.keystrokes.protection.judging import Original, Panel
from sharewell.keystrokes.splits import WAYS

VERSIONS = 5


def panel(within: int) -> Panel:
    """What gains by more versions: a student's own speed, by kinds of pairs and as a whole."""
    return Panel(
        attacks=("kinds of pairs", "same side"), within=(within,), references=("raw",), texts=False, amounts=()
    )


def found(
    source: Original, material: Material, setting: Setting, generators: Sequence[np.random.Generator], within: int
) -> list[Risk]:
    """What every attack finds in several versions, as a mean over keys: one for each generator."""
    risks = []
    for place, generator in enumerate(generators):
        seen = together([eventlog.as_written(source.events, one) for one in drawn(material, setting, generator)])
        way = WAYS[place % len(WAYS)]
        risks.append(judging.attacked(source, seen, panel(within), [way], place, judging.AT_ONCE))
    means = judging.on_a_list_of(within, judging.averaged(risks))
    return [replace(one, measure=OVER_VERSIONS, setting={**one.setting, "versions": VERSIONS}) for one in means]


def drawn(material: Material, setting: Setting, generator: np.random.Generator) -> list[Typing]:
    """Versions under one key."""
    held = lots.drawn(material.sessions, len(material.speed), generator)
    return [draw(material, setting, generator, held).typing for _ in range(VERSIONS)]


def together(versions: Sequence[Typing]) -> Typing:
    """Every session holds the events of all versions, one after the other."""
    session = np.concatenate([one.session for one in versions])
    order = np.argsort(session, kind="stable")
    student, key, latency, hold = (
        np.concatenate([getattr(one, name) for one in versions])[order]
        for name in ("student", "key", "latency", "hold")
    )
    return replace(versions[0], student=student, session=session[order], key=key, latency=latency, hold=hold)
