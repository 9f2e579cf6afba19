"""Which name finder this is: hashes of its model and tables, and the versions of the packages that hold word lists."""

import hashlib
from collections.abc import Mapping
from functools import cache
from importlib import metadata, resources

WORD_PACKAGES = ("names", "english-words", "phonenumberslite")
_ARRAYS = ("names.npz", "evidence.npz", "languages.npz", "rarer.npz", "famous.npz")
TABLES = (*_ARRAYS, "places.tsv", "triples.json", "unspaced.json", "nicknames.txt", "words.txt")


@cache
def identity() -> Mapping[str, str]:
    """What the finder works with, for the manifest of a release."""
    folder = resources.files("sharewell.text").joinpath("tables")
    hashes = {name: hashlib.sha256(folder.joinpath(name).read_bytes()).hexdigest() for name in TABLES}
    return {**hashes, **{package: metadata.version(package) for package in WORD_PACKAGES}}
