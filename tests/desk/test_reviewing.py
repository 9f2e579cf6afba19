"""The review at the desk: nothing lost, blind raters, decisions, lists that the command line reads, live numbers."""

import csv
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from desk.desk_at import LABEL, At, desk_at, put_queue, small_queue
from hypothesis import given
from hypothesis import strategies as st

from sharewell.desk.reviewing import Reviewing
from sharewell.desk.store import Store
from sharewell.errors import InputError
from sharewell.posts.measure import labelled_sample
from sharewell.posts.measure.labelled_sample import Left
from sharewell.posts.review_lists import merge, read_marks
from sharewell.posts.review_queue import Queue
from sharewell.release.place import Place
from sharewell.text.marks import Marks


@pytest.fixture
def at(tmp_path: Path) -> At:
    made = desk_at(tmp_path)
    put_queue(made.desk, small_queue())
    return made


def review_of(at: At) -> Reviewing:
    found = at.desk.reviewing(LABEL)
    assert found is not None
    return found


def lists(folder: Path) -> dict[str, dict[str, str]]:
    """What the lists on disk say, by stem."""
    found = {}
    for path in sorted((folder / "private" / "review" / LABEL).glob("*.csv")):
        with path.open(newline="", encoding="utf-8-sig") as file:
            key = "place" if path.stem == "places" else "word"
            found[path.stem] = {row[key]: row["mark"] for row in csv.DictReader(file)}
    return found


def test_a_mark_is_on_disk_before_the_answer_and_after_a_restart(at: At, tmp_path: Path) -> None:
    at.visitor("Ada", steward=False).post("/names/mark", {"file": LABEL, "word": "w0", "mark": "name"})
    other = Store(tmp_path / "private" / "desk" / "desk.sqlite")  # another process would see it
    assert [(mark.about, mark.rater, mark.mark) for mark in other.marks(LABEL)] == [("word:w0", "Ada", "name")]
    again = desk_at(tmp_path)
    assert review_of(again).own("Ada", "w0") == "name"


def test_likely_names_come_first_by_frequency_then_the_uncertain() -> None:
    from sharewell.posts.review_queue import _order

    queue = small_queue()
    rare_name = replace(queue.asked[0], word="rare", count=2)
    common_word = replace(queue.asked[0], word="of", count=900, probability=0.001)
    doubtful = replace(common_word, word="will", count=3, probability=0.04)
    ranked = sorted(
        [common_word, doubtful, rare_name, queue.asked[0]], key=lambda one: _order(one, likely=one.probability > 0.05)
    )
    assert [one.word for one in ranked] == ["w0", "rare", "will", "of"]


def test_words_only_shows_nothing_around_a_word(tmp_path: Path) -> None:
    at = desk_at(tmp_path)
    put_queue(at.desk, small_queue(context=False))
    ada = at.visitor("Ada", steward=False)
    answer = ada.post("/names/mark", {"file": LABEL, "word": "w29", "mark": "both"}, headers={"x-fragment": "1"})
    assert "he said" not in answer.text
    ada.post("/names/go", {"file": LABEL, "word": "w29", "step": "here"})
    text = ada.get("/names").text
    assert "he said" not in text and "review_context" in text


def test_both_opens_the_places_one_by_one(at: At) -> None:
    ada = at.visitor("Ada", steward=False)
    fields = {"file": LABEL, "word": "w29"}
    answer = ada.post("/names/mark", {**fields, "mark": "both"}, headers={"x-fragment": "1"})
    assert "3 places to decide" in answer.text and "he said" in answer.text
    for number, left in ((0, "2 places"), (1, "1 place"), (2, None)):
        answer = ada.post(
            "/names/place", {**fields, "place": f"abc.{number}", "mark": "name"}, headers={"x-fragment": "1"}
        )
        assert left is None or left in answer.text
    assert "to decide" not in answer.text
    at.desk.write_lists()
    assert lists(at.desk.folder)["places"] == {f"abc.{number}": "name" for number in range(3)}
    assert lists(at.desk.folder)["names"]["w29"] == "both"


