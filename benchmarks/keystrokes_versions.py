"""Versions of one release of typing, averaged: how many typists are found by those who hold several of them?

    python benchmarks/keystrokes_versions.py --data FOLDER [--skip 0] [--versions 1 5 20] [--keys 4] [--stray 0.6]

Aalto typists (Dhakal et al. 2018), two classes of speeds, whole sessions exchanged. Versions are draws under one key:
times and exchanged keys are drawn anew in each, lots and what stays with a student are the same. Sessions of all
versions are put together under the pseudonyms that they share. Attackers know the sessions as they were typed: kinds of
pairs, the side of the mean speed, both together; and one who knows every student's mean in digits exactly.
"""

import argparse
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from keystrokes_attacks import search_of
from rich.console import Console
from rich.table import Table as Printed

from sharewell.keystrokes import splits
from sharewell.keystrokes.arrays import TypedEvents
from sharewell.keystrokes.keygroups import NUMERIC, digraph_groups
from sharewell.keystrokes.latencies import LONGEST_MS, SHORTEST_MS
from sharewell.keystrokes.measure.measuring import Attackers, measure
from sharewell.keystrokes.protection import lots, versions
from sharewell.keystrokes.protection.draft import KeySetting, Setting, draw
from sharewell.keystrokes.protection.search import SettingSearch
from sharewell.keystrokes.utility.habits import compare, habits

Array = np.ndarray[Any, Any]
WITHIN = 10


def digits(typing: TypedEvents, students: int) -> Array:
    """The mean log time of every student between digits; none is not a number."""
    kinds = np.append(typing.kinds, 0)
    some = digraph_groups(kinds[typing.key], kinds[typing.next_key]) == NUMERIC
    some &= (typing.latency >= SHORTEST_MS) & (typing.latency <= LONGEST_MS)
    number = np.bincount(typing.student[some], minlength=students)
    total = np.bincount(typing.student[some], np.log(typing.latency[some]), students)
    return np.where(number > 0, total / np.maximum(number, 1), np.nan)


def found_by_digits(seen: Array, known: Array) -> float:
    """Of all students: those without digits are looked for blindly."""
    both = np.isfinite(seen) & np.isfinite(known)
    slope, level = np.polyfit(known[both], seen[both], 1)
    apart = np.abs(seen[both][:, None] - (slope * known + level)[both])
    hits = ((apart < np.diagonal(apart)[:, None]).sum(axis=1) < WITHIN * both.mean()).sum()
    return float((hits + (~both).sum() * WITHIN / both.size) / both.size)


def attacked(search: SettingSearch, setting: Setting, key: int, number: int) -> dict[str, float]:
    keyed, students = search.keyed.within(f"key {key}"), len(search.events.students)
    held = lots.of_release(lots.secrets(keyed, setting), search.events)
    drawn = [draw(search.material, setting, keyed.generator(f"version {one}"), held).typing for one in range(number)]
    source, way = search.original, splits.WAYS[1]
    attackers = Attackers(within=(WITHIN,), seed=key, attacks=versions.ATTACKS, references=("raw",))
    risks = measure(source.raw[way], versions.pooled(source, drawn, source.targets[way]), attackers)
    found = {one.attacker: one.value for one in risks}
    known = digits(search.original.events.typing, students)
    kept = compare(habits(search.events), habits(replace(search.events, typing=drawn[0])))
    uses = {one.name: one.value for one in kept if "numeric" in one.name or one.name == "mean speed kept"}
    return {
        **found,
        "digits known exactly": found_by_digits(np.mean([digits(one, students) for one in drawn], axis=0), known),
        **uses,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder that holds aalto_keystrokes")
    parser.add_argument("--people", type=int, default=200)
    parser.add_argument("--skip", type=int, default=0)
    parser.add_argument("--versions", type=int, nargs="*", default=[1, 5, 20])
    parser.add_argument("--keys", type=int, default=4)
    parser.add_argument("--stray", type=float, default=0.6)
    asked = parser.parse_args()
    search = search_of(asked.data, asked.people, asked.skip, 0.10, 1)
    setting = Setting(keys=KeySetting(exchanged=1.0, any_size=True), classes=2, stray=asked.stray)
    start, shown = time.process_time(), None
    for number in asked.versions:
        found = [attacked(search, setting, key, number) for key in range(asked.keys)]
        shown = shown or Printed("versions", *found[0], title=f"typists from {asked.skip + 1}, {asked.keys} keys")
        told = [np.array([one[name] for one in found]) for name in found[0]]
        shown.add_row(str(number), *(f"{one.mean():.3f} ± {one.std(ddof=1) / len(one) ** 0.5:.3f}" for one in told))
    Console(width=150).print(shown, f"{time.process_time() - start:.0f} s of CPU")


if __name__ == "__main__":
    main()
