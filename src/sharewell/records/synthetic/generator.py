"""A generator of invented rows: noisy counts of few columns at a time, a model of them, and rows drawn from it.

Tables are neighbours if they differ in one student with all rows; what is learnt, and what it costs, is said in
`synthetic.table_model`.
"""

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Generic, NoReturn, TypeVar

import numpy as np
import pyarrow as pa

from sharewell.data import engine
from sharewell.data.coded import code_column
from sharewell.data.formats.columns import check_columns
from sharewell.data.invented_ids import invented_ids, invented_prefix
from sharewell.errors import InputError
from sharewell.records.arguments import check_arguments
from sharewell.records.arrays import Array
from sharewell.records.given_hierarchies import gather
from sharewell.records.hierarchies import Hierarchy
from sharewell.synthetic import reading
from sharewell.synthetic.columns import ReadColumn
from sharewell.synthetic.graphical_model import GraphicalModel
from sharewell.synthetic.rules import ImpossibleRule, parsed
from sharewell.synthetic.sampling import sample
from sharewell.synthetic.table_model import Field, fit_columns
from sharewell.synthetic.zcdp import epsilon_of, rho_of, usual_delta

Frame = TypeVar("Frame")

ROUNDING = 1 - 1e-6  # of the budget is spent, so that rounding never ends above it
MOST_DRAWN = 200  # times the rows that are asked for, to find those that meet a condition
JUDGED = 10_000  # rows that are drawn to say why a condition is not met
COVERS = "how often every value occurs, which columns go together, and the number of rows"
OUTSIDE = (
    f"names and types of columns; which values are listed (those that at least {reading.FEWEST} rows have) and where "
    "ranges of numbers end; the power of two that δ comes from; rules that the plan gives; and the risks and uses "
    "measured in the report, which carry no noise"
)


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What is known before the table is: roles of columns, lists and rules, and the budget."""

    epsilon: float
    delta: float | None = None
    student: str | None = None
    categories: tuple[str, ...] = ()
    values: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    targets: tuple[str, ...] = ()
    hierarchies: Any = None
    impossible: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, eq=False)
class RecordsModel(Generic[Frame]):
    """A fitted generator; it keeps noisy counts, no row of the table. `budget` states what they cost."""

    fields: tuple[Field, ...]
    order: tuple[str, ...]  # of the columns of the table
    model: GraphicalModel = field(repr=False)
    rules: tuple[ImpossibleRule, ...]
    rows: int  # noisy
    student: str | None
    prefix: str
    budget: Mapping[str, Any]
    empty: Any = field(default=None, repr=False)
    dates: Mapping[str, tuple[pa.DataType, bool]] = field(default_factory=dict)  # modelled as days (true) or seconds
    seeded: bool = False  # the noise can be drawn again by anybody who knows the seed

    def __str__(self) -> str:
        promise = f"ε = {self.budget['epsilon']:g}, δ = {self.budget['delta']:.1g}: {self.budget['unit']}"
        lines = [
            f"generator of {', '.join(self.order)}",
            f"about {self.rows:,} rows, {len(self.budget['spent'])} noisy counts and choices",
            "no promise: the noise follows from a seed" if self.seeded else promise,
        ]
        return "\n".join(lines)

    __repr__ = __str__

    def generate(self, n: int | None = None, *, seed: int = 0, where: Mapping[str, Any] | None = None) -> Frame:
        """Draw invented rows with the columns and types of the table.

        Args:
            n: How many; left out, about as many as the table has.
            seed: The same seed gives the same rows.
            where: Only such rows: a value, a list of values, or two ends of a range as a tuple (None: open), by column.

        Returns:
            The rows; ids of students begin with "fake-".

        Example:
            >>> import pyarrow as pa
            >>> import sharewell as sw
            >>> table = pa.table({"sex": ["f", "m"] * 50, "passed": [1, 0] * 50})
            >>> model = sw.records.fit(table, epsilon=10, seed=1)
            >>> model.generate(3, seed=1, where={"sex": "f"})["sex"].to_pylist()
            ['f', 'f', 'f']
        """
        check_arguments(n=n)
        made: Frame = _as_it_came(self.table(n, np.random.default_rng(seed), where or {}), self.empty, self.student)
        return made

    def table(self, n: int | None, generator: np.random.Generator, where: Mapping[str, Any] | None = None) -> pa.Table:
        """The same with draws from a given generator."""
        wanted = self.rows if n is None else int(n)
        if wanted < 1:
            raise InputError(f"cannot generate {wanted} rows; ask for at least one")
        parts, found, drawn, batch = [], 0, 0, wanted
        while found < wanted:
            if drawn > MOST_DRAWN * wanted + 10_000:
                self._refuse(where or {}, generator)
            part = self._drawn(batch, generator)
            part = part.filter(pa.array(self._fits(part, where or {})))
            drawn, found = drawn + batch, found + part.num_rows
            parts.append(part)
            batch = min(max(1_000, (wanted - found) * 2 * drawn // max(found, 1)), 100_000)
        made = pa.concat_tables(parts).slice(0, wanted)
        if self.student is not None:
            ids = invented_ids(self.prefix, 0, wanted, width=max(7, len(str(wanted))))
            made = made.append_column(self.student, ids)
        return made.select(list(self.order))

    def _drawn(self, rows: int, generator: np.random.Generator) -> pa.Table:
        codes = sample(self.model, rows, generator)
        cells = {
            one.column.name: self._written(one.column.name, one.column.decoded(one.leaves(code, generator), generator))
            for one, code in zip(self.fields, codes, strict=True)
        }
        return pa.table(cells)

    def _written(self, name: str, cells: pa.Array) -> pa.Array:
        """Days and seconds as the dates and times that they stand for."""
        if name not in self.dates:
            return cells
        type, in_days = self.dates[name]
        if in_days:
            return cells.cast(pa.int32()).cast(pa.date32()).cast(type)
        return cells.cast(pa.timestamp("s", type.tz)).cast(type)

    def _fits(self, rows: pa.Table, where: Mapping[str, Any]) -> Array:
        fits = np.ones(rows.num_rows, bool)
        for rule in self.rules:
            fits &= ~rule.broken(rows)
        for name, wanted in where.items():
            if name == self.student:
                raise InputError("where: ids of students are invented; ask for values of other columns", column=name)
            if name not in rows.column_names:
                raise InputError("where: there is no such column", column=name)
            fits &= _among(name, rows[name], wanted)
        return fits

    def _refuse(self, where: Mapping[str, Any], generator: np.random.Generator) -> NoReturn:
        """Say why hardly any row fits."""
        rows = self._drawn(JUDGED, generator)
        for name, wanted in where.items():
            if not _among(name, rows[name], wanted).any():
                problem = "where: the model gives no row with such a value; ask for values that the table has"
                raise InputError(problem, column=name)
        if where:
            raise InputError("where: the model gives hardly any such rows; ask for a wider condition")
        raise InputError("impossible: the rules leave hardly any row; each names what never occurs")


def _as_it_came(made: pa.Table, empty: Any, student: str | None) -> Any:
    """The rows in the kind of frame, and the types, that `empty` has: categories of pandas and polars among them."""
    frame, names = engine.like(made, empty), [name for name in made.column_names if name != student]
    module = type(empty).__module__
    if module.startswith("pandas"):
        return frame.astype({name: empty[name].dtype for name in names if frame[name].dtype != empty[name].dtype})
    if module.startswith("polars"):
        return frame.cast({name: empty.schema[name] for name in names})
    return frame


def _among(name: str, cells: pa.ChunkedArray, wanted: Any) -> Array:
    """Cells that equal a value, are in a list, or lie between the two ends of a tuple; None is a missing cell."""
    type = cells.type.value_type if pa.types.is_dictionary(cells.type) else cells.type
    plain, compute = cells.cast(type), pa.compute
    try:
        if isinstance(wanted, tuple) and len(wanted) == 2:
            low, high = (None if end is None else pa.scalar(end).cast(type) for end in wanted)
            if low is not None and high is not None and compute.greater(low, high).as_py():
                raise InputError("where: the range ends before it begins", column=name)
            inside = compute.is_valid(plain)
            inside = inside if low is None else compute.and_(inside, compute.greater_equal(plain, low))
            inside = inside if high is None else compute.and_(inside, compute.less_equal(plain, high))
            return np.asarray(inside.fill_null(False))
        several = isinstance(wanted, Iterable) and not isinstance(wanted, str | bytes)
        listed = [None if one != one else one for one in (wanted if several else [wanted])]
        return np.asarray(compute.is_in(plain, value_set=pa.array(listed).cast(type)))
    except pa.ArrowException:
        problem = f"where: takes a value of type {type}, a list of them, or the two ends of a range as a tuple"
        raise InputError(problem, column=name) from None


def _counted_from_1970(
    rows: pa.Table, but: Collection[str | None]
) -> tuple[pa.Table, dict[str, tuple[pa.DataType, bool]]]:
    """Dates as whole days and times as whole seconds, so that ranges can be made of them; with their types.

    Some columns stay as they are; so do texts unless all are dates such as 2001-05-31.
    """
    dates: dict[str, tuple[pa.DataType, bool]] = {}
    for place, name in enumerate(rows.column_names):
        cells, type = rows[name], rows[name].type
        if name in but:
            continue
        if pa.types.is_string(type) or pa.types.is_large_string(type):
            dated = pa.compute.match_substring_regex(cells, r"^\d{4}-\d\d-\d\d$")
            if cells.null_count == len(cells) or not pa.compute.all(dated).as_py():
                continue
            try:
                cells.cast(pa.date32())
            except pa.ArrowInvalid:  # a 31st of February
                continue
        elif not pa.types.is_temporal(type) or pa.types.is_time(type) or pa.types.is_duration(type):
            continue
        timed = pa.types.is_timestamp(type) and (
            type.tz is not None
            or not pa.compute.all(pa.compute.equal(cells, pa.compute.floor_temporal(cells, unit="day"))).as_py()
        )
        numbers = (
            cells.cast(pa.timestamp("s", type.tz), safe=False) if timed else cells.cast(pa.date32()).cast(pa.int32())
        )
        dates[name] = (type, not timed)
        rows = rows.set_column(place, name, numbers.cast(pa.int64()))
    return rows, dates


def fit(
    table: Frame,
    *,
    epsilon: float = 1.0,
    delta: float | None = None,
    student: str | None = None,
    categories: Sequence[str] | None = None,
    values: Mapping[str, Sequence[Any]] | None = None,
    target: str | Sequence[str] | None = None,
    hierarchies: Any = None,
    impossible: Sequence[str] = (),
    seed: int | None = None,
) -> RecordsModel[Frame]:
    """Fit a generator of invented rows, one per student, under differential privacy.

    Args:
        table: A pandas, polars or pyarrow frame, or a path to a file: one row per student.
        epsilon: How much the model may depend on one student with all rows; 1 for anybody, 3 under an agreement.
        delta: The chance that more comes out; one over the square of the rows where nothing is said.
        student: The column of student ids, which are invented anew.
        categories: Columns whose numbers are codes; columns of text are categories anyhow.
        values: The listed values of a column, where they are known without the table, by column.
        target: Outcomes that analysts want to predict: what goes with them is counted sooner.
        hierarchies: As for `anonymize`: rare categories are counted together with those of their group.
        impossible: What cannot be, as in "age < 15 and married != N": no row will be so.
        seed: Replays the noise, and so takes the promise away: for tests. Left out, nobody knows it.

    Returns:
        A model that keeps noisy counts and no row of the table.

    Example:
        >>> import pyarrow as pa
        >>> import sharewell as sw
        >>> table = pa.table({"age": [18, 19, 20, 21] * 25, "sex": ["f", "m"] * 50})
        >>> model = sw.records.fit(table, epsilon=10, seed=1)
        >>> model.budget["epsilon"], model.generate(2, seed=1).column_names
        (10, ['age', 'sex'])
    """
    check_arguments(epsilon=epsilon, delta=delta, categories=categories or ())
    rows = engine.arrow(engine.table(table))
    wanted = Wanted(
        epsilon=epsilon,
        delta=delta,
        student=student,
        categories=tuple(categories or ()),
        values=dict(values or {}),
        targets=(target,) if isinstance(target, str) else tuple(target or ()),
        hierarchies=hierarchies,
        impossible=(impossible,) if isinstance(impossible, str) else tuple(impossible),
    )
    source: Any = table
    empty = source[:0] if hasattr(source, "dtypes") else rows.slice(0, 0)
    model = fit_table(rows, wanted, np.random.default_rng(seed), empty=empty)
    return replace(model, seeded=seed is not None)


def fit_table(
    rows: pa.Table, wanted: Wanted, generator: np.random.Generator, *, empty: Any = None
) -> RecordsModel[Any]:
    """Fit an arrow table, with noise from `generator`: a secret one in a release."""
    _refuse(rows, wanted)
    order = tuple(rows.column_names)
    names = [name for name in rows.column_names if name != wanted.student]
    rules = parsed(wanted.impossible, names)
    cuts = {
        name: [cut for rule in rules for one in rule.parts if one.column == name for cut in one.cuts] for name in names
    }
    delta = usual_delta(rows.num_rows) if wanted.delta is None else wanted.delta
    whole = ROUNDING * rho_of(wanted.epsilon, delta)
    given = _given_hierarchies(rows, names, wanted.hierarchies)
    rows, dates = _counted_from_1970(rows, {wanted.student, *wanted.categories, *wanted.values, *given})
    reads = _read(rows, names, wanted, cuts, given)
    fitted = fit_columns(reads, whole, generator, rules=rules, targets=wanted.targets)
    ids = pa.array([""]) if wanted.student is None else rows[wanted.student].combine_chunks()
    return RecordsModel(
        fields=fitted.fields,
        order=order,
        model=fitted.model,
        rules=rules,
        rows=max(1, round(fitted.rows)),
        student=wanted.student,
        prefix=invented_prefix(ids),
        budget=statement(wanted.epsilon, delta, fitted.spent),
        empty=empty,
        dates=dates,
    )


def statement(epsilon: float, delta: float, spent: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What the budget was spent on, and what it does not cover."""
    rho = sum(float(one["rho"]) for one in spent)
    return {
        "epsilon": epsilon,
        "delta": delta,
        "spent epsilon": epsilon_of(rho, delta),
        "rho": rho,
        "unit": "one student, with all rows: whether the student is in the table or not",
        "spent": list(spent),
        "covers": COVERS,
        "outside": OUTSIDE,
    }


