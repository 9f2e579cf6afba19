"""What a recipient can check from the released file alone. Shares no code with what protected it: plain and slow.

Sessions of a pseudonym are recognised from its other sessions by two attacks written a second time, straight from their
formulas: the likelihood ratio (two-level normal model, Lindley 1977) and the thesis's nearest profiles (Leinonen 2016,
§4.2). A share is measured on so many people and so may be over the limit by chance: the release fails where the lower
end of the interval is. Of a large file some students are drawn and looked for among all pseudonyms. Order, times and
the names of sessions are checked to the letter.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import ibis
import numpy as np
import pyarrow as pa
from ibis.expr.types import Table

from sharewell.contract import Measure, Risk
from sharewell.data import engine
from sharewell.data.formats.clocks import milliseconds
from sharewell.keystrokes.kind import (
    DISORDER,
    EARLY_RELEASES,
    LATE_STARTS,
    NAMED_SESSIONS,
    RECHECKED,
    SHARED,
    shared_story,
)
from sharewell.keystrokes.section import COURSE, PROFILES
from sharewell.stats.intervals import exact, wilson

Array = np.ndarray[Any, Any]
MOST_PEOPLE = 500  # looked for; of a larger file so many are drawn
MOST_CANDIDATES = 50_000  # pseudonyms among which they are looked for, all of them in any but the largest files
AT_ONCE = 500  # pseudonyms compared at a time: what bounds the memory
SHORTEST, LONGEST = 10.0, 750.0  # ms: what counts as rhythm
COMMON = 0.2  # of the people have a feature in both halves
DIGRAPHS, OCCURRENCES = 25, (2, 5)
SESSION = r"^s_*([1-9][0-9]*)$"
BETWEEN = "\x1f"  # the two keys of a pair


@dataclass(frozen=True, kw_only=True)
class Half:
    """Per person and feature: how many times, their mean in ms, the mean and the spread of their logarithms."""

    count: Array
    mean: Array
    log_mean: Array
    log_spread: Array


Scores = Callable[[Half], Array]  # of those who are looked for against candidates: larger is more alike


def recheck(released: Table, facts: Mapping[str, Any]) -> list[Risk]:
    """Everything that does not hold is a risk over its limit."""
    if facts.get("publish") == COURSE:
        return []  # no row is a student's; membership cannot be measured without the original
    if facts.get("publish") == PROFILES:
        return [_shared_rows(released, facts)]
    events = _events(released, facts)
    people = sorted(engine.arrow(events.select("student").distinct())["student"].to_pylist())
    checks = [*_order(events), _names(events)]
    return [*checks, *_identification(events, people, facts)]


def _shared_rows(released: Table, facts: Mapping[str, Any]) -> Risk:
    """Count how many students share each row, and what the best guess finds."""
    within, drawn, limit = int(facts["within"]), float(facts["drawn"]), float(facts["found"])
    averages = [name for name in released.columns if name != facts["student"]]
    rows = (
        released.select(facts["student"], *averages).distinct().group_by(averages).agg(students=lambda one: one.count())
    )
    sizes = engine.arrow(rows)["students"].to_pylist()
    everyone = sum(sizes)
    found = ((1 - drawn) * sum(min(size, within) for size in sizes) + drawn * within) / everyone
    return Risk(
        measure=SHARED,
        attacker="all typing known",
        value=found,
        n=everyone,
        chance=within / everyone,
        setting={"within": within, "rows": len(sizes)},
        story=shared_story(min(sizes), drawn, found, within),
        gate=facts["gate"],
        limit=limit,
    )


def _events(released: Table, facts: Mapping[str, Any]) -> Table:
    """Times in ms, rows as they stand in the file."""
    named, unit = facts["columns"], facts["unit"]
    place = engine.fresh(released.columns, "place")
    numbered = released.mutate(**{place: ibis.row_number()})
    release = milliseconds(numbered, named["release"], unit=unit) if "release" in named else ibis.null("float64")
    week = numbered[named["week"]].cast("string").try_cast("float64") if "week" in named else ibis.literal(0.0)
    return engine.materialise(
        numbered.select(
            student=numbered[named["student"]].cast("string"),
            session=numbered[named["session"]].cast("string"),
            key=numbered[named["key"]].cast("string"),
            week=week,
            press=milliseconds(numbered, named["press"], unit=unit),
            release=release,
            place=numbered[place],
        )
    )


def _order(events: Table) -> Iterator[Risk]:
    """Sessions begin at zero, go forward in the order of the file, and no key is let go before it is pressed."""
    before = events.press.lag(1).over(ibis.window(group_by=["student", "session"], order_by="place"))
    told = {
        DISORDER: events.mutate(wrong=(events.press < before).fill_null(False)),
        EARLY_RELEASES: events.mutate(wrong=(events.release < events.press - 0.5).fill_null(False)),
    }
    starts = events.group_by("student", "session").agg(first=events.press.min())
    told[LATE_STARTS] = starts.mutate(wrong=starts["first"].abs() > 0.5)
    for measure, table in told.items():
        yield _count(measure, int(engine.value(table.wrong.sum()) or 0))


def _names(events: Table) -> Risk:
    """Sessions of a student are numbered from one on; any other name could be one that they had before."""
    sessions = events.select("student", "session").distinct()
    numbered = sessions.mutate(number=sessions.session.re_extract(SESSION, 1).try_cast("int64"))
    counted = numbered.group_by("student").agg(
        largest=numbered.number.max(), numbers=numbered.number.nunique(), sessions=numbered.count()
    )
    right = (counted.largest == counted.sessions) & (counted.numbers == counted.sessions)
    wrong = counted.filter(~right.fill_null(False))
    return _count(NAMED_SESSIONS, int(engine.value(wrong.count())))


def _count(measure: Measure, value: int) -> Risk:
    return Risk(measure=measure, attacker="re-check", value=float(value), n=1, limit=0.0)


@dataclass(frozen=True, kw_only=True)
class Lineup:
    """Who is looked for, the first of all candidates, and on how long a list."""

    candidates: list[str]
    sought: int
    places: float
    chance: float
    limit: float


def _lineup(people: list[str], facts: Mapping[str, Any]) -> Lineup:
    """Of very many pseudonyms some are drawn and the list is as much shorter, but never shorter than one place, on
    which even whoever is always found first would be found too seldom; a multiple of chance is then one of this list's.
    """
    within, everyone = float(facts["within"]), len(people)
    order = np.random.default_rng(facts["seed"]).permutation(everyone)[:MOST_CANDIDATES]
    sought, others = np.sort(order[:MOST_PEOPLE]), order[MOST_PEOPLE:]
    places = within if len(order) == everyone else max(1.0, within * len(order) / everyone)
    chance, of_all = min(1.0, places / len(order)), min(1.0, within / everyone)
    limit = float(facts["found"])
    return Lineup(
        candidates=[people[place] for place in (*sought, *others)],
        sought=len(sought),
        places=places,
        chance=chance,
        limit=limit if facts["gate"] == "found" else min(1.0, limit * chance / of_all),
    )


def _identification(events: Table, people: list[str], facts: Mapping[str, Any]) -> Iterator[Risk]:
    lineup = _lineup(people, facts)
    for attack, share in _found(events, lineup).items():
        hits, n = float(share.sum()), len(share)
        # few of a large file are expected: one found by luck would be more than Wilson's interval lets pass
        low, high = wilson(hits, n) if len(people) <= MOST_PEOPLE else exact(int(hits + 1e-9), n)
        yield Risk(
            measure=RECHECKED,
            attacker=attack,
            value=low,
            low=low,
            high=high,
            n=n,
            chance=lineup.chance,
            seed=facts["seed"],
            setting={
                "within": lineup.places,
                "candidates": len(lineup.candidates),
                "measured": round(float(share.mean()), 4),
            },
            gate=facts["gate"],
            limit=lineup.limit,
        )


def _found(events: Table, lineup: Lineup) -> dict[str, Array]:
    """By each attack: the chance of everyone who is looked for to be on the list."""
    cells = _cells(events, lineup)
    first = engine.arrow(cells.filter(cells.who < lineup.sought))
    names = np.unique(np.array(first["feature"].to_pylist(), dtype=str))
    target = first["target"].to_numpy()
    known, sought = (_half(first.filter(target == half), range(lineup.sought), names) for half in (0, 1))
    latencies = np.char.startswith(names, "L")
    attacks = {"likelihood": likelihood(known, sought)}
    for least in OCCURRENCES:
        attacks[f"nearest, {least} occurrences"] = nearest(known, sought, latencies, least)
    others = (_half(rows, who, names) for rows, who in _others(cells, lineup))
    there = sought.count.sum(axis=1) > 0
    return {attack: share[there] for attack, share in _shares(attacks, known, others, lineup.places).items()}


def _others(cells: Table, lineup: Lineup) -> Iterator[tuple[pa.Table, range]]:
    """Candidates who are not looked for themselves, some at a time."""
    for start in range(lineup.sought, len(lineup.candidates), AT_ONCE):
        who = range(start, min(start + AT_ONCE, len(lineup.candidates)))
        yield engine.arrow(cells.filter((cells.who >= who.start) & (cells.who < who.stop))), who


def _cells(events: Table, lineup: Lineup) -> Table:
    """Per person, half and feature its times: both halves of who is looked for, what is known of the others."""
    numbers = pa.table({"student": lineup.candidates, "who": np.arange(len(lineup.candidates))})
    timed = _timed(_parted(events)).inner_join(engine.listed(numbers), "student")
    needed = timed.filter((timed.target == 0) | (timed.who < lineup.sought))
    cells = needed.mutate(log=needed.ms.ln()).group_by("who", "target", "feature")
    return engine.materialise(
        cells.agg(
            count=lambda one: one.count().cast("float64"),
            mean=lambda one: one.ms.mean(),
            log_mean=lambda one: one.log.mean(),
            log_spread=lambda one: one.log.var(how="pop") * one.count(),
        )
    )


def _parted(events: Table) -> Table:
    """The target is the last week; without weeks the last third of everyone's sessions by name."""
    if engine.value(events.week.nunique()) > 1:
        return events.mutate(target=(events.week == engine.value(events.week.max())).cast("int64"))
    sessions = events.select("student", "session").distinct()
    mine = ibis.window(group_by="student")
    place = ibis.row_number().over(ibis.window(group_by="student", order_by="session"))
    late = sessions.select(
        "student", "session", target=(place * 3 >= sessions.session.count().over(mine) * 2).cast("int64")
    )
    return events.inner_join(late, ["student", "session"])


