"""A generator with a differential-privacy budget per student: noise from OpenDP, bounds and items from the public.

Neighbouring logs differ by one whole student (added or taken away). Every student is cut to the first `max_rows` rows
on listed items; every table below then changes by a known amount at most, and gets discrete Laplace noise for its share
of the budget. Whatever is computed from the noisy tables costs nothing more.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from sharewell.errors import InputError, MissingExtra
from sharewell.responses.log import Columns, Log
from sharewell.responses.protection.abilities import NormalAbilities
from sharewell.responses.protection.markov_chain import Chain
from sharewell.responses.protection.rasch import Rasch
from sharewell.responses.settings import Settings
from sharewell.stats.arrays import Array

SHARES = {"steps": 0.35, "starts": 0.05, "lengths": 0.1, "trials": 0.2, "right answers": 0.2, "abilities": 0.1}
MOST_ITEMS = 2_000  # a table of all steps has the square of this many cells
WIDEST = 3.0  # an ability estimate is clipped to ± this


@dataclass(frozen=True, kw_only=True)
class Noisy:
    """The noisy tables: all that the generator knows."""

    steps: Array
    starts: Array
    lengths: Array
    trials: Array
    right: Array
    spread: float
    step_scale: float


@dataclass(frozen=True, kw_only=True)
class NoisyParts:
    """What a generator is made of that knows nothing but the noisy tables."""

    items: pa.Array
    sequences: Chain
    outcomes: Rasch
    abilities: NormalAbilities
    students: int
    mean_rows: float
    budget: dict[str, Any]


def noisy_parts(whole: Log, columns: Columns, settings: Settings) -> NoisyParts:
    """Measure the tables with noise and build a chain and outcomes from them alone."""
    _refuse(whole, columns, settings)
    assert settings.epsilon is not None and settings.items is not None and settings.max_rows is not None
    public = pa.array(list(settings.items)).cast(whole.items.type)
    noisy = measure(bounded(whole, public, settings.max_rows), settings.epsilon, settings.max_rows)
    return NoisyParts(
        items=public,
        sequences=noisy_chain(noisy, settings.max_rows),
        outcomes=noisy_rasch(noisy),
        abilities=NormalAbilities(mean=0.0, spread=noisy.spread),
        students=int(max(1, round(noisy.lengths.sum()))),
        mean_rows=settings.max_rows / 2,
        budget=statement(settings.epsilon, settings.max_rows),
    )


def statement(epsilon: float, max_rows: int) -> dict[str, Any]:
    """What the budget was spent on, and what it does not cover."""
    return {
        "epsilon": epsilon,
        "unit": "one student, with all rows",
        "rows per student at most": max_rows,
        "spent": {name: round(share * epsilon, 6) for name, share in SHARES.items()},
        "covers": "which items occur, which steps can occur, starts, lengths, difficulties, spread of abilities, "
        "and the number of students",
        "outside": "the list of items and the bound on rows, which are public; column names; and the risks and "
        "uses measured in the report, which carry no noise",
    }


def bounded(log: Log, public: pa.Array, max_rows: int) -> Log:
    """Listed items in public codes, and each student's first rows only."""
    place = np.asarray(pa.compute.index_in(log.items, value_set=public).fill_null(-1))
    listed = log.without_items(place < 0)
    rank = np.arange(listed.rows) - np.repeat(listed.bounds[:-1], listed.lengths)
    kept = rank < max_rows
    lengths = np.minimum(listed.lengths, max_rows)
    return replace(
        listed,
        items=public,
        item=place[listed.item][kept].astype(np.int32),
        correct=None if listed.correct is None else listed.correct[kept],
        bounds=np.concatenate([[0], np.cumsum(lengths)]),
        joined=None,
        skill_of=None,
        further={},
    )


def measure(log: Log, epsilon: float, max_rows: int) -> Noisy:
    """Every table with its sensitivity to one student: rows − 1 steps, one start, one length, rows trials …"""
    assert log.correct is not None
    items = len(log.items)
    budget = {name: share * epsilon for name, share in SHARES.items()}
    first = log.bounds[:-1]
    inner = np.ones(log.rows, dtype=bool)
    inner[first] = False
    inside = np.flatnonzero(inner)
    pairs = log.item[inside - 1].astype(np.int64) * items + log.item[inside]
    steps = np.bincount(pairs, minlength=items * items)
    trials = _noisy_counts(np.bincount(log.item, minlength=items), max_rows, budget["trials"])
    right = np.bincount(log.item, weights=log.correct, minlength=items).astype(np.int64)
    right = _noisy_counts(right, max_rows, budget["right answers"])
    widest = max(1, max_rows - 1)
    return Noisy(
        steps=_noisy_counts(steps, widest, budget["steps"]).reshape(items, items),
        starts=_noisy_counts(np.bincount(log.item[first], minlength=items), 1, budget["starts"]),
        lengths=_noisy_counts(np.bincount(log.lengths, minlength=max_rows + 1)[1:], 1, budget["lengths"]),
        trials=trials,
        right=right,
        spread=_noisy_spread(log, trials, right, budget["abilities"]),
        step_scale=widest / budget["steps"],
    )


