"""The release as a whole under attack: what two of its files together tell that neither tells alone.

Where files share pseudonyms, an attacker adds up a few facts from each of two files (`joint`). Where they do not, an
attacker who holds two files tries to put them together again through what both contain (`rejoined`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from ibis.expr.types import Table

from sharewell.contract import Measure, Risk
from sharewell.data import engine
from sharewell.stats.arrays import Array
from sharewell.stats.intervals import wilson

LIMITS = {"public": 0.02, "agreement": 0.05, "enclave": 0.20}  # as for points of a trace: it is the same harm
KNOWN = 2  # facts from each file: two click times and a grade band are soon known
SAMPLE = 1000  # students attacked; a share of a thousand is known to within three points
REPEATS = 10  # draws of facts for each of them
CHUNK = 100
JOINED = Measure(id="joined", title="Students whom facts from two files single out")
REJOINED = Measure(id="rejoined", title="Students whose two files can be put together again")


@dataclass(frozen=True, kw_only=True)
class File:
    """A released file that still carries the original ids, with what somebody may know of its rows."""

    label: str
    table: Table
    student: str
    known: tuple[str, ...]  # columns that an attacker may know of a row: all of them together make one fact
    times: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()  # ids and free text: not compared between files

    def described(self) -> dict[str, Any]:
        """What somebody who has the released file needs to attack it again."""
        return {
            "student": self.student,
            "known": list(self.known),
            "times": list(self.times),
            "hidden": list(self.hidden),
        }


def described(label: str, table: Table, told: Mapping[str, Any]) -> File:
    """A released file by its description."""
    lists = {name: tuple(told[name]) for name in ("known", "times", "hidden")}
    return File(label=label, table=table, student=told["student"], **lists)


@dataclass(frozen=True)
class Facts:
    """Distinct pairs of a student and a fact, by student; and the students of every fact."""

    students: Array  # names, sorted
    fact_of: Array  # facts, grouped by student
    starts: Array  # where each student's facts begin
    holders: tuple[Array, ...]  # students of each fact, sorted


def attack(files: Sequence[File], *, joined: bool, audience: str, seed: int) -> list[Risk]:
    """Every pair of files, the limit of the audience as gate."""
    measure = joint if joined else rejoined
    risks = [measure(one, other, limit=LIMITS[audience], seed=seed) for one, other in combinations(files, 2)]
    return [risk for risk in risks if risk is not None]


def joint(one: File, other: File, *, limit: float, seed: int) -> Risk | None:
    """The share of students left alone by two facts from each file, beside what one file alone leaves alone."""
    if not (one.known and other.known):
        return None
    found = _attacked(one, other, seed)
    if found is None:
        return None
    alone_one, alone_other, alone = found.mean(axis=(0, 1))
    students, tries = found.shape[1], found.shape[0] * found.shape[1]
    low, high = wilson(alone * tries, tries)
    setting = {"one file alone": round(float(max(alone_one, alone_other)), 4)}
    return Risk(
        measure=JOINED,
        attacker=f"knows {KNOWN} facts from each of {one.label} and {other.label}",
        value=float(alone),
        low=low,
        high=high,
        chance=1 / students,
        n=students,
        seed=seed,
        setting=setting if high <= limit else {**setting, **_relief(one, other, seed)},
        story="Somebody who adds up what they know of a student from two files.",
        gate="linkage",
        limit=limit,
        bound="high",
    )


def _attacked(one: File, other: File, seed: int) -> Array | None:
    """(repeats, students, 3): whether the facts from one file, the other, and both leave a student alone."""
    first, second = _facts(one, one.known), _facts(other, other.known)
    both = np.intersect1d(first.students, second.students)
    if both.size == 0:
        return None
    draw = np.random.default_rng(seed)
    chosen = draw.choice(both, min(SAMPLE, both.size), replace=False)
    return np.array([[_alone(first, second, str(who), draw) for who in chosen] for _ in range(REPEATS)])


def _relief(one: File, other: File, seed: int) -> dict[str, object]:
    """The column without which the attack gets least far: what a steward would look at first."""
    found = {}
    for file, rest in ((one, other), (other, one)):
        for column in file.known if len(file.known) > 1 else ():
            less = replace(file, known=tuple(name for name in file.known if name != column))
            attacked = _attacked(less, rest, seed)
            assert attacked is not None
            found[f"{column} of {file.label}"] = float(attacked[:, :, 2].mean())
    if not found:
        return {}
    least = min(found, key=lambda name: found[name])
    return {"least without": least, "then": round(found[least], 4)}


def rejoined(one: File, other: File, *, limit: float, seed: int) -> Risk | None:
    """The share of students whose rows in two files are put together again through what both files contain."""
    shared = _comparable(one, other)
    if not shared:
        return None
    first, second, weights, names = _profiles(one, other, shared)
    draw = np.random.default_rng(seed)
    targets = np.sort(draw.choice(len(names), min(SAMPLE, len(names)), replace=False))
    hits = _expected_hits(first[targets], second, weights, targets)
    low, high = wilson(hits.sum(), hits.size)
    return Risk(
        measure=REJOINED,
        attacker=f"holds both {one.label} and {other.label}",
        value=float(hits.mean()),
        low=low,
        high=high,
        chance=1 / len(names),
        n=hits.size,
        seed=seed,
        setting={"through": ", ".join(sorted({name for name, _, _ in shared}))},
        story="Somebody with two files looks for the rows of one student in both, by what the files have in common.",
        gate="linkage",
        limit=limit,
    )


def _facts(file: File, columns: Sequence[str]) -> Facts:
    """Everything that somebody may know: rows reduced to distinct pairs by the engine."""
    table = file.table
    named = table.select(who=table[file.student].cast("string"), **{f"c{n}": table[c] for n, c in enumerate(columns)})
    pairs = engine.arrow(named.filter(named.who.notnull()).distinct())
    students, who = np.unique(pairs["who"].to_numpy(zero_copy_only=False).astype(str), return_inverse=True)
    fact = _codes([pairs[name] for name in pairs.column_names[1:]])
    by_student = np.lexsort((fact, who))
    by_fact = np.lexsort((who, fact))
    starts = np.searchsorted(who[by_student], np.arange(students.size + 1))
    breaks = np.searchsorted(fact[by_fact], np.arange(1, fact.max() + 1))
    return Facts(students, fact[by_student], starts, tuple(np.split(students[who[by_fact]], breaks)))


def _codes(columns: Sequence[object]) -> Array:
    """One whole number per distinct combination of cells."""
    codes = np.zeros(len(columns[0]), np.int64)  # type: ignore[arg-type]
    for column in columns:
        indices = column.combine_chunks().dictionary_encode(null_encoding="encode").indices.to_numpy()  # type: ignore[attr-defined]
        _, codes = np.unique(codes * (int(indices.max()) + 1) + indices, return_inverse=True)
    return codes


def _alone(first: Facts, second: Facts, who: str, draw: np.random.Generator) -> tuple[bool, bool, bool]:
    """Whether facts from the first file, from the second, and from both leave the student alone."""
    one, other = _company(first, who, draw), _company(second, who, draw)
    return one.size == 1, other.size == 1, np.intersect1d(one, other, assume_unique=True).size == 1


def _company(facts: Facts, who: str, draw: np.random.Generator) -> Array:
    """The students who share the facts that are known of one."""
    place = int(np.searchsorted(facts.students, who))
    own = facts.fact_of[facts.starts[place] : facts.starts[place + 1]]
    known = draw.choice(own, min(KNOWN, own.size), replace=False)
    company = facts.holders[known[0]]
    for fact in known[1:]:
        company = np.intersect1d(company, facts.holders[fact], assume_unique=True)
    return company


def _comparable(one: File, other: File) -> list[tuple[str, str, str]]:
    """(what it is called, column here, column there): the same name, or two times, which are compared by day."""
    times = {*one.times, *other.times}
    hidden = {*one.hidden, *other.hidden, one.student, other.student, *times}
    same = [name for name in one.table.columns if name in other.table.columns and name not in hidden]
    here, there = ([name for name in file.table.columns if name in times] for file in (one, other))
    return [(name, name, name) for name in same] + [("day", left, right) for left in here for right in there]


def _profiles(one: File, other: File, shared: Sequence[tuple[str, str, str]]) -> tuple[Array, Array, Array, Array]:
    """Students of both files as sparse rows over what the files share, and how telling each of it is."""
    from scipy import sparse

    sides = [
        _shared_facts(file, [(what, pair[side]) for what, *pair in shared]) for side, file in enumerate((one, other))
    ]
    names = np.intersect1d(sides[0][0], sides[1][0])
    facts = np.unique(np.concatenate([sides[0][1], sides[1][1]]))
    matrices = []
    for who, fact in sides:
        kept = np.isin(who, names)
        cells = (np.searchsorted(names, who[kept]), np.searchsorted(facts, fact[kept]))
        matrices.append(sparse.csr_matrix((np.ones(kept.sum()), cells), shape=(names.size, facts.size)))
    share = (np.asarray(matrices[1].sum(axis=0)).ravel() + 1) / (names.size + 1)
    return matrices[0], matrices[1], -np.log(np.minimum(share, 1)), names


def _shared_facts(file: File, columns: Sequence[tuple[str, str]]) -> tuple[Array, Array]:
    """Distinct pairs of a student and `what=value`, as text."""
    table, parts = file.table, []
    for what, name in columns:
        cell = table[name].try_cast("timestamp").cast("date") if what == "day" else table[name]
        part = table.select(who=table[file.student].cast("string"), fact=(what + "=") + cell.cast("string"))
        parts.append(part.filter(part.who.notnull() & part.fact.notnull()).distinct())
    pairs = [engine.arrow(part) for part in parts]
    columns_of = [
        np.concatenate([pair[name].to_numpy(zero_copy_only=False) for pair in pairs]) for name in ("who", "fact")
    ]
    return columns_of[0].astype(str), columns_of[1].astype(str)


def _expected_hits(first: Array, second: Array, weights: Array, targets: Array) -> Array:
    """For each target the chance of picking the right row when equally good candidates are drawn at random."""
    hits = np.empty(len(targets))
    for start in range(0, len(targets), CHUNK):
        rows = slice(start, start + CHUNK)
        scores = np.asarray((first[rows].multiply(weights) @ second.T).todense())  # type: ignore[attr-defined]
        best = scores >= scores.max(axis=1, keepdims=True) - 1e-9
        right = best[np.arange(len(best)), targets[rows]]
        hits[rows] = right / best.sum(axis=1)
    return hits
