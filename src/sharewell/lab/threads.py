"""How many threads linear algebra takes where matrices are small."""

from contextlib import AbstractContextManager
from typing import Any, cast


def one_thread() -> AbstractContextManager[Any]:
    """One thread of linear algebra: with matrices of some hundred rows more of them only wait for each other."""
    from threadpoolctl import threadpool_limits

    return cast("AbstractContextManager[Any]", threadpool_limits(1, user_api="blas"))
