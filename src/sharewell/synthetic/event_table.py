"""A file with several rows per student, in a practice copy: how many and until when are features, the rest histograms.

Every column hangs on the item (the verb, exercise or assessment) where few enough cells allow it, an outcome also on
the student. Times follow the weeks of the course, days of the week and hours, in bursts with the gaps of the original.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import pyarrow as pa

from sharewell.data.coded import code_column
from sharewell.stats.arrays import Array
from sharewell.synthetic.columns import Leaf, ModelledColumn, ReadColumn
from sharewell.synthetic.contributions import Contributions, NoisyHistogram, contributions
from sharewell.synthetic.invented_students import (
    DAY,
    WEEK,
    Clock,
    InventedStudents,
    amounts,
    count_column,
    for_everybody,
    week_of,
)
from sharewell.synthetic.placeholders import invented_like, placeholders
from sharewell.synthetic.sampling import systematic
from sharewell.synthetic.student_table import plain, readable

PERIODS = 4  # of a course, for what is done when
BLOCKS, BLOCK = 12, 7_200  # of a day, in seconds
GAPS = 18  # powers of two in seconds, and a last one for a new day
ROUGH = 12  # parts of a range of numbers
FEW = 12  # values that are drawn without their neighbours
LEVELS = 10  # of a student's mean outcome
MOST_CELLS = 0.5  # of the students: cells of two columns together
CONSTANT = 0.98  # of the students must have one value in a column that is theirs
TARGETS = 41  # means for which an outcome is tilted
STEEPEST = 60.0
TOGETHER = 4  # rows of one thread or class, where ids stand for several rows
LOOKED_AT = 10_000  # ids, to see how they are written
Text = Callable[[Array, np.random.Generator], list[str]]


@dataclass(frozen=True, kw_only=True)
class EventRoles:
    """What the columns of a file with several rows per student are for."""

    student: str
    item: str | None = None
    time: str | None = None
    outcomes: tuple[str, ...] = ()  # numbers, or two values, that differ between students
    named: tuple[str, ...] = ()  # identify by themselves: placeholders
    ids: tuple[str, ...] = ()  # of rows, or of other rows of the file
    peers: tuple[str, ...] = ()
    running: str | None = None  # counts the rows of a student with an item
    categories: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    write: Text | None = None  # texts of so many words


@dataclass(frozen=True, kw_only=True, eq=False)
class EventTable:
    """The rows as they are, and a code for every cell that is learnt from."""

    label: str
    rows: pa.Table
    roles: EventRoles
    students: Sequence[str]
    owner: Array  # the student of every row
    seconds: Array | None  # of every row, since 1970
    whole_days: bool
    columns: Mapping[str, ReadColumn]  # event by event
    own: Mapping[str, ReadColumn]  # student by student
    fewest: int
    once: bool  # a student has every item at most once
    given_item: Mapping[str, Array] = field(default_factory=dict)  # columns that the item decides: leaf by leaf

    def weeks(self) -> tuple[Array, Array]:
        none = np.zeros(0, np.int64)
        return (none, none) if self.seconds is None else (self.owner, week_of(self.seconds))

    def lacking(self, place: Array, size: int) -> Array:
        return np.zeros(0, np.int64)

    def features(self, place: Array, size: int) -> list[ReadColumn]:
        amount = np.zeros(size, np.int64)
        amount[place] = np.bincount(self.owner, minlength=len(self.students))
        found = [count_column(self._feature("rows"), amount, fewest=self.fewest)]
        found += [for_everybody(_called(one, self._feature(name)), place, size) for name, one in self.own.items()]
        return [*found, *(for_everybody(self._mean(name), place, size) for name in self._outcomes)]

    def contributions(self, place: Array, size: int, clock: Clock) -> list[Contributions]:
        who = place[self.owner]

        def add(name: str, sizes: Sequence[int], *cells: Array, ordered: bool = False) -> None:
            found.append(contributions(self._feature(name), sizes, who, cells, size, ordered=ordered))

        found: list[Contributions] = []
        week = np.zeros(who.size, np.int64)
        if self.seconds is not None:
            week = clock.week(self.seconds)
            add("weeks", [clock.weeks], week, ordered=True)
            add("weekdays", [7], (self.seconds - clock.start) // DAY % 7)
            if not self.whole_days:
                add("hours", [BLOCKS], self.seconds % DAY // BLOCK, ordered=True)
            rows, gap = self._gaps()
            found.append(contributions(self._feature("gaps"), [GAPS], who[rows], [gap], size, ordered=True))
        item = None if self.roles.item is None else self.columns[self.roles.item]
        for name, one in self.columns.items():
            leaves = len(one.column.leaves)
            if name in self.given_item:
                continue
            if name == self.roles.item and self.seconds is not None and PERIODS * leaves <= MOST_CELLS * size:
                add(f"{name} by period", [PERIODS, leaves], self._period(week, clock), one.codes)
            elif name not in (*self._outcomes, self.roles.item) and item is not None and self._few(one, item, size):
                add(f"{name} by item", [len(item.column.leaves), leaves], item.codes, one.codes)
            else:
                add(name, [leaves], one.codes, ordered=one.column.ordered == leaves and leaves > FEW)
                if item is not None and self._roughly(name, item, size):
                    add(f"{name} roughly by item", [len(item.column.leaves), ROUGH], item.codes, _rough(one)[one.codes])
            if name in self._outcomes and item is not None:
                value = np.nan_to_num(self._level(name)[one.codes], nan=0.5)
                twice = [np.tile(item.codes, 2), np.repeat([0, 1], who.size)]
                weight = np.concatenate([1 - value, value]) + 1e-9
                shape = [len(item.column.leaves), 2]
                called = self._feature(f"{name} of items")
                found.append(contributions(called, shape, np.tile(who, 2), twice, size, weight=weight))
        for name in self._references:
            add(f"{name} is missing", [2], np.asarray(self.rows[name].is_null()).astype(np.int64))
        for name in self.roles.texts:
            words = np.array([len((text or "").split()) for text in self.rows[name].to_pylist()], np.int64)
            read_as = count_column(name, words, fewest=self.fewest)
            add(f"words of {name}", [len(read_as.column.leaves)], read_as.codes, ordered=True)
        return found

    def expand(self, cohort: InventedStudents, learnt: Mapping[str, NoisyHistogram]) -> pa.Table:
        """Rows for every student who has some, in time order."""
        generator = cohort.generator
        amount = cohort.amount(self._feature("rows"))
        owner = np.repeat(np.arange(cohort.size), amount)
        cells: dict[str, pa.Array] = {self.roles.student: cohort.ids.take(pa.array(owner))}
        period = np.zeros(owner.size, np.int64)
        if self.seconds is not None and self.roles.time is not None:
            seconds = self._times(owner, cohort, learnt)
            period = self._period(cohort.clock.week(seconds), cohort.clock)
            cells[self.roles.time] = pa.array(seconds, pa.int64()).cast(pa.timestamp("s"))
        codes = self._codes(owner, period, cohort, learnt)
        for name, one in self.columns.items():
            cells[name] = one.column.decoded(codes[name], generator)
        for name, one in self.own.items():
            leaf = cohort.leaves[self._feature(name)]
            cells[name] = one.column.decoded(leaf, generator).take(pa.array(owner))
        for name in self.roles.texts:
            leaf = self._drawn(learnt[self._feature(f"words of {name}")], owner, generator)
            words = amounts(leaf, generator)
            cells[name] = pa.array(self.roles.write(words, generator) if self.roles.write else [""] * owner.size)
        for name in self.roles.peers:
            cells[name] = cohort.ids.take(pa.array(generator.integers(cohort.size, size=owner.size)))
        if self.roles.running is not None and self.roles.item is not None:
            cells[self.roles.running] = pa.array(_running(owner, codes[self.roles.item]))
        for name in self.rows.column_names:
            if name not in cells and name not in self.roles.ids:
                cells[name] = placeholders(name, self.rows[name], owner.size)
        made = pa.table({name: cells[name] for name in self.rows.column_names if name not in self.roles.ids})
        if self.seconds is not None and self.roles.time is not None and (np.diff(self.seconds) >= 0).all():
            made = made.sort_by(self.roles.time)
        row_ids = self._row_ids(owner.size, learnt, generator)
        return pa.table({name: row_ids[name] if name in row_ids else made[name] for name in self.rows.column_names})

    def _codes(
        self, owner: Array, period: Array, cohort: InventedStudents, learnt: Mapping[str, NoisyHistogram]
    ) -> dict[str, Array]:
        """A leaf for every cell: items by the period of the course, the rest by the item, outcomes by the student."""
        codes: dict[str, Array] = {}
        item = self.roles.item
        for name in sorted(self.columns, key=lambda name: name != item):
            column = self.columns[name].column
            if name in self.given_item and item is not None:
                codes[name] = self.given_item[name][codes[item]]
                continue
            together = learnt.get(self._feature(f"{name} by {'period' if name == item else 'item'}"))
            if name == item and self.once:
                alone = learnt[self._feature(name)].shares if together is None else together.shares.sum(axis=0)
                codes[name] = _without_repeats(owner, _masked(alone, column), cohort.generator)
            elif name in self._outcomes:
                shares = _masked(learnt[self._feature(name)].shares, column)
                codes[name] = self._outcome(name, owner, codes.get(item or ""), shares, cohort, learnt)
            elif together is not None:
                given = period if name == item else codes[item or ""]
                codes[name] = systematic(_masked(together.given_first, column), given, cohort.generator)
            else:
                shares = _masked(learnt[self._feature(name)].shares, column)[None]
                part = np.zeros(owner.size, np.int64)
                roughly = learnt.get(self._feature(f"{name} roughly by item"))
                if roughly is not None:
                    part = systematic(roughly.given_first, codes[item or ""], cohort.generator)
                    shares = _masked(shares * (_rough(self.columns[name]) == np.arange(ROUGH)[:, None]), column)
                codes[name] = systematic(shares, part, cohort.generator)
        return codes

    def _outcome(
        self, name: str, owner: Array, item: Array | None, shares: Array, cohort: InventedStudents,
        learnt: Mapping[str, NoisyHistogram],
    ) -> Array:  # fmt: skip
        """Values tilted so that their mean is that of the student, moved by how hard the item is."""
        level = self._level(name)
        leaf = cohort.leaves[self._feature(f"mean {name}")]
        wanted = ((leaf + cohort.generator.random(leaf.size)) / LEVELS)[owner]
        found = learnt.get(self._feature(f"{name} of items"))
        if item is not None and found is not None:
            ease = found.given_first[:, 1] - found.shares[:, 1].sum()
            wanted = np.clip(wanted + ease[item], 0.0, 1.0)
        known = np.isfinite(level)
        chances = np.zeros((TARGETS, level.size))
        for place, target in enumerate(np.linspace(0, 1, TARGETS)):
            chances[place, known] = _tilted(shares[known], level[known], target) * shares[known].sum()
            chances[place, ~known] = shares[~known]
        return systematic(chances, np.rint(wanted * (TARGETS - 1)).astype(np.int64), cohort.generator)

    def _times(self, owner: Array, cohort: InventedStudents, learnt: Mapping[str, NoisyHistogram]) -> Array:
        """Bursts in weeks up to the student's last one; the last burst lies in it."""
        generator, clock = cohort.generator, cohort.clock
        gaps = learnt[self._feature("gaps")].shares
        starts = np.concatenate([[True], owner[1:] != owner[:-1]]) if owner.size else np.zeros(0, bool)
        drawn = systematic(gaps[None], np.zeros(owner.size, np.int64), generator)
        new = starts | (drawn == GAPS - 1)
        burst = np.cumsum(new) - 1
        whose = owner[new]
        upto = np.cumsum(learnt[self._feature("weeks")].shares)
        last = cohort.last[whose]
        week = np.searchsorted(upto, generator.random(whose.size) * upto[last], side="right")
        week = np.minimum(week, last)
        ends = np.concatenate([whose[1:] != whose[:-1], [True]]) if whose.size else np.zeros(0, bool)
        week[ends] = last[ends]
        one = np.zeros(whose.size, np.int64)
        day = systematic(learnt[self._feature("weekdays")].shares[None], one, generator)
        at = week * WEEK + day * DAY
        if not self.whole_days:
            block = systematic(learnt[self._feature("hours")].shares[None], one, generator)
            at += block * BLOCK + generator.integers(BLOCK, size=whose.size)
        at = at[np.lexsort((at, whose))]
        if self.whole_days:
            return np.asarray(clock.start + at[burst])
        passed = np.where(new, 0, np.floor(2.0**drawn * (1 + generator.random(owner.size)) - 1)).astype(np.int64)
        upto_row = np.cumsum(passed)
        first = np.flatnonzero(new)
        seconds = at[burst] + upto_row - upto_row[first][burst]
        return np.asarray(clock.start + np.minimum(seconds, at[burst] // DAY * DAY + DAY - 1))

    def _gaps(self) -> tuple[Array, Array]:
        """Rows that follow another of their student, and the gap as a power of two; the last one is a new day."""
        assert self.seconds is not None
        order = np.lexsort((self.seconds, self.owner))
        owner, seconds = self.owner[order], self.seconds[order]
        follows = np.flatnonzero(owner[1:] == owner[:-1]) + 1
        gap = seconds[follows] - seconds[follows - 1]
        power = np.log2(gap + 1.0).astype(np.int64)
        return order[follows], np.where(seconds[follows] // DAY > seconds[follows - 1] // DAY, GAPS - 1, power)

    def _few(self, one: ReadColumn, item: ReadColumn, students: int) -> bool:
        """Whether two columns have few enough cells together."""
        return len(one.column.leaves) * len(item.column.leaves) <= MOST_CELLS * students

    def _roughly(self, name: str, item: ReadColumn, students: int) -> bool:
        """Whether a column of many numbers is learnt by the item in few parts."""
        numbers = self.columns[name].column.ordered
        plain = name not in (*self._outcomes, self.roles.item) and numbers > ROUGH
        return plain and len(item.column.leaves) * ROUGH <= MOST_CELLS * students

    def _period(self, week: Array, clock: Clock) -> Array:
        return np.asarray(week * PERIODS // clock.weeks)

    @cached_property
    def _outcomes(self) -> tuple[str, ...]:
        return tuple(name for name in self.roles.outcomes if name in self.columns and self._level(name).size > 1)

    def _level(self, name: str) -> Array:
        """Every leaf between 0 and 1; not a number where it is missing or rare."""
        values = np.array([_value(leaf, place) for place, leaf in enumerate(self.columns[name].column.leaves)])
        low, high = np.nanmin(values), np.nanmax(values)
        found: Array = (values - low) / (high - low) if high > low else np.zeros(0)
        return found

    def _mean(self, name: str) -> ReadColumn:
        """The mean outcome of every student, in levels."""
        value = self._level(name)[self.columns[name].codes]
        known = np.isfinite(value)
        rows = np.bincount(self.owner[known], minlength=len(self.students))
        total = np.bincount(self.owner[known], weights=value[known], minlength=len(self.students))
        mean = np.divide(total, rows, out=np.full(rows.size, 0.5), where=rows > 0)
        leaves = tuple(Leaf(low=low / LEVELS, high=(low + 1) / LEVELS) for low in range(LEVELS))
        codes = np.minimum((mean * LEVELS).astype(np.int64), LEVELS - 1)
        called = self._feature(f"mean {name}")
        column = ModelledColumn(name=called, type=pa.float64(), leaves=leaves, ordered=LEVELS, decimals=6)
        return ReadColumn(column=column, codes=codes)

    def _drawn(self, learnt: NoisyHistogram, owner: Array, generator: np.random.Generator) -> Array:
        return systematic(learnt.shares[None], np.zeros(owner.size, np.int64), generator)

    @cached_property
    def _references(self) -> dict[str, str]:
        """Columns of ids that name other rows: by the column that numbers those."""
        found: dict[str, str] = {}
        texts = {name: self.rows[name].cast(pa.string()) for name in self.roles.ids}
        for name, own in texts.items():
            known = own.drop_null()
            others = [one for one in texts if one != name and one not in found]
            inside = (one for one in others if pa.compute.all(pa.compute.is_in(known, value_set=texts[one])).as_py())
            if (other := next(inside, None)) is not None:
                found[name] = other
        return found

    def _row_ids(
        self, rows: int, learnt: Mapping[str, NoisyHistogram], generator: np.random.Generator
    ) -> dict[str, pa.Array]:
        """Numbers of rows, of groups of rows, and of other rows of the file where a column names those."""
        cells: dict[str, pa.Array] = {}
        for name in sorted(self.roles.ids, key=lambda name: name in self._references):
            known = self.rows[name].cast(pa.string()).drop_null()
            if name in self._references:
                earlier = (generator.random(rows) * np.arange(rows)).astype(np.int64)
                missing = generator.random(rows) < learnt[self._feature(f"{name} is missing")].shares[1]
                named = cells[self._references[name]].take(pa.array(earlier))
                cells[name] = pa.compute.if_else(pa.array(missing), None, named)
            else:
                alone = pa.compute.count_distinct(known).as_py() == len(known)
                places = np.arange(rows) if alone else generator.integers(max(1, rows // TOGETHER), size=rows)
                made = pa.array(invented_like(known.slice(0, LOOKED_AT).to_pylist(), max(rows, 1)))
                cells[name] = made.take(pa.array(places))
        return cells

    def _feature(self, name: str) -> str:
        return f"{self.label}: {name}"


def event_table(label: str, rows: pa.Table, roles: EventRoles, seconds: Array | None, *, fewest: int) -> EventTable:
    """Code what is learnt: shared values, and numbers on a public grid."""
    coded = code_column(roles.student, rows[roles.student].cast(pa.string()))
    owner = coded.codes.astype(np.int64)
    special = {roles.student, roles.time, roles.running, *roles.named, *roles.ids, *roles.peers, *roles.texts}
    columns, own = {}, {}
    for name in rows.column_names:
        if name in special:
            continue
        one = readable_by_students(name, rows[name], owner, category=name in roles.categories, fewest=fewest)
        if one is None:
            continue
        theirs = _theirs(rows[name], owner, len(coded.values))
        if theirs is not None and name not in (roles.item, *roles.outcomes):
            single = readable(name, rows[name].take(pa.array(theirs)), category=name in roles.categories, fewest=fewest)
            if single is not None:
                own[name] = single
        else:
            columns[name] = one
    if roles.item not in columns:
        roles = replace(roles, item=next(iter(name for name in columns if name not in roles.outcomes), None))
    given = {} if roles.item is None else {
        name: found
        for name, one in columns.items()
        if name != roles.item and (found := _decided(columns[roles.item], one)) is not None
    }  # fmt: skip
    once = roles.item is not None and _pairwise_distinct(owner, columns[roles.item].codes)
    whole = seconds is not None and bool((seconds % DAY == 0).all())
    return EventTable(
        label=label, rows=rows, roles=roles, students=[str(value) for value in coded.values], owner=owner,
        seconds=seconds, whole_days=whole, columns=columns, own=own, fewest=fewest, once=once,
        given_item=given,
    )  # fmt: skip


def readable_by_students(
    name: str, cells: pa.ChunkedArray, owner: Array, *, category: bool, fewest: int
) -> ReadColumn | None:
    """Read a column, every value counted once for each student."""
    if pa.types.is_nested(cells.type) or cells.null_count == len(cells):
        return None
    coded = code_column(name, cells)
    pairs = np.unique(owner * len(coded.values) + coded.codes, return_index=True)[1]
    found = readable(name, cells.take(pa.array(pairs)), category=category, fewest=fewest)
    if found is None:
        return None
    leaf_of = np.zeros(len(coded.values), np.int64)
    leaf_of[coded.codes[pairs]] = found.codes
    return replace(found, codes=leaf_of[coded.codes])


def _theirs(cells: pa.ChunkedArray, owner: Array, students: int) -> Array | None:
    """A row of every student, where nearly all of them have the same value in all their rows."""
    codes = code_column("", cells).codes.astype(np.int64)
    pairs = np.unique(owner * (int(codes.max()) + 1) + codes, return_index=True)[1]
    values = np.bincount(owner[pairs], minlength=students)
    many = np.bincount(owner, minlength=students) > 1
    if not many.any() or (values[many] == 1).mean() < CONSTANT:
        return None
    found = np.zeros(students, np.int64)
    found[owner[::-1]] = np.arange(owner.size)[::-1]
    return found


def _decided(item: ReadColumn, one: ReadColumn) -> Array | None:
    """The leaf of every item, where an item has but one: what a list of the course says, and nobody's behaviour."""
    leaves = len(one.column.leaves)
    pairs = np.unique(item.codes.astype(np.int64) * leaves + one.codes)
    decided = np.unique(pairs // leaves).size == pairs.size and leaves <= len(item.column.leaves)
    if not decided or any(leaf.is_range for leaf in one.column.leaves):
        return None
    found = np.zeros(len(item.column.leaves), np.int64)
    found[pairs // leaves] = pairs % leaves
    return found


def _pairwise_distinct(owner: Array, item: Array) -> bool:
    """Whether hardly any student has an item twice."""
    pairs = np.unique(owner * (int(item.max(initial=0)) + 1) + item)
    return bool(pairs.size >= CONSTANT * owner.size)


def _rough(one: ReadColumn) -> Array:
    """The part of the range that every leaf lies in."""
    leaves = len(one.column.leaves)
    found: Array = np.arange(leaves) * ROUGH // leaves
    return found


def _called(one: ReadColumn, name: str) -> ReadColumn:
    return replace(one, column=replace(one.column, name=name))


def _masked(chances: Array, column: ModelledColumn) -> Array:
    """Chances of leaves that can be drawn."""
    found = chances * plain(column) + 1e-12 * plain(column)
    return np.asarray(found / found.sum(axis=-1, keepdims=True))


def _value(leaf: Leaf, place: int) -> float:
    if leaf.rare or (leaf.value is None and leaf.low is None):
        return float("nan")
    if leaf.low is not None and leaf.high is not None:
        return (leaf.low + leaf.high) / 2
    try:
        return float(leaf.value or "")
    except ValueError:
        return float(place)


def _tilted(shares: Array, level: Array, target: float) -> Array:
    """The distribution nearest to `shares` with this mean (exponential tilting)."""
    low, high = -STEEPEST, STEEPEST
    weights = shares
    for _ in range(50):
        slope = (low + high) / 2
        weights = (shares + 1e-12) * np.exp(slope * (level - level.mean()))
        weights = weights / weights.sum()
        low, high = (slope, high) if float(weights @ level) < target else (low, slope)
    return weights


def _without_repeats(owner: Array, shares: Array, generator: np.random.Generator) -> Array:
    """Items for the rows of every student, each at most once as long as there are others (Gumbel's trick)."""
    size = int(owner.max(initial=-1)) + 1
    scores = np.log(np.maximum(shares, 1e-12)) + generator.gumbel(size=(size, shares.size))
    place = np.arange(owner.size) - np.searchsorted(owner, owner)
    found: Array = np.argsort(-scores, axis=1)[owner, place % shares.size]
    return found


def _running(owner: Array, item: Array) -> Array:
    """The number of a row among those of its student and item."""
    together = owner * (int(item.max(initial=0)) + 1) + item
    order = np.argsort(together, kind="stable")
    first = np.flatnonzero(np.diff(together[order], prepend=-1))
    found = np.empty(owner.size, np.int64)
    found[order] = np.arange(owner.size) - np.repeat(first, np.diff(np.append(first, owner.size))) + 1
    return found
