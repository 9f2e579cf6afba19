"""Every attack on what is released, by someone with a raw or a protected sample of everyone's typing."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from sharewell.contract import Risk
from sharewell.keystrokes.measure.identification import ATTACKS, Attack, Settings, found
from sharewell.keystrokes.splits import Halves

OCCURRENCES = (2, 5)
PAIRS = 6_000_000  # comparisons per attack: a larger course is measured on a drawn part of its students
LEAST_PER_PLACE = 20  # a list of w places needs 20·w students, or it holds a good part of them by chance


def most_sought(students: int) -> int:
    """How many of the students are looked for: all of them, or as many as keep the comparisons within bounds."""
    return max(200, PAIRS // max(1, students))


def measure(
    raw: Halves | None,
    released: Halves,
    *,
    within: Sequence[int],
    seed: int,
    attacks: Iterable[Attack] = ATTACKS,
) -> list[Risk]:
    """Every attack on the released target, with a raw reference (where there is one) and with a released one."""
    references = {"raw": raw.reference} if raw is not None else {}
    references["protected"] = released.reference
    most = most_sought(len(released.reference.students))
    risks = []
    for kind, reference in references.items():
        for attack, occurrences in ((one, least) for one in attacks for least in _occurrences(one)):
            settings = Settings(occurrences=occurrences, seed=seed)
            measured = found(reference, released.target, attack=attack, accept=within, settings=settings, most=most)
            more = {"reference": kind} | ({"occurrences": occurrences} if attack == "nearest" else {})
            risks += [replace(risk, setting={**risk.setting, **more}) for risk in measured]
    return risks


def _occurrences(attack: Attack) -> tuple[int, ...]:
    """Profiles are tried with few and with many occurrences of a digraph: what is better depends on the sample."""
    return OCCURRENCES if attack == "nearest" else OCCURRENCES[:1]


def strongest(risks: Iterable[Risk]) -> Risk:
    return max(risks, key=lambda risk: risk.value)


def list_length(within: int, students: int) -> int:
    """The attacker's list: with few students a list of ten would hold everybody, so it is shortened to a twentieth."""
    return max(1, min(within, students // LEAST_PER_PLACE))
