"""What is wanted of a table: the roles of its columns, the limits, and how to search."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from ibis.expr.types import Table

from sharewell.data import engine
from sharewell.data.formats.columns import check_columns
from sharewell.errors import InputError
from sharewell.records import outcomes
from sharewell.records.arrays import Array
from sharewell.records.combinations import Combinations, combine
from sharewell.records.given_hierarchies import gather
from sharewell.records.hierarchies import Hierarchy
from sharewell.records.limits import Limits
from sharewell.records.protection import best, domain_shares, full_domain, local, reused, stinar
from sharewell.records.protection.recoding import Recode, Request

METHODS: dict[str, Recode] = {
    "best": best.recode,
    "full-domain": full_domain.recode,
    "local": local.recode,
    "arx": domain_shares.recode,
    "stinar": stinar.recode,
    "stinar-printed": partial(stinar.recode, guided=False),
}
FEWEST_JUDGED = 20  # rows
MOST_OWN = 0.9  # different values per row, from which on a sensitive column is refused
TARGET_WEIGHT = 0.8  # of the outcomes against general usefulness, where there are outcomes


@dataclass(frozen=True, kw_only=True)
class Settings:
    """`hierarchies` are as a person gives them; `weight` is that of the targets against general usefulness.

    `keep` are further columns, which pass as they are.
    """

    limits: Limits
    quasi: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    method: str = "best"
    hierarchies: Any = None
    weight: float = TARGET_WEIGHT
    seconds: float = 5.0
    seed: int = 0
    secret: int | None = None  # for draws that protect; the seed where nothing is secret
    known: Mapping[reused.Cells, reused.Cells] | None = None  # the recoding of an earlier release, used again

    @property
    def recode(self) -> Recode:
        return METHODS[self.method] if self.known is None else reused.recode_as(self.known)

    def check(self, table: Table) -> None:
        """Refuse what cannot be done, in one sentence."""
        check_columns(table, quasi=self.quasi, sensitive=self.sensitive, target=self.targets)
        if self.method not in METHODS:
            raise InputError(f"method must be one of {', '.join(METHODS)}")
        both = sorted(set(self.quasi) & set(self.sensitive))
        if both:
            raise InputError("a column cannot be both quasi and sensitive", column=both[0])
        if (self.limits.l is not None or self.limits.t is not None) and not self.sensitive:
            raise InputError("the limits l and t need a sensitive column")
        if self.limits.l is not None or self.limits.t is not None:
            self._check_shared(table)

    def _check_shared(self, table: Table) -> None:
        """Where nearly everyone has a sensitive value of their own, every group looks varied: l and t say nothing."""
        counted = {f"c{number}": table[name].nunique() for number, name in enumerate(self.sensitive)}
        found = engine.arrow(table.aggregate(rows=table.count(), **counted)).to_pylist()[0]
        for number, name in enumerate(self.sensitive):
            if found["rows"] >= FEWEST_JUDGED and found[f"c{number}"] > MOST_OWN * found["rows"]:
                problem = "nearly every student has a value of their own, so that l and t say nothing: give it in bands"
                raise InputError(problem, column=name)

    def request_for(self, table: Table) -> Request:
        """The rows reduced to combinations, with a hierarchy for every quasi column."""
        self.check(table)
        combinations = combine(table, self.quasi, self.sensitive, outcomes.numeric(table, self.targets))
        values, counts = value_counts(combinations)
        if self.known is not None:
            values, counts = reused.with_earlier(values, counts, self.known)
        return self.request(combinations, gather(self.hierarchies, values, counts))

    def request(self, combinations: Combinations, hierarchies: Mapping[str, Hierarchy]) -> Request:
        return Request(
            combinations=combinations,
            hierarchies=hierarchies,
            limits=self.limits,
            sensitive=self.sensitive,
            weight=self.weight if self.targets else 0.0,
            seconds=self.seconds,
            seed=self.seed,
            secret=self.seed if self.secret is None else self.secret,
        )


def value_counts(combinations: Combinations) -> tuple[dict[str, Sequence[str | None]], dict[str, Array]]:
    """The values of every quasi column, and how many rows have each."""
    counts = {
        column.name: np.bincount(column.codes, weights=combinations.counts, minlength=len(column.values))
        for column in combinations.quasi
    }
    return {column.name: column.values for column in combinations.quasi}, counts
