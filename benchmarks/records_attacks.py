"""Attacks on finished tables at k = 5: ends of ranges, descriptions, kept columns, outcomes; with loss and AUC beside.

"Shrunk" labels list what occurs in their class, as local recoding did before its labels came from a public grid: the
same classes, described that way, show what the labels alone give away.
"""

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parent))
import records_adult
import records_data as data

from sharewell.data import engine
from sharewell.records.arrays import Array
from sharewell.records.limits import Limits
from sharewell.records.measure import kept_columns, known_outcomes, predicates
from sharewell.records.protection import anonymization
from sharewell.records.protection.recoding import Recoding, Request
from sharewell.records.protection.settings import Settings
from sharewell.records.public_labels import PublicLabels, labels_of
from sharewell.records.utility.summary import usefulness


@dataclass(frozen=True, kw_only=True)
class Case:
    name: str
    table: pa.Table
    quasi: tuple[str, ...]
    keep: tuple[str, ...]
    target: str
    hierarchies: Path | None = None


def performance(folder: Path, course: str) -> Case:
    source = data.performance(folder, course)
    table = source.table.assign(passed=source.outcome.astype(int))
    quasi = tuple(name for name in source.table.columns if name != "absences")
    made = pa.Table.from_pandas(table, preserve_index=False)
    return Case(name=source.name, table=made, quasi=quasi, keep=("absences",), target="passed")


def adult(folder: Path) -> Case:
    table = records_adult.read(folder / "arx_adult")
    quasi = tuple(name for name in table.column_names if name != "salary-class")
    return Case(
        name="Adult", table=table, quasi=quasi, keep=(), target="salary-class", hierarchies=folder / "arx_adult"
    )


def oulad(folder: Path) -> Case:
    table = pd.read_csv(next((folder / "oulad").glob("studentInfo.csv*")), dtype=str).drop_duplicates("id_student")
    quasi = ("gender", "region", "highest_education", "imd_band", "age_band")
    names = [*quasi, "studied_credits", "final_result"]
    made = pa.Table.from_pandas(table[names], preserve_index=False)
    return Case(name="OULAD", table=made, quasi=quasi, keep=("studied_credits",), target="final_result")


def edify(folder: Path) -> Case:
    table = pd.read_csv(folder / "moodle_edify" / "Final_Dataset.csv", dtype=str).drop(columns=["ApplicantName"])
    quasi = tuple(name for name in table.columns if name not in ("Result", "Played"))
    made = pa.Table.from_pandas(table, preserve_index=False)
    return Case(name="edify", table=made, quasi=quasi, keep=("Played",), target="Result")


CASES: dict[str, Callable[[Path], Case]] = {
    "mat": lambda folder: performance(folder, "mat"),
    "por": lambda folder: performance(folder, "por"),
    "edify": edify,
    "oulad": oulad,
    "adult": adult,
}


def rows_of(request: Request, labels: PublicLabels, number: int, reps: Array) -> Array:
    column = request.combinations.quasi[number]
    position = request.hierarchies[column.name].position
    return labels.place_of[[position[value] for value in column.values]][column.codes][reps]  # type: ignore[no-any-return]


