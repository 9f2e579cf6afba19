"""The attackers: what each knows of an original log and a released one, and the score that each gives every student."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sharewell.lab.membership import compared_with_own, density, tracing
from sharewell.responses.log import Log
from sharewell.responses.measure import common_subsequence as subsequence
from sharewell.responses.measure.linear_tracing import Population
from sharewell.responses.measure.nearest_student import nearest
from sharewell.responses.measure.rare_steps import rare_steps
from sharewell.responses.measure.step_ratio import step_ratio
from sharewell.responses.measure.verbatim_run import longest_shared
from sharewell.stats.arrays import Array
from sharewell.stats.membership import Scores
from sharewell.stats.shadows import Look, Shadow, Trust, strengths, told_by
from sharewell.stats.tracing import Equations

ENOUGH = 0.25  # of the students
MOST_PAIRS, FEWEST_COMPARED, COMPARED_SEED = 40_000_000, 1_000, 11  # every original with every fake, up to here

DRAWN = "students drawn"
GROUPS = (
    "answers", "growth", "overall", "steps", "items", "presence", "lengths", "values", "usual values", "times",
)  # fmt: skip


def most_compared(fakes: int) -> int:
    """Originals that are compared with so many released students, at most."""
    return max(FEWEST_COMPARED, MOST_PAIRS // fakes)


def drawn_words(compared: int, students: int) -> str:
    return f"{compared:,} of {students:,}, members and others alike"


@dataclass(frozen=True)
class MembershipAttack:
    """What an attacker does, in plain words, and how."""

    story: str
    score: Callable[["Pair"], Scores]
    needs_correct: bool = False
    needs_group: str | None = None  # averages that only logs with further columns or times have
    needs_shadows: int = 0
    of_copies: bool = False  # guards against copies; of averages tracing sees all that it sees: a few splits are enough


@dataclass(frozen=True)
class Pair:
    """An original log and a released one, with what several attacks need computed once.

    Attacks that compare every original with every fake take a random part of the originals when there are too many
    pairs; the release is always compared as a whole.
    """

    original: Log
    fake: Log
    member: Array
    population: Population
    shadows: tuple[Shadow, ...] = ()
    seen: Look | None = None  # what the attacker works out of the release, where that is done
    trust: Trust | None = None  # and what the shadows say

    @cached_property
    def look(self) -> Look:
        return self.seen or self.population.look(self.fake)

    @cached_property
    def equations(self) -> dict[str, Equations]:
        """What every group of averages says of who was in."""
        known = self.population.averages
        return told_by(known, self.look, self.trust or strengths(known, self.shadows))

    @cached_property
    def compared(self) -> Array:
        """The originals that take part, members and others alike."""
        most = most_compared(self.fake.lengths.size)
        if self.member.size <= most:
            return self.everyone
        order = np.random.default_rng(COMPARED_SEED).permutation(self.member.size)
        chosen = np.zeros(self.member.size, dtype=bool)
        for side in (order[self.member[order]], order[~self.member[order]]):
            chosen[side[: most // 2]] = True
        return chosen

    @property
    def sampled(self) -> Mapping[str, Any]:
        """What is told where not everybody is compared: how many of how many students were drawn."""
        return {} if self.compared.all() else {DRAWN: drawn_words(int(self.compared.sum()), self.compared.size)}

    @cached_property
    def looked_at(self) -> Array:
        """The released students that are looked at one by one: a random part where not all originals take part."""
        fakes = self.fake.lengths.size
        if self.compared.all() or fakes <= FEWEST_COMPARED:
            return np.ones(fakes, dtype=bool)
        return np.random.default_rng(COMPARED_SEED).permutation(fakes) < FEWEST_COMPARED

    @cached_property
    def part(self) -> Log:
        return self.original.only(self.compared)

    @cached_property
    def closest(self) -> subsequence.Closest:
        return subsequence.closest(self.part, self.fake, self.member[self.compared])

    @property
    def informative(self) -> Array:
        """The paper's entropy filter, unless it leaves too few to measure anything (thousands of rare items)."""
        kept = subsequence.informative(self.original, float(self.member.mean()))
        enough = min(kept[self.member].mean(), kept[~self.member].mean()) >= ENOUGH
        return (kept if enough else self.everyone) & self.compared

    @property
    def everyone(self) -> Array:
        return np.ones(self.original.lengths.size, dtype=bool)

    def over_all(self, score: Array) -> Array:
        """Scores of the compared students in the places of all."""
        out = np.zeros(self.member.size)
        out[self.compared] = score
        return out


