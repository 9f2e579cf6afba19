"""What noise takes from attackers and from analysts: samples of ASSISTments 2009 over its skills, noise after noise.

Per number of students and noise: the strongest attack (mean of the splits, upper end of its interval, which one) and,
over the same releases, what is left: ranks of difficulty with the real ones' over items that ten of 60 unseen students
did (absent ones ranked last), knowledge tracing on unseen students less that of the real log, the worst of the first
three attempts of the learning curve, and steps off by. Seconds are of this process, user and system.
"""

import argparse
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
from responses_release import FEWEST, UNSEEN, assistments
from rich.console import Console
from rich.table import Table
from scipy.stats import spearmanr

from sharewell.data.keyed import Keyed
from sharewell.lab.membership import AUC, STRONGEST
from sharewell.lab.threads import one_thread
from sharewell.responses.log import Columns, Log, read
from sharewell.responses.protection.rasch import fit_rasch
from sharewell.responses.protection.strength_search import JUDGING, Level, Search, levels_for
from sharewell.responses.section import Section
from sharewell.responses.settings import Settings
from sharewell.responses.utility.histograms import of_histograms
from sharewell.responses.utility.knowledge_tracing import _auc, _fit
from sharewell.responses.utility.learning_curves import SHOWN, learning_curve

COLUMNS = Columns(student="user_id", item="skill_id", correct="correct")
NOISES = {100: (2.0, 4.0, 8.0, 16.0), 300: (1.0, 2.0, 4.0, 6.0), 1_000: (1.0, 2.0, 3.0), 3_000: (0.5, 1.0, 1.5)}


def logs(rows: pa.Table, students: int, seed: int) -> tuple[Log, Log]:
    """Some students, and others who train nothing, in one coding of items."""
    drawn = np.random.default_rng(seed).permutation(np.unique(np.asarray(rows["user_id"])))
    parts = drawn[:students], drawn[students : students + UNSEEN]
    inside, unseen = (rows.filter(pa.compute.is_in(rows["user_id"], value_set=pa.array(part))) for part in parts)
    real = read(inside, COLUMNS)
    others = read(unseen, COLUMNS, items=real.items)
    return replace(real, items=others.items), others


def left(real: Log, unseen: Log, fake: Log) -> tuple[float, ...]:
    """Ranks of difficulty, knowledge tracing, the worst of the first attempts, steps off by."""
    pairs = np.unique(unseen.item.astype(np.int64) * unseen.lengths.size + unseen.student) // unseen.lengths.size
    asked = np.bincount(pairs, minlength=len(unseen.items)) >= FEWEST
    there = np.bincount(fake.item, minlength=len(unseen.items)) > 0
    hard = np.where(there, fit_rasch(fake).difficulty, np.inf)
    ranks = float(spearmanr(hard[asked], fit_rasch(real).difficulty[asked]).statistic)
    worst = float(np.abs(learning_curve(fake) - learning_curve(real))[:SHOWN].max())
    steps = next(use.value for use in of_histograms(real, fake) if use.name == "step frequencies off by")
    return ranks, _auc(_fit(fake), unseen) - _auc(_fit(real), unseen), worst, steps


def row(real: Log, unseen: Log, noise: float, splits: int) -> list[str]:
    begun, control = time.process_time(), float(Section.__dataclass_fields__["control"].default)
    (level,) = levels_for(real, control, m=None, noise=noise)
    search = Search(
        log=real,
        columns=COLUMNS,
        settings=Settings(),
        levels=(level,),
        students=real.lengths.size,
        control=control,
        repeats=splits,
        limits={},
        keyed=Keyed(b"k" * 32, "benchmark"),
        seed=0,
    )
    made = search.splits(Level(noise, level.m), JUDGING, range(splits))
    risks = search.attacked(made, slow=0)
    worst = next(risk for risk in risks if risk.attacker == STRONGEST and risk.measure == AUC)
    uses = np.mean([left(real, unseen, split.fake) for split in made], axis=0)
    seconds = time.process_time() - begun
    shown = [f"{worst.value:.3f}", f"{worst.high:.3f}", str(worst.setting["attack"]), *(f"{use:+.3f}" for use in uses)]
    return [f"{real.lengths.size:,}", f"{noise:g}", str(level.m), *shown, f"{seconds:.0f}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the folder that holds assistments2009/")
    parser.add_argument("--students", type=int, nargs="+", default=list(NOISES), choices=list(NOISES))
    parser.add_argument("--splits", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    table = Table(title=f"seed {given.seed}, {given.splits} splits (10 for 3,000 students)")
    heads = (
        "students",
        "noise",
        "m",
        "strongest",
        "upper end",
        "attack",
        "rank r",
        "KT less real",
        "attempts 1–3",
        "steps",
    )
    for head in (*heads, "CPU s"):
        table.add_column(head)
    rows = assistments(given.data)
    with one_thread():
        for students in given.students:
            real, unseen = logs(rows, students, given.seed)
            for noise in NOISES[students]:
                splits = given.splits if students < 3_000 else min(given.splits, 10)
                table.add_row(*row(real, unseen, noise, splits))
    Console(width=140).print(table)


if __name__ == "__main__":
    main()
