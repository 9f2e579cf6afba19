"""Progress bars on a terminal, silence in a pipe."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Advance = Callable[[float], None]


@contextmanager
def step(title: str, total: float | None = None) -> Iterator[Advance]:
    """A bar for one long step: `with step("Searching", 100) as advance: advance(1)`."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=total)
        yield lambda amount: bar.advance(task, amount)
