"""Real typists: what attacks find in raw, coarse, delayed and protected events, and what protection keeps.

Protocol: Aalto typists (Dhakal et al. 2018), sentences 1–10 known to the attacker, 11–15 to be recognised; the 200
lowest ids, or all with --people 0. A digraph needs two occurrences in profiles. Protection is drawn with seeds 1, 2, …
"""

import argparse
import time
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from rich.console import Console
from rich.table import Table as Printed

from sharewell import keystrokes
from sharewell.keystrokes.identification import ATTACKS

COLUMNS = {"student": "participant", "session": "section", "press": "press_ms", "release": "release_ms"}
KEYED = {**COLUMNS, "key": "keycode"}


def typists(data: Path, people: int) -> pa.Table:
    file = data / "aalto_keystrokes" / "keystrokes_2329users.csv.gz"
    chosen = f"LIMIT {people}" if people else ""
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


def speeds(events: pa.Table) -> dict[str, np.ndarray]:
    timed = keystrokes.timings(events, **KEYED)
    kept = timed.filter(pc.equal(timed["kind"], "latency")).group_by("student").aggregate([("ms", "mean")])
    return kept.sort_by("student")["ms_mean"].to_numpy()


def pause_rate(events: pa.Table) -> float:
    press, session = events["press_ms"].to_numpy(), events["section"].to_numpy()
    return float(np.mean(np.diff(press)[np.diff(session) == 0] > 750))


def protection(events: pa.Table, limit: float, seed: int, printed: Printed) -> None:
    start = time.perf_counter()
    done = keystrokes.protect(events, limit=limit, accept=10, seed=seed, **KEYED)
    taken = time.perf_counter() - start
    raw, (train, test) = halves(events)[0], halves(done.table)
    worst = {
        name: max((found(one, test, attack)[1], attack) for attack in ATTACKS if attack != "pauses")
        for name, one in (("raw", raw), ("protected", train))
    }
    late = [table.filter(pc.greater(table["sentence"], 10)) for table in (events, done.table)]
    everything = np.corrcoef(speeds(events), speeds(done.table))[0, 1]
    target = np.corrcoef(speeds(late[0]), speeds(late[1]))[0, 1]
    same = all(events[name].equals(done.table[name]) for name in ("participant", "section", "keycode"))
    inside = np.diff(done.table["section"].to_numpy()) == 0
    ordered = bool((np.diff(done.table["press_ms"].to_numpy())[inside] >= 0).all())
    printed.add_row(
        f"{limit:.2f}, seed {seed}",
        f"{done.facts['groups']}, {done.facts['mix']:.0%}",
        *("{:.3f} {}".format(*worst[name]) for name in ("raw", "protected")),
        f"{everything:.3f}, {target:.3f}",
        f"{pause_rate(events):.4f} → {pause_rate(done.table):.4f}",
        "yes" if same and ordered else "NO",
        f"{taken:.0f}",
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder that holds aalto_keystrokes")
    parser.add_argument("--people", type=int, default=200)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", choices=("attacks", "weak", "protection"))
    parser.add_argument("--attacks", nargs="*", default=[one for one in ATTACKS if one != "pauses"])
    options = parser.parse_args()
    console, events = Console(width=130), typists(options.data, options.people)
    console.print(f"{len(pc.unique(events['participant'])):,} typists, {events.num_rows:,} events")
    if options.only in (None, "attacks"):
        raw_attacks(events, console, options.attacks)
    if options.only in (None, "weak"):
        weak_protections(events, console)
    if options.only in (None, "protection"):
        heads = ("limit", "groups, mix", "worst, raw ref.", "worst, protected ref.", "speed r: all, target")
        printed = Printed(
            *heads, "pauses > 750 ms", "keys, order hold", "seconds", title="Protected events, within ten"
        )
        for limit in (0.10, 0.25):
            for seed in range(1, options.seeds + 1):
                protection(events, limit, seed, printed)
        console.print(printed)


if __name__ == "__main__":
    main()
