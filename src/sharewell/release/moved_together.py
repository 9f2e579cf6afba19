"""Students who left between two versions, or came: their pseudonyms of two files are linked among themselves.

Pseudonyms differ from file to file, and among all students hardly anybody's two can be linked. But a recipient of two
versions sees which are gone from each file. Where the same few students left both, what the files disclose has to
decide among few only: two files in which 5 % of 150 students were linked gave .54 of the links among five who left.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from sharewell.data import engine, id_mapping
from sharewell.release.linkage import File, rejoined, world
from sharewell.release.linkage.match import assignment
from sharewell.release.linkage.tells import Tells

TRIALS = 200  # sets of students like those who moved: which of them really did is one draw of many
WORLD = 400  # students among whom the evidence is gathered


@dataclass(frozen=True, kw_only=True)
class Moved:
    """How many students one version alone has, in two of its files and in both of them."""

    files: tuple[File, File]
    each: tuple[int, int]
    both: int

    @property
    def at_most(self) -> float:
        """Of all links among them those that can be right."""
        return self.both / min(self.each)


def moved(inside: Sequence[File], beside: Sequence[File]) -> Iterator[Moved]:
    """Pair the files of a version by students whom the other version lacks."""
    others = {file.label: file for file in beside}
    gone = [(file, _only_in(file, others[file.label])) for file in inside if file.label in others]
    for (one, here), (other, there) in combinations(gone, 2):
        if both := len(here & there):
            yield Moved(files=(one, other), each=(len(here), len(there)), both=both)


def _only_in(inside: File, beside: File) -> set[str]:
    here, there = (id_mapping.values(file.table, [file.student]) for file in (inside, beside))
    return set(engine.arrow(here.anti_join(there, "value"))["value"].to_pylist())


def links_right(found: Moved, tells_of: Callable[[File], Tells], seed: int) -> float:
    """Return the share of right links among students like those who moved."""
    one, other = (tells_of(file) for file in world.within(list(found.files)))
    pair = rejoined.paired(one, other, seed, WORLD)
    if pair is None:
        return found.at_most
    draw, alone = np.random.default_rng(seed), [size - found.both for size in found.each]
    shares = []
    for _ in range(TRIALS):
        drawn = draw.permutation(pair.common)[: found.both + sum(alone)]
        both, here, there = np.split(drawn, [found.both, found.both + alone[0]])
        scores = pair.scores[np.ix_(np.append(both, here), np.append(both, there))]
        right = np.diagonal(assignment("", scores, seed).chances)[: both.size].sum()
        shares.append(float(right) / min(scores.shape))
    return float(np.mean(shares))
