"""The command `sharewell paper`: one paper's procedure on one's own data, as tables, a page and JSON."""

import json as json_module
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sharewell.errors import InputError

if TYPE_CHECKING:
    from sharewell.papers.tables import PaperTable

paper = typer.Typer(help="Run one paper's procedure, as printed, on your own data.", no_args_is_help=True)

File = Annotated[Path, typer.Argument(metavar="FILE", help="The data, in any format that a plan may name.")]
Page = Annotated[Path | None, typer.Option("--page", help="Where the page goes; paper-NAME.html by default.")]
Json = Annotated[bool, typer.Option("--json", help="Print the tables as JSON, for machines.")]
Student = Annotated[str, typer.Option(help="The column of students.")]
Seed = Annotated[int, typer.Option(help="Of everything that is drawn.")]
Like = Annotated[str, typer.Option("--like", help="A dataset of the paper, whose printed figures stand beside yours.")]
WARNING = "Measured on the data as they stand: for the steward, not for publication."


@paper.command()
def stinar(
    file: File,
    outcome: Annotated[str, typer.Option(help="What is predicted; a column of 0 and 1.")],
    student: Annotated[str | None, typer.Option(help="The column that keeps rows of one student together.")] = None,
    leave_out: Annotated[
        list[str] | None, typer.Option("--leave-out", help="A column to drop, such as a name.")
    ] = None,
    k: Annotated[list[int] | None, typer.Option("--k", help="May be repeated; 1, 2, 5, 10 and 15 by default.")] = None,
    seeds: Annotated[int, typer.Option(min=1, help="Of folds and models.")] = 2,
    like: Like = "",
    page: Page = None,
    json: Json = False,
) -> None:
    """Utility-guided k-anonymity (Stinar, Bosch and Xiong 2024): AUC over k."""
    from sharewell.papers import stinar as own

    _check(like, [name for name, _ in own.PUBLISHED])

    def run() -> "list[PaperTable]":
        table = _read(file, [outcome, *([student] if student else []), *(leave_out or [])]).drop_columns(
            leave_out or []
        )
        coded = own.encode(table, keep=[student] if student else [])
        found = own.table_a1(
            coded, outcome=outcome, student=student, k=k or (1, 2, 5, 10, 15), seeds=range(seeds), data=like
        )
        return [found, own.importance(coded.drop_columns([student] if student else []), outcome=outcome)]

    _show("stinar", run, page, json)


@paper.command()
def ito(
    file: File,
    student: Student,
    at: Annotated[str, typer.Option(help="The column of timestamps.")],
    also: Annotated[list[str] | None, typer.Option(help="A further quasi-identifier; may be repeated.")] = None,
    group: Annotated[str | None, typer.Option(help="A class or language: unicity against its size.")] = None,
    dates: Annotated[str | None, typer.Option(help="The layout of text dates, such as day-first.")] = None,
    sample: Annotated[int | None, typer.Option(min=1, help="Students in each draw; all of them by default.")] = None,
    distinct: Annotated[bool, typer.Option("--distinct", help="Draw distinct points instead of events.")] = False,
    seed: Seed = 0,
    page: Page = None,
    json: Json = False,
) -> None:
    """Unicity of logs (Ito, Hsu and Ogata 2025): by events known, window and quasi-identifiers."""
    from sharewell.papers import ito as own

    how: dict[str, Any] = {"student": student, "at": at, "dates": dates, "m": sample, "seed": seed}
    how["points"] = "distinct" if distinct else "events"

    def run() -> "list[PaperTable]":
        table = _read(file, [student, at, *(also or []), *([group] if group else [])])
        made = [own.table_1(table, student=student, data=file.name), own.figure_3(table, data=file.name, **how)]
        made.append(own.figure_6(table, data=file.name, **how))
        if group:
            made.append(own.figure_4(table, group=group, data=file.name, **how))
        if also:
            sets = {"timestamp": [], **{name: [name] for name in also}, **({"all": also} if len(also) > 1 else {})}
            made.append(own.figure_7(table, sets=sets, data=file.name, **how))
        return made

    _show("ito", run, page, json)


@paper.command()
def vie(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The responses; Duolingo's own files end in .slam.")],
    student: Student,
    item: Annotated[str, typer.Option(help="The column of actions: items or skills.")],
    correct: Annotated[str, typer.Option(help="The column of outcomes, 1 for right.")],
    model: Annotated[list[str] | None, typer.Option(help='"markov", "gru" or "drop 0.5"; may be repeated.')] = None,
    m: Annotated[int, typer.Option(min=1, help="Students that every step of the chain needs; 1 as printed.")] = 1,
    printed: Annotated[bool, typer.Option("--printed", help="The attack as printed, not the notebook's.")] = False,
    like: Like = "",
    seed: Seed = 0,
    page: Page = None,
    json: Json = False,
) -> None:
    """Synthetic responses (Vie, Rigaux and Minn 2022): difficulty of items and re-identification."""
    from sharewell.papers import vie as own

    _check(like, [name for name, _ in own.PUBLISHED])
    columns = (student, item, correct)  # of a .slam file: user, token and correct

    def run() -> "list[PaperTable]":
        table = own.read_slam(file) if file.name.removesuffix(".gz").endswith(".slam") else _read(file, columns)
        fake = own.generate(table, "markov", columns, m=m, seed=seed)
        models = model or own.MODELS
        norm: Any = "printed" if printed else "notebook"
        results = own.table_4(table, columns, models=models, norm=norm, m=m, data=like, seed=seed)
        return [
            own.figure_1(table, columns),
            own.table_2(table, columns, data=file.name),
            own.figure_3(table, {"markov": fake}, columns),
            own.histograms(table, {"markov": fake}, columns),
            own.table_3(table, {"markov": fake}, columns),
            results,
            own.figure_4(results),
        ]

    _show("vie", run, page, json)


