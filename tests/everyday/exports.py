"""Exports as stewards have them, each named after the system and version whose form it has; all of it is invented.

An export is a file name and its columns; a column is a function of the row. `LOG` repeats students over days, `TABLE`
has one row each, `SEVERAL` a few rows per student without a time.
"""

import csv
import io
import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl

from sharewell.data.formats.date_words import LANGUAGES

STUDENTS = 24
LOG, TABLE, SEVERAL = 10, 1, 3  # rows per student
FIRST = ("Ada", "Bola", "Chen", "Dina", "Emre", "Fatou", "Goran", "Hana", "Ivo", "Jun", "Kofi", "Lena")
LAST = ("Adeyemi", "Berg", "Costa", "Dia", "Eriksen", "Fischer", "Garcia", "Haddad")


@dataclass(frozen=True)
class Row:
    """One row to be filled: its number, its student, and when it happened."""

    number: int
    student: int
    at: datetime
    draw: np.random.Generator

    def of(self, *choices: str) -> str:
        return choices[int(self.draw.integers(len(choices)))]


Cell = Callable[[Row], Any]


@dataclass(frozen=True)
class Export:
    """A folder with the files of one export, and the kinds of data that a first plan must see in it."""

    system: str
    kinds: tuple[str, ...]
    files: Mapping[str, tuple[int, Mapping[str, Cell]]]
    form: str = "csv"
    delimiter: str = ","
    encoding: str = "utf-8"
    wrap: Callable[[Sequence[Mapping[str, Any]]], str] | None = None

    def write(self, folder: Path) -> None:
        for name, (per_student, columns) in self.files.items():
            rows = [{column: cell(row) for column, cell in columns.items()} for row in _rows(per_student)]
            _write(folder / name, rows, self)


def _rows(per_student: int) -> list[Row]:
    draw = np.random.default_rng(11)
    start = datetime(2017, 5, 1, 8)
    times = np.sort(draw.integers(0, 40 * 24 * 60, STUDENTS * per_student))
    order = draw.permutation(STUDENTS * per_student) % STUDENTS
    return [
        Row(number, int(who), start + timedelta(minutes=int(minute), seconds=number % 60), draw)
        for number, (who, minute) in enumerate(zip(order, times, strict=True), start=1)
    ]


def _write(path: Path, rows: Sequence[Mapping[str, Any]], export: Export) -> None:
    if export.wrap is not None:
        path.write_text(export.wrap(rows), encoding="utf-8")
    elif path.suffix == ".xlsx":
        book = openpyxl.Workbook()
        book.active.append(list(rows[0]))
        for row in rows:
            book.active.append(list(row.values()))
        book.save(path)
    elif path.suffix == ".sqlite":
        with sqlite3.connect(path) as base:
            base.execute(f"CREATE TABLE {path.stem} ({', '.join(rows[0])})")
            marks = ", ".join("?" * len(rows[0]))
            base.executemany(f"INSERT INTO {path.stem} VALUES ({marks})", [tuple(row.values()) for row in rows])
        base.close()
    else:
        text = io.StringIO()
        table = csv.DictWriter(text, list(rows[0]), delimiter=export.delimiter)
        table.writeheader()
        table.writerows(rows)
        path.write_bytes(text.getvalue().encode(export.encoding))


# columns ------------------------------------------------------------------------------------------------------------


def student(form: str = "{}") -> Cell:
    return lambda row: form.format(1000 + row.student)


def first(row: Row) -> str:
    return FIRST[row.student % 12]


