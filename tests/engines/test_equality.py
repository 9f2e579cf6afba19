"""One release, whatever computes it: the same figures, the same rows, and nothing of anybody in what Spark writes."""

import base64
import json
import subprocess
import sys
from collections.abc import Callable

import pytest
from engines.cases import ANSWERS, CASES, COHORTS, FAILURES, KEY, MENTIONED, PLANTED, QUOTED, TYPING, student
from engines.conftest import Ran, cases_for

from sharewell.data.keyed import Keyed

OTHERS = ("sail", "spark", "cluster")


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("engine", OTHERS)
def test_an_engine_comes_to_what_duckdb_comes_to(engine: str, case: str, ran: Callable[[str], Ran]) -> None:
    if case not in cases_for(engine):
        pytest.skip("asked by make spark CASES=all")
    assert ran(engine).found[case] == ran("duckdb").found[case]


def secrets() -> list[str]:
    """The key, and what is drawn from it for pseudonyms, places of events, cohorts and parts, however it is written."""
    key = bytes.fromhex(KEY)
    scope, cohorts, typing, answers = (Keyed(key, name) for name in ("release", COHORTS, TYPING, ANSWERS))
    within = [scope, *(scope.within(label) for label in ("traces.clicks", "records.students", "posts.forum"))]
    purposes = ("order", "jitter", "surrogates", "pseudonym:student", "pseudonym:row")
    drawn = [each.secret(purpose) for each in within for purpose in purposes]
    drawn += [cohorts.secret(name) for name in ("cohorts", *(f"cohort {one}" for one in ("choice", 0, 1, 2, 3)))]
    drawn += [typing.secret("typing in parts"), typing.secret("levels"), *typing.pads("lots of students")]
    drawn += [answers.secret("learnt from")]
    return [word for secret in (key, *scope.pads("row"), *drawn) for word in written(secret)]


def written(secret: bytes) -> list[str]:
    """In hexadecimal, as bytes of Java, and in base64 wherever it begins there."""
    signed = [str(byte - 256 if byte > 127 else byte) for byte in secret]
    inside = [base64.b64encode(b"\0" * before + secret)[4 if before else 0 : -4].decode() for before in range(3)]
    return [secret.hex(), ",".join(signed), ", ".join(signed), *inside]


@pytest.mark.parametrize("engine", ["spark", "cluster"])
def test_neither_key_nor_name_is_in_an_event_log_or_on_the_error_stream(engine: str, ran: Callable[[str], Ran]) -> None:
    spark = ran(engine)
    logs = [path.read_text(encoding="utf-8") for path in spark.log.rglob("*") if path.is_file()]
    assert any("SparkListenerSQLExecutionStart" in log for log in logs)  # plans are in it
    people = [*PLANTED.split(), *(part for name in MENTIONED for part in name.split())]
    people += [student(number) for number in range(80)]
    escaped = [json.dumps(word)[1:-1] for word in people]
    for text in (*logs, spark.errors):
        assert [word for word in (*secrets(), *people, *escaped) if word in text] == []


SAID = {
    "full disk": "DiskError: a disk that Spark works on is full",
    "lost worker": "EngineError: a worker of Spark was lost or ran out of memory",
    "missing part": "EngineError: a part of a table is missing",
    "other columns": "part 3 of 3 has no such column",
    "other types": "is string in part 3 of 3 and int32 in the first",
    "unreadable cell": "RuntimeError: Spark stopped at a step: NumberFormatException CAST_INVALID_INPUT",
}


@pytest.mark.parametrize("failure", FAILURES)
def test_what_goes_wrong_on_spark_is_said_in_one_sentence_without_a_value(
    failure: str, ran: Callable[[str], Ran]
) -> None:
    spark = ran("spark")
    told = spark.found["failures"][failure]
    assert SAID[failure] in told
    assert "\n" not in told
    assert not any(word in text for word in QUOTED.split() for text in (told, spark.errors))


SILENT = """
import sys
import sharewell.cli, sharewell.pipeline
print([name for name in ("pyspark", "py4j", "pysail") if name in sys.modules])
"""


def test_nobody_needs_spark_who_does_not_ask_for_it() -> None:
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", SILENT], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
