"""Commands about releases that were made: who signs, who approves, what was released before, and who opted out."""

from pathlib import Path
from typing import Annotated, Any

import typer

from sharewell.errors import InputError, Refused, VerificationFailed

keys = typer.Typer(help="Signing keys.", no_args_is_help=True)

PlanFile = Annotated[Path, typer.Argument(metavar="PLAN", help="The plan file, for instance plan.toml.")]
Out = Annotated[Path | None, typer.Option("--out", help="Folder of release/ and private/; the plan's own by default.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON, for machines.")]


def add(app: typer.Typer) -> None:
    """The commands of this file under the command line."""
    app.add_typer(keys, name="keys")
    for command in (approve, register, withdraw, student):
        app.command()(command)


@keys.command("new")
def keys_new(
    name: Annotated[str, typer.Option("--name", help="Whose key it is, as recipients will read it.")],
    out: Annotated[Path, typer.Option("--out", help="Where the private key goes.")] = Path("signing-key"),
) -> None:
    """Make a signing key: a private half to keep and a public half to hand out."""
    from sharewell.release import signature
    from sharewell.release.place import clear_sentences

    with clear_sentences(out):
        signer = signature.new_keys(out, name)
    typer.echo(f"{out}: private; anyone who has it can sign as {signer.name}. Keep it, and a copy in a safe place.")
    typer.echo(f"{out}.pub: public; give it to recipients by another way than the release itself.")
    typer.echo(f"fingerprint, to be compared by telephone: {signer.fingerprint}")


def approve(
    folder: Annotated[Path, typer.Argument(metavar="CANDIDATE", help="The candidate that `sharewell release` made.")],
    name: Annotated[str, typer.Option("--as", help="Your name, as your key has it.")],
    key: Annotated[Path, typer.Option("--key", help="Your private signing key.")] = Path("signing-key"),
    send_back: Annotated[
        str | None, typer.Option("--send-back", help="Do not sign: send it back, and say what must change.")
    ] = None,
) -> None:
    """Sign a candidate; the last signature that the plan asks for releases it."""
    from sharewell.release import office

    if send_back is not None:
        typer.echo(f"{name} sent release {office.send_back(folder, name=name, comment=send_back)} back. Nothing left.")
        return
    standing = office.approve(folder, name=name, key=key)
    typer.echo(f"{name} approved release {standing.id}: {len(standing.approvals)} of {standing.asked} signatures.")
    if standing.published:
        typer.echo(f"Released: {folder.resolve().parent / 'release'}")


def register(plan: PlanFile, out: Out = None, json: Json = False) -> None:
    """List the releases that were made, and check that their records are unchanged.

    PLAN may be the folder of the plan.
    """
    from sharewell.data.files import to_json
    from sharewell.plan.document import load
    from sharewell.release import office
    from sharewell.release.place import Place

    loaded = load(plan / "plan.toml" if plan.is_dir() else plan)
    home = office.opened(loaded, Place(out or loaded.folder))
    problems = home.register.problems()
    releases = [register_entry(one) for one in home.register.releases()]
    if json:
        typer.echo(
            to_json({"releases": releases, "problems": problems, "head": home.register.head()}).decode(), nl=False
        )
    else:
        for line in _listed(releases, str(home.register.path), home.register.head()):
            typer.echo(line)
    if problems:
        raise VerificationFailed("the register does not hold: " + "; ".join(problems))


def register_entry(one: Any) -> dict[str, Any]:
    """A release as the register lists it."""
    state = f"superseded by {one.superseded_by}" if one.superseded_by else "released" if one.published else "waiting"
    return {
        "id": one.id,
        "at": one.at,
        "name": one.body["name"],
        "audience": one.audience,
        "state": state,
        "files": sorted(one.body["files"]),
        "students": max((file["students"] for file in one.body["files"].values()), default=0),
        "key": one.body["key"],
        "signed": [signer["name"] for signer in one.body["signed"]],
        "approved": [f"{signer['name']} on {signer['at']}" for signer in one.approvals],
        "left later": len(one.withdrawn),
    }


def _listed(releases: list[dict[str, Any]], path: str, head: str) -> list[str]:
    if not releases:
        return ["No release is written down here yet."]
    lines = []
    for one in releases:
        lines.append(f"{one['id']}  {one['at']}  {one['name']}  ({one['audience']}, {one['state']})")
        lines.append(f"    {', '.join(one['files'])}; {one['students']:,} students; key {one['key']}")
        if one["signed"] or one["approved"]:
            lines.append(f"    signed by {', '.join([*one['signed'], *one['approved']])}")
    lines.append(f"Every entry of {path} is chained to the one before it; the last hash is")
    lines.append(f"    {head}")
    lines.append("Note it elsewhere: it shows later whether the end of the register was cut off.")
    return lines


def withdraw(
    students: Annotated[Path, typer.Argument(metavar="STUDENTS", help="A file with the ids of those who opted out.")],
    plan: PlanFile,
    out: Out = None,
) -> None:
    """Take students out who opted out late: a next version and notices of it."""
    from sharewell import pipeline
    from sharewell.plan.document import load
    from sharewell.release.withdraw import named

    done = pipeline.withdraw(load(plan), named(students), root=out)
    if not done.leaving.holding:
        typer.echo("No release holds any of these students: add them to the file that the plan names under exclude.")
        return
    typer.echo("They are in: " + ", ".join(f"{one.id} ({one.audience})" for one in done.leaving.holding))
    if done.leaving.unknown:
        typer.echo(f"{done.leaving.unknown:,} of the ids are in no release: are they spelled right?")
    assert done.outcome is not None
    if not done.outcome.verdict.passed:
        raise Refused(
            "the next version was refused, so the old one stands without a replacement: recall it from its recipients. "
            f"The report says why: {done.outcome.report}"
        )
    typer.echo(f"Next version: {done.outcome.release}. Others left with them, so that nobody can see who opted out.")
    for notice in done.notices:
        typer.echo(f"Notice to recipients: {notice}")


def student(
    identifier: Annotated[str, typer.Argument(metavar="ID", help="The id of the student, as in the original files.")],
    plan: PlanFile,
    out: Out = None,
) -> None:
    """Show what each release says of one student, and their own risk: a private page."""
    from sharewell.plan.document import load
    from sharewell.release import office
    from sharewell.release.place import Place, clear_sentences
    from sharewell.release.student import page

    loaded = load(plan)
    home = office.opened(loaded, Place(out or loaded.folder))
    if not home.register.exists():
        raise InputError("no release is written down here yet", file=plan)
    with clear_sentences(home.home.private):
        found = page(home, identifier)
    typer.echo(f"Private page: {found}" if found else "No release holds this student.")
