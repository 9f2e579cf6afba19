"""Who could be singled out, by what others may know of them.

Missing and starred cells are read in two ways. As a value of their own they match only each other: the stricter
reading, and the one that limits speak of. As unknown they match everything, which is what an attacker who looks
for a certain student has to assume; the smallest number of candidates is reported beside it.
"""

from collections.abc import Sequence
from typing import Any

from sharewell.contract import Results, Risk
from sharewell.data import engine
from sharewell.errors import InputError
from sharewell.records import outcomes
from sharewell.records.arguments import check_arguments
from sharewell.records.combinations import combine
from sharewell.records.measure import minimal_uniques
from sharewell.records.measure.class_sizes import class_sizes, journalist, population_risks, size_risks
from sharewell.records.measure.known_outcomes import outcome_risks
from sharewell.records.measure.sensitive_values import sensitive_risks
from sharewell.records.measure.unknown_cells import has_unknown, unknown_cells


def assess(
    table: Any,
    *,
    quasi: Sequence[str],
    sensitive: Sequence[str] = (),
    target: str | Sequence[str] | None = None,
    population: Any = None,
    sampled: float | None = None,
    hierarchies: Any = None,
    seed: int = 0,
) -> Results[Risk]:
    """Measure the risk to the students of a table, as it stands.

    Args:
        table: A pandas, polars or pyarrow frame, or a path to a file.
        quasi: Columns with what others may know of a student.
        sensitive: Columns with what nobody should learn.
        target: Outcomes that analysts want to predict: who sits in a class of one outcome?
        population: A wider table with the same quasi columns (the whole school, say) for the journalist, who does not
            know whether a student is in this one.
        sampled: The share of the population that is in this table, where no table of it is at hand (0 to 1).
        hierarchies: Of sensitive columns: they add the hierarchical distance to t.
        seed: For the sample of column sets in tables of many columns.

    Returns:
        One risk per attacker and column, the class sizes first.

    Example:
        >>> import pyarrow as pa
        >>> import sharewell as sw
        >>> students = pa.table({"age": [18, 18, 19], "sex": ["f", "f", "m"]})
        >>> risks = sw.records.assess(students, quasi=["age", "sex"])
        >>> [(risk.name, round(risk.value, 2)) for risk in risks[:2]]
        [('k', 1.0), ('alone', 0.33)]
    """
    check_arguments(quasi=quasi, sensitive=sensitive, sampled=sampled)
    if sampled is not None and not 0 < sampled <= 1:
        raise InputError("sampled takes a share above 0, up to 1")
    source = engine.table(table)
    combinations = combine(source, tuple(quasi), tuple(sensitive))
    ids, sizes = class_sizes(combinations)
    risks = [*size_risks(sizes), journalist(combinations, ids, sizes, population)]
    risks += population_risks(combinations, ids, sizes, population, sampled)
    risks += [unknown_cells(combinations, ids, sizes)] if has_unknown(combinations) else []
    risks += sensitive_risks(combinations, ids, sizes, hierarchies)
    risks += outcome_risks(source, quasi, outcomes.as_columns(target))
    return Results(risks + minimal_uniques.minimal(combinations, ids, sizes, seed=seed))