def noisy_chain(noisy: Noisy, max_rows: int) -> Chain:
    """Steps that stand out of the noise are kept; the rest of every row goes by the noisy item frequencies."""
    items = noisy.trials.size
    threshold = noisy.step_scale * np.log(max(2, noisy.steps.size) / 2)  # about one false cell in the whole table
    kept = np.where(noisy.steps > threshold, noisy.steps, 0)
    frequency = np.maximum(noisy.trials, 0) + 1e-9
    arriving = np.maximum(kept.sum(axis=1), frequency)
    rows, targets = np.nonzero(kept)
    share = kept[rows, targets] / arriving[rows]
    starts = np.maximum(noisy.starts, 0) + 1e-9
    sizes = np.concatenate([np.bincount(rows, minlength=items), [items], [0, 0, 0, 0], [items], [items]])
    any_item = frequency / frequency.sum()
    cumulative = [_within(share, rows, items), np.cumsum(starts / starts.sum())]
    return Chain(
        items=items,
        order=1,
        longest=max_rows,
        group=np.append(np.zeros(items, dtype=np.int32), 1).astype(np.int32),
        starts=np.concatenate([[0], np.cumsum(sizes)]),
        targets=np.concatenate([targets, *[np.arange(items)] * 3]).astype(np.int32),
        chances=np.concatenate([*cumulative, np.cumsum(any_item), np.cumsum(any_item)]).clip(max=1.0),
        rungs=np.array([0, items + 1, items + 3, items + 5, items + 6]),
        contexts=np.zeros(0, dtype=np.int64),
        context_starts=np.zeros(1, dtype=np.int64),
        kept=float(share.sum() / max(1, items)),
        lengths=_length_chances(noisy.lengths),
    )


def noisy_rasch(noisy: Noisy) -> Rasch:
    """Difficulties from noisy success rates, stretched for the spread of abilities they average over.

    E σ(θ − d) over θ ~ N(0, s²) is close to σ(−d / √(1 + s²·π/8)) (MacKay 1992).
    """
    trials = np.maximum(noisy.trials, 1.0)
    rate = (np.clip(noisy.right, 0, trials) + 1) / (trials + 2)
    difficulty = -np.log(rate / (1 - rate)) * np.sqrt(1 + noisy.spread**2 * np.pi / 8)
    return Rasch(ability=np.zeros(0), difficulty=difficulty, objective=float("nan"))


def _length_chances(lengths: Array) -> Array:
    positive = np.maximum(lengths, 0) + 1e-9
    found: Array = np.cumsum(positive / positive.sum())[:-1]
    return found


def _within(share: Array, rows: Array, height: int) -> Array:
    """Cumulative sums that begin anew in each row."""
    running = np.cumsum(share)
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=height))])[:-1]
    found: Array = running - np.concatenate([[0.0], running])[starts][rows]
    return found


def _noisy_counts(counts: Array, sensitivity: int, epsilon: float) -> Array:
    """Discrete Laplace noise by OpenDP, whose own accounting must agree with what we say was spent."""
    dp = _opendp()
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
    mechanism = dp.m.make_laplace(*space, scale=sensitivity / epsilon)
    spent = mechanism.map(sensitivity)
    if spent > epsilon * (1 + 1e-9):
        raise AssertionError(f"the mechanism would spend {spent}, more than its share {epsilon}")
    return np.array(mechanism(counts.astype(int).tolist()), dtype=float)


def _noisy_spread(log: Log, trials: Array, right: Array, epsilon: float) -> float:
    """How abilities spread: mean square of clipped one-step estimates less their own error, from noisy sums.

    A student's estimate is Σ(r − p) / Σp(1−p), one scoring step from θ = 0; squares, errors and the number of students
    are summed, each with a third of the budget, in hundredths so that the noise is discrete.
    """
    assert log.correct is not None
    rate = (np.clip(right, 0, np.maximum(trials, 1)) + 1) / (np.maximum(trials, 1) + 2)
    chance = rate[log.item]
    information = np.add.reduceat(chance * (1 - chance), log.bounds[:-1])
    score = np.add.reduceat(log.correct - chance, log.bounds[:-1])
    squares = np.clip(score / information, -WIDEST, WIDEST) ** 2
    errors = np.clip(1 / information, 0, WIDEST**2)
    bound = int(100 * WIDEST**2)
    total = [int(np.floor(100 * part).sum()) for part in (squares, errors)]
    noisy = [_noisy_counts(np.array([part]), bound, epsilon / 3)[0] / 100 for part in total]
    students = max(1.0, _noisy_counts(np.array([log.lengths.size]), 1, epsilon / 3)[0])
    return float(np.sqrt(np.clip((noisy[0] - noisy[1]) / students, 0.05, WIDEST**2)))


def _refuse(log: Log, columns: Columns, settings: Settings) -> None:
    """Without public bounds there is no guarantee, and a column that the budget does not cover would leak beside it."""
    epsilon, items = settings.epsilon, settings.items
    if epsilon is None or not (np.isfinite(epsilon) and epsilon > 0):
        raise InputError("epsilon must be a positive number")
    if not items:
        raise InputError("epsilon needs items = […], a public list of items: which items occur would disclose students")
    if settings.max_rows is None or settings.max_rows < 1:
        raise InputError("epsilon needs max_rows, a bound on the rows that one student contributes")
    if settings.model != "markov" or settings.outcomes != "rasch" or settings.order != 1:
        raise InputError("epsilon works with model 'markov' of order 1 and outcomes 'rasch' only")
    if log.correct is None:
        raise InputError("epsilon needs the column of outcomes (correct)")
    beside = [columns.skill, columns.time, columns.attempt, columns.duration, *columns.further, *columns.ids]
    if any(beside):
        raise InputError("epsilon does not cover skill, time, attempt, duration, further or id columns; leave them out")
    if len(set(items)) < len(items) or len(items) > MOST_ITEMS:
        raise InputError(f"epsilon takes at most {MOST_ITEMS} items, each listed once; generate over skills instead")


def _opendp() -> Any:
    try:
        import opendp.prelude as dp
    except ImportError:
        raise MissingExtra("OpenDP", extra="dp") from None
    dp.enable_features("contrib")
    return dp
