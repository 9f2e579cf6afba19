"""What the columns of any file may be called."""

from collections.abc import Sequence
from pathlib import Path

from sharewell.errors import InputError


def check_names(names: Sequence[str], path: Path) -> None:
    """Every column has a name, and no two names are alike but for case or blanks."""
    seen: dict[str, int] = {}
    for place, name in enumerate(names, start=1):
        folded = name.strip().casefold()
        if not folded:
            raise InputError(f"column {place} has no name; give it one in the header", file=path)
        if folded in seen:
            first = names[seen[folded] - 1]
            both = f"columns {seen[folded]} and {place}"
            how = f"{both} have the same name" if first == name else f"{both} ('{first}') differ only by case or blanks"
            raise InputError(f"{how}; rename one", file=path, column=name)
        seen[folded] = place
