"""The type of a numpy array whose numbers may be of any kind."""

from typing import Any

from numpy.typing import NDArray

Array = NDArray[Any]
