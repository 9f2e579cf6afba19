"""How many names of a roster stay where they are written together with other words, and whether the re-check sees them.

    python benchmarks/posts_compounds.py [--seeds 1 2 3]

Protocol. Rosters of 150 people (names at random from the lists of the fiction and from the census);
each person is mentioned once in every form of FORMS, in one sentence each, with a word or a number at random. "Left" is
what a reader of the redacted text sees: the given name or surname, if it is no ordinary word, or both as one, in the
place of its mention (known from where it was written, by no search). The re-check of a release counts on the same text.
"""

import argparse
import itertools
from collections.abc import Callable

import numpy as np
import pyarrow as pa
from rich.console import Console
from rich.table import Table

from sharewell import posts
from sharewell.data import engine
from sharewell.fiction.name_lists import NAMES
from sharewell.posts.measure.roster_left import words_left
from sharewell.text.word_lists import english, surname_ranks

PEOPLE = 150
WORDS = ("team", "fan", "vote", "love", "ask", "homework", "project", "dump", "thanks", "report", "best", "group")
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
    """Whether the name can still be read in its own sentence; ordinary words count only together."""
    lower, parts = text.lower(), (given.lower(), family.lower())
    return any(part in lower for part in parts if not english().is_ordinary(part)) or "".join(parts) in lower


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, nargs="*", default=[1, 2, 3])
    given = parser.parse_args()
    all_of, stays = dict.fromkeys(FORMS, 0), dict.fromkeys(FORMS, 0)
    before = after = 0
    for seed in given.seeds:
        people = roster(seed)
        cells = [" ".join(person) for person in people]
        texts, forms = mentions(people, seed)
        frame = pa.table({"message": texts})
        clean = posts.redact(frame, roster=cells)
        for text, form, person in zip(
            clean["message"].to_pylist(), forms, [one for one in people for _ in FORMS], strict=True
        ):
            all_of[form] += 1
            stays[form] += left(text, *person)
        before += sum(words_left(engine.table(frame), ["message"], cells, english()).values())
        after += sum(words_left(engine.table(clean), ["message"], cells, english()).values())
    table = Table("written as", "mentions", "left")
    for form in FORMS:
        table.add_row(form, str(all_of[form]), str(stays[form]))
    table.add_row("all", str(sum(all_of.values())), str(sum(stays.values())))
    Console(width=100).print(table)
    print(f"the re-check finds {before:,} entries before and {after:,} after")


if __name__ == "__main__":
    main()
