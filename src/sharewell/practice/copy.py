"""Make a practice copy: learn, choose ε, attack, invent, and write files in the formats and with the names they had."""

import hashlib
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from sharewell import examine, kinds, progress
from sharewell.contract import Risk
from sharewell.data import engine, formats, original_ids, sources, system
from sharewell.data.fetched import fetched
from sharewell.data.files import to_json
from sharewell.data.keyed import Keyed, new_key
from sharewell.data.sources import Sources
from sharewell.errors import DiskError, InputError, Refused
from sharewell.plan.audience_limits import LIMITS
from sharewell.plan.document import Plan
from sharewell.plan.sections import Section
from sharewell.practice import readme
from sharewell.practice.choice import least_loss
from sharewell.practice.course import WholeCourse, check, invent, learn
from sharewell.release import place, write
from sharewell.synthetic.event_times import as_in

FOLDER = "practice"
PARTIAL, REPLACED = ".practice-partial-", ".practice-replaced"
PROMISE, README = "promise.json", "README.md"
LOOKED_AT = 200  # rows, for how a column writes its times


@dataclass(frozen=True, kw_only=True)
class PracticeCopy:
    """Invented files, ready to be written, what they promise, and what attacks on all of them together reached."""

    plan: Plan
    tables: Mapping[str, pa.Table]
    sources: Mapping[str, formats.Source]
    promise: Mapping[str, Any]
    risks: Sequence[Risk]
    students: int

    @property
    def sentence(self) -> str:
        """The promise in one sentence."""
        return readme.sentence(self.promise, self.students, len(self.tables))

    def write(self, folder: Path) -> None:
        """Every file under its name, the promise as data and in words."""
        folder.mkdir(exist_ok=True)
        for section in self.plan.sections:
            path = folder / name_of(section)
            path.parent.mkdir(parents=True, exist_ok=True)
            formats.write(engine.listed(self.tables[section.label]), path, self.sources[section.label])
        (folder / PROMISE).write_bytes(to_json(dict(self.promise)))
        page = readme.page(
            self.plan, self.promise, self.risks, self.sentence, [name_of(one) for one in self.plan.sections]
        )
        (folder / README).write_text(page, encoding="utf-8")


def practice(
    plan: Plan, *, root: Path | None = None, over: bool = False, epsilon: float | None = None
) -> tuple[Path, PracticeCopy]:
    """Write a practice copy beside the plan: complete or not at all."""
    base = root or plan.folder
    target = base / FOLDER
    if target.exists() and not over:
        raise DiskError(f"{target}: there is a practice copy already; use --replace to write a new one over it")
    if any((base / FOLDER / name_of(one)).resolve() == one.path.resolve() for one in plan.sections):
        raise DiskError(f"{target}: holds the originals themselves; choose another folder with --out")
    plan = fetched(plan)
    with progress.step("reading the files"):
        data = sources.read(plan)
    keyed = Keyed(new_key(), "practice") if plan.header.key is None else Keyed(_key(plan), "practice")
    made = copy(plan, data, keyed, epsilon=epsilon)
    with place.clear_sentences(base):
        base.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=PARTIAL, dir=base) as staged:
            built = Path(staged) / FOLDER
            made.write(built)
            for path in built.rglob("*"):
                system.sync(path)
            if target.exists():
                target.rename(Path(staged) / REPLACED)
            built.rename(target)
    return target, made


def copy(plan: Plan, data: Sources, keyed: Keyed, *, epsilon: float | None = None) -> PracticeCopy:
    """Invent all files of a plan; refuse where an attack on them misses a limit."""
    limits = LIMITS[plan.header.audience].kinds["records"]
    most = limits["epsilon"] if epsilon is None else epsilon
    if most > limits["epsilon"]:
        allowed = f"the audience {plan.header.audience} allows, {limits['epsilon']:g}"
        raise InputError(f"epsilon: {most:g} is more than {allowed}; ask for less")
    with progress.step("practice copy: reading"):
        course = _course(plan, data, keyed)
    check(course)
    with progress.step("practice copy: attacking rehearsals"):
        spent, risks = least_loss(course, most, limits, seed=plan.header.seed)
    missed = [risk for risk in risks if risk.holds is False]
    if missed:
        raise Refused(
            f"no practice copy was written: {missed[0].measure.title} over all files reaches {missed[0].seen:.3f} at "
            f"ε = {spent:g}, the limit is {missed[0].limit:g}; take more students, or a narrower audience"
        )
    secret = keyed.within(_digest(course))
    with progress.step("practice copy: inventing"):
        model = learn(course, spent, secret.generator("noise"))
        made = invent(course, model, secret.generator("rows"))
    tables = {one.label: _as_it_was(made[one.label], one, data.files[one.label]) for one in plan.sections}
    for section in plan.sections:
        written = engine.listed(tables[section.label])
        source = data.files[section.label].table
        if named := original_ids.columns_that_tell(source, written, section, strictly=original_ids.OWN_NAMES):
            raise Refused(original_ids.sentence(section, named))
    return PracticeCopy(
        plan=plan, tables=tables, sources=data.files, promise={**model.promise, "audience": plan.header.audience},
        risks=risks, students=len(_ids(tables, plan)),
    )  # fmt: skip


