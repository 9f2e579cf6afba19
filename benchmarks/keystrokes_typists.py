"""Real typists: what attacks find in raw, coarse, delayed and protected events, and what protection keeps.

Protocol: Aalto typists (Dhakal et al. 2018), sentences 1–10 known to the attacker, 11–15 to be recognised; the 200
lowest ids, or all with --people 0. A digraph needs two occurrences in profiles. Protection is drawn with seeds 1, 2, …
"""

import argparse
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from rich.console import Console
from rich.table import Table as Printed

from sharewell import keystrokes
from sharewell.contract import Risk
from sharewell.data import engine
from sharewell.keystrokes import eventlog
from sharewell.keystrokes.columns import KeyColumns
from sharewell.keystrokes.eventlog import Events
from sharewell.keystrokes.measure.identification import ATTACKS
from sharewell.keystrokes.protection import judging
from sharewell.keystrokes.splits import WAYS

COLUMNS = {"student": "participant", "session": "section", "press": "press_ms", "release": "release_ms"}
KEYED = {**COLUMNS, "key": "keycode"}


def typists(data: Path, people: int, skip: int = 0) -> pa.Table:
    """The typists with the lowest ids after the first `skip`; all of them for no people."""
    file = data / "aalto_keystrokes" / "keystrokes_2329users.csv.gz"
    chosen = f"LIMIT {people} OFFSET {skip}" if people else ""
    return duckdb.sql(f"""
        WITH events AS (SELECT * FROM read_csv('{file}')),
             people AS (SELECT DISTINCT participant FROM events ORDER BY participant {chosen})
        SELECT participant, section, keycode, press_ms, release_ms,
               dense_rank() OVER (PARTITION BY participant ORDER BY section) AS sentence
        FROM events SEMI JOIN people USING (participant)
        ORDER BY participant, section, press_ms, keystroke_id""").to_arrow_table()


def halves(events: pa.Table, kind: str | None = None) -> tuple[pa.Table, pa.Table]:
    early = pc.less_equal(events["sentence"], 10)
    timed = [keystrokes.timings(events.filter(part), **KEYED) for part in (early, pc.invert(early))]
    if kind is not None:
        timed = [part.filter(pc.equal(part["kind"], kind)) for part in timed]
    return timed[0], timed[1]


def found(train: pa.Table, test: pa.Table, attack: str) -> list[float]:
    risks = keystrokes.identify(train, test, attack=attack, accept=[1, 10], occurrences=2)  # type: ignore[arg-type]
    return [risk.value for risk in risks]


def raw_attacks(events: pa.Table, console: Console, attacks: list[str]) -> None:
    printed = Printed("attack", "first", "within ten", "seconds", title="Raw events")
    train, test = halves(events)
    for attack in attacks:
        start = time.perf_counter()
        first, ten = found(train, test, attack)
        printed.add_row(attack, f"{first:.3f}", f"{ten:.3f}", f"{time.perf_counter() - start:.1f}")
    first, ten = found(*halves(events, "latency"), "likelihood")
    printed.add_row("likelihood, latencies only", f"{first:.3f}", f"{ten:.3f}", "")
    console.print(printed)


def weak_protections(events: pa.Table, console: Console) -> None:
    """Single events coarsened or delayed: the attacker averages them again. Raw and equally treated reference."""
    printed = Printed("single events", "raw reference", "treated reference", title="Latencies only: first, within ten")
    raw = halves(events, "latency")[0]
    treated = {
        f"{method} {step} ms": keystrokes.coarsen(events, step_ms=step, method=method, **COLUMNS)
        for method, step in (("bucket", 100), ("bucket", 300), ("bucket", 500), ("round", 100))
    }
    treated |= {f"delay {ms} ms": keystrokes.delay(events, most_ms=ms, seed=1, **COLUMNS) for ms in (25, 500)}
    for name, table in treated.items():
        train, test = halves(table, "latency")
        cells = [found(reference, test, "likelihood") for reference in (raw, train)]
        printed.add_row(name, *("{:.3f}, {:.3f}".format(*cell) for cell in cells))
    console.print(printed)


