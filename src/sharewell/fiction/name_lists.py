"""Given and family names by origin: hand-made lists, so that a course meets many cultures and not only one.

Each origin: names given to girls, names given to boys, family names, separated by commas. No full name here
belongs to anyone in particular: a name is a random draw from both lists.
"""

from typing import Any, NamedTuple

from sharewell.fiction.data import load


class NameList(NamedTuple):
    """What the names of one origin look like."""

    region: str  # where most students with such names come from
    girls: tuple[str, ...]
    boys: tuple[str, ...]
    families: tuple[str, ...]
    family_first: float = 0.0  # share of students who write the family name first
    single: float = 0.0  # share of students with one name only


def _origin(*, girls: str, boys: str, families: str, **more: Any) -> NameList:
    return NameList(
        girls=tuple(girls.split(", ")), boys=tuple(boys.split(", ")), families=tuple(families.split(", ")), **more
    )


NAMES: dict[str, NameList] = {origin: _origin(**names) for origin, names in load("names").items()}
