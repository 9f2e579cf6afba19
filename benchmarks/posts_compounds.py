"""How many names of a roster stay in the forms that people and programs give them, and whether the re-check sees them.

    python benchmarks/posts_compounds.py [--seeds 1 2 3]

Protocol. Rosters of 150 people (names at random from the lists of the fiction and from the census);
each person is mentioned once in every form of FORMS, in one sentence each, with a word or a number at random; the posts
of each form are redacted by themselves. "Left" is what a reader of the redacted text sees: the given name or surname,
if it is no everyday word, or both as one, in the place of its mention (known from where it was written, by no search).
The re-check of a release counts on the same texts.
"""

import argparse
import html
import itertools
import re
import unicodedata
from collections.abc import Callable

import numpy as np
import pyarrow as pa
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from sharewell import posts
from sharewell.data import engine
from sharewell.fiction.name_lists import NAMES
from sharewell.posts.measure.roster_left import words_left
from sharewell.text.word_lists import english, surname_ranks

PEOPLE = 150
WORDS = ("team", "fan", "vote", "love", "ask", "homework", "project", "dump", "thanks", "report", "best", "group")
LOOK_ALIKE = str.maketrans("aeopcx", "аеорсх")
FORMS: dict[str, Callable[[str, str, str, int], str]] = {
    "#MariaLopez": lambda given, family, word, number: f"#{given}{family}",
    "#marialopez": lambda given, family, word, number: f"#{given}{family}".lower(),
    "#MARIALOPEZ": lambda given, family, word, number: f"#{given}{family}".upper(),
    "#TeamMaria": lambda given, family, word, number: f"#{word.title()}{given}",
    "#lopezfan": lambda given, family, word, number: f"#{family}{word}".lower(),
    "#fanlopezteam": lambda given, family, word, number: f"#{word}{family}team".lower(),
    "maria99": lambda given, family, word, number: f"{given}{number}".lower(),
    "LopezMaria_hw3.pdf": lambda given, family, word, number: f"{family}{given}_hw{number}.pdf",
    "homework_lopez.docx": lambda given, family, word, number: f"{word}_{family}.docx".lower(),
    "maria.lopez at uni": lambda given, family, word, number: f"{given}.{family} at the uni".lower(),
    "askMaria()": lambda given, family, word, number: f"{word}{given}()",
    "hwMARIALopez": lambda given, family, word, number: f"hw{given.upper()}{family}",
    "mlopez7": lambda given, family, word, number: f"{given[0]}{family}{number}".lower(),
    "lopezm": lambda given, family, word, number: f"{family}{given[0]}".lower(),
    "DrLopez": lambda given, family, word, number: f"Dr{family}",
    "M. Lopez": lambda given, family, word, number: f"{given[0]}. {family}",
    "get_maria()": lambda given, family, word, number: f"`get_{given}()`".lower(),
    "$x_{Lopez}$": lambda given, family, word, number: f"$x_{{{family}}}$",
    "\\nmaria": lambda given, family, word, number: f'"hi\\n{given}\\t{family}"'.lower(),
    "D:\\Lopez": lambda given, family, word, number: f"D:\\{family}\\{word}.txt",
    "Lo-\\npez": lambda given, family, word, number: f"{family[:2]}-\n{family[2:]}",
    "L o p e z": lambda given, family, word, number: " ".join(family),
    "l.o.p.e.z": lambda given, family, word, number: ".".join(family.lower()),
    "<b>L</b>opez": lambda given, family, word, number: f"<b>{family[0]}</b>{family[1:]}",
    "Ma\\u200bria": lambda given, family, word, number: f"{given[:2]}\u200b{given[2:]}",
    "&#76;opez": lambda given, family, word, number: f"&#{ord(family[0])};{family[1:]}",
    "\\u004copez": lambda given, family, word, number: f"\\u{ord(family[0]):04x}{family[1:]}",
    "wide letters": lambda given, family, word, number: "".join(chr(ord(letter) + 0xFEE0) for letter in _plain(family)),
    "lookalike letters": lambda given, family, word, number: _plain(family).translate(LOOK_ALIKE),
    "l0p3z": lambda given, family, word, number: _plain(family).translate(str.maketrans("oiea", "0134")),
    "lopez😀": lambda given, family, word, number: f"{family}😀{given}".lower(),
    "Mariaaaa": lambda given, family, word, number: f"{given}{given[-1] * 4}",
    "marias": lambda given, family, word, number: f"{given}s".lower(),
    "lopezden": lambda given, family, word, number: f"{family}den".lower(),
    "Lopezowi": lambda given, family, word, number: f"{family}owi",
    "lopezsche": lambda given, family, word, number: f"{family}sche".lower(),
    "mariaji": lambda given, family, word, number: f"{given}ji".lower(),
}


