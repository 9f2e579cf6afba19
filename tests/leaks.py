"""Looks for planted identifiers in everything that a run shows or writes."""

import csv
import gzip
import io
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow.parquet as pq

WORDS = re.compile(r"[^\W_]+")
SCRIPTS = re.compile(r"<script\b.*?</script>|<style\b.*?</style>", re.S)


def leaked(texts: Iterable[str], identifiers: Iterable[str]) -> set[str]:
    """The identifiers that occur as whole tokens, in any case, in any of the texts."""
    lines = [" ".join(WORDS.findall(text.lower())) for text in texts]
    tokens = {token for line in lines for token in line.split()}
    everything = f" {' | '.join(lines)} "
    found = set()
    for identifier in identifiers:
        parts = WORDS.findall(identifier.lower())
        if parts and parts[0] in tokens and f" {' '.join(parts)} " in everything:
            found.add(identifier)
    return found


def texts_of(folder: Path) -> Iterator[str]:
    """Every decoded cell and text of a release: CSV, Parquet and gzip opened, the report without its scripts."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield from _texts(path.name, path.read_bytes())


def _texts(name: str, content: bytes) -> Iterator[str]:
    if name.endswith(".gz"):
        yield from _texts(name.removesuffix(".gz"), gzip.decompress(content))
    elif name.endswith(".parquet"):
        table = pq.read_table(io.BytesIO(content))
        yield str(table.schema.metadata)
        for column in table.column_names:
            yield from {str(value) for value in table[column].unique().to_pylist()} | {column}
    elif name.endswith(".csv"):
        for row in csv.reader(io.StringIO(content.decode())):
            yield from row
    else:
        yield SCRIPTS.sub(" ", content.decode())


def bytes_of(folder: Path) -> bytes:
    """Every byte of a release, with packed formats opened as well."""
    raw = b"\n".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())
    return raw + "\n".join(texts_of(folder)).encode()
