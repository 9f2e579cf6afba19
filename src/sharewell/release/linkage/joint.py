"""Files that share pseudonyms: somebody adds up the few facts that they know of a student from each of them.

That a student is not in a file at all ("never wrote in the forum") is a fact as well.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa

from sharewell.contract import Measure, Risk
from sharewell.data import engine
from sharewell.release.linkage.file import File
from sharewell.stats.arrays import Array
from sharewell.stats.compiled import njit
from sharewell.stats.intervals import wilson

JOINED = Measure(id="joined", title="Students whom facts from several files single out")
KNOWN = 2  # facts from each file: two click times and a grade band are soon known
SAMPLE = 1000  # students attacked; a share of a thousand is known to within three points
REPEATS = 10  # draws of facts for each of them


@dataclass(frozen=True)
class Facts:
    """Distinct pairs of a student and a fact, by student; and the students of every fact."""

    students: Array  # names, sorted
    fact_of: Array  # facts, grouped by student
    starts: Array  # where each student's facts begin
    holders: Array  # places of students, grouped by fact and sorted
    held: Array  # where each fact's holders begin


def risks(files: Sequence[File], *, limit: float, seed: int) -> list[Risk]:
    """Every pair of files, and all of them where there are more than two."""
    groups: list[Sequence[File]] = list(combinations(files, 2))
    if len(files) > 2:
        groups.append(files)
    facts = {file.label: facts_of(file) for file in files}
    return [joint(group, facts, limit=limit, seed=seed) for group in groups]


def joint(files: Sequence[File], facts: dict[str, Facts], *, limit: float, seed: int) -> Risk:
    """The share of students left alone by two facts from each file, beside what one file alone leaves alone."""
    found, whole = _attacked([facts[file.label] for file in files], seed)
    attacker = f"knows {KNOWN} facts from each of {_listed([file.label for file in files])}"
    if not found.size:
        return Risk(measure=JOINED, attacker=attacker, value=0.0, n=0, story="No student is in two of these files.")
    alone = float(found[:, :, -1].mean())
    students = found.shape[1]
    draws = found.shape[0] * students if whole else students  # where all are attacked only the facts are drawn
    low, high = wilson(alone * draws, draws)
    setting: dict[str, Any] = {"one file alone": round(float(found[:, :, :-1].mean(axis=(0, 1)).max()), 4)}
    by_amount = [file.label for file in files if not file.known]
    if by_amount:
        setting["known by its amount"] = by_amount
    return Risk(
        measure=JOINED,
        attacker=attacker,
        value=alone,
        low=low,
        high=high,
        chance=1 / students,
        n=students,
        seed=seed,
        setting=setting,
        story="An attacker adds up what they know of a student from several files, and which files the student is in.",
        gate="linkage",
        limit=limit,
        bound="high",
    )


def telling_columns(files: Sequence[File], *, seed: int) -> list[tuple[File, str, float]]:
    """Every known column with what the attack reaches without it, least first: what a steward would try first."""
    facts = {file.label: facts_of(file) for file in files}
    found = []
    for file in files:
        for column in file.known if len(file.known) > 1 else ():
            less = replace(file, known=tuple(name for name in file.known if name != column))
            alone, _ = _attacked([facts_of(less) if other is file else facts[other.label] for other in files], seed)
            found.append((file, column, float(alone[:, :, -1].mean()) if alone.size else 0.0))
    return sorted(found, key=lambda one: one[2])


def _listed(labels: Sequence[str]) -> str:
    return f"{', '.join(labels[:-1])} and {labels[-1]}"


@dataclass(frozen=True)
class Crowd:
    """Several files under one numbering of students."""

    names: Array  # of all files, sorted
    files: tuple[Facts, ...]
    holders: Array  # those of every file, one file after the other, as places in `names`; then who is not in each
    begins: Array  # where each file's holders begin
    absent: Array  # (files, 2): where those who are not in each file stand among the holders

    @classmethod
    def of(cls, files: Sequence[Facts]) -> "Crowd":
        names = np.unique(np.concatenate([one.students for one in files]))
        holders = [np.searchsorted(names, one.students)[one.holders] for one in files]
        missing = [np.flatnonzero(~np.isin(names, one.students)) for one in files]
        begins = np.cumsum([0, *(one.size for one in (*holders, *missing))])
        ends = begins[len(files) :]
        absent = np.column_stack([ends[:-1], ends[1:]])
        return cls(names, tuple(files), np.concatenate([*holders, *missing]), begins, absent)

    def known(self, number: int, who: str, draw: np.random.Generator, count: int = KNOWN) -> Array:
        """Where the holders of each fact stand that is known of a student: that the student is not there, if so."""
        facts = self.files[number]
        place = int(np.searchsorted(facts.students, who))
        if place == facts.students.size or facts.students[place] != who:
            return self.absent[[number]]
        own = facts.fact_of[facts.starts[place] : facts.starts[place + 1]]
        drawn = draw.choice(own, min(count, own.size), replace=False)
        segments: Array = np.column_stack([facts.held[drawn], facts.held[drawn + 1]])
        segments += self.begins[number]
        return segments

    def alone(self, who: str, *known: Array) -> bool:
        """Whether nobody else has all that is known."""
        return not _somebody_else(self.holders, np.concatenate(known), int(np.searchsorted(self.names, who)))


@njit(cache=True)
def _somebody_else(holders: Array, facts: Array, who: int) -> bool:
    """Whether another student is among the holders of every fact: those of the rarest are looked up in the others."""
    rarest = np.argmin(facts[:, 1] - facts[:, 0])
    for one in holders[facts[rarest, 0] : facts[rarest, 1]]:
        if one == who:
            continue
        shared = True
        for number in range(facts.shape[0]):
            begin, end = facts[number]
            place = begin + np.searchsorted(holders[begin:end], one)
            if place == end or holders[place] != one:
                shared = False
                break
        if shared:
            return True
    return False


def _attacked(facts: Sequence[Facts], seed: int) -> tuple[Array, bool]:
    """(repeats, students, files + 1): whether facts from each file, and from all, leave a student alone; and whether
    every student was attacked."""
    names, counts = np.unique(np.concatenate([one.students for one in facts]), return_counts=True)
    if not (counts >= 2).any():
        return np.empty(0), True
    crowd, draw = Crowd.of(facts), np.random.default_rng(seed)
    chosen = draw.choice(names, min(SAMPLE, names.size), replace=False)
    found = [[_alone(crowd, str(who), draw) for who in chosen] for _ in range(REPEATS)]
    return np.array(found), names.size <= SAMPLE


def _alone(crowd: Crowd, who: str, draw: np.random.Generator) -> tuple[bool, ...]:
    """Whether the facts from each file, and then from all together, leave the student alone."""
    known = [crowd.known(number, who, draw) for number in range(len(crowd.files))]
    return (*(crowd.alone(who, facts) for facts in known), crowd.alone(who, *known))


def newly_alone(now: Facts, before: Facts, *, seed: int) -> tuple[Array, bool]:
    """(repeats, students, 3): whether facts from both leave a student alone, and whether as many facts from one do."""
    several, crowd = np.intersect1d(now.students, before.students), Crowd.of([now, before])
    draw = np.random.default_rng(seed)
    chosen = draw.choice(several, min(SAMPLE, several.size), replace=False)
    found = [[_alone_in_both(crowd, str(who), draw) for who in chosen] for _ in range(REPEATS)]
    return np.array(found), several.size <= SAMPLE


def _alone_in_both(crowd: Crowd, who: str, draw: np.random.Generator) -> tuple[bool, bool, bool]:
    two = [crowd.known(number, who, draw) for number in (0, 1)]
    four = [crowd.known(number, who, draw, 2 * KNOWN) for number in (0, 1)]
    return crowd.alone(who, *two), crowd.alone(who, four[0]), crowd.alone(who, four[1])


def facts_of(file: File) -> Facts:
    """Everything that somebody may know: rows reduced to distinct pairs by the engine."""
    table = file.table
    who = table[file.student].cast("string")
    if file.known:
        named = table.select(who=who, **{f"c{place}": table[name] for place, name in enumerate(file.known)})
        pairs = engine.arrow(named.filter(named.who.notnull()).distinct())
    else:  # nothing of a row is taken as known: how much there is of a student is, to a factor of two
        rows = table.group_by(who=who).aggregate(rows=table.count())
        pairs = engine.arrow(rows.filter(rows.who.notnull()).mutate(c0=rows.rows.log2().ceil()).drop("rows"))
    return _grouped(pairs)


def _grouped(pairs: pa.Table) -> Facts:
    """Names are looked at once each: as text of their own for every pair they would be most of the memory."""
    named = pairs["who"].dictionary_encode().unify_dictionaries().combine_chunks()
    students, place = np.unique(named.dictionary.to_numpy(zero_copy_only=False).astype(str), return_inverse=True)
    who = place.astype(np.int32)[named.indices.to_numpy()]
    fact = _codes([pairs[name] for name in pairs.column_names if name != "who"])
    by_student = np.lexsort((fact, who))
    starts = np.searchsorted(who[by_student], np.arange(students.size + 1))
    of_students = fact[by_student]
    by_fact = np.lexsort((who, fact))
    breaks = np.searchsorted(fact[by_fact], np.arange(1, fact.max() + 1)) if fact.size else np.array([], int)
    held = np.concatenate([[0], breaks, [fact.size]])
    return Facts(students, of_students, starts, who[by_fact], held)


def _codes(columns: Sequence[Any]) -> Array:
    """One whole number per distinct combination of cells."""
    codes = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        indices = column.combine_chunks().dictionary_encode(null_encoding="encode").indices.to_numpy()
        if indices.size:
            codes *= int(indices.max()) + 1
            codes += indices
            codes = np.unique(codes, return_inverse=True)[1]
    return codes
