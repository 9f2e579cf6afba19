"""How near to students it has never seen can any generator come? Steps over the 17,708 items of ASSISTments 2009.

Steps of the held-out half are predicted by a boosted regression on all that the training half tells about a pair of
items: how often and by how many students the step was taken, there and back, how often both were done within ten
rows, how common each is, their skills, and how far apart they stand in the order of ids. The regression is fitted on
the very counts of the held-out half that it then predicts: with hindsight, so that the figures err towards what is
possible. Total variation of step frequencies to the held-out half is given for the predicted frequencies, for as many
draws from them as the log has steps, and for the choice of steps that would be best if the predictions were true. A
generator that does not tell who trained it comes no nearer to the training half, up to what its limit allows.
"""

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from responses_safety import load
from rich.console import Console
from rich.table import Table
from scipy.stats import poisson

from sharewell.responses.log import Log
from sharewell.responses.protection.strength_search import members
from sharewell.responses.steps_taken import step_keys, tally

ROWS_APART, PLACES_APART, MOST_TIMES = 10, 40, 30


@dataclass(frozen=True)
class Counts:
    """Sorted keys with how often, and with how many students."""

    keys: np.ndarray
    times: np.ndarray
    students: np.ndarray

    def of(self, keys: np.ndarray, what: str = "times") -> np.ndarray:
        place = np.minimum(np.searchsorted(self.keys, keys), self.keys.size - 1)
        return np.where(self.keys[place] == keys, getattr(self, what)[place], 0)


def together(log: Log) -> Counts:
    """Pairs of items done within some rows of each other; single steps forward are left to the step counts."""
    items, student, item = len(log.items), log.student.astype(np.int64), log.item.astype(np.int64)
    keys, who = [], []
    for apart in range(1, ROWS_APART + 1):
        same = student[apart:] == student[:-apart]
        early, late = item[:-apart][same], item[apart:][same]
        for one, other in ((late, early), (early, late))[: 2 if apart > 1 else 1]:
            keys.append(one * items + other)
            who.append(student[apart:][same])
    return Counts(*tally(np.concatenate(keys), np.concatenate(who)))


def candidates(steps: Counts, pairs: Counts, items: int) -> np.ndarray:
    """Steps that were taken, items done near each other, and neighbours in the order of ids."""
    started = np.unique(steps.keys // items)
    near = np.clip(started[:, None] + np.arange(-PLACES_APART, PLACES_APART + 1), 0, items - 1)
    return np.unique(np.concatenate([steps.keys, pairs.keys, (started[:, None] * items + near).ravel()]))


def features(log: Log, steps: Counts, pairs: Counts, keys: np.ndarray) -> np.ndarray:
    items = len(log.items)
    one, other = keys // items, keys % items
    times, skill = np.bincount(log.item, minlength=items), log.skill_of
    assert skill is not None
    per_skill = np.bincount(skill[log.item], minlength=int(skill.max()) + 1)
    columns = [
        *(steps.of(keys, what) for what in ("times", "students")),
        steps.of(other * items + one, "students"),
        *(pairs.of(keys, what) for what in ("times", "students")),
        *(times[one], times[other], per_skill[skill[one]], per_skill[skill[other]]),
        np.clip(other - one, -PLACES_APART - 1, PLACES_APART + 1),
        skill[one] == skill[other],
    ]
    return np.stack(columns, axis=1).astype(np.float32)


def best_choice(expected: np.ndarray, size: int) -> np.ndarray:
    """The `size` draws that would overlap most with Poisson counts of these expectations."""
    chance = np.stack([poisson.sf(times, expected) for times in range(MOST_TIMES)], axis=1)
    chosen = np.argpartition(-chance.ravel(), size)[:size]
    return np.bincount(chosen // MOST_TIMES, minlength=expected.size)


def off_by(made: np.ndarray, real: np.ndarray, steps: int) -> float:
    return 1 - float(np.minimum(made / made.sum(), real / steps).sum())


def measured(log: Log, seed: int) -> dict[str, float]:
    from sklearn.ensemble import HistGradientBoostingRegressor

    member = members(log, 0.5, np.random.default_rng(seed))
    train, held_out = log.only(member), log.only(~member)
    steps, pairs = Counts(*tally(*step_keys(train))), together(train)
    keys = candidates(steps, pairs, len(log.items))
    later = Counts(*tally(*step_keys(held_out)))
    size, real = int(steps.times.sum()), later.of(keys)
    of = features(train, steps, pairs, keys)
    model = HistGradientBoostingRegressor(max_iter=120, learning_rate=0.08, min_samples_leaf=300, random_state=seed)
    expected = np.maximum(model.fit(of, real).predict(of), 1e-7)
    drawn = np.random.default_rng(seed).multinomial(size, expected / expected.sum())
    total = int(later.times.sum())
    return {
        "the training half itself": off_by(steps.of(keys), real, total),
        "predicted frequencies": off_by(expected, real, total),
        "as many draws from them as the log has steps": off_by(drawn, real, total),
        "the best choice of steps, were they true": off_by(best_choice(expected, size), real, total),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the folder that holds assistments2009/")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    table = Table("what", "steps off by, to the held-out half", title=f"seed {asked.seed}")
    for what, value in measured(load(asked.data, "item_id")[0], asked.seed).items():
        table.add_row(what, f"{value:.3f}")
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
