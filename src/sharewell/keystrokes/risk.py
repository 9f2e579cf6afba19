"""Who could be found: attacks on what is released, by someone with a raw or a protected sample of everyone's typing."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import ibis
import numpy as np
from ibis.expr.types import Table

from sharewell.contract import Risk
from sharewell.data import engine
from sharewell.errors import InputError
from sharewell.keystrokes import distances, ranking
from sharewell.keystrokes.coarsening import coarse_timings
from sharewell.keystrokes.events import canonical
from sharewell.keystrokes.identification import ATTACKS, Attack, Settings, as_risk, found
from sharewell.keystrokes.latencies import timing_table
from sharewell.keystrokes.rebuild import Events
from sharewell.keystrokes.samples import Sample, coded, reduce_parts
from sharewell.keystrokes.typing import Array

REFERENCE_SHARE = (2, 3)  # of a student's sessions: what the attacker has seen before
ROUNDED_MS = 100.0
OCCURRENCES = (2, 5)
PAIRS = 6_000_000  # comparisons per attack: a larger course is measured on a drawn part of its students
LEAST_PER_PLACE = 20  # a list of w places needs 20·w students, or it holds a good part of them by chance


@dataclass(frozen=True, kw_only=True)
class Halves:
    """Two samples of the same people: what the attacker knows, and what is to be recognised."""

    reference: Sample
    target: Sample


def session_parts(events: Table) -> Table:
    """Which sessions are the target: those of the last week, or each student's last third where there are no weeks."""
    sessions = events.group_by("student", "session").agg(
        begun=events.press.min(), week=events.week.min(), row=events.row.min()
    )
    weeks = sessions.week.nunique().to_pyarrow().as_py()
    if weeks > 1:
        return sessions.select("student", "session", target=sessions.week == sessions.week.max().over(ibis.window()))
    window = ibis.window(group_by="student", order_by=["begun", "row"])
    whole = ibis.window(group_by="student")
    place, size = ibis.row_number().over(window), sessions.count().over(whole)
    part, of = REFERENCE_SHARE
    return sessions.select("student", "session", target=place * of >= size * part)


def halves(events: Table, parts: Table) -> Halves:
    """Canonical events reduced to the attacker's sample and the target."""
    timings = timing_table(events, sessions=True)
    joined = timings.inner_join(parts, ["student", "session"])
    reference, target = reduce_parts(joined)
    return Halves(reference=reference, target=target)


def averaging(events: Table, parts: Table, raw: Halves, *, within: Sequence[int], seed: int) -> list[Risk]:
    """What rounding of single events would hide: nearly nothing from someone who averages them again."""
    timings = coarse_timings(timing_table(events), ROUNDED_MS, "round").inner_join(parts, ["student", "session"])
    reference, target = reduce_parts(timings.filter(timings.ms > 0))
    risks = measure(raw, Halves(reference=reference, target=target), within=within, seed=seed, attacks=["likelihood"])
    story = f"Had single times been rounded to {ROUNDED_MS:g} ms, someone could average many of them again."
    return [replace(one, name=f"{one.name}, times rounded", story=story) for one in risks]


def known_lengths(original: Table, released: Table, parts: Table, *, within: Sequence[int], seed: int) -> list[Risk]:
    """Told beside the limit, not held to it: how many keys a session has is released, and its length follows that."""
    known, seen = (_log_lengths(events, parts) for events in (original, released))
    own = np.arange(len(known))
    if len(own) > most_sought(len(known)):
        own = np.sort(np.random.default_rng(seed).choice(own, most_sought(len(known)), replace=False))
    counts = ranking.of_scores(-distances.mean_gap(known, seen[own]), own)
    risks = [as_risk(counts, k, "lengths", len(known), Settings(seed=seed)) for k in within]
    story = "Someone knows from elsewhere how long each of a student's sessions took, and looks for the same lengths."
    return [replace(one, name=f"{one.name}, session lengths known", story=story) for one in risks]


def _log_lengths(events: Table, parts: Table) -> Array:
    """Students × target sessions, which go by their names, or by their order where students hardly share names."""
    joined = events.inner_join(parts.filter(parts.target), ["student", "session"])
    lengths = joined.group_by("student", "session").agg(ms=joined.press.max() - joined.press.min())
    rows = engine.arrow(lengths.order_by("student", "session"))
    students, who = coded(rows["student"])
    names, which = coded(rows["session"])
    if 2 * len(names) > len(which):
        which = np.arange(len(who)) - np.searchsorted(who, who)
    result = np.full((len(students), int(which.max()) + 1), np.nan)
    result[who, which] = np.log(np.maximum(rows["ms"].to_numpy(), 1.0))
    return result


def most_sought(students: int) -> int:
    """How many of the students are looked for: all of them, or as many as keep the comparisons within bounds."""
    return max(200, PAIRS // max(1, students))


def target_rows(events: Events, parts: Table) -> Array:
    """Which of the loaded events belong to the target sessions."""
    numbered = canonical(events.table, events.columns).select("student", "session", "row")
    joined = numbered.inner_join(parts, ["student", "session"]).select("row", "target")
    flags = engine.arrow(joined)
    mask = np.zeros(len(events.row), dtype=bool)
    mask[flags["row"].to_numpy()] = flags["target"].to_numpy(zero_copy_only=False)
    return mask[events.row]


def measure(
    raw: Halves | None,
    released: Halves,
    *,
    within: Sequence[int],
    seed: int,
    attacks: Iterable[Attack] = ATTACKS,
) -> list[Risk]:
    """Every attack on the released target, with a raw reference (where there is one) and with a released one."""
    references = {"raw": raw.reference} if raw is not None else {}
    references["protected"] = released.reference
    most = most_sought(len(released.reference.students))
    risks = []
    for kind, reference in references.items():
        for attack, occurrences in ((one, least) for one in attacks for least in _occurrences(one)):
            settings = Settings(occurrences=occurrences, seed=seed)
            measured = found(reference, released.target, attack=attack, accept=within, settings=settings, most=most)
            more = {"reference": kind} | ({"occurrences": occurrences} if attack == "nearest" else {})
            risks += [replace(risk, setting={**risk.setting, **more}) for risk in measured]
    return risks


def _occurrences(attack: Attack) -> tuple[int, ...]:
    """Profiles are tried with few and with many occurrences of a digraph: what is better depends on the sample."""
    return OCCURRENCES if attack == "nearest" else OCCURRENCES[:1]


def strongest(risks: Iterable[Risk]) -> Risk:
    return max(risks, key=lambda risk: risk.value)


def list_length(within: int, students: int) -> int:
    """The attacker's list: with few students a list of ten would hold everybody, so it is shortened to a twentieth."""
    return max(1, min(within, students // LEAST_PER_PLACE))


def students_of(events: Table) -> int:
    count: int = engine.connection().execute(events.student.nunique())
    if count < 2:
        raise InputError("has fewer than two students: nobody can be hidden among others", column="student")
    return count
