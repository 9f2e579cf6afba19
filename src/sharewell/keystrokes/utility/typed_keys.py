"""What is left of what was typed: rates of corrections, single keys, and the texts that sessions ended with."""

import numpy as np

from sharewell.contract import Utility
from sharewell.keystrokes.arrays import Array, session_starts
from sharewell.keystrokes.eventlog import Events
from sharewell.keystrokes.keygroups import CORRECTION, key_classes
from sharewell.keystrokes.kind import CORRECTION_DIFFERENCES, CORRECTIONS, KEYS_KEPT, TEXTS_KEPT
from sharewell.keystrokes.texts import final_texts
from sharewell.stats.correlation import fisher_interval, pearson
from sharewell.stats.intervals import wilson

MOST_CHARACTERS = 100_000


def compare_keys(before: Events, after: Events) -> list[Utility]:
    """The same students and sessions before and after; sessions may have been cut at their ends."""
    old, new = (_correction_rates(events) for events in (before, after))
    value = pearson(old, new)
    low, high = fisher_interval(value, len(old))
    story = "Correlation over students: whether those who correct themselves often are still told from the others."
    return [
        Utility(
            measure=CORRECTIONS,
            value=float(new.mean()),
            baseline=float(old.mean()),
            n=len(old),
            story="Backspaces and deletions, the mean over students.",
        ),
        Utility(measure=CORRECTION_DIFFERENCES, value=value, low=low, high=high, baseline=1.0, n=len(old), story=story),
        _kept_keys(before, after),
        _kept_texts(before, after),
    ]


def _correction_rates(events: Events) -> Array:
    typing = events.typing
    corrects = (key_classes(typing.keys) == CORRECTION)[typing.key]
    size = len(events.students)
    keys = np.maximum(np.bincount(typing.student, minlength=size), 1)
    return np.asarray(100 * np.bincount(typing.student[corrects], minlength=size) / keys)


def _kept_keys(before: Events, after: Events) -> Utility:
    names = [events.typing.keys[events.typing.key] for events in (before, after)]
    starts = [session_starts(events.typing.session) for events in (before, after)]
    session = after.typing.session
    place = np.arange(len(names[1])) - starts[1][session]
    there = place < np.diff(starts[0])[session]
    same = int((names[0][(starts[0][session] + place)[there]] == names[1][there]).sum())
    low, high = wilson(same, len(names[0]))
    story = "The share of all keys that are in the release where they were typed."
    share = same / len(names[0])
    return Utility(measure=KEYS_KEPT, value=share, low=low, high=high, baseline=1.0, n=len(names[0]), story=story)


def _kept_texts(before: Events, after: Events) -> Utility:
    old, new = (final_texts(events.typing, MOST_CHARACTERS) for events in (before, after))
    same = sum(1 for first, second in zip(old, new, strict=True) if first == second)
    low, high = wilson(same, len(old))
    story = "Sessions whose final text, or state of the code, is still the student's own."
    return Utility(measure=TEXTS_KEPT, value=same / len(old), low=low, high=high, baseline=1.0, n=len(old), story=story)