def test_undo_goes_back_mark_by_mark(at: At) -> None:
    review = review_of(at)
    review.mark("Ada", "w0", "name")
    review.mark("Ada", "w0", "word")
    review.mark("Bob", "w0", "both")
    review.mark("Ada", "w1", "name")
    assert [review.undo("Ada"), review.own("Ada", "w1")] == ["word:w1", ""]
    assert [review.undo("Ada"), review.own("Ada", "w0")] == ["word:w0", "name"]
    assert [review.undo("Ada"), review.own("Ada", "w0")] == ["word:w0", ""]
    assert review.undo("Ada") is None
    assert review.own("Bob", "w0") == "both"


def test_raters_are_blind_until_both_have_marked_a_word(at: At) -> None:
    ada, bob = at.visitor("Ada", steward=False), at.visitor("Bob", steward=False)
    ada.post("/names/mark", {"file": LABEL, "word": "w0", "mark": "name"})
    ada.post("/names/note", {"file": LABEL, "word": "w0", "text": "perhaps Salem"})
    seen = bob.get("/names").text + bob.get("/names/list?show=all").text + bob.get("/names/differing").text
    assert "Salem" not in seen and "You said" not in seen and 'aria-pressed="true"' not in seen
    bob.post("/names/mark", {"file": LABEL, "word": "w0", "mark": "word"})
    assert "Salem" in bob.get("/names/differing").text


def test_one_list_says_what_is_open_and_the_last_mark_holds(at: At) -> None:
    """A place that was marked while its word was both does not outlive another mark of the word."""
    review = at.desk.reviewing(LABEL)
    assert review is not None
    for one in review.queue.asked:
        review.mark("steward", one.word, "both" if one.word == "w29" else "word")
    assert review.standing("steward").open == ["1 word", "3 places"]
    review.mark_place("steward", "abc.0", "name")
    review.mark("Ada", "w1", "name")
    assert review.standing("steward").open == ["1 word", "2 places", "1 disagreement"]
    assert "Nearly done" not in at.visitor().get("/names").text
    assert dict(review.marks().places) == {"abc.0": True}
    review.mark("steward", "w29", "word")
    assert dict(review.marks().places) == {} and review.standing("steward").open == ["1 disagreement"]
    at.visitor().post("/names/go", {"file": LABEL, "word": "w29", "step": "open"})
    page = at.visitor().get("/names").text
    assert "Nearly done" in page and "Still open: 1 disagreement" in page and "All done" not in page
    review.decide("steward", "w1", "word")
    assert review.standing("steward").open == []


def test_where_raters_differ_nobodys_mark_holds_until_they_decide(at: At) -> None:
    review = review_of(at)
    for word in ("w0", "w1", "w2"):
        review.mark("Ada", word, "name")
    review.mark("Bob", "w0", "name")
    review.mark("Bob", "w1", "word")
    assert review.marks().words == {"w0": "name", "w2": "name"}
    assert [one.asked.word for one in review.differing()] == ["w1"]
    review.decide("steward", "w1", "both")
    assert review.marks().words["w1"] == "both" and review.differing() == []
    review.mark("Bob", "w1", "name")  # a change of mind after the decision: to be talked about again
    assert "w1" not in review.marks().words
    review.mark("Ada", "w1", "name")
    assert review.marks().words["w1"] == "name"


def test_kappa_and_merging_are_those_of_the_command_line(at: At) -> None:
    review, draw = review_of(at), np.random.default_rng(0)
    said: dict[str, dict[str, str]] = {"Ada": {}, "Bob": {}}
    for one in review.queue.asked:
        for rater, marks in said.items():
            if draw.random() < 0.8:
                marks[one.word] = str(draw.choice(["name", "word", "both"]))
                review.mark(rater, one.word, marks[one.word])
    expected = merge(said["Ada"], said["Bob"], listed=len(review.queue.asked))  # type: ignore[arg-type]
    [(first, second, merged)] = review.agreement()
    assert (first, second) == ("Ada", "Bob") and merged == expected
    assert review.marks().words == expected.marks
    assert {one.asked.word for one in review.differing()} == set(expected.disagreements)


def test_the_lists_say_what_holds_and_a_release_reads_it(at: At) -> None:
    import pyarrow as pa

    review = review_of(at)
    review.mark("Ada", "w0", "name")
    review.mark("Ada", "w1", "word")
    at.desk.unwritten.add(LABEL)
    at.desk.write_lists()
    found = lists(at.desk.folder)
    assert found["names"]["w0"] == "name" == found["sample"]["w0"] and found["names"]["w2"] == ""
    tables = {stem: pa.table({"word": list(marks), "mark": list(marks.values())}) for stem, marks in found.items()}
    assert read_marks(tables).words == {"w0": "name", "w1": "word"}


