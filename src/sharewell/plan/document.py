"""The plan file → frozen dataclasses. Every column has a role, or the run stops and names the columns.

All problems of a plan are found before the first is told: a person corrects them in one go.
"""

import difflib
import math
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass
from datetime import date
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from sharewell import kinds
from sharewell.errors import PlanError
from sharewell.plan import audiences, date_layouts, describe
from sharewell.plan.audience_limits import AUDIENCES, Audience
from sharewell.plan.formats import FORMATS, derived
from sharewell.plan.sections import Section, is_address, setting
from sharewell.plan.sections import table as nested
from sharewell.plan.sizes import Sizes

Tell = Callable[[str], None]
MOST_BYTES = 10_000_000  # of a plan
LONGEST_NAME, LONGEST_SECTION, LONGEST_PATH = 200, 60, 1_000  # characters


@dataclass(frozen=True, kw_only=True)
class Exclude:
    """The students who said no: a file of ids, and the column that holds them where there are several."""

    file: str = setting(MISSING, says="A file with the ids of students who said no; they leave every file first.")
    column: str | None = setting(says="The column that holds the ids, where the list has several.")
    unknown: str = setting(
        "refuse", one_of=("refuse", "accept"), says="What to do about an id on the list that no file has."
    )
    similar: str = setting(
        "refuse", one_of=("refuse", "accept"), says="What to do about a student whose id is similar to one on the list."
    )


