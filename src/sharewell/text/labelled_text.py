"""Real text in which somebody labelled the names: CoNLL (WNUT), CRAPII and PIILO, and Presidio's synthetic sentences.

Each reader gives posts (one column, `message`) and the mentions in them, as a fictional course does.
"""

import gzip
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pyarrow as pa

from sharewell.errors import InputError

_PERSON = {"person", "per", "name_student", "name"}
_OTHER = {"location", "loc", "gpe", "street_address", "address", "organization", "org"}
_NUMBERS, _WORDS = ("row", "start", "end"), ("column", "type", "origin")
_MENTION = pa.schema([*((name, pa.int64()) for name in _NUMBERS), *((name, pa.string()) for name in _WORDS)])
Span = tuple[int, int, str]
Texts = tuple[pa.Table, pa.Table]


def read(path: Path) -> Texts:
    """Read any of the formats, recognised by its content."""
    raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    if raw.lstrip()[:1] not in (b"[", b"{"):
        return conll(path)
    try:
        entries = json.loads(raw)
        return _tables(_essay(entry) if "tokens" in entry else _sentence(entry) for entry in entries)
    except (KeyError, TypeError, ValueError) as problem:
        raise InputError(
            "expected labelled text: CoNLL, CRAPII or PIILO, or Presidio's sentences", file=path
        ) from problem


def conll(path: Path, *, every_label: bool = False) -> Texts:
    """A token and its tag per line, a blank line between texts; the tokens are joined with blanks.

    `every_label` keeps labels that name nobody (products, works) under their own names, for measurements.
    """
    raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    sentences = _sentences(raw.decode().split("\n"))
    return _tables(_joined(tokens, [True] * len(tokens), every_label=every_label) for tokens in sentences)


def _sentences(lines: Iterable[str]) -> Iterator[list[tuple[str, str]]]:
    tokens: list[tuple[str, str]] = []
    for line in lines:
        token, _, rest = line.partition("\t")
        if token.strip():
            tokens.append((token, rest.split("\t")[0].strip()))
        elif tokens:
            yield tokens
            tokens = []
    if tokens:
        yield tokens


def _joined(
    tokens: Sequence[tuple[str, str]], spaced: Sequence[bool], *, every_label: bool = False
) -> tuple[str, list[Span]]:
    text, spans = "", []
    for (token, tag), space in zip(tokens, spaced, strict=True):
        label = tag[2:] if tag[1:2] == "-" else ""
        kind = _kind(label) or (label if every_label else "")
        if kind:
            spans.append((len(text), len(text) + len(token), kind))
        text += token + " " * space
    return text, spans


def _essay(entry: dict[str, list[str]]) -> tuple[str, list[Span]]:
    """CRAPII and PIILO: tokens, whether a blank follows each, and labels in BIO."""
    spaced = [bool(blank) for blank in entry["trailing_whitespace"]]
    return _joined(list(zip(entry["tokens"], entry["labels"], strict=True)), spaced)


def _sentence(entry: dict[str, object]) -> tuple[str, list[Span]]:
    """Presidio's research data: the full text and spans in it."""
    spans: list[Span] = []
    for span in entry["spans"]:  # type: ignore[attr-defined]
        kind = _kind(str(span["entity_type"]))
        if kind:
            spans.append((int(span["start_position"]), int(span["end_position"]), kind))
    return str(entry["full_text"]), spans


def _kind(label: str) -> str:
    return "person-name" if label.lower() in _PERSON else "town" if label.lower() in _OTHER else ""


def _tables(texts: Iterable[tuple[str, list[Span]]]) -> Texts:
    written, rows = [], []
    for number, (text, spans) in enumerate(texts):
        written.append(text)
        rows += [
            {"row": number, "column": "message", "start": start, "end": end, "type": kind, "origin": ""}
            for start, end, kind in spans
        ]
    return pa.table({"message": pa.array(written, pa.string())}), pa.Table.from_pylist(rows, schema=_MENTION)
