"""The page of the Python API, made from the docstrings when the documentation is built.

mkdocs calls `on_files`; the tests call `page` and `problems`. Docstrings are in the style of Google: a sentence, then
`Args:`, `Returns:`, `Raises:` and `Example:`.
"""

import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

KINDS = ("records", "traces", "responses", "posts", "keystrokes")
PARTS = ("Args", "Attributes", "Returns", "Raises", "Yields", "Example", "Examples")
NAMED = ("Args", "Attributes", "Raises")


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One public name with what its docstring says."""

    name: str
    thing: Any
    text: str
    parts: dict[str, str] = field(default_factory=dict)

    @property
    def arguments(self) -> dict[str, str]:
        return dict(_named(self.parts.get("Args", "")))

    @property
    def example(self) -> str:
        return self.parts.get("Example") or self.parts.get("Examples") or ""


def entries() -> Iterator[tuple[str, list[Entry]]]:
    """Every public name, by the module that a user imports it from."""
    for module in ("sharewell", *(f"sharewell.{kind}" for kind in KINDS)):
        public = import_module(module)
        names = [name for name in public.__all__ if not inspect.ismodule(getattr(public, name))]
        yield module, [found for name in names for found in _entry(name, getattr(public, name))]


def _entry(name: str, thing: Any) -> Iterator[Entry]:
    """A function; or a class with the methods of its own that people call."""
    text, parts = _split(inspect.getdoc(thing) or "")
    yield Entry(name=name, thing=thing, text=text, parts=parts)
    if inspect.isclass(thing):
        for method, made in vars(thing).items():
            if not method.startswith("_") and inspect.isfunction(made):
                text, parts = _split(inspect.getdoc(getattr(thing, method)) or "")
                yield Entry(name=f"{name}.{method}", thing=made, text=text, parts=parts)


def _split(doc: str) -> tuple[str, dict[str, str]]:
    """The text, and what stands under each heading."""
    pieces = re.split(rf"^({'|'.join(PARTS)}):[ \t]*$", doc, flags=re.M)
    heads, bodies = pieces[1::2], pieces[2::2]
    return pieces[0].strip(), {head: inspect.cleandoc(body) for head, body in zip(heads, bodies, strict=True)}


def _named(body: str) -> Iterator[tuple[str, str]]:
    """`name: what it is`, which may go on over several indented lines."""
    for item in re.split(r"\n(?=\S)", body):
        name, _, meaning = item.partition(":")
        if meaning:
            yield name.split("(")[0].strip(), " ".join(meaning.split())


def page() -> str:
    """The whole page in Markdown."""
    told = [
        "# The Python API",
        "",
        "Made from the docstrings of the program. `import sharewell as sw` comes first everywhere.",
        "",
    ]
    for module, found in entries():
        title = "Results" if module == "sharewell" else f"`sw.{module.partition('.')[2]}`"
        about = inspect.getdoc(import_module(module)) or ""
        told += [f"## {title}", "", about.partition("\n")[0], ""]
        for entry in found:
            told += _told(entry, module)
    return "\n".join(told)


def _told(entry: Entry, module: str) -> list[str]:
    prefix = "sw." if module == "sharewell" else f"sw.{module.partition('.')[2]}."
    told = [f"### `{prefix}{entry.name}`", "", "```python", f"{prefix}{entry.name}{_signature(entry.thing)}", "```", ""]
    told += [entry.text, ""]
    for head, body in entry.parts.items():
        told += [f"**{head}**", ""]
        if head in NAMED:
            told += [*(f"- `{name}`: {meaning}" for name, meaning in _named(body)), ""]
        elif head.startswith("Example"):
            told += ["```python", body, "```", ""]
        else:
            told += [body, ""]
    return told


def _signature(thing: Any) -> str:
    """The parameters without their types, which the text explains better."""
    shown = inspect.signature(thing)
    bare = [one.replace(annotation=inspect.Parameter.empty) for one in shown.parameters.values() if one.name != "self"]
    return str(shown.replace(parameters=bare, return_annotation=inspect.Signature.empty))


def problems() -> list[str]:
    """What a user would miss: a name without words, a parameter without meaning, a function without an example."""
    found = []
    for module, listed in entries():
        for entry in listed:
            where = f"{module}.{entry.name}"
            if not entry.text:
                found.append(f"{where}: no docstring")
            if inspect.isfunction(entry.thing) and "." not in entry.name:
                wanted = set(inspect.signature(entry.thing).parameters)
                found += [
                    f"{where}: parameter {name} is not documented" for name in sorted(wanted - set(entry.arguments))
                ]
                found += [] if entry.example else [f"{where}: no example"]
    return found


def on_files(files: Any, config: Any) -> Any:
    """mkdocs: one page more, which stands in no folder."""
    from mkdocs.structure.files import File

    files.append(File.generated(config, "api.md", content=page()))
    return files
