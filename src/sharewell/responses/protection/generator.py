"""Fit a generator on a response log, and let it write the logs of students who do not exist."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from sharewell.data import engine
from sharewell.data.invented_ids import invented_ids, invented_prefix
from sharewell.errors import InputError
from sharewell.responses.log import Columns, Log, read
from sharewell.responses.practice_counts import attempts_before
from sharewell.responses.protection.abilities import Abilities, Diligence, fit_abilities, fit_diligence
from sharewell.responses.protection.answering import FEW, answering_of, nothing_answered, without_abilities
from sharewell.responses.protection.item_shares import fit_shares
from sharewell.responses.protection.items_left_out import LeftOut, hidden_items, without_scarce_items
from sharewell.responses.protection.latent_groups import latent_groups
from sharewell.responses.protection.learner import Learner, fit_learner
from sharewell.responses.protection.levelling import fit_aims, levelled
from sharewell.responses.protection.markov_chain import Noise, fit_chain
from sharewell.responses.protection.other_columns import (
    Durations,
    Guard,
    OtherColumn,
    fit_durations,
    fit_ids,
    fit_other,
)
from sharewell.responses.protection.practice import fit_pfa
from sharewell.responses.protection.rasch import Rasch, fit_rasch
from sharewell.responses.protection.times import Timing, fit_timing
from sharewell.responses.protection.two_parameter import fit_two_parameter
from sharewell.responses.settings import BATCH, STUDENTS_PER_STEP, Settings
from sharewell.stats.arrays import Array

Frame = TypeVar("Frame")
ITEM_NOISE = 6.0  # standard errors on how often items come, for each on answers
CHUNK = 1_000_000  # rows generated at a time, about; part of what a seed means, so that streams and frames agree


class Sequences(Protocol):
    """Something that walks from item to item: a chain, a network."""

    @property
    def longest(self) -> int: ...

    def walk(self, students: int, generator: np.random.Generator) -> tuple[Array, Array]: ...


@dataclass(frozen=True, kw_only=True)
class Answers:
    """What the answers say before any noise: the same for every strength of protection."""

    outcomes: Any
    rasch: Rasch | None  # only for students who behave like students

    def only(self, students: Array) -> "Answers":
        """The same for some of the students (a mask)."""
        rasch = None if self.rasch is None else replace(self.rasch, ability=self.rasch.ability[students])
        return Answers(outcomes=replace(self.outcomes, ability=self.outcomes.ability[students]), rasch=rasch)


class Outcomes(Protocol):
    """Something that says right or wrong."""

    def outcomes(self, item: Array, lengths: Array, ability: Array, generator: np.random.Generator) -> Array: ...


@dataclass(frozen=True, kw_only=True)
class Model(Generic[Frame]):
    """A fitted generator. It holds no row of any student: sequences, outcomes, and how the rest is spread.

    `generate` and `write` let it write students who do not exist. What few students share is not in it either: not
    the items that fewer than m did, not their own abilities.
    """

    columns: Columns
    settings: Settings
    items: pa.Array
    sequences: Sequences | Learner  # a learner answers by itself, and `outcomes` is None
    outcomes: Outcomes | None
    abilities: Abilities | None
    left_out: LeftOut
    students: int  # that it was fitted on
    mean_rows: float  # of one of them
    prefix: str  # of invented ids
    skill: pa.Array | None = None  # of every item
    timing: Timing | None = None
    durations: Durations | None = None
    others: Mapping[str, OtherColumn] = field(default_factory=dict)
    budget: Mapping[str, Any] | None = None  # what differential privacy spent, and on what
    empty: Frame | None = None  # a frame without rows, of the kind that the log came in

    def __str__(self) -> str:
        """Say in four lines what was learnt, and what nobody has checked."""
        asked, out = self.settings, self.left_out
        if asked.epsilon is not None:
            promise = f"differential privacy, ε = {asked.epsilon:g}"
        else:
            promise = "nothing is promised: sharewell release attacks a log like this one before it leaves"
        lines = [
            f"{asked.model} generator of {self.columns.item}, {self.columns.correct}: {len(self.items):,} items",
            f"fitted on {self.students:,} students with {self.mean_rows:.1f} rows each",
            f"left out: {out.extreme:,} items all right or all wrong, {out.few_students:,} of fewer than {asked.m}",
            f"noise {asked.noise:g}; {promise}",
        ]
        return "\n".join(lines)

    __repr__ = __str__

    def generate(self, students: int | None = None, *, seed: int = 0) -> Frame:
        """Invent students.

        Args:
            students: How many; as many as the model was fitted on where nothing is said.
            seed: The same seed gives the same rows.

        Returns:
            One row per answer, in the kind of frame that the log came in; ids begin with `prefix`.

        Example:
            >>> import pyarrow as pa
            >>> import sharewell as sw
            >>> log = pa.table({"who": [1, 1, 2, 2], "what": ["a", "b", "a", "b"], "right": [0, 1, 1, 0]})
            >>> fake = sw.responses.fit(log, student="who", item="what", correct="right", m=2).generate(3, seed=1)
            >>> fake["what"].to_pylist()
            ['a', 'b', 'a', 'b', 'a', 'b']
        """
        made: Frame = engine.like(self.table(students or self.students, np.random.default_rng(seed)), self.empty)
        return made

    def write(self, path: str | Path, students: int, *, seed: int = 0) -> int:
        """Stream the rows that `generate` would give to a Parquet file, at constant memory.

        Args:
            path: Where the file goes.
            students: How many to invent.
            seed: The same seed gives the same rows.

        Returns:
            How many rows were written.
        """
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

    def _answered(self, students: int, generator: np.random.Generator) -> tuple[Array, Array, Array | None]:
        """Items, lengths and answers: drawn together by a learner, one after the other otherwise."""
        if isinstance(self.sequences, Learner):
            ability = np.zeros(students) if self.abilities is None else self.abilities.draw(students, generator)
            item, lengths, correct = self.sequences.draw(ability, generator)
            return item, lengths, correct if self.abilities is not None else None
        item, lengths = self.sequences.walk(students, generator)
        if self.outcomes is None or self.abilities is None:
            return item, lengths, None
        ability = self.abilities.draw(students, generator)
        return item, lengths, self.outcomes.outcomes(item, lengths, ability, generator)

    def _chunk(self, first: int, students: int, width: int, generator: np.random.Generator) -> pa.Table:
        item, lengths, correct = self._answered(students, generator)
        ids = invented_ids(self.prefix, first, students, width=width)
        named = self.columns
        made = {
            named.student: _repeated(ids, lengths),
            named.item: self.items.take(pa.array(item)),
        }
        if correct is not None and named.correct:
            made[named.correct] = pa.array(correct)
        if self.skill is not None and named.skill:
            made[named.skill] = self.skill.take(pa.array(item))
        if self.timing is not None and named.time:
            made[named.time] = pa.array(self.timing.draw(lengths, generator)).cast(pa.timestamp("us"))
        if named.attempt:
            made[named.attempt] = pa.array(1 + attempts_before(np.repeat(np.arange(students), lengths), item))
        if self.durations is not None and named.duration:
            made[named.duration] = self.durations.draw(item, lengths, generator)
        for name, column in self.others.items():
            made[name] = column.draw(item, lengths, generator)
        return pa.table(made)


def fit(
    log: Frame,
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
    outcomes: str | None = None,
    ability: str = "normal",
    m: int = STUDENTS_PER_STEP,
    noise: float = 0.0,
    order: int = 1,
    smoothing: float = 0.0,
    longest: int | None = None,
    batch: int = BATCH,
    epochs: int | None = None,
    seed: int = 0,
    epsilon: float | None = None,
    items: Sequence[Any] | None = None,
    max_rows: int | None = None,
) -> Model[Frame]:
    """Fit a generator of sequences and outcomes on a response log.

    Args:
        log: A pandas, polars or pyarrow frame, or a path: one row per answer, in time order within a student.
        student: The column of student ids.
        item: The column of items, or of skills.
        correct: The column that says right or wrong; without it only sequences are generated.
        model: "markov", a chain, or "gru", a network (extra `neural`).
        skill: The column of skills: the chain falls back on it, and practice is counted over it.
        time: The column of times; they set the order of rows, and new ones are drawn.
        attempt: The column of attempt numbers; they are counted anew.
        duration: The column of response times, drawn given the item.
        further: More columns of categories, drawn given the item, or once per student where they never change.
        outcomes: "pfa" (ability that grows with practice; what is taken where nothing is said), "rasch" or "2pl".
        ability: "normal" or "kernel": how abilities are spread.
        m: Different students that every step and item needs; 1 is the plain chain of the paper.
        noise: Noise on every number that is learnt, in standard errors that the choice of students leaves.
        order: How many items back the chain looks, 1 to 3.
        smoothing: The share of every row of the chain that is spread over coarser contexts.
        longest: Rows of one invented student at most; never more than m students reached.
        batch: Students in a batch of the network's training.
        epochs: Passes of the network over the data at most; 23 if not given, and fewer where it stops getting better.
        seed: Of the noise, and of the training of a network.
        epsilon: A differential-privacy budget per student; needs `items` and `max_rows`, and the extra `dp`.
        items: The public list of items that epsilon needs.
        max_rows: The bound on what one student contributes that epsilon needs.

    Returns:
        A model that holds no row of the log.

    Example:
        >>> import pyarrow as pa
        >>> import sharewell as sw
        >>> log = pa.table({"who": [1, 1, 2, 2], "what": ["a", "b", "a", "b"], "right": [0, 1, 1, 0]})
        >>> model = sw.responses.fit(log, student="who", item="what", correct="right", m=2)
        >>> model.students, model.prefix
        (2, 'fake-')
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
        outcomes=outcomes or ("pfa" if epsilon is None else "rasch"),
        ability=ability,
        m=m,
        noise=noise,
        order=order,
        smoothing=smoothing,
        longest=longest,
        batch=batch,
        epochs=epochs,
        seed=seed,
        epsilon=epsilon,
        items=None if items is None else tuple(items),
        max_rows=max_rows,
    )
    nothing = pa.table({student: pa.array([], pa.string())})
    return fit_log(read(log, columns), columns, settings, empty=engine.like(nothing, log))


