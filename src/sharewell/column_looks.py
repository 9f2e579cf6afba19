"""What a column looks like, by its name and by its content: the evidence behind a first plan.

Names are cut into words without accents and compared with lists in several languages; contents are measured
on the first rows by one query per file. Nothing here decides: inspect_folder does, and a person corrects it.
"""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property

import ibis
from ibis.expr.types import StringColumn, Table

from sharewell.engine import connection
from sharewell.formats.dates import DATE_LIKE, SECONDS_1990, SECONDS_2100

SAMPLE = 50_000

# what a name may mean → its words
WORDS: Mapping[str, str] = {
    "student": (
        "student students learner user users userid uid participant subject subjectid pupil sid "
        "person applicant author actor sender matrikel matrikelnummer matriculation etudiant "
        "eleve schuler schueler studierende alumno estudiante studente aluno teilnehmer benutzer "
        "nutzer utilisateur usuario member typist anon"
    ),
    "peer": "receiver recipient mentioned peer replyto empfanger destinataire destinatario",
    "id": "id ids uuid guid key code number nr num numero nummer identifier kennung",
    "email": "email mail emailaddress courriel correo",
    "phone": "phone telephone tel mobile telefon handy telefono cell",
    "person": (
        "firstname lastname surname fullname familyname givenname forename middlename nickname "
        "nick vorname nachname familienname prenom nombre apellido apellidos nome cognome "
        "sobrenome imie nazwisko username login applicantname studentname displayname"
    ),
    "name": "name nom names",
    "birth": ("birth birthdate birthday birthdate dob geburtsdatum geburtstag naissance nacimiento nascita born"),
    "address": ("street strasse address adresse direccion indirizzo rue ip ipaddress ssn passport iban homepage url"),
    "demographic": (
        "age alter edad sex gender geschlecht sexe sexo genero genre postcode zip zipcode plz "
        "postal origin country nationality region city town location herkunft nationalitat pays "
        "pais ethnicity race ethnie marital education employment job occupation beruf school "
        "schule ecole language sprache famsize pstatus medu fedu mjob fjob guardian imd band "
        "citizenship residence program programme major studiengang cohort semester"
    ),
    "sensitive": (
        "disability disabled behinderung handicap discapacidad health illness diagnosis religion "
        "income orientation probation plagiarism risk pregnancy medical dalc walc romantic"
    ),
    "outcome": (
        "grade grades mark marks score passed pass result results final gpa cgpa outcome note "
        "noten bestanden nota calificacion resultat target achiever dropout withdrawn"
    ),
    "time": (
        "time timestamp date datetime at when created timecreated zeit zeitpunkt datum uhrzeit "
        "heure fecha hora data submitted start"
    ),
    "item": "item problem question exercise task aufgabe frage ejercicio exercice assessment quiz",
    "skill": "skill skills kc concept topic standard",
    "correct": "correct correctness iscorrect richtig korrekt outcome right acierto corriger",
    "key": "key keycode letter taste touche tecla character char",
    "press": "press down pressed keydown",
    "release": "release released up keyup",
    "session": "session section exercise sentence trial attempt task sitzung",
    "course": "course module presentation program programme kurs modul cours curso class",
    "verb": (
        "verb event action activity component origin device module log context type page site "
        "course presentation category ereignis komponente aktion"
    ),
    "text": (
        "text message body post comment content subject title nachricht beitrag kommentar mensaje "
        "texto entry answer discussion input betreff"
    ),
}
_EMAIL = r"^[^@\s]+@[^@\s]+\.[A-Za-z]{2,}$"
_PHONE = r"^'?\+?[0-9(][0-9 ()/.-]{6,18}[0-9]$"
_PERSON = r"^\p{Lu}[\p{Ll}'’]+(?:[ -]\p{Lu}[\p{L}'’.]*){1,3}$"


@dataclass(frozen=True, kw_only=True)
class Looks:
    """One column: its name, and shares of its cells that fit a pattern, over the first rows."""

    name: str
    rows: int
    filled: int
    distinct: int
    words: float  # mean words per cell
    email: float
    phone: float
    person: float
    number: float
    date: float

    @cached_property
    def parts(self) -> frozenset[str]:
        return frozenset(words_of(self.name))

    def named(self, *meanings: str) -> bool:
        """Whether a word of the name is listed under one of the meanings."""
        return any(self.parts & set(WORDS[meaning].split()) for meaning in meanings)

    @property
    def spread(self) -> float:
        """Distinct values per filled cell: one where every cell differs."""
        return self.distinct / max(self.filled, 1)


def words_of(name: str) -> list[str]:
    """The words of a column's name in lower case without accents, and the name as one word."""
    plain = unicodedata.normalize("NFKD", name.replace("ß", "ss"))
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
    split = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", plain).lower()
    words = [word for word in re.split(r"[^a-z]+", split) if word]
    return [*words, "".join(words)]


def looks(table: Table) -> list[Looks]:
    """Every column of a table, measured on its first rows in one query."""
    sample = table.limit(SAMPLE)
    measures = {}
    for place, name in enumerate(table.columns):
        text = sample[name].cast("string").strip()
        for measure, value in _measures(text).items():
            measures[f"{place} {measure}"] = value
    found = connection().to_pyarrow(sample.aggregate(rows=sample.count(), **measures)).to_pylist()[0]
    names = [item.name for item in fields(Looks) if item.name not in ("name", "rows")]
    return [
        Looks(
            name=column,
            rows=found["rows"],
            **{name: found[f"{place} {name}"] or 0 for name in names},
        )
        for place, column in enumerate(table.columns)
    ]


def _measures(text: StringColumn) -> dict[str, ibis.Value]:
    number = text.try_cast("float64")
    epoch = number.between(SECONDS_1990, SECONDS_2100) | number.between(SECONDS_1990 * 1e3, SECONDS_2100 * 1e3)
    dated = text.re_search(DATE_LIKE)
    return {
        "filled": text.count(),
        "distinct": text.nunique(),
        "words": text.re_replace(r"\S+", "x").re_replace(r"\s", "").length().mean(),
        "email": _share(text.re_search(_EMAIL)),
        "phone": _share(text.re_search(_PHONE) & ~dated & (text.re_search(r"^'?\+|[ ()/-]"))),
        "person": _share(text.re_search(_PERSON)),
        "number": _share(number.notnull()),
        "date": _share(dated | epoch.fill_null(False)),
    }


def _share(condition: ibis.Value) -> ibis.Value:
    return condition.cast("float64").mean()
