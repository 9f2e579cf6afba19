"""Exports that nobody prepared, and the role that a first plan must give to their columns; all of it is invented."""

import csv
import io
import json
import sqlite3
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

STUDENTS = 30
FIRST = ("Ada", "Bola", "Chen", "Dina", "Emre", "Fatou")
LAST = ("Öztürk", "Schäfer", "García", "Berg", "Kılıç")
Rows = Sequence[Sequence[Any]]


def name(who: int) -> str:
    return f"{FIRST[who % 6]} {LAST[who // 6]}"


def mail(who: int) -> str:
    return f"u{who}@uni.example"


def saved(folder: Path, file: str, header: Sequence[str], rows: Rows, **how: str) -> None:
    text = io.StringIO()
    table = csv.writer(text, delimiter=how.get("delimiter", ","), lineterminator=how.get("ends", "\n"))
    table.writerows([header, *rows])
    whole = (how.get("above", "") + text.getvalue()).encode(how.get("encoding", "utf-8"))
    (folder / file).write_bytes(whole)


def log(month: Callable[[datetime], str]) -> Rows:
    """The nine columns of Moodle's log report; some rows are of Moodle itself."""
    draw = np.random.default_rng(5)
    rows = []
    for number in range(STUDENTS * 8):
        who, at = number % STUDENTS, datetime(2023, 10, 16, 8) + timedelta(days=int(draw.integers(40)), minutes=number)
        described = f"The user with id '{4000 + who}' viewed the course with id '7'."
        if number % 50 == 49:
            rows.append(
                [month(at), "-", "-", "Course: Bio", "System", "Restored", "Cron of the user with id '-1'", "cli", ""]
            )
        context = ("Course: Bio", "Quiz: Cells", "Forum: News", "File: Reader")[int(draw.integers(4))]
        other = name((who + 1) % STUDENTS) if context.startswith("Forum") else "-"
        rows.append(
            [month(at), name(who), other, context, "System", "Course viewed", described, "web", f"10.0.0.{who}"]
        )
    return rows


def in_months(layout: str, months: str) -> Callable[[datetime], str]:
    return lambda at: at.strftime(layout.replace("%b", months.split()[at.month - 10]))


FRENCH = ("Heure", "Nom complet", "Utilisateur touché", "Contexte de l’événement", "Composant", "Nom de l’événement",
          "Description", "Origine", "Adresse IP")  # fmt: skip
TURKISH = ("Zaman", "Kullanıcı tam adı", "Etkilenen kullanıcı", "Etkinlik bağlamı", "Bileşen", "Etkinlik adı",
           "Açıklama", "Kaynak", "IP adresi")  # fmt: skip
SPANISH = ("Hora", "Nombre completo del usuario", "Usuario afectado", "Contexto del evento", "Componente",
           "Nombre evento", "Descripción", "Origen", "Dirección IP")  # fmt: skip
JAPANESE = (
    "時間",
    "氏名",
    "影響を受けたユーザ",
    "イベントコンテクスト",
    "コンポーネント",
    "イベント名",
    "説明",
    "オリジン",
    "IPアドレス",
)


def marks(low: int = 0, high: int = 100, *, missing: str = "-", decimal: str = ".") -> list[str]:
    draw = np.random.default_rng(low + high)
    cells = [f"{mark:.1f}".replace(".", decimal) for mark in draw.uniform(low, high, STUDENTS)]
    return [missing if number % 11 == 3 else cell for number, cell in enumerate(cells)]


def french(folder: Path) -> None:
    saved(folder, "logs.csv", FRENCH, log(in_months("%d %b %Y, %H:%M:%S", "oct. nov. déc.")), encoding="utf-8-sig")


def turkish(folder: Path) -> None:
    rows = log(in_months("%d %b, %H:%M", "Eki Kas Ara"))
    saved(folder, "logs_BIO_20231205-1405.csv", TURKISH, rows, delimiter="\t", encoding="utf-16", ends="\r\n")


