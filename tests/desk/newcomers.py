"""What three newcomers bring: a Moodle course with its grade book, a German class list with a forum, OULAD's folder."""

import csv
import random
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from pathlib import Path

FIRST = ("Ada", "Bola", "Chen", "Dina", "Emre", "Fatou", "Goran", "Hana", "Ivo", "Jun", "Kofi", "Lena", "Mila", "Noor")
LAST = ("Adeyemi", "Berglund", "Costa", "Dialloh", "Eriksen", "Fischbach", "Garciano", "Haddad", "Ivanovic", "Jansson")
ACTIVITIES = (
    ("Quiz: Loops", "Quiz", "Quiz attempt viewed"),
    ("Quiz: Loops", "Quiz", "Quiz attempt submitted"),
    ("File: Slides 1", "File", "Course module viewed"),
    ("File: Slides 2", "File", "Course module viewed"),
    ("Forum: Questions", "Forum", "Discussion viewed"),
    ("Course: Introduction to Programming", "System", "Course viewed"),
    ("Assignment: Turtle", "Assignment", "A submission has been submitted."),
)
SAID = (
    "Wie viele Aufgaben der zweiten Woche sollen wir bis Freitag abgeben?",
    "Die Schleife endet bei mir nie, obwohl die Bedingung stimmt.",
    "Danke {first}, mit deinem Hinweis läuft das Programm jetzt.",
    "Hat jemand verstanden, warum die Liste am Ende leer ist?",
    "{first} hat in der Übung gezeigt, wie man das besser schreibt.",
    "Der Test schlägt fehl, wenn die Eingabe eine Null enthält.",
    "Ich finde die Aufgabe zur Rekursion schwerer als die davor.",
)


def table(
    path: Path, header: Sequence[str], rows: Iterable[Sequence[object]], *, delimiter: str = ",", end: str = "\n"
) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter, lineterminator=end)
        writer.writerow(header)
        writer.writerows(rows)


def people(many: int) -> list[tuple[str, str]]:
    return [(FIRST[who % len(FIRST)], LAST[who // len(FIRST) % len(LAST)]) for who in range(many)]


def moodle_course(folder: Path, *, students: int, events: int, seed: int = 5) -> None:
    """A live log (lines end in CR, times have no year) and the grade book of the same students."""
    folder.mkdir(parents=True, exist_ok=True)
    draw, start = random.Random(seed), datetime(2025, 3, 3, 8)
    who = people(students)
    weights = [draw.uniform(0.6, 1.4) for _ in who]
    rows = []
    for _ in range(events):
        person = draw.choices(range(students), weights)[0]
        at = start + timedelta(days=draw.randrange(10) * 7 + draw.choice((0, 0, 0, 2, 4)), minutes=draw.randrange(600))
        context, component, event = draw.choice(ACTIVITIES)
        name, number = " ".join(who[person]), 100 + person
        told = f"The user with id '{number}' did something in the course with id '7'."
        rows.append(
            (at, (f"{at.day} {at:%B}, {at:%H:%M}", name, "-", context, component, event, told, "web", "10.0.0.1"))
        )
    rows.sort(key=lambda row: row[0], reverse=True)
    header = "Time,User full name,Affected user,Event context,Component,Event name,Description,Origin,IP address"
    table(folder / "logs_intro.csv", header.split(","), (cells for _, cells in rows), end="\r")
    header = (
        "First name,Last name,ID number,Institution,Department,Email address,Quiz: Loops (Real),Course total (Real)"
    )
    marks = (
        (first, last, 100 + number, "", draw.choice(("Biology", "Physics")), f"{first}.{last}@example.edu".lower(),
         draw.choice((4, 6, 8, 10)), draw.choice((40, 50, 60, 70, 80, 90)))
        for number, (first, last) in enumerate(who)
    )  # fmt: skip
    table(
        folder / "grades_intro.csv",
        [*header.split(","), "Last downloaded from this course"],
        ([*row, 1741000000] for row in marks),
    )


def class_list_and_forum(folder: Path, *, students: int = 40, posts: int = 129, seed: int = 5) -> None:
    """A German class list, and a forum whose writers go by its numbers."""
    folder.mkdir(parents=True, exist_ok=True)
    draw, who = random.Random(seed), people(students)
    listed = (
        (f"{7000 + number}", last, first, draw.choice(("w", "m")), draw.choice(("19", "20", "21")),
         draw.choice(("Informatik", "Lehramt")), draw.choice(("1,7", "2,3", "3,0")))
        for number, (first, last) in enumerate(who)
    )  # fmt: skip
    header = "Matrikelnr.;Nachname;Vorname;Geschlecht;Alter;Studiengang;Note"
    table(folder / "Kursliste.csv", header.split(";"), listed, delimiter=";")
    start = datetime(2025, 4, 7, 9)
    written = (
        (number, f"{7000 + draw.randrange(students)}", f"{start + timedelta(hours=7 * number):%d.%m.%Y %H:%M}",
         draw.choice(SAID).format(first=draw.choice(who)[0]))
        for number in range(posts)
    )  # fmt: skip
    table(folder / "Forum.csv", ["Beitrag", "Matrikelnr.", "Datum", "Nachricht"], written, delimiter=";")


def oulad_folder(folder: Path, *, students: int = 60, seed: int = 5) -> None:
    """Five of OULAD's tables in its layout, for invented students of two presentations."""
    folder.mkdir(parents=True, exist_ok=True)
    draw = random.Random(seed)
    course = ("AAA", "2013J")
    assessments = [
        (1752 + number, kind, 19 + 30 * number, 20) for number, kind in enumerate(("TMA", "TMA", "CMA", "Exam"))
    ]
    table(folder / "courses.csv", ("code_module", "code_presentation", "module_presentation_length"), [(*course, 268)])
    header = ["code_module", "code_presentation", "id_assessment", "assessment_type", "date", "weight"]
    table(folder / "assessments.csv", header, ((*course, *one) for one in assessments))
    header = [
        "code_module",
        "code_presentation",
        "id_student",
        "gender",
        "region",
        "highest_education",
        "imd_band",
        "age_band",
        "num_of_prev_attempts",
        "studied_credits",
        "disability",
        "final_result",
    ]
    ids = [11391 + 37 * number for number in range(students)]
    infos = (
        (*course, who, draw.choice("MF"), draw.choice(("Scotland", "Wales")), draw.choice(("A Level", "HE")),
         draw.choice(("0-10%", "?", "90-100%")), draw.choice(("0-35", "35-55")), draw.choice((0, 1)),
         draw.choice((60, 120)), draw.choice("NNNY"), draw.choice(("Pass", "Fail", "Withdrawn")))
        for who in ids
    )  # fmt: skip
    table(folder / "studentInfo.csv", header, infos)
    header = ["id_assessment", "id_student", "date_submitted", "is_banked", "score"]
    done = (
        (one, who, date + draw.randrange(-3, 4), 0, draw.randrange(40, 100))
        for who in ids
        for one, _, date, _ in assessments
    )
    table(folder / "studentAssessment.csv", header, done)
    header = ["code_module", "code_presentation", "id_student", "id_site", "date", "sum_click"]
    clicks = (
        (*course, who, 546652 + draw.randrange(4), 7 * draw.randrange(8), draw.randrange(1, 6))
        for who in ids for _ in range(25)
    )  # fmt: skip
    table(folder / "studentVle.csv", header, clicks)
