"""Every figure of the five papers that can be had here, beside the published one and held to a committed range.

    python benchmarks/paper_figures.py --data DIR          all: results/papers.md, papers.json and README's table
    python benchmarks/paper_figures.py --data DIR --fast   the part that runs in the tests; nothing is written

The exit code is 1 where a figure left its range (`papers_ranges.json`). Where a paper's own data cannot be had, other
public data or a fictional course stand in, and the row says so: what is compared there is the shape.
"""

import argparse
import json
import sys
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as csv
from rich.console import Console

sys.path.insert(0, str(Path(__file__).parent))
import records_data
from keystrokes_typists import halves, typists

import sharewell as sw
from sharewell import papers
from sharewell.data.formats import read
from sharewell.fiction import make_course
from sharewell.papers.tables import PaperTable
from sharewell.text.training import labelled
from sharewell.text.word_lists import english

HERE = Path(__file__).parent
RANGES = HERE / "papers_ranges.json"
README = HERE.parent / "README.md"
HEAD, TAIL = "<!-- table of the papers: made by benchmarks/paper_figures.py -->", "<!-- end of the table -->"
K = (2, 5, 10, 15)
SETS = ("Math", "Portuguese", "Academics", "EPM")


@dataclass(frozen=True, kw_only=True)
class Row:
    """Measured figures with what was published. `shown` rows stand in the README."""

    kind: str
    what: str
    protocol: str
    published: str
    measured: Sequence[float]
    names: Sequence[str] = field(default=())
    shown: bool = False

    def figures(self) -> str:
        names = self.names or ("",) * len(self.measured)
        return ", ".join(f"{name} {value:.3f}".strip() for name, value in zip(names, self.measured, strict=True))


def coded(data: Path, name: str) -> tuple[pa.Table, str | None]:
    """A table of the records paper as whole numbers, with its outcome, and the column of students."""
    load = {
        "Math": lambda: records_data.performance(data, "mat"),
        "Portuguese": lambda: records_data.performance(data, "por"),
        "Academics": lambda: records_data.academics(data),
        "EPM": lambda: records_data.epm(data),
    }[name]()
    table = pa.Table.from_pandas(load.table, preserve_index=False)
    table = table.append_column("outcome", pa.array(load.outcome.astype(int)))
    return (table, None) if load.groups is None else (table.append_column("student", pa.array(load.groups)), "student")


def mean(table: PaperTable, column: str = "measured", **where: Any) -> float:
    rows = [row for row in table.rows.to_pylist() if all(row[name] == value for name, value in where.items())]
    return float(np.mean([row[column] for row in rows]))


def stinar(data: Path, fast: bool) -> Iterator[Row]:
    for name in SETS[:1] if fast else SETS:
        table, student = coded(data, name)
        variants: Any = ("printed", "corrected") if fast else ("baseline", "printed", "code", "corrected", "ours")
        made = papers.stinar.table_a1(
            table, outcome="outcome", k=(5, 15) if fast else K, data=name, student=student, variants=variants,
            seeds=range(2), seconds=0.3,
        )  # fmt: skip
        if name == "Math":
            yield Row(
                kind="records",
                what="AUC at k = 5 and 15, Math, random forest: as printed, then corrected",
                protocol="Table A1, from labels, three folds, seeds 0 and 1",
                published="0.889, 0.672",
                measured=[
                    mean(made, model="random forest", variant=variant, k=k)
                    for variant in ("printed", "corrected")
                    for k in (5, 15)
                ],
            )
        if fast:
            return
        for model in ("random forest", "linear"):
            found = [mean(made, model=model, variant=variant) for variant in variants]
            printed = [mean(made, "published", model=model, variant=variant) for variant in variants[:2]]
            yield Row(
                kind="records",
                what=f"AUC of the outcome, {name}, {model}",
                protocol=f"Table A1, from labels, mean of k = {', '.join(map(str, K))}, three folds, seeds 0 and 1",
                published=f"baseline {printed[0]:.3f}, method {printed[1]:.3f}",
                measured=found,
                names=("baseline", "as printed", "authors' code", "corrected", "ours, local"),
                shown=model == "random forest" and name in ("Math", "EPM"),
            )