def last(row: Row) -> str:
    return LAST[row.student // 3 % 8]


def full(row: Row) -> str:
    return f"{first(row)} {last(row)}"


def listed(row: Row) -> str:
    return f"{last(row)}, {first(row)}"


def mail(row: Row) -> str:
    return f"u{1000 + row.student}@uni.example"


def when(layout: str, language: str = "en") -> Cell:
    words = LANGUAGES[language]

    def cell(row: Row) -> str:
        at = row.at
        named = layout.replace("%B", words.months[at.month - 1]).replace("%b", words.short_months[at.month - 1])
        named = named.replace("%A", words.weekdays[at.weekday()]).replace("%P", f"{at:%p}".lower())
        for letter, value in (
            ("d", at.day),
            ("m", at.month),
            ("H", at.hour),
            ("I", at.hour % 12 or 12),
            ("M", at.minute),
        ):
            named = named.replace(f"%-{letter}", str(value))
        return at.strftime(named)

    return cell


def later(days: int, cell: Cell) -> Cell:
    return lambda row: cell(replace(row, at=row.at + timedelta(days=days)))


def epoch(unit: int) -> Cell:
    return lambda row: int((row.at - datetime(1970, 1, 1)).total_seconds()) * unit


def elapsed(unit: float) -> Cell:
    return lambda row: int((row.at - datetime(2017, 5, 1)).total_seconds() * unit)


def excel(row: Row) -> float:
    return round((row.at - datetime(1899, 12, 30)).total_seconds() / 86_400, 6)


def of(*choices: str) -> Cell:
    return lambda row: row.of(*choices)


def mark(high: int, missing: str = "") -> Cell:
    return lambda row: missing if row.number % 17 == 0 else str(int(row.draw.integers(0, high + 1)))


def number(form: str = "{}") -> Cell:
    return lambda row: form.format(row.number)


def always(value: str) -> Cell:
    return lambda row: value


SENTENCES = (
    "I do not understand the second exercise of this week at all",
    "Could somebody please explain how the loop ends before the list does",
    "Thanks, that was a great help and now my program runs",
    "The lecture of last week was too fast for me to follow",
)


def text(row: Row) -> str:
    return f"{row.of(*SENTENCES)}, question {row.number}."


MOODLE = (
    "User full name",
    "Affected user",
    "Event context",
    "Component",
    "Event name",
    "Description",
    "Origin",
    "IP address",
)


def moodle_log(time: Cell, names: Sequence[str] = MOODLE, at: str = "Time") -> Mapping[str, Cell]:
    cells: tuple[Cell, ...] = (
        full, always("-"), of("Course: Biology 101", "Quiz: Cells", "Forum: News", "File: Reader for the first weeks"),
        of("System", "Quiz", "Forum", "File"), of("Course viewed", "Quiz attempt started", "Discussion viewed"),
        lambda row: f"The user with id '{1000 + row.student}' viewed the course with id '7'.", of("web", "ws"),
        lambda row: f"10.0.0.{row.student}",
    )  # fmt: skip
    return {at: time, **dict(zip(names, cells, strict=True))}


def log(who: str, at: str, time: Cell, **more: Cell) -> Mapping[str, Cell]:
    return {
        who: student("u{}"),
        at: time,
        **{name.replace("_", " ") if name[0].isupper() else name: cell for name, cell in more.items()},
    }


def answers(who: str, item: str, correct: str, values: Sequence[str], **more: Cell) -> Mapping[str, Cell]:
    return {who: student(), item: lambda row: f"q{row.number % 9}", correct: of(*values), **more}


def lines(rows: Sequence[Mapping[str, Any]]) -> str:
    return "\n".join(json.dumps(row["record"]) for row in rows) + "\n"


def record(**make: Any) -> Mapping[str, Cell]:
    return {"record": lambda row: {key: value(row) if callable(value) else value for key, value in make.items()}}


GERMAN = ("Vollständiger Name", "Betroffene Nutzer", "Ereigniskontext", "Komponente", "Ereignisname", "Beschreibung", "Herkunft", "IP-Adresse")  # fmt: skip
FRENCH = ("Nom complet de l'utilisateur", "Utilisateur touché", "Contexte de l'événement", "Composant", "Nom de l'événement", "Description", "Origine", "Adresse IP")  # fmt: skip
SPANISH = ("Nombre completo del usuario", "Usuario afectado", "Contexto del evento", "Componente", "Nombre evento", "Descripción", "Origen", "Dirección IP")  # fmt: skip
ITALIAN = ("Nome completo dell'utente", "Utente coinvolto", "Contesto dell'evento", "Componente", "Nome dell'evento", "Descrizione", "Origine", "Indirizzo IP")  # fmt: skip
PERSON: Mapping[str, Cell] = {
    "gender": of("F", "M"),
    "age": of("19", "20", "21", "22"),
    "country": of("NO", "DE", "GH"),
}


def one(system: str, kind: str, file: str, per: int, columns: Mapping[str, Cell], **form: Any) -> Export:
    return Export(system, (kind,), {file: (per, columns)}, **form)


EXPORTS: tuple[Export, ...] = (
    one("Moodle 2.7 log", "traces", "logs_BIO101.csv", LOG, moodle_log(when("%d/%m/%y, %H:%M"))),
    one("Moodle 3.1 log", "traces", "logs.csv", LOG, moodle_log(when("%-d/%m/%y, %H:%M"))),
    one("Moodle 3.5 live log", "traces", "livelogs.csv", LOG, moodle_log(when("%-d %b, %H:%M"))),
    one("Moodle 3.6 live log over New Year", "traces", "livelogs.csv", LOG, moodle_log(later(220, when("%-d %b, %H:%M")))),
    one("Moodle 3.9 log, United States", "traces", "logs.csv", LOG, moodle_log(when("%-m/%-d/%y, %H:%M"))),
    one("Moodle 4.1 log", "traces", "logs.csv", LOG, moodle_log(when("%-d %B %Y, %-I:%M:%S %p"))),
    one("Moodle 4.3 log, one-digit minutes", "traces", "logs.csv", LOG, moodle_log(when("%d/%m/%Y %-H:%-M"))),
    one("Moodle 3.11 log, German", "traces", "Logdaten.csv", LOG, moodle_log(when("%-d. %B %Y, %H:%M", "de"), GERMAN, "Zeit")),
    one("Moodle 4.0 log, French", "traces", "journaux.csv", LOG, moodle_log(when("%A %-d %B %Y, %H:%M", "fr"), FRENCH, "Heure")),
    one("Moodle 3.8 log, Spanish", "traces", "registros.csv", LOG, moodle_log(when("%-d de %B de %Y, %H:%M", "es"), SPANISH, "Hora")),
    one("Moodle 3.8 log, Italian", "traces", "log.csv", LOG, moodle_log(when("%-d %b %Y, %H:%M", "it"), ITALIAN, "Ora")),
    one("Moodle 3.9 log, workbook", "traces", "logs.xlsx", LOG, moodle_log(when("%d/%m/%y, %H:%M"))),
    one("Moodle 4.2 logstore, database", "traces", "logstore.sqlite", LOG,
        log("userid", "timecreated", epoch(1), eventname=of("viewed", "created"), component=of("core", "mod_quiz"), courseid=always("7"))),
    one("Moodle 3.9 grade book", "records", "grades.csv", TABLE,
        {"First name": first, "Surname": last, "ID number": student(), "Institution": always(""), "Department": of("Bio", "Chem"),
         "Email address": mail, "Quiz: Cells (Real)": mark(10, "-"), "Course total (Real)": mark(100, "-"),
         "Last downloaded from this course": always("1496275200")}),
    one("Moodle 4.1 grade book, workbook", "records", "grades.xlsx", TABLE,
        {"First name": first, "Last name": last, "ID number": always(""), "Email address": mail, "Assignment: Essay (Real)": mark(20, "-"),
         "Course total (Real)": mark(100, "-")}),
    one("Moodle 3.9 quiz grades", "records", "quiz-grades.csv", TABLE,
        {"Surname": last, "First name": first, "Email address": mail, "State": of("Finished", "In progress"),
         "Started on": when("%-d %B %Y  %-I:%M %p"), "Time taken": of("10 mins 3 secs", "9 mins"), "Grade/10.00": mark(10, "-"),
         "Q. 1 /5.00": mark(5, "-"), "Q. 2 /5.00": mark(5, "-")}),
    one("Moodle 3.9 quiz responses", "responses", "quiz-responses.csv", TABLE,
        {"Surname": last, "First name": first, "Email address": mail, "State": always("Finished"), "Grade/2.00": mark(2),
         "Response 1": of("Paris", "Rome"), "Right answer 1": always("Paris"), "Response 2": of("4", "5", "-"), "Right answer 2": always("4")}),
    one("Moodle 3.9 forum", "posts", "discussion.csv", LOG,
        {"id": number(), "discussion": of("4", "5", "6"), "parent": of("0", "1", "2"), "userid": student(), "userfullname": full,
         "created": epoch(1), "modified": epoch(1), "subject": text, "message": text}),
    one("Moodle 4.1 activity completion", "records", "progress.csv", TABLE,
        {"": full, "Email address": mail, "Quiz: Cells": of("Completed", "Not completed"), "Forum: News": of("Completed", "Not completed")}),
    one("Canvas 2020 grade book", "records", "Grades-BIO.csv", TABLE,
        {"Student": listed, "ID": student(), "SIS User ID": student("S{}"), "SIS Login ID": mail, "Section": of("A", "B"),
         "Essay (123)": mark(10), "Final Score": mark(100)}),
    one("Canvas 2023 quiz student analysis", "records", "quiz.csv", TABLE,
        {"name": full, "id": student(), "sis_id": student("S{}"), "section": of("A", "B"), "submitted": when("%Y-%m-%d %H:%M:%S UTC"),
         "attempt": always("1"), "score": mark(10)}),
    one("Canvas Data 2 web_logs", "traces", "web_logs.jsonl", LOG,
        record(key=lambda row: {"id": row.number}, value=lambda row: {"user_id": row.student, "timestamp": f"{row.at:%Y-%m-%dT%H:%M:%SZ}",
               "web_application_controller": row.of("quizzes", "files"), "http_method": row.of("GET", "POST")}, meta={"ts": "x"}), wrap=lines),
    one("Canvas Data 2 submissions", "traces", "submissions.csv", LOG,
        {"id": number(), "user_id": student(), "assignment_id": of("11", "12", "13"), "submitted_at": when("%Y-%m-%dT%H:%M:%SZ"),
         "workflow_state": of("graded", "submitted"), "submission_type": of("online_upload", "online_quiz")}),
    one("Canvas Data 2 enrollments", "records", "enrollments.csv", SEVERAL,
        {"user_id": student(), "course_id": of("7", "8", "9"), "type": always("StudentEnrollment"), "workflow_state": of("active", "completed")}),
    one("Canvas 2022 page views", "traces", "page_views.csv", LOG,
        {"user_id": student(), "created_at": when("%Y-%m-%dT%H:%M:%SZ"), "url": number("https://c.example/{}"), "controller": of("courses", "quizzes"),
         "action": of("show", "index"), "remote_ip": always("10.1.2.3")}),
    one("Blackboard Learn 9.1 grade centre", "records", "gc_BIO.xls", TABLE,
        {"Last Name": last, "First Name": first, "Username": student("u{}"), "Student ID": student(), "Last Access": when("%Y-%m-%d %H:%M:%S"),
         "Availability": always("Yes"), "Total [Total Pts: 100 Score] |1": mark(100)}, delimiter="\t", encoding="utf-16"),
    one("Blackboard Ultra activity", "traces", "activity.csv", LOG,
        log("user_pk1", "timestamp", when("%-m/%-d/%Y %-I:%M %p"), event_type=of("COURSE_ACCESS", "PAGE_ACCESS"), tool=of("quiz", "file"))),
    one("Brightspace 2021 grades", "records", "grades.csv", TABLE,
        {"OrgDefinedId": student("#{}"), "Username": student("u{}"), "Last Name": last, "First Name": first, "Email": mail,
         "Midterm Points Grade": mark(40), "Final Calculated Grade": mark(100), "End-of-Line Indicator": always("#")}),
    one("Brightspace 2022 content progress", "traces", "content.csv", LOG,
        {"UserId": student(), "ContentObjectId": of("1", "2", "3"), "LastVisited": when("%Y-%m-%d %H:%M:%S"), "ToolName": of("Content", "Quiz"),
         "ActionType": of("View", "Complete")}),
    one("Sakai 20 grade book", "records", "gradebook.csv", TABLE,
        {"Student ID": student(), "Student Name": listed, "Essay [10]": mark(10), "Course Grade": of("A", "B", "C")}),
    one("ILIAS 7 results, German", "records", "Ergebnisse.csv", TABLE,
        {"Matrikelnummer": student(), "Nachname": last, "Vorname": first, "Punkte": mark(50), "Note": of("1,3", "2,0", "3,7"), "Bestanden": of("ja", "nein")},
        delimiter=";", encoding="cp1252"),
    one("OpenOLAT 15 log, German", "traces", "Protokoll.csv", LOG,
        {"Benutzer": student("k{}"), "Zeitpunkt": when("%d.%m.%Y %H:%M"), "Aktion": of("gelesen", "abgegeben"), "Komponente": of("Test", "Ordner")}, delimiter=";"),
    one("edX tracking log", "traces", "tracking.jsonl", LOG,
        record(username=student("u{}"), time=when("%Y-%m-%dT%H:%M:%S+00:00"), event_type=of("play_video", "problem_check"), event_source="browser",
               context=lambda row: {"user_id": row.student, "course_id": "X/1"}, ip="10.0.0.1", agent="x", event="{}"), wrap=lines),
    one("edX forum contents", "posts", "contents.jsonl", LOG,
        record(_id=lambda row: {"$oid": f"{row.number:024x}"}, _type="Comment", author_id=student(), author_username=student("u{}"), body=text,
               created_at=lambda row: {"$date": f"{row.at:%Y-%m-%dT%H:%M:%SZ}"}), wrap=lines),
    one("edX grade report", "records", "grade_report.csv", TABLE,
        {"Student ID": student(), "Email": mail, "Username": student("u{}"), "Grade": of("0.1", "0.5", "0.9"), "Enrollment Track": of("audit", "verified"),
         "Certificate Eligible": of("Y", "N")}),
    one("edX student profile", "records", "profile.csv", TABLE,
        {"id": student(), "username": student("u{}"), "name": full, "email": mail, "language": always(""), "location": of("Oslo", "Accra"),
         "year_of_birth": of("1994", "1995"), "gender": of("m", "f"), "level_of_education": of("b", "hs")}),
    one("Coursera 2018 clickstream", "traces", "clicks.csv", LOG,
        {"hashed_user_id": student("h{}"), "server_timestamp": when("%Y-%m-%d %H:%M:%S"), "event_type": of("seek", "pause", "play"), "course_id": always("c")}),
    one("FutureLearn step activity", "traces", "step-activity.csv", LOG,
        {"learner_id": student("l{}"), "step": of("1.1", "1.2", "2.1"), "first_visited_at": when("%Y-%m-%d %H:%M:%S UTC"), "activity": of("video", "quiz")}),
    one("FutureLearn enrolments", "records", "enrolments.csv", TABLE,
        {"learner_id": student("l{}"), "enrolled_at": when("%Y-%m-%d %H:%M:%S UTC"), "role": always("learner"), "gender": of("female", "male", "Unknown"),
         "country": of("GB", "NG"), "age_range": of("18-25", "26-35"), "highest_education_level": of("university_degree", "secondary")}),
    one("FutureLearn comments", "posts", "comments.csv", LOG,
        {"id": number(), "author_id": student("l{}"), "parent_id": of("", "1", "2"), "step": of("1.1", "1.2"), "text": text, "timestamp": when("%Y-%m-%d %H:%M:%S UTC"),
         "likes": mark(5)}),
    one("FutureLearn question responses", "responses", "question-response.csv", LOG,
        answers("learner_id", "quiz_question", "correct", ("true", "false"), submitted_at=when("%Y-%m-%d %H:%M:%S UTC"))),
    Export("OULAD 2017 folder", ("traces", "records"), {
        "courses.csv": (TABLE, {"code_module": of("AAA", "BBB"), "code_presentation": of("2013J", "2014B"), "module_presentation_length": of("268", "269")}),
        "studentVle.csv": (LOG, {"code_module": always("AAA"), "code_presentation": always("2013J"), "id_student": student(), "id_site": of("546", "547"),
                                 "date": lambda row: (row.at - datetime(2017, 5, 10)).days, "sum_click": mark(9)}),
        "studentInfo.csv": (SEVERAL, {"code_module": of("AAA", "BBB"), "code_presentation": of("2013J", "2014B"), "id_student": student(), "gender": of("F", "M"),
                                      "region": of("Wales", "Ireland"), "imd_band": of("10-20", "20-30%", "?"), "disability": of("N", "Y"),
                                      "final_result": of("Pass", "Fail", "Withdrawn")})}),
    one("OULAD 2017 assessments", "traces", "studentAssessment.csv", LOG,
        {"id_assessment": of("1752", "1753"), "id_student": student(), "date_submitted": lambda row: (row.at - datetime(2017, 5, 10)).days,
         "is_banked": always("0"), "score": mark(100, "?")}),
    one("ASSISTments 2009", "responses", "skill_builder.csv", LOG,
        answers("user_id", "problem_id", "correct", ("0", "1"), order_id=number(), skill_id=of("1", "2", "NA"))),
    one("ASSISTments 2012", "responses", "2012.csv", LOG,
        answers("user_id", "problem_id", "correct", ("0", "1"), start_time=when("%Y-%m-%d %H:%M:%S"), skill=of("Area", "Slope"))),
    one("DataShop transactions", "responses", "tx_All.txt", LOG,
        {"Row": number(), "Anon Student Id": student("Stu_{}"), "Session Id": student("s{}"), "Time": when("%Y-%m-%d %H:%M:%S"),
         "Problem Name": of("P1", "P2", "P3"), "Outcome": of("CORRECT", "INCORRECT"), "KC (Default)": of("add", "sub")}, delimiter="\t"),
    one("EdNet KT1", "traces", "kt1.csv", LOG,
        {"user": student("u{}"), "timestamp": epoch(1000), "action_type": of("enter", "respond", "submit"), "item_id": of("q1", "q2", "q3"), "platform": of("web", "mobile")}),
    one("Junyi 2015", "responses", "junyi_ProblemLog.csv", LOG,
        answers("user_id", "exercise", "correct", ("true", "false"), time_done=lambda row: int((row.at - datetime(1970, 1, 1)).total_seconds()) * 1_000_000)),
    one("PISA 2012 log, elapsed", "traces", "CBA_cp025q01_logs12.csv", LOG,
        {"cnt": always("SGP"), "StIDStd": student(), "event": of("click", "START_ITEM", "END_ITEM"), "time": elapsed(10), "event_type": of("drag", "apply")}),
    one("NAEP 2017 exam log", "traces", "exam_log.csv", LOG,
        {"id": student(), "AccessionNumber": of("VH1", "VH2"), "ItemType": of("MCSS", "FillIn"), "Observable": of("Enter Item", "Exit Item"),
         "EventTime": when("%Y-%m-%d %H:%M:%S.000")}),
    one("LimeSurvey 3 with ids, Excel dates", "records", "survey.csv", TABLE,
        {"id": student(), "submitdate": excel, "lastpage": always("5"), "startlanguage": always("en"), "gender": of("f", "m", "x"), "age": of("19", "20", "21")}),
    one("Session log of a spreadsheet", "traces", "sessions.xlsx", LOG,
        {"Student": student("s{}"), "Date": excel, "Activity": of("lab", "lecture", "tutorial"), "Type": of("in person", "online")}),
    one("Stopwatch log, elapsed seconds", "traces", "steps.csv", LOG,
        {"participant": student("P{}"), "elapsed_seconds": elapsed(1), "event": of("open", "edit", "run"), "activity": of("a", "b")}),
    one("Gradescope 2023", "records", "scores.csv", TABLE,
        {"First Name": first, "Last Name": last, "SID": student(), "Email": mail, "Total Score": mark(40), "Max Points": always("40"), "Status": of("Graded", "Missing"),
         "Submission Time": when("%Y-%m-%d %H:%M:%S +0000"), "Lateness (H:M:S)": always("00:00:00")}),
    one("Zoom 5 participants", "traces", "participants.csv", LOG,
        {"Name (Original Name)": full, "User Email": mail, "Join Time": when("%m/%d/%Y %I:%M:%S %p"), "Duration (Minutes)": mark(90), "Guest": of("Yes", "No")}),
    one("Google Classroom grades", "records", "classroom.csv", TABLE,
        {"Last Name": last, "First Name": first, "Email Address": mail, "Essay": mark(10), "Overall Grade": mark(100)}),
    one("Microsoft Teams insights", "traces", "insights.csv", LOG,
        {"UserId": student("t{}"), "Timestamp": when("%-m/%-d/%Y %-I:%M:%S %p"), "EventType": of("FileOpened", "MeetingJoined"), "Module": of("files", "calls")}),
    one("Banner roster and forum", "posts", "forum.csv", LOG, {"author": student("B{}"), "created": when("%Y-%m-%d %H:%M:%S"), "message": text}),
    Export("Roster beside a log", ("traces",), {
        "roster.csv": (TABLE, {"student_id": student("u{}"), "First name": first, "Last name": last, "Email": mail}),
        "clicks.csv": (LOG, log("student_id", "time", when("%Y-%m-%d %H:%M:%S"), verb=of("viewed", "posted"), device=of("pc", "phone")))}),
    one("PeopleSoft grade roster", "records", "GRADE_ROSTER.csv", TABLE,
        {"ID": student(), "Name": listed, "Grade": of("A", "B", "C", "NA"), "Program": of("BSC", "BA"), "Level": of("1", "2"), "Units": always("6")}),
    one("HISinOne, German", "records", "Studierende.csv", TABLE,
        {"Matrikelnummer": student(), "Geschlecht": of("m", "w", "d"), "Geburtsdatum": when("%d.%m.%Y"), "Studiengang": of("Bio", "Chemie"), "PLZ": of("79098", "79100"),
         "Note": of("1,0", "1,7", "2,3")}, delimiter=";", encoding="cp1252"),
    one("SIS export of R with NA", "records", "students.csv", TABLE,
        {"": number(), "student": student("s{}"), "sex": of("F", "M", "NA"), "age": of("19", "20", "NA"), "gpa": of("1.0", "2.0", "NA"), "passed": of("TRUE", "FALSE")}),
    one("OneRoster 1.1 results", "records", "results.csv", SEVERAL,
        {"sourcedId": number("r{}"), "studentSourcedId": student("s{}"), "lineItemSourcedId": of("l1", "l2"), "scoreStatus": always("fully graded"), "score": mark(5)}),
    one("xAPI of H5P", "traces", "statements.jsonl", LOG,
        record(actor=lambda row: {"account": {"name": f"u{row.student}", "homePage": "https://x.example"}}, verb=lambda row: {"id": row.of("http://v/answered", "http://v/seen")},
               object=lambda row: {"id": f"https://x.example/{row.number % 5}"}, timestamp=when("%Y-%m-%dT%H:%M:%SZ")), wrap=lines),
    one("Caliper 1.2", "traces", "caliper.jsonl", LOG,
        record(actor=lambda row: {"id": f"https://x.example/u/{row.student}", "type": "Person"}, action=of("Viewed", "Completed"), type="ViewEvent",
               object=lambda row: {"id": f"https://x.example/{row.number % 5}", "type": "Page"}, eventTime=when("%Y-%m-%dT%H:%M:%S.000Z")), wrap=lines),
    one("Keystrokes of a browser", "keystrokes", "keys.csv", 40,
        {"participant": student("p{}"), "session": lambda row: row.number % 4, "key": of("a", "b", "c", "Backspace"), "press_ms": lambda row: row.number * 90,
         "release_ms": lambda row: row.number * 90 + 60}),
    one("Survey without ids", "records", "survey_answers.csv", TABLE,
        {"sex": of("F", "M"), "age": of("19", "20", "21"), "school": of("A", "B"), "health": of("1", "2", "3"), "G3": mark(20)}),
    one("Participation with a constant column", "records", "students.csv", TABLE,
        {"student_id": student(), "university": always("Example"), "sex": of("F", "M"), "degree": always("BSc"), "grade": of("A", "B", "C")}),
)  # fmt: skip