def _timed(events: Table) -> Table:
    """Every latency and every hold that counts as rhythm, with its feature."""
    filled = events.mutate(key=events.key.fill_null(""))
    in_order = ibis.window(group_by=["student", "session"], order_by=["press", "place"])
    before, since = filled.key.lag(1).over(in_order), filled.press - filled.press.lag(1).over(in_order)
    latencies = filled.select("student", "target", feature=ibis.literal("L") + before + BETWEEN + filled.key, ms=since)
    held = filled.release.cast("float64") - filled.press
    holds = filled.select("student", "target", feature=ibis.literal("H") + filled.key, ms=held)
    both = latencies.union(holds)
    return both.filter(both.ms >= SHORTEST, both.ms <= LONGEST)


def _half(rows: pa.Table, who: range, names: Array) -> Half:
    """People × features; features that nobody has who is looked for tell nothing."""
    feature = np.array(rows["feature"].to_pylist(), dtype=str)
    code = np.searchsorted(names, feature)
    there = np.isin(feature, names)
    cell = (rows["who"].to_numpy()[there] - who.start, code[there])
    filled = {}
    for name in ("count", "mean", "log_mean", "log_spread"):
        filled[name] = np.zeros((len(who), len(names)))
        filled[name][cell] = rows[name].to_numpy()[there]
    return Half(**filled)


