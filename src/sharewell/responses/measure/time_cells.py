"""When students work, as an attacker counts it: the week they begin in, hours of sessions, gaps between rows."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sharewell.responses.log import Log
from sharewell.responses.measure.further_columns import Counted
from sharewell.responses.protection.times import GAP_CLASS, HOUR, MONDAY, SESSION, WEEK
from sharewell.responses.steps_taken import is_among
from sharewell.stats.arrays import Array

KIND = 2**32  # classes of one kind lie apart from those of the others


@dataclass(frozen=True)
class TimeCells:
    """The classes of times that somebody of a population has."""

    log: Log

    @cached_property
    def known(self) -> Array:
        return np.unique(_classes(self.log)[0])

    def counted(self, log: Log) -> Counted:
        """The times of a log in the classes of the population; shares are those of one kind."""
        code, student = _classes(log)
        place = np.where(is_among(code, self.known), np.searchsorted(self.known, code), -1)
        return Counted(place, code // KIND, student)


def _classes(log: Log) -> tuple[Array, Array]:
    """Class and student of every beginning, session and gap; weeks before 1970 count together."""
    if log.time is None:  # a release without times
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    student, first = log.student.astype(np.int64), log.bounds[:-1]
    same, gap = student[1:] == student[:-1], np.diff(log.time)
    begins = np.concatenate([[True], ~same | (gap > SESSION)])
    week = np.maximum((log.time[first] - MONDAY) // WEEK, 0)
    hour = (log.time[begins] - MONDAY) % WEEK // HOUR
    pause = np.floor(np.log1p(np.maximum(gap[same], 0).astype(float)) / GAP_CLASS).astype(np.int64)
    classes = [kind * KIND + code for kind, code in enumerate((week, hour, pause))]
    return np.concatenate(classes), np.concatenate([student[first], student[begins], student[1:][same]])
