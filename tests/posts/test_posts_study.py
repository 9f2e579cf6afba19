"""Posts in the pipeline: refused without labels, released with them, and nothing planted left."""

import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from sharewell.contract import Job, Protected
from sharewell.data import engine
from sharewell.data.keyed import Keyed
from sharewell.fiction import Course, make_course
from sharewell.plan.sections import Roster
from sharewell.posts import recheck, study
from sharewell.posts.fictional_labels import truth_labels
from sharewell.posts.measure.authorship import same_writer
from sharewell.posts.measure.decoding import decoding
from sharewell.posts.measure.remembered_post import remembered_post
from sharewell.posts.measure.roster_left import roster_left
from sharewell.posts.protection.redaction import Finder
from sharewell.posts.section import Limit, Section
from sharewell.text.name_model import NameModel, save
from sharewell.text.roster import read_roster
from sharewell.text.word_lists import english


@pytest.fixture(scope="module")
def course() -> Course:
    return make_course(students=60, seed=41, parts=("students", "posts"))


@pytest.fixture(scope="module")
def model_file(model: NameModel, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("model") / "names.npz"
    save(model, file)
    return file


def make_job(course: Course, model_file: Path, **changes: Any) -> Job:
    section = Section(
        name="forum",
        folder=model_file.parent,
        file="forum.csv",
        student="author",
        ids=("post_id", "reply_to"),
        drop=("time",),
        text=("subject", "message"),
        roster=Roster(file="students.csv", columns=("name", "email")),
        model=model_file.name,
        limit=Limit(residual=0.002),
    )
    settings = {name: changes.pop(name) for name in list(changes) if hasattr(section, name)}
    job = Job(
        section=replace(section, **settings), source=engine.table(course.posts), seed=3, keyed=Keyed(b"k" * 32, "test"),
        extras={"roster": engine.table(course.students)},
    )  # fmt: skip
    return replace(job, **changes)


def labels(course: Course, model: NameModel) -> pa.Table:
    cells = [cell for name in ("name", "email") for cell in course.students[name].to_pylist()]
    finder = Finder(columns=("subject", "message"), model=model, roster=read_roster(cells))
    return truth_labels(course.posts, course.truth.mentions, finder)


def test_without_labels_the_gate_cannot_pass(course: Course, model_file: Path) -> None:
    opened = study.open(make_job(course, model_file))
    protected = opened.protect()
    residual = next(risk for risk in opened.attack(protected) if risk.gate == "residual")
    assert math.isnan(residual.value) and residual.holds is False
    assert "posts review" in residual.story and "`mark`" in residual.story
    assert {"word", "mark"} <= set(protected.private["sample"].column_names)


def test_with_labels_it_is_measured_and_names_found_by_people_go(
    course: Course, model: NameModel, model_file: Path
) -> None:
    marked = labels(course, model)
    opened = study.open(make_job(course, model_file, review={"labels": engine.table(marked)}))
    protected = opened.protect()
    residual = next(risk for risk in opened.attack(protected) if risk.gate == "residual")
    assert residual.holds is True and 0 <= residual.value <= (residual.high or 0)
    words = set(re.findall(r"\w+", " ".join(engine.arrow(protected.table)["message"].to_pylist()).lower()))
    wrong = [
        word
        for word, label in zip(marked["word"].to_pylist(), marked["mark"].to_pylist(), strict=True)
        if label == "name" and len(word) > 1
    ]
    assert not words & set(wrong)


def test_no_planted_identifier_is_left(course: Course, model_file: Path) -> None:
    opened = study.open(make_job(course, model_file))
    released = engine.arrow(opened.protect().table)
    assert set(released.column_names) == {"post_id", "reply_to", "author", "subject", "message"}
    text = " ".join(released["subject"].to_pylist() + released["message"].to_pylist()).lower()
    tokens = set(re.findall(r"[^\W_]+(?:['’-][^\W_]+)*", text)) | set(re.findall(r"\S+", text))
    roster = {word for name in course.students["name"].to_pylist() for word in name.lower().split()}
    exact = {cell.lower() for cell in course.students["email"].to_pylist()}
    assert not tokens & (roster & course.truth.identifiers)
    assert not any(address in text for address in exact | course.truth.canaries)


def test_the_leak_check_can_fail(course: Course, model_file: Path) -> None:
    opened = study.open(make_job(course, model_file))
    risks = {risk.name: risk.value for risk in opened.before()}
    assert risks["e-mail addresses left"] > 0 and risks["roster words left"] > 0 and risks["names per word"] > 0.01
    protected = opened.protect()
    after = {risk.name: risk.value for risk in opened.attack(protected)}
    assert after["e-mail addresses left"] == after["roster words left"] == after["web addresses left"] == 0
    again = {risk.name: risk.value for risk in recheck.recheck(protected.table, protected.facts)}
    assert again["e-mail addresses left"] == 0


@pytest.mark.parametrize("left", ["write to jo@uni.example", "see www.jo.example", "call 0664 123 45 67"])
def test_an_address_in_the_finished_text_refuses_and_fails_the_re_check(
    course: Course, model_file: Path, left: str
) -> None:
    opened = study.open(make_job(course, model_file))
    clean = opened.protect()
    kept = [risk for risk in opened.attack(clean) if risk.gate == "patterns"]
    assert len(kept) == 3 and all(risk.value == 0 and risk.holds for risk in kept)
    spoilt = engine.arrow(clean.table)
    message = pa.array([left, *spoilt["message"].to_pylist()[1:]])
    spoilt = spoilt.set_column(spoilt.schema.get_field_index("message"), "message", message)
    attacked = opened.attack(replace(clean, table=engine.table(spoilt)))
    again = recheck.recheck(engine.table(spoilt), clean.facts)
    for risks in (attacked, again):
        assert sum(risk.holds is False for risk in risks if risk.gate == "patterns") == 1


APART = {
    "jo.long@uni\u200b.example": "[EMAIL]",
    "jo.long@😀uni.example": "[EMAIL]",
    "jo.long@uni..example": "[EMAIL]",
    "jo.long@uni…example": "[EMAIL]",
    "hTTtp://jo.example/x": "[URL]",
    "0664😀123😀4567": "[NUMBER]",
}


def test_nothing_comes_together_again_in_the_plain_style() -> None:
    posts = pa.table({"author": list("abcdef"), "message": list(APART)})
    section = Section(name="forum", folder=Path(), file="f.csv", student="author", text=("message",), style="plain")
    opened = study.open(Job(section=section, source=engine.table(posts), seed=1, keyed=Keyed(b"k" * 32, "test")))
    assert engine.arrow(opened.protect().table)["message"].to_pylist() == list(APART.values())


ROSTER = ["Maria Nowak", "Rose Baker", "li@uni.example", "O’Brien, Sean", "王小明"]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Hi [NAME], the rose is red", 0),
        ("thanks maria!", 1),
        ("Nowak's answer", 1),
        ("Rose Baker wrote", 1),
        ("ask Baker, Rose", 1),
        ("a baker rose early", 0),
        ("my uni is an example", 0),
        ("o'brien said", 1),
        ("谢谢王小明的回答", 1),
    ],
)
def test_roster_entries_are_counted_by_a_search_of_its_own(text: str, left: int) -> None:
    posts = engine.table(pa.table({"message": [text]}))
    (risk,) = roster_left(posts, ["message"], ROSTER, english())
    assert risk.value == left


