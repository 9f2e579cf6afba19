"""What earlier releases leave of the limit on membership: invented students of several releases tell together.

Nobody can be linked from one set of invented students to another. But every release tells a little of who was learnt
from, and what it tells adds up: an attack puts members d standard deviations above the others, AUC = Φ(d / √2), and
scores from releases whose noise is independent, put together, have d² = Σ d² (Green and Swets 1966, chapter 9). So the
squares of Φ⁻¹(AUC) of all releases that one person may hold are held to the square of Φ⁻¹(limit), and the next release
is searched and judged with what is left.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from scipy.stats import norm

from sharewell.data import engine
from sharewell.plan.sections import AUDIENCES, Audience, Section
from sharewell.release.register import Earlier, Register

GATE = "membership"
AUC = "auc"
LEAST = 0.505  # below, no attack on real students could be shown to stay within it


@dataclass(frozen=True, kw_only=True)
class Spent:
    """What one earlier release told of who was learnt from: the upper end of its strongest attack, and its limit.

    `asked` names all that its file came from; the same file again has the same name.
    """

    audience: Audience
    seen: float
    limit: float
    asked: str = ""


def left(limit: float, audience: Audience, spent: Sequence[Spent]) -> float:
    """The AUC that this release may reach, so that nobody who may hold it and earlier ones gets beyond their limit.

    What a wide audience holds, the narrower ones hold as well: each of them has its own sum and its own limit.
    """
    holders = AUDIENCES[AUDIENCES.index(audience) :]
    return min(limit, *(_left_for(holder, limit if holder == audience else None, spent) for holder in holders))


def left_for(
    section: Section, limit: float, audience: Audience, spent: Sequence[Spent], named: Callable[[Section], str]
) -> float:
    """The same for a section of a plan; the very same file, held to the very same limit, tells nothing new."""
    for same in {one.asked for one in spent if one.asked}:
        found = left(limit, audience, [one for one in spent if one.asked != same])
        if named(section.held_to(membership=found)) == same:
            return found
    return left(limit, audience, spent)


def _left_for(holder: Audience, limit: float | None, spent: Sequence[Spent]) -> float:
    own = [one.limit for one in spent if one.audience == holder] + ([limit] if limit is not None else [])
    seen = [one.seen for one in spent if AUDIENCES.index(one.audience) <= AUDIENCES.index(holder)]
    if not own or not seen:
        return 1.0 if limit is None else limit
    square = _square(max(own)) - sum(map(_square, seen))
    return float(norm.cdf(math.sqrt(square))) if square > 0 else 0.5


def _square(auc: float) -> float:
    """(d / √2)² of an attack; one that is worse than guessing tells nothing."""
    return float(norm.ppf(min(max(auc, 0.5), 1 - 1e-9)) ** 2)


def spent_on(register: Register, students: Iterable[str], earlier: Sequence[Earlier]) -> list[Spent]:
    """Earlier files of invented students that some of these students taught."""
    tokens = set(register.tokens(students).values())
    return [
        _spent(release, label)
        for release in earlier
        for label, told in release.body["files"].items()
        if told["linkable"] is None and not tokens.isdisjoint(_taught(register, told["copy"]))
    ]


def _taught(register: Register, copy: str) -> list[str]:
    tokens: list[str] = engine.arrow(engine.read(register.folder / copy).select("student"))["student"].to_pylist()
    return tokens


def _spent(release: Earlier, label: str) -> Spent:
    """A number that was not written down counts as its limit; without a limit nothing was held back."""
    rows: list[dict[str, Any]] = [
        row for row in release.body["measured"] if row["file"] == label and row["risk"] == AUC and row["limit"]
    ]
    limit = max((float(row["limit"]) for row in rows), default=1.0)
    seen = max((row["seen"] if isinstance(row["seen"], float) else limit for row in rows), default=1.0)
    audience = next(name for name in AUDIENCES if name == release.audience)
    return Spent(audience=audience, seen=seen, limit=limit, asked=release.body.get("asked", {}).get(label, ""))