def test_what_was_marked_in_a_spreadsheet_is_taken_over(at: At) -> None:
    """As the worker reads the lists when words are listed anew."""
    review_of(at).mark("Ada", "w0", "name")
    at.desk.unwritten.add(LABEL)
    at.desk.write_lists()
    path = at.desk.where.private / "desk" / f"queue-{LABEL}.json"
    told = json.loads(path.read_text())
    marks = dict(zip(told["lists"]["names"]["word"], told["lists"]["names"]["mark"], strict=True))
    marks |= {"w0": "name", "w1": "word", "w2": "0.25"}
    for stem in ("names", "sample"):
        told["lists"][stem]["mark"] = [marks[word] for word in told["lists"][stem]["word"]]
    path.write_text(json.dumps(told))
    review = review_of(at)
    assert review.own("Ada", "w0") == "name" and review.own("Ada", "w1") == "word"
    assert review.marks().words == {"w0": "name", "w1": "word"} and review.marks().shares == {"w2": 0.25}
    review.mark("Ada", "w1", "name")  # and may be changed again
    assert review.marks().words["w1"] == "name"
    assert [mark.rater for mark in at.desk.store.marks(LABEL) if mark.rater.startswith("=")] == ["=the lists"] * 2


def test_the_lists_may_be_changed_while_the_desk_is_open_and_while_it_is_closed(at: At, tmp_path: Path) -> None:
    review_of(at).mark("Ada", "w0", "name")
    at.desk.write_lists()
    path = tmp_path / "private" / "review" / LABEL / "names.csv"
    text = path.read_text(encoding="utf-8-sig")
    lines = [line.rstrip("\n") for line in text.splitlines()]
    lines[2] = lines[2].rpartition(",")[0] + ",word"  # w1
    path.write_text("\n".join(lines).replace(",", ";"), encoding="utf-8")  # as another spreadsheet writes it
    (tmp_path / "private" / "review" / LABEL / "sample.csv").unlink()
    assert review_of(at).marks().words == {"w0": "name", "w1": "word"}
    again = desk_at(tmp_path)
    assert review_of(again).marks().words == {"w0": "name", "w1": "word"}
    review_of(again).mark("Ada", "w1", "both")
    again.desk.unwritten.add(LABEL)
    again.desk.write_lists()
    assert review_of(desk_at(tmp_path)).marks().words == {"w0": "name", "w1": "both"}


@pytest.mark.parametrize("after", ["nothing", "writing", "lists"])
def test_a_desk_killed_while_it_writes_the_lists_takes_nothing_back(
    at: At, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: str
) -> None:
    """Older marks of its own on the disk are no decision of somebody else."""
    review = review_of(at)
    review.mark("Ada", "w0", "name")
    review.write_lists(at.desk.where)
    review.mark("Ada", "w0", "word")
    review.mark("Ada", "w1", "name")
    keep = at.desk.store.keep

    def killed(name: str, value: str) -> None:
        if name.startswith("writing" if after == "nothing" else "written"):
            raise KeyboardInterrupt
        keep(name, value)

    monkeypatch.setattr(at.desk.store, "keep", killed)
    if after == "writing":
        monkeypatch.setattr("sharewell.desk.reviewing.write.review_table", lambda *_: keep("written:x", "{}"))
    with pytest.raises(KeyboardInterrupt):
        review.write_lists(at.desk.where)
    review.mark("Ada", "w0", "both")  # on disk, and never written to the lists
    assert review_of(desk_at(tmp_path)).marks().words == {"w0": "both", "w1": "name"}


def test_wrong_words_and_marks_are_refused(at: At) -> None:
    review = review_of(at)
    for word, mark in (("nobody", "name"), ("w0", "maybe"), ("w0", "")):
        with pytest.raises(InputError):
            review.mark("Ada", word, mark)
        with pytest.raises(InputError):
            review.decide("Ada", word, mark)
    with pytest.raises(InputError):
        review.mark_place("Ada", "abc.0", "both")
    assert at.desk.store.marks(LABEL) == []


