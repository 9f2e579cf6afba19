"""Rounded times averaged again: what rounding of single events would hide."""

from collections.abc import Sequence
from dataclasses import replace

from sharewell.contract import Risk
from sharewell.keystrokes import splits
from sharewell.keystrokes.arrays import Array, TypedEvents
from sharewell.keystrokes.kind import found_rounded
from sharewell.keystrokes.measure.measuring import Attackers, measure
from sharewell.keystrokes.protection.coarsening import coarse
from sharewell.keystrokes.splits import SampleHalves

ROUNDED_MS = 100.0


def averaging(
    typing: TypedEvents, students: Array, target: Array, raw: SampleHalves, *, within: Sequence[int], seed: int
) -> list[Risk]:
    """What rounding of single events would hide: nearly nothing from someone who averages them again."""
    latency, hold = (coarse(times, ROUNDED_MS, "round") for times in (typing.latency, typing.hold))
    seen = splits.halves(replace(typing, latency=latency, hold=hold), students, target)
    attackers = Attackers(within=within, seed=seed, attacks=["likelihood"], fused=False)
    story = f"Had single times been rounded to {ROUNDED_MS:g} ms, someone could average many of them again."
    risks = measure(raw, seen, attackers)
    return [replace(one, measure=found_rounded(one.setting["within"]), story=story) for one in risks]