def spanish(folder: Path) -> None:
    saved(folder, "logs.csv", SPANISH, log(in_months("%d de %b de %Y, %H:%M", "oct nov dic")), ends="\r")


def japanese(folder: Path) -> None:
    saved(folder, "logs.csv", JAPANESE, log(in_months("%Y-%m-%d %H:%M", "10 11 12")))


def canvas(folder: Path) -> None:
    header = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Essay (34519)", "Final Score"]
    rows: list[list[object]] = [["    Points Possible", "", "", "", "", "20.00", "(read only)"]]
    essays, finals = marks(0, 20, missing=""), marks(0, 101)
    rows += [
        [name(who), 70 + who, 9000 + who, f"u{who}", f"B{who % 2}", essays[who], finals[who]] for who in range(STUDENTS)
    ]
    saved(folder, "Grades.csv", header, rows, encoding="utf-8-sig")


def blackboard(folder: Path) -> None:
    header = [
        "Last Name",
        "First Name",
        "Username",
        "Student ID",
        "Last Access",
        "Availability",
        "Weighted Total",
        "Quiz 1 [Total Pts: 10 Score]",
    ]
    rows = [[LAST[who // 6], FIRST[who % 6], f"u{who}", 9000 + who, "2023-12-01 08:11:12", "Yes", "", mark]
            for who, mark in enumerate(marks(0, 10, missing="In Progress"))]  # fmt: skip
    saved(folder, "gc_BIO.xls", header, rows, delimiter="\t", encoding="utf-16", ends="\r\n")


def edx(folder: Path) -> None:
    lines = []
    for number in range(STUDENTS * 8):
        event = ("play_video", "problem_check")[number % 2]
        lines.append(json.dumps({
            "username": f"u{number % STUDENTS}", "time": f"2023-10-{1 + number % 28:02d}T08:00:00.000001+00:00",
            "event_type": event, "name": event, "event_source": "browser", "ip": "10.0.0.1", "event": json.dumps({"id": number}),
            "context": {"user_id": number % STUDENTS if number % 40 else None, "course_id": "X/1"},
        }))  # fmt: skip
    (folder / "tracking.log").write_text("\n".join(lines) + "\n")


def class_list(folder: Path) -> None:
    header = [
        "lfd. Nr.",
        "Matrikelnr.",
        "Name, Vorname",
        "Geschlecht",
        "PLZ",
        "Fachsemester",
        "Note",
        "Punkte (max. 50)",
        "Klausur",
    ]
    points, exam = marks(0, 50, missing="k.A.", decimal=","), marks(1, 5, decimal=",", missing="n. b.")
    rows = [[who + 1, 700_000 + 7 * who, name(who), "wm"[who % 2], ("79098", "79100", "79102")[who % 3], who % 3,
             ("1,0", "1,7", "2,3")[who % 3], points[who], exam[who]] for who in range(STUDENTS)]  # fmt: skip
    saved(folder, "Liste.csv", header, rows, delimiter=";", ends="\r\n", above="sep=;\r\n")


def turkish_list(folder: Path) -> None:
    header = ["Sıra No", "Öğrenci No", "Adı Soyadı", "Bölüm", "Vize", "Harf Notu"]
    rows = [
        [who + 1, 210_000 + who, name(who), ("Biyoloji", "Kimya")[who % 2], 40 + who, ("AA", "BB")[who % 2]]
        for who in range(STUDENTS)
    ]
    saved(folder, "liste.csv", header, rows, delimiter=";", encoding="cp1254")


def spanish_grades(folder: Path) -> None:
    header = ["Nombre", "Apellido(s)", "Número de ID", "Dirección de correo", "Departamento", "Total del curso (Real)"]
    rows = [
        [FIRST[who % 6], "Díaz", 9000 + 3 * who, mail(who), ("Química", "Biología")[who % 2], mark]
        for who, mark in enumerate(marks())
    ]
    saved(folder, "calificaciones.csv", header, rows, encoding="latin-1")


def moodle_base(folder: Path) -> None:
    with sqlite3.connect(folder / "course.db") as base:
        base.execute("CREATE TABLE users (id INTEGER, username TEXT, firstname TEXT, city TEXT)")
        base.executemany(
            "INSERT INTO users VALUES (?, ?, ?, ?)",
            [(40 + 3 * who, f"u{who}", name(who), ("Oslo", "Rome")[who % 2]) for who in range(STUDENTS)],
        )
        base.execute("CREATE TABLE grades (id INTEGER, userid INTEGER, finalgrade REAL, timemodified INTEGER)")
        base.executemany(
            "INSERT INTO grades VALUES (?, ?, ?, ?)",
            [(n, 40 + 3 * (n % STUDENTS), n % 9 + 0.5, 1_700_000_000 + 9_000 * n) for n in range(90)],
        )
        base.execute("CREATE VIEW everybody AS SELECT * FROM users")
    base.close()


def nested(folder: Path) -> None:
    count = range(STUDENTS * 8)
    pq.write_table(pa.table({
        "user": [{"id": 700 + n % STUDENTS, "name": name(n % STUDENTS)} for n in count],
        "ts": pa.array([datetime(2023, 10, 1) + timedelta(hours=3 * n) for n in count], pa.timestamp("us", "UTC")),
        "verb": [("viewed", "answered")[n % 2] for n in count],
        "tags": [["a", "b"] for n in count],
        "result": [{"score": {"raw": n % 5, "max": 5}} for n in count],
    }), folder / "events.parquet")  # fmt: skip


LOGGED = {"user_id": "student"}
MESSY: dict[str, tuple[Callable[[Path], None], dict[str, str]]] = {
    "Moodle, French": (french, LOGGED | dict(zip(FRENCH, ("time", "direct", "direct", "quasi", "quasi", "quasi", "drop", "quasi", "direct"), strict=True))),
    "Moodle, Turkish": (turkish, LOGGED | dict(zip(TURKISH, ("time", "direct", "direct", "quasi", "quasi", "quasi", "drop", "quasi", "direct"), strict=True))),
    "Moodle, Spanish": (spanish, LOGGED | {"Nombre evento": "quasi", "Usuario afectado": "direct", "Hora": "time"}),
    "Moodle, Japanese": (japanese, LOGGED | {"イベント名": "quasi", "影響を受けたユーザ": "direct", "時間": "time", "説明": "drop"}),
    "Canvas": (canvas, {"SIS User ID": "student", "ID": "direct", "Section": "quasi", "Essay (34519)": "quasi", "Final Score": "quasi"}),
    "Blackboard": (blackboard, {"Student ID": "student", "Weighted Total": "drop", "Availability": "drop", "Quiz 1 [Total Pts: 10 Score]": "quasi"}),
    "edX": (edx, {"user_id": "student", "name": "quasi", "event": "drop", "time": "time"}),
    "class list": (class_list, {"Matrikelnr.": "student", "lfd. Nr.": "direct", "PLZ": "quasi", "Fachsemester": "quasi", "Note": "keep", "Punkte (max. 50)": "quasi",
                                "Klausur": "quasi"}),
    "class list, Turkish": (turkish_list, {"Öğrenci No": "student", "Sıra No": "direct", "Adı Soyadı": "direct", "Bölüm": "quasi", "Vize": "quasi"}),
    "grade book, Spanish": (spanish_grades, {"Número de ID": "student", "Dirección de correo": "direct", "Nombre": "direct", "Departamento": "quasi"}),
    "SQLite": (moodle_base, {"userid": "student", "finalgrade": "keep", "timemodified": "time", "city": "quasi", "username": "direct"}),
    "nested Parquet": (nested, {"user.id": "student", "user.name": "direct", "tags": "drop", "result.score.raw": "keep", "result.score.max": "drop"}),
}  # fmt: skip
