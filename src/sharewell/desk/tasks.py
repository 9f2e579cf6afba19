"""What the worker can do: each task calls the function behind a command, and leaves its result in private/desk."""

import json
import tempfile
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sharewell import disclosure, pipeline, review
from sharewell.data import engine, scratch
from sharewell.data.files import to_json
from sharewell.desk import before_after, columns, fill, plan_text, typed_groups
from sharewell.disclosure import Disclosed
from sharewell.errors import InputError
from sharewell.findings import Findings, Verdict
from sharewell.first_plan.draft import drafted, section_for
from sharewell.pipeline import Outcome
from sharewell.plan.document import Plan, load, load_each
from sharewell.posts.review_queue import queue
from sharewell.posts.study import PostsStudy
from sharewell.release import gate, office, place, student
from sharewell.release.place import Place, clear_sentences
from sharewell.release.summary import summary
from sharewell.show import explorer

Given = Mapping[str, Any]
FOLDER = "desk"  # under the private folder
PLAN = "plan.toml"
LISTS = ("names", "sample", "places", "labels")  # what a release reads marks from


def kept(where: Place, name: str) -> dict[str, Any] | None:
    """What a task left, or nothing."""
    try:
        found: dict[str, Any] = json.loads((where.private / FOLDER / name).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found


def _keep(given: Given, name: str, content: Mapping[str, Any]) -> None:
    now = fill.when(datetime.now(UTC))
    place.write_private(_where(given), f"{FOLDER}/{name}", to_json({**content, "at": now}))


def _where(given: Given) -> Place:
    return Place(Path(given["folder"]))


def _plan(given: Given) -> Path:
    return Path(given["folder"]) / PLAN


def draft(given: Given) -> dict[str, Any]:
    """`sharewell init`."""
    target = _plan(given)
    if target.exists():
        raise InputError("there is a plan already", file=target)
    made = drafted(Path(given["folder"]))
    with clear_sentences(target):
        target.write_text(made.text, encoding="utf-8")
    look(given)
    return {"said": "A first plan was written. Look at every column, and correct its role."}


def add(given: Given) -> dict[str, Any]:
    """Add a file that the first plan left out, by the kind and students named."""
    path = _plan(given)
    name, text = given["file"], path.read_text(encoding="utf-8-sig")
    labels = [label for label, _ in columns.sections(plan_text.parsed(text).unwrap())]
    student = given["student"] or None
    taken = [label.partition(".")[2] for label in labels]
    section = section_for(path.parent / name, given["kind"], student, taken=taken)
    kept_lines = [line for line in text.splitlines() if not line.startswith(f"# left out: {name}")]
    plan_text.written(path, "\n".join([*kept_lines, "", section]))
    look(given)
    return {"said": f"{name} is in the plan now. Look at the roles of its columns."}


def look(given: Given) -> dict[str, Any]:
    """What is in the files, column by column, through disclosure."""
    plan = _plan(given)
    _keep(given, "columns.json", {"files": columns.found(plan), "others": columns.others(plan)})
    return {"said": "The files were looked at."}


def assess(given: Given) -> dict[str, Any]:
    """`sharewell assess`."""
    found = pipeline.assess(load(_plan(given)))
    _keep(given, "assessed.json", _summary(found, Verdict(passed=True)))
    return {"said": "The risk as it stands was measured."}


def explore(given: Given) -> dict[str, Any]:
    """`sharewell explore`."""
    where, plan = _where(given), load(_plan(given))
    found = pipeline.explore(plan, root=where.root)
    place.write_private(where, explorer.PAGE, explorer.render(disclosure.disclose(found)).encode())
    _keep(given, "explored.json", _summary(found, gate.judge(found)))
    return {"said": "The curves are drawn."}


def names(given: Given) -> dict[str, Any]:
    """Make the review lists and the queue that the desk asks from."""
    where = _where(given)
    queues: dict[str, dict[str, Any]] = {}

    def keep(label: str, opened: Any) -> None:
        if isinstance(opened, PostsStudy):
            queues[label] = queue(opened).to_dict()

    review.lists(load(_plan(given)), root=where.root, study=keep)
    for label, made in queues.items():
        paths = sorted((where.private / "review" / label).glob("*.csv"))
        lists = {path.stem: review.table(path).to_pydict() for path in paths if path.stem in LISTS}
        place.write_private(where, f"{FOLDER}/queue-{label}.json", to_json({**made, "lists": lists}))
    return {"said": "The words to look at are ready." if queues else "No file of the plan has words to look at."}


def rehearse(given: Given) -> dict[str, Any]:
    """`sharewell release --dry-run`."""
    rows: list[dict[str, Any]] = []
    plans = load_each(_plan(given))
    looks = [lambda outcome, plan=plan: rows.extend(_rows(plan, outcome)) for plan in plans]
    made = [pipeline.rehearse(plan, look=look) for plan, look in zip(plans, looks, strict=True)]
    return _ended(given, made, rows, dry=True)


def group(given: Given) -> dict[str, Any]:
    """Write the groups that a person typed for a column, and try them."""
    folder, column = _where(given).root, given["column"]
    document = plan_text.parsed(_plan(given).read_text(encoding="utf-8-sig")).unwrap()
    table = columns.table_of(folder, dict(columns.sections(document))[given["label"]])
    cells = engine.arrow(table.select(value=table[column].cast("string")).distinct())["value"].to_pylist()
    typed = {value: (group, wider) for value, (group, wider) in given["typed"].items()}
    rows = typed_groups.rows(sorted(value for value in cells if value is not None), typed, tuple(given["rest"]))
    earlier = folder / given["earlier"] if given["earlier"] else None
    typed_groups.write(folder / given["to"], column, rows, earlier=earlier)
    return rehearse(given)


def release(given: Given) -> dict[str, Any]:
    """`sharewell release`."""
    plans, over = load_each(_plan(given)), bool(given["replace"])
    if len(plans) > 1:
        made = list(pipeline.release_each(plans, over=over).values())
    else:
        made = [pipeline.release(plans[0], over=over)]
    rows = [row for plan, outcome in zip(plans, made, strict=True) for row in _rows(plan, outcome)]
    return _ended(given, made, rows, dry=False)


def _rows(plan: Plan, outcome: Outcome) -> list[dict[str, Any]]:
    """Ten rows of each file before and after, where there is an after."""
    if not outcome.verdict.passed or outcome.report is None:
        return []
    return before_after.tables(plan, outcome.findings, outcome.report.parent)


def _ended(given: Given, outcomes: list[Outcome], rows: list[dict[str, Any]], *, dry: bool) -> dict[str, Any]:
    refused = [one for one in outcomes if not one.verdict.passed]
    ended = {
        "dry": dry,
        "passed": not refused,
        "rows": rows,
        "outcomes": [
            {
                **_summary(one.findings, one.verdict),
                "tried": one.verdict.tried,
                "next": [step.replace("{plan}", PLAN) for step in one.verdict.next],
                "notes": one.notes,
                "report": None if one.report is None else str(one.report),
            }
            for one in outcomes
        ],
    }
    _keep(given, "ended.json", ended)
    if refused:
        return {"state": "refused", "said": " ".join(one.verdict.sentence for one in refused)}
    return {"said": "Every limit is met. Nothing was written: this was a dry run." if dry else "Every limit is met."}


def approve(given: Given) -> dict[str, Any]:
    """`sharewell approve`: the key is on disk for as long as it takes to sign."""
    with tempfile.TemporaryDirectory(prefix="key-", dir=scratch.scratch()) as folder:
        key = Path(folder) / "signing-key"
        key.touch(mode=0o600)
        key.write_text(given["key"], encoding="utf-8")
        try:
            standing = office.approve(_where(given).root / "candidate", name=given["name"], key=key)
        except InputError as error:
            raise InputError(error.problem) from None  # the name of the folder of the key helps nobody
    if standing.published:
        return {"said": "Approved, and with it released."}
    return {"said": f"Approved: {len(standing.approvals)} of {standing.asked} signatures."}


def send_back(given: Given) -> dict[str, Any]:
    """`sharewell approve --send-back`."""
    office.send_back(_where(given).root / "candidate", name=given["name"], comment=given["comment"])
    return {"said": "Sent back. Nothing was released."}


def withdraw(given: Given) -> dict[str, Any]:
    """`sharewell withdraw`."""
    done = pipeline.withdraw(load(_plan(given)), sorted(set(given["students"])))
    if not done.leaving.holding:
        return {"said": "No release holds any of these students: add them to the file that the plan names in exclude."}
    unknown = f" {done.leaving.unknown:,} of the ids are in no release." if done.leaving.unknown else ""
    assert done.outcome is not None
    ended = _ended(given, [done.outcome], [], dry=False)
    if not done.outcome.verdict.passed:
        said = "The next version was refused, so the old one stands: recall it from its recipients."
        return {**ended, "said": said + unknown}
    said = f"The next version is made, without them and without others who left with them.{unknown} Notices: "
    return {"said": said + ", ".join(str(path.name) for path in done.notices)}


def one_student(given: Given) -> dict[str, Any]:
    """`sharewell student`."""
    where, plan = _where(given), load(_plan(given))
    home = office.opened(plan, where)
    if not home.register.exists():
        raise InputError("no release is written down here yet", file=PLAN)
    with clear_sentences(where.private):
        found = student.page(home, given["student"])
    if found is None:
        return {"said": "No release holds this student."}
    return {
        "said": "Here is what each release says of them.",
        "result": {"page": str(found.relative_to(where.private))},
    }


def _summary(found: Findings, verdict: Verdict) -> dict[str, Any]:
    disclosed: Disclosed = disclosure.disclose(found)
    failures = [{"stage": one.stage, "reason": one.reason} for one in disclosed.failures]
    return {**summary(disclosed, verdict), "seed": disclosed.seed, "further_failures": failures}


TASKS: Mapping[str, Callable[[Given], dict[str, Any]]] = {
    "draft": draft,
    "look": look,
    "add": add,
    "assess": assess,
    "explore": explore,
    "names": names,
    "group": group,
    "rehearse": rehearse,
    "release": release,
    "approve": approve,
    "send back": send_back,
    "withdraw": withdraw,
    "student": one_student,
}
