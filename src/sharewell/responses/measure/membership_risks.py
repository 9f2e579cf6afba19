"""Membership inference on a released response log, by an attacker who has the original log of the population."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa

from sharewell.contract import Results, Risk
from sharewell.errors import InputError
from sharewell.lab.attacks import Audit
from sharewell.lab.membership import risks_of, strongest
from sharewell.responses.log import Columns, Log, from_frames
from sharewell.responses.measure.attackers import ATTACKS, LogTarget
from sharewell.responses.measure.log_profile import LogProfile
from sharewell.responses.measure.near_copies import near_copies
from sharewell.stats.arrays import Array


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
    """Infer who was in the training data: one risk per attack and measure.

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
    """Infer membership from logs in arrays."""
    if attack is not None and attack not in ATTACKS:
        raise InputError(f"attack '{attack}' is not known; use one of {', '.join(ATTACKS)}")
    if member.sum() < 4 or (~member).sum() < 4:
        raise InputError("membership needs at least four students who were in and four who were not, as a control")
    target, audit = LogTarget(LogProfile(original, float(member.mean())), fake, member), Audit()
    chosen = ATTACKS if attack is None else {attack: ATTACKS[attack]}
    audit.attack(target, chosen, seed=seed)
    if not audit.scores:
        raise InputError(f"attack '{attack}' has nothing to look at here")
    risks = [risk for (one,) in audit.scores.values() for risk in risks_of(one)]
    if attack in (None, "subsequence"):
        risks.append(near_copies(target))
    return risks if attack else risks + strongest(risks)


def member_mask(log: Log, members: Iterable[Any]) -> Array:
    wanted = pa.array(members.to_pylist() if isinstance(members, pa.Array | pa.ChunkedArray) else list(members))
    found = pa.compute.is_in(log.students.cast(pa.string()), value_set=wanted.cast(pa.string()))
    return np.asarray(found)
