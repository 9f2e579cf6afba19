"""A new release beside the earlier ones: what both disclose together that neither does alone.

Attacks on every earlier release that holds some of the same students: pseudonyms of the two are linked by behaviour, or
facts of both added up where they are the same; groups of look-alikes of one are intersected with groups of the other;
and who is in one and not in the other is set against who is known to have left or to have come, and what of them is.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from ibis.expr.types import Table

from sharewell.contract import Measure, Risk
from sharewell.data import engine, id_mapping
from sharewell.plan.audience_limits import AUDIENCES, LIMITS
from sharewell.release import linkage, moved_together
from sharewell.release.linkage import File, joint, rejoined, tells, world
from sharewell.release.linkage.match import assignment
from sharewell.release.look_alikes import company, look_alikes
from sharewell.release.register import Earlier
from sharewell.stats.arrays import Array
from sharewell.stats.intervals import wilson

LINKED = Measure(
    id="linked to an earlier release", title="Students whose pseudonyms in two releases can be linked", counts=True
)
TOGETHER = Measure(id="joined with an earlier release", title="More students singled out by facts from two releases")
COMPANY = Measure(
    id="company by two releases",
    title="Fewest students who look alike in two releases together",
    unit="count",
    better="higher",
)
CERTAIN = Measure(
    id="certain by two releases", title="Students whose other values two releases together give away", counts=True
)
LEFT = Measure(id="named by leaving or coming", title="Chance of naming a pseudonym by who left or came", of_one=True)
LEFT_TOGETHER = Measure(
    id="linked by leaving or coming", title="Links that are right among the pseudonyms of those who left or came"
)
MEASURES = (LINKED, TOGETHER, COMPANY, CERTAIN, LEFT, LEFT_TOGETHER)

LOOSEST_OF_LINKS = max(limits.linkage for limits in LIMITS.values())
LOOSEST_OF_COMPANY = 1 / min(limits.company for limits in LIMITS.values())
LOOSEST = {  # of each measure: the limit of the narrowest audience that may hold both releases
    LINKED.id: LOOSEST_OF_LINKS,
    TOGETHER.id: LOOSEST_OF_LINKS,
    COMPANY.id: min(limits.company for limits in LIMITS.values()),
    CERTAIN.id: LOOSEST_OF_LINKS,
    LEFT.id: LOOSEST_OF_COMPANY,
    LEFT_TOGETHER.id: LOOSEST_OF_COMPANY,
}
REMEDIES = {
    COMPANY.id: "use again what the earlier release was made with (`recoding` in the section: its private "
    "recoding.csv, of traces groups.csv), or release only one of the two",
}
WORLD = 400  # students among whom pseudonyms are linked; fewer candidates than there are only help the attacker
TRIALS = 20  # students who are taken away one by one, to see whether that is noticed
SAME_COURSE = 0.5  # of the smaller release that must be in the other for leaving and coming to mean anything


@dataclass(frozen=True, kw_only=True)
class Past:
    """An earlier release: its files carry the tokens of the register where the pseudonyms were."""

    id: str
    audience: str
    key: str  # what its key is called; the same key means the same pseudonyms
    join: bool
    files: tuple[File, ...]


@dataclass(frozen=True, kw_only=True)
class Now:
    """The release that is about to be made, students by their tokens."""

    audience: str
    key: str
    join: bool
    files: tuple[File, ...]
    seed: int
    company: frozenset[str] = frozenset()  # who left only so that others do not leave alone: nobody knows that they did


def past(earlier: Earlier, folder: Path) -> Past:
    """What the register keeps of an earlier release, ready to be attacked."""
    files = [
        linkage.described(label, engine.read(folder / file["copy"]), file["linkable"])
        for label, file in earlier.body["files"].items()
        if file["linkable"] is not None
    ]
    return Past(
        id=earlier.id,
        audience=earlier.audience,
        key=str(earlier.body["key"]),
        join=bool(earlier.body["join"]),
        files=tuple(files),
    )


def by_token(file: File, tokens: Table) -> File:
    """Replace ids by the register's tokens, in columns of peers as well."""
    table = id_mapping.replaced(file.table, (file.student, *file.peers), tokens)
    return replace(file, table=engine.materialise(table))


