"""Attacks on membership that need a kind's profile only, and the audit that makes every attack on every split.

A profile says what of a log can be counted: averages of the population, and a look at a release. Tracing solves them
for who was in, density compares student by student, shadow attacks learn from releases of the attacker's own, nearest
looks for the most similar released student.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from scipy.sparse import csr_matrix

from sharewell.contract import Risk
from sharewell.lab.membership import Measured, Scores, measured, strongest
from sharewell.lab.shadows import Look, Shadow, Trust, likelihood_ratio, strengths, strengths_for_each, whitened
from sharewell.lab.splits import SIDES, Split, mean_over_splits, risks_over_splits
from sharewell.lab.tracing import Averages, Equations, equations, solution
from sharewell.stats.arrays import Array

BLOCK = 1_000  # students compared at a time


class Profile(Protocol):
    """What the attacker computes once from the log of everybody; `share` of them are in a release."""

    @property
    def share(self) -> float: ...

    @property
    def averages(self) -> Mapping[str, Averages]: ...

    @property
    def lengths(self) -> Array:
        """How many rows each student has."""

    def look(self, fake: Any, /) -> Look: ...


P = TypeVar("P", bound=Profile)


@dataclass(frozen=True)
class Target(Generic[P]):
    """A release under attack, who was in, and the shadow releases that the attacker made."""

    profile: P
    fake: Any
    member: Array
    shadows: tuple[Shadow, ...] = ()
    seen: Look | None = None  # what is computed already
    learnt: Trust | None = None

    @cached_property
    def look(self) -> Look:
        return self.seen or self.profile.look(self.fake)

    @cached_property
    def trust(self) -> Trust:
        return self.learnt or strengths(self.profile.averages, self.shadows)

    @cached_property
    def equations(self) -> dict[str, Equations]:
        """What every group of averages says of who was in."""
        known, look = self.profile.averages, self.look.averages
        return {name: equations(known[name], look[name], self.trust[name]) for name in known}

    @property
    def everyone(self) -> Array:
        return np.ones(self.member.size, dtype=bool)


T = TypeVar("T", bound=Target[Any])


@dataclass(frozen=True)
class MembershipAttack(Generic[T]):
    """What an attacker does, in plain words, and how."""

    story: str
    score: Callable[[T], Scores]
    needs_group: str | None = None  # averages that not every log has
    needs_shadows: int = 0
    of_copies: bool = False  # copies show on a few splits; of averages tracing sees all that such an attack sees

    def possible(self, target: T) -> bool:
        """Whether the log has what the attack counts, and the attacker has enough releases."""
        there = self.needs_group is None or self.needs_group in target.profile.averages
        return there and len(target.shadows) >= self.needs_shadows


@dataclass(frozen=True)
class Audit:
    """Scores of every attack on the splits that it was made on; and further measures of single releases."""

    scores: dict[str, list[Measured]] = field(default_factory=dict)
    further: dict[str, list[Risk]] = field(default_factory=dict)

    def attack(self, target: T, attacks: Mapping[str, MembershipAttack[T]], *, seed: int, copies: bool = True) -> None:
        """Make every attack that is possible; those that guard against copies only where asked."""
        for name, attack in attacks.items():
            if attack.possible(target) and (copies or not attack.of_copies):
                self.score(name, attack.score(target), target.member, seed=seed, story=attack.story)

    def score(self, name: str, scores: Scores, member: Array, *, seed: int, story: str) -> None:
        self.scores.setdefault(name, []).append(measured(name, scores, member, seed, story=story))

    def measure(self, risk: Risk) -> None:
        self.further.setdefault(risk.name, []).append(risk)

    def risks(self, sides: float = SIDES) -> list[Risk]:
        """Average over the splits, with intervals of so many standard errors; and the strongest attack."""
        risks = [risk for same in self.scores.values() for risk in risks_over_splits(same, sides=sides)]
        return [*risks, *map(mean_over_splits, self.further.values()), *strongest(risks)]


def look_at(profile: Profile, splits: Sequence[Split]) -> list[Shadow]:
    """Look at every release once: for its own attack, and as a shadow for those on the others."""
    return [Shadow(profile.look(split.fake), split.member) for split in splits]


def targets(
    make: Callable[..., T],
    profile: Profile,
    splits: Sequence[Split],
    looks: Sequence[Shadow],
    others: Sequence[Shadow] = (),
) -> Iterator[T]:
    """Yield every release as a target whose attacker has all the others, and further ones, as shadows."""
    trusts = strengths_for_each(profile.averages, looks, others)
    for place, (split, trust) in enumerate(zip(splits, trusts, strict=True)):
        shadows = (*looks[:place], *looks[place + 1 :], *others)
        yield make(profile, split.fake, split.member, shadows, looks[place].look, trust)


def tracing(*groups: str) -> Callable[[Target[Any]], Scores]:
    """Solve some groups of averages together for who was in them."""

    def score(target: Target[Any]) -> Scores:
        parts = [target.equations[name] for name in groups if name in target.equations]
        found = solution(parts, share=target.profile.share)
        return Scores(by_setting=[({"shadows": len(target.shadows)}, found)], about=target.everyone)

    return score


def correlated(target: Target[Any]) -> Scores:
    """Solve all averages together, where the attacker's own releases vary least."""
    profile = target.profile
    found = whitened(profile.averages, target.look, target.shadows, target.trust, share=profile.share)
    return Scores(by_setting=[({"shadows": len(target.shadows)}, found)], about=target.everyone)