def fit_log(
    whole: Log,
    columns: Columns,
    settings: Settings,
    *,
    empty: Any = None,
    known: pa.Array | None = None,
    generator: np.random.Generator | None = None,
    answers: Answers | None = None,
) -> Model[Any]:
    """The same for a log in arrays; `known` are all ids that invented ones must differ from.

    `generator` is where the noise comes from: a secret one in a release. `answers` are those of the same log and
    settings (see `answers_of`) where they are known already.
    """
    prefix = invented_prefix(whole.students if known is None else known)
    if settings.epsilon is not None:
        return _fit_with_budget(whole, columns, settings, prefix=prefix, empty=empty)
    drawn = np.random.default_rng(settings.seed) if generator is None else generator
    log, left_out = without_scarce_items(whole, settings.m, extremes=settings.noise > 0)
    found = _fit_answers(log, settings) if answers is None else answers
    if settings.noise > 0:
        log, found, left_out = _without_hidden(log, found, left_out, settings, drawn)
    fitted = None if found is None else found.outcomes
    off = FEW * settings.noise * drawn.standard_normal(2)  # by which slope and width of abilities are off
    sequences = _fit_sequences(log, settings, found, off, drawn)
    alone = fitted is None or isinstance(sequences, Learner)  # nobody's own ability stays in what is kept
    skill = (
        None
        if log.skill_of is None or log.skills is None
        else _only_used(log.skills.take(pa.array(log.skill_of)), log.item)
    )
    guard = Guard(settings.m, settings.noise, drawn)
    return Model(
        columns=columns,
        settings=settings,
        items=_only_used(log.items, log.item),
        sequences=sequences,
        outcomes=None if alone else without_abilities(fitted),
        abilities=None if fitted is None else _abilities(log, sequences, fitted, settings, off),
        left_out=left_out,
        students=whole.lengths.size,
        mean_rows=log.rows / log.lengths.size,
        prefix=prefix,
        skill=skill,
        timing=_fit_timing(log, guard),
        durations=_fit_durations(log, columns, guard),
        others={
            name: (fit_ids if name in columns.ids else fit_other)(log, values, codes, guard=guard, column=name)
            for name, (values, codes) in log.further.items()
        },
        empty=empty,
    )


