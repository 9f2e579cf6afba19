"""Membership inference: scores of attacks on a generator's training data, as AUC and true-positive rates.

An attack scores every student of a population, higher meaning "was in". Those who were not in are the control: without
signal the scores of both groups look alike and the AUC is one half. An attack with a setting (how rare is rare?) picks
it on one half of the students and is measured on the other, both ways, so that the best of many settings is not
mistaken for success.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from sharewell.contract import Measure, Risk
from sharewell.stats import roc
from sharewell.stats.arrays import Array
from sharewell.stats.roc import MeasuredShare

AUC = Measure(id="auc", title="Membership inference (AUC)", unit="auc")
TPR = Measure(id="tpr_at_1pct_fpr", title="Members found at 1 % false alarms")
TPR_STRICT = Measure(id="tpr_at_01pct_fpr", title="Members found at 0.1 % false alarms")
NEAR_COPIES = Measure(id="near_copies", title="Near copies of a student")
MEMBERSHIP = (AUC, TPR, TPR_STRICT)
STRONGEST = "strongest"

Estimate = Callable[[Array, Array], MeasuredShare]
ESTIMATES: Mapping[Measure, tuple[float, Estimate]] = {
    AUC: (0.5, roc.auc),
    TPR: (0.01, lambda inside, outside: roc.hits_at(inside, outside, false_alarms=0.01)),
    TPR_STRICT: (0.001, lambda inside, outside: roc.hits_at(inside, outside, false_alarms=0.001)),
}


@dataclass(frozen=True, kw_only=True)
class Scores:
    """Scores of one attack per setting, and the students it says anything about."""

    by_setting: Sequence[tuple[Mapping[str, Any], Array]]
    about: Array


@dataclass(frozen=True, kw_only=True)
class Measured:
    """Scores of one attack for members and for others, on one scale: comparable over halves and splits."""

    attack: str
    setting: Mapping[str, Any]
    inside: Array
    outside: Array
    seed: int
    story: str = ""

    @cached_property
    def area(self) -> Risk:
        """The AUC, once: a judge looks several times at the scores of earlier splits."""
        return self.risk(AUC)

    def risk(self, measure: Measure) -> Risk:
        """One measure of the scores."""
        chance, estimate = ESTIMATES[measure]
        share = estimate(self.inside, self.outside)
        return Risk(
            measure=measure, attacker=self.attack, value=share.value, low=share.low, high=share.high, chance=chance,
            n=self.inside.size + self.outside.size, seed=self.seed, setting=self.setting, story=self.story,
        )  # fmt: skip


def measured(name: str, scores: Scores, member: Array, seed: int, *, story: str = "") -> Measured:
    """Measure one setting plainly; of several pick on one half of the students, measure on the other, both ways."""
    about = scores.about
    offered = scores.by_setting or [({}, np.zeros(member.size))]  # nothing to go by: a blind guess
    if len(offered) == 1:
        setting, score = offered[0]
        parts = [_scaled(score[about & member], score[about & ~member])]
    else:
        halves, parts, setting = _halves(member, seed), [], {}
        for measured_on in (False, True):
            picked, score = scores.by_setting[_best(scores, member, halves != measured_on)]
            setting = setting or picked
            test = about & (halves == measured_on)
            parts.append(_scaled(score[test & member], score[test & ~member]))
    inside, outside = (np.concatenate([part[side] for part in parts]) for side in (0, 1))
    return Measured(attack=name, setting=dict(setting), inside=inside, outside=outside, seed=seed, story=story)


def risks_of(found: Measured) -> Iterator[Risk]:
    """Compute AUC and true-positive rates of the scores of one attack."""
    yield from map(found.risk, ESTIMATES)


def strongest(risks: Sequence[Risk]) -> list[Risk]:
    """Pick the worst attacker of each measure, by the upper end: that is what limits are compared with."""
    worst = []
    for measure in MEMBERSHIP:
        top = max((risk for risk in risks if risk.measure == measure), key=_upper_end)
        setting = {**top.setting, "attack": top.attacker}
        worst.append(replace(top, attacker=STRONGEST, setting=setting, story=f"The strongest: {top.story}"))
    return worst


def _upper_end(risk: Risk) -> tuple[float, float]:
    """The upper end, and of equal ones the value."""
    return risk.value if risk.high is None else risk.high, risk.value


def _scaled(inside: Array, outside: Array) -> tuple[Array, Array]:
    """Scale scores by the scatter over all students, which an attacker can see.

    Units of the few who were not in would be an attacker's dream, and their scatter would count as success: without
    any signal more than one member in a hundred would pass what one outsider in a hundred does.
    """
    everyone = np.concatenate([inside, outside])
    centre, spread = float(np.mean(everyone)), float(np.std(everyone)) or 1.0
    return (inside - centre) / spread, (outside - centre) / spread


def _best(scores: Scores, member: Array, part: Array) -> int:
    inside, outside = part & scores.about & member, part & scores.about & ~member
    return int(np.argmax([roc.area(score[inside], score[outside]) for _, score in scores.by_setting]))


def _halves(member: Array, seed: int) -> Array:
    """A random half of the members and of the others."""
    half = np.zeros(member.size, dtype=bool)
    generator = np.random.default_rng([seed, 5])
    for group in (member, ~member):
        places = generator.permutation(np.flatnonzero(group))
        half[places[: places.size // 2]] = True
    return half