def test_a_roster_entry_in_the_finished_text_refuses(course: Course, model_file: Path) -> None:
    opened = study.open(make_job(course, model_file))
    clean = opened.protect()
    (kept,) = (risk for risk in opened.attack(clean) if risk.gate == "roster")
    assert kept.value == 0 and kept.holds is True
    name = next(
        cell for cell in course.students["name"].to_pylist() if not english().is_ordinary(cell.split()[0].lower())
    )
    spoilt = engine.arrow(clean.table)
    message = [f"{spoilt['message'][0].as_py()} {name}", *spoilt["message"].to_pylist()[1:]]
    spoilt = spoilt.set_column(spoilt.schema.get_field_index("message"), "message", pa.array(message))
    (planted,) = (risk for risk in opened.attack(Protected(table=engine.table(spoilt))) if risk.gate == "roster")
    assert planted.value >= 1 and planted.holds is False
    assert name not in str(planted)


WILL = [
    "Hi Will, will you come? Will [NAME] said he will.",
    "will here: it works now",
    "ask will about it, he will know",
    "I will mark it. The storm was bad, Storm said.",
] * 3


def marked(**lists: dict[str, str]) -> dict[str, object]:
    tables = {stem: pa.table({"word": list(marks), "mark": list(marks.values())}) for stem, marks in lists.items()}
    if "places" in lists:
        keys = pa.array(list(lists["places"]))
        tables["places"] = tables["places"].set_column(0, "word", [["will"] * len(keys)]).append_column("place", keys)
    return {stem: engine.table(table) for stem, table in tables.items()}