@paper.command()
def bosch(
    file: File,
    text: Annotated[list[str], typer.Option(help="A text column; may be repeated.")],
    labels: Annotated[Path, typer.Option(help="Words and marks: a table with columns word and mark (name or word).")],
    second: Annotated[Path | None, typer.Option(help="A second rater's marks: Table 1.")] = None,
    holdout: Annotated[Path | None, typer.Option(help="Posts of another course, to test on.")] = None,
    holdout_labels: Annotated[Path | None, typer.Option(help="Words and marks of that course.")] = None,
    grid: Annotated[str, typer.Option(help='"none", "trees" or "printed" (hours).')] = "trees",
    cost: Annotated[float, typer.Option(min=0.01, help="What a missed name costs against a false alarm.")] = 2.0,
    seed: Seed = 0,
    page: Page = None,
    json: Json = False,
) -> None:
    """Names in posts (Bosch, Crues, Shaik and Paquette 2020): the paper's classifier on your labelled words."""
    from sharewell.papers import bosch as own

    if grid not in ("none", "trees", "printed"):
        raise InputError("--grid must be none, trees or printed")
    if (holdout is None) != (holdout_labels is None):
        raise InputError("--holdout and --holdout-labels go together")
    searched: Any = grid

    def run() -> "list[PaperTable]":
        possible = own.extract_possible_names(_read(file, text), text=text)
        marks, others = _marks(labels), {}
        if holdout is not None and holdout_labels is not None:
            other = own.extract_possible_names(_read(holdout, text), text=text)
            others = {"holdout 2": (other, _marks(holdout_labels))}
        made = [own.table_2((possible, marks), others, grid=searched, missed_name_weight=cost, seed=seed)]
        return [*made, own.table_1(marks, _marks(second))] if second else made

    _show("bosch", run, page, json)


@paper.command()
def leinonen(
    file: File,
    student: Student,
    session: Annotated[str, typer.Option(help="The column of exercises or sessions.")],
    key: Annotated[str, typer.Option(help="The column of keys.")],
    press: Annotated[str, typer.Option(help="The column of press times.")],
    week: Annotated[str, typer.Option(help="The column of weeks; the last one is the test set.")],
    experience: Annotated[Path | None, typer.Option(help="Students and their experience: two columns.")] = None,
    fewest: Annotated[int, typer.Option(min=0, help="Characters in the first week.")] = 2000,
    unit: Annotated[str | None, typer.Option(help="Of the clock: ns, us, ms or s.")] = None,
    like: Like = "",
    page: Page = None,
    json: Json = False,
) -> None:
    """Keystroke latencies (Leinonen 2016): identification and experience over strength."""
    from sharewell.papers import leinonen as own

    _check(like, [name for _, name in own.PUBLISHED_IDENTIFICATION])

    def run() -> "list[PaperTable]":
        events = _read(file, [student, session, key, press, week])
        timings = own.preprocess(
            events, student=student, session=session, key=key, press=press, week=week, unit=unit, fewest=fewest
        )
        train, test = own.split(timings, last_week=max(timings["week"].to_pylist()))
        made = [own.digraphs(train, test), own.figure_5(train, test)]
        made += [own.identification_table(train, test, method=way, steps=own.CURVE, course=like) for way in own.WAYS]
        if experience is not None:
            rows = _read(experience, [])
            names, kinds = (rows.column(number).to_pylist() for number in (0, 1))
            known = {str(name): kind for name, kind in zip(names, kinds, strict=True) if kind is not None}
            pair = str(made[0].rows["measured"][0].as_py())
            made.append(own.figure_2(timings, known, digraph=pair))
            made += [own.figure_8(train, test, known, method=way, course=like) for way in own.WAYS]
        return made

    _show("leinonen", run, page, json)


def _read(file: Path, columns: Sequence[str]) -> Any:
    from sharewell.data import engine
    from sharewell.data.formats import read

    table = read(file).table
    missing = [name for name in columns if name not in table.columns]
    if missing:
        raise InputError("there is no such column in the file", file=file, column=missing[0])
    return engine.arrow(table)


def _check(like: str, names: Sequence[str]) -> None:
    if like and like not in names:
        raise InputError(f"--like is one of {', '.join(dict.fromkeys(names))}")


def _marks(file: Path) -> dict[str, bool]:
    rows = _read(file, ["word", "mark"])
    return {
        str(word): mark == "name" for word, mark in zip(*(rows[c].to_pylist() for c in ("word", "mark")), strict=True)
    }


def _show(name: str, run: "Callable[[], list[PaperTable]]", page: Path | None, json: bool) -> None:
    from sharewell.papers.tables import page as rendered
    from sharewell.release.place import clear_sentences

    tables = run()
    if json:
        typer.echo(json_module.dumps([table.to_dict() for table in tables], ensure_ascii=False))
    else:
        typer.echo("\n\n".join(str(table) for table in tables))
    target = page or Path(f"paper-{name}.html")
    with clear_sentences(target):
        descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as written:
            written.write(rendered(f"{name.capitalize()}: {WARNING}", tables))
    typer.echo(f"{target}: tables and charts. {WARNING}", err=True)
