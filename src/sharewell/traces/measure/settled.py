"""Unicity of a log that no memory holds: attacks are settled within a bucket of students, the open ones verified.

Company only grows with more students. So an attack is settled once somebody in the target's own bucket shares every
known point, whoever else there is; only the others are held against the rest, bucket by bucket. The draws and the
kernel are those of `known_points`, and so is every verdict.
"""

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from sharewell.data.scratch import scratch
from sharewell.traces.arrays import Array
from sharewell.traces.bucketed_log import Bucket, BucketedLog, opened
from sharewell.traces.log import Log, numbers_of
from sharewell.traces.measure.attackers import NOBODY, Attacker, draw
from sharewell.traces.measure.candidates import company
from sharewell.traces.measure.known_points import Totals, sampled

BLOCK = 500_000  # attacks at a time
OPEN = 16_000_000  # attacks whose verdicts wait for each other
SETTLED = pa.schema([
    ("files", pa.list_(pa.string())), ("open", pa.list_(pa.int64())),
    ("attacked", pa.int64()), ("few", pa.list_(pa.int64())),
])  # fmt: skip
DEEPER = pa.schema([("attack", pa.int64()), ("deepest", pa.int16())])
SHARED = pa.schema([("key", pa.int64()), ("students", pa.int64())])


@dataclass(frozen=True, kw_only=True)
class Attacks:
    """Who attacks whom how often; `known` are numbers of points that one draw of the largest serves."""

    who: Attacker
    known: tuple[int, ...]
    repeats: int
    sample: int | None
    seed: int
    students: int
    width: int
    folder: Path
    popularity: Path | None = None  # where the points are weighed by how many students share them

    @property
    def most(self) -> int:
        return max(self.known)


def singled_out_in_buckets(
    log: BucketedLog, who: Attacker, *, known: Sequence[int], repeats: int, sample: int | None, seed: int
) -> list[Totals]:
    """What `known_points.singled_out` comes to, one total per number of known points."""
    folder = scratch() / uuid.uuid4().hex
    folder.mkdir()
    attacks = Attacks(
        who=who, known=tuple(known), repeats=repeats, sample=sample, seed=seed,
        students=log.students, width=log.width, folder=folder,
        popularity=_popularity(log, folder) if who.exponent else None,
    )  # fmt: skip
    if who.nested:
        return _attacked(log, attacks)
    return [total for k in known for total in _attacked(log, replace(attacks, known=(k,)))]


def _attacked(log: BucketedLog, attacks: Attacks) -> list[Totals]:
    rows = [row for table in _each(log, partial(_settle, attacks), SETTLED) for row in table.to_pylist()]
    found = [pair for row in rows for pair in zip(map(Path, row["files"]), row["open"], strict=True)]
    hits = np.zeros(len(attacks.known), np.int64)
    for files in _in_blocks(found):
        hits += _verified(log, attacks, files)
    targets = log.students if attacks.sample is None else min(attacks.sample, log.students)
    return [
        Totals(
            known=k, hits=int(hits[place]), tries=targets * attacks.repeats, students=log.students,
            attacked=sum(row["attacked"] for row in rows), few=sum(row["few"][place] for row in rows),
            window=log.window, also=log.also,
        )
        for place, k in enumerate(attacks.known)
    ]  # fmt: skip


def _each(log: BucketedLog, work: "partial[pa.Table]", like: pa.Schema) -> Iterator[pa.Table]:
    return log.engine.each(work, log.buckets, like)


def _settle(attacks: Attacks, bucket: Bucket) -> pa.Table:
    """Attack everyone of a bucket within it, and write down the attacks that find no company there."""
    log = _weighed(opened(bucket, attacks.width), attacks.popularity)
    tried, files, sizes = np.zeros(bucket.students, np.bool_), [], []
    for targets, repeats in _targets(attacks, bucket):
        drawn = draw(log, attacks.who, targets, attacks.most, seed=attacks.seed, repeats=repeats)
        deepest = company(log.shared, log.holders, targets, drawn)
        needed = np.minimum(attacks.most, log.lengths[targets]).astype(np.int16)
        tried[targets] = True
        still = deepest < needed
        files.append(_written(attacks, bucket.first + targets[still], deepest[still], needed[still], log, drawn[still]))
        sizes.append(int(still.sum()))
    few = [int((log.lengths[tried] < k).sum()) for k in attacks.known]
    rows = {"files": [files], "open": [sizes], "attacked": [int(tried.sum())], "few": [few]}
    return pa.table(rows, SETTLED)


