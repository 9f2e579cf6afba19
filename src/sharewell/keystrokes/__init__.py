"""Keystrokes: the rhythm kept, the typist hidden."""

from sharewell.keystrokes.coarsening import coarsen, drop_rare
from sharewell.keystrokes.delay import delay
from sharewell.keystrokes.identification import identify
from sharewell.keystrokes.inference import infer
from sharewell.keystrokes.latencies import timings
from sharewell.keystrokes.profiling import profile
from sharewell.keystrokes.protect import protect
from sharewell.keystrokes.sweep import sweep

__all__ = ["coarsen", "delay", "drop_rare", "identify", "infer", "profile", "protect", "sweep", "timings"]