def likelihood(known: Half, sought: Half) -> Scores:
    """Σ log N(a − b; 0, v) − log N(a − b; 0, v + 2s) over features that both have; v = w/n_a + w/n_b."""
    features, within, between = _spreads(known, sought)
    usual, level = (half.log_mean.sum(axis=0) / np.maximum((half.count > 0).sum(axis=0), 1) for half in (known, sought))

    def scores(candidates: Half) -> Array:
        result = np.zeros((len(sought.count), len(candidates.count)))
        for row, (times, logs) in enumerate(zip(sought.count, sought.log_mean, strict=True)):
            both = times[features] > 0
            here, w, s = features[both], within[both], between[both]
            count = candidates.count[:, here]
            gap = (logs - level)[here] - (candidates.log_mean[:, here] - usual[here])
            same = w / times[here] + w / np.maximum(count, 1)
            ratio = np.log((same + 2 * s) / same) - gap**2 * (1 / same - 1 / (same + 2 * s))
            result[row] = 0.5 * np.where(count > 0, ratio, 0.0).sum(axis=1)
        return result

    return scores


def _spreads(known: Half, sought: Half) -> tuple[Array, Array, Array]:
    """Features that tell people apart: which, the variance of one time of a person, and that of people."""
    common = np.minimum((known.count > 0).mean(axis=0), (sought.count > 0).mean(axis=0)) >= COMMON
    count = [half.count[:, common] for half in (known, sought)]
    spread = sum(half.log_spread[:, common].sum(axis=0) for half in (known, sought))
    within = spread / np.maximum(sum((one - 1).clip(0).sum(axis=0) for one in count), 1)
    logs = [np.where(n > 0, half.log_mean[:, common], np.nan) for half, n in zip((known, sought), count, strict=True)]
    between = np.minimum(*(
        np.nanvar(one, axis=0, ddof=1) - within * np.nanmean(np.where(n > 0, 1 / np.maximum(n, 1), np.nan), axis=0)
        for one, n in zip(logs, count, strict=True)
    ))  # fmt: skip
    tells = (within > 0) & (between > 1e-4 * within)
    return np.flatnonzero(common)[tells], within[tells], between[tells]