def _targets(attacks: Attacks, bucket: Bucket) -> Iterator[tuple[Array, Array]]:
    """The targets of all repeats in a bucket, with the number of their repeat, in blocks."""
    waiting: list[tuple[Array, int]] = []
    for repeat in range(attacks.repeats):
        waiting.append((_in_bucket(attacks, bucket, repeat), repeat))
        if sum(len(targets) for targets, _ in waiting) >= BLOCK or repeat + 1 == attacks.repeats:
            targets, numbers = zip(*waiting, strict=True)
            yield np.concatenate(targets), np.repeat(numbers, [len(part) for part in targets])
            waiting = []


def _in_bucket(attacks: Attacks, bucket: Bucket, repeat: int) -> Array:
    if attacks.sample is None or attacks.sample >= attacks.students:
        return np.arange(bucket.students)
    chosen = sampled(attacks.students, attacks.sample, attacks.seed, repeat) - bucket.first
    return chosen[(chosen >= 0) & (chosen < bucket.students)]


def _written(attacks: Attacks, targets: Array, deepest: Array, needed: Array, log: Log, drawn: Array) -> str:
    keys = np.where(drawn == NOBODY, NOBODY, log.keys[drawn])
    columns = {f"key_{place}": keys[:, place] for place in range(attacks.most)}
    path = attacks.folder / f"{uuid.uuid4().hex}.parquet"
    pq.write_table(pa.table({"target": targets, "deepest": deepest, "needed": needed, **columns}), path)
    return str(path)


def _in_blocks(files: list[tuple[Path, int]]) -> Iterator[list[Path]]:
    """Files of open attacks, as many at a time as can wait for their verdicts together."""
    waiting: list[Path] = []
    held = 0
    for file, size in files:
        if waiting and held + size > OPEN:
            yield waiting
            waiting, held = [], 0
        if size:
            waiting.append(file)
            held += size
    if waiting:
        yield waiting


def _verified(log: BucketedLog, attacks: Attacks, files: list[Path]) -> Array:
    """How many of some open attacks leave the target alone, for each number of known points."""
    waiting = pa.concat_tables(pq.read_table(file, columns=["deepest", "needed"]) for file in files)
    deepest, needed = (waiting[name].to_numpy().copy() for name in ("deepest", "needed"))
    for table in _each(log, partial(_verify, attacks, files), DEEPER):
        np.maximum.at(deepest, table["attack"].to_numpy(), table["deepest"].to_numpy())
    return np.array([np.sum(deepest < np.minimum(k, needed)) for k in attacks.known])


def _verify(attacks: Attacks, files: list[Path], bucket: Bucket) -> pa.Table:
    """Those open attacks of other buckets that find more company in this one than they had."""
    log, passed, found = opened(bucket, attacks.width), 0, [DEEPER.empty_table()]
    for file in files:
        table = pq.read_table(file)
        target, had = table["target"].to_numpy(), table["deepest"].to_numpy()
        keys = np.stack([table[f"key_{place}"].to_numpy() for place in range(attacks.most)], axis=1)
        others = np.flatnonzero((target < bucket.first) | (target >= bucket.first + bucket.students))
        here = company(log.shared, log.holders, np.full(len(others), NOBODY), numbers_of(log, keys[others]))
        more = others[here > had[others]]
        found.append(pa.table({"attack": passed + more, "deepest": here[here > had[others]]}, DEEPER))
        passed += len(table)
    return pa.concat_tables(found)


def _popularity(log: BucketedLog, folder: Path) -> Path:
    """How many students share each point, over all buckets: 16 bytes for every distinct point."""
    total = SHARED.empty_table()
    for counted in _each(log, partial(_shared, log.width), SHARED):
        together = pa.concat_tables([total, counted]).group_by("key").aggregate([("students", "sum")])
        total = together.rename_columns({"students_sum": "students"}).select(SHARED.names)
    path = folder / "shared.parquet"
    pq.write_table(total.take(pc.sort_indices(total["key"])), path)
    return path


def _shared(width: int, bucket: Bucket) -> pa.Table:
    log = opened(bucket, width)
    return pa.table({"key": log.keys, "students": log.popularity}, SHARED)


def _weighed(log: Log, popularity: Path | None) -> Log:
    """A bucket that knows how many students of the whole log share its points."""
    if popularity is None:
        return log
    whole = pq.read_table(popularity)
    place = np.searchsorted(whole["key"].to_numpy(), log.keys)
    return replace(log, everywhere=whole["students"].to_numpy()[place])
