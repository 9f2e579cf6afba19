"""Every measure of what an analyst can still learn."""

from dataclasses import replace

from sharewell.contract import Utility
from sharewell.responses.log import Log
from sharewell.responses.utility.histograms import of_histograms
from sharewell.responses.utility.item_difficulty import of_difficulty
from sharewell.responses.utility.items_together import of_pairs
from sharewell.responses.utility.knowledge_tracing import of_tracing
from sharewell.responses.utility.learning_curves import of_learning


def usefulness(original: Log, fake: Log, *, seed: int = 0) -> list[Utility]:
    """Every measure of the released rows against the original ones."""
    original = replace(original, items=fake.items)
    return [
        *of_difficulty(original, fake),
        *of_histograms(original, fake),
        *of_learning(original, fake),
        *of_tracing(original, fake, seed=seed),
        *of_pairs(original, fake, seed=seed),
    ]
