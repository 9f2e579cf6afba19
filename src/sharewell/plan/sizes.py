"""How much a file may hold: a small file can unpack to more than a machine can bear.

The limits are far above what a course or a faculty has; a plan raises them for a file that is larger, in so many words.
"""

from dataclasses import dataclass
from pathlib import Path

from sharewell.errors import InputError
from sharewell.plan.sections import setting

EXPANSION_FROM = 1 << 28  # bytes: below a quarter of a gigabyte any expansion is harmless
HINT = "if it is sound, raise it in the plan:"


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """The most that one file may hold."""

    rows: int = setting(300_000_000, low=1, says="The most rows that a file may have.")
    gigabytes: float = setting(30.0, low=0.001, says="The most gigabytes that a file may hold once it is unpacked.")
    expansion: int = setting(
        250, low=1, says="How many times its size on disk a file may unpack to, once that is over 256 MB."
    )
    columns: int = setting(2_000, low=1, says="The most columns that a file may have.")

    def check_rows(self, rows: int, file: Path) -> None:
        if rows > self.rows:
            raise InputError(
                f"has more than {self.rows:,} rows; {HINT} sizes = {{ rows = {_round_up(rows):_} }}", file=file
            )

    def check_columns(self, columns: int, file: Path) -> None:
        if columns > self.columns:
            raise InputError(
                f"has {columns:,} columns and at most {self.columns:,} are read; leave out those that nobody needs, or "
                f"raise it in the plan: sizes = {{ columns = {columns} }}",
                file=file,
            )

    def check_bytes(self, unpacked: int, on_disk: int, file: Path) -> None:
        """`unpacked` so far: the check is made while the bytes come, before they fill a disk."""
        if unpacked > self.gigabytes * 1e9:
            raise InputError(
                f"unpacks to more than {self.gigabytes:g} GB; {HINT} sizes = {{ gigabytes = {2 * self.gigabytes:g} }}",
                file=file,
            )
        if unpacked > EXPANSION_FROM and unpacked > self.expansion * on_disk:
            raise InputError(
                f"unpacks to more than {self.expansion:,} times its size, as a file does that was made to fill a disk; "
                f"{HINT} sizes = {{ expansion = {4 * self.expansion} }}",
                file=file,
            )


def _round_up(number: int) -> int:
    size = int(10 ** (len(str(number)) - 1))
    return -(-number // size) * size
