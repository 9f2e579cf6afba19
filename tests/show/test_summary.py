"""summary.json: every entry is described, a schema is stated, and what earlier versions wrote still reads."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from release_findings import PROMISED, passing, records, refused
from release_writers import plan_of, summary_json

from sharewell.contract import Risk
from sharewell.data import versions
from sharewell.data.files import to_json
from sharewell.disclosure import disclose
from sharewell.release import papers, rewritten, stated
from sharewell.release import summary as summaries
from sharewell.release.papers import Malformed
from sharewell.show import report

PAGE = Path(__file__).parents[2] / "docs" / "summary-json.md"
OBJECTS = {  # where each kind of object of the page stands
    "A file": ("files",), "A risk": ("files.risk_before", "files.risk_after", "linkage"),
    "A utility": ("files.utility",),
    "A measure": ("files.risk_after.measure", "files.utility.measure", "files.curve.risk", "files.curve.utility"),
    "A change": ("files.changes",), "The curve": ("files.curve",), "A point": ("files.curve.points",),
    "The plan": ("plan",), "The release": ("",),
}  # fmt: skip
TYPES: Mapping[str, tuple[type, ...]] = {
    "text": (str,), "number": (int, float), "whole number": (int,), "true or false": (bool,), "list": (list,),
    "object": (dict,), "null": (type(None),),
}  # fmt: skip


def described() -> dict[str, dict[str, str]]:
    """The entries of the page with their types, object by object."""
    parts = re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.M)[1:]
    rows = {part.splitlines()[0]: re.findall(r"^\| `(\w+)` \| ([^|]+?) \|", part, re.M) for part in parts}
    return {title: dict(entries) for title, entries in rows.items()}


def kinds_of(type_: str) -> list[str]:
    """The types that one entry of the page allows."""
    return re.findall("true or false|whole number|text|number|list|object|null", type_)


def at(place: str, content: Any) -> Iterator[dict[str, Any]]:
    """Every object at a place; lists are gone through."""
    if isinstance(content, list):
        for part in content:
            yield from at(place, part)
    elif content is not None and place:
        name, _, rest = place.partition(".")
        yield from at(rest, content[name])
    elif content is not None:
        yield content


def written() -> list[dict[str, Any]]:
    plan = json.loads(to_json(summaries.stated_plan(plan_of(passing()))))
    return [{**json.loads(summary_json(made())), "plan": plan} for made in (passing, refused)]


@pytest.mark.parametrize("title", OBJECTS)
def test_every_entry_is_described_and_has_the_type_that_is_described(title: str) -> None:
    entries = described()[title]
    found = [one for summary in written() for place in OBJECTS[title] for one in at(place, summary)]
    assert found
    for one in found:
        assert set(one) == set(entries)
        for name, value in one.items():
            assert type(value) in {type_ for kind in kinds_of(entries[name]) for type_ in TYPES[kind]}, (name, value)


def test_the_page_describes_nothing_else() -> None:
    assert set(described()) == set(OBJECTS)


def an_earlier(summary: Mapping[str, Any]) -> dict[str, Any]:
    """As it was written before there was a schema: no number, no promises."""
    older = json.loads(json.dumps({name: part for name, part in summary.items() if name != "schema"}))
    for one in at("files.risk_after.measure", older):
        del one["promise"]
    return dict(older)


def test_a_summary_without_a_schema_reads_as_ever_and_its_pages_are_not_compared() -> None:
    summary, listed = written()[0], {"versions": versions.installed()}
    older = an_earlier(summary)
    for one in (summary, older):
        papers.check_summary(one, {file["data"]: "" for file in one["files"]})
    assert rewritten.note(summary, listed) == []
    assert (
        rewritten.problems(Path("nowhere"), older, listed) == [] and "not compared" in rewritten.note(older, listed)[0]
    )
    again = summaries.findings(older, seed=3)
    assert [risk.value for risk in again.files[0].after] == [risk.value for risk in disclose(passing()).files[0].after]
    text = report.render(again, summaries.verdict(older), plan=plan_of(passing()), identifier="abc")
    assert PROMISED not in text[: text.index('id="records-students"')] and "9 measured limits" in text


def test_a_summary_reads_back_as_it_was_written() -> None:
    summary = written()[0]
    again = summaries.findings(summary, seed=3)
    assert json.loads(to_json(summaries.summary(again, summaries.verdict(summary)))) == {
        name: part for name, part in summary.items() if name != "plan"
    }


@pytest.mark.parametrize(("schema", "said"), [(3, "reads up to 2"), ("2", "not what it must be"), (0, "not what")])
def test_a_schema_that_nobody_here_knows_is_refused_in_a_sentence(schema: object, said: str) -> None:
    summary = {**written()[0], "schema": schema}
    with pytest.raises(Malformed, match=said):
        papers.check_summary(summary, {file["data"]: "" for file in summary["files"]})


def test_a_promise_that_the_file_does_not_bear_out_is_a_problem() -> None:
    summary = json.loads(summary_json(replace(passing(), files=(records(),), linkage=())))
    shown = [("records.students", risk) for risk in records().after if risk.gate]

    def problems(measured: list[tuple[str, Risk]]) -> list[str]:
        return [problem for problem in stated.problems(summary, {}, measured) if "the promise of" in problem]

    assert problems(shown) == []
    assert problems(shown[:1]) == ["records.students: the promise of l is not what the finished file shows"]
    other = replace(shown[0][1], story=PROMISED.replace("6 others", "3 others"))
    assert problems([("records.students", other), shown[1]]) == [
        "records.students: the promise of k is not what the finished file shows"
    ]
