"""What is asked of a release and its original: all uses, and the outcome where it is told."""

from dataclasses import dataclass

from ibis.expr.types import Table

from sharewell.contract import Utility
from sharewell.traces.event_columns import EventColumns
from sharewell.traces.utility.outcome import predicted
from sharewell.traces.utility.uses import uses


@dataclass(frozen=True, kw_only=True)
class Asked:
    columns: EventColumns
    target: str | None
    seed: int
    invented: bool

    def of(self, original: Table, released: Table) -> list[Utility]:
        found = uses(original, released, self.columns, invented=self.invented)
        if self.target is None:
            return found
        outcome = predicted(original, released, self.columns, self.target, seed=self.seed, invented=self.invented)
        return [*found, *outcome]
