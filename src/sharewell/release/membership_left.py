"""What earlier releases leave of the limits on membership: invented students of several releases disclose together.

Nobody can be linked from one set of invented students to another. But every release discloses a little of who was
learnt from, and that adds up: an attack puts members d standard deviations above the others, AUC = Φ(d / √2), and
scores from releases whose noise is independent, put together, have d² = Σ d² (Green and Swets 1966, chapter 9). So the
squares of Φ⁻¹(AUC) of all releases that one person may have are bounded by the square of Φ⁻¹(limit), and the next
release is searched and judged with what is left.

That alone would let a few students be found for certain in each release, others in the next: with 3 % found in each of
eleven the squares come to an AUC of .55 only, and up to 28 % are found. So shares found at one false alarm in a hundred
are added up as well, each less that hundredth. Members who all stand d above the others are found more seldom than that
together, up to shares of .06.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scipy.special import ndtr, ndtri

from sharewell.data import engine
from sharewell.plan.audience_limits import AUDIENCES, Audience
from sharewell.plan.sections import Section
from sharewell.release.register import Earlier, Register

FALSE_ALARMS = 0.01


@dataclass(frozen=True, kw_only=True)
class Adds:
    """How what several releases disclose by one measure adds up, to no more than a limit of that measure."""

    measure: str
    disclosed: Callable[[float], float]  # by a value; one that is no better than guessing discloses nothing
    reached: Callable[[float], float]  # the value that discloses so much
    least: float  # below, no attack on real students could be shown to stay within it


def _square(auc: float) -> float:
    """(d / √2)² of an attack."""
    return float(ndtri(min(max(auc, 0.5), 1 - 1e-9)) ** 2)


BY_AUC = Adds(
    measure="auc", disclosed=_square, reached=lambda disclosed: float(ndtr(math.sqrt(disclosed))), least=0.505
)
BY_TPR = Adds(
    measure="tpr_at_1pct_fpr",
    disclosed=lambda share: max(share - FALSE_ALARMS, 0.0),
    reached=lambda disclosed: FALSE_ALARMS + disclosed,
    least=0.0105,
)
GATES: Mapping[str, Adds] = {"membership": BY_AUC, "tpr": BY_TPR}


@dataclass(frozen=True, kw_only=True)
class Spent:
    """What one earlier release disclosed of who was learnt from: the upper end of its strongest attack, and its limit.

    `asked` names all that its file came from; the same file again has the same name.
    """

    audience: Audience
    seen: float
    limit: float
    asked: str = ""


def left(limit: float, audience: Audience, spent: Sequence[Spent], adds: Adds = BY_AUC) -> float:
    """Return what this release may reach within what earlier ones left.

    What a wide audience holds, the narrower ones hold as well: each of them has its own sum and its own limit.
    """
    holders = AUDIENCES[AUDIENCES.index(audience) :]
    each = (_left_for(holder, limit if holder == audience else None, spent, adds) for holder in holders)
    return min(limit, *each)


def left_for(
    section: Section, audience: Audience, spent: Mapping[str, Sequence[Spent]], named: Callable[[Section], str]
) -> dict[str, float]:
    """Return the same for the limits of a section; the same file spends nothing."""
    limits = {gate: limit for gate, limit in section.limits().items() if gate in GATES}
    for same in {one.asked for some in spent.values() for one in some if one.asked}:
        others = {gate: [one for one in some if one.asked != same] for gate, some in spent.items()}
        found = {gate: left(limit, audience, others[gate], GATES[gate]) for gate, limit in limits.items()}
        if named(section.held_to(**found)) == same:
            return found
    return {gate: left(limit, audience, spent[gate], GATES[gate]) for gate, limit in limits.items()}


def _left_for(holder: Audience, limit: float | None, spent: Sequence[Spent], adds: Adds) -> float:
    own = [one.limit for one in spent if one.audience == holder] + ([limit] if limit is not None else [])
    seen = [one.seen for one in spent if AUDIENCES.index(one.audience) <= AUDIENCES.index(holder)]
    if not own or not seen:
        return 1.0 if limit is None else limit
    return adds.reached(max(adds.disclosed(max(own)) - sum(map(adds.disclosed, seen)), 0.0))


def spent_on(register: Register, students: Iterable[str], earlier: Sequence[Earlier]) -> dict[str, list[Spent]]:
    """Find earlier invented files that some of these students taught, by limit."""
    tokens = set(register.tokens(students).values())
    taught = [
        (release, label)
        for release in earlier
        for label, file in release.body["files"].items()
        if file["linkable"] is None and not tokens.isdisjoint(_taught(register, file["copy"]))
    ]
    return {gate: [_spent(release, label, adds) for release, label in taught] for gate, adds in GATES.items()}


def _taught(register: Register, copy: str) -> list[str]:
    tokens: list[str] = engine.arrow(engine.read(register.folder / copy).select("student"))["student"].to_pylist()
    return tokens


def _spent(release: Earlier, label: str, adds: Adds) -> Spent:
    """A number that was not written down counts as its limit; without a limit nothing was withheld."""
    measured: list[dict[str, Any]] = release.body["measured"]
    rows = [row for row in measured if row["file"] == label and row["risk"] == adds.measure and row["limit"]]
    limit = max((float(row["limit"]) for row in rows), default=1.0)
    seen = max((row["seen"] if isinstance(row["seen"], float) else limit for row in rows), default=1.0)
    audience = next(name for name in AUDIENCES if name == release.audience)
    return Spent(audience=audience, seen=seen, limit=limit, asked=release.body.get("asked", {}).get(label, ""))