def ito(data: Path, fast: bool) -> Iterator[Row]:
    edify = read(data / "moodle_edify" / "moodle_events.csv.gz").table
    edify = edify.filter(edify.user_id.notnull() & ~edify.Time.startswith("29/02/18"))
    epm = read(data / "epm" / "epm_all_sessions.csv.gz").table
    of_edify: Any = (edify, "moodle_edify, 269 users", {"student": "user_id", "at": "Time", "dates": "day-first"})
    of_epm: Any = (epm, "epm, 115 students", {"student": "student_id", "at": "start_time", "dates": "day-first"})
    secondary = "BookRoll Secondary, 752 students: .913 at 4"
    cases = [
        (*of_edify, "1min", (), secondary),
        (*of_edify, "15min", (), "lower than by the minute"),
        (*of_edify, "1d", (), "near 0 by the day, but for a class of 51"),
        (*of_epm, "1min", (), "EdNet, 297,915 students: below .3"),
        (*of_epm, "1min", ("activity",), "BookRoll University, 51 students: .982 at 4 with operations"),
        (*of_epm, "1d", (), "near 0 by the day, but for a class of 51"),
    ]
    for table, name, roles, window, also, published in cases[2:3] if fast else cases:
        for points in ("events", "distinct"):
            how: Any = {**roles, "window": window, "points": points, "seeds": 20}
            risks = papers.ito.figure_points(table, also, epsilon=(1, 2, 4, 8), **how)
            yield Row(
                kind="traces",
                what=f"unicity at ε = 1, 2, 4, 8: {name}, {window}{' and ' + also[0] if also else ''}, {points}",
                protocol="Algorithm 1, every student, 20 draws, seed 0; another log than the paper's",
                published=published if points == "events" else f"none; events: {published}",
                measured=[float(risk.value or 0) for risk in risks],
                shown=name == of_edify[1] and window == "1min" and points == "events",
            )