def _subsequence(pair: Pair) -> Scores:
    return Scores(by_setting=[(pair.sampled, pair.over_all(pair.closest.both))], about=pair.informative)


def _subsequence_printed(pair: Pair) -> Scores:
    return Scores(by_setting=[(pair.sampled, pair.over_all(pair.closest.printed))], about=pair.informative)


def _subsequence_correct(pair: Pair) -> Scores:
    found = subsequence.closest(pair.part, pair.fake, pair.member[pair.compared], with_correct=True)
    return Scores(by_setting=[(pair.sampled, pair.over_all(found.both))], about=pair.informative)


def _nearest(pair: Pair) -> Scores:
    scores: list[tuple[Mapping[str, Any], Array]] = [
        ({**setting, **pair.sampled}, pair.over_all(score)) for setting, score in nearest(pair.part, pair.fake)
    ]
    return Scores(by_setting=scores, about=pair.compared)


def _rare_steps(pair: Pair) -> Scores:
    return Scores(by_setting=list(rare_steps(pair.original, pair.fake)), about=pair.everyone)


def _step_ratio(pair: Pair) -> Scores:
    return Scores(by_setting=list(step_ratio(pair.original, pair.fake)), about=pair.everyone)


def _verbatim(pair: Pair) -> Scores:
    score = longest_shared(pair.original, pair.fake).astype(float)
    share = score / pair.original.lengths
    return Scores(by_setting=[({"over": "rows"}, score), ({"over": "share"}, share)], about=pair.everyone)


ATTACKS: Mapping[str, MembershipAttack] = {
    "subsequence": MembershipAttack(
        "compares each student's sequence of items with every released one (longest common subsequence)",
        _subsequence,
        of_copies=True,
    ),
    "subsequence-printed": MembershipAttack(
        "the same, divided by the released sequence's length only, as the paper prints it",
        _subsequence_printed,
        of_copies=True,
    ),
    "subsequence-correct": MembershipAttack(
        "compares each student's sequence of items and outcomes with every released one",
        _subsequence_correct,
        needs_correct=True,
        of_copies=True,
    ),
    "transitions": MembershipAttack("looks for steps from item to item that only a few students took", _rare_steps),
    "step-ratio": MembershipAttack(
        "looks for steps that are commoner in the release than in the population", _step_ratio, of_copies=True
    ),
    "nearest": MembershipAttack(
        "looks for the released student with the most similar mix of items and steps", _nearest, of_copies=True
    ),
    "stretch": MembershipAttack(
        "looks for the longest run of items that a released student repeats word for word", _verbatim, of_copies=True
    ),
    "tracing": MembershipAttack(
        "solves all released averages (answers, growth, steps, items, lengths, overall, further columns, times) "
        "together for who was in them",
        tracing(
            "answers", "growth", "overall", "steps", "items", "presence", "lengths", "values", "usual values", "times"
        ),
    ),
    "tracing-answers": MembershipAttack(
        "solves the shares of right answers of all items together for who was in them", tracing("answers"), True
    ),
    "tracing-practice": MembershipAttack(
        "does the same with right answers at the first, second … attempt on a skill and after right and wrong ones",
        tracing("practice", "growth"),
        True,
    ),
    "tracing-overall": MembershipAttack(
        "does the same with a few numbers of the whole log: its learning curve, how able and how alike students are",
        tracing("overall"),
        True,
    ),
    "tracing-steps": MembershipAttack(
        "does the same with steps, items and lengths alone", tracing("steps", "items", "presence", "lengths")
    ),
    "tracing-columns": MembershipAttack(
        "does the same with how often the values of further columns and response times come, item by item and in all",
        tracing("values", "usual values"),
        needs_group="values",
    ),
    "tracing-times": MembershipAttack(
        "does the same with when students begin and work, and how long they pause",
        tracing("times"),
        needs_group="times",
    ),
    "density": MembershipAttack(
        "asks whether what a student did is likelier in the release than in the population", density
    ),
    "likelihood-ratio": MembershipAttack(
        "compares that with releases made by the attacker, with the student in and without the student",
        compared_with_own,
        needs_shadows=4,
    ),
}
