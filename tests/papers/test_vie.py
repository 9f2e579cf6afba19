"""Vie, Rigaux and Minn: generators, difficulty and re-identification."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from sharewell import papers
from sharewell.errors import InputError

vie = papers.vie
COLUMNS = ("user", "skill", "correct")


def responses(students: int = 60, seed: int = 0) -> pa.Table:
    draw = np.random.default_rng(seed)
    rows = [
        (f"s{s}", f"k{item}", int(draw.random() < 0.3 + 0.05 * item))
        for s in range(students)
        for item in draw.integers(0, 10, draw.integers(15, 30))
    ]
    return pa.table(dict(zip(COLUMNS, zip(*rows, strict=True), strict=True)))


def common(a: list[int], b: list[int]) -> int:
    best = np.zeros((len(a) + 1, len(b) + 1), int)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            best[i + 1, j + 1] = best[i, j] + 1 if x == y else max(best[i, j + 1], best[i + 1, j])
    return int(best[-1, -1])


@pytest.mark.parametrize("norm", ["notebook", "printed", "both"])
def test_the_best_match_is_that_of_a_plain_program(norm: str) -> None:
    draw = np.random.default_rng(1)
    ours, theirs = ([draw.integers(0, 4, n).tolist() for n in draw.integers(3, 12, 9)] for _ in range(2))
    whole: Any = {
        "notebook": lambda a, b: a**0.03 * b**0.97,
        "printed": lambda a, b: b,
        "both": lambda a, b: (a + b) / 2,
    }[norm]
    plain = [max(common(a, b) / whole(len(a), len(b)) for b in theirs) for a in ours]
    assert vie.best_match(ours, theirs, norm).tolist() == pytest.approx(plain)  # type: ignore[arg-type]


def test_a_released_copy_is_recognised_and_a_small_rest_is_not() -> None:
    made = vie.table_4(responses(), COLUMNS, models=["drop 0", "drop 0.99"], seed=1)
    found = {(row["model"], row["metric"]): row["measured"] for row in made.rows.to_pylist()}
    assert found["drop 0", "Re-ID AUC"] > 0.95 and found["drop 0", "RMSE"] == pytest.approx(0, abs=1e-6)
    assert found["drop 0.99", "Re-ID AUC"] < 0.75 and found["drop 0.99", "RMSE"] > 0.1


def test_actions_that_everybody_gets_right_are_left_out() -> None:
    table = pa.table({"user": list("aabb"), "skill": ["x", "y", "x", "y"], "correct": [1, 0, 1, 1]})
    assert set(vie.without_extremes(table, COLUMNS)["skill"].to_pylist()) == {"y"}


def test_users_without_information_are_left_out() -> None:
    assert vie.informative([[0] * 30, [1] * 15 + [2] * 15 + [3] * 15], 0.5).tolist() == [True, True]
    assert vie.informative([[0], [1, 2, 3, 4, 5]], 0.5).tolist() == [False, True]


def test_tables_and_figures_are_tidy() -> None:
    log = responses()
    fake = vie.generate(log, "markov", COLUMNS, seed=1)
    two = vie.table_2(log, COLUMNS)
    assert two.rows["users"][-1].as_py() == 60 and two.rows["dataset"][0].as_py() == "ASSISTments 2009"
    three = vie.figure_3(log, {"markov": fake}, COLUMNS, most=5)
    assert three.rows.num_rows == 10 and "<svg" in three.html()
    assert vie.table_3(log, {"markov": fake}, COLUMNS).rows.num_rows == 1
    shares = vie.histograms(log, {"markov": fake}, COLUMNS).rows.group_by(["what", "dataset"])
    assert shares.aggregate([("measured", "sum")])["measured_sum"].to_pylist() == pytest.approx([1.0] * 4)
    one = vie.figure_1(log, COLUMNS).rows.to_pandas()
    width = np.diff(one["ability"][:2])[0]
    assert (one.groupby("what")["measured"].sum() * width).to_list() == pytest.approx([1, 1], abs=0.1)


def test_figure_4_has_measured_and_published_points() -> None:
    four = vie.table_4(responses(), COLUMNS, models=["drop 0", "markov"], data="ASSISTments 2009", seed=1)
    rows = vie.figure_4(four).rows.to_pylist()
    assert [(row["what"], row["wRMSE"], row["measured"]) for row in rows[2:]] == [
        ("drop, published", 0.0, 0.913),
        ("markov, published", 0.065, 0.495),
    ]
    assert "<circle" in vie.figure_4(four).html()


def slam(students: int, exercises: int) -> str:
    """A file of the layout of Duolingo's training data."""
    draw = np.random.default_rng(3)
    blocks = []
    for who in range(students):
        for number in range(exercises):
            head = f"# prompt:Yo soy\n# user:u{who}  countries:CO  days:{number}.5  client:web  session:lesson  "
            lines = [head + "format:reverse_translate  time:9"]
            for place, word in enumerate(draw.choice(["I", "am", "the", "boy", "girl"], 4)):
                morphology = "Person=1|fPOS=PRON++PRP"
                lines.append(
                    f"t{who}{number:02d}{place:02d}  {word}  PRON  {morphology}  nsubj  4  {draw.integers(0, 2)}"
                )
            blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n"


def test_a_file_of_the_layout_of_slam_goes_through_table_4(tmp_path: Path) -> None:
    file = tmp_path / "fr_en.slam.20190204.train.slam"
    file.write_text(slam(30, 6), encoding="utf-8")
    table = vie.read_slam(file)
    assert table.num_rows == 30 * 6 * 4 and set(table["correct"].to_pylist()) == {0, 1}
    assert table["countries"][0].as_py() == "CO" and table["exercise"][-1].as_py() == 180
    made = vie.table_4(table, vie.SLAM, models=["drop 0"], data="Duolingo SLAM 2018", longest=10_000)
    assert made.rows["published"].to_pylist() == [0.0, 0.0, 1.0]


def test_a_slam_file_without_labels_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "test.slam"
    file.write_text("# user:a  countries:CO\nt1 I PRON x nsubj 4\n", encoding="utf-8")
    with pytest.raises(InputError, match="test files"):
        vie.read_slam(file)