def vie(data: Path, fast: bool) -> Iterator[Row]:
    folder = data / "assistments2009"
    full = csv.read_csv(folder / "assistments09_full.csv.gz")
    columns = ("user_id", "skill_id", "correct")
    models = ("drop 0", "markov") if fast else papers.vie.MODELS
    made = papers.vie.table_4(full, columns, models=models, data="ASSISTments 2009", seed=0)
    for model in models:
        rmse, wrmse, auc = papers.vie.PUBLISHED["ASSISTments 2009", model]
        yield Row(
            kind="responses",
            what=f"{model}: utility and re-identification",
            protocol="half of the 3,114 students of assistments09_full, seed 0; LCS over a^.03·b^.97 (the notebook's)",
            published=f"RMSE {rmse:.3f}, wRMSE {wrmse:.3f}, Re-ID AUC {auc:.3f}",
            measured=[mean(made, model=model, metric=metric) for metric in papers.vie.METRICS],
            names=papers.vie.METRICS,
            shown=model == "markov",
        )
    if fast:
        return
    asprinted = papers.vie.table_4(full, columns, models=("drop 0",), norm="printed", seed=0)
    yield Row(
        kind="responses",
        what="drop 0: re-identification with the printed score",
        protocol="as above; LCS over the fake's length",
        published="Re-ID AUC 0.913",
        measured=[mean(asprinted, metric="Re-ID AUC")],
    )
    train = csv.read_csv(folder / "privgen_train_data.csv.gz").select(["user", "skill", "correct"])
    names: Any = ("user", "skill", "correct")
    errors = [
        papers.vie.difficulty(train, papers.vie.generate(train, "markov", names, seed=n), names) for n in range(5)
    ]
    yield Row(
        kind="responses",
        what="markov: difficulty, trained on the authors' half",
        protocol="privgen_train_data, 2,081 students, mean of five draws",
        published="RMSE 0.245, wRMSE 0.065",
        measured=np.mean(errors, axis=0).tolist(),
        names=("RMSE", "wRMSE"),
    )
    users = full["user_id"].unique().sort()
    members = users.take(pa.array(np.sort(np.random.default_rng(0).permutation(len(users))[: len(users) // 2])))
    inside = full.filter(pc.is_in(full["user_id"], value_set=members))
    for m in (1, 12):
        fake = papers.vie.generate(inside, "markov", columns, m=m, seed=0)
        risks = sw.responses.membership(
            full, fake, members=members, student="user_id", item="skill_id", correct="correct", attack="transitions"
        )
        yield Row(
            kind="responses",
            what=f"markov, m = {m}: members told by rare steps",
            protocol="half of the 3,114 students of assistments09_full, seed 0; AUC, TPR at 1 % FPR",
            published="none: the paper's attack is the LCS",
            measured=[float(risk.value or 0) for risk in risks[:2]],
            names=("AUC", "TPR"),
            shown=True,
        )


def leinonen(data: Path, fast: bool) -> Iterator[Row]:
    own = papers.leinonen
    for students, year in ((153, "2014"),) if fast else ((153, "2014"), (139, "2015")):
        course = make_course(students=students, seed=int(year), parts=("keys",), characters_per_week=2500)
        keys: Any = {"student": "student_id", "session": "exercise", "key": "key", "press": "press_ms", "week": "week"}
        train, test = own.split(own.preprocess(course.keys, **keys))
        for method in own.WAYS:
            made = own.identification_table(train, test, method=method, course=year)
            published = own.PUBLISHED_IDENTIFICATION[method, year]
            yield Row(
                kind="keystrokes",
                what=f"identification within ten, {students} typists, {method} by 0, 100 … 600 ms, %",
                protocol="fictional course, weeks 1–6 against 7, 25 digraphs",
                published=", ".join(f"{value:.1f}" for value in published),
                measured=made.rows["measured"].to_pylist(),
                shown=year == "2014" and method == "rounding",
            )
    if fast:
        return
    course = make_course(students=199, seed=199, parts=("keys",), characters_per_week=2500)
    timed = own.preprocess(course.keys, **keys)
    known = dict(zip(course.truth.student_ids, course.truth.experience.astype(int).tolist(), strict=True))
    for method, x in (("rounding", 0), ("rounding", 500), ("bucketing", 300)):
        made = own.experience_table(timed, known, method=method, steps=[x])
        printed = {row["classifier"]: row["published"] for row in made.rows.to_pylist()}
        yield Row(
            kind="keystrokes",
            what=f"experience of 199 students, {method} {x} ms, %",
            protocol="fictional course, ten folds, features selected inside them",
            published=", ".join(f"{name} {value:.1f}" for name, value in printed.items()),
            measured=made.rows["measured"].to_pylist(),
            names=list(printed),
        )
    events = typists(data, 200)
    for attack, published in (
        ("nearest", "none (98 % within ten of 153 in the thesis's course)"),
        ("likelihood", "none"),
    ):
        risks = sw.keystrokes.identify(*halves(events), attack=attack, accept=[1, 10], occurrences=2)
        yield Row(
            kind="keystrokes",
            what=f"real typists, raw, attack '{attack}': first, within ten",
            protocol="200 lowest ids of Aalto (Dhakal et al. 2018), sentences 1–10 against 11–15",
            published=published,
            measured=[float(risk.value or 0) for risk in risks],
            shown=attack == "likelihood",
        )


def bosch(data: Path, fast: bool) -> Iterator[Row]:
    own, students = papers.bosch, 60 if fast else 300

    def course(style: str, seed: int) -> Any:
        made = make_course(students=students, seed=seed, parts=("students", "posts"), style=style)
        possible = own.extract_possible_names(made.posts, text=["subject", "message"])
        named, unclear = labelled(made.posts, made.truth.mentions).words(english())
        return possible, {word: word in named for word in possible.words if word not in unclear}

    holdouts = {"holdout 1": course("a", 2)} if fast else {"holdout 1": course("a", 2), "holdout 2": course("c", 3)}
    made = own.table_2(course("a", 1), holdouts, grid="none" if fast else "trees")
    for dataset in ("training", *holdouts):
        metrics = ("AUC", "Recall", "Precision", "kappa")
        printed = [mean(made, "published", dataset=dataset, model="Fusion", metric=metric) for metric in metrics]
        yield Row(
            kind="posts",
            what=f"the paper's classifier, {dataset}, fusion{' (fast)' if fast else ''}",
            protocol=f"fictional courses of {students} students, trees' grid {'off' if fast else 'on'}, seed 0",
            published=", ".join(f"{name} {value:.3f}" for name, value in zip(metrics, printed, strict=True)),
            measured=[mean(made, dataset=dataset, model="Fusion", metric=metric) for metric in metrics],
            names=metrics,
            shown=dataset == "holdout 2" and not fast,
        )


def not_measured() -> Iterator[tuple[str, str, str]]:
    """Data of the papers that cannot be had here: kind, data, and the reader that is proven on generated files."""
    yield "records", "MATHia (DataShop)", "format = datashop"
    yield "traces", "BookRoll", "format = xapi"
    yield "traces", "Duolingo 2017 (Settles)", "csv"
    yield "traces", "EdNet-KT4, whole", "format = ednet"
    yield "responses", "Duolingo SLAM 2018", "papers.vie.read_slam"
    yield "posts", "two courses of 2,588 and 1,200 labelled words", "csv"
    yield "keystrokes", "two Java courses, 2014 and 2015", "format = snapshots"


def explained() -> Iterator[tuple[str, str]]:
    """Rows that differ from the paper by more than data of another course would, and why."""
    yield (
        "Portuguese, as printed",
        "at k = 7 and 10 .688 and .678 as in the paper, at k = 2 and 5 .685 and .633 where it has .859 and .841. Of 32 "
        "columns neither ARX nor this search sees the whole lattice, and many levels lose nearly the same. With "
        "the importance in the loss (corrected) the gain is larger than the paper's",
    )
    yield (
        "Academics",
        "the paper does not say how the outcome became binary. Where its method equals its baseline (k = 2, 3, 8 …), "
        "the authors' code has left the baseline standing",
    )
    yield (
        "EPM",
        "the authors' table of sessions is not published; at k = 1 ours has AUC .805 and .602 (forest, linear), "
        "theirs .827 and .769. The corrected method gains .105, local recoding .166, the paper .171",
    )
    yield (
        "drop and markov",
        "another copy of ASSISTments 2009, with 3,114 of the paper's 4,163 students. The score is the notebook's, "
        "since the printed one gives .623 to an untouched copy",
    )
    yield (
        "the GRU",
        "needs the extra neural, so that make papers leaves it out; apart, with seed 0 and the paper's batch of 64, "
        "RMSE .147, wRMSE .050, Re-ID AUC .514 (published .213, .061, .508)",
    )
    yield (
        "identification and experience",
        "invented typists; the real ones of Aalto, fifteen sentences each, are found less often by the same attack",
    )


def outside(rows: Sequence[Row]) -> list[str]:
    """What has left its range, or has none."""
    ranges = json.loads(RANGES.read_text(encoding="utf-8"))
    found = []
    for row in rows:
        known = ranges.get(row.what)
        if known is None or len(known) != len(row.measured):
            found.append(f"{row.what}: no range in {RANGES.name}")
            continue
        for value, (low, high) in zip(row.measured, known, strict=True):
            if not low <= value <= high:
                found.append(f"{row.what}: {value:.4f} is outside {low} to {high}")
    return found


def as_markdown(rows: Sequence[Row]) -> str:
    lines = [("kind", "what", "protocol", "published", "measured")]
    lines += [("---",) * 5, *((r.kind, r.what, r.protocol, r.published, r.figures()) for r in rows)]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def quoted(rows: Sequence[Row], measured: str) -> str:
    """README's table: the rows that are shown, without their protocol."""
    lines = [("kind", "what", "published", "measured"), ("---",) * 4]
    lines += [(r.kind, r.what, r.published, r.figures()) for r in rows if r.shown]
    table = "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
    return f"{HEAD}\n{table}\n\n{measured}\n{TAIL}"


def load() -> tuple[list[Row], str]:
    """The rows of the last full run, and the sentence that dates them."""
    kept = json.loads((HERE / "results" / "papers.json").read_text(encoding="utf-8"))
    return [Row(**row) for row in kept["rows"]], kept["measured"]


def write(rows: Sequence[Row]) -> None:
    measured = f"Measured {date.today():%Y-%m-%d} with version {sw.__version__} by `make papers`."
    missing = "\n".join(f"- {kind}: {data} ({reader}): not measured" for kind, data, reader in not_measured())
    reasons = "\n".join(f"- {row}: {why}." for row, why in explained())
    text = (
        f"# The five papers, published and measured\n\n{measured}\n\n{as_markdown(rows)}\n\n"
        f"## Where they differ\n\n{reasons}\n\n## Not measured\n\n{missing}\n"
    )
    (HERE / "results" / "papers.md").write_text(text, encoding="utf-8")
    kept = {"measured": measured, "rows": [asdict(row) for row in rows]}
    file = HERE / "results" / "papers.json"
    file.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    before, rest = README.read_text(encoding="utf-8").split(HEAD)
    README.write_text(before + quoted(rows, measured) + rest.split(TAIL)[1], encoding="utf-8")


def measure(data: Path, *, fast: bool) -> list[Row]:
    return [row for paper in (stinar, ito, vie, leinonen, bosch) for row in paper(data, fast)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--fast", action="store_true", help="the part of the tests; nothing is written")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    console = Console(width=160)
    rows = measure(options.data, fast=options.fast)
    if not options.fast:
        write(rows)
    for row in rows:
        console.print(f"{row.kind}: {row.what}: {row.figures()}  (published {row.published})")
    left = outside(rows)
    for line in left:
        console.print(line, style="red")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