def roster(seed: int) -> list[tuple[str, str]]:
    """People with names of the fiction and, every second one, of the census."""
    draw = np.random.default_rng(seed)
    given = [name for names in NAMES.values() for name in (*names.girls, *names.boys)]
    family = [name for names in NAMES.values() for name in names.families]
    census = sorted(english().first), sorted(surname_ranks())
    people = [(str(draw.choice(given)), str(draw.choice(family))) for _ in range(PEOPLE // 2)]
    people += [(str(draw.choice(census[0])).title(), str(draw.choice(census[1])).title()) for _ in range(PEOPLE // 2)]
    return [pair for pair in people if all(part.isalpha() and len(part) > 3 for part in pair)]


def mentions(people: list[tuple[str, str]], seed: int) -> tuple[list[str], list[str]]:
    """Sentences with one mention each, and the form of each."""
    draw = np.random.default_rng([seed, 1])
    texts, forms = [], []
    for (given, family), (form, write) in itertools.product(people, FORMS.items()):
        texts.append(f"I saw {write(given, family, str(draw.choice(WORDS)), int(draw.integers(2, 99)))} yesterday")
        forms.append(form)
    return texts, forms


def left(text: str, given: str, family: str) -> bool:
    """Whether the name can still be read in its own sentence; everyday words count only together."""
    text = html.unescape(re.sub(r"\\u([\da-f]{4})", lambda code: chr(int(code[1], 16)), text))
    read = "".join(letter for letter in _plain(text.replace("[NAME]", "|")) if letter.isalpha() or letter == "|")
    parts = _plain(given), _plain(family)
    return any(part in read for part in parts if not english().is_everyday(part)) or "".join(parts) in read


def _plain(text: str) -> str:
    """The text in plain lower-case letters, with Latin ones for those that look alike."""
    text = unicodedata.normalize("NFKD", text.lower().replace("ı", "i").replace("ł", "l").replace("ø", "o"))
    alike = {code: chr(letter) for letter, code in LOOK_ALIKE.items()}
    return "".join(alike.get(ord(letter), letter) for letter in text if not unicodedata.combining(letter))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, nargs="*", default=[1, 2, 3])
    given = parser.parse_args()
    rows = {form: np.zeros(4, int) for form in FORMS}
    for seed in given.seeds:
        people = roster(seed)
        cells = [" ".join(person) for person in people]
        texts, forms = mentions(people, seed)
        for form, row in rows.items():
            frame = pa.table({"message": [text for text, of in zip(texts, forms, strict=True) if of == form]})
            clean = posts.redact(frame, roster=cells)
            stays = [left(text, *one) for text, one in zip(clean["message"].to_pylist(), people, strict=True)]
            seen = [sum(words_left(engine.table(of), ["message"], cells, english()).values()) for of in (frame, clean)]
            row += len(people), sum(stays), *seen
    table = Table("written as", "mentions", "left", "entries the re-check finds before", "after")
    for form, row in rows.items():
        table.add_row(escape(form), *map(str, row))
    table.add_row("all", *map(str, sum(rows.values())))
    Console(width=100).print(table)


if __name__ == "__main__":
    main()
