"""manifest.json and summary.json read back: bounded, parsed strictly, and of the shape that `verify` relies on.

What a release says of itself is what an attacker would write; nothing here is believed before it has the right type.
"""

import json
import re
from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from typing import Any

from sharewell import kinds
from sharewell.plan import date_layouts
from sharewell.plan.audience_limits import AUDIENCES
from sharewell.plan.formats import FORMATS
from sharewell.release.linkage.file import LISTS
from sharewell.release.summary import SCHEMA

MOST_BYTES = 32_000_000
DEEPEST = 40
LONGEST = 4_000  # characters of a name or an attacker's description
BRACKETS = re.compile(r"\"(?:[^\"\\]|\\.)*+\"|[\[\]{}]")
LONGEST_LABEL = 60
MOST_APPROVALS = 10
FARTHEST = 10**11  # seconds: where a count of times may begin
DIGEST = re.compile(r"[0-9a-f]{64}")
IDENTIFIER = re.compile(r"[0-9a-f]{6,64}(-[0-9]{1,4})?")

Check = Callable[[Any], bool]


class Malformed(Exception):
    """What is wrong with a paper, as a sentence; carries no value out of it."""


def parse(content: bytes) -> Mapping[str, Any]:
    """A JSON object: UTF-8, no name twice, no NaN, not deeper than any paper is."""
    try:
        text = content.decode("utf-8")
        if _depth(text) > DEEPEST:
            raise Malformed("is nested too deep")
        found = json.loads(text, object_pairs_hook=_named_once, parse_constant=_refuse_constant)
    except UnicodeDecodeError:
        raise Malformed("is not text in UTF-8") from None
    except (ValueError, RecursionError):  # a number of thousands of digits is a ValueError as well
        raise Malformed("is not valid JSON") from None
    if not isinstance(found, dict):
        raise Malformed("is not a JSON object")
    return found


def check_manifest(found: Mapping[str, Any]) -> None:
    """What a manifest must say, each of the right type."""
    _require(found, "id", lambda value: _is_text(value) and bool(IDENTIFIER.fullmatch(value)))
    _require(found, "files", _is_listing)
    _require(found, "versions", lambda value: isinstance(value, dict) and all(map(_is_text, value.values())))
    _require(found, "measurement_seed", _is_whole)
    _require(found, "binds", _is_binding)
    _require(found, "approvals", lambda value: _is_whole(value) and 0 <= value <= MOST_APPROVALS)


def check_summary(found: Mapping[str, Any], listed: Mapping[str, str]) -> None:
    """What a summary must say, and that its files are files of the release."""
    schema = found.get("schema", 1)  # the first one had no number
    if not _is_whole(schema) or schema < 1:
        raise Malformed("the entry 'schema' is not what it must be")
    if schema > SCHEMA:
        raise Malformed(f"has schema {schema}; this version reads up to {SCHEMA}: install a newer one")
    _require(found, "release", _is_text)
    _require(found, "audience", lambda value: value in AUDIENCES)
    _require(found, "join", lambda value: isinstance(value, bool))
    _require(found, "passed", lambda value: value is True)
    _require(found, "reasons", lambda value: isinstance(value, list))
    _require(found, "linkage", _is_tables)
    _require(found, "files", lambda value: _is_tables(value) and bool(value))
    labels = set()
    for place, file in enumerate(found["files"], start=1):
        _check_file(file, place, listed)
        labels.add((file["kind"], file["name"], file["data"]))
    if len(labels) < len(found["files"]):
        raise Malformed("names a file twice")


def _check_file(file: Mapping[str, Any], place: int, listed: Mapping[str, str]) -> None:
    where = f"of file {place} "
    _require(file, "kind", lambda value: value in kinds.names(), where)
    _require(file, "name", _is_label, where)
    _require(file, "data", lambda value: _is_data(value, listed), where)
    _require(file, "format", lambda value: _is_text(value) and value.partition(".")[0] in FORMATS, where)
    _require(file, "rows", lambda value: _is_whole(value) and value >= 0, where)
    _require(file, "synthetic", lambda value: isinstance(value, bool), where)
    for name in ("facts", "limits"):
        _require(file, name, _is_table, where)
    for name in ("risk_after", "changes", "failures"):
        _require(file, name, _is_tables, where)
    _require({"dates": {}, **file}, "dates", _is_dates, where)  # releases of older versions have none
    _require(file, "linkable", lambda value: value is None or _is_linkable(value), where)


def _require(found: Mapping[str, Any], name: str, fits: Check, where: str = "") -> None:
    if name not in found:
        raise Malformed(f"the entry '{name}' {where}is missing")
    if not fits(found[name]):
        raise Malformed(f"the entry '{name}' {where}is not what it must be")


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value) <= LONGEST


def _is_dates(value: Any) -> bool:
    """How columns write their times: a layout that a plan could name, its year and where counting begins."""
    if not _is_table(value) or not all(map(_is_table, value.values())):
        return False
    return all(
        _is_text(how.get("layout"))
        and (how.get("year") is None or (_is_whole(how["year"]) and 0 < how["year"] < 10_000))
        and (how.get("first_month") is None or (_is_whole(how["first_month"]) and 0 < how["first_month"] < 13))
        and _is_whole(how.get("start"))
        and abs(how["start"]) < FARTHEST
        and date_layouts.comes_back(how["layout"])
        and date_layouts.problem(how["layout"], how["year"]) is None
        for how in value.values()
    )


def _is_label(value: Any) -> bool:
    """As the sections of a plan are named: letters, digits, - and _."""
    return _is_text(value) and len(value) <= LONGEST_LABEL and value.replace("_", "").replace("-", "").isalnum()


def _is_table(value: Any) -> bool:
    return isinstance(value, dict)


def _is_tables(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_table, value))


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63


def _is_digest(value: Any) -> bool:
    return isinstance(value, str) and bool(DIGEST.fullmatch(value))


def _is_binding(value: Any) -> bool:
    """Keyed digests of plan, findings and inputs."""
    if not _is_table(value) or not _is_table(value.get("inputs")):
        return False
    return all(map(_is_digest, [value.get("plan"), value.get("findings"), *value["inputs"].values()]))


def _is_listing(value: Any) -> bool:
    return isinstance(value, dict) and all(_is_inside(name) and _is_digest(sum_) for name, sum_ in value.items())


def _is_inside(name: str) -> bool:
    path = PurePosixPath(name)
    return 0 < len(name) <= LONGEST and not path.is_absolute() and ".." not in path.parts and path.as_posix() == name


def _is_data(value: Any, listed: Mapping[str, str]) -> bool:
    """A file of the data folder that the manifest lists, or a folder of such files."""
    if not _is_text(value) or not _is_inside(value) or len(PurePosixPath(value).parts) != 2:
        return False
    return value.startswith("data/") and (value in listed or any(name.startswith(f"{value}/") for name in listed))


def _is_linkable(value: Any) -> bool:
    if not _is_table(value) or not _is_text(value.get("student")):
        return False
    return all(isinstance(value.get(name), list) and all(map(_is_text, value[name])) for name in LISTS)


def _depth(text: str) -> int:
    """How deep brackets go outside of texts; counted no further than anything is refused."""
    deepest = depth = 0
    for found in BRACKETS.finditer(text):
        if found[0] in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif found[0] in "]}":
            depth -= 1
        if deepest > DEEPEST:
            break
    return deepest


def _named_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise Malformed("has the same name twice in one object")
    return found


def _refuse_constant(name: str) -> None:
    raise Malformed("holds NaN or Infinity, which JSON does not have")