def risks(now: Now, earlier: Sequence[Past]) -> list[Risk]:
    """Return each attack with the earlier release with which it does best."""
    tells_of = cache(tells.told)  # the files of this release are asked for beside every earlier one
    found = [risk for one in earlier for risk in _against(now, one, tells_of)]
    worst: dict[str, Risk] = {}
    for risk in found:
        known = worst.get(risk.name)
        if known is None or _over(risk) > _over(known):
            worst[risk.name] = risk
    return [replace(risk, setting={**risk.setting, "earlier releases": len(earlier)}) for risk in worst.values()]


def _over(risk: Risk) -> float:
    """How much of its limit a risk uses up; one without a limit is worse the more of it there is, and any limit is
    seen before."""
    assert risk.seen is not None
    if risk.better == "higher":
        return (risk.limit or 0.0) / max(risk.seen, 1.0)
    return risk.seen - 1.0 if risk.limit is None else risk.seen / risk.limit


def _against(now: Now, before: Past, tells_of: Callable[[File], tells.Tells]) -> Iterable[Risk]:
    for mine in now.files:
        same = [file for file in before.files if file.label == mine.label]
        for other in same or before.files:
            pair = _Pair(now=now, before=before, mine=mine, other=other)
            shared = now.key == before.key and (mine.label == other.label or (now.join and before.join))
            yield from _one_pair(pair, tells_of, shared=shared)
    if now.key == before.key and not (now.join or before.join):
        yield from _left_together(now, before, tells_of)


@dataclass(frozen=True, kw_only=True)
class _Pair:
    """A file of the new release and one of an earlier one."""

    now: Now
    before: Past
    mine: File
    other: File

    @property
    def holders(self) -> str:
        """Who may hold both: the narrower of the two audiences."""
        return max(self.now.audience, self.before.audience, key=AUDIENCES.index)

    @property
    def attacker(self) -> str:
        name = self.mine.label if self.mine.label == self.other.label else f"{self.mine.label}, {self.other.label}"
        return f"holds {name} of this release and of {self.before.id}"

    def risk(self, measure: Measure, value: float, n: int, **more: Any) -> Risk:
        return Risk(
            measure=measure,
            attacker=self.attacker,
            value=value,
            n=n,
            seed=self.now.seed,
            **{"gate": "linkage", "limit": LIMITS[self.holders].linkage, **more},
        )


@dataclass(frozen=True, kw_only=True)
class _Sizes:
    """How many students a pair of files holds, and how many are in both."""

    mine: int
    theirs: int
    common: int


def _sizes(pair: _Pair) -> _Sizes:
    here, there = (id_mapping.values(file.table, [file.student]) for file in (pair.mine, pair.other))
    both = here.semi_join(there, "value")
    mine, theirs, common = (int(engine.value(side.count())) for side in (here, there, both))
    return _Sizes(mine=mine, theirs=theirs, common=common)


def _one_pair(pair: _Pair, tells_of: Callable[[File], tells.Tells], *, shared: bool) -> Iterable[Risk]:
    sizes = _sizes(pair)
    if sizes.common < 2:
        return
    if shared:
        now, before = joint.facts_of(pair.mine), joint.facts_of(pair.other)
        yield _facts_of_both(pair, now, before)
        one_row = not _has_several_rows(pair.mine)
        if pair.mine.known and pair.other.known and (pair.mine.label == pair.other.label or not one_row):
            yield _company(pair, company(now, before), one_row=one_row)
        named: Callable[[], float] = lambda: 1.0  # noqa: E731 — the pseudonyms are the same: what is missing is seen
    else:
        knows, theirs = (tells_of(file) for file in world.within([pair.mine, pair.other]))
        found = rejoined.paired(theirs, knows, pair.now.seed, WORLD)
        assert found is not None
        yield _linked(pair, found)
        named = lambda: _noticed(found, pair.now.seed)  # noqa: E731 — worked out only where somebody left or came
    if pair.mine.label == pair.other.label:
        certain = _certain(pair)
        if certain is not None:
            yield certain
        yield from _left_or_came(pair, sizes, named)


