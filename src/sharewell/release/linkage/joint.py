"""Files that share pseudonyms: somebody adds up the few facts that they know of a student from each of them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from sharewell.contract import Measure, Risk
from sharewell.data import engine
from sharewell.release.linkage.file import File
from sharewell.stats.arrays import Array
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
    holders: tuple[Array, ...]  # students of each fact, sorted


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
        story="Somebody who adds up what they know of a student from several files.",
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


def _attacked(facts: Sequence[Facts], seed: int) -> tuple[Array, bool]:
    """(repeats, students, files + 1): whether facts from each file, and from all, leave a student alone; and whether
    every student was attacked."""
    names, counts = np.unique(np.concatenate([one.students for one in facts]), return_counts=True)
    several = names[counts >= 2]
    draw = np.random.default_rng(seed)
    chosen = draw.choice(several, min(SAMPLE, several.size), replace=False)
    found = [[_alone(facts, str(who), draw) for who in chosen] for _ in range(REPEATS)]
    return np.array(found), several.size <= SAMPLE


def newly_alone(now: Facts, before: Facts, *, seed: int) -> tuple[Array, bool]:
    """(repeats, students, 3): whether facts from both leave a student alone, and whether as many facts from one do."""
    several = np.intersect1d(now.students, before.students)
    draw = np.random.default_rng(seed)
    chosen = draw.choice(several, min(SAMPLE, several.size), replace=False)
    found = [[_alone_in_both(now, before, str(who), draw) for who in chosen] for _ in range(REPEATS)]
    return np.array(found), several.size <= SAMPLE


def _alone_in_both(now: Facts, before: Facts, who: str, draw: np.random.Generator) -> tuple[bool, bool, bool]:
    two = [_company(side, who, draw) for side in (now, before)]
    four = [_company(side, who, draw, 2 * KNOWN) for side in (now, before)]
    assert two[0] is not None and two[1] is not None and four[0] is not None and four[1] is not None
    together = np.intersect1d(two[0], two[1], assume_unique=True)
    return together.size == 1, four[0].size == 1, four[1].size == 1


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


def _grouped(pairs: Any) -> Facts:
    students, who = np.unique(pairs["who"].to_numpy(zero_copy_only=False).astype(str), return_inverse=True)
    fact = _codes([pairs[name] for name in pairs.column_names if name != "who"])
    by_student = np.lexsort((fact, who))
    by_fact = np.lexsort((who, fact))
    starts = np.searchsorted(who[by_student], np.arange(students.size + 1))
    breaks = np.searchsorted(fact[by_fact], np.arange(1, fact.max() + 1)) if fact.size else np.array([], int)
    return Facts(students, fact[by_student], starts, tuple(np.split(students[who[by_fact]], breaks)))


def _codes(columns: Sequence[Any]) -> Array:
    """One whole number per distinct combination of cells."""
    codes = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        indices = column.combine_chunks().dictionary_encode(null_encoding="encode").indices.to_numpy()
        if indices.size:
            _, codes = np.unique(codes * (int(indices.max()) + 1) + indices, return_inverse=True)
    return codes


def _alone(facts: Sequence[Facts], who: str, draw: np.random.Generator) -> tuple[bool, ...]:
    """Whether the facts from each file, and then from all together, leave the student alone."""
    companies = [company for one in facts if (company := _company(one, who, draw)) is not None]
    together = companies[0]
    for company in companies[1:]:
        together = np.intersect1d(together, company, assume_unique=True)
    alone = [company.size == 1 for company in companies]
    return (*alone, *(False for _ in range(len(facts) - len(alone))), together.size == 1)


def _company(facts: Facts, who: str, draw: np.random.Generator, count: int = KNOWN) -> Array | None:
    """The students who share the facts that are known of one; nothing where the student is not in the file."""
    place = int(np.searchsorted(facts.students, who))
    if place == facts.students.size or facts.students[place] != who:
        return None
    own = facts.fact_of[facts.starts[place] : facts.starts[place + 1]]
    known = draw.choice(own, min(count, own.size), replace=False)
    company: Array = facts.holders[known[0]]
    for fact in known[1:]:
        company = np.intersect1d(company, facts.holders[fact], assume_unique=True)
    return company