def digest(rows: pa.Table) -> str:
    """Hash all cells: noise of two versions must differ, or it would cancel."""
    found = hashlib.sha256()
    for name in rows.column_names:
        coded = code_column(name, rows[name])
        found.update(repr((name, coded.values)).encode())
        found.update(np.ascontiguousarray(coded.codes).tobytes())
    return found.hexdigest()


def _refuse(rows: pa.Table, wanted: Wanted) -> None:
    if not (np.isfinite(wanted.epsilon) and wanted.epsilon > 0):
        raise InputError("epsilon must be a positive number")
    if wanted.delta is not None and not 0 < wanted.delta < 1:
        raise InputError("delta must lie between 0 and 1")
    check_columns(
        engine.table(rows),
        categories=wanted.categories,
        values=wanted.values,
        target=wanted.targets,
        student=wanted.student,
    )
    if rows.num_rows < 10 or len(rows.column_names) - (wanted.student is not None) < 1:
        raise InputError("a generator needs at least ten rows and one column to learn from")
    if wanted.student is not None and pa.compute.count_distinct(rows[wanted.student]).as_py() < rows.num_rows:
        problem = "a student has several rows; invented records need one row per student, so sum them up first"
        raise InputError(problem, column=wanted.student)


def _read(
    rows: pa.Table, names: Sequence[str], wanted: Wanted, cuts: Mapping[str, Sequence[float]], given: Mapping[str, Any]
) -> list[ReadColumn]:
    return [
        reading.read(
            name,
            rows[name],
            category=name in wanted.categories,
            listed=_listed(wanted.values.get(name), given.get(name)),
            groups=None if name not in given else partial(_parents, given[name]),
            cuts=cuts[name],
        )
        for name in names
    ]


