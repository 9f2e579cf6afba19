"""Redaction: names go where they are names, everything else stays as it was."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sharewell import posts
from sharewell.data import engine
from sharewell.errors import InputError
from sharewell.fiction import make_course
from sharewell.posts.measure.roster_left import roster_left
from sharewell.posts.protection.redaction import Finder
from sharewell.posts.protection.surrogates import Pools, make_pools, make_surrogates
from sharewell.text.decisions import Decisions, replace_names
from sharewell.text.name_model import NameModel
from sharewell.text.roster import read_roster
from sharewell.text.tokens import tokenize
from sharewell.text.training import labelled
from sharewell.text.word_lists import english

MESSAGES = [
    "Hi Maria, thanks for the help with exercise 3!\n\nBest regards,\nTomasz",
    "Thanks Tomasz. I hope Maria will answer, or write to t.nowak@uni.example",
    "hello maria, does `tomasz = 3` work?\n```\nprint(x)  # by Tomasz\n```",
    "I asked Maria and Tomasz Wiśniewski. Maria's answer was good.",
]
FRAME = pa.table({"id": [1, 2, 3, 4], "message": MESSAGES})


def always(*words: str) -> Decisions:
    return Decisions(always=frozenset(words))


def redacted(text: str, *words: str) -> str:
    return replace_names(tokenize([text]), always(*words)).texts[0]


def test_only_words_change() -> None:
    text = '# Hi *Maria*,\n\n> see <b title="Maria">this</b>, maria\'s  code:\n\n\tMARIA = x \n'
    assert (
        redacted(text, "maria")
        == '# Hi *[NAME]*,\n\n> see <b title="[NAME]">this</b>, [NAME]\'s  code:\n\n\t[NAME] = x \n'
    )


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("ask J. Park or Maria L. now", "ask [NAME]. [NAME] or [NAME] [NAME]. now"),
        ("sincerely, A. B. Park", "sincerely, [NAME]. [NAME]. [NAME]"),
        ("Maria van der Park wrote", "[NAME] [NAME] [NAME] [NAME] wrote"),
        ("Maria I think so", "[NAME] I think so"),
        ("thanks\n\nM.P.", "thanks\n\n[NAME].[NAME]."),
        ("the van is red", "the van is red"),
        ("plan B works", "plan B works"),
    ],
)
def test_initials_and_particles_go_with_their_name(text: str, wanted: str) -> None:
    assert redacted(text, "maria", "park") == wanted


def test_names_without_spaces_are_found_inside_words(model: NameModel) -> None:
    roster = ["王小明", "김민준", "山田 太郎", "Ana Lim"]
    texts = ["谢谢王小明的回答", "小明说得对", "민준이가 말했다", "山田さんと太郎さん"]
    clean = posts.redact(pa.table({"message": texts}), model=model, roster=roster)["message"].to_pylist()
    assert all("[NAME]" in text for text in clean)
    assert not any(name in " ".join(clean) for name in ("小明", "민준", "山田", "太郎"))
    masked = Finder(columns=("message",), model=model, roster=read_roster(roster)).masked(pa.table({"message": texts}))
    assert masked.parts[0].tokens().texts[0] == "谢谢[NAME]的回答"


def test_no_listed_name_is_left_in_sentences_of_many_languages(model: NameModel, shared_data: Path) -> None:
    """Synthetic sentences (Presidio) with names from everywhere: all go with a list of them, most without one."""
    entries = json.loads((shared_data / "presidio_synth" / "synth_dataset_v2.json").read_text())
    frame = pa.table({"message": [entry["full_text"] for entry in entries]})
    people = {span["entity_value"] for entry in entries for span in entry["spans"] if span["entity_type"] == "PERSON"}
    left = {}
    for known in (None, sorted(people)):
        clean = posts.redact(frame, model=model, roster=known)
        (risk,) = roster_left(engine.table(clean), ["message"], sorted(people), english())
        left[known is None] = risk.value
    assert left[False] == 0
    assert left[True] < 0.1 * sum(len(name.split()) for name in people)


def test_redacting_twice_changes_nothing_more(model: NameModel) -> None:
    once = posts.redact(FRAME, text="message", model=model)
    names = posts.find_names(FRAME, text="message", model=model)
    assert posts.redact(once, text="message", model=model).equals(once)
    assert posts.redact(once, text="message", model=model, names=names).equals(once)


def test_names_are_found_most_frequent_first(model: NameModel) -> None:
    names = posts.find_names(FRAME, text="message", model=model)
    found = {row["word"]: row for row in names.to_pylist()}
    assert names["occurrences"].to_pylist() == sorted(names["occurrences"].to_pylist(), reverse=True)
    assert found["maria"]["name"] and found["maria"]["occurrences"] == 5
    assert found["tomasz"]["name"] and found["wiśniewski"]["name"]
    assert {"word", "probability", "occurrences"} <= set(names.column_names)


def test_a_struck_out_row_stays_in_the_text(model: NameModel) -> None:
    names = posts.find_names(FRAME, text="message", model=model).to_pandas()
    without = names[names.word != "maria"]
    text = " ".join(posts.redact(FRAME, text="message", names=without, model=model)["message"].to_pylist())
    assert "Maria" in text and "Tomasz" not in text
    marked = names.assign(mark=["word" if word == "tomasz" else "" for word in names.word])
    text = " ".join(posts.redact(FRAME, text="message", names=marked, model=model)["message"].to_pylist())
    assert "Tomasz" in text and "Maria" not in text


@pytest.mark.parametrize("kind", [pa.table, lambda table: pa.table(table).to_pandas(), pl.from_arrow])
def test_the_same_kind_of_frame_comes_out(kind: Callable[[Any], Any], model: NameModel) -> None:
    frame = kind(FRAME)
    clean = posts.redact(frame, text="message", model=model)
    assert type(clean) is type(frame) and list(
        clean.columns if not isinstance(clean, pa.Table) else clean.column_names
    ) == ["id", "message"]


def test_missing_cells_stay_missing(model: NameModel) -> None:
    clean = posts.redact(
        pd.DataFrame({"message": ["Hi Maria", None, ""]}), text="message", names=["maria"], model=model
    )
    assert clean.message.tolist() == ["Hi [NAME]", None, ""]


def test_a_wrong_column_is_told(model: NameModel) -> None:
    with pytest.raises(InputError, match="column 'text'"):
        posts.find_names(FRAME, text="text", model=model)
    with pytest.raises(InputError, match="expected text"):
        posts.find_names(FRAME, text="id", model=model)


def test_words_that_are_names_elsewhere_are_decided_where_they_stand(model: NameModel) -> None:
    lines = [
        "Hi Will,\n\nthank you, I hope it will work.\n\nHope",
        "Will you come in May? I will ask Mark.",
        "Thanks Mark! I will mark it on May 5.",
        "Dear Mark, Hope and Will said that it will rain. I hope not.",
    ] * 3
    clean = posts.redact(
        pa.table({"message": lines}), text="message", model=model, roster=["Will Young", "Hope Ray", "Mark Lee"]
    )
    text = " ".join(clean["message"].to_pylist())
    assert (
        "it will work" in text
        and "I will" in text
        and "I hope" in text
        and "Will you come" in text
        and "to mark" not in text
    )
    assert not re.search(r"Hi Will|Dear Mark|Thanks Mark", text)


def test_a_roster_finds_short_transliterated_and_mistyped_forms(model: NameModel) -> None:
    lines = ["ask Kathi or Mueller", "hi Bob!", "Siobhann said so", "the jonson paper", "Nguyen"]
    names = ["Katharina Müller", "Robert Smith", "Siobhán O'Neill", "nguyenvan@uni.example"]
    clean = posts.redact(pa.table({"message": lines}), text="message", model=model, roster=names)["message"].to_pylist()
    assert "Mueller" not in clean[0] and "Bob" not in clean[1] and "Siobhann" not in clean[2]
    assert "paper" in clean[3]


def test_the_roster_itself_is_written_nowhere(model: NameModel) -> None:
    names = posts.find_names(FRAME, text="message", model=model, roster=["Xylophonia Quux", "Maria Perez"])
    assert not {"xylophonia", "quux", "perez"} & set(names["word"].to_pylist()) | set(names["same_as"].to_pylist()) & {
        "xylophonia",
        "quux",
        "perez",
    }


def test_an_invented_name_is_nobodys_in_the_course() -> None:
    """Each of the names that could be drawn first is somebody's in a second course: none of them is drawn there."""
    everybody = make_pools(english(), ())
    taken = {
        *everybody.people[::2],
        *everybody.towns[::2],
        *(name for names in everybody.by_origin.values() for name in names[::2]),
    }
    left = make_pools(english(), taken)
    drawn = {*left.people, *left.towns, *(name for names in left.by_origin.values() for name in names)}
    assert drawn and not drawn & taken


