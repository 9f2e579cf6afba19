"""Sequences of items from a Markov chain that hides who trained it (Vie, Rigaux, Minn 2022, §3.2, and beyond).

A plain chain only ever walks steps that a training student took: a step that one student took, seen in the fakes, names
them. Here a step is kept only when at least m different students took it. What is left of a row is not thrown onto
plain frequencies: it climbs a ladder of coarser contexts, and on every rung again only what m students share is kept:

    …, a → b            the last two or three items (orders 2 and 3, where asked for)
    a → b               one item
    group(a) → b        the item's skill, or a latent group
    group(a) → group(b) then an item of that group by its frequency
    any → b             plain frequencies

Each rung counts only the steps that the rungs above let fall, so that the flow into every item stays what it was.
Start and end are states of the chain; with m = 1 the first rung keeps everything: the plain chain of the paper.
"""

from dataclasses import dataclass, replace

import numpy as np

from sharewell.responses.log import Log
from sharewell.responses.protection.chain_walk import Rungs, walk
from sharewell.responses.steps_taken import Steps, is_among, steps_of, tally, times_squared
from sharewell.stats.arrays import Array
from sharewell.stats.noise import level_counts, noisy_counts

FORGOTTEN = 0.01  # of its frequency: what the last rung keeps for an item whose steps all stand higher
ROUNDING = 1e-9  # a row that keeps everything must not lose a draw to rounding


@dataclass(frozen=True, kw_only=True)
class Chain:
    """All rungs in one sparse table: row r holds `targets[starts[r]:starts[r+1]]` with cumulative chances.

    A draw beyond the last cumulative chance of a row falls to the next rung. Codes: items 0…n−1; n is the start (as
    a context) and the end (as a target); n+1+g stands for "some item of group g".
    """

    items: int
    order: int
    longest: int
    group: Array  # int32 per item, the start's own group last
    starts: Array
    targets: Array
    chances: Array
    rungs: Array  # first row of each rung, highest order first; the last entry: the rows "items of group g"
    contexts: Array  # sorted keys of the rows of higher orders, order after order
    context_starts: Array
    kept: float  # share of the training steps that the rungs down to single items keep
    lengths: Array | None = None  # cumulative chances of 1, 2, 3 … rows, for a chain without an end state

    def walk(self, students: int, generator: np.random.Generator) -> tuple[Array, Array]:
        """Item codes of new students, one after the other, and how many rows each has."""
        limits = np.full(students, self.longest, dtype=np.int64)
        if self.lengths is not None:
            limits = 1 + np.searchsorted(self.lengths, generator.random(students), side="right")
        return walk(limits, self.rungs_of(), generator)

    def weighted(self, factor: Array, *, keep: float = 1.0) -> "Chain":
        """The same chain with every chance of coming to an item times its factor.

        What a row then keeps less of falls to the next rung; rows that would keep more than `keep` keep that. The last
        rungs, which always give an item, still do.
        """
        sizes = np.diff(self.starts)
        row = np.repeat(np.arange(sizes.size), sizes)
        single = self.targets < self.items  # the end and whole groups come as before
        times = np.where(single, factor[np.where(single, self.targets, 0)], 1.0)
        share = np.diff(self.chances, prepend=0.0)
        first = self.starts[:-1][sizes > 0]
        share[first] = self.chances[first]
        share = share * times
        total = np.bincount(row, weights=share, minlength=sizes.size)
        always = np.arange(sizes.size) >= self.rungs[self.order + 2]
        share = share / np.where(always, total, np.maximum(total / keep, 1.0))[row]
        return replace(self, chances=cumulative_within(row, share, sizes))

    def rungs_of(self) -> Rungs:
        """The arrays, as the compiled walk takes them."""
        return Rungs(*(getattr(self, name) for name in Rungs._fields))


@dataclass(frozen=True)
class Noise:
    """Noise of c standard errors on every count of a chain without ends."""

    c: float
    generator: np.random.Generator


