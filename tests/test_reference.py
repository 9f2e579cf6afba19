"""Documentation that cannot go stale: every key of the plan and every public name has an entry, and examples run."""

import doctest
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from sharewell import kinds
from sharewell.plan import reference

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "plan.md"


def load_api() -> ModuleType:
    """The script that makes the page stands beside the pages and belongs to no package."""
    spec = importlib.util.spec_from_file_location("docs_api", ROOT / "docs" / "tools" / "api.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["docs_api"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


api: Any = load_api()
EXAMPLES = [(module, entry) for module, found in api.entries() for entry in found if entry.example]


def test_every_key_of_a_plan_has_a_meaning() -> None:
    silent = [f"[{part}] {key.name}" for part, keys in reference.parts().items() for key in keys if not key.meaning]
    assert silent == []


def test_every_part_of_a_plan_stands_on_the_page() -> None:
    assert set(reference.parts()) == {block["name"] for block in reference.BLOCK.finditer(PAGE.read_text("utf-8"))}
    assert set(kinds.OURS) <= set(reference.parts())


def test_the_page_of_the_plan_is_as_it_should_be_now() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert reference.fill(text) == text, "stale: run `make reference`"


def test_every_key_stands_on_the_page_with_default_and_range() -> None:
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    for keys in reference.parts().values():
        for key in keys:
            rows = [line for line in lines if line.startswith(f"| `{key.name}` |")]
            assert any(key.meaning in row and key.default in row and key.allowed in row for row in rows), key.name


def test_every_public_name_is_documented_with_every_parameter_and_an_example() -> None:
    assert api.problems() == []


def test_every_public_name_has_an_entry_on_the_page() -> None:
    page = api.page()
    for module, found in api.entries():
        prefix = "sw." if module == "sharewell" else f"sw.{module.partition('.')[2]}."
        assert found
        assert [entry.name for entry in found if f"### `{prefix}{entry.name}`" not in page] == []


def test_a_missing_parameter_would_be_seen() -> None:
    text, parts = api._split(
        "Does it.\n\nArgs:\n    table: the\n        rows\n    k: how many\n\nExample:\n    >>> 1\n    1\n"
    )
    entry = api.Entry(name="f", thing=None, text=text, parts=parts)
    assert entry.arguments == {"table": "the rows", "k": "how many"} and entry.example.startswith(">>> 1")


@pytest.mark.parametrize(("module", "entry"), EXAMPLES, ids=[f"{module}.{entry.name}" for module, entry in EXAMPLES])
def test_an_example_does_what_it_says(module: str, entry: Any, capsys: pytest.CaptureFixture[str]) -> None:
    test = doctest.DocTestParser().get_doctest(entry.example, {}, f"{module}.{entry.name}", None, None)
    assert test.examples
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    runner.run(test)
    assert runner.summarize(verbose=False).failed == 0, capsys.readouterr().out
