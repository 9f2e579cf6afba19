"""Thin commands over the pipeline.

Exit 0 done, 1 our bug, 2 plan or options, 3 refused, 4 not verified, 5 input, 6 disk, 7 another run, 8 engine,
9 not yet.
"""

import atexit
import gc
import io
import os
import sys
import traceback
import warnings
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from sharewell import office_commands, run_log
from sharewell.data import scratch, workers
from sharewell.errors import DiskError, MissingExtra, Refused, SharewellError, VerificationFailed
from sharewell.papers.commands import paper

if TYPE_CHECKING:
    from sharewell.pipeline import Outcome

UNREAD = 120  # as Python ends where nobody reads what was printed

app = typer.Typer(
    help="Share student data well: see who could be singled out, protect them, see what that costs, "
    "and hand out a release that a review board can check.",
    epilog="SHAREWELL_MEMORY (default 1200MB) is what the engine may hold before it spills to TMPDIR; the program "
    "itself takes about 430 MB beside it. SHAREWELL_WORKERS says how many processes work side by side (by default as "
    "many as there are cores and memory for).",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

posts = typer.Typer(help="Teach the name finder; review what it found.", no_args_is_help=True)
app.add_typer(posts, name="posts")
app.add_typer(paper, name="paper")
office_commands.add(app)


def _print_version(asked: bool) -> None:
    if asked:
        from sharewell import __version__

        typer.echo(f"sharewell {__version__}")
        raise typer.Exit


PlanFile = Annotated[Path, typer.Argument(metavar="PLAN", help="The plan file, for instance plan.toml.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON, for machines.")]
Out = Annotated[Path | None, typer.Option("--out", help="Folder for release/ and private/; the plan's own by default.")]
Replace = Annotated[bool, typer.Option("--replace", help="Write over a release that is there already.")]


def _choose_engine(name: str | None) -> None:
    if name is not None:
        os.environ["SHAREWELL_ENGINE"] = name


Engine = Annotated[
    str | None,
    typer.Option(
        "--engine",
        metavar="duckdb|spark|sail",
        help="Where tables are computed: duckdb, or spark where one machine ends.",
        callback=_choose_engine,
        expose_value=False,
    ),
]


def _start_log(context: typer.Context, name: str | None) -> None:
    if name is not None:
        context.with_resource(run_log.to(name))


Log = Annotated[
    str | None,
    typer.Option(
        "--log",
        metavar="FILE|-",
        help="Write each stage and the end of the run there; JSON lines where the name ends in .jsonl.",
        callback=_start_log,
        expose_value=False,
    ),
]


@app.callback()
def about(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and stop.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """What holds for every command."""
    workers.take_all_cores()


@app.command()
def demo(
    folder: Annotated[Path, typer.Option(help="Where the fictional course goes.")] = Path("sharewell-demo"),
    students: Annotated[int, typer.Option(min=30, max=100_000, help="How many students.")] = 300,
    seed: Annotated[int, typer.Option(help="The same seed makes the same course.")] = 7,
    replace: Replace = False,
    json: Json = False,
) -> None:
    """A fictional course, released end to end; prints where the report is."""
    from sharewell.demo.run import candidates, run
    from sharewell.show import terminal

    outcome = run(folder, students=students, seed=seed, replace=replace)
    if not json:
        terminal.show_candidates(candidates(folder))
    _finish(outcome, plan=folder / "plan.toml", json=json)


@app.command()
def init(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder with the files to release.")],
    replace: Annotated[bool, typer.Option("--replace", help="Write over a plan.toml that is there.")] = False,
) -> None:
    """Look at the files and write a first plan.toml for a person to correct."""
    from sharewell.first_plan.draft import drafted
    from sharewell.plan.questions import undecided
    from sharewell.show.escape import terminal

    target = folder / "plan.toml"
    if target.exists() and not replace:
        raise DiskError(f"{target}: there is a plan already; use --replace to write a new one over it")
    plan = drafted(folder)
    _write_text(target, plan.text)
    for question in plan.decide:
        typer.echo(f"decide: {terminal(question)}")
    for label, columns in undecided(plan.text).items():
        typer.echo(f"left out until you decide: {terminal(', '.join(columns))} of [{label}]")
    for file in plan.left_out:
        typer.echo(f"left out: {terminal(file)}")
    typer.echo(f"{target}: a first plan. Read it, correct it, then run:  sharewell assess {target}")


@app.command()
def assess(plan: PlanFile, json: Json = False, engine: Engine = None, log: Log = None) -> None:
    """The risk of the data as it stands."""
    from sharewell import disclosure, pipeline
    from sharewell.plan.document import load
    from sharewell.show import terminal

    disclosed = disclosure.disclose(pipeline.assess(load(plan)))
    if json:
        terminal.show_json(terminal.assessment(disclosed))
    else:
        terminal.show_assessment(disclosed)
        typer.echo(f"Next, what each strength of protection costs:  sharewell explore {plan}")
    if any(file.failures for file in disclosed.files):
        raise Refused("some risks could not be measured; see above")


@app.command()
def explore(plan: PlanFile, out: Out = None, json: Json = False, engine: Engine = None, log: Log = None) -> None:
    """The trade-off curves: what each strength of protection costs."""
    from sharewell import disclosure, pipeline
    from sharewell.plan.document import load
    from sharewell.release import place
    from sharewell.show import explorer, terminal

    loaded = load(plan)
    where = place.Place(out or loaded.folder)
    place.prepare(where, replace=True)
    disclosed = disclosure.disclose(pipeline.explore(loaded, root=where.root))
    with place.clear_sentences(where.private):
        page = place.write_private(where, explorer.PAGE, explorer.render(disclosed).encode())
    if json:
        terminal.show_json(terminal.curves(disclosed, page=page))
    else:
        terminal.show_curves(disclosed, page=page)


@app.command()
def release(
    plan: PlanFile,
    out: Out = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Do everything but the writing.")] = False,
    replace: Replace = False,
    json: Json = False,
    engine: Engine = None,
    log: Log = None,
) -> None:
    """Protect, check, write — or refuse."""
    from sharewell import pipeline
    from sharewell.plan.document import load_each
    from sharewell.plan.questions import received
    from sharewell.show.escape import terminal

    plans = load_each(plan)
    if not json:
        for line in received(plans[0].sections, plans[0].source.decode("utf-8-sig")):
            typer.echo(terminal(line))
    if len(plans) > 1 and not dry_run:
        _finish(*pipeline.release_each(plans, root=out, over=replace).values(), plan=plan, json=json)
    elif dry_run:
        _finish(*(pipeline.rehearse(loaded, root=out) for loaded in plans), plan=plan, json=json)
    else:
        _finish(pipeline.release(plans[0], root=out, over=replace), plan=plan, json=json)


@app.command()
def practice(
    plan: PlanFile,
    out: Annotated[Path | None, typer.Option("--out", help="Folder for practice/; the plan's own by default.")] = None,
    epsilon: Annotated[
        float | None, typer.Option("--epsilon", min=0.001, help="Spend less than the audience of the plan allows.")
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Write over a practice copy that is there already.")
    ] = False,
    json: Json = False,
    log: Log = None,
) -> None:
    """All files of a plan invented together, for writing and testing analyses."""
    from sharewell.plan.document import load
    from sharewell.practice.copy import practice as make
    from sharewell.show import terminal

    folder, made = make(load(plan), root=out, over=replace, epsilon=epsilon)
    if json:
        terminal.show_json({"folder": str(folder), "promise": dict(made.promise), "students": made.students})
    else:
        typer.echo(f"{folder}: {made.sentence}")


@app.command()
def verify(
    folder: Annotated[Path, typer.Argument(metavar="RELEASE", help="The folder of a finished release.")],
    signer: Annotated[
        Path | None, typer.Option("--signer", help="The public key of who must have signed; got by another way.")
    ] = None,
    json: Json = False,
) -> None:
    """Re-check a finished release from its files alone, and who made it."""
    from sharewell.release import verify as verification
    from sharewell.show import terminal

    with verification.bounded():
        checked = verification.verify(folder, signer=signer)
    if json:
        shown = terminal.verification(checked.risks, checked.problems)
        signed = [one.to_dict() for one in checked.signatures]
        terminal.show_json({**shown, "notes": checked.notes, "digest": checked.digest, "signatures": signed})
    else:
        terminal.show_verification(checked.risks, checked.problems)
        for note in checked.notes:
            typer.echo(note)
    if checked.problems:
        raise VerificationFailed(f"{folder}: this release does not hold what it says")


@app.command()
def desk(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder with the files and the plan.")],
    reviewer: Annotated[
        list[str] | None, typer.Option("--reviewer", help="A reviewer's name; each gets a link. May be repeated.")
    ] = None,
    name: Annotated[str, typer.Option("--as", help="Your own name, as marks and approvals show it.")] = "steward",
    host: Annotated[
        str, typer.Option("--host", help="Where to listen; elsewhere than here only with TLS.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="0 takes any that is free.")] = 8710,
    certificate: Annotated[Path | None, typer.Option("--certificate", help="The certificate for TLS.")] = None,
    tls_key: Annotated[Path | None, typer.Option("--tls-key", help="The key of the certificate.")] = None,
    idle: Annotated[
        int, typer.Option("--idle", min=1, max=1440, help="Minutes until somebody idle is signed out.")
    ] = 30,
) -> None:
    """The workbench in the browser: roles, curves, review of names, approval."""
    try:
        from sharewell.desk import server
    except ModuleNotFoundError as error:
        raise MissingExtra(error.name or "starlette", extra="desk") from None
    address = server.DeskAddress(host=host, port=port, certificate=certificate, key=tls_key)
    server.serve(folder, address=address, steward=name, reviewers=reviewer or [], idle=60 * idle, say=typer.echo)


@posts.command("review")
def posts_review(
    plan: PlanFile,
    out: Out = None,
    merge: Annotated[
        tuple[Path, Path] | None, typer.Option("--merge", help="Two reviewers' files: put their marks together.")
    ] = None,
) -> None:
    """Write the lists that people mark before a release, or merge their marks."""
    from sharewell import review as reviewing
    from sharewell.plan.document import load

    loaded = load(plan)
    if merge is not None:
        from sharewell.posts.review_lists import merge_files

        typer.echo(str(merge_files(*merge, merge[0].parent)))
        return
    for found in reviewing.lists(loaded, root=out):
        typer.echo(f"{found.path}: {found.marked:,} of {found.rows:,} rows marked")
    typer.echo('Mark each row "name", "word" or "both" and save; the next `sharewell release` honours the marks.')


@posts.command("learn")
def posts_learn(
    labelled: Annotated[
        list[Path],
        typer.Argument(
            metavar="LABELLED...",
            help="Labelled texts (CoNLL, CRAPII or PIILO, Presidio), or words with a mark: name or word.",
        ),
    ],
    file: Annotated[Path | None, typer.Option("--posts", help="The posts that labelled words come from.")] = None,
    text: Annotated[list[str] | None, typer.Option("--text", help="A text column; may be given several times.")] = None,
    model: Annotated[Path, typer.Option("--model", help="Where the taught model goes.")] = Path("names.npz"),
) -> None:
    """Teach the name finder with texts or words of your own; see what each brought."""
    from sharewell.posts.teaching import learn_files

    typer.echo(str(learn_files(labelled, model, posts=file, text=text or ())))


def _finish(*outcomes: "Outcome", plan: Path, json: bool) -> None:
    """Every outcome is shown before one that was refused ends the command."""
    for outcome in outcomes:
        _show(outcome, plan=plan, json=json)
    refused = [outcome.report for outcome in outcomes if not outcome.verdict.passed]
    if refused:
        reports = ", ".join(str(report) for report in refused if report)
        raise Refused(f"refused; the report says why: {reports}" if reports else "refused")


def _next(outcome: "Outcome", plan: Path) -> list[str]:
    return [step.replace("{plan}", str(plan)) for step in outcome.verdict.next]


def _show(outcome: "Outcome", *, plan: Path, json: bool) -> None:
    from sharewell import disclosure
    from sharewell.release.summary import summary
    from sharewell.show import terminal

    disclosed = disclosure.disclose(outcome.findings)
    if json:
        report = None if outcome.report is None else str(outcome.report)
        further = {
            "report": report,
            "notes": outcome.notes,
            "tried": outcome.verdict.tried,
            "next": _next(outcome, plan),
        }
        terminal.show_json({**summary(disclosed, outcome.verdict), **further})
    else:
        terminal.show_outcome(disclosed, outcome.verdict, report=outcome.report, notes=outcome.notes)
        for line in (*outcome.verdict.tried, *(f"next: {step}" for step in _next(outcome, plan))):
            typer.echo(line)


def _write_text(path: Path, text: str) -> None:
    from sharewell.release.place import clear_sentences

    with clear_sentences(path):
        path.write_text(text, encoding="utf-8")


def main() -> None:
    """Run a command; errors of users are one sentence, a bug of ours names its place."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal may know fewer characters than we use
    if not sys.warnoptions:
        warnings.simplefilter("ignore")  # of other libraries, about their own future: nothing a steward can act on
    gc.set_threshold(50_000, 20, 100)  # a command is short: looking for cycles took an eighth of a small release
    scratch.remove_on_signals()
    try:
        app()
    except SharewellError as error:
        _end(str(error), code=error.exit_code, kind=error.kind, retry=error.retry)
    except KeyboardInterrupt:
        _end("stopped; nothing was released", code=130, kind="stopped", retry=True)
    except SystemExit as ended:
        run_log.ended("failed" if ended.code else "done")
        raise
    except Exception as error:
        _end(_bug(error), code=1, kind="bug", retry=False)


def _end(sentence: str, *, code: int, kind: str, retry: bool) -> None:
    """What stopped the run: a sentence for a person, and for a machine what it was and whether a later try helps."""
    run_log.ended("failed", kind=kind, exit=code, retry=retry, problem=sentence)
    typer.echo(sentence, err=True)
    if "--json" in sys.argv and kind != "refused":
        error = {"error": {"kind": kind, "exit": code, "retry": retry, "problems": sentence.splitlines()}}
        typer.echo(dumps(error, ensure_ascii=False, indent=2))
    sys.exit(code)


def run() -> NoReturn:
    """Run a command as a process of its own, and leave at once when it is done.

    Taking apart all that was loaded took a sixth of a small release; what has to go, such as scratch files, goes.
    """
    try:
        main()
        code = 0
    except SystemExit as left:
        code = left.code if isinstance(left.code, int) else int(left.code is not None)
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        code = code or UNREAD
    os._exit(code)


def _bug(error: Exception) -> str:
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "sharewell" in frame.filename]
    lines = [f"  {Path(frame.filename).name}:{frame.lineno} in {frame.name}" for frame in frames]
    head = f"Sharewell stopped on a bug of its own ({type(error).__name__}); nothing was released. Where:"
    return "\n".join([head, *lines])


if __name__ == "__main__":
    main()
