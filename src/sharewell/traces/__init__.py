"""Event logs: how few clicks give a student away, and what to do about it."""

from sharewell.traces.protect import coarsen, protect
from sharewell.traces.risk import unicity

__all__ = ["coarsen", "protect", "unicity"]
