"""Files that share no pseudonym: somebody who holds two of them tries to put each student's rows together again."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from sharewell.contract import Measure, Risk
from sharewell.release.linkage import evidence, learned
from sharewell.release.linkage.evidence import Evidence
from sharewell.release.linkage.match import Guesses, assignment, by_chance, nearest
from sharewell.release.linkage.tells import Tells
from sharewell.stats.arrays import Array
from sharewell.stats.intervals import wilson

REJOINED = Measure(id="rejoined", title="Students whose two files can be put together again", counts=True)
WORLD = 1500  # students among whom the attack is made: fewer candidates than there are only help the attacker
SURE = 0.99  # of releases in which blind guessing reaches no more than what is taken for it


@dataclass(frozen=True)
class FilePair:
    """Two files under attack, students in both first and in the same order."""

    one: Tells
    other: Tells
    common: int
    scores: Array  # all evidence added up
    guesses: tuple[Guesses, ...]

    @property
    def best(self) -> Guesses:
        return max(self.guesses, key=lambda guess: float(guess.right[: self.common].sum()))


def attacked(files: Sequence[Tells], seed: int) -> list[FilePair]:
    """Every pair of files with students in common, and each again with what the other files add."""
    pairs = [pair for one, other in combinations(files, 2) if (pair := paired(one, other, seed)) is not None]
    return _with_the_others(pairs, seed) if len(files) > 2 else pairs


def paired(one: Tells, other: Tells, seed: int, world: int = WORLD) -> FilePair | None:
    """Two files under every attack; nothing where no two students are in both."""
    both = np.intersect1d(one.students, other.students)
    if both.size < 2:
        return None
    draw = np.random.default_rng(seed)
    both = np.sort(draw.choice(both, min(world, both.size), replace=False))
    mine, theirs = (_both_first(side, both, world, draw) for side in (one, other))
    split = learned.halves(both.size, seed)
    found = list(_evidence(mine, theirs, split))
    total = learned.added_up(found, split)
    through = evidence.spread_through(total, mine, theirs)
    guesses = [nearest(one.name, one.scores) for one in found]
    guesses += [nearest("everything together", total), assignment("everything together", total, seed)]
    guesses += [assignment(one.name, one.scores, seed) for one in found if one.name.endswith(("often", "which"))]
    if through is not None:
        guesses += [nearest("who answers whom", through), assignment("who answers whom", through, seed)]
    return FilePair(mine, theirs, both.size, total if through is None else through, tuple(guesses))


def _both_first(side: Tells, both: Array, world: int, draw: np.random.Generator) -> Tells:
    """Students of both files first; those of this file alone behind them, as many as the attack takes."""
    alone = np.setdiff1d(side.students, both)
    kept = draw.choice(alone, min(alone.size, max(0, world - both.size)), replace=False)
    return side.at(np.concatenate([both, np.sort(kept)]))


def _evidence(one: Tells, other: Tells, split: learned.Halves) -> Iterator[Evidence]:
    yield from evidence.gathered(one, other)
    single = learned.best_numbers(one, other, split)
    if single is not None:
        yield Evidence(*single)
    several = learned.several_numbers(one, other, split)
    if several is not None:
        yield Evidence("several numbers", several)
    here, there = learned.everything(one), learned.everything(other)
    if here.shape[1] and there.shape[1]:
        yield Evidence("all numbers, mapped", learned.mapped(here, there, split))
    else:  # one file tells nothing that varies: every candidate is as good as any
        yield Evidence("nothing", np.zeros((one.students.size, other.students.size)))


def _with_the_others(pairs: Sequence[FilePair], seed: int) -> list[FilePair]:
    """What the other files add: whom a third file links to either of two is evidence for linking these two."""
    by_labels = {(pair.one.label, pair.other.label): pair for pair in pairs}
    return [_through_the_others(pair, by_labels, seed) for pair in pairs]


def _through_the_others(pair: FilePair, known: Mapping[tuple[str, str], FilePair], seed: int) -> FilePair:
    labels = {label for labels in known for label in labels} - {pair.one.label, pair.other.label}
    paths = [path for label in sorted(labels) if (path := _path(pair, label, known)) is not None]
    if not paths:
        return pair
    found = [Evidence("both files", pair.scores), *paths]
    total = learned.added_up(found, learned.halves(pair.common, seed))
    name = "all files together"
    return replace(pair, guesses=(*pair.guesses, nearest(name, total), assignment(name, total, seed)))


def _path(pair: FilePair, third: str, known: Mapping[tuple[str, str], FilePair]) -> Evidence | None:
    """From the first file to the third and on to the second, over every student of the third."""
    there = _chances(pair.one, third, known)
    back = _chances(pair.other, third, known)
    if there is None or back is None:
        return None
    return Evidence(f"through {third}", np.log(there @ back.T + 1e-12))


def _chances(side: Tells, third: str, known: Mapping[tuple[str, str], FilePair]) -> Array | None:
    """How likely each student of the third file is each student of this one, rows in the order of this one."""
    pair, turned = known.get((side.label, third)), False
    if pair is None:
        pair, turned = known.get((third, side.label)), True
    if pair is None:
        return None
    chances = evidence.soft(pair.scores)
    mine, theirs = (pair.other, pair.one) if turned else (pair.one, pair.other)
    chances = chances.T if turned else chances
    out = np.full((side.students.size, theirs.students.size), 1 / theirs.students.size)
    places = {who: place for place, who in enumerate(mine.students)}
    found = [(row, places[who]) for row, who in enumerate(side.students) if who in places]
    if found:
        rows, columns = np.array(found).T
        out[rows] = chances[columns]
    return out[:, np.argsort(theirs.students)]


def limit_for(pair: FilePair, pairs: int, limit: float, seed: int) -> tuple[float, float]:
    """The limit, and what blind guessing reaches at most: in a small class it alone can exceed the audience's limit.

    The guesses stay and the truth is dealt out anew; over all attacks of the pair the best of them is taken, as it is
    for the attack itself (the maximum statistic of Westfall and Young 1993), and the level is shared by all pairs.
    """
    dealt = by_chance(pair.guesses, pair.common, seed)
    most = float(np.quantile(dealt, 1 - (1 - SURE) / max(1, pairs), method="higher"))
    return max(limit, wilson(most, pair.common)[1]), most


def risks(files: Sequence[Tells], *, limit: float, seed: int) -> list[Risk]:
    """The best attack on every pair of files, held to the limit at the upper end of its interval."""
    pairs = attacked(files, seed)
    told = [_risk(pair, len(pairs), limit, seed) for pair in pairs]
    return told + [_nobody(one, other) for one, other in combinations(files, 2) if _apart(one, other)]


def _risk(pair: FilePair, pairs: int, limit: float, seed: int) -> Risk:
    best = pair.best
    hits, common = float(best.right[: pair.common].sum()), pair.common
    held, blind = limit_for(pair, pairs, limit, seed)
    low, high = wilson(hits, common)
    return Risk(
        measure=REJOINED,
        attacker=f"holds both {pair.one.label} and {pair.other.label}",
        value=hits / common,
        low=low,
        high=high,
        chance=1 / pair.other.students.size,
        n=common,
        seed=seed,
        setting={"through": f"{best.attack} ({best.how})", "blind guessing reaches": round(blind / common, 4)},
        story="Somebody with two files looks for the rows of one student in both: by when, how much and which, "
        "by every number of one against every number of the other, and by all of it together.",
        gate="linkage",
        limit=held,
        bound="high",
    )


def _apart(one: Tells, other: Tells) -> bool:
    return np.intersect1d(one.students, other.students).size < 2


def _nobody(one: Tells, other: Tells) -> Risk:
    return Risk(
        measure=REJOINED,
        attacker=f"holds both {one.label} and {other.label}",
        value=0.0,
        n=0,
        story="No two students are in both files: there is nothing to put together.",
    )
