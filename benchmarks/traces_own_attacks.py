"""Three attacks on finished releases of traces that share no code with the package's own.

They read the released table and what is published beside it, nothing else, and know the log of the population.

- *a published number is somebody's own*: the bounds that a recipient checks a release with (most events of a student,
  most events of a session) are looked up among the students. Whoever alone has such a number is taken for a member.
- *whitened totals*: shares of events by day, hour, kind and step, and how much students did, of many releases that the
  attacker makes with keys of their own; their full covariance (Ledoit and Wolf 2004) says which directions carry little
  noise, and every student is scored by the matched filter Dᵀ S⁻¹ y.
- *the other half* (groups): who knows the first half of what a student did takes the group that fits best and reads in
  it on which days the student was active in the second half. The same is done for students who were left out of the
  release: what is read of them is what a course tells of anybody.

    python benchmarks/traces_own_attacks.py --data /path/to/data --log lamethods --noise 5 --releases 40
"""

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.covariance import LedoitWolf
from sklearn.metrics import roc_auc_score
from traces_attacks import LOGS, Log

from sharewell.data import engine
from sharewell.data.keyed import Keyed
from sharewell.traces.protection.invented_release import invented_release

Array = NDArray[np.float64]
PAUSE = pd.Timedelta(minutes=30)


def frame_of(table: pd.DataFrame, who: str, at: str, verb: str) -> pd.DataFrame:
    found = pd.DataFrame(
        {"who": table[who].astype(str), "at": pd.to_datetime(table[at]), "verb": table[verb].astype(str)}
    )
    return found.sort_values(["who", "at"], kind="stable").reset_index(drop=True)


def counted(events: pd.DataFrame) -> dict[str, pd.Series]:
    """Per student and cell, one table of counts per way to count."""
    same = events.who.eq(events.who.shift())
    step = (events.verb.shift() + " > " + events.verb)[same]
    many = np.log2(events.groupby("who").size()).mul(2).round().astype(int).astype(str)
    size = events.groupby("who").size()
    return {
        "day": events.groupby(["who", events["at"].dt.strftime("%Y-%m-%d")]).size(),
        "hour": events.groupby(["who", events["at"].dt.strftime("%H")]).size(),
        "kind": events.groupby(["who", "verb"]).size(),
        "step": step.groupby([events.who[same], step]).size(),
        "amount": pd.Series(1, index=pd.MultiIndex.from_arrays([size.index, many.loc[size.index]])),
    }


def numbers_of(events: pd.DataFrame) -> dict[str, pd.Series]:
    """What the published bounds are about, student by student."""
    begins = ~(events.who.eq(events.who.shift()) & (events["at"].diff() <= PAUSE))
    sizes = events.groupby([events.who, begins.cumsum()]).size()
    return {"longest": events.groupby("who").size(), "largest_session": sizes.groupby(level=0).max()}


class Totals:
    """Shares of the population, and by how much each student moves them."""

    def __init__(self, events: pd.DataFrame, most: int = 150) -> None:
        self.people = sorted(events.who.unique())
        self.cells, self.share, self.moves = {}, {}, {}
        for name, counts in counted(events).items():
            wide = counts.unstack(fill_value=0).reindex(self.people, fill_value=0)
            wide = wide[wide.sum().nlargest(most).index]
            total = wide.to_numpy(float)
            share = total.sum(axis=0) / total.sum()
            self.cells[name], self.share[name] = wide.columns, share
            self.moves[name] = (total - share * total.sum(axis=1, keepdims=True)) / total.sum()

    def change(self, events: pd.DataFrame) -> Array:
        found = []
        for name, counts in counted(events).items():
            own = counts.groupby(level=1).sum().reindex(self.cells[name], fill_value=0).to_numpy(float)
            found.append(own / max(own.sum(), 1.0) - self.share[name])
        return np.concatenate(found)

    @property
    def moved(self) -> Array:
        return np.concatenate([self.moves[name] for name in self.cells], axis=1)


