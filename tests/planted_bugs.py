"""Plant one bug at a time in a copy of the project and demand that the tests notice it: `python tests/planted_bugs.py`.

Name kinds to try only theirs. Each bug is one line of the source, found by its text: where that stands no longer once
in its file, the bug has to be chosen anew. The tests must pass without the bug, or their failing would say nothing.
"""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Bug:
    """A line that is wrong, and the tests (files, or tests of a file) that must fail for it."""

    kind: str
    file: str
    right: str
    wrong: str
    tests: str


RECORDS, TRACES, RESPONSES, POSTS, KEYSTROKES = "records", "traces", "responses", "posts", "keystrokes"
BUGS = (
    Bug(
        RECORDS,
        "records/kernels.py",
        "if sizes[c] < ground.k:",
        "if sizes[c] < ground.k - 1:",
        "records/test_lattice.py",
    ),
    Bug(RECORDS, "records/kernels.py", "if kinds < secrets.l:", "if kinds < secrets.l - 1:", "records/test_lattice.py"),
    Bug(
        RECORDS,
        "records/protection/local_cuts.py",
        "if left < sought.k or total - left < sought.k:",
        "if left < sought.k:",
        "records/test_methods.py",
    ),
    Bug(
        RECORDS,
        "records/recheck.py",
        "k = _number(cells.classes().rows.min())",
        "k = _number(cells.classes().rows.max())",
        "records/test_agreement.py",
    ),
    Bug(
        RECORDS,
        "records/recheck.py",
        "    for number, column in enumerate(sensitive):",
        "    for number, column in enumerate(sensitive[:-1]):",
        "records/test_agreement.py",
    ),
    Bug(
        RECORDS,
        "records/recheck.py",
        "alone = _number((groups.rows == 1).sum())",
        "alone = _number((groups.rows == 0).sum())",
        "records/test_kept_columns.py records/test_records_study.py",
    ),
    Bug(
        TRACES,
        "traces/recheck.py",
        'fewest=sizes["size"].min()',
        'fewest=sizes["size"].max()',
        "traces/test_company.py",
    ),
    Bug(
        TRACES,
        "traces/recheck.py",
        "**{name: turns[name] for name in _named(cells)},",
        "**{name: turns[name] for name in list(_named(cells))[:-1]},",
        "traces/test_company.py",
    ),
    Bug(
        TRACES,
        "traces/protection/groups.py",
        "if len(members) < k:",
        "if len(members) < k - 1:",
        "traces/test_groups.py",
    ),
    Bug(
        TRACES,
        "traces/protection/settings.py",
        "< setting.company)[log.owners]",
        "< setting.company - 1)[log.owners]",
        "traces/test_attackers.py",
    ),
    Bug(
        TRACES,
        "traces/protection/learnt_numbers.py",
        "noisy = total + spread * self.generator.standard_normal(total.size)",
        "noisy = total + spread / 2 * self.generator.standard_normal(total.size)",
        "traces/test_totals_together.py traces/test_invented.py",
    ),
    Bug(
        TRACES,
        "traces/study.py",
        '"bound": "value" if risk.high is None else "high"',
        '"bound": "value"',
        "traces/test_company.py",
    ),
    Bug(
        TRACES,
        "data/pseudonyms.py",
        "return mapping(table, named, keyed if joined else keyed.within(section.label))",
        "return mapping(table, named, keyed)",
        "test_pseudonyms.py test_release.py",
    ),
    Bug(
        RESPONSES,
        "responses/recheck.py",
        "            int(lengths.max()),",
        "            int(lengths.min()),",
        "responses/test_responses_recheck.py",
    ),
    Bug(
        RESPONSES,
        "responses/recheck.py",
        'abs(lengths.size - facts["students"]),',
        'max(0, lengths.size - facts["students"]),',
        "responses/test_responses_recheck.py",
    ),
    Bug(
        RESPONSES,
        "responses/protection/items_left_out.py",
        "few = students_per_item(log) < m",
        "few = students_per_item(log) < m - 1",
        "responses/test_responses_drawn.py responses/test_responses_models.py responses/test_responses_laws.py",
    ),
    Bug(
        RESPONSES,
        "stats/noise.py",
        "noisy = value[moved] + c * error[moved] * drawn",
        "noisy = value[moved] + c / 2 * error[moved] * drawn",
        "responses/test_responses_settled.py responses/test_responses_learner.py",
    ),
    Bug(
        RESPONSES,
        "responses/protection/answering.py",
        "tries=fitted.tries + c * error.tries * generator.standard_normal(fitted.tries.size),",
        "tries=fitted.tries,",
        "responses/test_responses_models.py responses/test_responses_learner.py responses/test_responses_tracing.py",
    ),
    Bug(
        RESPONSES,
        "responses/study.py",
        'replace(risk, gate=gate, limit=limit, bound="high")',
        'replace(risk, gate=gate, limit=limit, bound="low")',
        "responses/test_responses_study.py",
    ),
    Bug(POSTS, "posts/recheck.py", r'r"\d{7,}|', r'r"\d{17,}|', "text/test_patterns.py"),
    Bug(POSTS, "posts/recheck.py", 'seen = _UNSEEN.sub("", text)', "seen = text", "text/test_patterns.py"),
    Bug(
        POSTS,
        "posts/recheck.py",
        'gate="patterns", limit=0.0)',
        'gate="patterns", limit=1.0)',
        "posts/test_posts_study.py",
    ),
    Bug(
        POSTS,
        "posts/measure/labelled_sample.py",
        "n, confidence=CONFIDENCE)[1]",
        "n, confidence=CONFIDENCE)[0]",
        "posts/test_review.py posts/test_sixty_posts.py",
    ),
    Bug(
        POSTS,
        "posts/measure/names_left.py",
        'bound="high"',
        'bound="low"',
        "posts/test_posts_study.py posts/test_review.py",
    ),
    Bug(
        POSTS,
        "posts/protection/surrogates.py",
        "forbidden = set(taken)",
        "forbidden = set[str]()",
        "posts/test_redaction.py",
    ),
    Bug(
        KEYSTROKES,
        "keystrokes/recheck.py",
        "(events.press < before)",
        "(events.press < before - 1e9)",
        "keystrokes/test_keystroke_recheck.py",
    ),
    Bug(
        KEYSTROKES,
        "keystrokes/recheck.py",
        "right = (counted.largest == counted.sessions) & (counted.numbers == counted.sessions)",
        "right = counted.largest == counted.sessions",
        "keystrokes/test_keystroke_recheck.py",
    ),
    Bug(
        KEYSTROKES,
        "keystrokes/protection/rare_keys.py",
        ">= LEAST_STUDENTS)",
        ">= LEAST_STUDENTS - 1)",
        "keystrokes/test_five_students.py",
    ),
    Bug(
        KEYSTROKES,
        "keystrokes/protection/rare_keys.py",
        ">= LEAST_STUDENTS]",
        ">= LEAST_STUDENTS - 1]",
        "keystrokes/test_keystroke_keys.py keystrokes/test_keystroke_text.py",
    ),
    Bug(
        KEYSTROKES,
        "keystrokes/protection/random_delays.py",
        "late = _in_order(since + generator.uniform(0, most_ms, len(since)), typing.session)",
        "late = _in_order(since + generator.uniform(0, most_ms / 2, len(since)), typing.session)",
        "keystrokes/test_keystroke_exactness.py",
    ),
    Bug(
        KEYSTROKES,
        "keystrokes/protection/coarsening.py",
        "return np.asarray(step * np.floor((values + step / 2) / step + 0.5))",
        "return np.asarray(step * np.floor(values / step + 0.5))",
        "keystrokes/test_keystroke_exactness.py",
    ),
)