def _fit_with_budget(whole: Log, columns: Columns, settings: Settings, *, prefix: str, empty: Any) -> Model[Any]:
    from sharewell.responses.protection.differential_privacy import noisy_parts

    parts = noisy_parts(whole, columns, settings)
    nothing = LeftOut(extreme=0, extreme_rows=0, few_students=0, few_students_rows=0)
    named = {part.name: getattr(parts, part.name) for part in fields(parts)}
    return Model(columns=columns, settings=settings, left_out=nothing, prefix=prefix, empty=empty, **named)


def _without_hidden(
    log: Log, answers: Answers | None, left_out: LeftOut, settings: Settings, generator: np.random.Generator
) -> tuple[Log, Answers | None, LeftOut]:
    """The log without the items that noise hides, and who is left of the students."""
    hidden = hidden_items(log, settings.m, c=settings.noise, generator=generator)
    rows = hidden[log.item]
    left = np.bincount(log.student[~rows], minlength=log.lengths.size) > 0
    gone = replace(
        left_out,
        few_students=left_out.few_students + int(hidden.sum()),
        few_students_rows=left_out.few_students_rows + int(rows.sum()),
    )
    return log.without_items(hidden), None if answers is None else answers.only(left), gone


def answers_of(whole: Log, settings: Settings) -> Answers | None:
    """What does not depend on noise and takes longest, for `fit_log` at several strengths; None where nothing is."""
    if settings.epsilon is not None:
        return None
    return _fit_answers(without_scarce_items(whole, settings.m, extremes=settings.noise > 0)[0], settings)


