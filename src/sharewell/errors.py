"""What can go wrong, in one tree.

SharewellError
├── PlanError             the plan does not make sense; carries every problem at once     exit 2
├── MissingExtra          an optional package is not installed                            exit 2
├── Refused               the gate said no                                                exit 3
├── VerificationFailed    a finished release does not hold what it says                   exit 4
├── InputError            the data is not as expected: file, column, row, what to do      exit 5
├── Problems              several of them at once, over all files                         exit 5
├── DiskError             a folder cannot be written, or the disk is full                 exit 6
│   └── Locked            another run writes there: a later try helps                     exit 7
├── EngineError           a worker was lost, or Spark cannot be reached: a try may help   exit 8
└── NotYet                the plan waits: the release that stands stays for now           exit 9

No message ever carries a value out of the data: columns and row numbers say where to look.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any


class SharewellError(Exception):
    """The root: everything below is the user's to correct; anything else is a bug of ours."""

    exit_code = 2
    kind = "plan"  # as `--json` and a log call it
    retry = False  # whether the same command may do later

    def __reduce__(self) -> tuple[Any, ...]:
        """Arrive from a worker as it was raised there, whatever its class asks for when it is made."""
        return _as_raised, (type(self), self.args, dict(vars(self)))


def _as_raised(kind: type[SharewellError], args: tuple[Any, ...], said: dict[str, Any]) -> SharewellError:
    error = kind.__new__(kind)
    error.args = args
    vars(error).update(said)
    return error


class InputError(SharewellError):
    """One sentence about one place in the data."""

    exit_code, kind = 5, "input"

    def __init__(
        self,
        problem: str,
        *,
        file: str | Path | None = None,
        column: str | int | None = None,  # an int is a position: where the name itself may be a value
        row: int | None = None,
    ) -> None:
        self.problem, self.file, self.column, self.row = problem, file, column, row
        super().__init__(f"{_place(file, column, row)}{problem}")

    def at_row(self, row: int) -> "InputError":
        """The same sentence about another row: rows are named as they stand in the file."""
        return InputError(self.problem, file=self.file, column=self.column, row=row)


class Problems(SharewellError):
    """What is wrong with the data, everything at once: a person corrects it in one go."""

    exit_code, kind = 5, "input"

    def __init__(self, problems: "Sequence[SharewellError]") -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class Gathering:
    """Collects what is wrong with several files, so that all of it is reported before any long work starts."""

    def __init__(self) -> None:
        self.found: list[SharewellError] = []

    @contextmanager
    def part(self) -> Iterator[None]:
        try:
            yield
        except Problems as several:
            self.found += several.problems
        except InputError as error:
            self.found.append(error)

    def report(self) -> None:
        if len(self.found) == 1:
            raise self.found[0]
        if self.found:
            raise Problems(self.found)


class PlanError(SharewellError):
    """Every problem of a plan at once, one sentence each."""

    def __init__(self, problems: Sequence[str], *, file: str | Path | None = None) -> None:
        self.problems = tuple(problems)
        head = f"{file}: " if file is not None else ""
        super().__init__("\n".join(f"{head}{problem}" for problem in self.problems))


class DiskError(SharewellError):
    """The place to write to does not take what we write."""

    exit_code, kind = 6, "disk"


class Locked(DiskError):
    """Another run writes to the same place."""

    exit_code, kind, retry = 7, "lock", True


class EngineError(SharewellError):
    """What computes the tables has stopped, and not by a mistake of ours."""

    exit_code, kind, retry = 8, "engine", True


class NotYet(SharewellError):
    """Earlier releases stand in the way of a next version, and the plan says to wait."""

    exit_code, kind, retry = 9, "not yet", True


class MissingExtra(SharewellError):
    """A function needs a package that comes with an extra."""

    def __init__(self, package: str, *, extra: str) -> None:
        super().__init__(f"this needs {package}: install it with  pip install 'sharewell[{extra}]'")


class Refused(SharewellError):
    """The gate refused the release; nothing was written under it."""

    exit_code, kind = 3, "refused"


class VerificationFailed(SharewellError):
    """A release does not hold what its files say."""

    exit_code, kind = 4, "not verified"


def _place(file: str | Path | None, column: str | int | None, row: int | None) -> str:
    parts = [str(file)] if file is not None else []
    if column is not None:
        parts.append(f"column {column}" if isinstance(column, int) else f"column '{column}'")
    if row is not None:
        parts.append(f"row {row}")
    return f"{', '.join(parts)}: " if parts else ""
