"""Density: what a student did is likelier in the release than in the population (DOMIAS, van Breugel et al. 2023).

Both densities are those of a chain of items with the share of right answers per item, counted with a little smoothing:
log p(steps) + log p(answers), released less population; and log p(value) on its item for every further column.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sharewell.responses.log import Log
from sharewell.responses.measure.further_columns import Counted as CountedCells
from sharewell.responses.measure.further_columns import FurtherCells
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

    @cached_property
    def cells(self) -> FurtherCells:
        return FurtherCells(self.log)

    @cached_property
    def own_cells(self) -> CountedCells:
        return self.cells.counted(self.log, by_item=True)

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
        """Per student the log ratio of both densities: of steps, of answers, and of values of further columns."""
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
        if self.cells.values:
            found["values"] = self._of_values(fake)
        return found

    def _of_values(self, fake: Log) -> Array:
        ours, theirs = self.own_cells, self.cells.counted(fake, by_item=True)
        gain = self._log_value(theirs)[ours.cell] - self._log_value(ours)[ours.cell]
        return np.bincount(ours.student, weights=gain, minlength=self.log.lengths.size)

    def _log_value(self, counted: CountedCells) -> Array:
        """The log of the share of every value on its item."""
        own, many = self.own_cells, self.cells.known[True].size
        over = np.zeros(many, dtype=np.int64)
        over[own.cell] = own.base
        times = np.bincount(counted.cell[counted.cell >= 0], minlength=many)
        rows = np.bincount(counted.base, minlength=int(over.max()) + 1)[over]
        found: Array = np.log((times + SMALL) / (rows + SMALL * np.bincount(over)[over]))
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
