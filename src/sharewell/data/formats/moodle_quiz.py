"""Moodle's quiz report "Responses" as CSV: one row per attempt with a pair of columns per question.

Read as one row per answer: the columns of the attempt, then `question`, `response`, `right_answer` and `correct`. The
report closes with a line of averages, which is left out. What is written has one row per answer as well.
"""

import re
from pathlib import Path

import ibis
from ibis.expr.types import Table

from sharewell.data.formats import ReadOptions, delimited
from sharewell.errors import InputError

RESPONSE = re.compile(r"^(?:Response|Antwort|Réponse|Respuesta|Risposta) (\d+)$")
RIGHT = re.compile(r"^(?:Right answer|Richtige Antwort|Bonne réponse|Respuesta correcta|Risposta corretta) (\d+)$")
QUESTION = re.compile(r"^(?:Question|Frage|Question|Pregunta|Domanda) \d+$")
NOT_ANSWERED = ("-", "")

style, write = delimited.style, delimited.write


def read(path: Path, options: ReadOptions) -> Table:
    table = delimited.read(path, options)
    responses = {int(found[1]): name for name in table.columns if (found := RESPONSE.match(name))}
    right = {int(found[1]): name for name in table.columns if (found := RIGHT.match(name))}
    questions = sorted(responses.keys() & right.keys())
    if not questions:
        raise InputError('has no columns "Response 1" and "Right answer 1"; export the report with both', file=path)
    texts = {*responses.values(), *right.values()}
    attempt = [name for name in table.columns if name not in texts and not QUESTION.match(name)]
    attempts = table.filter(table[attempt[1]].notnull())  # the line of averages has the first cell only
    answers = ibis.union(*(_answers(attempts, attempt, n, responses[n], right[n]) for n in questions))
    return answers.order_by(*attempt, answers["question"].length(), "question")  # Q2 stands before Q10


def _answers(table: Table, attempt: list[str], number: int, response: str, right: str) -> Table:
    given, wanted = table[response].strip(), table[right].strip()
    answered = given.notnull() & ~given.isin(NOT_ANSWERED)
    correct = (answered & (given.lower() == wanted.lower())).fill_null(False)
    return table.select(
        *attempt,
        question=ibis.literal(f"Q{number}"),
        response=given,
        right_answer=wanted,
        correct=correct.ifelse("1", "0"),
    )
