"""Every attack on plain and on protected events of typists who were never used for tuning.

Protocol: Aalto typists (Dhakal et al. 2018) beyond the 1,200 lowest ids; protection as `sharewell release` does it,
with no draw ever thrown away. Every attack is then run on fresh draws of the chosen setting: raw and released
references, sessions parted in three ways, one known text; the mean over draws with its interval (Student's
t). Measuring seed 0.
"""

import argparse
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from keystrokes_typists import typists
from rich.console import Console
from rich.table import Table as Printed

from sharewell.contract import Risk
from sharewell.data import engine
from sharewell.data.keyed import Keyed
from sharewell.keystrokes import eventlog
from sharewell.keystrokes.columns import KeyColumns
from sharewell.keystrokes.protection import judging, lots, release
from sharewell.keystrokes.protection.search import IdentificationGoal, SettingSearch, chosen, drawn_release, judged
from sharewell.keystrokes.splits import WAYS
from sharewell.keystrokes.utility.habits import compare, habits

TUNED_ON = 1_200  # lowest ids
COLUMNS = KeyColumns(
    student="participant", session="section", key="keycode", press="press_ms", release="release_ms", unit="ms"
)
USES = ("mean speed kept", "differences in alphabetic digraphs kept", "differences in numeric digraphs kept",
        "differences in control digraphs kept", "session lengths kept")  # fmt: skip
RELEASES = 9  # that uses are averaged over
WANTED = {0.10: (0.80, 0.75, 0.30), 0.25: (0.92,)}


def search_of(data: Path, people: int, skip: int, limit: float, key: int) -> SettingSearch:
    events = eventlog.load(engine.table(typists(data, people, skip)), COLUMNS)
    goal = IdentificationGoal(found=limit, within=10, seed=0)
    return release.search_of(judging.original(events, 0), events, goal, Keyed(bytes([key]) * 32, "benchmark"))


def plain(search: SettingSearch) -> list[Risk]:
    return judging.averaged([judging.attacked(search.original, None, judging.everyone([1, 10]), WAYS, 0)])


def label(risk: Risk) -> tuple[str, str]:
    if risk.attacker == "amounts":
        return f"amounts: {risk.setting['of']}, {risk.setting['matched']}", "amounts"
    more = risk.setting.get("form") or risk.setting.get("occurrences") or (risk.name if "error" in risk.name else "")
    return f"{risk.attacker}{f', {more}' if more else ''}", str(risk.setting.get("reference", ""))


def cells(risks: Sequence[Risk]) -> dict[tuple[str, str], dict[int, Risk]]:
    found: dict[tuple[str, str], dict[int, Risk]] = {}
    for risk in risks:
        found.setdefault(label(risk), {})[risk.setting.get("within", 0)] = risk
    return found


def kept(search: SettingSearch, draws: int, setting) -> dict[str, list[float]]:  # type: ignore[no-untyped-def]
    """What is left for analysts in several releases, one per key."""
    before, found = habits(search.events), {name: [] for name in USES}  # type: ignore[var-annotated]
    for draw in range(draws):
        keyed = search.keyed.within(f"release {draw}")
        done = drawn_release(search.events, search.material, setting, keyed, lots.secrets(keyed, setting))
        after = habits(replace(search.events, typing=done.typing))
        for one in compare(before, after):
            if one.name in found:
                found[one.name].append(one.value)
    return found


def show(search: SettingSearch, limit: float, title: str, console: Console) -> None:
    start = time.process_time()
    choice = chosen(search)
    taken = time.process_time() - start
    before, after = cells(plain(search)), cells(judged([lambda: search], choice.setting, [1, 10]))
    heads = ("attack", "reference", "plain: first, within 10", "protected: first, within 10", "interval")
    printed = Printed(*heads, title=f"{title}, limit {limit:.2f}: {choice.setting}, {taken:.0f} s of CPU")
    worst = 0.0
    for (attack, reference), after_risks in sorted(
        after.items(), key=lambda item: -max(one.value for one in item[1].values())
    ):
        old = before.get((attack, "protected" if reference == "raw" else reference), {})
        if 10 not in after_risks:
            rates = [f"{one[0].value:.3f}" if 0 in one else "" for one in (old, after_risks)]
            printed.add_row(attack, reference, *rates, "")
            continue
        ten = after_risks[10]
        worst = max(worst, ten.value)
        shown = [f"{one[1].value:.3f}, {one[10].value:.3f}" if 10 in one else "" for one in (old, after_risks)]
        printed.add_row(attack, reference, *shown, f"{ten.low:.3f} to {ten.high:.3f}")
    console.print(printed)
    uses = {name: float(np.mean(values)) for name, values in kept(search, RELEASES, choice.setting).items()}
    console.print(f"strongest within ten {worst:.3f} (limit {limit:.2f}); "
                  + "; ".join(f"{name} {value:.3f}" for name, value in uses.items()))  # fmt: skip
    wanted = ", ".join(f"{value:.2f}" for value in WANTED.get(limit, ()))
    console.print(f"wanted: {wanted} for the first of these\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder that holds aalto_keystrokes")
    parser.add_argument("--people", type=int, default=200)
    parser.add_argument("--skip", type=int, nargs="*", default=[TUNED_ON], help="groups that begin after these ids")
    parser.add_argument("--limits", type=float, nargs="*", default=[0.10, 0.25])
    parser.add_argument("--key", type=int, default=1, help="number of the secret key that protection draws with")
    options = parser.parse_args()
    console = Console(width=150)
    for skip in options.skip:
        for limit in options.limits:
            search = search_of(options.data, options.people, skip, limit, options.key)
            show(search, limit, f"Typists {skip + 1} to {skip + options.people}", console)


if __name__ == "__main__":
    main()
