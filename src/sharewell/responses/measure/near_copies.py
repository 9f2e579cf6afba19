"""Near copies: released students that resemble a training student almost wholly."""

from sharewell.contract import Risk
from sharewell.lab.membership import NEAR_COPIES
from sharewell.responses.measure.attackers import LogTarget
from sharewell.responses.measure.common_subsequence import Closest, closest
from sharewell.stats.intervals import wilson

NEAR = 0.9


def near_copies(target: LogTarget) -> Risk:
    """How near the nearest fakes come: a count over fakes, beside the same count for students who were not in."""
    found, fakes = _closest(target), int(target.looked_at.sum())
    inside, outside = (float((near >= NEAR).mean()) for near in (found.to_members, found.to_others))
    low, high = wilson(inside * fakes, fakes)
    return Risk(
        measure=NEAR_COPIES,
        attacker="subsequence",
        value=inside,
        low=low,
        high=high,
        chance=outside,
        n=fakes,
        setting={"similar": NEAR},
        story="the share of released students that resemble a training student by nine parts in ten; "
        "chance is the same share for students who were not in",
    )


def _closest(target: LogTarget) -> Closest:
    """Of the fakes that are looked at, each beside all originals: beside a part of them most copies would be missed."""
    if target.compared.all():
        return target.closest
    return closest(target.original, target.fake.only(target.looked_at), target.member)
