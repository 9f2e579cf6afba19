"""Names of columns, files and releases stay names: no tag, link, picture, cell or colour comes of them."""

import ast
import re
import unicodedata
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt
from release_findings import passing
from release_writers import WRITERS, held, plan_of, printed

from sharewell.contract import Change, Count
from sharewell.disclosure import disclose
from sharewell.findings import Findings
from sharewell.release.gate import judge
from sharewell.show import datasheet, escape, terminal

SHOW = Path(escape.__file__).parent

HOSTILE = {
    "tag": "<b>bold</b>", "script": "<script>alert(1)</script>", "picture": "<img src=x onerror=alert(1)>",
    "open tag": "<a href=//evil.example", "comment": "<!-- gone", "end of comment": "-->", "entity": "&lt;b&gt;",
    "numbered entity": "&#60;b&#62;", "processing": "<?php echo 1 ?>", "declaration": "<!DOCTYPE html>",
    "cdata": "<![CDATA[x]]>", "style": "<style>*{display:none}</style>", "frame": "<iframe src=//evil.example>",
    "link": "[click](https://evil.example)", "script link": "[click](javascript:alert(1))",
    "reference": "[click][1]", "definition": "[1]: javascript:alert(1)", "shortcut": "[evil]", "footnote": "[^1]",
    "image": "![x](https://evil.example/pixel.png)", "autolink": "<https://evil.example>",
    "script autolink": "<javascript:alert(1)>", "bare address": "https://evil.example", "bare www": "www.evil.example",
    "bare domain": "evil.example.com", "bare script": "javascript:alert(1)", "mail": "somebody@evil.example",
    "data address": "data:text/html,<script>alert(1)</script>", "bar": "a|b", "two bars": "||x||",
    "escaped bar": "a\\|b", "backslash": "a\\", "backtick": "a`b", "backticks": "``a```b`", "only backticks": "```",
    "backtick and tag": "`<b>x</b>`", "backtick and bar": "`|`<i>x", "emphasis": "*a* **b** _c_ __d__",
    "strike": "~~a~~", "heading": "# heading", "list": "- item", "numbered list": "1. item", "quote": "> quote",
    "rule": "---", "double rule": "===", "fence": "~~~", "newline": "a\n# b", "two newlines": "a\n\n<b>b</b>",
    "carriage return": "a\r\n- b", "line separator": "a\u2028<b>b", "form feed": "a\x0cb",
    "attributes": "a{: onclick=x}",
    "formula": "$\\href{javascript:alert(1)}{x}$", "rich markup": "[red]x[/red]", "rich link": "[link=https://evil]x[/]",
    "unclosed markup": "[/nothing]", "emoji": ":warning:", "colour": "\x1b[31mred\x1b[0m", "title": "\x1b]0;evil\x07",
    "screen": "\x1b[2J\x1b[H", "hyperlink": "\x1b]8;;https://evil.example\x1b\\x\x1b]8;;\x1b\\", "c1": "\x9b31mred",
    "bell": "a\x07b", "backspace": "safe\x08\x08evil", "nul": "a\x00b", "delete": "a\x7fb",
    "turned direction": "csv.\u202eevil", "isolate": "\u2066evil\u2069", "lone surrogate": "a\ud800b",
    "byte order": "\ufeffa", "quotes": "\"'><b>", "template": "{{ 7*7 }}{% raw %}",
}  # fmt: skip
TAGS = {"h1", "h2", "h3", "p", "ul", "li", "table", "thead", "tbody", "tr", "th", "td", "strong", "code", "em"}


