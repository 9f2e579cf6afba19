"""Read plans and releases made before December 2026, when company became the promise of logs."""

import math
from collections.abc import Mapping
from typing import Any

RETIRED_KEYS: Mapping[str, str] = {
    "attackers": "attackers: company bounds all of them (same rows, random, counts and the others); leave the line "
    'out, or write promise = "points" to limit unicity at `known` points alone',
}
SMALLEST_GROUP = 5  # where neither a guess nor a group was limited


def facts_as_now(facts: Mapping[str, Any]) -> Mapping[str, Any]:
    """The facts of a released log as they are written now: what was promised, and the k of company."""
    if "promise" in facts or facts.get("method") == "synthetic":
        return facts
    guesses = [facts[name] for name in ("guess", "exposed") if facts.get(name)]
    needed = max((math.ceil(1 / bound - 1e-9) for bound in guesses), default=SMALLEST_GROUP)
    return {"private": [], **facts, "promise": "company", "k": facts.get("group_size") or needed}