def _fit_answers(log: Log, settings: Settings) -> Answers | None:
    if log.correct is None:
        return None
    fitters: dict[str, Callable[[Log], Any]] = {"rasch": fit_rasch, "2pl": fit_two_parameter, "pfa": fit_pfa}
    outcomes = fitters[settings.outcomes](log)
    if settings.model == "gru" or settings.m == 1:
        return Answers(outcomes=outcomes, rasch=None)
    return Answers(outcomes=outcomes, rasch=outcomes if isinstance(outcomes, Rasch) else fit_rasch(log))


def _fit_sequences(
    log: Log, settings: Settings, answers: Answers | None, off: Array, generator: np.random.Generator
) -> Sequences | Learner:
    """The plain chain of the paper (m = 1), a network, or students who behave like students."""
    asked = settings
    if settings.model == "gru":
        from sharewell.responses.protection.recurrent_network import fit_gru

        return fit_gru(log, m=asked.m, longest=asked.longest, batch=asked.batch, epochs=asked.epochs, seed=asked.seed)
    if settings.m == 1:
        return fit_chain(
            log, m=1, order=asked.order, longest=asked.longest, group=log.skill_of, smoothing=asked.smoothing
        )
    fitted = None if answers is None else answers.outcomes
    group = latent_groups(log, m=settings.m) if log.skill_of is None else log.skill_of
    answering = nothing_answered(log) if fitted is None else answering_of(log, fitted)
    diligence = Diligence() if fitted is None else fit_diligence(fitted.ability, log.lengths, off=float(off[0]))
    learner = fit_learner(log, answering, settings, diligence=diligence, group=group, generator=generator)
    shares = fit_shares(log, group=group, c=ITEM_NOISE * settings.noise, generator=generator)
    aims = None
    if answers is not None and answers.rasch is not None:
        aims = fit_aims(log, answers.rasch, c=settings.noise, generator=generator)
    abilities = None if fitted is None else _abilities(log, learner, fitted, settings, off)
    return levelled(learner, abilities, shares, aims, students=log.lengths.size, seed=settings.seed)


def _abilities(log: Log, sequences: Sequences | Learner, fitted: Any, settings: Settings, off: Array) -> Abilities:
    """How abilities are spread, less what goes with the length of a log where a learner takes care of that."""
    explained = sequences.diligence.of(log.lengths) if isinstance(sequences, Learner) else 0.0
    return fit_abilities(fitted.ability - explained, settings.ability, off=float(off[1]))


def _fit_timing(log: Log, guard: Guard) -> Timing | None:
    return None if log.time is None else fit_timing(log, m=guard.m, noise=Noise(guard.c, guard.generator))


def _fit_durations(log: Log, columns: Columns, guard: Guard) -> Durations | None:
    if log.duration is None or columns.duration is None:
        return None
    return fit_durations(log, guard=guard, column=columns.duration)


def _only_used(items: pa.Array, item: Array) -> pa.Array:
    """The names of the items in their places; those that no row has any more are forgotten."""
    used = np.bincount(item, minlength=len(items)) > 0
    return pa.compute.if_else(pa.array(used), items, pa.nulls(len(items), items.type))


def _repeated(values: pa.Array, times: Array) -> pa.Array:
    return values.take(pa.array(np.repeat(np.arange(len(values)), times)))