def will_study(model_file: Path, review: dict[str, object] | None = None, *, context: bool = False) -> study.PostsStudy:
    posts = pa.table({"author": [f"s{i % 4}" for i in range(len(WILL))], "message": WILL})
    section = Section(
        name="forum", folder=model_file.parent, file="forum.csv", student="author", text=("message",),
        model=model_file.name, review_context=context, limit=Limit(residual=0.002),
    )  # fmt: skip
    keyed = Keyed(b"k" * 32, "test")
    return study.open(Job(section=section, source=engine.table(posts), seed=3, keyed=keyed, review=review or {}))


def released(opened: study.PostsStudy) -> str:
    return " ".join(engine.arrow(opened.protect().table)["message"].to_pylist())


@pytest.mark.parametrize("stem", ["names", "sample", "labels"])
def test_a_mark_holds_in_every_place_whichever_list_it_stands_in(model_file: Path, stem: str) -> None:
    gone = released(will_study(model_file, marked(**{stem: {"will": "name", "storm": "word"}})))
    assert not re.search(r"\bwill\b", gone, re.IGNORECASE)
    assert gone.lower().count("storm") == 6
    kept = released(will_study(model_file, marked(**{stem: {"will": "word"}})))
    assert len(re.findall(r"\bwill\b", kept, re.IGNORECASE)) == 24


def test_a_word_that_is_both_is_asked_place_by_place(model_file: Path) -> None:
    marks = dict.fromkeys(will_study(model_file).sample.to_mark(), "word") | {"will": "both"}
    opened = will_study(model_file, marked(sample=marks))
    protected = opened.protect()
    places = protected.private["places"]
    assert set(places.column_names) == {"place", "word", "mark"} and set(places["word"].to_pylist()) == {"will"}
    residual = opened.attack(protected)[0]
    assert math.isnan(residual.value) and residual.holds is False
    context = will_study(model_file, marked(sample=marks), context=True).protect().private["places"]
    said = {
        row["place"]: "name" if "here" in row["after"] or row["before"].endswith("ask") else "word"
        for row in context.to_pylist()
    }
    settled = will_study(model_file, marked(sample=marks, places=said))
    text = released(settled)
    assert "will here" not in text and "ask will" not in text and "he will know" in text and "I will mark" in text
    residual = settled.attack(settled.protect())[0]
    assert residual.value == 0 and residual.holds is True


def test_what_stands_in_the_way_is_named_in_private_only(course: Course, model_file: Path) -> None:
    name = next(
        cell.split()[0].lower()
        for cell in course.students["name"].to_pylist()
        if not english().is_ordinary(cell.split()[0].lower())
        and cell.split()[0] in " ".join(course.posts["message"].to_pylist())
    )
    opened = study.open(make_job(course, model_file, review=marked(names={name: "word"})))
    protected = opened.protect()
    assert name in protected.private["at_fault"]["word"].to_pylist()
    told = " ".join(map(str, opened.attack(protected))) + str(protected.facts) + str(protected.changes)
    assert name not in told.lower()


