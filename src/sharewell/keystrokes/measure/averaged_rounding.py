"""Rounded times averaged again: what rounding of single events would hide."""

from collections.abc import Sequence
from dataclasses import replace

from ibis.expr.types import Table

from sharewell.contract import Risk
from sharewell.keystrokes.kind import found_rounded
from sharewell.keystrokes.latencies import timing_table
from sharewell.keystrokes.measure.measuring import measure
from sharewell.keystrokes.protection.coarsening import coarse_timings
from sharewell.keystrokes.samples import reduce_parts
from sharewell.keystrokes.splits import Halves

ROUNDED_MS = 100.0


def averaging(events: Table, parts: Table, raw: Halves, *, within: Sequence[int], seed: int) -> list[Risk]:
    """What rounding of single events would hide: nearly nothing from someone who averages them again."""
    timings = coarse_timings(timing_table(events), ROUNDED_MS, "round").inner_join(parts, ["student", "session"])
    reference, target = reduce_parts(timings.filter(timings.ms > 0))
    risks = measure(raw, Halves(reference=reference, target=target), within=within, seed=seed, attacks=["likelihood"])
    story = f"Had single times been rounded to {ROUNDED_MS:g} ms, someone could average many of them again."
    return [replace(one, measure=found_rounded(one.setting["within"]), story=story) for one in risks]
