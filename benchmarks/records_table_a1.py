"""Table A1 of Stinar, Bosch and Xiong (2024), measured beside published.

For every data set and k: the baseline (full-domain, no target), the paper's method, and ours (local and full-domain
recoding with the target), random forest and logistic regression, 3 folds by student, AUC from labels (the authors' way)
and from probabilities. Two protocols: the paper's, and held-out (training rows of every fold are anonymized alone).
"""

import argparse
import json
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parent))
import records_data as data

from sharewell.records.combinations import code_column
from sharewell.records.given_hierarchies import gather
from sharewell.records.limits import Limits
from sharewell.records.protection import full_domain, local, stinar
from sharewell.records.protection.settings import Settings
from sharewell.records.utility import protocols

PUBLISHED = {  # k = 1 … 15, baseline and method, from Table A1
    ("Academics", "random forest"): (
        [.681, .659, .479, .479, .560, .480, .558, .667, .667, .659, .659, .664, .664, .574, .501],
        [.681, .659, .479, .479, .674, .480, .674, .667, .667, .674, .637, .664, .664, .649, .649],
    ),
    ("Academics", "linear"): (
        [.687, .676, .477, .477, .486, .476, .533, .544, .544, .535, .535, .576, .576, .502, .474],
        [.687, .676, .477, .477, .639, .476, .639, .544, .544, .637, .648, .576, .576, .658, .658],
    ),
    ("Portuguese", "random forest"): (
        [.915, .655, .585, .582, .582, .582, .582, .582, .582, .582, .582, .581, .581, .598, .581],
        [.915, .859, .859, .841, .841, .841, .688, .688, .688, .678, .678, .616, .678, .583, .581],
    ),
    ("Portuguese", "linear"): (
        [.868, .543, .506, .498, .498, .498, .498, .498, .498, .498, .498, .501, .498, .499, .501],
        [.868, .828, .828, .748, .748, .748, .616, .616, .616, .639, .639, .616, .639, .584, .584],
    ),
    ("Math", "random forest"): (
        [.936, .496, .491, .494, .494, .494, .512, .512, .512, .466, .466, .466, .489, .489, .491],
        [.936, .916, .880, .889, .889, .889, .889, .889, .889, .889, .889, .889, .889, .672, .672],
    ),
    ("Math", "linear"): (
        [.914, .483, .508, .479, .479, .479, .488, .488, .488, .474, .474, .474, .492, .492, .488],
        [.914, .917, .895, .873, .873, .873, .873, .873, .873, .873, .873, .873, .873, .672, .672],
    ),
    ("EPM", "random forest"): (
        [.827, .587, .546, .639, .639, .559, .559, .559, .559, .559, .559, .559, .559, .559, .559],
        [.827, .739, .761, .761, .761, .764, .764, .764, .764, .764, .764, .764, .764, .764, .764],
    ),
    ("EPM", "linear"): (
        [.769, .500, .500, .503, .503, .500, .500, .500, .500, .500, .500, .500, .500, .500, .500],
        [.769, .589, .676, .676, .676, .524, .524, .524, .524, .500, .500, .500, .500, .500, .500],
    ),
}  # fmt: skip
METHODS = {
    "raw": (None, 0.0),
    "baseline": (full_domain.recode, 0.0),
    "stinar": (stinar.recode, 0.0),
    "stinar, always": (partial(stinar.recode, least_share=1.01), 0.0),  # without the 10 % test of its step 4
    "ours, local": (local.recode, 0.8),
    "ours, full-domain": (full_domain.recode, 0.8),
}
QUICK = (2, 5, 10, 15)


@dataclass(frozen=True, kw_only=True)
class Cell:
    data: str
    protocol: str
    method: str
    k: int
    model: str
    label: float
    label_error: float
    probability: float
    probability_error: float


def study_of(source: data.Data) -> protocols.LabelledRows:
    table = pa.Table.from_pandas(source.table, preserve_index=False)
    columns = tuple(code_column(name, table[name]) for name in table.column_names)
    counts = {column.name: np.bincount(column.codes, minlength=len(column.values)) for column in columns}
    made = gather(None, {column.name: column.values for column in columns}, counts)
    return protocols.LabelledRows(columns=columns, hierarchies=made, outcome=source.outcome, groups=source.groups)


def measure(source: data.Data, method: str, k: int, protocol: str, seeds: Sequence[int], seconds: float) -> list[Cell]:
    recode, weight = METHODS[method]
    wanted = Settings(limits=Limits(k=k), targets=("outcome",), weight=weight, seconds=seconds)
    found = protocols.evaluate(study_of(source), recode, wanted, protocol=protocol, seeds=seeds)
    return [
        Cell(
            data=source.name, protocol=protocol, method=method, k=k, model=model,
            label=float(score.by_label.mean()), label_error=_error(score.by_label),
            probability=float(score.by_probability.mean()), probability_error=_error(score.by_probability),
        )
        for model, score in found.items()
    ]  # fmt: skip


def _error(values: np.ndarray) -> float:
    return float(values.std(ddof=1) / np.sqrt(values.size)) if values.size > 1 else float("nan")


def show(cells: list[Cell], console: Console) -> None:
    for protocol in dict.fromkeys(cell.protocol for cell in cells):
        table = Table(title=f"AUC, mean over k; labels / probabilities; protocol: {protocol}")
        for name in (
            "data",
            "model",
            "method",
            "published",
            "mean over k",
            "k = 5",
            "k = 15",
            "of raw at 5",
            "of raw at 15",
        ):
            table.add_column(name)
        for row in _rows(cells, protocol):
            table.add_row(*row)
        console.print(table)
    _compare(cells, console)


