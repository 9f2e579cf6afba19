"""What a recipient can measure: the same question with plain Python."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from ibis.expr.types import Table

from attendance.kind import ALONE
from sharewell.contract import Risk


def recheck(released: Table, facts: Mapping[str, Any]) -> list[Risk]:
    visits = Counter(released[facts["student"]].to_pyarrow().to_pylist())
    same = Counter(visits.values())
    lonely = sum(same[count] == 1 for count in visits.values())
    value = lonely / len(visits)
    return [Risk(measure=ALONE, attacker="a neighbour", value=value, n=len(visits), gate="alone", limit=facts["limit"])]