def invented(model: NameModel, frame: pa.Table, seed: int = 3, **asked: Any) -> list[str]:
    clean = posts.redact(frame, text="message", model=model, replace_by="surrogate", seed=seed, **asked)
    return list(clean["message"].to_pylist())


def test_surrogates_are_consistent_and_new_where_a_file_is_one_draw(model: NameModel) -> None:
    clean = invented(model, FRAME, surrogate_per="file")
    assert clean == invented(model, FRAME, surrogate_per="file") != invented(model, FRAME, 4, surrogate_per="file")
    found = re.match(r"Hi (\w+),", clean[0])
    assert found is not None
    maria = found[1]
    assert clean[2].startswith(f"hello {maria.lower()},")
    assert f"{maria}'s answer" in clean[3]
    assert maria.lower() not in " ".join(MESSAGES).lower() and not english().is_word(maria.lower())
    assert not re.search(r"\b(?:maria|tomasz|wiśniewski)\b", " ".join(clean), re.IGNORECASE)


def test_every_post_or_thread_draws_its_own_names(model: NameModel) -> None:
    texts = ["Hi Tomasz, ask Maria", "Maria, Tomasz here: thanks Maria!"] * 4
    frame = pa.table({"thread": [i // 4 for i in range(8)], "message": texts})
    drawn = {per: invented(model, frame, surrogate_per=per, thread="thread") for per in ("post", "thread", "file")}
    names = {per: [re.findall(r"\b[A-Z][a-z]{2,}\b", text) for text in clean] for per, clean in drawn.items()}
    marias = {per: [found[-1] for found in of] for per, of in names.items()}
    assert {per: len(set(found)) for per, found in marias.items()} == {"post": 8, "thread": 2, "file": 1}
    assert all(found[0] == found[2] for of in names.values() for found in of[1::2])  # Maria twice in one post
    with pytest.raises(InputError, match="thread"):
        posts.redact(frame, model=model, replace_by="surrogate", surrogate_per="thread")


def test_no_two_people_share_an_invented_name_in_one_draw() -> None:
    pools = Pools(people=tuple(f"name{i}" for i in range(37)), towns=(), by_origin={})
    made = make_surrogates({f"x{i}": f"x{i}" for i in range(90)}, pools, english(), bytes(32))
    draws = [[made.invented(f"x{i}", draw) for i in range(90)] for draw in ("1", "2")]
    assert len(set(draws[0])) == len(set(draws[1])) == 90
    assert sum(one == other for one, other in zip(*draws, strict=True)) < 15
    assert made.invented("rose", "1") is None


def test_no_person_keeps_their_name_in_an_unseen_course(model: NameModel) -> None:
    """With the roster at hand no planted name is left; without it, at most a few places in a thousand words."""
    course = make_course(students=60, seed=8123, parts=("students", "posts"), style="b")
    cells = course.students["name"].to_pylist() + course.students["email"].to_pylist()
    clean = posts.redact(course.posts, text=["subject", "message"], model=model, roster=cells)
    left = set(
        re.findall(
            r"[^\W\d_]+(?:['’-][^\W\d_]+)*",
            " ".join(clean["subject"].to_pylist() + clean["message"].to_pylist()).lower(),
        )
    )
    on_roster = {word for word in read_roster(cells).words if len(word) > 3 and word in course.truth.identifiers}
    assert left & on_roster == set()


def test_the_truth_of_a_course_lands_on_the_right_words() -> None:
    course = make_course(students=40, seed=5, parts=("students", "posts"))
    corpus = labelled(course.posts, course.truth.mentions)
    people = {word for word in course.truth.identifiers if word.isalpha()} | course.truth.ambiguous_names
    words = corpus.words_at()
    named = words[np.isin(corpus.kind, ["person-name"])]
    parts = {part for word in named for part in re.split(r"[-']", word)} | set(named)
    assert (
        len(named) > 20
        and len({word for word in named if {word, *re.split(r"[-']", word)} & people}) / len(set(named)) > 0.9
    )
    assert parts


AS_WORDS = (
    "mark should mark it himself", "Thanks Mark, that was quick.", "I will mark it as solved.",
    "Did Mark get his mark yet?", "hi mark, did you mark my essay?", "My mark was lower than I hoped.",
    "They will grant an extension.", "I asked Grant about it.", "The grant was refused.",
)  # fmt: skip


def test_a_roster_name_that_is_a_word_goes_where_it_names_and_stays_where_it_does_not(model: NameModel) -> None:
    frame = pa.table({"message": AS_WORDS})
    clean = posts.redact(frame, text="message", model=model, roster=["Mark Weber", "Grant Ellis"])["message"]
    assert [text.replace("[NAME]", "_") for text in clean.to_pylist()] == [
        "_ should mark it himself", "Thanks _, that was quick.", "I will mark it as solved.",
        "Did _ get his mark yet?", "hi _, did you mark my essay?", "My mark was lower than I hoped.",
        "They will grant an extension.", "I asked _ about it.", "The grant was refused.",
    ]  # fmt: skip


def test_a_word_that_people_call_a_name_goes_in_every_use(model: NameModel) -> None:
    clean = posts.redact(pa.table({"message": AS_WORDS}), text="message", model=model, names=["mark"])
    assert not re.search(r"\bmark\b", " ".join(clean["message"].to_pylist()), re.IGNORECASE)


def test_a_last_line_of_one_unknown_word_after_a_comma_signs(model: NameModel) -> None:
    lines = ["Who has the notes?\n\nwith muddy boots,\nEso", "Who has the notes?\n\nthank you all,\nAnonymous"]
    clean = posts.redact(pa.table({"message": lines}), text="message", model=model)["message"].to_pylist()
    assert clean[0].endswith("boots,\n[NAME]") and clean[1].endswith("all,\nAnonymous")


def test_the_words_between_the_parts_of_a_name_go_with_it(model: NameModel) -> None:
    frame = pa.table({"message": ["Ask Alejandra de los Santos about los datos."]})
    assert posts.redact(frame, text="message", model=model)["message"].to_pylist()[0].count("los") == 1
