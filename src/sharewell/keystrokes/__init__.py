"""Keystrokes: the rhythm kept, the typist hidden."""

from sharewell.keystrokes.latencies import drop_rare, timings
from sharewell.keystrokes.measure.identification import identify
from sharewell.keystrokes.measure.strength_sweep import sweep
from sharewell.keystrokes.protection.average import average
from sharewell.keystrokes.protection.coarsening import coarsen
from sharewell.keystrokes.protection.protect import protect
from sharewell.keystrokes.protection.random_delays import delay
from sharewell.keystrokes.utility.experience import infer
from sharewell.keystrokes.utility.profile_table import profile

__all__ = ["average", "coarsen", "delay", "drop_rare", "identify", "infer", "profile", "protect", "sweep", "timings"]


def __dir__() -> list[str]:
    return sorted(__all__)
