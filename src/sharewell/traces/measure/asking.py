"""Attackers ask, and whoever holds the release answers: all of it at once, or one bucket of students after the other.

A question is put to some of the students, and its answers for different students are put together: the best score and
how many reach it, or numbers that add up. So nothing depends on whether a release is held whole. An attack draws what
it knows, asks (again, where one answer leads to the next question), and ends with what it found.
"""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np

from sharewell.traces.arrays import Array
from sharewell.traces.log import Log
from sharewell.traces.measure.attackers import NOBODY
from sharewell.traces.measure.found import Found
from sharewell.traces.measure.verb_sequences import Sequence as Verbs

Answer: TypeAlias = tuple[Array, ...]
NO_SCORE = -np.inf  # of a target who is among other students


@dataclass(frozen=True, kw_only=True)
class Part:
    """Students of the release from number `first` on: what is released of them, by side, and their verbs in order."""

    first: int
    students: int
    logs: Mapping[str, Log]
    verbs: Verbs | None = None

    def place(self, names: Array) -> Array:
        """The numbers that students have in this part; NOBODY where they are not in it."""
        place = names - self.first
        return np.where((place >= 0) & (place < self.students), place, NOBODY)


class Question(Protocol):
    """What can be asked of some students, and what their answers come to together; answers are decimal numbers."""

    def asked(self, part: Part) -> Answer: ...

    def together(self, one: Answer, other: Answer) -> Answer: ...


class BestScore:
    """The answer is for every attempt: the best score, how many students reach it, and the score of the target."""

    def together(self, one: Answer, other: Answer) -> Answer:
        best = np.maximum(one[0], other[0])
        size = np.where(one[0] == best, one[1], 0) + np.where(other[0] == best, other[1], 0)
        return best, size, np.maximum(one[2], other[2])


def as_near(
    scores: Callable[[slice], Array], others: Array, targets: Array, *, best: Array | None, block: int, close: float
) -> Answer:
    """The best score for each target, how many come as near to the best as rounding tells, and the target's own.

    `scores` gives those of a block of targets for all `others`; `best` is the best over all students, if known.
    """
    top, size = np.full(len(targets), NO_SCORE), np.zeros(len(targets))
    own = np.full(len(targets), NO_SCORE)
    for first in range(0, len(targets) if len(others) else 0, block):
        here = slice(first, first + block)
        found = scores(here)
        top[here] = found.max(axis=1)
        least = top[here] if best is None else best[here]
        size[here] = (found >= least[:, None] - close).sum(axis=1)
        own[here] = np.where(others == targets[here, None], found, NO_SCORE).max(axis=1)
    return top if best is None else best, size, own


@dataclass(frozen=True, kw_only=True)
class Heard:
    """All that was answered so far, to attacks that begin anew: they draw, and ask, the same again."""

    rounds: Iterator[Sequence[Answer]]

    def answers(self, questions: Sequence[Question]) -> list[Answer]:
        for answers in self.rounds:
            return list(answers)
        raise NotYetAnswered(questions)


class NotYetAnswered(Exception):
    """What attacks ask next."""

    def __init__(self, questions: Sequence[Question]) -> None:
        super().__init__("to be asked")
        self.questions = tuple(questions)


Asking: TypeAlias = Generator[Question, Answer, Found | None]


class Crowd(Protocol):
    """Whoever holds the release."""

    def answers(self, questions: Sequence[Question]) -> list[Answer]: ...


@dataclass(frozen=True, kw_only=True)
class Held:
    """A release that is held whole."""

    part: Part

    def answers(self, questions: Sequence[Question]) -> list[Answer]:
        return [question.asked(self.part) for question in questions]


def outcomes(attacks: Sequence[Asking], crowd: Crowd) -> list[Found | None]:
    """What attacks come to: all of them ask at the same time, so that the students are gone through once for all."""
    found: list[Found | None] = [None] * len(attacks)
    answered: dict[int, Answer | None] = dict.fromkeys(range(len(attacks)))
    while answered:
        questions: dict[int, Question] = {}
        for number, answer in answered.items():
            try:
                questions[number] = attacks[number].send(answer)  # type: ignore[arg-type] # None starts it
            except StopIteration as done:
                found[number] = done.value
        answered = dict(zip(questions, crowd.answers(list(questions.values())) if questions else (), strict=True))
    return found


def outcome(attack: Asking, crowd: Crowd) -> Found | None:
    return outcomes([attack], crowd)[0]