class Seen(HTMLParser):
    """The tags of a page, and its words."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.words = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attributes}

    def handle_data(self, text: str) -> None:
        self.words += text


def named(name: str) -> Findings:
    """A release in which everything that a plan or a file can name has this name."""
    first = passing().files[0]
    change = Change(columns=(name,), action="dropped", detail=name, reason=name, cells=Count(9))
    risks = tuple(replace(risk, attacker=name, story=name, setting={name: name}) for risk in first.after)
    assert first.curve is not None
    points = tuple(replace(point, label=name) for point in first.curve.points)
    file = replace(
        first, file=name, after=risks, changes=(change,), curve=replace(first.curve, points=points, strength=name),
        utility=tuple(replace(one, story=name, setting={name: name}) for one in first.utility),
    )  # fmt: skip
    return replace(passing(), release=name, files=(file,))


def sheet(name: str) -> str:
    findings = named(name)
    plan = plan_of(findings, description=name, license=name, contact=name, citation=name)
    return datasheet.render(plan, disclose(findings), held(disclose(findings), (name, "plain")), identifier="abc")


def rendered(text: str) -> Seen:
    """As a careless viewer would: HTML let through, tables and strikes on."""
    return Seen(MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(text))


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_name_stays_text_in_the_datasheet(name: str) -> None:
    plain, seen = rendered(sheet("plain")), rendered(sheet(name))
    assert set(seen.tags) <= TAGS and "href" not in seen.attributes and "src" not in seen.attributes
    structure = [tag for tag in seen.tags if tag != "code"]
    assert structure == [tag for tag in plain.tags if tag != "code"]  # the same rows, cells and headings
    for word in escape.terminal(name).split():
        assert word in seen.words


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_nothing_that_a_viewer_would_link_by_itself_stands_outside_of_code(name: str) -> None:
    text = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", sheet(name))
    assert not re.search(r"https?:|javascript:|data:text|www\.|@evil|evil\.example", text)


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_name_stays_text_in_the_terminal(name: str) -> None:
    findings = named(name)
    shown = disclose(findings)
    out = printed(lambda: terminal.show_outcome(shown, judge(findings), report=Path("x"), notes=[name]))
    out += printed(lambda: terminal.show_assessment(shown)) + printed(lambda: terminal.show_curves(shown, page=Path()))
    out += printed(lambda: terminal.show_verification([(name, risk) for risk in shown.files[0].after], [name]))
    out += printed(lambda: terminal.show_candidates([(name, 0.5, 9)]))
    strange = {letter for letter in out if letter != "\n" and unicodedata.category(letter) in ("Cc", "Cf", "Cs")}
    assert strange == set()
    letters = [letter for letter in escape.terminal(name) if not letter.isspace()]
    assert not letters or "".join(letters[:3]) in re.sub(r"\s", "", out)


@pytest.mark.parametrize("writer", ["report.html", "explore.html", "notebook"])
@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_name_stays_text_in_pages(name: str, writer: str) -> None:
    plain, seen = (Seen(WRITERS[writer](named(one))) for one in ("plain", name))
    assert seen.tags == plain.tags and seen.attributes == plain.attributes


def test_the_table_of_names_is_long_enough() -> None:
    assert len(set(HOSTILE.values())) == len(HOSTILE) >= 40


def templates() -> list[Path]:
    return sorted((SHOW / "templates").glob("*.j2"))


@pytest.mark.parametrize("path", templates(), ids=lambda path: path.name)
def test_a_template_never_lets_anything_through_unescaped(path: Path) -> None:
    text = path.read_text()
    assert not re.search(r"\|\s*safe\b|autoescape|Markup|\bxmlattr\b", text)
    for tag in re.findall(r"<[a-z][^<>]*\{\{[^<>]*>", text):  # what stands in a tag stands in quotes
        assert re.fullmatch(r"""<[a-z0-9]+(?:\s+[\w-]+="[^"]*"|\s*\{%[^%]*%\}|\s+[\w-]+)*\s*/?>""", _quiet(tag)), tag
    for script in re.findall(r"<script[^>]*>(.*?)</script>", text, re.S):
        assert all("tojson" in hole for hole in re.findall(r"\{\{(.*?)\}\}", script))


def _quiet(tag: str) -> str:
    """Quotes inside of a hole do not end the attribute around it."""
    return re.sub(r"\{\{.*?\}\}", "x", re.sub(r"\{%.*?%\}", " ", tag))


@pytest.mark.parametrize("path", sorted(SHOW.glob("*.py")), ids=lambda path: path.name)
def test_markup_is_made_of_literals_alone(path: Path) -> None:
    """`Markup("…").format(…)` escapes what is filled in; `Markup(f"…")` would not."""
    calls = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
    made = [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "Markup"]
    assert all(isinstance(argument, ast.Constant) for call in made for argument in call.args)


def test_everything_that_the_terminal_prints_is_cleaned_text() -> None:
    """Arguments of print and add_row are tables or made by `_text`; never a bare string."""
    tree = ast.parse((SHOW / "terminal.py").read_text())
    offences = [
        ast.unparse(call)
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and getattr(call.func, "attr", "") in ("print", "add_row", "add_column")
        for argument in call.args
        if not _cleaned(argument)
    ]
    assert offences == []


def _cleaned(argument: Any) -> bool:
    if isinstance(argument, ast.BinOp):
        return _cleaned(argument.left) and _cleaned(argument.right)
    if isinstance(argument, ast.Starred):
        return ast.unparse(argument.value).startswith("map(_text,")
    if isinstance(argument, ast.Name):
        return argument.id == "table"
    makers = ("_text", "_named", "_limit", "_mark", "_one_line", "_assessed", "_risk_table", "_curve_table")
    return isinstance(argument, ast.Call) and getattr(argument.func, "id", "") in makers
