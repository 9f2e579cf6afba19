"""Invented names in place of found ones: one person, one invented name, as far as the plan wants to follow a person.

One invented name for the whole file would be a substitution cipher: who remembers one mention has decoded all.
So every post has its own draw, unless the plan asks for one per thread or per file, since who-talks-to-whom needs it.
Within a draw two people never get the same name. The pool shares no word with the roster or the posts. An invented name
keeps the origin of the real one only where the plan asks.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from sharewell.fiction.name_lists import NAMES
from sharewell.posts.section import SurrogatePer
from sharewell.text.roster import transliterated
from sharewell.text.word_lists import WordLists

ROUNDS = 6  # of the Feistel network


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


@dataclass(frozen=True, kw_only=True)
class Surrogates:
    """Invented names for every draw, of which none says anything about another.

    `roots` gives for each word the name that it is a form of: its forms share a surrogate. `places` gives for each
    root its pool and its number among the roots of that pool; `secret` is a sub-key.
    """

    roots: Mapping[str, str]
    places: Mapping[str, tuple[str, int]]
    pools: Mapping[str, tuple[str, ...]]
    secret: bytes = field(repr=False)
    per: SurrogatePer

    def invented(self, word: str, draw: str) -> str | None:
        """What stands for a word in one draw, a post or a thread; None for a word that is no name."""
        if word not in self.roots:
            return None
        of, place = self.places[self.roots[word]]
        pool = self.pools[of]
        rounds, number = divmod(place, len(pool))
        first = pool[self._permuted(number, len(pool), f"{draw}|{of}|{rounds}")]
        # with more people than invented names the rest gets a second one appended: never two people under one name
        return first if rounds == 0 else f"{first}-{pool[(number + rounds) % len(pool)]}"

    def _permuted(self, number: int, size: int, draw: str) -> int:
        """A keyed permutation of the numbers below `size` (Feistel network, cycle walking: Black and Rogaway 2002)."""
        half = max((size - 1).bit_length() + 1, 2) // 2
        key, low = hashlib.blake2b(draw.encode(), key=self.secret, digest_size=32).digest(), (1 << half) - 1
        while True:
            left, right = number >> half, number & low
            for turn in range(ROUNDS):
                mixed = hashlib.blake2b(bytes((turn,)) + right.to_bytes(4, "big"), key=key, digest_size=4).digest()
                left, right = right, left ^ (int.from_bytes(mixed, "big") & low)
            number = left << half | right
            if number < size:
                return number


def make_surrogates(
    roots: Mapping[str, str],
    pools: Pools,
    lists: WordLists,
    secret: bytes,
    *,
    per: SurrogatePer = "post",
    same_origin: bool = False,
) -> Surrogates:
    """Draws for these names, each from the pool of people, of towns or of its own origin."""
    every = {"people": pools.people, "towns": pools.towns, **pools.by_origin}
    members: Counter[str] = Counter()
    places = {}
    for root in sorted(set(roots.values())):
        of = _pool(root, pools, lists, same_origin)
        places[root] = (of, members[of])
        members[of] += 1
    used = {name: every[name] for name in members}
    return Surrogates(roots=roots, places=places, pools=used, secret=secret, per=per)


def _pool(root: str, pools: Pools, lists: WordLists, same_origin: bool) -> str:
    if _is_town(root, lists) and pools.towns:
        return "towns"
    if same_origin:
        for origin, pool in pools.by_origin.items():
            if pool and transliterated(root) in _plain_names(origin):
                return origin
    if not pools.people:
        raise ValueError("every name of the pool occurs in the posts or on the roster")
    return "people"


def _is_town(word: str, lists: WordLists) -> bool:
    listed = word in lists.cities or word in lists.regions or word in lists.countries
    return listed and word not in lists.first and word not in lists.last


def _names_of(origin: str) -> Sequence[str]:
    names = NAMES[origin]
    return [part.lower() for name in (*names.girls, *names.boys, *names.families) for part in name.split()]


@cache
def _plain_names(origin: str) -> frozenset[str]:
    return frozenset(transliterated(name) for name in _names_of(origin))
