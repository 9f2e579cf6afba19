"""Every attack on what is released, by someone with a raw or a protected sample of everyone's typing."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sharewell.contract import Risk
from sharewell.keystrokes.arrays import Array
from sharewell.keystrokes.measure import fusion, ranking
from sharewell.keystrokes.measure.identification import ATTACKS, Attack, AttackSettings, as_risk, scores
from sharewell.keystrokes.samples import TypingSample, matched
from sharewell.keystrokes.splits import SampleHalves

OCCURRENCES = (2, 5)
PAIRS = 2_000_000  # comparisons per attack: a larger course is measured on a drawn part of its students
LEAST_PER_PLACE = 20  # a list of w places needs 20·w students, or it holds a good part of them by chance


@dataclass(frozen=True, kw_only=True)
class Attackers:
    """Who attacks: the lengths of their lists, the seed of their draws, and which attacks they know."""

    within: Sequence[int]
    seed: int
    attacks: Sequence[Attack] = ATTACKS
    fused: bool = True
    references: Sequence[str] = ("raw", "protected")
    most: int | None = None  # students who are looked for; as many as keep the comparisons within bounds if None


def most_sought(students: int) -> int:
    """How many of the students are looked for: all of them, or as many as keep the comparisons within bounds."""
    return max(400, PAIRS // max(1, students))


def measure(raw: SampleHalves | None, released: SampleHalves, attackers: Attackers) -> list[Risk]:
    """Every attack on a release: by a raw reference (where there is one) on all of it, by a part of it on the rest."""
    pairs = {}
    if "protected" in attackers.references:
        pairs["protected"] = (released.reference, released.target)
    if raw is not None and "raw" in attackers.references:
        pairs["raw"] = (raw.reference, released.whole)
    return [
        replace(one, setting={**one.setting, "reference": kind})
        for kind, (reference, target) in pairs.items()
        for one in _against(reference, target, attackers)
    ]


def _against(reference: TypingSample, target: TypingSample, attackers: Attackers) -> list[Risk]:
    rows, own = matched(reference, target)
    most = attackers.most or most_sought(len(reference.students))
    if len(rows) > most:
        drawn = np.sort(np.random.default_rng(attackers.seed).choice(len(rows), most, replace=False))
        rows, own = rows[drawn], own[drawn]
    risks, every = [], []
    for attack, occurrences in ((one, least) for one in attackers.attacks for least in _occurrences(one)):
        settings = AttackSettings(occurrences=occurrences, seed=attackers.seed)
        scored = scores(attack, reference, target, rows, settings)
        every.append(scored)
        more = {"occurrences": occurrences} if attack == "nearest" else {}
        risks += told(scored, own, attack, attackers, more)
    if attackers.fused and len(every) > 1:
        risks += told(fusion.scores(every, own, attackers.seed), own, "fusion", attackers)
    return risks


def told(
    scored: Array, own: Array, attack: str, attackers: Attackers, more: dict[str, Any] | None = None
) -> list[Risk]:
    """The risks of one matrix of scores, one for each length of the list."""
    counts, settings = ranking.of_scores(scored, own), AttackSettings(seed=attackers.seed)
    risks = [as_risk(counts, k, attack, scored.shape[1], settings) for k in attackers.within]
    return [replace(one, setting={**one.setting, **(more or {})}) for one in risks]


def _occurrences(attack: Attack) -> tuple[int, ...]:
    """Profiles are tried with few and with many occurrences of a digraph: what is better depends on the sample."""
    return OCCURRENCES if attack == "nearest" else OCCURRENCES[:1]


def list_length(within: int, students: int) -> int:
    """The attacker's list: with few students a list of ten would hold everybody, so it is shortened to a twentieth."""
    return max(1, min(within, students // LEAST_PER_PLACE))
