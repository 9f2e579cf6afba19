"""Membership attacks on response logs: what an attacker computes of both logs, and the score of every student."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from sharewell.lab.attacks import MembershipAttack, Target, compared_with_own, density, nearest, tracing
from sharewell.lab.membership import Scores
from sharewell.responses.log import Log
from sharewell.responses.measure import common_subsequence as subsequence
from sharewell.responses.measure.log_profile import LogProfile
from sharewell.responses.measure.rare_steps import rare_steps
from sharewell.responses.measure.step_ratio import step_ratio
from sharewell.responses.measure.verbatim_run import longest_shared
from sharewell.responses.steps_taken import step_keys
from sharewell.stats.arrays import Array

ENOUGH = 0.25  # of the students
MOST_PAIRS, FEWEST_COMPARED, COMPARED_SEED = 40_000_000, 1_000, 11  # every original with every fake, up to here

DRAWN = "students drawn"


def most_compared(fakes: int) -> int:
    """How many originals are compared with so many released students, at most."""
    return max(FEWEST_COMPARED, MOST_PAIRS // fakes)


def drawn_words(compared: int, students: int) -> str:
    return f"{compared:,} of {students:,}, members and others alike"


@dataclass(frozen=True)
class LogTarget(Target[LogProfile]):
    """A released log under attack, with what several attacks need computed once.

    Attacks that compare every original with every fake take a random part of the originals when there are too many
    pairs; the release is always compared as a whole.
    """

    @property
    def original(self) -> Log:
        return self.profile.log

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
        """How many of how many students were drawn, where not everybody is compared."""
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

    def over_all(self, score: Array) -> Array:
        """Scores of the compared students in the places of all."""
        out = np.zeros(self.member.size)
        out[self.compared] = score
        return out


def _subsequence(target: LogTarget) -> Scores:
    return Scores(by_setting=[(target.sampled, target.over_all(target.closest.both))], about=target.informative)


def _subsequence_printed(target: LogTarget) -> Scores:
    return Scores(by_setting=[(target.sampled, target.over_all(target.closest.printed))], about=target.informative)


def _subsequence_correct(target: LogTarget) -> Scores:
    found = subsequence.closest(target.part, target.fake, target.member[target.compared], with_correct=True)
    return Scores(by_setting=[(target.sampled, target.over_all(found.both))], about=target.informative)


def _nearest(target: LogTarget) -> Scores:
    """Compare mixes of items, and of steps from item to item."""
    ours, theirs = target.part, target.fake
    (steps, who), (copies, whose) = step_keys(ours), step_keys(theirs)
    known, code = np.unique(np.concatenate([steps, copies]), return_inverse=True)
    items, students, fakes = len(ours.items), ours.lengths.size, theirs.lengths.size
    tables = {
        "items": (
            _counts(ours.student, ours.item, students, items),
            _counts(theirs.student, theirs.item, fakes, items),
        ),
        "steps": (
            _counts(who, code[: steps.size], students, known.size),
            _counts(whose, code[steps.size :], fakes, known.size),
        ),
    }
    scores = [({**setting, **target.sampled}, target.over_all(score)) for setting, score in nearest(tables)]
    return Scores(by_setting=scores, about=target.compared)


def _counts(student: Array, code: Array, students: int, codes: int) -> csr_matrix:
    return csr_matrix((np.ones(code.size, dtype=np.float32), (student, code)), shape=(students, codes))


def _rare_steps(target: LogTarget) -> Scores:
    return Scores(by_setting=list(rare_steps(target.original, target.fake)), about=target.everyone)


def _step_ratio(target: LogTarget) -> Scores:
    return Scores(by_setting=list(step_ratio(target.original, target.fake)), about=target.everyone)


def _verbatim(target: LogTarget) -> Scores:
    score = longest_shared(target.original, target.fake).astype(float)
    share = score / target.original.lengths
    return Scores(by_setting=[({"over": "rows"}, score), ({"over": "share"}, share)], about=target.everyone)


ATTACKS: Mapping[str, MembershipAttack[LogTarget]] = {
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
        needs_group="answers",
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
        "solves the shares of right answers of all items together for who was in them", tracing("answers"), "answers"
    ),
    "tracing-practice": MembershipAttack(
        "does the same with right answers at the first, second … attempt on a skill and after right and wrong ones",
        tracing("practice", "growth"),
        "answers",
    ),
    "tracing-overall": MembershipAttack(
        "does the same with a few numbers of the whole log: its learning curve, how able and how alike students are",
        tracing("overall"),
        "answers",
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