def fit_chain(
    log: Log,
    *,
    m: int,
    order: int = 1,
    longest: int | None = None,
    group: Array | None = None,
    smoothing: float = 0.0,
    noise: Noise | None = None,
) -> Chain:
    """Fit a chain to the steps that at least m students took, with coarser fallbacks.

    The fallbacks are the rungs of the ladder above. `group` gives each item its group; without it there is one for all.
    """
    group = np.zeros(len(log.items), dtype=np.int32) if group is None else group
    ladder = _Ladder(items=len(log.items), groups=int(group.max()) + 1, m=m, smoothing=smoothing, noise=noise)
    steps = steps_of(log, order=order)
    if m == 1:  # a plain chain walks true steps only
        steps = _chosen_steps(steps, ~steps.joined)
    if noise is not None:  # how long a log gets is drawn elsewhere
        steps = _chosen_steps(steps, steps.after < len(log.items))
    return ladder.climb(steps, np.append(group, ladder.groups).astype(np.int32), order, _longest(log, m, longest))


def _longest(log: Log, m: int, longest: int | None) -> int:
    """No fake is longer than what at least m students reached."""
    reached = int(np.sort(log.lengths)[-min(m, log.lengths.size)])
    return reached if longest is None else min(reached, longest)


def _chosen_steps(steps: Steps, true: Array) -> Steps:
    return replace(
        steps,
        before=steps.before[true],
        after=steps.after[true],
        student=steps.student[true],
        joined=steps.joined[true],
        earlier=tuple(codes[true] for codes in steps.earlier),
    )