def _course(plan: Plan, data: Sources, keyed: Keyed) -> WholeCourse:
    fewest = LIMITS[plan.header.audience].company
    files, targets, marks = {}, [], []
    for section in plan.sections:
        with data.rows_as_in_file(section.label):
            files[section.label] = kinds.load(section.kind).practice(examine.job_of(section, plan, data, keyed), fewest)
        aims = getattr(section, "target", None) or ()
        targets += [f"{section.label}: {name}" for name in ((aims,) if isinstance(aims, str) else aims)]
        roles = ("sensitive", "keep", "drop")
        marks += [f"{section.label}: {name}" for role, name in section.roles() if role in roles]
    found = WholeCourse(files=files, targets=tuple(targets), fewest=fewest)
    numbers = {one.column.name for one in found.columns if one.column.ordered}
    return replace(found, marks=tuple(one for one in marks if one in numbers and one not in targets))


def _digest(course: WholeCourse) -> str:
    """Hash all that is learnt from: noise of two versions must differ, or it would cancel."""
    found = hashlib.sha256(repr(course.students).encode())
    for column in course.columns:
        found.update(repr((column.column.name, [leaf.value for leaf in column.column.leaves])).encode())
        found.update(column.codes.tobytes())
    for one in course.contributions:
        found.update(one.name.encode() + one.parts.data.tobytes() + one.parts.indices.tobytes())
    return found.hexdigest()


def _as_it_was(made: pa.Table, section: Section, source: formats.Source) -> pa.Table:
    """The types that the columns came in, times as they were written, and the codes of missing cells."""
    like = engine.arrow(source.table.limit(LOOKED_AT))
    types = _types_on_disk(section, source)
    cells = {}
    for name in made.column_names:
        own = made[name]
        if pa.types.is_temporal(own.type):
            own = as_in(own, like[name])
        type = types.get(name, like.schema.field(name).type)
        cells[name] = own if pa.types.is_dictionary(type) else own.cast(type, safe=False)
        if not cells[name].null_count and engine.value(source.table[name].isnull().any()):
            rows = pa.array(range(len(cells[name])), pa.int64())  # one missing cell: readers guess types by it
            cells[name] = pa.compute.if_else(pa.compute.equal(rows, 0), None, cells[name])
    if section.numbers_rows:
        cells.pop(section.student)
    return pa.table({name: _with_codes(one, name, section, source) for name, one in cells.items()})


def _types_on_disk(section: Section, source: formats.Source) -> dict[str, pa.DataType]:
    """Ids are read as text, and times in other units; a typed file gets back what it had."""
    if source.format != "parquet" or not section.path.is_file():
        return {}
    import pyarrow.parquet as pq

    return {one.name: one.type for one in pq.read_schema(section.path)}


def _with_codes(cells: pa.ChunkedArray, name: str, section: Section, source: formats.Source) -> pa.ChunkedArray:
    """Missing cells of a text file as the code that stood for most of them in this column."""
    if section.missing == ("",) or not pa.types.is_string(cells.type) or not cells.null_count:
        return cells
    raw = formats.read(section.path, format=section.format, encoding=section.encoding, delimiter=section.delimiter,
                       missing=(), table=section.table).table  # fmt: skip
    if name not in raw.columns:
        return cells
    coded = raw.filter(raw[name].isin(section.missing)).select(code=raw[name])
    counted = coded.group_by("code").agg(rows=coded.count())
    found = engine.arrow(counted.order_by(counted.rows.desc(), counted.code).limit(1))["code"].to_pylist()
    return cells.fill_null(found[0]) if found else cells


def _ids(tables: Mapping[str, pa.Table], plan: Plan) -> set[str]:
    found: set[str] = set()
    for section in plan.sections:
        if section.student in tables[section.label].column_names:
            found |= {str(one) for one in tables[section.label][section.student].unique().to_pylist()}
    return found


def name_of(section: Section) -> Path:
    """Place a file as the plan names it, inside the folder of the copy."""
    path = Path(section.file)
    inside = not path.is_absolute() and ".." not in path.parts
    return path if inside else Path(path.name)


def _key(plan: Plan) -> bytes:
    return write.read_key(plan.folder / str(plan.header.key))
