"""Who was in the training data? Membership attacks on released response logs.

The attacker has the original log of a population, half of whom (say) trained the generator, and the released log; he
scores every student, higher meaning "was in". Those who were not in are the control: without the attack working, the
scores of both groups look alike and the AUC is one half. An attack with a setting (how rare is rare?) picks it on one
half of the students and is measured on the other, both ways, so that the best of many settings is not mistaken for
success.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from sharewell.errors import InputError
from sharewell.responses import subsequence, transitions
from sharewell.responses.log import Columns, Log, from_frames
from sharewell.responses.nearest import nearest
from sharewell.responses.stretch import longest_shared
from sharewell.results import Risk
from sharewell.stats import roc
from sharewell.stats.intervals import wilson
from sharewell.stats.roc import Share


@dataclass(frozen=True, kw_only=True)
class Scores:
    """What one attack gives: scores per setting, and the students it says anything about."""

    by_setting: list[tuple[Mapping[str, Any], np.ndarray]]
    about: np.ndarray


@dataclass(frozen=True, kw_only=True)
class Attack:
    """One named attacker."""

    story: str
    score: Callable[["Pair"], Scores]
    needs_correct: bool = False


def membership(
    original: Any,
    fake: Any,
    *,
    members: Iterable[Any],
    student: str,
    item: str,
    correct: str | None = None,
    attack: str | None = None,
    seed: int = 0,
) -> list[Risk]:
    """How well attackers tell the members of the training data from the other students of `original`.

    Per attack: `auc`, `tpr_at_1pct_fpr` and `tpr_at_01pct_fpr`; with all attacks also the strongest of each.
    """
    columns = Columns(student=student, item=item, correct=correct)
    ours, theirs = from_frames([original, fake], columns)
    return membership_of(ours, theirs, member_mask(ours, members), attack=attack, seed=seed)


def membership_of(
    original: Log, fake: Log, member: np.ndarray, *, attack: str | None = None, seed: int = 0
) -> list[Risk]:
    if attack is not None and attack not in ATTACKS:
        raise InputError(f"attack '{attack}' is not known; use one of {', '.join(ATTACKS)}")
    if member.sum() < 4 or (~member).sum() < 4:
        raise InputError("membership needs at least four students who were in and four who were not, as a control")
    chosen = [attack] if attack else [name for name in ATTACKS if _possible(ATTACKS[name], original, fake)]
    pair = Pair(original, fake, member)
    risks: list[Risk] = []
    for name in chosen:
        risks += _risks(name, ATTACKS[name].score(pair), member, seed)
    if attack in (None, "subsequence"):
        risks.append(_near_copies(pair))
    return risks if attack else risks + strongest(risks)


def strongest(risks: list[Risk]) -> list[Risk]:
    """The worst of all attackers, measure by measure."""
    worst = []
    for name in dict.fromkeys(risk.name for risk in risks if risk.name in MEASURES):
        top = max((risk for risk in risks if risk.name == name), key=lambda risk: risk.value)
        setting = {**top.setting, "attack": top.attacker}
        worst.append(replace(top, attacker="strongest", setting=setting, story=f"The strongest: {top.story}"))
    return worst


def member_mask(log: Log, members: Iterable[Any]) -> np.ndarray:
    wanted = pa.array(members.to_pylist() if isinstance(members, pa.Array | pa.ChunkedArray) else list(members))
    found = pa.compute.is_in(log.students.cast(pa.string()), value_set=wanted.cast(pa.string()))
    return np.asarray(found)


def _possible(attack: Attack, original: Log, fake: Log) -> bool:
    return not attack.needs_correct or (original.correct is not None and fake.correct is not None)


NEAR = 0.9
ENOUGH = 0.25  # of the students
MOST_PAIRS, FEWEST_COMPARED, COMPARED_SEED = 40_000_000, 1_000, 11  # every original with every fake, up to here
MEASURES: Mapping[str, tuple[float, Callable[[np.ndarray, np.ndarray], Share]]] = {
    "auc": (0.5, roc.auc),
    "tpr_at_1pct_fpr": (0.01, lambda inside, outside: roc.hits_at(inside, outside, false_alarms=0.01)),
    "tpr_at_01pct_fpr": (0.001, lambda inside, outside: roc.hits_at(inside, outside, false_alarms=0.001)),
}


def _risks(name: str, scores: Scores, member: np.ndarray, seed: int) -> Iterator[Risk]:
    """The measures of one attack, over the students it can say anything about."""
    about = scores.about
    n = int(about.sum())
    for measure, (chance, estimate) in MEASURES.items():
        setting, share = _measured(scores, member, estimate, seed)
        yield Risk(
            name=measure,
            attacker=name,
            value=share.value,
            low=share.low,
            high=share.high,
            chance=chance,
            n=n,
            seed=seed,
            setting=setting,
            story=ATTACKS[name].story,
        )


def _measured(
    scores: Scores, member: np.ndarray, estimate: Callable[[np.ndarray, np.ndarray], Share], seed: int
) -> tuple[dict[str, Any], Share]:
    """One setting: plainly. Several: picked on one half of the students, measured on the other, both ways."""
    about = scores.about
    if len(scores.by_setting) == 1:
        setting, score = scores.by_setting[0]
        return dict(setting), estimate(score[about & member], score[about & ~member])
    halves = _halves(member, seed)
    found = []
    for measured_on in (False, True):
        picked = _best(scores, member, halves != measured_on)
        setting, score = scores.by_setting[picked]
        test = about & (halves == measured_on)
        found.append((setting, estimate(score[test & member], score[test & ~member])))
    return dict(found[0][0]), _average([share for _, share in found])


def _best(scores: Scores, member: np.ndarray, part: np.ndarray) -> int:
    inside, outside = part & scores.about & member, part & scores.about & ~member
    values = [roc.auc(score[inside], score[outside]).value for _, score in scores.by_setting]
    return int(np.argmax(values))


def _halves(member: np.ndarray, seed: int) -> np.ndarray:
    """A random half of the members and of the others."""
    half = np.zeros(member.size, dtype=bool)
    generator = np.random.default_rng([seed, 5])
    for group in (member, ~member):
        places = generator.permutation(np.flatnonzero(group))
        half[places[: places.size // 2]] = True
    return half


def _average(shares: list[Share]) -> Share:
    """The mean of two independent halves; their half-widths add in squares."""
    value = float(np.mean([share.value for share in shares]))
    up = float(np.sqrt(sum((share.high - share.value) ** 2 for share in shares))) / len(shares)
    down = float(np.sqrt(sum((share.value - share.low) ** 2 for share in shares))) / len(shares)
    return Share(value=value, low=max(0.0, value - down), high=min(1.0, value + up))


@dataclass(frozen=True)
class Pair:
    """An original log and a released one, with what several attacks need computed once.

    Attacks that compare every original with every fake take a random part of the originals when there are too many
    pairs; the release is always compared as a whole.
    """

    original: Log
    fake: Log
    member: np.ndarray

    @cached_property
    def compared(self) -> np.ndarray:
        """The originals that take part, members and others alike."""
        most = max(FEWEST_COMPARED, MOST_PAIRS // self.fake.lengths.size)
        if self.member.size <= most:
            return self.everyone
        order = np.random.default_rng(COMPARED_SEED).permutation(self.member.size)
        chosen = np.zeros(self.member.size, dtype=bool)
        for side in (order[self.member[order]], order[~self.member[order]]):
            chosen[side[: most // 2]] = True
        return chosen

    @cached_property
    def part(self) -> Log:
        return self.original.only(self.compared)

    @cached_property
    def closest(self) -> subsequence.Closest:
        return subsequence.closest(self.part, self.fake, self.member[self.compared])

    @property
    def informative(self) -> np.ndarray:
        """The paper's entropy filter, unless it leaves too few to measure anything (thousands of rare items)."""
        kept = subsequence.informative(self.original, float(self.member.mean()))
        enough = min(kept[self.member].mean(), kept[~self.member].mean()) >= ENOUGH
        return (kept if enough else self.everyone) & self.compared

    @property
    def everyone(self) -> np.ndarray:
        return np.ones(self.original.lengths.size, dtype=bool)

    def over_all(self, score: np.ndarray) -> np.ndarray:
        """Scores of the compared students in the places of all."""
        out = np.zeros(self.member.size)
        out[self.compared] = score
        return out


