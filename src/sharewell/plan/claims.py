"""What a file may be, seen from the columns: the words behind a first plan, and how a kind claims a file as its own.

Names are cut into words without accents and compared with lists in several languages. Each kind's `kind.py` looks at
the columns and answers with a `Guess`, or with None; the surest guess wins, and a person corrects it.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property

from sharewell.plan.questions import Question

LISTS = ("text", "direct", "quasi", "sensitive", "peers", "ids", "keep", "drop")

# what a name may mean → its words
WORDS: Mapping[str, str] = {
    "student": (
        "student students learner user users userid uid participant subject subjectid pupil sid "
        "person applicant author actor sender matrikel matrikelnummer matriculation etudiant "
        "eleve schuler schueler studierende alumno estudiante studente aluno teilnehmer benutzer "
        "nutzer utilisateur usuario member typist anon studentid stidstd stid matrikelnr matricula matricule "
        "ogrenci ogrencino apprenant expediente carnet legajo kullanici gebruiker leerling utente"
    ),
    "peer": "receiver recipient mentioned peer replyto empfanger destinataire destinatario",
    "id": (
        "id ids uuid guid key code number nr no num numero nummer identifier kennung matrikelnr matricula ogrencino lfd"
    ),
    "email": "email mail emailaddress courriel correo eposta",
    "phone": "phone telephone tel mobile telefon handy telefono cell",
    "person": (
        "firstname lastname surname fullname familyname givenname forename middlename nickname "
        "nick vorname nachname familienname prenom apellido apellidos cognome "
        "sobrenome imie nazwisko username login applicantname studentname displayname affected betroffen betroffene "
        "userfullname sisloginid nomcomplet nombrecompleto nomecompleto fullname vollstandiger soyad soyadi adsoyad "
        "tamadi isim etkilenen afectado afetado coinvolto betrokken achternaam voornaam"
    ),
    "name": "name nom names nombre nome naam",
    "birth": ("birth birthdate birthday birthdate dob geburtsdatum geburtstag naissance nacimiento nascita born"),
    "address": ("street strasse address adresse direccion indirizzo rue ip ipaddress ssn passport iban homepage url"),
    "demographic": (
        "age alter edad sex gender geschlecht sexe sexo genero genre postcode zip zipcode plz "
        "postal origin country nationality region city town location herkunft nationalitat pays "
        "pais ethnicity race ethnie marital education employment job occupation beruf school "
        "schule ecole language sprache famsize pstatus medu fedu mjob fjob guardian imd band "
        "citizenship residence program programme major studiengang cohort semester fachsemester studiensemester "
        "department abteilung faculty institution institute fachbereich fakultat institut departement departamento "
        "facultad section klasse schulklasse muttersprache bolum fakulte"
    ),
    "sensitive": (
        "disability disabled behinderung handicap discapacidad health illness diagnosis religion "
        "income orientation probation plagiarism risk pregnancy medical dalc walc romantic "
        "forderbedarf foerderbedarf nachteilsausgleich"
    ),
    "outcome": (
        "grade grades mark marks score passed pass result results final gpa cgpa outcome note "
        "noten bestanden nota calificacion resultat target achiever dropout withdrawn total points punkte puntos "
        "punteggio pontos real percentage prozent calificaciones puntaje puan notu vize butunleme"
    ),
    "time": (
        "time timestamp date datetime at when created timecreated zeit zeitpunkt datum uhrzeit "
        "heure fecha hora ora data submitted start elapsed visited zaman tarih tijd"
    ),
    "item": "item problem question exercise task aufgabe frage ejercicio exercice assessment quiz object",
    "personal": (
        "age alter edad sex gender geschlecht sexe sexo genero ethnicity race marital nationality birth medu fedu"
    ),
    "people": (
        "student students learner learners user users participant participants roster people enrolment enrollment "
        "enrolments enrollments grade grades gradebook mark marks result results exam exams person persons teilnehmer "
        "studierende etudiants alumnos studenti notes noten log logs events clicks"
    ),
    "skill": "skill skills kc concept topic standard",
    "correct": "correct correctness iscorrect richtig korrekt outcome right acierto corriger",
    "key": "key keycode letter taste touche tecla character char",
    "press": "press down pressed keydown",
    "release": "release released up keyup",
    "session": "session section exercise sentence trial attempt task assignment sitzung",
    "course": "course module presentation program programme kurs modul cours curso class sinif",
    "verb": (
        "verb event action activity component origin device module log context type page site "
        "course presentation category ereignis komponente aktion ereignisname ereigniskontext evenement evento "
        "composant componente origen origine herkunft controller tool eventname target gebeurtenis etkinlik olay "
        "bilesen kaynak"
    ),
    "text": (
        "text message body post comment content subject title nachricht beitrag kommentar mensaje "
        "texto entry answer discussion input betreff"
    ),
}


COMPOUNDS = ("grade", "score", "note", "punkte", "semester", "nummer", "datum")  # the last part of a word says it
UNCOMPOSED = str.maketrans({"ß": "ss", "ı": "i", "ø": "o", "ł": "l", "æ": "ae"})  # letters that no accent is taken off


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
    markers: tuple[str, ...] = ()  # cells that often stand for no value
    cells: frozenset[str] = frozenset()  # some of the different ones
    row_named: str | None = None  # a column that numbers the rows, in which every cell of this one is found
    fractions: bool = False  # numbers of which some have decimals
    meant: str = ""  # the name in English, where the format says so

    @cached_property
    def parts(self) -> frozenset[str]:
        words = words_of(self.meant or self.name)
        return frozenset([*words, *(ending for word in words for ending in COMPOUNDS if word.endswith(ending))])

    def named(self, *meanings: str) -> bool:
        """Whether a word of the name is listed under one of the meanings."""
        return any(self.parts & set(WORDS[meaning].split()) for meaning in meanings)

    @property
    def numbers_only(self) -> bool:
        """Whether all words of the name mean a number: "ID number", "Número de ID"."""
        words = set(words_of(self.meant or self.name)[:-1]) - {"de", "del", "of"}
        return len(words) > 1 and words <= set(WORDS["id"].split())

    @property
    def counts_rows(self) -> bool:
        """Whether the cells count from one on."""
        return self.spread == 1 and {str(number) for number in range(1, len(self.cells) + 1)} == self.cells

    @property
    def spread(self) -> float:
        """Distinct values per filled cell: one where every cell differs."""
        return self.distinct / max(self.filled, 1)

    def cells_in(self, known: Set[str]) -> float:
        """The share of some of its cells that are among the known ones, however they are written."""
        return len({cell.casefold() for cell in self.cells} & known) / max(len(self.cells), 1)


def words_of(name: str) -> list[str]:
    """The words of a column's name in lower case without accents, and the name as one word."""
    plain = unicodedata.normalize("NFKD", name.translate(UNCOMPOSED))
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
    split = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", plain).lower()
    words = [word for word in re.split(r"[^a-z]+", split) if word]
    return [*words, "".join(words)]