def test_what_is_left_and_the_risk_it_carries(at: At) -> None:
    review = review_of(at)
    total = sum(one.risk for one in review.queue.asked)
    before = review.standing("Ada")
    assert (before.left, before.total) == (31, 31) and before.risk_left == pytest.approx(1)
    review.mark("Ada", "w0", "name")
    after = review.standing("Ada")
    assert after.left == 30 and after.risk_left == pytest.approx(1 - review.queue.asked[0].risk / total)
    assert review.standing("Bob").left == 31
    review.undo("Ada")
    assert review.standing("Ada").left == 31 and review.standing("Ada").risk_left == pytest.approx(1)


ACTIONS = st.tuples(
    st.sampled_from(["Ada", "Bob", "=Ada"]), st.integers(0, 5), st.sampled_from(["name", "word", "both", "undo"])
)


@given(st.lists(ACTIONS, max_size=25))
def test_any_order_of_marks_gives_the_same_after_a_restart(
    tmp_path_factory: pytest.TempPathFactory, actions: list[tuple[str, int, str]]
) -> None:
    """What is counted as one goes along is what is counted anew from the disk; nothing is open and marked at once."""
    store = Store(tmp_path_factory.mktemp("store") / "desk.sqlite")
    queue = small_queue(6)
    review = Reviewing(LABEL, queue, {}, store)
    review.standing("Ada"), review.standing("Bob")
    for rater, word, mark in actions:
        if mark == "undo":
            review.undo(rater.removeprefix("="))
        elif rater.startswith("="):
            review.decide(rater[1:], f"w{word}", mark)
        else:
            review.mark(rater, f"w{word}", mark)
    again = Reviewing(LABEL, queue, {}, store)
    for rater in ("Ada", "Bob"):
        one, other = review.standing(rater), again.standing(rater)
        assert one == replace(other, risk_left=one.risk_left) and one.risk_left == pytest.approx(other.risk_left)
        assert {item.word for item in review.listed(rater, "open", start=0, many=99)[0]}.isdisjoint(
            item.word for item in review.listed(rater, "marked", start=0, many=99)[0]
        )
    assert review.marks() == again.marks()
    store.close()


@pytest.mark.parametrize("seed", range(3))
def test_the_interval_while_marking_holds_the_truth_at_every_moment(seed: int) -> None:
    """Whatever is marked first: what a release would leave now lies inside, and the interval never grows."""
    draw = np.random.default_rng(seed)
    places = {f"w{i}": int(count) for i, count in enumerate(draw.zipf(1.8, 150).clip(1, 400))}
    names = {word: bool(draw.random() < 0.15) for word in places}
    left = Left(places=places, likely={}, words=30 * sum(places.values()))
    sample = labelled_sample.draw(left, seed=seed)  # every word is asked, so that nothing is left to chance
    likely = {word: float(draw.random()) for word in places}
    marked: dict[str, str] = {}
    widths = []
    for word in draw.permutation(list(places)):
        found = labelled_sample.so_far(sample, Marks(words=dict(marked)), {}, likely)  # type: ignore[arg-type]
        truth = sum(places[one] for one, is_name in names.items() if is_name and marked.get(one) != "name") / left.words
        assert found.low <= truth <= found.high and found.low <= found.value <= found.high
        widths.append(found.high - found.low)
        marked[word] = "name" if names[word] else "word"
    assert widths == sorted(widths, reverse=True)
    done = labelled_sample.so_far(sample, Marks(words=dict(marked)), {}, likely)  # type: ignore[arg-type]
    assert done == labelled_sample.estimate(sample, Marks(words=dict(marked)), {}) and done.unmarked == 0  # type: ignore[arg-type]


def test_a_queue_comes_back_as_it_was() -> None:
    queue = small_queue()
    assert Queue.from_dict(json.loads(json.dumps(queue.to_dict()))) == queue


def test_lists_are_written_under_the_private_folder_only(at: At) -> None:
    review_of(at).mark("Ada", "w0", "name")
    at.desk.write_lists()
    assert Place(at.desk.folder).release.exists() is False
    assert all(path.stat().st_mode & 0o077 == 0 for path in at.desk.where.private.rglob("*"))
