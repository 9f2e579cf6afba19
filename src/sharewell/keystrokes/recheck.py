"""What a recipient can check from the released file alone. Shares no code with what protected it: plain and slow.

Sessions of a pseudonym are recognised from its other sessions by two attacks written a second time, straight from their
formulas: the likelihood ratio (two-level normal model, Lindley 1977) and the thesis's nearest profiles (Leinonen 2016,
§4.2). A share is measured on so many people and so may be over the limit by chance: the release fails where the lower
end of the interval is. Order, times and the names of sessions are checked to the letter.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import ibis
import numpy as np
import pyarrow as pa
from ibis.expr.types import Table

from sharewell.contract import Measure, Risk
from sharewell.data import engine
from sharewell.data.formats.clocks import milliseconds
from sharewell.keystrokes.kind import DISORDER, EARLY_RELEASES, LATE_STARTS, NAMED_SESSIONS, RECHECKED
from sharewell.stats.intervals import wilson

Array = np.ndarray[Any, Any]
MOST_PEOPLE = 500  # looked for among each other; of a larger file so many are drawn
SHORTEST, LONGEST = 10.0, 750.0  # ms: what counts as rhythm
COMMON = 0.2  # of the people have a feature in both halves
DIGRAPHS, OCCURRENCES = 25, (2, 5)
SESSION = r"^s_*([1-9][0-9]*)$"


@dataclass(frozen=True, kw_only=True)
class Half:
    """Per person and feature: how many times, their mean in ms, the mean and the spread of their logarithms."""

    count: Array
    mean: Array
    log_mean: Array
    log_spread: Array


def recheck(released: Table, facts: Mapping[str, Any]) -> list[Risk]:
    """Everything that does not hold is a risk over its limit."""
    events = _events(released, facts)
    people = sorted(engine.arrow(events.select("student").distinct())["student"].to_pylist())
    checks = [*_order(events), _names(events)]
    return [*checks, *_identification(events, people, facts)]


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


def _identification(events: Table, people: list[str], facts: Mapping[str, Any]) -> Iterator[Risk]:
    within, everyone = float(facts["within"]), len(people)
    if everyone > MOST_PEOPLE:
        drawn = np.random.default_rng(facts["seed"]).choice(everyone, MOST_PEOPLE, replace=False)
        people = [people[place] for place in np.sort(drawn)]
        within *= MOST_PEOPLE / everyone  # fewer to hide among: the list is as much shorter
        events = events.semi_join(engine.listed(pa.table({"student": people})), "student")
    known, sought, latencies = _halves(events, people)
    scores = {"likelihood": likelihood(known, sought)}
    for least in OCCURRENCES:
        scores[f"nearest, {least} occurrences"] = nearest(known, sought, latencies, least)
    for attack, score in scores.items():
        share = expected_within(score, within)[sought.count.sum(axis=1) > 0]
        low, high = wilson(float(share.sum()), len(share))
        yield Risk(
            measure=RECHECKED,
            attacker=attack,
            value=low,
            low=low,
            high=high,
            n=len(share),
            chance=min(1.0, facts["within"] / everyone),
            seed=facts["seed"],
            setting={"within": facts["within"], "measured": round(float(share.mean()), 4)},
            gate=facts["gate"],
            limit=float(facts["found"]),
        )


def _halves(events: Table, people: list[str]) -> tuple[Half, Half, Array]:
    """What is known and what is sought, over the same people and features; which features are latencies."""
    rows = engine.arrow(events.order_by("student", "session", "press", "place"))
    who = np.searchsorted(people, rows["student"].to_pylist())
    session = np.array(rows["session"].to_pylist(), dtype=str)
    key = np.array(rows["key"].fill_null("").to_pylist(), dtype=str)
    press, release, week = (rows[name].to_numpy(zero_copy_only=False) for name in ("press", "release", "week"))
    target = _target(who, session, week)
    follows = (who[1:] == who[:-1]) & (session[1:] == session[:-1])
    pair = np.char.add(np.char.add(key[:-1], "\x00"), key[1:])[follows]
    feature = np.concatenate([np.char.add("L", pair), np.char.add("H", key)])
    ms = np.concatenate([np.diff(press)[follows], release.astype(float) - press])
    owner, late = np.concatenate([who[1:][follows], who]), np.concatenate([target[1:][follows], target])
    rhythm = (ms >= SHORTEST) & (ms <= LONGEST)
    names, code = np.unique(feature[rhythm], return_inverse=True)
    owner, late, ms = owner[rhythm], late[rhythm], ms[rhythm]
    known, sought = (
        _half(owner[late == part], code[late == part], ms[late == part], len(people), len(names)) for part in (0, 1)
    )
    return known, sought, np.char.startswith(names, "L")


def _target(who: Array, session: Array, week: Array) -> Array:
    """The last week; without weeks the last third of everyone's sessions by name."""
    if len(np.unique(week)) > 1:
        return np.asarray((week == week.max()).astype(int))
    result = np.zeros(len(who), dtype=int)
    for person in np.unique(who):
        mine = who == person
        names, place = np.unique(session[mine], return_inverse=True)
        result[mine] = place * 3 >= len(names) * 2
    return result


