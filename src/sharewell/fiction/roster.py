"""The people of the course: who they are on paper, and the hidden traits that drive everything they do."""

from dataclasses import dataclass, replace
from datetime import date, timedelta

import numpy as np
import pyarrow as pa

from sharewell.fiction.name_lists import NAMES
from sharewell.fiction.names import ORIGINS, Person, draw_names, draw_origins, nickname, plain
from sharewell.fiction.term import START
from sharewell.stats.arrays import Array

DISABILITIES = ("dyslexia", "adhd", "hearing", "vision", "mobility", "chronic illness")
_DISABLED = 0.18
_TOWN_CODES = 24
_CANARIES = 3
_INSTRUCTORS = 4


@dataclass(frozen=True, kw_only=True)
class Traits:
    """What nobody sees directly: one number per student, in the order of the roster."""

    ability: Array  # θ of the Rasch model
    activity: Array  # standard normal
    night_owl: Array  # bool
    experience: Array  # bool: has programmed before the course
    speed: Array  # log of the typing pace, standard normal


@dataclass(frozen=True, kw_only=True)
class Roster:
    """The students as a table, as people with names, and as traits."""

    table: pa.Table
    people: tuple[Person, ...]
    instructors: tuple[Person, ...]
    traits: Traits
    birth_dates: tuple[date, ...]
    canaries: tuple[str, ...]

    @property
    def ids(self) -> pa.Array:
        return self.table["student_id"].combine_chunks()

    def take(self, chosen: Array) -> "Roster":
        """The roster of some students only, in the order given."""
        return replace(
            self,
            table=self.table.take(pa.array(chosen)),
            people=tuple(self.people[index] for index in chosen),
            traits=Traits(**{name: values[chosen] for name, values in vars(self.traits).items()}),
            birth_dates=tuple(self.birth_dates[index] for index in chosen),
        )


def make_roster(rng: np.random.Generator, students: int) -> Roster:
    """Draw the students, their names and numbers, and the traits behind their work."""
    traits = _draw_traits(rng, students)
    ids = [f"s{number:07d}" for number in rng.choice(10_000_000, size=students, replace=False)]
    sex = rng.choice(["f", "m", "x"], size=students, p=[0.49, 0.5, 0.01])
    origins = draw_origins(rng, students)
    people = _draw_people(rng, ids, origins, np.where(sex == "x", rng.random(students) < 0.5, sex == "f"))
    people, canaries = _plant_canaries(rng, people)
    births, ages = _draw_births(rng, students)
    grade = _draw_grades(rng, traits, ages)
    table = pa.table(
        {
            "student_id": ids,
            "name": [person.full for person in people],
            "email": [person.email for person in people],
            "birth_date": [birth.isoformat() for birth in births],
            "age": ages,
            "sex": sex.tolist(),
            "postcode": _draw_postcodes(rng, students),
            "origin": _draw_regions(rng, origins),
            "disability": _draw_disabilities(rng, students),
            "grade": grade,
            "passed": np.where(grade >= 50, "yes", "no").tolist(),
        }
    )
    staff = _draw_people(
        rng,
        [f"t{number:07d}" for number in rng.choice(10_000_000, size=_INSTRUCTORS, replace=False)],
        rng.choice(len(ORIGINS), size=_INSTRUCTORS, replace=False),
        np.arange(_INSTRUCTORS) % 2 == 0,
    )
    return Roster(
        table=table,
        people=people,
        instructors=staff,
        traits=traits,
        birth_dates=births,
        canaries=canaries,
    )


def canary(rng: np.random.Generator) -> str:
    """A word that occurs nowhere else in the world."""
    return "zq" + "".join(rng.choice(list("bcdfghjkmnpqrtvwxz23456789"), size=14))


def _draw_traits(rng: np.random.Generator, students: int) -> Traits:
    ability, own_activity, own_experience, own_speed = rng.standard_normal((4, students))
    experience = 0.5 * ability + own_experience > 0.3
    return Traits(
        ability=ability,
        activity=0.4 * ability + np.sqrt(1 - 0.4**2) * own_activity,
        night_owl=rng.random(students) < 0.15,
        experience=experience,
        speed=own_speed,
    )


