"""What each audience may be given: the one table of limits that kinds, gate and register read.

A new audience is one entry, between the wider and the narrower ones: what a wide audience has, the narrower have too.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

Audience: TypeAlias = str


@dataclass(frozen=True, kw_only=True)
class AudienceLimits:
    """The limits of one audience.

    `company` is how many students must be alike wherever students are told apart only in groups; `linkage` bounds what
    several files, or earlier releases, tell together. `kinds` holds by kind the limits that a plan leaves open.
    `signs` says whether the release comes with an agreement to sign.
    """

    reader: str
    signs: bool = True
    company: int
    linkage: float
    kinds: Mapping[str, Mapping[str, float]]


LIMITS: Mapping[Audience, AudienceLimits] = {
    "public": AudienceLimits(
        reader="anyone at all",
        signs=False,
        company=10,
        linkage=0.02,
        kinds={
            "records": {
                "k": 10, "l": 2, "kept": 0.05, "predicate": 0.02,
                "epsilon": 1.0, "membership": 0.53, "tpr": 0.02,
            },
            "traces": {
                "k": 10, "inference": 0.05, "unicity": 0.02, "guess": 1 / 10, "exposed": 1 / 10,
                "membership": 0.53, "tpr": 0.02,
            },
            "responses": {"membership": 0.53, "tpr": 0.02, "ranks": 0.1, "jump": 0.15},
            "posts": {"residual": 0.0002},
            "keystrokes": {"times_chance": 1.5, "within": 10, "membership": 0.53},
        },
    ),
    "agreement": AudienceLimits(
        reader="researchers who signed an agreement",
        company=5,
        linkage=0.05,
        kinds={
            "records": {
                "k": 5, "l": 2, "predicate": 0.02, "advised_kept": 0.05,
                "epsilon": 3.0, "membership": 0.55, "tpr": 0.03,
            },
            "traces": {
                "k": 5, "inference": 0.10, "unicity": 0.05, "guess": 1 / 5, "membership": 0.55, "tpr": 0.03,
            },
            "responses": {"membership": 0.55, "tpr": 0.03, "ranks": 0.1, "jump": 0.15},
            "posts": {"residual": 0.0005},
            "keystrokes": {"times_chance": 2.0, "within": 10, "membership": 0.55},
        },
    ),
    "enclave": AudienceLimits(
        reader="researchers inside a secure enclave",
        company=3,
        linkage=0.20,
        kinds={
            "records": {"k": 3, "advised_kept": 0.20, "epsilon": 6.0, "membership": 0.60, "tpr": 0.05},
            "traces": {"k": 3, "unicity": 0.20, "guess": 1 / 3, "membership": 0.60, "tpr": 0.05},
            "responses": {"membership": 0.60, "tpr": 0.05, "ranks": 0.1, "jump": 0.15},
            "posts": {"residual": 0.002},
            "keystrokes": {"times_chance": 4.0, "within": 10, "membership": 0.60},
        },
    ),
}  # fmt: skip
AUDIENCES: tuple[Audience, ...] = tuple(LIMITS)  # from the widest to the narrowest


def limits_of(kind: str) -> dict[Audience, Mapping[str, float]]:
    """What each audience asks of a kind of data where the plan is silent."""
    return {audience: limits.kinds[kind] for audience, limits in LIMITS.items()}