def _company(pair: _Pair, alike: Array, *, one_row: bool) -> Risk:
    """Count look-alikes in both releases, for students who have fewer in both than in either.

    Where they leave nobody fewer, what one release says of company says all, and nothing is gated here.
    """
    both, fewer = alike[:, 0], alike[:, 0] < alike[:, 1:].min(axis=1)
    seen = both[fewer] if fewer.any() else both
    what, table = ("recoding", "recoding.csv") if one_row else ("groups", "groups.csv")
    limit: dict[str, Any] = {"limit": LIMITS[pair.holders].company if fewer.any() else None}
    return pair.risk(
        COMPANY,
        int(seen.min()),
        len(alike),
        story="Both releases use the same pseudonyms. Students who look like some in one release and like others in "
        f"the other are left with those whom they look like in both. Ways out: use the {what} of the earlier release "
        f'again (recoding = "private/…/{table}"), or release only one of the two.',
        **limit,
        **({} if fewer.any() else {"gate": None}),
    )


def _facts_of_both(pair: _Pair, mine: joint.Facts, other: joint.Facts) -> Risk:
    """Facts from both releases single out more students than as many facts from one of them: by how much?"""
    alone, whole = joint.newly_alone(mine, other, seed=pair.now.seed)
    together, now, before = (float(share) for share in alone.mean(axis=(0, 1)))
    draws = alone.shape[0] * alone.shape[1] if whole else alone.shape[1]
    spread = wilson(together * draws, draws)[1] - together
    more = max(0.0, together - max(now, before))
    return pair.risk(
        TOGETHER,
        more,
        alone.shape[1],
        low=max(0.0, more - spread),
        high=min(1.0, more + spread),
        bound="high",
        chance=0.0,
        setting={"facts from each": joint.KNOWN, "from one alone": round(max(now, before), 4)},
        story="Both releases use the same pseudonyms: an attacker adds up what they know of a student from either. The "
        "number is how many more students that singles out than as many facts from one of the two.",
    )


def _linked(pair: _Pair, found: rejoined.FilePair) -> Risk:
    limit, blind = rejoined.limit_for(found, 1, LIMITS[pair.holders].linkage, pair.now.seed)
    best = found.best
    hits = float(best.right[: found.common].sum())
    low, high = wilson(hits, found.common)
    return pair.risk(
        LINKED,
        hits / found.common,
        found.common,
        low=low,
        high=high,
        bound="high",
        limit=limit,
        chance=1 / found.other.students.size,
        setting={"through": f"{best.attack} ({best.how})", "blind guessing reaches": round(blind / found.common, 4)},
        story="A fresh key does not keep two releases apart: what a student does is alike in both. Ways out: use the "
        "key of the earlier release again, so that nothing has to be linked; coarsen; or hold this file back.",
    )


def _noticed(found: rejoined.FilePair, seed: int) -> float:
    """How often a student who is taken away is the one whom an assignment of the two releases leaves over."""
    draw = np.random.default_rng(seed)
    size = found.common
    scores = found.scores[:size, :size]
    chosen = draw.choice(size, min(TRIALS, size), replace=False)
    hits = 0
    for gone in chosen:
        less = np.delete(scores, gone, axis=1)
        over = np.flatnonzero(assignment("", less, seed).chances.sum(axis=1) == 0)
        hits += int(over.size == 1 and over[0] == gone)
    return wilson(hits, chosen.size)[1]


def _left_or_came(pair: _Pair, sizes: _Sizes, named: Callable[[], float]) -> Iterable[Risk]:
    """Who is in one release and not in the other, where both are of the same course."""
    if sizes.common < SAME_COURSE * min(sizes.mine, sizes.theirs):
        return
    sides = {"left": (pair.other, pair.mine), "came": (pair.mine, pair.other)}
    found = {word: _fewest(*files, pair) for word, files in sides.items()}
    few = {word: candidates for word, candidates in found.items() if candidates is not None}
    if not few:
        return
    word = min(few, key=lambda one: few[one])
    yield pair.risk(
        LEFT,
        min(1.0, named()) / few[word],
        sizes.common,
        limit=1 / LIMITS[pair.holders].company,
        chance=1 / sizes.theirs,
        setting={"who": f"students who {word} between the two releases"},
        story=f"An attacker who knows which students {word}, and what may be known of them, looks among the pseudonyms "
        f"that only one release has. It takes {LIMITS[pair.holders].company} who look alike and "
        f"{'leave' if word == 'left' else 'come'} together to hide each of them: "
        + (
            "`sharewell withdraw` lets such students leave with them."
            if word == "left"
            else "hold newcomers back until then."
        ),
    )


