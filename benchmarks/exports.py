"""Exports of learning systems as stewards have them, each taken from `init` to the gate as `release --dry-run` does.

    python benchmarks/exports.py [--only moodle]

The exports are those of `tests/everyday/exports.py`: generated, two dozen invented students each. Between the two
commands the plan gets the first answer to all that it asks. One line each: whether the gate let it pass, what it took,
and where it was refused the command that is told next. Exit 1 if anything failed instead of being refused, or was
refused without a next command.
"""

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from everyday.exports import EXPORTS, Export
from everyday.test_every_format import answers

from sharewell import pipeline
from sharewell.errors import SharewellError
from sharewell.first_plan.draft import drafted
from sharewell.plan.document import load


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="systems whose name holds this")
    wanted = parser.parse_args().only.lower()
    found: Counter[str] = Counter()
    for export in EXPORTS:
        if wanted not in export.system.lower():
            continue
        began = time.process_time()
        with tempfile.TemporaryDirectory() as folder:
            result, said = walked(export, Path(folder))
        found[result] += 1
        print(
            f"{export.system:<44} {','.join(export.kinds):<16} {result:<8} {time.process_time() - began:6.1f} s  {said}"
        )
        sys.stdout.flush()
    print(", ".join(f"{count} {result}" for result, count in found.most_common()))
    return int(bool(found["failed"]))


def walked(export: Export, folder: Path) -> tuple[str, str]:
    """What came of one export, and what a person reads."""
    export.write(folder)
    (folder / "plan.toml").write_text(answers(drafted(folder).text), encoding="utf-8")
    try:
        outcome = pipeline.rehearse(load(folder / "plan.toml"))
    except SharewellError as error:
        return "failed", str(error)
    verdict = outcome.verdict
    broken = [failure.reason for file in outcome.findings.files for failure in file.failures]
    if broken or not (verdict.passed or verdict.next):
        return "failed", "; ".join([*broken, *verdict.reasons])
    return ("passed", "") if verdict.passed else ("refused", "; ".join(verdict.next))


if __name__ == "__main__":
    sys.exit(main())