def main(kinds: list[str]) -> int:
    """Print what was caught and what was not; returns how many bugs nobody noticed."""
    missed = 0
    with TemporaryDirectory() as folder:
        for part in ("src", "tests", "examples", "docs"):
            shutil.copytree(ROOT / part, Path(folder) / part, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "pyproject.toml", folder)
        for bug in BUGS:
            if not kinds or bug.kind in kinds:
                caught = is_caught(bug, Path(folder))
                missed += not caught
                print(f"{'caught' if caught else 'MISSED'}  {bug.file}: {bug.wrong.strip()}", flush=True)
    return missed


def is_caught(bug: Bug, folder: Path) -> bool:
    """Whether the tests pass on the project as it is and fail with the bug in it."""
    path = folder / "src" / "sharewell" / bug.file
    text = path.read_text(encoding="utf-8")
    if text.count(bug.right) != 1:
        raise SystemExit(f"{bug.file}: '{bug.right}' stands there {text.count(bug.right)} times; choose this bug anew")
    if not passes(bug.tests, folder):
        raise SystemExit(f"{bug.tests}: these tests fail without any bug")
    path.write_text(text.replace(bug.right, bug.wrong), encoding="utf-8")
    try:
        return not run(bug.tests, folder)
    finally:
        path.write_text(text, encoding="utf-8")


@cache
def passes(tests: str, folder: Path) -> bool:
    """Whether tests pass on the project without a bug."""
    return run(tests, folder)


def run(tests: str, folder: Path) -> bool:
    """Whether tests pass; a crash is a failure, tests that could not be found or read are no answer."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-W", "ignore", *(f"tests/{name}" for name in tests.split())]
    here = {**os.environ, "PYTHONPATH": str(folder / "src")}
    done = subprocess.run(command, cwd=folder, env=here, capture_output=True, text=True, check=False)
    if done.returncode > 1:
        raise SystemExit(f"{tests} did not run: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
