"""What must not be written in steps that run on several engines: each of these gave another number on one of them."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from sharewell import kinds

SOURCE = Path(__file__).parents[1] / "src" / "sharewell"
# files are read on DuckDB alone
READERS = ("data/backends", "data/engine.py", "data/formats", "plan", "first_plan", "desk", "fiction", "demo")
EVERYWHERE = [name for name in kinds.OURS if len(kinds.load(name).engines) > 1]
ON_DUCKDB = tuple(name for name in kinds.OURS if name not in EVERYWHERE)
SECRETS = {"secret", "key", "keyed", "digest", "pseudonyms"}
EXPRESSIONS = {"literal", "mutate", "select", "filter", "fill_null", "isin", "ifelse", "agg", "aggregate"}


def shared_modules() -> list[Path]:
    """Modules whose steps run on every engine."""
    files = sorted(SOURCE.rglob("*.py"))
    return [file for file in files if not file.relative_to(SOURCE).as_posix().startswith((*READERS, *ON_DUCKDB))]


def called(node: ast.AST) -> str | None:
    """The name of a method or function that is called."""
    if not isinstance(node, ast.Call):
        return None
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", None)


def nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """Every node but those that DuckDB alone computes: what `engine.derived` is given."""
    for child in ast.iter_child_nodes(tree):
        if called(child) != "derived":
            yield child
            yield from nodes(child)


def unordered_row_number(tree: ast.AST) -> Iterator[int]:
    ordered = {
        id(call.func.value)
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "over"
        if "order_by" in ast.dump(call)
    }
    yield from (n.lineno for n in nodes(tree) if called(n) == "row_number" and id(n) not in ordered)  # type: ignore[attr-defined]


def sorted_distinct(tree: ast.AST) -> Iterator[int]:
    for node in nodes(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "order_by":
            of = node.func.value
            yield from [node.lineno] if called(of) == "distinct" and not _of_the_engine(of) else []


def _of_the_engine(call: ast.AST) -> bool:
    value = call.func.value if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) else None
    return isinstance(value, ast.Name) and value.id == "engine"


def memtable(tree: ast.AST) -> Iterator[int]:
    yield from (node.lineno for node in ast.walk(tree) if called(node) == "memtable")  # type: ignore[attr-defined]


def own_connection(tree: ast.AST) -> Iterator[int]:
    yield from (node.lineno for node in ast.walk(tree) if called(node) == "connection")  # type: ignore[attr-defined]


def engine_hash(tree: ast.AST) -> Iterator[int]:
    for node in nodes(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "hash":
            yield node.lineno


def numbered_groups(tree: ast.AST) -> Iterator[int]:
    for node in nodes(tree):
        if called(node) == "re_replace" and any("\\" in part for part in _texts(node.args[1:])):  # type: ignore[attr-defined]
            yield node.lineno  # type: ignore[attr-defined]


def _texts(parts: list[ast.expr]) -> Iterator[str]:
    for part in parts:
        yield from (n.value for n in ast.walk(part) if isinstance(n, ast.Constant) and isinstance(n.value, str))


def secret_in_expression(tree: ast.AST) -> Iterator[int]:
    for node in nodes(tree):
        if called(node) in EXPRESSIONS and isinstance(node, ast.Call):
            inside = [part for one in (*node.args, *(word.value for word in node.keywords)) for part in ast.walk(one)]
            names = {getattr(part, "id", None) or getattr(part, "attr", None) for part in inside}
            if any(isinstance(part, ast.Attribute) and part.attr in SECRETS for part in inside) or "secret" in names:
                yield node.lineno


RULES = {
    "row_number without an order: take engine.numbered": unordered_row_number,
    "a sorted distinct: take engine.distinct": sorted_distinct,
    "memtable: take engine.listed": memtable,
    "DuckDB's own connection: take a verb of the engine": own_connection,
    "the engine's hash: take engine.derived": engine_hash,
    "a replacement by numbered groups": numbered_groups,
    "a secret in an expression: take engine.derived or a lookup": secret_in_expression,
}
OFFENCES = {
    unordered_row_number: "t.mutate(n=ibis.row_number())",
    sorted_distinct: "t.filter(t.a > 1).select('b').distinct().order_by('b')",
    memtable: "ibis.memtable(rows)",
    own_connection: "engine.connection().execute(t.count())",
    engine_hash: "t.order_by(t.a.hash())",
    numbered_groups: r"t.a.re_replace('(x)', r'\1')",
    secret_in_expression: "t.mutate(p=(ibis.literal(secret) + t.a).hexdigest('sha256'))",
}
HARMLESS = {
    unordered_row_number: "t.mutate(n=ibis.row_number().over(group_by='a', order_by='b'))",
    sorted_distinct: "engine.distinct(t, ['b']).order_by('b')",
    engine_hash: "engine.derived(t, 'a', 'h', lambda cell: cell.hash())",
    secret_in_expression: "engine.derived(t, 'a', 'p', lambda cell: _noise(secret, cell))",
}


@pytest.mark.parametrize("rule", RULES)
def test_steps_of_every_engine_keep_the_rule(rule: str) -> None:
    found = [
        (file.relative_to(SOURCE).as_posix(), line)
        for file in shared_modules()
        for line in RULES[rule](ast.parse(file.read_text(encoding="utf-8")))
    ]
    assert found == []


@pytest.mark.parametrize("rule", OFFENCES.values(), ids=lambda source: source[:30])
def test_an_offence_would_be_seen(rule: str) -> None:
    check = next(check for check, source in OFFENCES.items() if source == rule)
    assert set(check(ast.parse(rule))) == {1}


def test_what_is_harmless_is_not_taken_for_one() -> None:
    assert all(list(check(ast.parse(source))) == [] for check, source in HARMLESS.items())


def test_records_traces_and_posts_run_on_every_engine() -> None:
    assert EVERYWHERE == ["records", "traces", "posts"]