FEW_CODES = 5  # different cells of a column that only sorts: an address has more
FEW_MARKS = 10  # different marks that many students share


@dataclass
class Guess:
    """One file: its kind, the columns with a role of their own, the lists, and the reason for each.

    `surety` orders the guesses of several kinds: how many columns fit what only this kind has.
    """

    file: str
    kind: str
    why: str
    surety: int = 0
    settings: dict[str, tuple[str, str]] = field(default_factory=dict)  # key → what the plan says, and why
    decide: list[Question] = field(default_factory=list)  # what only a person can say
    settle: "Settle" = field(default=lambda found, columns: None)  # the kind's last word once every column has a role
    numbers_students: bool = False  # one row for each: what numbers the rows numbers students
    roles: dict[str, str] = field(default_factory=dict)  # role → column
    lists: dict[str, list[str]] = field(default_factory=lambda: {name: [] for name in LISTS})
    reasons: dict[str, str] = field(default_factory=dict)  # column → reason
    places: "Places" = field(default=lambda column: iter(()))  # roles for the columns that the kind does not need

    def give(self, role: str, column: Looks, reason: str) -> None:
        self.reasons[column.name] = reason
        if role in self.lists:
            self.lists[role].append(column.name)
        else:
            self.roles[role] = column.name

    def move(self, role: str, name: str, to: str, reason: str) -> None:
        """A column from one list to another."""
        self.lists[role].remove(name)
        self.lists[to].append(name)
        self.reasons[name] = reason

    def has(self, column: Looks) -> bool:
        return column.name in self.reasons


Settle = Callable[["Guess", Sequence["Looks"]], None]
Places = Callable[[Looks], Iterator[tuple[str, str]]]
Claim = Callable[[str, Sequence[Looks], Looks | None], Guess | None]  # file, columns, the student's column


def first(columns: Sequence[Looks], meaning: str) -> Looks | None:
    """The first column that is named so and holds no long text."""
    return next((column for column in columns if column.named(meaning) and column.words <= 8), None)


def time_of(columns: Sequence[Looks]) -> Looks | None:
    """Named and read as a time, else read as one; a count of days by that name will do."""
    said = [column for column in columns if column.named("time") and not column.named("birth")]
    read = [column for column in columns if column.date > 0.9 and not column.named("birth", "id")]
    both = [column for column in said if column in read]
    days = [column for column in said if column.number > 0.9]
    return next(iter([*both, *read, *days]), None)


def is_text(column: Looks) -> bool:
    """Written by a person: several words per cell that hardly repeat, or a name that says so."""
    written = column.words >= 4 or (column.named("text") and column.words >= 2)
    said = column.named("text") and column.words >= 10  # a short text that repeats is the title of a thread
    return written and column.number < 0.5 and column.date < 0.5 and (column.spread > 0.3 or said)


def row_numbers(column: Looks) -> Iterator[tuple[str, str]]:
    """Numbers of rows, threads or items, for kinds whose rows are not students."""
    row_id = column.named("id") or (column.spread > 0.9 and column.words < 2 and column.number == 0)
    if row_id and column.distinct > 20:
        yield "ids", "looks like numbers of rows, threads or items"