def shrunk(request: Request, made: Recoding) -> tuple[list[predicates.Labelled], Array, float, float]:
    """The same classes with labels from first to last value that occurs; the share of ends owned by one, and ours."""
    reps = np.repeat(np.arange(request.combinations.counts.size), request.combinations.counts)
    classes, columns, owned, ours = made.classes[reps].astype(np.int64), [], [], []
    size = int(classes.max()) + 1
    for number, column in enumerate(request.combinations.quasi):
        known = labels_of(request.hierarchies[column.name])
        place, wide = rows_of(request, known, number, reps), known.places
        low, high = np.full(size, wide), np.zeros(size, np.int64)
        np.minimum.at(low, classes, place)
        np.maximum.at(high, classes, place)
        coarse = low < high
        owned += [_lone(classes, place, end)[coarse] for end in (low, high)]
        if known.ordered:
            first, last = _span_ends(known, made.labels[column.name], reps, classes, size)
            for end, printed in ((first, first > 0), (last, last < wide - 1)):  # an open end is not printed
                ours.append(_lone(classes, place, end)[coarse & printed & (first < last)])
        label = (low * wide + high)[classes]
        inside = {int(n): _between(wide, int(n) // wide, int(n) % wide) for n in np.unique(label)}
        columns.append(
            predicates.Labelled(
                name=column.name, true=place, label=label, inside=inside, margin=np.bincount(place, minlength=wide),
                cover=lambda a, b, wide=wide: a * wide + b,
            )
        )  # fmt: skip
    return columns, classes, float(np.concatenate(owned).mean()), float(np.concatenate(ours).mean()) if ours else 0.0


def _lone(classes: Array, place: Array, end: Array) -> Array:
    """Which classes have exactly one student at an end."""
    return np.bincount(classes[place == end[classes]], minlength=end.size) == 1  # type: ignore[no-any-return]


def _span_ends(known: PublicLabels, names: object, reps: Array, classes: Array, size: int) -> tuple[Array, Array]:
    """First and last place of the label of every class."""
    spans = {span.name: span for span in reversed(known.spans)}
    first, last = np.zeros(size, np.int64), np.zeros(size, np.int64)
    first[classes] = np.array([spans[name].first for name in names])[reps]  # type: ignore[attr-defined]
    last[classes] = np.array([spans[name].last for name in names])[reps]  # type: ignore[attr-defined]
    return first, last


def _between(wide: int, low: int, high: int) -> Array:
    inside = np.zeros(wide, bool)
    inside[low : high + 1] = True
    return inside


def measure(case: Case, t: float | None, guided: bool) -> list[str]:
    source = engine.table(case.table)
    sensitive = (case.target,) if t is not None else ()
    wanted = Settings(
        quasi=case.quasi, keep=case.keep, sensitive=sensitive, targets=(case.target,) if guided else (),
        limits=Limits(k=5, t=t), hierarchies=case.hierarchies, method="local", seconds=2,
    )  # fmt: skip
    request = wanted.request_for(source)
    made = wanted.recode(request)
    row = engine.fresh(source.columns, "row")
    done = anonymization.protect(source.mutate(**{row: _number()}), replace(wanted, method="local"), request)
    released = engine.arrow(done.table.order_by(row).drop(row))
    columns, classes, owned, coincide = shrunk(request, made)
    told = predicates.attack(columns, classes, seed=0)
    after = predicates.singled_out(case.table, released, request.combinations, request.hierarchies, seed=0)
    inside = kept_columns.alone_in_class(engine.table(released), case.quasi, case.keep)
    known = known_outcomes.outcome_risks(engine.table(released), case.quasi, [case.target])[1]
    useful = usefulness(case.table, released, quasi=case.quasi, target=case.target, hierarchies=case.hierarchies)
    auc = next((u for u in useful if u.name == "AUC" and u.setting["model"] == "random forest"), None)
    return [
        case.name, "guided" if guided else "plain", "–" if t is None else f"{t}", f"{owned:.0%} → {coincide:.0%}",
        f"{told.value:.2f} → {after.value:.2f} [{after.low:.2f}, {after.high:.2f}]", f"{after.chance:.2f}",
        f"{inside[0].value:.1%}" if inside else "", f"{known.value:.0%}", f"{done.loss:.3f}",
        f"{auc.value:.3f} of {auc.baseline:.3f}" if auc else "",
    ]  # fmt: skip


def _number() -> object:
    import ibis

    return ibis.row_number()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sets", default=",".join(CASES))
    options = parser.parse_args()
    shown = Table(title="Local recoding, k = 5; left of → labels that shrink to their class, right of it ours")
    heads = ("data", "search", "t", "ends owned by one", "description fits one", "blind", "class × kept")
    for name in (*heads, "≥ 90 % known", "loss", "AUC"):
        shown.add_column(name)
    for name in options.sets.split(","):
        case = CASES[name](options.data)
        for guided, t in ((False, None), (True, None), (True, 0.4)):
            shown.add_row(*measure(case, t, guided))
    Console(width=170).print(shown)


if __name__ == "__main__":
    main()
