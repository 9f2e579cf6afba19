"""Typing released in parts and held whole: does it cost safety or use that everybody takes rhythms from some students?

    python benchmarks/keystrokes_parts.py --data FOLDER [--people 1000] [--skip 1200] [--each 200] [--stray 0.6]

Aalto typists (Dhakal et al. 2018), two classes of speeds, whole sessions exchanged, one key. The limits of a large file
are lowered so that so many typists stand for all, and parts are as large. The same students are looked for among the
same others in both releases, by all attacks but the two slowest and three ways of parting their sessions.
"""

import argparse
import time
from pathlib import Path
from unittest.mock import patch

from keystrokes_typists import typists
from rich.console import Console
from rich.table import Table as Printed

from sharewell.contract import Job, Protected
from sharewell.data import engine
from sharewell.data.keyed import Keyed
from sharewell.keystrokes import parts, study
from sharewell.keystrokes.kind import SPEED
from sharewell.keystrokes.protection import in_parts, judging, search
from sharewell.keystrokes.protection.draft import KeySetting, Setting
from sharewell.keystrokes.protection.search import Choice
from sharewell.keystrokes.section import Limit, Section
from sharewell.keystrokes.study_in_parts import StudyInParts, over_parts

WITHIN = 10


def job_of(data: Path, people: int, skip: int) -> Job:
    columns = {"student": "participant", "session": "section", "key": "keycode", "press": "press_ms"}
    section = Section(
        name="typing", folder=data, file="-", unit="ms", limit=Limit(found=0.1, within=WITHIN), redact_text=False,
        release="release_ms", **columns,
    )  # fmt: skip
    source = engine.table(typists(data, people, skip).drop_columns(["sentence"]))
    return Job(section=section, source=source, seed=0, keyed=Keyed(b"k" * 32, "benchmark"))


def measured(opened: StudyInParts, done: Protected) -> list[str]:
    """What is found in parts that chose nothing, among those who stand for all, and how speeds correlate."""
    panels = dict.fromkeys(range(opened.roster.parts), judging.without_slow([WITHIN]))
    found = opened.seen(done, panels).found(panels)
    first = found.pop(parts.FIRST)
    worst = [judging.strongest(over_parts(risks), WITHIN) for risks in (list(found.values()), [first])]
    kept = next(one.value for one in opened.utility(done) if one.measure == SPEED)
    return [*(f"{one.value:.3f} ({one.low:.3f} to {one.high:.3f}, {one.attacker})" for one in worst), f"{kept:.2f}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--people", type=int, default=1_000)
    parser.add_argument("--skip", type=int, default=1_200)
    parser.add_argument("--each", type=int, default=200)
    parser.add_argument("--stray", type=float, default=0.6)
    options = parser.parse_args()
    job, start = job_of(options.data, options.people, options.skip), time.process_time()
    size = int(engine.value(job.source.count())) * options.each // options.people
    setting = Setting(keys=KeySetting(exchanged=1.0, any_size=True), classes=2, stray=options.stray)
    printed = Printed("released", "found in other parts", "found among those who stand for all", "speeds kept")
    chosen = {"chosen": lambda _: Choice(setting=setting)}
    with patch.multiple(parts, LARGE=0, STAND_FOR_ALL=size, IN_A_PART=size, LEAST_STUDENTS=2):
        opened = study.open_in_parts(job)
        with patch.multiple(in_parts, **chosen), patch.multiple(search, **chosen):
            releases = {"in parts": opened.protect(), "held whole": study.held_whole(job).protect()}
    for name, done in releases.items():
        printed.add_row(name, *measured(opened, done))
    Console().print(printed, f"{time.process_time() - start:.0f} s of the processor, {opened.roster.parts} parts")


if __name__ == "__main__":
    main()
