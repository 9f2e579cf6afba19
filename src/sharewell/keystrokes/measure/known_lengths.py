"""Someone knows how long each of a student's sessions took, and looks for the same lengths."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from ibis.expr.types import Table

from sharewell.contract import Risk
from sharewell.data import engine
from sharewell.keystrokes.arrays import Array
from sharewell.keystrokes.kind import found_by_lengths
from sharewell.keystrokes.measure import ranking
from sharewell.keystrokes.measure.identification import Settings, as_risk
from sharewell.keystrokes.measure.measuring import most_sought
from sharewell.keystrokes.measure.shared_times import mean_gap
from sharewell.keystrokes.samples import coded


def known_lengths(original: Table, released: Table, parts: Table, *, within: Sequence[int], seed: int) -> list[Risk]:
    """Told beside the limit, not held to it: how many keys a session has is released, and its length follows that."""
    known, seen = (_log_lengths(events, parts) for events in (original, released))
    own = np.arange(len(known))
    if len(own) > most_sought(len(known)):
        own = np.sort(np.random.default_rng(seed).choice(own, most_sought(len(known)), replace=False))
    counts = ranking.of_scores(-mean_gap(known, seen[own]), own)
    risks = [(k, as_risk(counts, k, "lengths", len(known), Settings(seed=seed))) for k in within]
    story = "Someone knows from elsewhere how long each of a student's sessions took, and looks for the same lengths."
    return [replace(one, measure=found_by_lengths(k), story=story) for k, one in risks]


def _log_lengths(events: Table, parts: Table) -> Array:
    """Students × target sessions, which go by their names, or by their order where students hardly share names."""
    joined = events.inner_join(parts.filter(parts.target), ["student", "session"])
    lengths = joined.group_by("student", "session").agg(ms=joined.press.max() - joined.press.min())
    rows = engine.arrow(lengths.order_by("student", "session"))
    students, who = coded(rows["student"])
    names, which = coded(rows["session"])
    if 2 * len(names) > len(which):
        which = np.arange(len(who)) - np.searchsorted(who, who)
    result = np.full((len(students), int(which.max()) + 1), np.nan)
    result[who, which] = np.log(np.maximum(rows["ms"].to_numpy(), 1.0))
    return result
