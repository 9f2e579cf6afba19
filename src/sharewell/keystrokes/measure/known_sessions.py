"""Someone knows how many sessions a student has, and looks for as many.

Sessions change places, but nobody gets more or fewer of them than before. What that tells is measured beside the other
attacks; no protection changes it, and no limit holds it.
"""

from dataclasses import replace

import numpy as np

from sharewell.contract import Risk
from sharewell.keystrokes.arrays import Array, TypedEvents, session_starts
from sharewell.keystrokes.measure.measuring import Attackers, most_sought, told


def known_sessions(original: TypedEvents, released: TypedEvents, attackers: Attackers) -> list[Risk]:
    """The share of students found by the number of their sessions, ties in the order of luck."""
    known, seen = (_numbers(typing) for typing in (original, released))
    own = np.arange(min(len(known), len(seen)))
    most = attackers.most or most_sought(len(own))
    if len(own) > most:
        own = np.sort(np.random.default_rng(attackers.seed).choice(own, most, replace=False))
    scored = -np.abs(seen[own][:, None] - known[None, :]).astype(float)
    found = told(scored, own, "sessions", attackers)
    return [replace(risk, setting={**risk.setting, "held to the limit": "no"}) for risk in found]


def _numbers(typing: TypedEvents) -> Array:
    """How many sessions every student has."""
    return np.bincount(typing.student[session_starts(typing.session)[:-1]])