class _Ladder:
    """Builds a chain rung by rung; the steps that a rung does not keep go on to the next."""

    def __init__(self, *, items: int, groups: int, m: int, smoothing: float, noise: Noise | None) -> None:
        self.items, self.groups, self.m, self.smoothing, self.noise = items, groups, m, smoothing, noise
        self.sizes: list[Array] = []
        self.targets: list[Array] = []
        self.chances: list[Array] = []
        self.rungs: list[int] = []
        self.height = 0

    def climb(self, steps: Steps, group: Array, order: int, longest: int) -> Chain:
        contexts = []
        left = ~steps.joined
        for depth in range(order, 1, -1):
            keys = deep_key(steps, depth, self.items)
            known, rows = np.unique(keys, return_inverse=True)
            left = self._rung(rows, steps.after, steps.student, left, known.size)
            contexts.append(known)
        left = self._rung(steps.before, steps.after, steps.student, left | steps.joined, self.items + 1, steps.joined)
        kept = 1 - float(left.mean())
        of, end = group[steps.before], steps.after == self.items
        left = self._rung(of, steps.after, steps.student, left, self.groups + 1)
        coarse = np.where(end, self.items, self.items + 1 + group[np.where(end, 0, steps.after)])
        last = self._rung(of, coarse, steps.student, left, self.groups + 1)
        if self.m > 1 or self.smoothing:  # a plain chain that can go nowhere has come to its end
            self._frequencies(steps, last, np.zeros(self.items + 1, dtype=np.int64), 1)
            self._frequencies(steps, left & ~end, group, self.groups)
        else:
            nothing = np.zeros(0, dtype=np.int64)
            for height in (1, self.groups):
                self._append(nothing, nothing, np.zeros(0), height)
        return Chain(
            items=self.items,
            order=order,
            longest=longest,
            group=group,
            starts=np.concatenate([[0], np.cumsum(np.concatenate(self.sizes))]),
            targets=np.concatenate(self.targets).astype(np.int32),
            chances=np.concatenate(self.chances),
            rungs=np.array(self.rungs),
            contexts=np.concatenate([np.zeros(0, dtype=np.int64), *contexts]),
            context_starts=np.concatenate([[0], np.cumsum([known.size for known in contexts], dtype=np.int64)]),
            kept=kept,
        )

    def _rung(
        self,
        rows: Array,
        targets: Array,
        student: Array,
        left: Array,
        height: int,
        barred: Array | None = None,
    ) -> Array:
        """Add one rung over the steps that are left, and say which steps it does not keep. Barred steps only weigh."""
        width = self.items + 1 + self.groups
        key = rows.astype(np.int64) * width + targets
        counted = left if barred is None else left & ~barred
        found, times, students = tally(key[counted], student[counted])
        enough = students >= self.m
        times = self._blurred(key[counted], student[counted], times)
        enough &= self._surely(students)
        kept, times = found[enough], times[enough]
        arriving = np.bincount(rows[left], minlength=height)
        going = np.bincount(kept // width, weights=times, minlength=height)  # noise may lead away more than came
        share = times / np.maximum(np.maximum(arriving, going)[kept // width], 1) * (1 - self.smoothing)
        self._append(kept // width, kept % width, share, height)
        if self.smoothing:  # part of every step falls, so that the next rung must know them all
            return left
        if self.m == 1:
            gone: Array = counted
        else:
            gone = counted & is_among(key, kept)
        still: Array = left & ~gone
        return still

    def _blurred(self, keys: Array, student: Array, times: Array) -> Array:
        """Counts of steps with noise, by what single students add to them."""
        if self.noise is None or not self.noise.c:
            return times
        error = np.sqrt(times_squared(keys, student))
        return noisy_counts(times, error, c=self.noise.c, generator=self.noise.generator)

    def _levelled(self, counts: Array) -> Array:
        """Frequencies of the items that occur, with noise; the others stay without."""
        assert self.noise is not None
        found, used = np.zeros(counts.size), counts > 0
        if used.any():
            found[used] = level_counts(counts[used], c=self.noise.c, generator=self.noise.generator)
        return found

    def _surely(self, students: Array) -> Array:
        """Steps whose number of students passes m though noise is taken from it: one student must not tip the scale."""
        if self.noise is None or not self.noise.c:
            return np.ones(students.size, dtype=bool)
        drawn = self.noise.generator.standard_normal(students.size)
        passed: Array = students + self.noise.c * (drawn - 2) >= self.m
        return passed

    def _frequencies(self, steps: Steps, left: Array, row_of: Array, height: int) -> None:
        """Rows that always give a target: by how often the steps that are left lead to it.

        So that each item comes as often in all as it did; every item of the log has enough students. Where a row
        has none left, its items count by their plain frequency. The end keeps its share.
        """
        weight = np.bincount(steps.after[left], minlength=self.items + 1).astype(float)
        plain = np.bincount(steps.after, minlength=self.items + 1)
        weight[self.items] = plain[self.items] = 0
        if self.noise is not None:  # steps that noise lost may have been all that led to an item
            weight = np.maximum(weight, FORGOTTEN * plain)
        if self.noise is not None and self.noise.c:
            plain, weight = self._levelled(plain), self._levelled(weight)
        empty = np.bincount(row_of, weights=weight)[row_of] == 0
        weight = np.where(empty, plain, weight)
        ends = int((steps.after[left] == self.items).sum())  # as many students: everyone ends once
        if ends >= self.m and ends < left.sum():
            weight[self.items] = weight.sum() * ends / (left.sum() - ends)
        seen = np.flatnonzero(weight)
        order = seen[np.argsort(row_of[seen], kind="stable")]
        total = np.bincount(row_of[order], weights=weight[order], minlength=height)
        self._append(row_of[order], order, weight[order] / total[row_of[order]], height)

    def _append(self, rows: Array, targets: Array, share: Array, height: int) -> None:
        """Rows come sorted; chances become cumulative within each row."""
        sizes = np.bincount(rows, minlength=height)
        self.chances.append(cumulative_within(rows, share, sizes))
        self.targets.append(targets)
        self.sizes.append(sizes)
        self.rungs.append(self.height)
        self.height += height


def cumulative_within(rows: Array, share: Array, sizes: Array) -> Array:
    """Shares of sorted rows as cumulative chances, each row from zero."""
    running = np.cumsum(share)
    before = np.concatenate([[0.0], running])[np.concatenate([[0], np.cumsum(sizes)])[:-1]]
    chances = running - before[rows]
    found: Array = np.where(chances > 1 - ROUNDING, 1.0, chances)
    return found


def deep_key(steps: Steps, depth: int, items: int) -> Array:
    """The last `depth` items as one number; the same formula as in the walk."""
    key = steps.before
    for codes in steps.earlier[: depth - 1]:
        key = key * (items + 2) + (codes + 1)
    return key