def _subsequence(pair: Pair) -> Scores:
    return Scores(by_setting=[({}, pair.over_all(pair.closest.both))], about=pair.informative)


def _subsequence_printed(pair: Pair) -> Scores:
    return Scores(by_setting=[({}, pair.over_all(pair.closest.printed))], about=pair.informative)


def _subsequence_correct(pair: Pair) -> Scores:
    found = subsequence.closest(pair.part, pair.fake, pair.member[pair.compared], with_correct=True)
    return Scores(by_setting=[({}, pair.over_all(found.both))], about=pair.informative)


def _nearest(pair: Pair) -> Scores:
    scores: list[tuple[Mapping[str, Any], np.ndarray]] = [
        (setting, pair.over_all(score)) for setting, score in nearest(pair.part, pair.fake)
    ]
    return Scores(by_setting=scores, about=pair.compared)


def _transitions(pair: Pair) -> Scores:
    return Scores(by_setting=list(transitions.rare_steps(pair.original, pair.fake)), about=pair.everyone)


def _step_ratio(pair: Pair) -> Scores:
    return Scores(by_setting=list(transitions.step_ratio(pair.original, pair.fake)), about=pair.everyone)


def _stretch(pair: Pair) -> Scores:
    score = longest_shared(pair.original, pair.fake).astype(float)
    share = score / pair.original.lengths
    return Scores(by_setting=[({"over": "rows"}, score), ({"over": "share"}, share)], about=pair.everyone)


ATTACKS: Mapping[str, Attack] = {
    "subsequence": Attack(
        story="compares each student's sequence of items with every released one (longest common subsequence)",
        score=_subsequence,
    ),
    "subsequence-printed": Attack(
        story="the same, divided by the released sequence's length only, as the paper prints it",
        score=_subsequence_printed,
    ),
    "subsequence-correct": Attack(
        story="compares each student's sequence of items and outcomes with every released one",
        score=_subsequence_correct,
        needs_correct=True,
    ),
    "transitions": Attack(
        story="looks for steps from item to item that only a few students took",
        score=_transitions,
    ),
    "step-ratio": Attack(
        story="looks for steps that are commoner in the release than in the population",
        score=_step_ratio,
    ),
    "nearest": Attack(
        story="looks for the released student with the most similar mix of items and steps",
        score=_nearest,
    ),
    "stretch": Attack(
        story="looks for the longest stretch of items that a released student repeats word for word",
        score=_stretch,
    ),
}


def _near_copies(pair: Pair) -> Risk:
    """How near the nearest fakes come: a count over fakes, beside the same count for students who were not in."""
    inside = float((pair.closest.to_members >= NEAR).mean())
    outside = float((pair.closest.to_others >= NEAR).mean())
    low, high = wilson(inside * pair.fake.lengths.size, pair.fake.lengths.size)
    return Risk(
        name="near_copies",
        attacker="subsequence",
        value=inside,
        low=low,
        high=high,
        chance=outside,
        n=pair.fake.lengths.size,
        setting={"similar": NEAR},
        story="the share of released students that resemble a training student by nine parts in ten; "
        "chance is the same share for students who were not in",
    )
