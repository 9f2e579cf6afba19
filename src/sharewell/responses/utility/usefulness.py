"""Every measure of what an analyst can still learn."""

from dataclasses import replace

import numpy as np

from sharewell.contract import Utility
from sharewell.responses.log import Log
from sharewell.responses.utility.histograms import of_histograms
from sharewell.responses.utility.item_difficulty import of_difficulty
from sharewell.responses.utility.items_together import of_pairs
from sharewell.responses.utility.knowledge_tracing import of_tracing
from sharewell.responses.utility.learning_curves import of_learning
from sharewell.stats.arrays import Array


def usefulness(original: Log, fake: Log, *, seed: int = 0) -> list[Utility]:
    """Every measure of the released rows against the original ones."""
    original = replace(original, items=fake.items)
    fake = replace(fake, skill_of=_skills_of(original, fake))  # released rows are read without skills
    return [
        *of_difficulty(original, fake),
        *of_histograms(original, fake),
        *of_learning(original, fake),
        *of_tracing(original, fake, seed=seed),
        *of_pairs(original, fake, seed=seed),
    ]


def _skills_of(original: Log, fake: Log) -> Array | None:
    """The original's skill of every item; items that it does not have get one of their own."""
    if original.skill_of is None:
        return None
    more = len(fake.items) - original.skill_of.size
    found: Array = np.append(original.skill_of, int(original.skill_of.max()) + 1 + np.arange(max(more, 0)))
    return found
