"""Keystrokes: the rhythm kept, the typist hidden."""

from sharewell.keystrokes.identification import identify
from sharewell.keystrokes.latencies import timings
from sharewell.keystrokes.protect import protect

__all__ = ["identify", "protect", "timings"]