@dataclass(frozen=True, kw_only=True)
class Header:
    """The [release] table of a plan."""

    name: str = setting(MISSING, says="What the release is called.")
    audience: Audience = setting(
        "agreement", one_of=AUDIENCES, says="Who will get it; sets the limits that the sections leave open."
    )
    exclude: Exclude | None = nested(None, says="The students who said no.")
    join: bool = setting(
        False, says="Whether one pseudonym stands for a student in all files; the joint attack must pass as well."
    )
    practice: bool = setting(
        False, says="Whether a practice copy goes with the release: all files invented together, in practice/."
    )
    seed: int = setting(0, low=0, says="The seed of measurements; published. What protects is drawn from the key.")
    sizes: Sizes = nested(default_factory=Sizes, says="The most that one file may hold, where a file is larger.")
    key: str | None = setting(says="A key file to use again; it links this release to the one it came from.")
    register: str | None = setting(says="The folder of the register of releases; private/register by default.")
    sign: str | None = setting(says="The private key that signs the release; `sharewell keys new` makes one.")
    approve: int = setting(0, low=0, high=10, says="How many people must sign before the release leaves.")
    approvers: str | None = setting(says="The file with the public keys of those who may approve, one in each line.")
    stalled: str = setting(
        "refuse",
        one_of=("refuse", "wait", "carry on"),
        says="What happens where there is nothing new to publish, or where earlier releases stand in its way: "
        "`carry on` leaves the release that stands and succeeds, `wait` leaves it and asks for a later try (exit 9).",
    )
    description: str = setting("", says="What the data is, for the datasheet.")
    license: str = setting("", says="The terms under which recipients may use it, for the datasheet.")
    contact: str = setting("", says="Whom recipients and students can ask; on the report and the datasheet.")
    citation: str = setting("", says="How to cite it, for the datasheet.")
    purpose: str = setting("", says="What recipients may use it for; on the report and in the agreement.")
    date: str = setting("", says="The date of the release as it is to be printed, for instance 2025-10-01.")
    expires: str = setting("", says="The date by which recipients destroy their copies, for the agreement.")


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What is to be released, for whom, under which limits."""

    path: Path
    header: Header
    sections: tuple[Section, ...]
    source: bytes = field(repr=False, default=b"")
    describe: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # section → column → what it holds

    @property
    def folder(self) -> Path:
        return self.path.parent


def load(path: str | Path) -> Plan:
    """Read and check a plan; a PlanError carries every problem at once."""
    path = Path(path)
    source = _read(path)
    return _plan(path, source, _parse(source, path))


def load_each(path: str | Path) -> list[Plan]:
    """The plan once for each audience that it names, the widest first; the plan itself where it names none."""
    path = Path(path)
    source = _read(path)
    document = _parse(source, path)
    found = audiences.named(document)
    if not found:
        return [_plan(path, source, document)]
    return [_plan(path, source, audiences.for_one(document, audience)) for audience in found]


def _plan(path: Path, source: bytes, document: Mapping[str, Any]) -> Plan:
    problems: list[str] = []
    header = _header(document, path.parent, problems.append)
    sections = tuple(_sections(document, header, path.parent, problems.append))
    described = describe.read(document.get("describe", {}), sections, problems.append)
    if not sections and not problems:
        problems.append("no file to release: add a section such as [records.students]")
    if problems:
        raise PlanError(problems, file=path)
    assert header is not None
    return Plan(path=path, header=header, sections=sections, source=source, describe=described)


def engines(section: Section) -> tuple[str, ...]:
    """Where its kind can be computed."""
    return kinds.load(section.kind).engines


def column_problems(section: Section, found: Sequence[str], *, called: Mapping[str, str] | None = None) -> list[str]:
    """What the plan and the columns of the file have to say to each other; `called` says how to name a column."""
    shown = called or {name: f"'{name}'" for name in found}
    made = {name: f' (derived by format = "{section.format}": {how})' for name, how in derived(section.format).items()}
    speakable = [name for name in found if shown[name] == f"'{name}'"]
    given = {name for _, name in section.roles()}
    mentioned = {name for _, name in section.mentioned()} | set(section.dates)
    silent = [name for name in found if name not in given]
    problems = []
    if silent:
        problems.append(
            f"[{section.label}] {section.file}: no role for "
            f"{', '.join(shown[name] + made.get(name, '') for name in silent)}; silence is never consent: name each "
            "under a role, for instance keep or drop"
        )
    for name in sorted((given | mentioned) - set(found)):
        problems.append(
            f"[{section.label}] {section.file}: the plan names column '{name}', which the file does not have"
            f"{made.get(name) or _meant(name, speakable)}"
        )
    if problems and len(speakable) < len(found):
        problems.append(
            f"[{section.label}] {section.file}: some names of columns look like values and are told by their position: "
            "does the file have a header line?"
        )
    return problems


def _read(path: Path) -> bytes:
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise PlanError(["this is a pipe or a device; name a plan file"], file=path)
        if path.is_file() and path.stat().st_size > MOST_BYTES:
            raise PlanError(["this is too large to be a plan; name the plan file"], file=path)
        return path.read_bytes()
    except FileNotFoundError:
        raise PlanError(["there is no such plan file; `sharewell init FOLDER` writes a first one"], file=path) from None
    except IsADirectoryError:
        raise PlanError(["this is a folder; name the plan file in it"], file=path) from None
    except (OSError, ValueError):
        raise PlanError(["the plan file may not be read; check its name and its permissions"], file=path) from None


def _parse(source: bytes, path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(source.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise PlanError(["the plan is not UTF-8 text; save it as UTF-8"], file=path) from None
    except RecursionError:
        raise PlanError(["the plan is nested too deep; lists and tables stand at most a few deep"], file=path) from None
    except tomllib.TOMLDecodeError as error:
        hint = "texts stand in quotes, lists in [ ], and yes or no is true or false"
        raise PlanError([f"the plan is not valid TOML: {error}; {hint}"], file=path) from None


def _header(document: Mapping[str, Any], folder: Path, tell: Tell) -> Header | None:
    table = document.get("release")
    if not isinstance(table, Mapping):
        tell("the table [release] with a name is missing")
        return None
    table = dict(table)
    if isinstance(table.get("exclude"), str):
        table["exclude"] = {"file": table["exclude"]}
    for name in ("date", "expires"):  # TOML knows dates; quotes around them are welcome as well
        if isinstance(table.get(name), date):
            table[name] = table[name].isoformat()
    header: Header | None = _build(Header, table, _under("[release]", tell))
    if header is None:
        return None
    if not header.name.strip():
        tell("[release] name is empty: give the release a name")
    if len(header.name) > LONGEST_NAME:
        tell(f"[release] name is longer than {LONGEST_NAME} characters: give the release a shorter one")
    excluded = None if header.exclude is None else header.exclude.file
    named = (("exclude", excluded), ("key", header.key), ("sign", header.sign))
    for what, file in (*named, ("approvers", header.approvers)):
        if file and not (_is_there(folder / file) and (folder / file).is_file()):
            tell(f"[release] {what}: there is no file {file}")
    if header.approve and header.approvers is None:
        tell('[release] approve: say whose signatures count: approvers = "approvers.pub", a public key in each line')
    return header


def _sections(document: Mapping[str, Any], header: Header | None, folder: Path, tell: Tell) -> Iterator[Section]:
    for kind, named in document.items():
        if kind in ("release", "describe", audiences.TABLE):
            continue
        if kind not in kinds.names():
            tell(f"[{kind}]: unknown kind of data{_meant(kind, kinds.names())}; known: {', '.join(kinds.names())}")
        elif not isinstance(named, Mapping) or not all(isinstance(table, Mapping) for table in named.values()):
            tell(f"[{kind}]: give every file a name of its own, as in [{kind}.students]")
        else:
            built = (_section(kind, name, table, header, folder, tell) for name, table in named.items())
            yield from (section for section in built if section is not None)


def _section(
    kind: str, name: str, table: Mapping[str, Any], header: Header | None, folder: Path, tell: Tell
) -> Section | None:
    label = f"{kind}.{name}"
    made = kinds.load(kind).section
    for key in made.retired.keys() & table.keys():
        tell(f"[{label}] {made.retired[key]}")
    given = {key: value for key, value in table.items() if key not in made.retired}
    section: Section | None = _build(made, {**given, "name": name, "folder": folder}, _under(f"[{label}]", tell))
    if section is None:
        return None
    if header is not None:
        section = section.for_audience(header.audience)
    _check_name(label, name, tell)
    _check_files(section, tell)
    _check_format(section, tell)
    _check_roles(section, tell)
    _check_dates(section, tell)
    for problem in section.problems():
        tell(f"[{label}] {problem}")
    return section


def _check_name(label: str, name: str, tell: Tell) -> None:
    if len(name) > LONGEST_SECTION:
        tell(f"[{label[:LONGEST_SECTION]}…]: the name of a section has at most {LONGEST_SECTION} characters")
    elif not name.replace("_", "").replace("-", "").isalnum():
        tell(f"[{label}]: use letters, digits, - and _ in the name of a section; it becomes a file name")


def _check_files(section: Section, tell: Tell) -> None:
    files = {**({} if is_address(section.file) else {"file": section.path}), **section.files()}
    for what, path in files.items():
        if not _is_there(path):
            called = path if len(str(path)) < LONGEST_PATH else "of this name, which is too long"
            tell(f"[{section.label}] {what}: there is no file {called}")


def _check_format(section: Section, tell: Tell) -> None:
    name = (section.format or "csv").partition(".")[0]
    if name not in FORMATS:
        tell(
            f"[{section.label}] {section.file}: the format '{name}' is not known{_meant(name, list(FORMATS))}; "
            f"known: {', '.join(sorted(FORMATS))}"
        )


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # a name that no disk takes
        return False


def _check_roles(section: Section, tell: Tell) -> None:
    roles: dict[str, list[str]] = {}
    for role, name in section.roles():
        roles.setdefault(name, []).append(role)
    for name, given in roles.items():
        if len(given) > 1:
            tell(f"[{section.label}] column '{name}' has contradictory roles: {', '.join(given)}; keep one of them")


def _check_dates(section: Section, tell: Tell) -> None:
    for column, layout in section.dates.items():
        found = date_layouts.problem(layout, section.year) if isinstance(layout, str) else "must be text"
        if found is not None:
            tell(f"[{section.label}] dates: {column}: {found}")
    if section.year is not None and not any(map(date_layouts.needs_year, map(str, section.dates.values()))):
        tell(f"[{section.label}] year: no pattern in 'dates' is without a year; take the line out")
    if section.first_month is not None and section.year is None:
        tell(f"[{section.label}] first_month: only dates without a year need it, beside  year = …; take the line out")


def _build(cls: Any, table: Mapping[str, Any], tell: Tell) -> Any:
    """A frozen dataclass from a TOML table, or None once something about it was told."""
    problems: list[str] = []
    known = {item.name: item for item in fields(cls)}
    public = [name for name, item in known.items() if "internal" not in item.metadata]
    problems += [
        f"unknown key '{key}'{_meant(key, public) or _nearest(key, public)}" for key in table if key not in known
    ]
    hints, values = get_type_hints(cls), {}
    for name, item in known.items():
        if name in table:
            values[name] = _value(item, hints[name], table[name], problems.append)
        elif item.default is MISSING and item.default_factory is MISSING:
            problems.append(f"'{name}' is missing")
    for problem in problems:
        tell(problem)
    return None if problems else cls(**values)


def _under(prefix: str, tell: Tell) -> Tell:
    return lambda problem: tell(f"{prefix} {problem}")


def _value(item: Field[Any], hint: Any, value: Any, tell: Tell) -> Any:
    """One value as its field wants it; tells what is wrong otherwise."""
    nested = next((part for part in _options(hint) if is_dataclass(part)), None)
    if nested is not None and isinstance(value, Mapping):
        return _build(nested, value, _under(f"{item.name}:", tell))
    if _is_columns(hint) and (isinstance(value, str) or _is_texts(value)):
        value = (value,) if isinstance(value, str) else tuple(value)
    if not any(_fits(value, part) for part in _options(hint)):
        tell(f"'{item.name}' must be {_in_words(hint)}")
    elif problem := _out_of_bounds(item, value):
        tell(problem)
    elif isinstance(value, tuple) and len(set(value)) < len(value):
        tell(f"'{item.name}' says the same thing twice")
    return value


def _options(hint: Any) -> tuple[Any, ...]:
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


def _is_columns(hint: Any) -> bool:
    return any(get_origin(part) is tuple for part in _options(hint))


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(part, str) for part in value)


def _fits(value: Any, hint: Any) -> bool:
    origin = get_origin(hint) or hint
    if origin in (NoneType, None):
        return value is None
    if origin is tuple:
        return isinstance(value, tuple)
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    if isinstance(origin, type):
        return isinstance(value, origin)
    return isinstance(value, str)  # a Literal: its choices are checked by one_of


def _out_of_bounds(item: Field[Any], value: Any) -> str | None:
    choices, low, high = (item.metadata.get(key) for key in ("one_of", "low", "high"))
    if choices and value not in choices:
        return f"'{item.name}' must be one of {', '.join(map(str, choices))}{_meant(value, choices)}"
    if isinstance(value, float) and not math.isfinite(value):
        return f"'{item.name}' must be a finite number"
    if low is not None and isinstance(value, int | float) and value < low:
        return f"'{item.name}' must be at least {low:g}; the plan says {value:g}"
    if high is not None and isinstance(value, int | float) and value > high:
        return f"'{item.name}' must be at most {high:g}; the plan says {value:g}"
    return None


def _in_words(hint: Any) -> str:
    words = {
        str: "text",
        int: "a whole number",
        float: "a number",
        bool: "true or false",
        tuple: "a list of names",
    }
    named = [words.get(get_origin(part) or part, "a table") for part in _options(hint) if part is not NoneType]
    return " or ".join(named)


def _nearest(word: str, known: Sequence[str]) -> str:
    """The keys that are most like one that nothing resembles."""
    return f"; the nearest keys are {', '.join(difflib.get_close_matches(word, known, n=3, cutoff=0))}"


def _meant(word: Any, known: Sequence[Any]) -> str:
    close = difflib.get_close_matches(str(word), [str(name) for name in known], n=1)
    return f" (did you mean '{close[0]}'?)" if close else ""