def _left_together(now: Now, before: Past, tells_of: Callable[[File], tells.Tells]) -> Iterable[Risk]:
    """Pseudonyms of two files, linked among those whom one version alone has."""
    sides = {"left": (before.files, now.files), "came": (now.files, before.files)}
    for word, files in sides.items():
        for found in moved_together.moved(*files):
            pair = _Pair(now=now, before=before, mine=found.files[0], other=found.files[1])
            limit = 1 / LIMITS[pair.holders].company
            sure = found.at_most <= limit  # however well the files match
            value = found.at_most if sure else moved_together.links_right(found, tells_of, now.seed)
            yield pair.risk(
                LEFT_TOGETHER,
                value,
                min(found.each),
                limit=limit,
                chance=found.at_most / max(found.each),
                setting={"who": f"students who {word} between the two releases"},
                story=f"An attacker who sees which pseudonyms {word} looks among these alone for the two of one "
                "student. Where others leave with them, other ones from each file (`sharewell withdraw`), or many at "
                "once, most links are wrong.",
            )


def _fewest(inside: File, beside: File, pair: _Pair) -> int | None:
    """Students whom one file alone holds: how many of them the one with least company may be; none where nobody moved.

    A student who looks like fewer than it takes in the file itself is singled out there, with or without moving: they
    hide among all who moved.
    """
    here, there = (id_mapping.values(file.table, [file.student]) for file in (inside, beside))
    moved = set(engine.arrow(here.anti_join(there, "value"))["value"].to_pylist())
    if not moved - pair.now.company:
        return None
    alike = look_alikes(inside)
    sizes = [len(moved)]
    sizes += [
        len(alike[who] & moved) for who in moved - pair.now.company if len(alike[who]) >= LIMITS[pair.holders].company
    ]
    return min(sizes)


def _certain(pair: _Pair) -> Risk | None:
    """Groups of look-alikes of one release intersected with those of the other: which values are left?"""
    others = {*pair.other.table.columns} - {*pair.mine.opaque, *pair.other.opaque, *pair.mine.known, *pair.other.known}
    shared = [name for name in pair.mine.table.columns if name in others]
    here, there = (_one_row_each(file, shared) for file in (pair.mine, pair.other))
    if not shared or here is None or there is None:
        return None
    of_here, of_there = _values(here), _values(there)
    both = sorted(here.keys() & there.keys())
    groups = [(of_here[here[who][0]], of_there[there[who][0]]) for who in both]
    newly = sum(len(one) > 1 and len(other) > 1 and len(one & other) == 1 for one, other in groups)
    low, high = wilson(newly, len(both))
    return pair.risk(
        CERTAIN,
        newly / len(both),
        len(both),
        low=low,
        high=high,
        bound="high",
        setting={"values": shared},
        story="Somebody finds a student's group in both releases; only one set of other values occurs in both groups. "
        "Ways out: use the key and the recoding of the earlier release again, or drop a column that discloses.",
    )


def _one_row_each(file: File, columns: Sequence[str]) -> dict[str, tuple[Any, Any]] | None:
    """Student → (what the group is known by, the other values); nothing where a student has several rows."""
    if not file.known or _has_several_rows(file):
        return None
    rows = engine.arrow(_as_text(file.table, [file.student, *file.known, *columns])).to_pylist()
    found = {}
    for row in rows:
        cells = list(row.values())
        found[cells[0]] = (tuple(cells[1 : 1 + len(file.known)]), tuple(cells[1 + len(file.known) :]))
    return found


def _has_several_rows(file: File) -> bool:
    who = engine.named(file.student)
    return bool(engine.figures(file.table, [f"count(*) > count(DISTINCT {who})"])[0])


def _as_text(table: Table, names: Sequence[str]) -> Table:
    return table.select(**{f"c{place}": table[name].cast("string") for place, name in enumerate(names)})


def _values(side: Mapping[str, tuple[Any, Any]]) -> dict[Any, set[Any]]:
    found: dict[Any, set[Any]] = {}
    for group, values in side.values():
        found.setdefault(group, set()).add(values)
    return found