def speeds(events: pa.Table) -> np.ndarray:
    timed = keystrokes.timings(events, **KEYED)
    kept = timed.filter(pc.equal(timed["kind"], "latency")).group_by("student").aggregate([("ms", "mean")])
    return kept.sort_by("student")["ms_mean"].to_numpy()


def lengths(events: pa.Table) -> np.ndarray:
    ends = events.group_by(["participant", "section"]).aggregate([("press_ms", "min"), ("press_ms", "max")])
    ends = ends.sort_by([("participant", "ascending"), ("section", "ascending")])
    return (ends["press_ms_max"].to_numpy() - ends["press_ms_min"].to_numpy()).astype(float)


def loaded(events: pa.Table) -> Events:
    return eventlog.load(engine.table(events), KeyColumns(**KEYED, unit="ms"))


def strongest(before: Events, after: Events, seed: int) -> Risk:
    """The strongest of all attacks but the slowest on one release, sessions parted in every way."""
    source = judging.original(before, seed)
    return judging.strongest(judging.attacked(source, after.typing, judging.without_texts([10]), WAYS, seed), 10)


def ordered(before: pa.Table, after: pa.Table) -> bool:
    same = len(pc.unique(before["section"])) == len(pc.unique(after["section"]))
    inside = np.diff(after["section"].to_numpy()) == 0
    return same and bool((np.diff(after["press_ms"].to_numpy())[inside] >= 0).all())


def told(one: Risk) -> str:
    return f"{one.value:.3f} {one.attacker}"


def protection(events: pa.Table, limit: float, seeds: Sequence[int]) -> Iterator[tuple[str, ...]]:
    """One row per seed: the strongest attack on the one draw that is released. `keystrokes_attacks` has the means."""
    before = loaded(events)
    for seed in seeds:
        start = time.perf_counter()
        done = keystrokes.protect(events, limit=limit, accept=10, seed=seed, **KEYED)
        taken = time.perf_counter() - start
        logs = [np.log(np.maximum(lengths(table), 1)) for table in (events, done.table)]
        yield (
            f"{limit:.2f}, {seed}",
            f"{done.facts['exchanged']:.0%}, {done.facts['stray']:.0%}",
            told(strongest(before, loaded(done.table), seed)),
            f"{np.corrcoef(speeds(events), speeds(done.table))[0, 1]:.3f}",
            f"{np.corrcoef(*logs)[0, 1]:.3f}, {np.exp(np.quantile(np.abs(logs[0] - logs[1]), 0.95)):.2f}",
            "yes" if ordered(events, done.table) else "NO",
            f"{taken:.0f}",
        )


def protections(data: Path, people: int, skips: Sequence[int], seeds: int, console: Console) -> None:
    heads = ("limit, seed", "exchanged, drawn", "strongest on this draw", "speed r", "lengths r, 95 % factor")
    for skip in skips:
        events = typists(data, people, skip)
        title = f"Protected events of typists {skip + 1} to {skip + people}, within ten"
        printed = Printed(*heads, "order", "s", title=title)
        for limit in (0.10, 0.25):
            for row in protection(events, limit, range(1, seeds + 1)):
                printed.add_row(*row)
        console.print(printed)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder that holds aalto_keystrokes")
    parser.add_argument("--people", type=int, default=200)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--skip", type=int, nargs="*", default=[0], help="protection: groups that begin after these")
    parser.add_argument("--only", choices=("attacks", "weak", "protection"))
    parser.add_argument(
        "--attacks", nargs="*", default=[one for one in ATTACKS if one not in ("pauses", "lengths", "keys")]
    )
    options = parser.parse_args()
    console, events = Console(width=130), typists(options.data, options.people)
    console.print(f"{len(pc.unique(events['participant'])):,} typists, {events.num_rows:,} events")
    if options.only in (None, "attacks"):
        raw_attacks(events, console, options.attacks)
    if options.only in (None, "weak"):
        weak_protections(events, console)
    if options.only in (None, "protection"):
        protections(options.data, options.people, options.skip, options.seeds, console)


if __name__ == "__main__":
    main()
