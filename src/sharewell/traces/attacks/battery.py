"""All attacks on logs, each with its story: the one list that measures, judges and reports read.

A new attack is a file with its `know` and `score`, an entry here, and a test.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from sharewell.contract import Measure, Risk
from sharewell.traces.arrays import Array
from sharewell.traces.attacks import first_last_total, other_period, same_rows, verb_runs, whole_trace
from sharewell.traces.attacks.attempts import Attempts
from sharewell.traces.attacks.draws import attacker
from sharewell.traces.attacks.event_counts import exact_counts, rough_counts
from sharewell.traces.attacks.found import AttemptSums, summed
from sharewell.traces.attacks.known_points import original_points, presence_and_absence, released_points
from sharewell.traces.attacks.matching import confirmed
from sharewell.traces.attacks.view import View
from sharewell.traces.kind import EXPOSED, GUESS, UNICITY

BLOCK = 4_000_000  # scores at a time
MOST_WORK, FEWEST = 10_000_000, 100  # events over all attempts of an attack that looks at each; and attempts at least
CLOSE = 1e-9  # scores that differ by less are the same
Know: TypeAlias = Callable[[View, Array, int, int], tuple[Any, ...] | None]
Score: TypeAlias = Callable[[View, Any], Array]


@dataclass(frozen=True, kw_only=True)
class Attack:
    """Who attacks and how.

    `know` gives for every attempt a row of what is known of its target (None where the release holds nothing of the
    kind); `score` says how well each student who is there fits some of these rows. `sees` chooses what is looked at.
    """

    name: str
    story: str
    know: Know
    score: Score = confirmed
    drawn: bool = True
    per_event: bool = False  # each attempt looks at every released event: fewer are made on a long log
    points: bool = False  # knows so many points of the original and nothing else: whom `promise = "points"` bounds
    sees: Callable[[View], View | None] = field(default=lambda view: view)


def _windows_with_kept(view: View) -> View | None:
    there = tuple(name for name in view.kept if name in view.known.also)
    return view.by(there) if there else None


BATTERY: tuple[Attack, ...] = (
    Attack(
        name="same rows",
        story="Someone knows everything that a student did and how the release was made: only students with the same "
        "rows cannot be told apart.",
        know=same_rows.know,
        score=same_rows.score,
        drawn=False,
    ),
    *(
        Attack(name=name, story=attacker(name).story, know=original_points(name), points=True)
        for name in ("random", "rare", "classmate", "consecutive")
    ),
    Attack(
        name="released points",
        story="Someone knows {known} moments of a student that the release still holds.",
        know=released_points,
        points=True,
    ),
    Attack(
        name="counts",
        story="Someone knows how often a student was active in each of {known} windows.",
        know=exact_counts,
        sees=lambda view: view.windows,
    ),
    Attack(
        name="rough counts",
        story="Someone knows to within a fifth how often a student was active in each of {known} windows.",
        know=rough_counts,
        sees=lambda view: view.windows,
    ),
    Attack(
        name="kept columns",
        story="Someone knows what the kept columns say of a student in {known} windows.",
        know=exact_counts,
        sees=_windows_with_kept,
    ),
    Attack(
        name="absence",
        story="Someone knows {known} windows in which a student was active, and as many in which they never were.",
        know=presence_and_absence,
        sees=lambda view: view.windows,
    ),
    Attack(
        name="first, last, total",
        story="Someone knows when a student began and stopped, and to a tenth how much they did in all.",
        know=first_last_total.know,
        score=first_last_total.score,
        drawn=False,
        sees=lambda view: view.windows,
    ),
    Attack(
        name="verbs in a row",
        story="Someone saw ten things that a student did one after the other, and remembers no time at all.",
        know=verb_runs.know,
        score=verb_runs.score,
        per_event=True,
    ),
    Attack(
        name="another period",
        story="Someone knows a student's habits (hours, weekdays, kinds of events) from the first half and looks for "
        "them in the second.",
        know=other_period.know,
        score=other_period.score,
        drawn=False,
    ),
    Attack(
        name="whole trace",
        story="Someone holds everything that a student did, from another copy of the log, and takes the likest trace.",
        know=whole_trace.know,
        score=whole_trace.score,
        drawn=False,
    ),
)
OF_POINTS: tuple[Attack, ...] = tuple(attack for attack in BATTERY if attack.points)


def found(attack: Attack, view: View, attempts: Attempts, known: int) -> AttemptSums | None:
    """Try one attack: the best candidates of every attempt, and whether the target is among them."""
    seen = attack.sees(view)
    if seen is None or not len(seen.present):
        return None
    targets = attempts.targets(seen.present)
    if not attack.drawn:
        targets = np.unique(targets)
    if attack.per_event:
        targets = _fewer(targets, max(FEWEST, MOST_WORK // max(1, int(seen.released.events.sum()))), attempts.seed)
    knowledge = attack.know(seen, targets, known, attempts.seed)
    if knowledge is None:
        return None
    column = np.searchsorted(seen.present, targets)
    candidates, within = np.empty(len(targets)), np.empty(len(targets), np.bool_)
    block = max(1, BLOCK // len(seen.present))
    for first in range(0, len(targets), block):
        rows = slice(first, first + block)
        scores = attack.score(seen, tuple(part[rows] for part in knowledge))
        near = scores >= scores.max(axis=1, keepdims=True) - CLOSE
        candidates[rows] = near.sum(axis=1)
        within[rows] = near[np.arange(len(near)), column[rows]]
    certain = not attack.drawn and len(targets) == len(seen.present)
    return summed(seen.known.students, targets, candidates, within, certain=certain)


def _fewer(targets: Array, most: int, seed: int) -> Array:
    """As many of the attempts as there is time for, drawn evenly."""
    if len(targets) <= most:
        return targets
    return np.sort(np.random.default_rng(seed).choice(targets, most, replace=False))


def risks(
    view: View, attempts: Attempts, known: int, *, attacks: tuple[Attack, ...] = BATTERY, measures: tuple[Measure, ...]
) -> Iterator[Risk]:
    """What each attack comes to by each measure; those that find nothing to look at are left out."""
    for attack in attacks:
        result = found(attack, view, attempts, known)
        if result is not None:
            yield from (_as_risk(measure, attack, result, view, attempts.seed, known) for measure in measures)


def nearest(view: View, attempts: Attempts, known: int, *, most: int) -> list[Risk]:
    """The chance of naming a student correctly for the attacks that come nearest."""
    results = [(attack, found(attack, view, attempts, known)) for attack in BATTERY]
    there = [(attack, result) for attack, result in results if result is not None]
    first = sorted(there, key=lambda one: -one[1].guess)[:most]
    return [_as_risk(GUESS, attack, result, view, attempts.seed, known) for attack, result in first]


def _as_risk(measure: Measure, attack: Attack, result: AttemptSums, view: View, seed: int, known: int) -> Risk:
    """What an attack came to by one measure, with its interval."""
    value, interval = {
        UNICITY.id: (result.share_alone, result.interval_alone),
        GUESS.id: (result.guess, result.interval_guess),
        EXPOSED.id: (result.exposed, lambda _: (None, None)),
    }[measure.id]
    low, high = interval(seed)
    log = view.released
    also = {"also": ", ".join(log.also)} if log.also else {}
    return Risk(
        measure=measure, attacker=attack.name, value=value, low=low, high=high,
        n=int((result.tries > 0).sum()), chance=1 / len(view.present), seed=None if result.certain else seed,
        setting={"known": known, "window": log.window.label, **also}, story=attack.story.format(known=known),
    )  # fmt: skip
