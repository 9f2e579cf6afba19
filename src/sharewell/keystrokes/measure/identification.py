"""Identification: whose typing is this? The share of typists whom an attacker has on a list of k (Longi et al.)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from scipy.spatial.distance import cdist

from sharewell.contract import Results, Risk
from sharewell.errors import InputError
from sharewell.keystrokes import profiles
from sharewell.keystrokes.arrays import Array
from sharewell.keystrokes.kind import found_within
from sharewell.keystrokes.measure import (
    key_habits,
    kinds_of_pairs,
    likelihood,
    pace,
    ranking,
    together,
)
from sharewell.keystrokes.samples import TypingSample, checked, matched, reduce
from sharewell.stats.intervals import wilson
from sharewell.stats.ranks import share_within

Attack = Literal[
    "nearest", "likelihood", "pauses", "lengths", "same side", "together", "keys", "kinds of pairs"
]  # fmt: skip
ATTACKS: tuple[Attack, ...] = get_args(Attack)
ACCEPT = (1, 5, 10)
CHUNK = 2_000  # test typists scored at once: what bounds the memory


@dataclass(frozen=True, kw_only=True)
class AttackSettings:
    """Settings of the thesis's attack, for a user to change (Leinonen 2016)."""

    digraphs: int = profiles.DIGRAPHS
    occurrences: int = profiles.OCCURRENCES
    centre: profiles.Centre = "mean"
    seed: int = 0


def identify(
    train: Any,
    test: Any,
    *,
    attack: Attack = "nearest",
    accept: Sequence[int] = ACCEPT,
    digraphs: int = profiles.DIGRAPHS,
    occurrences: int = profiles.OCCURRENCES,
    centre: profiles.Centre = "mean",
    seed: int = 0,
) -> Results[Risk]:
    """Measure the share of test typists found within the first k train typists.

    Args:
        train: Timings (see `timings`) that the attacker knows; students who are not in `test` are candidates too.
        test: Timings whose typists are looked for.
        attack: Which attack: "nearest" is the thesis's, "likelihood" the strongest on raw times.
        accept: The lengths k of the attacker's list.
        digraphs: How many of the commonest digraphs profiles hold ("nearest").
        occurrences: How often a student must have typed a digraph ("nearest").
        centre: Whether profiles hold means or medians ("nearest").
        seed: Of draws within an attack.

    Returns:
        One risk per length of the list, with its interval and what guessing finds.

    Example:
        >>> import pyarrow as pa
        >>> import sharewell as sw
        >>> def sample(*rows):
        ...     student, keys, ms = zip(*rows)
        ...     return pa.table({"student": student, "kind": ["latency"] * len(rows), "keys": keys, "ms": ms})
        >>> known = sample(("ann", "a→b", 100.0), ("ann", "b→a", 90.0), ("bo", "a→b", 200.0), ("bo", "b→a", 300.0))
        >>> seen = sample(("ann", "a→b", 110.0), ("ann", "b→a", 95.0), ("bo", "a→b", 190.0), ("bo", "b→a", 310.0))
        >>> sw.keystrokes.identify(known, seen, accept=[1], occurrences=1)[0].value
        1.0
    """
    settings = AttackSettings(digraphs=digraphs, occurrences=occurrences, centre=centre, seed=seed)
    timings = (checked(frame, name) for name, frame in (("train", train), ("test", test)))
    reference, target = (reduce(table, medians=centre == "median") for table in timings)
    return Results(found(reference, target, attack=attack, accept=accept, settings=settings))


def found(
    train: TypingSample,
    test: TypingSample,
    *,
    attack: Attack,
    accept: Sequence[int] = ACCEPT,
    settings: AttackSettings = AttackSettings(),  # noqa: B008 — frozen
    most: int | None = None,
) -> list[Risk]:
    """`identify` on reduced samples; at most `most` of the test typists are looked for, drawn by the seed."""
    if attack not in ATTACKS:
        raise InputError(f"there is no attack '{attack}'; use one of {', '.join(ATTACKS)}")
    rows, own = matched(train, test)
    if most is not None and len(rows) > most:
        drawn = np.sort(np.random.default_rng(settings.seed).choice(len(rows), most, replace=False))
        rows, own = rows[drawn], own[drawn]
    parts = [slice(start, start + CHUNK) for start in range(0, len(rows), CHUNK)]
    counts = np.concatenate(
        [ranking.of_scores(scores(attack, train, test, rows[part], settings), own[part]) for part in parts]
    )
    return [as_risk(counts, k, attack, len(train.students), settings) for k in accept]


def as_risk(counts: Array, k: int, attack: str, candidates: int, settings: AttackSettings) -> Risk:
    shares = share_within(counts[:, 0], counts[:, 1], k)
    low, high = wilson(float(shares.sum()), len(shares))
    return Risk(
        measure=found_within(k),
        attacker=attack,
        value=float(shares.mean()),
        low=low,
        high=high,
        chance=min(1.0, k / candidates),
        n=len(shares),
        seed=settings.seed,
        setting={"within": k, "candidates": candidates},
        story=STORIES[attack],
    )


def scores(attack: str, train: TypingSample, test: TypingSample, rows: Array, settings: AttackSettings) -> Array:
    """The chosen rows of `test` against everyone in `train`: larger is more alike."""
    if attack in LEARNT:
        return LEARNT[attack](train, test, rows, settings.seed)
    if attack == "nearest":
        near, far = _scaled_profiles(train, test, settings)
        return -np.asarray(cdist(far[rows], near))
    return PLAIN[attack](train, test, rows)


def _scaled_profiles(train: TypingSample, test: TypingSample, settings: AttackSettings) -> tuple[Array, Array]:
    built = profiles.build(
        train, test, digraphs=settings.digraphs, occurrences=settings.occurrences, centre=settings.centre
    )
    return profiles.scaled(built.train, built.test)


PLAIN: dict[str, Callable[[TypingSample, TypingSample, Array], Array]] = {
    "likelihood": likelihood.scores,
    "pauses": pace.pauses,
    "lengths": pace.lengths,
    "same side": pace.same_side,
}
LEARNT: dict[str, Callable[[TypingSample, TypingSample, Array, int], Array]] = {
    "together": together.scores,
    "keys": key_habits.scores,
    "kinds of pairs": kinds_of_pairs.scores,
}

STORIES = {
    "nearest": "Someone holds an earlier sample of every student's typing and compares average times between keys.",
    "likelihood": "Someone weighs every pair of keys and every key held by how much it tells people apart.",
    "same side": "Someone takes the fastest for someone fast, and the slowest for someone slow.",
    "together": "Someone has some sessions and looks for those that make them up to what others' sessions come to.",
    "keys": "Someone looks only at which keys a student uses: corrections, shifts, signs, codes of a keyboard.",
    "kinds of pairs": "Someone looks only at how fast a student is between digits, signs, arrows and control keys.",
    "amounts": "Someone knows how many keys each of a student's sessions has, or how long it took, and looks for that.",
    "sessions": "Someone knows how many sessions a student has and looks for as many; no limit holds this.",
    "text": "Someone knows what a student wrote in one session and looks for it.",
    "fusion": "Someone weighs all other attacks together by what other typists taught.",
    "pauses": "Someone looks only at how often and how long a student stops typing.",
    "lengths": "Someone looks only at how long sessions last for the keys typed in them.",
}
