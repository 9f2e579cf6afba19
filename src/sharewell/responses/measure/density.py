"""Density: what a student did is likelier in the release than in the population (DOMIAS, van Breugel et al. 2023).

Both densities are those of a chain of items with the share of right answers per item, counted with a little smoothing:
log p(steps) + log p(answers), released less population.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sharewell.responses.log import Log
from sharewell.responses.steps_taken import is_among, steps_of
from sharewell.stats.arrays import Array

SMALL = 1.0  # counts added to both: a step that the release lacks is not impossible


@dataclass(frozen=True)
class Counted:
    """How often each of the population's steps was taken and each item was right or wrong."""

    steps: Array
    contexts: Array
    answers: Array | None


@dataclass(frozen=True)
class Density:
    """What of the population is needed again and again."""

    log: Log

    @cached_property
    def keys(self) -> Array:
        return self._keys(self.log)

    @cached_property
    def known(self) -> Array:
        return np.unique(self.keys)

    @cached_property
    def place(self) -> Array:
        return np.searchsorted(self.known, self.keys)

    @cached_property
    def own(self) -> Counted:
        return self.counted(self.log)

    def counted(self, log: Log) -> Counted:
        """The counts of a log in the codes of the population."""
        keys = self._keys(log)
        keys = keys[is_among(keys, self.known)]
        steps = np.bincount(np.searchsorted(self.known, keys), minlength=self.known.size)
        items = len(self.log.items)
        contexts = np.bincount(keys // (items + 1), minlength=items + 1)
        if log.correct is None or self.log.correct is None:
            return Counted(steps, contexts, None)
        inside = log.item < items
        answers = np.bincount((log.item * 2 + log.correct)[inside], minlength=2 * items)
        return Counted(steps, contexts, answers)

    def ratios(self, fake: Log) -> dict[str, Array]:
        """Per student the log ratio of both densities: of steps, and of answers."""
        theirs, ours = self.counted(fake), self.own
        context = self.known // (len(self.log.items) + 1)
        outgoing = np.bincount(context, minlength=ours.contexts.size)
        gain = self._log_share(theirs, context, outgoing) - self._log_share(ours, context, outgoing)
        students = self.log.lengths.size
        found = {"steps": np.bincount(steps_of(self.log).student, weights=gain[self.place], minlength=students)}
        if theirs.answers is not None and ours.answers is not None and self.log.correct is not None:
            of_answers = _log_right(theirs.answers) - _log_right(ours.answers)
            rows = of_answers[self.log.item * 2 + self.log.correct]
            found["answers"] = np.bincount(self.log.student, weights=rows, minlength=students)
        return found

    def _keys(self, log: Log) -> Array:
        taken = steps_of(log)
        found: Array = taken.before * (len(self.log.items) + 1) + taken.after
        return found

    @staticmethod
    def _log_share(counts: Counted, context: Array, outgoing: Array) -> Array:
        total = counts.contexts[context] + SMALL * outgoing[context]
        found: Array = np.log((counts.steps + SMALL) / total)
        return found


def _log_right(answers: Array) -> Array:
    """The log of the share of wrong (even places) and right (odd places) answers of every item."""
    pairs = answers.reshape(-1, 2) + SMALL
    found: Array = np.log(pairs / pairs.sum(axis=1, keepdims=True)).ravel()
    return found
