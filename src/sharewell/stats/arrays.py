"""The type of arrays throughout: numpy's, of whatever numbers the function says."""

from typing import Any, TypeAlias

from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]
