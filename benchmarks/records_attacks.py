"""Attacks on finished tables at k = 5: ends of ranges, descriptions, kept columns, outcomes; with loss and AUC beside.

"Shrunk" labels reach from the first to the last value that occurs in their class, as local recoding's did before they
came from a public grid: the same classes, described that way, show what the labels alone give away. An end is owned by
one if exactly one student of the class has it and it would not be there without them: a shrunk label is made again from
the rest of the class, ours from a grid that is made again from the rest of the table. Ends that merely coincide with
the value of one student are told beside it, with how many there would be if values were dealt anew within each label.

Long tables are sampled for the AUC (4,000 rows) and Adult for the attacks (600 classes); all else is measured whole.
"""

import argparse
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import ibis
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
from sharewell.records.utility.most_predictable import most_auc
from sharewell.records.utility.summary import usefulness
from sharewell.stats.number_grid import make_grid

K, MODELLED, DEALS = 5, 4_000, 20
_RANGE = re.compile(r"^\[(\S+), (\S+)([\])])$")
_OPEN = re.compile(r"^(\S+) or more$")


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
    place: Array = labels.place_of[[position[value] for value in column.values]][column.codes][reps]
    return place


def shrunk(request: Request, made: Recoding) -> tuple[list[predicates.LabelledColumn], Array, float]:
    """The same classes with labels from first to last value that occurs; and the share of ends owned by one."""
    reps = np.repeat(np.arange(request.combinations.counts.size), request.combinations.counts)
    reps = reps[~made.gone[reps]]
    classes, columns, owned = np.unique(made.classes[reps], return_inverse=True)[1], [], []
    size = int(classes.max()) + 1
    for number, column in enumerate(request.combinations.quasi):
        known = labels_of(request.hierarchies[column.name])
        place, wide = rows_of(request, known, number, reps), known.places
        low, high = np.full(size, wide), np.zeros(size, np.int64)
        np.minimum.at(low, classes, place)
        np.maximum.at(high, classes, place)
        if known.ordered:
            owned += [_lone(classes, place, end)[low < high] for end in (low, high)]
        label = (low * wide + high)[classes]
        inside = {int(n): _between(wide, int(n) // wide, int(n) % wide) for n in np.unique(label)}
        columns.append(
            predicates.LabelledColumn(
                name=column.name, true=place, label=label, inside=inside, margin=np.bincount(place, minlength=wide),
                cover=partial(_from_to, wide),
            )
        )  # fmt: skip
    return columns, classes, float(np.concatenate(owned).mean()) if owned else 0.0


def _from_to(wide: int, low: Array, high: Array) -> Array:
    return low * wide + high


def _lone(classes: Array, place: Array, end: Array) -> Array:
    """Which classes have exactly one student at an end."""
    return np.bincount(classes[place == end[classes]], minlength=end.size) == 1  # type: ignore[no-any-return]


def _between(wide: int, low: int, high: int) -> Array:
    inside = np.zeros(wide, bool)
    inside[low : high + 1] = True
    return inside


@dataclass(kw_only=True)
class Ends:
    """Printed ends of ranges; those where one student of the class stands, expected so, and those that go with them."""

    printed: int = 0
    lone: int = 0
    dealt: float = 0.0
    owned: int = 0

    def share(self, count: float) -> float:
        return count / max(self.printed, 1)


def ends_of(case: Case, released: pa.Table) -> Ends:
    """Ends as a reader finds them in the file: nothing of the search is used, only the grid is made again."""
    found = Ends()
    cells = {name: released[name].to_pylist() for name in case.quasi}
    rows = list(zip(*cells.values(), strict=True))
    groups: dict[Any, list[int]] = {}
    for number, row in enumerate(rows):
        groups.setdefault(row, []).append(number)
    draw = np.random.default_rng(0)
    for name in case.quasi:
        if any(_printed(str(cell)) for cell in set(cells[name])):
            _count_ends(found, groups.values(), cells[name], [str(v) for v in case.table[name].to_pylist()], draw)
    return found


def _printed(label: str) -> list[tuple[Decimal, Decimal]]:
    """Numbers at the ends of a range that belong to it, each with the cut of the grid that it stands for."""
    if found := _RANGE.match(label):
        low, high = Decimal(found[1]), Decimal(found[2])
        return [(low, low), (high, high + 1)] if found[3] == "]" else [(low, low)]
    found = _OPEN.match(label)
    return [(Decimal(found[1]), Decimal(found[1]))] if found else []


def _count_ends(found: Ends, groups: Any, cells: list[str], texts: list[str], draw: np.random.Generator) -> None:
    values = [Decimal(text) for text in texts]
    margin = Counter(texts)
    by_label: dict[str, list[int]] = {}
    for number, cell in enumerate(cells):
        by_label.setdefault(cell, []).append(number)
    for group in groups:
        label = cells[group[0]]
        for end, cut in _printed(label):
            found.printed += 1
            alike = sum(values[number] == end for number in by_label[label])
            dealt = draw.hypergeometric(alike, len(by_label[label]) - alike, len(group), DEALS)
            found.dealt += float((dealt == 1).mean())
            owners = [number for number in group if values[number] == end]
            if len(owners) == 1:
                found.lone += 1
                found.owned += not _stays(margin, texts[owners[0]], cut)


def _stays(margin: Mapping[str, int], owner: str, cut: Decimal) -> bool:
    """Whether a grid made without this student still has the cut."""
    rest = {text: count - (text == owner) for text, count in margin.items() if count - (text == owner) > 0}
    return cut in make_grid(list(rest), [float(count) for count in rest.values()]).cuts


def measure(case: Case, t: float | None, guided: bool) -> dict[str, Any]:
    began = time.monotonic()
    source = engine.table(case.table)
    sensitive = (case.target,) if t is not None else ()
    wanted = Settings(
        quasi=case.quasi, keep=case.keep, sensitive=sensitive, targets=(case.target,) if guided else (),
        limits=Limits(k=K, t=t), hierarchies=case.hierarchies, method="local", seconds=2,
    )  # fmt: skip
    request = wanted.request_for(source)
    made = wanted.recode(request)
    row = engine.fresh(source.columns, "row")
    done = anonymization.protect(source.mutate(**{row: ibis.row_number()}), wanted, request)
    released = engine.arrow(done.table.order_by(row).drop(row))
    columns, classes, owned = shrunk(request, made)
    told = predicates.attack(columns, classes, seed=0)
    after = predicates.singled_out(case.table, released, request.combinations, request.hierarchies, k=K, seed=0)
    inside = kept_columns.alone_in_class(engine.table(released), case.quasi, case.keep)
    known = known_outcomes.outcome_risks(engine.table(released), case.quasi, [case.target])[1]
    ends = ends_of(case, released)
    auc = _auc(case, released)
    worst = max(after, key=lambda risk: risk.value)
    return {
        "data": case.name, "search": "guided" if guided else "plain", "t": t,
        "ends owned by one, shrunk": owned, "ends": ends.printed, "ends owned by one": ends.share(ends.owned),
        "ends of one value": ends.share(ends.lone), "the same, dealt anew": ends.share(ends.dealt),
        "described, shrunk": told.value, "described": worst.value, "low": worst.low, "high": worst.high,
        "blind": worst.chance, "class × kept": inside[0].value if inside else None, "≥ 90 % known": known.value,
        "loss": done.loss, "AUC": auc and auc.value, "AUC raw": auc and auc.baseline,
        "most AUC under t": None if t is None else ceiling(case, t), "seconds": time.monotonic() - began,
    }  # fmt: skip


def _auc(case: Case, released: pa.Table) -> Any:
    some = np.arange(case.table.num_rows)
    if some.size > MODELLED:
        some = np.sort(np.random.default_rng(0).choice(some, MODELLED, replace=False))
    before, after = (table.take(pa.array(some)) for table in (case.table, released))
    useful = usefulness(before, after, quasi=case.quasi, target=case.target, hierarchies=case.hierarchies)
    return next((u for u in useful if u.name == "AUC" and u.setting["model"] == "random forest"), None)


def ceiling(case: Case, t: float) -> float | None:
    """The largest AUC that any table can keep whose classes hold a yes-or-no outcome to t."""
    counts = Counter(case.table[case.target].to_pylist())
    return most_auc(max(counts.values()) / case.table.num_rows, t) if len(counts) == 2 else None


TITLE = f"Local recoding, k = {K}; left of → labels that shrink to their class, right of it ours"
HEADS = (
    "data", "search", "t", "ends owned by one", "one's value (dealt anew)", "described, of students", "blind",
    "class × kept", "≥ 90 % known", "loss", "AUC", "s",
)  # fmt: skip


def show(found: list[dict[str, Any]]) -> None:
    shown = Table(title=TITLE)
    for name in HEADS:
        shown.add_column(name)
    for one in found:
        shown.add_row(*cells_of(one))
    Console(width=190).print(shown)


def save(found: list[dict[str, Any]], path: Path) -> None:
    """The figures as JSON, and a table of them beside it."""
    path.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    lines = [HEADS[:-1], ["---"] * (len(HEADS) - 1), *(cells_of(one)[:-1] for one in found)]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    path.with_suffix(".md").write_text(
        f"# Records: attacks on finished tables\n\n{TITLE}.\n\n{table}\n", encoding="utf-8"
    )


def cells_of(one: dict[str, Any]) -> list[str]:
    most = f", at most {one['most AUC under t']:.3f}" if one["most AUC under t"] else ""
    return [
        one["data"], one["search"], "–" if one["t"] is None else f"{one['t']}",
        f"{one['ends owned by one, shrunk']:.1%} → {one['ends owned by one']:.1%} of {one['ends']}",
        f"{one['ends of one value']:.1%} ({one['the same, dealt anew']:.1%})",
        f"{one['described, shrunk']:.3f} → {one['described']:.3f} [{one['low']:.3f}, {one['high']:.3f}]",
        f"{one['blind']:.3f}", "" if one["class × kept"] is None else f"{one['class × kept']:.1%}",
        f"{one['≥ 90 % known']:.0%}", f"{one['loss']:.3f}",
        f"{one['AUC']:.3f} of {one['AUC raw']:.3f}{most}" if one["AUC"] else "", f"{one['seconds']:.0f}",
    ]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sets", default=",".join(CASES))
    parser.add_argument("--save", type=Path, help="keep the figures as JSON, and a table beside it")
    options = parser.parse_args()
    found = []
    for name in options.sets.split(","):
        case = CASES[name](options.data)
        found += [measure(case, t, guided) for guided, t in ((False, None), (True, None), (True, 0.4))]
    show(found)
    if options.save:
        save(found, options.save)


if __name__ == "__main__":
    main()