def density(target: Target[Any]) -> Scores:
    """Is what a student did likelier in the release than in the population (DOMIAS, van Breugel et al. 2023)?"""
    ratios, rows = target.look.density, target.profile.lengths
    scores: list[tuple[Mapping[str, Any], Array]] = []
    for name, ratio in (("all", np.sum(list(ratios.values()), axis=0)), *ratios.items()):
        scores += [({"of": name, "over": "sum"}, ratio), ({"of": name, "over": "rows"}, ratio / rows)]
    return Scores(by_setting=scores, about=target.everyone)


def compared_with_own(target: Target[Any]) -> Scores:
    """The same beside shadow releases, with the student in and without (LiRA, Carlini et al. 2022)."""
    members = [shadow.member for shadow in target.shadows]
    scores: list[tuple[Mapping[str, Any], Array]] = []
    total = np.zeros(target.member.size)
    for name, own in target.look.density.items():
        found = likelihood_ratio(own, [shadow.look.density[name] for shadow in target.shadows], members)
        total = total + found
        scores.append(({"of": name, "shadows": len(members)}, found))
    return Scores(by_setting=[*scores, ({"of": "all", "shadows": len(members)}, total)], about=target.everyone)


def nearest(profiles: Mapping[str, tuple[csr_matrix, csr_matrix]]) -> list[tuple[Mapping[str, Any], Array]]:
    """Compute every student's similarity to the nearest released one, plain and less that to the nearest other student.

    A student may have a near double because the student is ordinary: compared with the nearest *other* original student
    the similarity means more (calibrating by difficulty: Watson et al. 2022). Tables are counts, students × cells.
    """
    scores: list[tuple[Mapping[str, Any], Array]] = []
    for name, (ours, theirs) in profiles.items():
        ours, theirs = _unit(ours), _unit(theirs)
        to_fake = _largest_cosine(ours, theirs, own=False)
        scores.append(({"profile": name, "calibrated": False}, to_fake))
        scores.append(({"profile": name, "calibrated": True}, to_fake - _largest_cosine(ours, ours, own=True)))
    return scores


def _unit(counts: csr_matrix) -> csr_matrix:
    """Square roots of counts in rows of unit length: a product is a cosine."""
    found = csr_matrix(counts, dtype=np.float32, copy=True)
    found.sum_duplicates()
    found.data = np.sqrt(found.data)
    length = np.sqrt(np.asarray(found.multiply(found).sum(axis=1))).ravel()
    found.data /= np.repeat(np.maximum(length, 1e-12), np.diff(found.indptr))
    return found


def _largest_cosine(ours: csr_matrix, theirs: csr_matrix, *, own: bool) -> Array:
    """Each row's largest cosine with one of `theirs`; `own` skips the same row."""
    best, other = np.empty(ours.shape[0]), csr_matrix(theirs.T)
    for start in range(0, ours.shape[0], BLOCK):
        part = (ours[start : start + BLOCK] @ other).toarray()
        if own:
            part[np.arange(part.shape[0]), start + np.arange(part.shape[0])] = -1
        best[start : start + BLOCK] = part.max(axis=1)
    return best
