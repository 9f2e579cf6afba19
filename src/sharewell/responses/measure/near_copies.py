"""Near copies: released students that resemble a training student almost wholly."""

from sharewell.contract import Risk
from sharewell.responses.measure.attackers import Pair
from sharewell.stats.intervals import wilson
from sharewell.stats.membership import NEAR_COPIES

NEAR = 0.9


def near_copies(pair: Pair) -> Risk:
    """How near the nearest fakes come: a count over fakes, beside the same count for students who were not in."""
    inside = float((pair.closest.to_members >= NEAR).mean())
    outside = float((pair.closest.to_others >= NEAR).mean())
    low, high = wilson(inside * pair.fake.lengths.size, pair.fake.lengths.size)
    return Risk(
        measure=NEAR_COPIES,
        attacker="subsequence",
        value=inside,
        low=low,
        high=high,
        chance=outside,
        n=pair.fake.lengths.size,
        setting={"similar": NEAR},
        story="the share of released students that resemble a training student by nine parts in ten; "
        "chance is the same share for students who were not in",
    )
