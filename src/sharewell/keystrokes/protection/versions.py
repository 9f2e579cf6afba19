"""Somebody who holds several versions of a release: the sessions of all of them, put together under their pseudonyms.

Times are drawn anew in each version, and keys that are exchanged among sessions of one size; lots, and what stays with
a student, are not (see `lots`). The mean over versions shows what is left of a student more surely than one of them.
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
from sharewell.lab.threads import one_thread

VERSIONS = 5
ATTACKS: tuple[Attack, ...] = ("kinds of pairs", "same side")  # what gains by more versions: a student's own speed


def found(
    source: Original,
    material: Material,
    setting: Setting,
    generators: Sequence[np.random.Generator],
    *,
    within: int,
    limit: float,
) -> list[Risk]:
    """Measure attacks on several versions: their mean over keys, one for each generator or as many as settle it."""
    risks: list[list[Risk]] = []
    ends = judging.looks(len(generators))
    for place, generator in enumerate(generators):
        risks.append(attacked(source, material, setting, generator, within, place))
        if len(risks) in ends and judging.settled(limit, judging.averaged(risks, ends)):
            break
    return judging.averaged(risks, ends)


def attacked(
    source: Original, material: Material, setting: Setting, generator: np.random.Generator, within: int, seed: int
) -> list[Risk]:
    """Attack the versions of one key.

    They take longer to draw than to attack: every way of parting what the attacker knows looks at them.
    """
    seen = pooled(source, drawn(material, setting, generator), source.targets[WAYS[0]])
    attackers = Attackers(within=(within,), seed=seed, attacks=ATTACKS, references=("raw",))
    with one_thread():
        means = judging.averaged([measure(source.raw[way], seen, attackers) for way in WAYS])
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