def test_what_is_published_names_nobody(course: Course, model_file: Path) -> None:
    protected = study.open(make_job(course, model_file)).protect()
    told = str(protected.facts) + " ".join(map(str, protected.changes))
    assert not any(word in told.lower() for word in course.truth.identifiers if len(word) > 3)
    assert protected.private["names"].column_names == ["word", "count", "probability", "why", "mark"]
    assert protected.private["sample"].column_names == protected.private["names"].column_names
    assert not any("message" in name or name == "context" for name in protected.private["names"].column_names)


def test_surrogates_come_from_the_key(course: Course, model_file: Path) -> None:
    jobs = [
        make_job(course, model_file, replace_by="surrogate", keyed=Keyed(key * 32, "test"))
        for key in (b"a", b"a", b"b")
    ]
    texts = [engine.arrow(study.open(job).protect().table)["message"].to_pylist() for job in jobs]
    opened = [
        study.open(replace(jobs[0], section=replace(jobs[0].section, surrogate_per=per))) for per in ("post", "file")
    ]
    per_post, per_file = (decoding(one.masked, one.redaction)[0] for one in opened)
    assert per_post.n == per_file.n > 100 and per_file.value > 1 > 20 * per_post.value
    assert texts[0] == texts[1] != texts[2]
    assert not any(re.search(r"\[NAME\](?!\.|\s*$)", text, re.MULTILINE) for text in texts[0])  # but for initials


def test_what_an_analyst_needs_is_kept(course: Course, model_file: Path) -> None:
    opened = study.open(make_job(course, model_file))
    kept = {utility.name: utility.value for utility in opened.utility(opened.protect())}
    assert kept["question words kept"] > 0.95 and kept["words of feeling kept"] > 0.8
    assert kept["share of ordinary words lost"] < 0.08 and kept["topic drift"] < 0.3
    same = {utility.name: utility.value for utility in opened.utility(Protected(table=opened.job.source))}
    assert same["topic drift"] == 0 and same["share of words redacted"] == 0 and same["vocabulary kept"] == 1


def test_style_still_tells_writers_apart() -> None:
    """Two habits of writing are told apart although no name is left; shuffled writers are not."""
    habits = {
        "s1": "i dont no why this wont work pls help me!!! ",
        "s2": "One might ask; however, the proof remains unclear. ",
    }
    rows = [(who, habit * 2 + str(i)) for who, habit in habits.items() for i in range(12)]
    table = engine.table(pa.table({"student": [who for who, _ in rows], "text": [text for _, text in rows]}))
    (risk,) = same_writer(table, ["text"], "student", seed=1)
    assert risk.value == 1.0 and risk.chance == 0.5


def remembered(before: dict[str, list[str]], after: dict[str, list[str]], keep: tuple[str, ...] = ()) -> list[float]:
    source, released = (engine.table(pa.table(columns)) for columns in (before, after))
    return [risk.value for risk in remembered_post(source, released, ["text"], keep, "student", seed=3)]


def test_who_remembers_a_post_finds_its_writer_where_the_words_are_left() -> None:
    students = [f"s{number}" for number in range(10)]
    own = [f"my question is about topic {number} of lecture {number} and nothing else" for number in range(10)]
    same = ["what is the deadline of the second exercise please"] * 10
    gone = ["[NAME] [NAME] [NAME]"] * 10
    posts = {"student": students, "text": own, "day": ["Mon"] * 5 + ["Tue"] * 5}
    assert remembered(posts, posts)[0] > 0.9
    assert remembered({**posts, "text": same}, {**posts, "text": same}) == [pytest.approx(0.1)]
    assert remembered(posts, {**posts, "text": gone}) == [pytest.approx(0.1)]
    assert remembered(posts, {**posts, "text": gone}, ("day",))[1] == pytest.approx(0.2)


def test_a_part_of_a_post_that_stands_under_another_pseudonym_misleads() -> None:
    posts = {"student": ["a", "b"], "text": ["one two three four five", "six seven eight nine ten"]}
    assert remembered(posts, {**posts, "text": posts["text"][::-1]}) == [0.0]
