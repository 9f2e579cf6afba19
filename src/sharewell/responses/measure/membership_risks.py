"""Who was in the training data? Membership attacks on released response logs.

The attacker has the original log of a population, half of whom (say) trained the generator, and the released log; he
scores every student, higher meaning "was in". Those who were not in are the control: without the attack working, the
scores of both groups look alike and the AUC is one half. An attack with a setting (how rare is rare?) picks it on one
half of the students and is measured on the other, both ways, so that the best of many settings is not mistaken for
success.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from sharewell.contract import Measure, Results, Risk
from sharewell.errors import InputError
from sharewell.responses.kind import AUC, MEMBERSHIP, TPR, TPR_STRICT
from sharewell.responses.log import Columns, Log, from_frames
from sharewell.responses.measure.attackers import ATTACKS, Pair, Scores
from sharewell.responses.measure.linear_tracing import Population
from sharewell.responses.measure.near_copies import near_copies
from sharewell.stats import roc
from sharewell.stats.arrays import Array
from sharewell.stats.roc import Share


def membership(
    original: Any,
    fake: Any,
    *,
    members: Iterable[Any],
    student: str,
    item: str,
    correct: str | None = None,
    attack: str | None = None,
    seed: int = 0,
) -> Results[Risk]:
    """How well attackers tell the members of the training data from the other students of `original`.

    Args:
        original: The log of the whole population, as a frame or a path.
        fake: The released log.
        members: The ids of the students who trained the generator; all others are the control.
        student: The column of student ids.
        item: The column of items.
        correct: The column that says right or wrong, where attackers may use it.
        attack: The name of one attack; all of them where nothing is said.
        seed: Of the halves on which an attack with a setting picks it.

    Returns:
        Per attack the risks `auc`, `tpr_at_1pct_fpr` and `tpr_at_01pct_fpr`; with all attacks the strongest as well.

    Example:
        >>> import pyarrow as pa
        >>> import sharewell as sw
        >>> log = pa.table({"who": [0, 0, 1, 1, 2, 2, 3, 3, 4, 5, 6, 7], "what": list("abcdefghijkl")})
        >>> inside = log.slice(0, 8)
        >>> risks = sw.responses.membership(
        ...     log, inside, members=range(4), student="who", item="what", attack="subsequence"
        ... )
        >>> risks[0].name, risks[0].value
        ('auc', 1.0)
    """
    columns = Columns(student=student, item=item, correct=correct)
    ours, theirs = from_frames([original, fake], columns)
    return Results(membership_of(ours, theirs, member_mask(ours, members), attack=attack, seed=seed))


def membership_of(original: Log, fake: Log, member: Array, *, attack: str | None = None, seed: int = 0) -> list[Risk]:
    """The same for logs in arrays."""
    if attack is not None and attack not in ATTACKS:
        raise InputError(f"attack '{attack}' is not known; use one of {', '.join(ATTACKS)}")
    if member.sum() < 4 or (~member).sum() < 4:
        raise InputError("membership needs at least four students who were in and four who were not, as a control")
    pair = Pair(original, fake, member, Population(original, float(member.mean())))
    chosen = [attack] if attack else possible(pair)
    risks = [risk for name in chosen for risk in risks_of(measured(name, ATTACKS[name].score(pair), member, seed))]
    if attack in (None, "subsequence"):
        risks.append(near_copies(pair))
    return risks if attack else risks + strongest(risks)


def possible(pair: Pair, *, slow: bool = True) -> list[str]:
    """The attacks that can be made on a pair of logs; those that compare all pairs of students only where asked."""
    answered = pair.original.correct is not None and pair.fake.correct is not None
    return [
        name
        for name, attack in ATTACKS.items()
        if (answered or not attack.needs_correct)
        and (slow or not attack.of_pairs)
        and len(pair.shadows) >= attack.needs_shadows
    ]


def strongest(risks: list[Risk]) -> list[Risk]:
    """The worst of all attackers, measure by measure."""
    worst = []
    for measure in MEMBERSHIP:
        top = max((risk for risk in risks if risk.measure == measure), key=lambda risk: risk.value)
        setting = {**top.setting, "attack": top.attacker}
        worst.append(replace(top, attacker="strongest", setting=setting, story=f"The strongest: {top.story}"))
    return worst


def member_mask(log: Log, members: Iterable[Any]) -> Array:
    wanted = pa.array(members.to_pylist() if isinstance(members, pa.Array | pa.ChunkedArray) else list(members))
    found = pa.compute.is_in(log.students.cast(pa.string()), value_set=wanted.cast(pa.string()))
    return np.asarray(found)


Estimate = Callable[[Array, Array], Share]
ESTIMATES: Mapping[Measure, tuple[float, Estimate]] = {
    AUC: (0.5, roc.auc),
    TPR: (0.01, lambda inside, outside: roc.hits_at(inside, outside, false_alarms=0.01)),
    TPR_STRICT: (0.001, lambda inside, outside: roc.hits_at(inside, outside, false_alarms=0.001)),
}


def risks_of(found: "Measured") -> Iterator[Risk]:
    """AUC and true-positive rates of the scores of one attack."""
    for measure, (chance, estimate) in ESTIMATES.items():
        share = estimate(found.inside, found.outside)
        yield Risk(
            measure=measure,
            attacker=found.attack,
            value=share.value,
            low=share.low,
            high=share.high,
            chance=chance,
            n=found.inside.size + found.outside.size,
            seed=found.seed,
            setting=found.setting,
            story=ATTACKS[found.attack].story,
        )


@dataclass(frozen=True, kw_only=True)
class Measured:
    """The scores of one attack for members and for the others, on one scale: comparable over halves and splits."""

    attack: str
    setting: Mapping[str, Any]
    inside: Array
    outside: Array
    seed: int


def measured(name: str, scores: Scores, member: Array, seed: int) -> Measured:
    """One setting: plainly. Several: picked on one half of the students, measured on the other, both ways."""
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
    return Measured(attack=name, setting=dict(setting), inside=inside, outside=outside, seed=seed)


def _scaled(inside: Array, outside: Array) -> tuple[Array, Array]:
    """Scores in units of how those of the others scatter: an attacker knows that from releases of their own."""
    centre, spread = float(np.mean(outside)), float(np.std(outside))
    unit = spread if spread > 0 else float(np.std(inside)) or 1.0
    return (inside - centre) / unit, (outside - centre) / unit


def _best(scores: Scores, member: Array, part: Array) -> int:
    inside, outside = part & scores.about & member, part & scores.about & ~member
    values = [roc.auc(score[inside], score[outside]).value for _, score in scores.by_setting]
    return int(np.argmax(values))


def _halves(member: Array, seed: int) -> Array:
    """A random half of the members and of the others."""
    half = np.zeros(member.size, dtype=bool)
    generator = np.random.default_rng([seed, 5])
    for group in (member, ~member):
        places = generator.permutation(np.flatnonzero(group))
        half[places[: places.size // 2]] = True
    return half
