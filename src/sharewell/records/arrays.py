"""The type of every numpy array of this kind: shapes and element types stand in the comments beside them."""

from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]