def _draw_people(rng: np.random.Generator, ids: list[str], origins: Array, female: Array) -> tuple[Person, ...]:
    given, family, full = draw_names(rng, origins, female)
    styles, numbers = rng.random(len(ids)), rng.integers(10, 100, size=len(ids))
    taken: dict[str, int] = {}
    people = []
    for index, number in enumerate(ids):
        local = _local_part(given[index], family[index], styles[index])
        taken[local] = taken.get(local, 0) + 1
        local += str(taken[local]) if taken[local] > 1 else ""
        short = plain(given[index].split()[-1]).lower().replace("-", "").replace("'", "")
        people.append(
            Person(
                id=number,
                given=given[index],
                family=family[index],
                full=full[index],
                nickname=nickname(given[index]),
                email=f"{local}@student.example.edu" if number[0] == "s" else f"{local}@staff.example.edu",
                handle=f"@{short}{'_' if styles[index] < 0.5 else ''}{numbers[index]}",
                origin=ORIGINS[origins[index]],
            )
        )
    return tuple(people)


def _local_part(given: str, family: str, style: float) -> str:
    first, last = ("".join(c for c in plain(text).lower() if c.isalnum()) for text in (given, family))
    if not last:
        return f"{first}.student"
    return f"{first}.{last}" if style < 0.6 else f"{first[0]}{last}" if style < 0.85 else f"{last}.{first}"


def _plant_canaries(rng: np.random.Generator, people: tuple[Person, ...]) -> tuple[tuple[Person, ...], tuple[str, ...]]:
    """A few students get an e-mail address that cannot occur anywhere by chance."""
    words = tuple(canary(rng) for _ in range(_CANARIES))
    chosen = rng.choice(len(people), size=_CANARIES, replace=False)
    changed = list(people)
    for index, word in zip(chosen, words, strict=True):
        changed[index] = replace(people[index], email=f"{word}@student.example.edu")
    return tuple(changed), words


def _draw_births(rng: np.random.Generator, students: int) -> tuple[tuple[date, ...], Array]:
    first_day = START.astype("datetime64[D]").item()
    years = 18 + np.minimum(rng.gamma(1.0, 3.0, size=students), 42)
    births = tuple(first_day - timedelta(days=int(days)) for days in years * 365.25 + 1)
    before = [(birth.month, birth.day) > (first_day.month, first_day.day) for birth in births]
    return births, np.array([first_day.year - birth.year for birth in births]) - np.array(before)


def _draw_postcodes(rng: np.random.Generator, students: int) -> list[str]:
    """Half of the students live in the university's town, the rest in the county and beyond."""
    town = 53_100 + rng.zipf(1.6, size=students) % _TOWN_CODES
    county = 53_200 + 10 * rng.integers(0, 40, size=students)
    beyond = 100 * rng.integers(400, 700, size=students)
    place = rng.random(students)
    return [f"{code:05d}" for code in np.where(place < 0.5, town, np.where(place < 0.85, county, beyond))]


def _draw_regions(rng: np.random.Generator, origins: Array) -> list[str | None]:
    """The region a student comes from follows the name, not always; a few did not say."""
    chance = rng.random(len(origins))
    regions = [NAMES[ORIGINS[origin]].region for origin in origins]
    home = NAMES["english"].region
    return [None if c < 0.02 else home if c < 0.35 else r for c, r in zip(chance, regions, strict=True)]


def _draw_disabilities(rng: np.random.Generator, students: int) -> list[str]:
    shares = [1 - _DISABLED, *(_DISABLED * share for share in (0.34, 0.24, 0.1, 0.1, 0.1, 0.12))]
    drawn = rng.choice(["none", *DISABILITIES], size=students, p=shares)
    return [str(one) for one in drawn]


def _draw_grades(rng: np.random.Generator, traits: Traits, ages: Array) -> Array:
    age_effect = 3 * np.minimum(ages - 20, 8)  # those who come back to study later know why
    grade = 56 + 12 * traits.ability + 5 * traits.activity + age_effect + rng.normal(0, 7, size=len(ages))
    marks: Array = np.clip(np.round(grade), 0, 100).astype(int)
    return marks
