"""Invented names in place of found ones: one person, one invented name, so that replies still refer to each other.

The pool shares no word with the roster or the posts. Which name stands for which is drawn from secret randomness; a
published seed would let anyone undo it. An invented name tells the origin of the real one only where the plan asks.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sharewell.fiction.name_lists import NAMES
from sharewell.text.roster import transliterated
from sharewell.text.word_lists import WordLists


@dataclass(frozen=True, kw_only=True)
class Pools:
    """Words to draw from; origins are looked up only where asked."""

    people: tuple[str, ...]
    towns: tuple[str, ...]
    by_origin: Mapping[str, tuple[str, ...]]


def make_pools(lists: WordLists, taken: Iterable[str]) -> Pools:
    """Names and towns that occur neither in the posts nor on the roster."""
    forbidden = set(taken)

    def free(words: Iterable[str]) -> tuple[str, ...]:
        wanted = {word for word in words if word.isalpha() and len(word) > 2 and not lists.is_word(word)}
        return tuple(sorted(word for word in wanted if word not in forbidden))

    people = (*lists.first, *lists.last)
    towns = lists.cities - lists.first.keys() - lists.last.keys()
    return Pools(people=free(people), towns=free(towns), by_origin={o: free(_names_of(o)) for o in NAMES})


def draw(
    names: Mapping[str, str],
    pools: Pools,
    lists: WordLists,
    generator: np.random.Generator,
    *,
    same_origin: bool = False,
) -> dict[str, str]:
    """Word → invented word. `names` gives for each word the name it is a form of; its forms share a surrogate."""
    roots = sorted(set(names.values()))
    pool_of = {root: _pool(root, pools, lists, same_origin) for root in roots}
    drawn: dict[str, str] = {}
    for pool in sorted(set(pool_of.values())):
        members = [root for root in roots if pool_of[root] == pool]
        order = generator.permutation(len(pool))
        # with more people than invented names the rest gets a second one appended: never two people under one name
        for place, root in enumerate(members):
            rounds, at = divmod(place, len(pool))
            extra = "" if rounds == 0 else "-" + pool[order[(at + rounds) % len(pool)]]
            drawn[root] = pool[order[at]] + extra
    return {word: drawn[root] for word, root in names.items()}


def _pool(root: str, pools: Pools, lists: WordLists, same_origin: bool) -> tuple[str, ...]:
    if _is_town(root, lists) and pools.towns:
        return pools.towns
    if same_origin:
        plain = transliterated(root)
        for origin, pool in pools.by_origin.items():
            if pool and plain in {transliterated(name) for name in _names_of(origin)}:
                return pool
    if not pools.people:
        raise ValueError("every name of the pool occurs in the posts or on the roster")
    return pools.people


def _is_town(word: str, lists: WordLists) -> bool:
    listed = word in lists.cities or word in lists.regions or word in lists.countries
    return listed and word not in lists.first and word not in lists.last


def _names_of(origin: str) -> Sequence[str]:
    names = NAMES[origin]
    return [part.lower() for name in (*names.girls, *names.boys, *names.families) for part in name.split()]
