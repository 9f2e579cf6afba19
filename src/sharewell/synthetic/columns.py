"""Columns of a model: listed values and ranges of numbers as codes, and how they are written as cells again."""

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from sharewell.stats.arrays import Array


@dataclass(frozen=True, kw_only=True)
class Leaf:
    """A listed value, as text (None: missing), or the numbers from `low` to below `high`, or all that is rare."""

    value: str | None = None
    low: float | None = None
    high: float | None = None
    rare: bool = False

    @property
    def is_range(self) -> bool:
        return self.low is not None


@dataclass(frozen=True, kw_only=True)
class ModelledColumn:
    """The domain of a column. The first `ordered` leaves are numbers from low to high."""

    name: str
    type: pa.DataType
    leaves: tuple[Leaf, ...]
    ordered: int = 0
    decimals: int = 0  # of the steps in which numbers are drawn
    digits: int = 0  # that are written after the point
    parents: tuple[Array, ...] = field(default=(), repr=False)  # groups of a hierarchy, level by level, by leaf

    def decoded(self, leaf: Array, generator: np.random.Generator) -> pa.Array:
        """Cells in the type of the original; numbers are drawn inside their range."""
        texts: Array = np.array([one.value for one in self.leaves], object)[leaf]
        low = np.array([one.low if one.low is not None else np.nan for one in self.leaves])[leaf]
        high = np.array([one.high if one.high is not None else np.nan for one in self.leaves])[leaf]
        inside = np.flatnonzero(np.isfinite(low))
        if inside.size:
            step = 10.0**-self.decimals
            steps = np.maximum(np.round((high[inside] - low[inside]) / step), 1).astype(np.int64)
            drawn = low[inside] + step * generator.integers(steps)
            texts[inside] = [f"{value:.{self.digits}f}" for value in drawn]
        return written(pa.array(texts, pa.string()), self.type)


def written(texts: pa.Array, type: pa.DataType) -> pa.Array:
    """Texts in a type; whole numbers may have come as decimals."""
    if pa.types.is_dictionary(type):
        return written(texts, type.value_type).dictionary_encode().cast(type)
    if pa.types.is_integer(type):
        return texts.cast(pa.float64()).cast(type) if _has_point(texts) else texts.cast(type)
    return texts.cast(type)


def _has_point(texts: pa.Array) -> bool:
    return bool(pa.compute.any(pa.compute.match_substring(texts, ".")).as_py())


@dataclass(frozen=True, kw_only=True)
class ReadColumn:
    """A column as it was read: its domain, and which leaf each row has."""

    column: ModelledColumn
    codes: Array