def _half(owner: Array, code: Array, ms: Array, people: int, features: int) -> Half:
    cell, size, logs = owner * features + code, people * features, np.log(ms)
    count = np.bincount(cell, minlength=size)
    mean, log_mean = (np.bincount(cell, one, size) / np.maximum(count, 1) for one in (ms, logs))
    spread = np.bincount(cell, (logs - log_mean[cell]) ** 2, size)
    return Half(**{
        name: one.reshape(people, features).astype(float)
        for name, one in (("count", count), ("mean", mean), ("log_mean", log_mean), ("log_spread", spread))
    })  # fmt: skip


def likelihood(known: Half, sought: Half) -> Array:
    """Σ log N(a − b; 0, v) − log N(a − b; 0, v + 2s) over features that both have; v = w/n_a + w/n_b."""
    common = np.minimum((known.count > 0).mean(axis=0), (sought.count > 0).mean(axis=0)) >= COMMON
    count = [half.count[:, common] for half in (known, sought)]
    spread = sum(half.log_spread[:, common].sum(axis=0) for half in (known, sought))
    within = spread / np.maximum(sum((one - 1).clip(0).sum(axis=0) for one in count), 1)
    logs = [np.where(n > 0, half.log_mean[:, common], np.nan) for half, n in zip((known, sought), count, strict=True)]
    centred = [one - np.nanmean(one, axis=0) for one in logs]
    between = np.minimum(*(
        np.nanvar(one, axis=0, ddof=1) - within * np.nanmean(np.where(n > 0, 1 / np.maximum(n, 1), np.nan), axis=0)
        for one, n in zip(centred, count, strict=True)
    ))  # fmt: skip
    tells = (within > 0) & (between > 1e-4 * within)
    result = np.zeros((len(count[1]), len(count[0])))
    for row in range(len(result)):
        gap = centred[1][row, tells] - centred[0][:, tells]
        with np.errstate(divide="ignore", invalid="ignore"):
            same = within[tells] / count[1][row, tells] + within[tells] / count[0][:, tells]
            ratio = np.log((same + 2 * between[tells]) / same) - gap**2 * (1 / same - 1 / (same + 2 * between[tells]))
        result[row] = 0.5 * np.where(np.isfinite(ratio), ratio, 0.0).sum(axis=1)
    return result


def nearest(known: Half, sought: Half, latencies: Array, least: int) -> Array:
    """Less the Euclidean distance of scaled mean latencies of the commonest digraphs, rare ones filled by the mean."""
    counts = np.vstack([known.count, sought.count])[:, latencies]
    chosen = np.lexsort((np.arange(counts.shape[1]), -counts.mean(axis=0), -np.median(counts, axis=0)))[:DIGRAPHS]
    profiles = []
    for half in (known, sought):
        count, mean = half.count[:, latencies], half.mean[:, latencies]
        total, number = (count * mean).sum(axis=1), count.sum(axis=1)
        own = np.where(number > 0, total / np.maximum(number, 1), total.sum() / max(number.sum(), 1.0))
        profiles.append(np.where(count[:, chosen] >= least, mean[:, chosen], own[:, None]))
    both = np.vstack(profiles)
    span = np.where(np.ptp(both, axis=0) > 0, np.ptp(both, axis=0), np.inf)
    near, far = ((one - both.min(axis=0)) / span for one in profiles)
    return -np.array([((row - near) ** 2).sum(axis=1) for row in far])


def expected_within(scores: Array, within: float) -> Array:
    """For each row the chance that its own column is among the best, ties drawn at random."""
    mine = np.diag(scores)[:, None]
    slack = 1e-9 * (1 + np.abs(mine))
    better = (scores > mine + slack).sum(axis=1)
    equal = (np.abs(scores - mine) <= slack).sum(axis=1)
    return np.asarray(np.clip((within - better) / np.maximum(equal, 1), 0.0, 1.0))