def _listed(values: Sequence[Any] | None, hierarchy: Hierarchy | None) -> list[str] | None:
    """The values that a person listed, alone or in a hierarchy."""
    if values is not None:
        return [str(value) for value in values]
    return None if hierarchy is None else [leaf for leaf in hierarchy.leaves if leaf is not None]


def _parents(hierarchy: Hierarchy, values: Sequence[str | None]) -> tuple[Array, ...]:
    """The group of every value at every level between the values themselves and `*`; −1 for what has none."""
    places = [hierarchy.position.get(value, -1) for value in values]
    return tuple(
        np.array([groups[place] if place >= 0 else -1 for place in places]) for groups in hierarchy.groups[1:-1]
    )


def _given_hierarchies(rows: pa.Table, names: Sequence[str], hierarchies: Any) -> Mapping[str, Any]:
    """Hierarchies that a person gave; none are made from the values."""
    if hierarchies is None:
        return {}
    coded = {name: code_column(name, rows[name]) for name in names}
    counts = {name: np.bincount(one.codes, minlength=len(one.values)) for name, one in coded.items()}
    made = gather(hierarchies, {name: one.values for name, one in coded.items()}, counts)
    given = set(names) if not isinstance(hierarchies, Mapping) else set(hierarchies)
    return {name: one for name, one in made.items() if name in given and one.grid is None}
