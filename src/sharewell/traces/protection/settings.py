"""The settings that the search may try: windows, columns, merged values and points to leave out, each with its loss."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pyarrow as pa

from sharewell.plan.windows import COARSENING, Window, parse
from sharewell.traces.arrays import Array
from sharewell.traces.log import Log
from sharewell.traces.protection.count_bands import Counts, banded
from sharewell.traces.protection.rare_points import beyond, shared_by_few
from sharewell.traces.protection.recoding import Recoding
from sharewell.traces.row_classes import look_alikes, pair_hashes, trace_hashes

SHARED_BY = (1, 2, 3, 5, 10, 20, 50)  # students a point needs
LONGEST = (32, 16, 8)  # points after which a long trace is cut
USED_BY = (1, 5, 20)  # students a value needs, or it is merged
SMALL = 1_000_000  # pairs up to which every way is tried; on larger logs windows, columns and shared points do


@dataclass(frozen=True, kw_only=True)
class Setting:
    """One combination of protections: students that a point needs, points after which to cut.

    `company` is how many students must have the same rows; students with fewer are left out.
    """

    recoding: Recoding
    needed: int = 1
    longest: int | None = None
    counts: Counts = "all"
    company: int = 1

    @property
    def label(self) -> str:
        parts = [f"windows of {self.recoding.window.label}"]
        parts += [f"without {', '.join(self.recoding.dropped)}"] if self.recoding.dropped else []
        parts += ["rare values merged"] if self.recoding.merged else []
        parts += [f"points shared by {self.needed} or more"] if self.needed > 1 else []
        parts += [f"traces cut after {self.longest} points"] if self.longest else []
        parts += {"all": [], "bands": ["counts in bands"], "presence": ["presence only"]}[self.counts]
        parts += [f"students with the rows of {self.company - 1} others"] if self.company > 1 else []
        return ", ".join(parts)


def recodings(base: Log, windows: Sequence[Window]) -> Iterator[Recoding]:
    """Every window with every choice of columns, with all values or with rare ones merged."""
    merges = list(dict.fromkeys(merge_rare_values(base, needed) for needed in USED_BY)) if base.also else [()]
    for window in windows:
        for dropped in _column_choices(base.also):
            left = [tuple(pair for pair in merge if pair[0] not in dropped) for merge in merges]
            for merge in dict.fromkeys(left):
                yield Recoding(window=window, dropped=dropped, merged=dict(merge))


def variants(recoding: Recoding, log: Log) -> Iterator[Setting]:
    """What may be left out after a recoding, alone and combined."""
    for needed in SHARED_BY:
        yield Setting(recoding=recoding, needed=needed)
    if len(log.points) > SMALL:
        return
    for needed in SHARED_BY[:4]:
        yield from (Setting(recoding=recoding, needed=needed, longest=longest) for longest in LONGEST)


def left_out(setting: Setting, log: Log) -> Array:
    """The pairs that a setting leaves out."""
    gone = left_out_at_once(setting, log)
    return _in_company(setting, log, gone) if setting.company > 1 else gone


def left_out_at_once(setting: Setting, log: Log) -> Array:
    """The pairs that are left out whatever anybody's company."""
    gone = shared_by_few(log, setting.needed)
    return gone if setting.longest is None else gone | beyond(log, setting.longest)


def _in_company(setting: Setting, log: Log, gone: Array) -> Array:
    """Without those whose rows, as they would be released, too few others have, and what too few then still share.

    A point that goes does so for all who have the same rows: they keep their company.
    """
    hashes = pair_hashes(replace(log, events=banded(log.events, setting.counts)))
    hashes[gone] = 0
    gone = gone | (look_alikes(trace_hashes(log, hashes)) < setting.company)[log.owners]
    shared = np.bincount(log.points[~gone], minlength=len(log.keys))
    return np.asarray(gone | (shared[log.points] < setting.needed))


def detail(window: Window) -> float:
    """The share of the calendar's scales, second to month, at which activity can still be counted."""
    lengths = [parse(label).seconds or 30 * 86_400 for label in COARSENING]
    length = window.seconds or window.count * 30 * 86_400
    return sum(length <= scale for scale in lengths) / len(lengths) if not window.recurring else 1 / len(lengths)


def usefulness(setting: Setting, base: Log, log: Log, gone: Array) -> float:
    """Events kept × students kept × detail in time × detail in the columns: 1 for the log as it was."""
    events = float(banded(log.events[~gone], setting.counts).sum() / log.events.sum())
    left = np.count_nonzero(np.bincount(log.owners[~gone], minlength=log.students))
    students = left / np.count_nonzero(log.lengths)
    return events * students * detail(setting.recoding.window) * column_detail(base, setting.recoding)


def _column_choices(also: Sequence[str]) -> list[tuple[str, ...]]:
    """Which columns to drop: every choice of up to four, and of more either none, one or all."""
    sizes = range(len(also) + 1) if len(also) <= 4 else (0, 1, len(also))
    return [choice for size in sizes for choice in combinations(also, size)]


def merge_rare_values(base: Log, needed: int) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The values of each column that at least `needed` students used, where that merges any."""
    merges = []
    for name in base.also:
        values, users = _users(base, name)
        kept = tuple(value for value, count in zip(values, users, strict=True) if count >= needed)
        if len(values) > len(kept) + 1:
            merges.append((name, kept))
    return tuple(merges)


def _users(base: Log, name: str) -> tuple[list[str], Array]:
    """The values of a column as text, and how many students used each."""
    coded = pa.array(base.combinations[name].cast(pa.string()).to_pylist(), pa.string()).dictionary_encode()
    codes = coded.indices.fill_null(len(coded.dictionary)).to_numpy()
    pairs = base.owners.astype(np.int64) * (len(coded.dictionary) + 1)
    pairs += codes[base.keys[base.points] % base.combinations_count]
    users = np.bincount(np.unique(pairs) % (len(coded.dictionary) + 1), minlength=len(coded.dictionary) + 1)
    return coded.dictionary.to_pylist(), users[: len(coded.dictionary)]


def column_detail(base: Log, recoding: Recoding) -> float:
    """One for the time and one for each column: the share of their cells that stay as they were."""
    if not base.also:
        return 1.0
    shares = [_cells_kept(base, name, recoding) for name in base.also]
    return (1 + sum(shares)) / (1 + len(base.also))


def _cells_kept(base: Log, name: str, recoding: Recoding) -> float:
    if name in recoding.dropped:
        return 0.0
    if name not in recoding.merged:
        return 1.0
    stays = set(recoding.merged[name])
    values = base.combinations[name].cast(pa.string()).to_pylist()
    kept = np.array([value is None or value in stays for value in values])
    return float(base.events_per_combination[kept].sum() / base.events.sum())
