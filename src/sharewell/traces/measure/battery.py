"""All attackers on a release, each with its story: they know something of the original and search what is released."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from sharewell.contract import Risk
from sharewell.traces.measure.absence import absence
from sharewell.traces.measure.asking import Asking, outcome, outcomes
from sharewell.traces.measure.attackers import attacker
from sharewell.traces.measure.attempts import Attempts
from sharewell.traces.measure.event_counts import banded_counts, exact_counts, rough_counts
from sharewell.traces.measure.first_last_total import first_last_total
from sharewell.traces.measure.found import Found, Told, as_risks
from sharewell.traces.measure.order_in_window import order_in_window
from sharewell.traces.measure.other_period import other_period
from sharewell.traces.measure.points import known_points, released_points
from sharewell.traces.measure.same_rows import same_rows
from sharewell.traces.measure.sides import Sides
from sharewell.traces.measure.verb_runs import verb_runs
from sharewell.traces.measure.whole_trace import whole_trace
from sharewell.traces.measure.worst_points import worst_points

Run: TypeAlias = Callable[[Sides, Attempts, int], Asking | None]


@dataclass(frozen=True, kw_only=True)
class Attack:
    """Who attacks and how; `run` gives None where the release holds nothing of what they look at."""

    name: str
    story: str
    run: Run
    factor: int = 1  # times the number of known points that the plan names
    drawn: bool = True

    def known(self, known: int) -> int:
        return self.factor * known

    def found(self, sides: Sides, attempts: Attempts, known: int) -> Found | None:
        """What this attacker comes to."""
        asking = self.run(sides, attempts, known)
        return None if asking is None else outcome(asking, sides.crowd)


def _drawn(name: str, factor: int = 1) -> Run:
    return lambda sides, attempts, known: known_points(sides.points, attacker(name), attempts, factor * known)


BATTERY: tuple[Attack, ...] = (
    Attack(
        name="same rows",
        story="Someone knows the original log and how the release was made: only who has the same rows as others "
        "cannot be told from them.",
        run=lambda sides, attempts, known: same_rows(sides.points),
        drawn=False,
    ),
    Attack(name="random", story=attacker("random").story, run=_drawn("random")),
    Attack(name="8 points", story=attacker("random").story, run=_drawn("random", 2), factor=2),
    Attack(name="16 points", story=attacker("random").story, run=_drawn("random", 4), factor=4),
    Attack(name="rare", story=attacker("rare").story, run=_drawn("rare")),
    Attack(name="classmate", story=attacker("classmate").story, run=_drawn("classmate")),
    Attack(name="consecutive", story=attacker("consecutive").story, run=_drawn("consecutive")),
    Attack(
        name="released points",
        story="Someone knows {known} moments of a student that the release still holds.",
        run=lambda sides, attempts, known: released_points(sides.points, attacker("random"), attempts, known),
    ),
    Attack(
        name="worst",
        story=attacker("worst").story,
        run=lambda sides, attempts, known: worst_points(sides.points, attempts, known),
        drawn=False,
    ),
    Attack(
        name="counts",
        story="Someone knows how often a student was active in each of {known} windows.",
        run=lambda sides, attempts, known: exact_counts(sides.windows, attempts, known),
    ),
    Attack(
        name="rough counts",
        story="Someone knows to within a fifth how often a student was active in each of {known} windows.",
        run=lambda sides, attempts, known: rough_counts(sides.windows, attempts, known),
    ),
    Attack(
        name="little, some, much",
        story="Someone knows of {known} windows whether a student did little, some or much there.",
        run=lambda sides, attempts, known: banded_counts(sides.windows, attempts, known),
    ),
    Attack(
        name="verb counts",
        story="Someone knows {known} points with all their values, and how often each occurred.",
        run=lambda sides, attempts, known: exact_counts(sides.points, attempts, known),
    ),
    Attack(
        name="kept columns",
        story="Someone knows what the kept columns say of a student in {known} windows.",
        run=lambda sides, attempts, known: exact_counts(sides.kept, attempts, known) if sides.kept else None,
    ),
    Attack(
        name="absence",
        story="Someone knows {known} windows in which a student was active, and as many in which they never were.",
        run=lambda sides, attempts, known: absence(sides.windows, attempts, known),
    ),
    Attack(
        name="first, last, total",
        story="Someone knows when a student began and stopped, and to a tenth how much they did in all.",
        run=lambda sides, attempts, known: first_last_total(sides.windows, attempts),
        drawn=False,
    ),
    Attack(
        name="verbs in a row",
        story="Someone saw ten things that a student did one after the other, and remembers no time at all.",
        run=lambda sides, attempts, known: verb_runs(sides.verbs, attempts) if sides.verbs else None,
    ),
    Attack(
        name="order within a window",
        story="Someone remembers in which order a student did things in {known} windows.",
        run=lambda sides, attempts, known: order_in_window(sides.verbs, attempts, known) if sides.verbs else None,
    ),
    Attack(
        name="another period",
        story="Someone knows a student's habits (hours, weekdays, kinds of events) from the first half and looks for "
        "them in the second.",
        run=lambda sides, attempts, known: other_period(sides.points, attempts),
        drawn=False,
    ),
    Attack(
        name="whole trace",
        story="Someone holds everything that a student did, from another copy of the log, and takes the likest trace.",
        run=lambda sides, attempts, known: whole_trace(sides.points, attempts),
        drawn=False,
    ),
)
NAMES: tuple[str, ...] = tuple(attack.name for attack in BATTERY)


def attacked(sides: Sides, attempts: Attempts, known: int) -> Iterator[tuple[Attack, Found]]:
    """What every attacker comes to; those who find nothing to look at are left out."""
    started = [(attack, attack.run(sides, attempts, known)) for attack in BATTERY] if sides.students else []
    asking = [(attack, asked) for attack, asked in started if asked is not None]
    found = outcomes([asked for _, asked in asking], sides.crowd)
    for (attack, _), result in zip(asking, found, strict=True):
        if result is not None:
            yield attack, result


def risks(sides: Sides, attempts: Attempts, known: int) -> list[Risk]:
    """Three risks for every attacker: left alone, guessed on average, guessed at worst."""
    log, found = sides.points.released, []
    for attack, result in attacked(sides, attempts, known):
        count = attack.known(known)
        setting = {"known": count, "window": log.window.label, **({"also": ", ".join(log.also)} if log.also else {})}
        told = Told(
            attacker=attack.name,
            story=attack.story.format(known=count),
            students=sides.students,
            seed=attempts.seed,
            setting=setting,
        )
        found += as_risks(result, told)
    return found
