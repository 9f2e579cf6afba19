"""Somebody who holds several versions of a release: the sessions of all of them, put together under their pseudonyms.

Times and exchanged keys are drawn anew in each version; lots, and what stays with a student, are not (see `lots`). What
is left of a student is told more surely by the mean over versions, and by digits that are in one of them and not in
another.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from sharewell.contract import Risk
from sharewell.keystrokes import eventlog, splits
from sharewell.keystrokes.arrays import Array, TypedEvents
from sharewell.keystrokes.kind import OVER_VERSIONS
from sharewell.keystrokes.measure.identification import Attack
from sharewell.keystrokes.measure.measuring import Attackers, measure
from sharewell.keystrokes.protection import judging, lots
from sharewell.keystrokes.protection.draft import Material, Setting, draw
from sharewell.keystrokes.protection.judging import Original
from sharewell.keystrokes.samples import merged
from sharewell.keystrokes.splits import WAYS, SampleHalves

VERSIONS = 5
ATTACKS: tuple[Attack, ...] = ("kinds of pairs", "same side")  # what gains by more versions: a student's own speed
FIRST_LOOK = 4  # keys


def found(
    source: Original,
    material: Material,
    setting: Setting,
    generators: Sequence[np.random.Generator],
    *,
    within: int,
    limit: float,
) -> list[Risk]:
    """What every attack finds in several versions, as a mean over keys.

    One key for each generator, or as many as settle it. Versions take longer to draw than to attack: every way of
    parting what the attacker knows looks at them.
    """
    risks: list[list[Risk]] = []
    ends = judging.looks(len(generators), FIRST_LOOK)
    for place, generator in enumerate(generators):
        seen = pooled(source, drawn(material, setting, generator), source.targets[WAYS[0]])
        attackers = Attackers(within=(within,), seed=place, attacks=ATTACKS, references=("raw",), most=judging.AT_ONCE)
        risks.append(judging.averaged([measure(source.raw[way], seen, attackers) for way in WAYS]))
        means = judging.averaged(risks, ends)
        if len(risks) in ends and judging.settled(limit, means):
            break
    return [replace(one, measure=OVER_VERSIONS, setting={**one.setting, "versions": VERSIONS}) for one in means]


def drawn(material: Material, setting: Setting, generator: np.random.Generator) -> Iterator[TypedEvents]:
    """Versions under one key."""
    fixed = lots.drawn(material.sessions, len(material.speed), generator)
    for _ in range(VERSIONS):
        yield draw(material, setting, generator, fixed).typing


def pooled(source: Original, versions: Iterable[TypedEvents], target: Array) -> SampleHalves:
    """The samples of all versions pooled, each reduced by itself: no two stand in memory at once."""
    written = (eventlog.as_written(source.events, one) for one in versions)
    untimed = (replace(one, hold=np.full(len(one.key), np.nan)) for one in written)  # no attack here looks at holds
    every = [splits.halves(one, source.events.students, target) for one in untimed]
    return SampleHalves(
        reference=merged([one.reference for one in every]), target=merged([one.target for one in every])
    )  # fmt: skip
