"""Unicity of a finished file once more, by code that shares nothing with the search that protected it.

Plain and slow on purpose: a point is what stands in the cells, the students who share it are the bits of one whole
number, and a student is alone if the numbers of all known points have only that student's bit in common.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from ibis.expr.types import Table
from numpy.typing import NDArray

from sharewell.contract import Risk
from sharewell.data import engine
from sharewell.stats.intervals import wilson
from sharewell.traces.kind import EXPOSED, UNICITY

TRIES, LEAST_TRIES, MOST_BITS = 20_000, 500, 4_000_000_000  # bits looked at, over all tries
MOST_PAIRS, MOST_TARGETS = 5_000_000, 500  # of a longer file some students are looked for among all
NOTHING = "\0"  # a missing cell
SEED = 1
WEIGHTS = {"random": 0.0, "rare": -1.0, "classmate": 1.0}  # powers of how many students share a point


def recheck(released: Table, facts: Mapping[str, Any]) -> list[Risk]:
    """Held to the limit by the lower end of the interval: fresh draws scatter, and only a sure excess is a problem."""
    held = Held(released, student=facts["student"], known_by=[facts["at"], *facts["also"]])
    if not held.count:
        return []  # nobody is in the file
    drawn = [name for name in facts["attackers"] if name in (*WEIGHTS, "consecutive", "worst")]
    risks = [_risk(held, attacker, facts["known"], facts["limit"]) for attacker in drawn]
    return [*risks, *_same_rows(released, facts)]


def _same_rows(released: Table, facts: Mapping[str, Any]) -> list[Risk]:
    """Where students left in groups: how many have the very same rows as each of them, all columns together."""
    if "group_size" not in facts:
        return []
    student, private = facts["student"], facts.get("private", [])
    columns = [name for name in released.columns if name != student and name not in private]
    cells = {name: released[name].cast("string").fill_null(NOTHING) for name in columns}
    rows = engine.arrow(released.select(student, **cells).order_by([student, *columns]))
    numbers, order = _numbered(rows.select(columns)), _numbered(rows.select([student]))
    traces = [tuple(part.tolist()) for part in np.split(numbers, np.flatnonzero(np.diff(order)) + 1)]
    alike = Counter(traces)
    smallest = min(alike.values())
    return [
        Risk(
            measure=EXPOSED,
            attacker="everything in the file",
            value=1 / smallest,
            n=len(traces),
            chance=1 / len(traces),
            gate="guess",
            limit=1 / facts["group_size"],
        )
    ]


class Held:
    """Who holds which point: the distinct (student, point) pairs; of a long file those that some students hold.

    `targets` are the students whose points are all here.
    """

    def __init__(self, released: Table, *, student: str, known_by: list[str]) -> None:
        text = {name: released[name].cast("string").fill_null(NOTHING) for name in known_by}
        pairs = released.select(student, **text).distinct()
        some = pairs.select(student).distinct()
        if engine.connection().execute(pairs.count()) > MOST_PAIRS:
            some = some.order_by(some[student].hash()).limit(MOST_TARGETS)
            pairs = pairs.semi_join(pairs.semi_join(some, student).select(*known_by).distinct(), known_by)
        cells = engine.arrow(pairs.order_by([*known_by, student]))
        self.students = _numbered(cells.select([student]))
        self.points = _numbered(cells.select(known_by))
        self.count = int(self.students.max(initial=-1)) + 1
        here = pc.is_in(cells[student], value_set=engine.arrow(some)[student].combine_chunks())
        self.targets = np.unique(self.students[here.to_numpy()])
        order = np.argsort(self.students, kind="stable")  # a student's points keep the order of the cells
        self._own = np.split(self.points[order], np.cumsum(np.bincount(self.students))[:-1])
        self.shared_by = np.bincount(self.points)
        order = np.argsort(self.points, kind="stable")
        self._holders = np.split(self.students[order], np.cumsum(self.shared_by)[:-1])
        self._bits: dict[int, int] = {}

    def own(self, student: int) -> NDArray[Any]:
        return np.asarray(self._own[student])

    def bits(self, point: int) -> int:
        if point not in self._bits:
            flags = np.zeros(self.count, np.uint8)
            flags[self._holders[point]] = 1
            self._bits[point] = int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little")
        return self._bits[point]

    def alone(self, student: int, points: NDArray[Any]) -> bool:
        company = self.bits(int(points[0]))
        for point in points[1:]:
            company &= self.bits(int(point))
        return company == 1 << student


def _numbered(cells: pa.Table) -> NDArray[Any]:
    """Equal rows get equal numbers."""
    numbers = np.zeros(cells.num_rows, np.int64)
    for column in cells.columns:
        codes = column.combine_chunks().dictionary_encode(null_encoding="encode").indices.to_numpy()
        numbers = np.unique(numbers * (codes.max(initial=0) + 1) + codes, return_inverse=True)[1]
    return numbers


def _risk(held: Held, attacker: str, known: int, limit: float) -> Risk:
    if attacker == "worst":
        tried = held.targets.size
        hits = sum(_telling_points(held, student, known) for student in held.targets.tolist())
    else:
        tried = max(LEAST_TRIES, min(TRIES, MOST_BITS // max(1, held.count)))
        generator = np.random.default_rng(SEED)
        targets = generator.choice(held.targets, tried)
        hits = sum(held.alone(who, _drawn(held, who, attacker, known, generator)) for who in targets.tolist())
    low, high = wilson(hits, tried)
    return Risk(
        measure=UNICITY, attacker=attacker, value=hits / tried, low=low, high=high, n=held.targets.size,
        chance=1 / held.count, setting={"known": known}, gate="unicity", limit=limit, bound="low",
    )  # fmt: skip


def _drawn(held: Held, student: int, attacker: str, known: int, generator: np.random.Generator) -> NDArray[Any]:
    own = held.own(student)
    if own.size <= known:
        return own
    if attacker == "consecutive":
        first = generator.integers(0, own.size - known + 1)
        return own[first : first + known]
    weights = held.shared_by[own] ** WEIGHTS[attacker]
    keys = np.log(generator.random(own.size)) / weights  # the largest are a weighted draw (Efraimidis, Spirakis 2006)
    return np.asarray(own[np.argpartition(-keys, known)[:known]])


def _telling_points(held: Held, student: int, known: int) -> bool:
    """Whether taking, one after the other, the point that leaves the fewest others singles the student out.

    The truly worst points may do better: the share found this way is at least as low as that of an exact search.
    """
    bits = [held.bits(int(point)) for point in held.own(student)]
    company = -1
    for _ in range(known):
        company = min((company & more for more in bits), key=int.bit_count)
    return company == 1 << student
