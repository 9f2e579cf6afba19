"""Published against measured, for all five papers: one Markdown table per kind of data and a summary of them all.

Every row comes from the `rows` of a benchmark script beside this one, which says its protocol and its seed. Each script
runs in a process of its own: where one fails, the other kinds are written all the same, and the exit code is 1.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import TypedDict

from rich.console import Console

HERE = Path(__file__).parent
SCRIPTS = {
    "records": ("records_table_a1",),
    "traces": ("traces_published",),
    "responses": ("responses_table4", "responses_safety"),
    "posts": ("posts_quality",),
    "keystrokes": ("keystrokes_thesis", "keystrokes_typists"),
}
COLUMNS = ("what", "protocol", "published", "measured")
CALL = "import json, sys, pathlib, {0} as s; print(json.dumps(s.rows(pathlib.Path(sys.argv[1]), int(sys.argv[2]))))"


class Row(TypedDict):
    paper: str
    what: str
    protocol: str
    published: str
    measured: str


def measured(script: str, data: Path, seed: int) -> list[Row]:
    """What a script measures; it prints its rows as the last line."""
    command = [sys.executable, "-W", "ignore", "-c", CALL.format(script), str(data.resolve()), str(seed)]
    done = subprocess.run(command, cwd=HERE, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def as_markdown(rows: list[Row], columns: tuple[str, ...] = COLUMNS) -> str:
    lines = [columns, ("---",) * len(columns), *(tuple(row[name] for name in columns) for row in rows)]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def write_kind(kind: str, rows: list[Row], folder: Path, seed: int) -> None:
    papers = "; ".join(dict.fromkeys(row["paper"] for row in rows))
    head = f"# {kind.capitalize()}\n\n{papers}. Seed {seed}.\n\n"
    (folder / f"{kind}.md").write_text(head + as_markdown(rows) + "\n", encoding="utf-8")
    (folder / f"{kind}.json").write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def write_summary(folder: Path) -> Path:
    """All that has been measured so far, one table: a run of one kind leaves the others as they were."""
    rows = [
        {**row, "kind": kind}
        for kind in SCRIPTS
        if (folder / f"{kind}.json").exists()
        for row in json.loads((folder / f"{kind}.json").read_text(encoding="utf-8"))
    ]
    text = "# Published and measured\n\n" + as_markdown(rows, ("kind", "paper", *COLUMNS)) + "\n"
    path = folder / "summary.md"
    path.write_text(text, encoding="utf-8")
    return path


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--only", choices=SCRIPTS, nargs="+", default=list(SCRIPTS))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--results", type=Path, default=HERE / "results")
    options = parser.parse_args()
    console, failed = Console(), []
    options.results.mkdir(exist_ok=True)
    for kind in options.only:
        console.print(f"{kind} …")
        try:
            rows = [row for script in SCRIPTS[kind] for row in measured(script, options.data, options.seed)]
        except subprocess.CalledProcessError:
            failed.append(kind)
        else:
            write_kind(kind, rows, options.results, options.seed)
    console.print(write_summary(options.results))
    for kind in failed:
        console.print(f"{kind} failed as shown above: its table is as it was", style="red")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
