"""Fit a generator on a response log, and let it write the logs of students who do not exist."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from sharewell.data import engine
from sharewell.errors import InputError
from sharewell.responses.abilities import Abilities, fit_abilities
from sharewell.responses.further import Durations, Further, attempt_numbers, fit_durations, fit_further, fit_ids
from sharewell.responses.groups import latent_groups
from sharewell.responses.log import Columns, Log, read
from sharewell.responses.markov import fit_chain
from sharewell.responses.pfa import fit_pfa
from sharewell.responses.rasch import fit_rasch
from sharewell.responses.settings import STUDENTS_PER_STEP, Settings
from sharewell.responses.timing import Timing, fit_timing
from sharewell.responses.two_parameter import fit_two_parameter
from sharewell.responses.usable import SetAside, invented_prefix, usable

CHUNK = 1_000_000  # rows generated at a time, about; part of what a seed means, so that streams and frames agree


class Sequences(Protocol):
    """Something that walks from item to item: a chain, a network."""

    @property
    def longest(self) -> int: ...

    def walk(self, students: int, generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray]: ...


class Outcomes(Protocol):
    """Something that says right or wrong."""

    def outcomes(
        self, item: np.ndarray, lengths: np.ndarray, ability: np.ndarray, generator: np.random.Generator
    ) -> np.ndarray: ...


@dataclass(frozen=True, kw_only=True)
class Model:
    """A fitted generator. It holds no row of any student: sequences, outcomes, and how the rest is spread."""

    columns: Columns
    settings: Settings
    items: pa.Array
    sequences: Sequences
    outcomes: Outcomes | None
    abilities: Abilities | None
    set_aside: SetAside
    students: int  # that it was fitted on
    mean_rows: float  # of one of them
    prefix: str  # of invented ids
    skill: pa.Array | None = None  # of every item
    timing: Timing | None = None
    durations: Durations | None = None
    further: Mapping[str, Further] = field(default_factory=dict)
    budget: Mapping[str, Any] | None = None  # what differential privacy spent, and on what
    like: Any = None

    def generate(self, students: int | None = None, *, seed: int = 0) -> Any:
        """A frame of invented students, of the kind of frame that the log came in."""
        return engine.like(self.table(students or self.students, np.random.default_rng(seed)), self.like)

    def write(self, path: str | Path, students: int, *, seed: int = 0) -> int:
        """The same rows streamed to a Parquet file at constant memory; says how many rows there are."""
        rows, writer = 0, None
        for part in self.chunks(students, np.random.default_rng(seed)):
            writer = writer or pq.ParquetWriter(path, part.schema)
            writer.write_table(part)
            rows += part.num_rows
        if writer is not None:
            writer.close()
        return rows

    def table(self, students: int, generator: np.random.Generator) -> pa.Table:
        """Generated rows; draws come from the given generator."""
        return pa.concat_tables(list(self.chunks(students, generator)))

    def chunks(self, students: int, generator: np.random.Generator) -> Iterator[pa.Table]:
        """The same rows, about a million at a time."""
        if students < 1:
            raise InputError(f"cannot generate {students} students; ask for at least one")
        width = max(7, len(str(students)))
        at_once = max(1, round(CHUNK / self.mean_rows))
        for first in range(0, students, at_once):
            yield self._chunk(first, min(at_once, students - first), width, generator)

    def _chunk(self, first: int, students: int, width: int, generator: np.random.Generator) -> pa.Table:
        item, lengths = self.sequences.walk(students, generator)
        ids = pa.array([f"{self.prefix}{first + place + 1:0{width}d}" for place in range(students)])
        named = self.columns
        made = {
            named.student: _repeated(ids, lengths),
            named.item: self.items.take(pa.array(item)),
        }
        if self.outcomes is not None and self.abilities is not None and named.correct:
            ability = self.abilities.draw(students, generator)
            made[named.correct] = pa.array(self.outcomes.outcomes(item, lengths, ability, generator))
        if self.skill is not None and named.skill:
            made[named.skill] = self.skill.take(pa.array(item))
        if self.timing is not None and named.time:
            made[named.time] = pa.array(self.timing.draw(lengths, generator)).cast(pa.timestamp("us"))
        if named.attempt:
            made[named.attempt] = pa.array(attempt_numbers(item, lengths, len(self.items)))
        if self.durations is not None and named.duration:
            made[named.duration] = self.durations.draw(item, lengths, generator)
        for name, column in self.further.items():
            made[name] = column.draw(item, lengths, generator)
        return pa.table(made)


def fit(
    log: Any,
    *,
    student: str,
    item: str,
    correct: str | None = None,
    model: str = "markov",
    skill: str | None = None,
    time: str | None = None,
    attempt: str | None = None,
    duration: str | None = None,
    further: Sequence[str] = (),
    outcomes: str = "rasch",
    ability: str = "normal",
    m: int = STUDENTS_PER_STEP,
    order: int = 1,
    smoothing: float = 0.0,
    longest: int | None = None,
    seed: int = 0,
    epsilon: float | None = None,
    items: Sequence[Any] | None = None,
    max_rows: int | None = None,
) -> Model:
    """Fit sequences and outcomes. A step needs m different students; m = 1 is the plain chain of the paper.

    With `epsilon` the generator is differentially private per student: that needs the public list of `items` and a
    bound `max_rows` on what one student contributes.
    """
    columns = Columns(
        student=student,
        item=item,
        correct=correct,
        skill=skill,
        time=time,
        attempt=attempt,
        duration=duration,
        further=tuple(further),
    )
    settings = Settings(
        model=model,
        outcomes=outcomes,
        ability=ability,
        m=m,
        order=order,
        smoothing=smoothing,
        longest=longest,
        seed=seed,
        epsilon=epsilon,
        items=None if items is None else tuple(items),
        max_rows=max_rows,
    )
    return fit_log(read(log, columns), columns, settings, like=log)


def fit_log(
    whole: Log, columns: Columns, settings: Settings, *, like: Any = None, known: pa.Array | None = None
) -> Model:
    """The same for a log in arrays; `known` are all ids that invented ones must differ from."""
    prefix = invented_prefix(whole.students if known is None else known)
    if settings.epsilon is not None:
        from sharewell.responses.private import fit_private

        return fit_private(whole, columns, settings, prefix=prefix, like=like)
    log, set_aside = usable(whole, settings.m)
    fitted = _fit_outcomes(log, settings.outcomes) if log.correct is not None else None
    skill = None if log.skill_of is None or log.skills is None else log.skills.take(pa.array(log.skill_of))
    return Model(
        columns=columns,
        settings=settings,
        items=log.items,
        sequences=_fit_sequences(log, settings),
        outcomes=fitted,
        abilities=None if fitted is None else fit_abilities(fitted.ability, settings.ability),
        set_aside=set_aside,
        students=whole.lengths.size,
        mean_rows=log.rows / log.lengths.size,
        prefix=prefix,
        skill=skill,
        timing=fit_timing(log, m=settings.m) if log.time is not None else None,
        durations=_fit_durations(log, columns, settings.m),
        further={
            name: (fit_ids if name in columns.ids else fit_further)(log, values, codes, m=settings.m, column=name)
            for name, (values, codes) in log.further.items()
        },
        like=like,
    )


def _fit_sequences(log: Log, settings: Settings) -> Sequences:
    if settings.model == "gru":
        from sharewell.responses.gru import fit_gru

        return fit_gru(log, m=settings.m, longest=settings.longest, seed=settings.seed)
    group = latent_groups(log, m=settings.m) if log.skill_of is None and settings.m > 1 else log.skill_of
    return fit_chain(
        log,
        m=settings.m,
        order=settings.order,
        longest=settings.longest,
        group=group,
        smoothing=settings.smoothing,
    )


def _fit_outcomes(log: Log, kind: str) -> Any:
    fitters: dict[str, Callable[[Log], Any]] = {"rasch": fit_rasch, "2pl": fit_two_parameter, "pfa": fit_pfa}
    return fitters[kind](log)


def _fit_durations(log: Log, columns: Columns, m: int) -> Durations | None:
    if log.duration is None or columns.duration is None:
        return None
    return fit_durations(log, m=m, column=columns.duration)


def _repeated(values: pa.Array, times: np.ndarray) -> pa.Array:
    return values.take(pa.array(np.repeat(np.arange(len(values)), times)))