def _rows(cells: list[Cell], protocol: str) -> list[list[str]]:
    rows = []
    for name in dict.fromkeys(cell.data for cell in cells):
        for model in ("random forest", "linear"):
            here = [c for c in cells if (c.data, c.model, c.protocol) == (name, model, protocol)]
            raw = next((c for c in here if c.method == "raw"), None)
            for method in dict.fromkeys(c.method for c in here if c.method != "raw"):
                own = {c.k: c for c in here if c.method == method}
                ks = [raw, *own.values()] if raw else list(own.values())
                published = PUBLISHED.get((name, model))
                known = {"baseline": 0, "stinar": 1, "stinar, always": 1}.get(method)
                paper = f"{np.mean(published[known]):.3f}" if published and known is not None else ""
                mean = f"{np.mean([c.label for c in ks]):.3f} / {np.mean([c.probability for c in ks]):.3f}"
                points = [_pair(own.get(k)) for k in (5, 15)]
                shares = [_share(own.get(k), raw) for k in (5, 15)]
                rows.append([name, model, method, paper, mean, *points, *shares])
    return rows


def _pair(cell: Cell | None) -> str:
    return f"{cell.label:.3f} / {cell.probability:.3f}" if cell else ""


def _share(cell: Cell | None, raw: Cell | None) -> str:
    return f"{cell.label / raw.label:.1%} / {cell.probability / raw.probability:.1%}" if cell and raw else ""


def _compare(cells: list[Cell], console: Console) -> None:
    """Ours against the paper's method, k by k: never lower by more than two standard errors?"""
    at = {(c.data, c.protocol, c.model, c.k, c.method): c for c in cells}
    for ours in ("ours, local", "ours, full-domain"):
        for kind in ("label", "probability"):
            worse = []
            for (name, protocol, model, k, method), cell in at.items():
                theirs = at.get((name, protocol, model, k, "stinar"))
                if method != ours or theirs is None:
                    continue
                errors = np.hypot(getattr(cell, f"{kind}_error"), getattr(theirs, f"{kind}_error"))
                gap = getattr(cell, kind) - getattr(theirs, kind)
                if gap < -2 * np.nan_to_num(errors):
                    worse.append(f"{name} {protocol} {model} k={k} ({gap:+.3f})")
            total = sum(1 for key in at if key[4] == ours and (*key[:4], "stinar") in at)
            console.print(
                f"{ours}, {kind}: lower by more than two errors at {len(worse)} of {total}: {'; '.join(worse)}"
            )


def loaders() -> dict[str, Callable[[Path], data.Data]]:
    return {
        "academics": data.academics,
        "epm": data.epm,
        **{f"{c}": partial(data.performance, course=c) for c in ("por", "mat")},
        **{f"{c}-": partial(data.performance, course=c, grades=False) for c in ("por", "mat")},
    }


def rows(folder: Path, seed: int) -> list[dict[str, str]]:
    """Some k of the table, the paper's protocol: each figure is a mean over these k, published and measured alike."""
    return [
        row for name in ("academics", "por", "mat", "epm") for row in _published_rows(loaders()[name](folder), seed)
    ]


def _published_rows(source: data.Data, seed: int) -> list[dict[str, str]]:
    cells = {
        method: [cell for k in QUICK for cell in measure(source, method, k, "paper", [seed, seed + 1], 1.0)]
        for method in ("baseline", "stinar", "ours, local")
    }
    found = []
    for model in ("random forest", "linear"):
        paper = [np.mean([line[k - 1] for k in QUICK]) for line in PUBLISHED[source.name, model]]
        means = {name: np.mean([cell.label for cell in own if cell.model == model]) for name, own in cells.items()}
        found.append(
            {
                "paper": "Stinar, Bosch, Xiong: utility-guided k-anonymity",
                "what": f"AUC of the outcome, {source.name}, {model}: baseline → method",
                "protocol": f"Table A1 from labels, mean of k = {', '.join(map(str, QUICK))}; seeds {seed}, {seed + 1}",
                "published": f"{paper[0]:.3f} → {paper[1]:.3f}",
                "measured": f"{means['baseline']:.3f} → {means['stinar']:.3f}; ours, local {means['ours, local']:.3f}",
            }
        )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sets", default="academics,por,mat,epm,por-,mat-")
    parser.add_argument("--protocols", default="paper,held-out")
    parser.add_argument("--methods", default=";".join(METHODS), help="separated by ;")
    parser.add_argument("--k", default="2,3,4,5,6,7,8,9,10,11,12,13,14,15")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=2.0, help="for every search")
    parser.add_argument("--save", type=Path, help="keep the figures as JSON lines, and show all that the file holds")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    cells = [Cell(**json.loads(line)) for line in options.save.open()] if options.save and options.save.exists() else []
    done = {(c.data, c.protocol, c.method, c.k) for c in cells}
    console, began = Console(width=160), time.monotonic()
    for name in filter(None, options.sets.split(",")):
        source = loaders()[name](options.data)
        for protocol in options.protocols.split(","):
            for method in options.methods.split(";"):
                for k in [1] if method == "raw" else [int(k) for k in options.k.split(",")]:
                    if (source.name, protocol, method, k) in done:
                        continue
                    found = measure(source, method, k, protocol, range(options.seeds), options.seconds)
                    cells += found
                    if options.save:
                        with options.save.open("a") as file:
                            file.writelines(json.dumps(asdict(cell)) + "\n" for cell in found)
    console.print(f"seeds 0–{options.seeds - 1}, 3 folds by student, {options.seconds} s per search")
    show(cells, console)
    console.print(f"{time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