def nearest(known: Half, sought: Half, latencies: Array, least: int) -> Scores:
    """Less the Euclidean distance of scaled mean latencies of the commonest digraphs, rare ones filled by the mean."""
    counts = np.vstack([known.count, sought.count])[:, latencies]
    chosen = np.lexsort((np.arange(counts.shape[1]), -counts.mean(axis=0), -np.median(counts, axis=0)))[:DIGRAPHS]

    def profile(half: Half, usual: Half) -> Array:
        count, mean = half.count[:, latencies], half.mean[:, latencies]
        total, number = (count * mean).sum(axis=1), count.sum(axis=1)
        everyone = (usual.count * usual.mean)[:, latencies].sum() / max(usual.count[:, latencies].sum(), 1.0)
        own = np.where(number > 0, total / np.maximum(number, 1), everyone)
        return np.where(count[:, chosen] >= least, mean[:, chosen], own[:, None])

    far = profile(sought, sought)
    both = np.vstack([profile(known, known), far])
    span = np.where(np.ptp(both, axis=0) > 0, np.ptp(both, axis=0), np.inf)

    def scores(candidates: Half) -> Array:
        near = profile(candidates, known)
        return -np.array([(((row - near) / span) ** 2).sum(axis=1) for row in far])

    return scores


def _shares(attacks: Mapping[str, Scores], known: Half, others: Iterable[Half], places: float) -> dict[str, Array]:
    """Everyone who is looked for against themselves and each other first, then against all others."""
    scored = {attack: scores(known) for attack, scores in attacks.items()}
    mine = {attack: np.diag(one) for attack, one in scored.items()}
    ranks = {attack: _ranks(one, mine[attack]) for attack, one in scored.items()}
    for half in others:
        ranks = {attack: ranks[attack] + _ranks(scores(half), mine[attack]) for attack, scores in attacks.items()}
    return {attack: expected_within(better, equal, places) for attack, (better, equal) in ranks.items()}


def _ranks(scores: Array, mine: Array) -> Array:
    """For each row how many columns are more alike than its own, and how many as much."""
    own = mine[:, None]
    slack = 1e-9 * (1 + np.abs(own))
    return np.array([(scores > own + slack).sum(axis=1), (np.abs(scores - own) <= slack).sum(axis=1)])


def expected_within(better: Array, equal: Array, within: float) -> Array:
    """The chance of each to be among the best, ties drawn at random."""
    return np.asarray(np.clip((within - better) / np.maximum(equal, 1), 0.0, 1.0))
