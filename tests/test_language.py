"""How the source speaks: class names occur once, docstrings begin with an imperative, private words only get rarer."""

import ast
import inspect
import re
from collections import defaultdict
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "sharewell"
RIDDLES = {"twins", "strangers", "door", "further_cells", "key_exchange", "extra_features", "lookup"}
EVERY_KIND = {"Section", "Limit"}  # each kind has its own, by the contract
SHARED = {  # class names that still occur more than once: the list may only get shorter
    "Choice", "Counted", "Log", "Place", "Recoding", "Request", "Roster", "Search", "Setting", "Settings",
}  # fmt: skip
CEILINGS = {"told": 122, "held": 85, "whoever": 21}  # words of our own: lower a number, never raise one
LONG_FIRST_LINES = 771  # docstrings of functions that begin with 80 characters or more: as above
KINDS = ("records", "traces", "responses", "posts", "keystrokes")


@cache
def modules() -> dict[Path, tuple[str, ast.Module]]:
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(SOURCE.rglob("*.py"))}
    return {path: (text, ast.parse(text)) for path, text in texts.items()}


def test_a_class_name_occurs_once() -> None:
    found: dict[str, list[str]] = defaultdict(list)
    for path, (_, tree) in modules().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                found[node.name].append(str(path.relative_to(SOURCE)))
    twice = {name: paths for name, paths in found.items() if len(paths) > 1}
    assert {name: paths for name, paths in twice.items() if name not in EVERY_KIND | SHARED} == {}


@pytest.mark.parametrize("word", CEILINGS)
def test_private_words_only_get_rarer(word: str) -> None:
    count = sum(len(re.findall(rf"\b{word}\b", text, re.I)) for text, _ in modules().values())
    assert count <= CEILINGS[word], f"{word}: {count}; say what style asks for"


def test_first_lines_of_docstrings_only_get_shorter() -> None:
    functions = (
        node
        for _, tree in modules().values()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
    )
    firsts = [(ast.get_docstring(node) or "").split("\n")[0] for node in functions]
    assert sum(len(first) >= 80 for first in firsts) <= LONG_FIRST_LINES


def public() -> list[tuple[str, str]]:
    found = []
    for module in ("sharewell", *(f"sharewell.{kind}" for kind in KINDS)):
        names = import_module(module)
        for name in names.__all__:
            thing = getattr(names, name)
            if inspect.isfunction(thing):
                found.append((f"{module}.{name}", (inspect.getdoc(thing) or "").split("\n")[0]))
    return found


@pytest.mark.parametrize("name, first", public(), ids=lambda value: value if value.startswith("sharewell") else "")
def test_public_functions_say_what_they_do(name: str, first: str) -> None:
    """In the imperative: the first word is a verb, and none that ends like a third person or a noun."""
    word = first.split()[0]
    assert len(first) < 80 and first.endswith(".")
    assert word[0].isupper() and word.isalpha() and not word.endswith(("s", "ed", "ing", "ion")), first
    assert word not in {"The", "A", "An", "How", "What", "Which", "Whether", "Every", "Each", "One"}, first


def test_modules_are_named_by_what_they_hold() -> None:
    assert {path.stem for path in modules()} & RIDDLES == set()
