"""The rules of the tree: who may import whom, what must not load at start-up, and how large a function may grow."""

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TypeGuard

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "sharewell"
KINDS = ("records", "traces", "responses", "posts", "keystrokes")
HEAVY = (
    "torch", "pyspark", "sklearn", "plotly", "starlette", "numba", "scipy", "numpy", "pyarrow", "duckdb", "ibis",
    "pandas",
)  # fmt: skip
MOST_LINES = 90
MUTATORS = {"append", "extend", "insert", "pop", "remove", "clear", "add", "discard", "update", "setdefault", "popitem"}


def module_name(path: Path) -> str:
    parts = ("sharewell", *path.relative_to(SOURCE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in sorted(SOURCE.rglob("*.py"))}


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imported(path: Path, source: str | None = None) -> set[str]:
    """The modules of the project that a file imports anywhere, at once or late, absolute or relative."""
    names: set[str] = set()
    package = ("sharewell", *path.relative_to(SOURCE).parts[:-1])
    for node in _running(ast.parse(source) if source else tree(path)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*base, *([node.module] if node.module else [])])
            names |= {module} | {f"{module}.{alias.name}" for alias in node.names}
    return {name for name in names if name.startswith("sharewell.")}


def _running(node: ast.AST) -> Iterator[ast.AST]:
    """Every node but those that only a type checker sees."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test):
            continue
        yield child
        yield from _running(child)


def belongs_to(module: str, part: str) -> bool:
    return module == f"sharewell.{part}" or module.startswith(f"sharewell.{part}.")


def offences(part: str, forbidden: tuple[str, ...]) -> set[tuple[str, str]]:
    """Imports of a part of the tree that reach into what it must not know."""
    return {
        (module, name)
        for module, path in MODULES.items()
        if belongs_to(module, part)
        for name in imported(path)
        if any(belongs_to(name, other) for other in forbidden)
    }


@pytest.mark.parametrize("kind", KINDS)
def test_kinds_never_import_each_other(kind: str) -> None:
    assert offences(kind, tuple(other for other in KINDS if other != kind)) == set()


@pytest.mark.parametrize(
    "part", ["release", "show", "data", "plan", "text", "stats", "synthetic", "lab", "contract", "disclosure"]
)
def test_what_all_kinds_share_never_sees_a_kind(part: str) -> None:
    assert offences(part, KINDS) == set()


@pytest.mark.parametrize("kind", [*KINDS, "text", "fiction"])
def test_kinds_do_not_reach_up(kind: str) -> None:
    assert offences(kind, ("examine", "pipeline", "cli", "plan.document", "release", "show", "demo")) == set()


def test_a_practice_copy_knows_kinds_by_the_contract_only() -> None:
    assert offences("practice", (*KINDS, "pipeline", "cli", "show", "demo")) == set()


def test_what_is_shown_does_not_know_how_it_is_written() -> None:
    assert offences("show", ("release",)) == set()


def test_nobody_but_the_command_line_runs_the_demo() -> None:
    users = {module for module in MODULES if offences(module.removeprefix("sharewell."), ("demo",))}
    assert {module for module in users if not belongs_to(module, "demo")} - {"sharewell"} <= {"sharewell.cli"}


def test_nobody_but_the_command_line_opens_the_desk() -> None:
    users = {module for module in MODULES if offences(module.removeprefix("sharewell."), ("desk",))}
    assert {module for module in users if not belongs_to(module, "desk")} - {"sharewell"} <= {"sharewell.cli"}
    assert offences("desk", ("cli", "demo")) == set()


def test_the_desk_never_opens_data_in_the_process_that_answers() -> None:
    """Pages read what tasks left; only the worker imports the engine."""
    pages = [
        f"desk.{name}"
        for name in ("app", "entry_pages", "guard", "files_page", "names_page", "release_page", "risk_page")
    ]
    assert {
        found
        for page in pages
        for found in offences(page, ("data.engine", "data.sources", "examine", "pipeline", "review"))
    } == set()


def test_shared_mathematics_imports_nothing_above_it() -> None:
    allowed = ("stats", "errors", "contract", "progress")
    found = {
        (module, name)
        for module, path in MODULES.items()
        if belongs_to(module, "stats")
        for name in imported(path)
        if not any(belongs_to(name, part) for part in allowed)
    }
    assert found == set()


def test_an_offence_would_be_seen() -> None:
    source = (
        "def late():\n    from sharewell.traces import unicity\nfrom ..posts import redact\nfrom .. import keystrokes"
    )
    found = imported(SOURCE / "records" / "offender.py", source)
    assert all(any(belongs_to(name, kind) for name in found) for kind in ("traces", "posts", "keystrokes"))


def imports_between_modules() -> dict[str, set[str]]:
    return {module: {name for name in imported(path) if name in MODULES} for module, path in MODULES.items()}


def circle(graph: dict[str, set[str]]) -> list[str]:
    """A way through the imports that ends where it began, or nothing."""
    done: set[str] = set()

    def walk(module: str, way: list[str]) -> list[str]:
        if module in way:
            return [*way[way.index(module) :], module]
        if module in done:
            return []
        for name in sorted(graph.get(module, ())):
            if found := walk(name, [*way, module]):
                return found
        done.add(module)
        return []

    return next((found for module in sorted(graph) if (found := walk(module, []))), [])


def test_imports_form_no_circle() -> None:
    graph = imports_between_modules()
    packages = {module for module, path in MODULES.items() if path.name == "__init__.py"}
    inside = {module: {name for name in names if name not in packages} for module, names in graph.items()}
    assert circle(inside) == []


LAYERS = ("plan", "data.backends", "data.formats", "data.engine", "data", "first_plan")  # lower ones first


def layer(module: str) -> str:
    """The part of the tree that a module belongs to: packages count as a whole, and with their `__init__`."""
    return max((part for part in LAYERS if belongs_to(module, part)), key=len, default="")


def circles_of_layers(graph: dict[str, set[str]]) -> set[tuple[str, str]]:
    """Pairs of layers that import each other; what lies directly in `data` serves all layers of it."""
    edges = {(layer(module), layer(name)) for module, names in graph.items() for name in names}
    return {
        (one, other) for one, other in edges if one < other and (other, one) in edges and "data" not in (one, other)
    }


def test_layers_of_reading_form_no_circle() -> None:
    graph = imports_between_modules()
    assert {pair for pair in circles_of_layers(graph) if "" not in pair} == set()
    below = {(module, name) for part in ("plan", "data") for module, name in offences(part, ("first_plan",))}
    assert below | offences("plan", ("data",)) == set()


def test_a_circle_of_layers_would_be_seen() -> None:
    graph = {
        "sharewell.data.formats": {"sharewell.data.engine"},
        "sharewell.data.engine": {"sharewell.data.formats.csv"},
    }
    assert circles_of_layers(graph) == {("data.engine", "data.formats")}


def test_a_circle_would_be_seen() -> None:
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"a"}}) == ["a", "b", "c", "a"]


@pytest.mark.parametrize("kind", KINDS)
def test_no_public_name_hides_a_module(kind: str) -> None:
    package = import_module(f"sharewell.{kind}")
    beside = {
        path.stem for path in (SOURCE / kind).iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    assert package.__all__ == sorted(set(package.__all__))
    assert beside & set(package.__all__) == set()
    assert all(callable(getattr(package, name)) for name in package.__all__)


def functions() -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for module, path in MODULES.items():
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield module, node


def is_kernel(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """A loop that numba compiles takes single arrays: fields of a tuple are counted as used anew with every access."""
    return any("njit" in ast.unparse(decorator) for decorator in node.decorator_list)


def documented(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """The lines of a docstring: to document every parameter does not make a function long."""
    return len((ast.get_docstring(node, clean=False) or "").splitlines())


def test_no_function_is_long() -> None:
    long = {
        (module, node.name)
        for module, node in functions()
        if node.end_lineno is not None
        and node.end_lineno - node.lineno - documented(node) > MOST_LINES
        and not is_kernel(node)
    }
    assert long == set()


def changed_state(source: ast.Module) -> set[str]:
    """Names of a module that its functions change: by `global`, by a method that changes, or by an assigned item."""
    targets = [node for node in source.body if isinstance(node, ast.Assign | ast.AnnAssign)]
    names = {name.id for node in targets for name in ast.walk(node) if _is_stored(name)}
    found: set[str] = set()
    for function in ast.walk(source):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            own = {name.id for name in ast.walk(function) if _is_stored(name)}
            own |= {argument.arg for argument in ast.walk(function) if isinstance(argument, ast.arg)}
            found |= {name for node in ast.walk(function) for name in _changed(node) if name in names - own}
    return found


def _is_stored(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def _changed(node: ast.AST) -> set[str]:
    if isinstance(node, ast.Global):
        return set(node.names)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in MUTATORS:
        return {node.func.value.id} if isinstance(node.func.value, ast.Name) else set()
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
        return {node.value.id} if isinstance(node.value, ast.Name) else set()
    return set()


def test_no_module_keeps_state_that_its_functions_change() -> None:
    assert {(module, name) for module, path in MODULES.items() for name in changed_state(tree(path))} == set()


def test_changed_state_would_be_seen() -> None:
    source = "KEPT: list[int] = []\nFIXED = [1]\ndef f():\n    KEPT.append(1)\n    return FIXED[0]\n"
    assert changed_state(ast.parse(source)) == {"KEPT"}


@pytest.mark.parametrize("statement", ["import sharewell", "import sharewell.cli", "import sharewell.plan.document"])
def test_nothing_heavy_is_imported_at_start_up(statement: str) -> None:
    script = f"{statement}\nimport sys\nprint([name for name in {HEAVY!r} if name in sys.modules])"
    here = {**os.environ, "PYTHONPATH": str(SOURCE.parent)}
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=here)
    assert result.stdout.strip() == "[]"


@pytest.mark.parametrize("kind", KINDS)
def test_a_recheck_imports_nothing_of_what_it_checks(kind: str) -> None:
    """What re-checks a release knows words and section of its kind, and how earlier versions wrote their facts."""
    own = {name for name in imported(SOURCE / kind / "recheck.py") if name in MODULES and belongs_to(name, kind)}
    assert own <= {f"sharewell.{kind}.{name}" for name in ("section", "kind", "before_2026_12")}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_built_the_same_way(kind: str) -> None:
    expected = {"__init__.py", "kind.py", "section.py", "study.py", "recheck.py", "measure", "protection", "utility"}
    assert expected <= {path.name for path in (SOURCE / kind).iterdir()}
