"""Fit a generator on a response log, and let it write the logs of students who do not exist."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from sharewell import engine
from sharewell.errors import InputError
from sharewell.responses.log import Columns, Log, read
from sharewell.responses.markov import Chain, fit_chain
from sharewell.responses.rasch import Rasch, fit_rasch
from sharewell.responses.walks import walk

CHUNK = 20_000  # students generated at a time; part of what a seed means, so that streams and frames agree
STUDENTS_PER_STEP = 5


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How a generator is fitted."""

    m: int = STUDENTS_PER_STEP  # different students that every step and item needs; 1: the plain chain
    order: int = 1
    smoothing: float = 0.0  # share of every row of the chain that is spread over coarser contexts
    longest: int | None = None


@dataclass(frozen=True, kw_only=True)
class SetAside:
    """Items that the generator never saw, by reason, and the rows they took with them."""

    extreme: int  # 0 % or 100 % success: no finite difficulty (Vie et al. 2022, §5.1)
    few_students: int  # fewer than m students
    rows: int


@dataclass(frozen=True, kw_only=True)
class Model:
    """A fitted generator. It holds no row of any student: a chain, difficulties, and how abilities are spread."""

    columns: Columns
    settings: Settings
    items: pa.Array
    sequences: Chain
    outcomes: Rasch | None
    set_aside: SetAside
    students: int  # that it was fitted on
    prefix: str  # of invented ids
    like: Any

    def generate(self, students: int | None = None, *, seed: int = 0) -> Any:
        """A frame of invented students, of the kind of frame that the log came in."""
        return engine.like(self.table(students or self.students, np.random.default_rng(seed)), self.like)

    def table(self, students: int, generator: np.random.Generator) -> pa.Table:
        """Generated rows; draws come from the given generator."""
        return pa.concat_tables(list(self.chunks(students, generator)))

    def chunks(self, students: int, generator: np.random.Generator) -> Iterator[pa.Table]:
        """The same rows, some thousand students at a time: constant memory."""
        if students < 1:
            raise InputError(f"cannot generate {students} students; ask for at least one")
        width = max(7, len(str(students)))
        for first in range(0, students, CHUNK):
            yield self._chunk(first, min(CHUNK, students - first), width, generator)

    def _chunk(self, first: int, students: int, width: int, generator: np.random.Generator) -> pa.Table:
        item, lengths = self._walk(students, generator)
        ids = pa.array([f"{self.prefix}{first + place + 1:0{width}d}" for place in range(students)])
        made = {
            self.columns.student: ids.take(pa.array(np.repeat(np.arange(students), lengths))),
            self.columns.item: self.items.take(pa.array(item)),
        }
        if self.outcomes is not None and self.columns.correct:
            ability = self._abilities(students, generator)
            made[self.columns.correct] = pa.array(self.outcomes.outcomes(item, lengths, ability, generator))
        return pa.table(made)

    def _walk(self, students: int, generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        chain = self.sequences
        return walk(
            students,
            chain.items,
            chain.order,
            chain.longest,
            chain.group,
            chain.starts,
            chain.targets,
            chain.chances,
            chain.rungs,
            chain.contexts,
            chain.context_starts,
            generator,
        )

    def _abilities(self, students: int, generator: np.random.Generator) -> np.ndarray:
        """θ of new students from the normal fitted to the estimated ones (§3.3)."""
        assert self.outcomes is not None
        spread = self.outcomes.ability
        return generator.normal(spread.mean(), spread.std(), students)


def fit(
    log: Any,
    *,
    student: str,
    item: str,
    correct: str | None = None,
    model: str = "markov",
    skill: str | None = None,
    m: int = STUDENTS_PER_STEP,
    order: int = 1,
    smoothing: float = 0.0,
    longest: int | None = None,
) -> Model:
    """Fit sequences and outcomes. A step needs m different students; m = 1 is the plain chain of the paper."""
    if model != "markov":
        raise InputError(f"model '{model}' is not known; use markov")
    columns = Columns(student=student, item=item, correct=correct, skill=skill)
    settings = Settings(m=m, order=order, smoothing=smoothing, longest=longest)
    return fit_log(read(log, columns), columns, settings, like=log)


def fit_log(
    whole: Log, columns: Columns, settings: Settings, *, like: Any = None, known: pa.Array | None = None
) -> Model:
    """The same for a log in arrays; `known` are all ids that invented ones must differ from."""
    log, set_aside = usable(whole, settings.m)
    return Model(
        columns=columns,
        settings=settings,
        items=log.items,
        sequences=fit_chain(
            log,
            m=settings.m,
            order=settings.order,
            longest=settings.longest,
            group=log.skill_of,
            smoothing=settings.smoothing,
        ),
        outcomes=fit_rasch(log) if log.correct is not None else None,
        set_aside=set_aside,
        students=log.lengths.size,
        prefix=invented_prefix(whole.students if known is None else known),
        like=like,
    )


def usable(log: Log, m: int) -> tuple[Log, SetAside]:
    """The log without items that have no finite difficulty or too few students."""
    few = students_per_item(log) < m
    extreme = np.zeros_like(few) if log.correct is None else _extreme(log)
    gone = few | extreme
    smaller = log.without_items(gone)
    if not smaller.rows:
        raise InputError(f"no item has {m} students and both right and wrong answers: there is nothing to learn from")
    seen = np.bincount(log.item, minlength=len(log.items)) > 0
    return smaller, SetAside(
        extreme=int((extreme & seen & ~few).sum()),
        few_students=int((few & seen).sum()),
        rows=log.rows - smaller.rows,
    )


def students_per_item(log: Log) -> np.ndarray:
    pairs = np.unique(log.item.astype(np.int64) * log.lengths.size + log.student)
    return np.bincount(pairs // log.lengths.size, minlength=len(log.items))


def invented_prefix(students: pa.Array) -> str:
    """A beginning that no real id has, so that no invented one can equal a real one."""
    real = students.cast(pa.string())
    prefix = "fake-"
    while pa.compute.any(pa.compute.starts_with(real, prefix)).as_py():
        prefix = f"fake-{prefix}"
    return prefix


def _extreme(log: Log) -> np.ndarray:
    right = np.bincount(log.item, weights=log.correct, minlength=len(log.items))
    times = np.bincount(log.item, minlength=len(log.items))
    return (times > 0) & ((right == 0) | (right == times))