def synthetic(log: Log, noise: float, releases: int) -> None:
    study = log.study("agreement", "synthetic")
    asked, course, verb = study._invention, study._course, log.quasi[0]
    people = frame_of(engine.arrow(course.events).to_pandas(), log.student, log.at, verb)
    known, totals = numbers_of(people), Totals(people)
    ids = [str(one) for one in asked.log.ids.to_pylist()]
    seen, inside, named, right = [], [], 0, 0
    for number in range(releases):
        own = replace(asked, keyed=Keyed(f"own attack {number}".encode().ljust(32), log.name), noises=(noise,))
        made = invented_release(own, noise, (), course.columns, like=course.events, window=course.window)
        member = dict(zip(ids, own.members(), strict=True))
        seen.append(totals.change(frame_of(engine.arrow(made.table).to_pandas(), log.student, log.at, verb)))
        inside.append(np.array([member[one] for one in totals.people]))
        for fact, values in known.items():
            alone = values.index[values == made.facts[fact]]
            named += len(alone) == 1
            right += len(alone) == 1 and bool(member[alone[0]])
    chance = float(np.mean(inside))
    print(f"{log.name}, noise {noise:g}, {releases} releases")
    print(
        f"  a published number is one student's own: {named} of {2 * releases}; "
        f"member {right} times (chance {chance:.2f})"
    )
    aucs = [roc_auc_score(inside[one], whitened(totals.moved, seen, one)) for one in range(releases)]
    print(f"  whitened totals: AUC {np.mean(aucs):.3f} ± {1.96 * np.std(aucs) / np.sqrt(releases):.3f}")


def whitened(moved: Array, seen: list[Array], one: int) -> Array:
    """The matched filter with the covariance of all other releases."""
    others = np.stack([found for place, found in enumerate(seen) if place != one])
    usual, scale = others.mean(axis=0), others.std(axis=0) + 1e-9
    spread = LedoitWolf(assume_centered=True).fit((others - usual) / scale)
    return np.asarray((moved / scale) @ spread.precision_ @ ((seen[one] - usual) / scale))


def groups(log: Log, left_out: float = 0.2) -> None:
    """Who is read better than somebody who is not in the file?"""
    table = engine.arrow(log.study("agreement", "groups").events).to_pandas()
    people = frame_of(table, log.student, log.at, log.quasi[0])
    everyone = sorted(people.who.unique())
    out = set(np.random.default_rng(4).permutation(everyone)[: int(left_out * len(everyone))])
    column = log.table[log.student].cast("string")
    made = replace(log, table=log.table.filter(column.notin(sorted(out)))).study("agreement", "groups").protect()
    rows = engine.arrow(made.table).to_pandas()
    days, shown = (
        found.groupby(["who", found["at"].dt.strftime("%Y-%m-%d")]).size().unstack(fill_value=0)
        for found in (people, frame_of(rows.assign(kind=""), log.student, log.at, "kind"))
    )
    when = sorted(set(days) | set(shown))
    days, shown = days.reindex(columns=when, fill_value=0), shown.reindex(columns=when, fill_value=0)
    middle = np.searchsorted(np.cumsum(days.sum()), days.sum().sum() / 2)
    early, late = when[:middle], when[middle:]
    usual = days[late].gt(0).mean().to_numpy()
    found: dict[str, list[float]] = {"in the file": [], "not in it": [], "by the course alone": []}
    for who in everyone:
        truth = days.loc[who, late].gt(0).to_numpy()
        if truth.all() or not truth.any():
            continue
        near = (np.sqrt(shown[early]) - np.sqrt(days.loc[who, early])).pow(2).sum(axis=1)
        best = shown.index[np.isclose(near, near.min())]
        guess = np.sqrt(shown.loc[best, late].to_numpy()).mean(axis=0) + 1e-3 * usual
        found["not in it" if who in out else "in the file"].append(roc_auc_score(truth, guess))
        found["by the course alone"].append(roc_auc_score(truth, usual))
    print(f"{log.name}, {made.facts['setting']}: active days of the second half, read in the group that fits the first")
    for name, values in found.items():
        print(
            f"  {name}: AUC {np.mean(values):.3f} ± {1.96 * np.std(values) / np.sqrt(len(values)):.3f} ({len(values)})"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--log", choices=list(LOGS), default="lamethods")
    parser.add_argument("--noise", type=float, default=5.0)
    parser.add_argument("--releases", type=int, default=40)
    parser.add_argument("--ways", nargs="*", default=["synthetic", "groups"])
    options = parser.parse_args()
    log = LOGS[options.log](options.data)
    if "synthetic" in options.ways:
        synthetic(log, options.noise, options.releases)
    if "groups" in options.ways:
        groups(log)


if __name__ == "__main__":
    main()
