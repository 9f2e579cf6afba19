"""Bosch, Crues, Shaik and Paquette (2020): names in discussion forums, by 95 features of each possible name.

Possible names by set subtraction (§2.2), 17 dense and 78 sparse features (§2.3), Extra-Trees of 500 and a network with
L2 on dense and L1 on sparse inputs, settings by a grid of four folds within four, both averaged; a missed name costs
twice a false alarm (§2.5). A line break ends a sentence: missing that was the paper's largest false alarm.

A context word counts where it is among *this candidate's* ten commonest preceding words. A dictionary word that the
posts write with a capital in the middle of sentences is a possible name here too; the paper loses it. The finder of
`sw.posts` decides place by place and is stronger; this is the paper's, word by word.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from sharewell.data import engine
from sharewell.errors import InputError
from sharewell.papers.tables import PaperTable, rows_of
from sharewell.progress import step
from sharewell.stats.agreement import cohen_kappa
from sharewell.stats.arrays import Array
from sharewell.stats.roc import auc
from sharewell.text import forest, network, paper_model
from sharewell.text.candidates import WordCounts, count_words, possible_names
from sharewell.text.forest import Forest
from sharewell.text.network import LayeredNetwork, NetworkSettings
from sharewell.text.paper_features import commonest_context, feature_names, features
from sharewell.text.patterns import mask
from sharewell.text.word_lists import english

TREES = 500
LEAVES = (1, 2, 4, 8, 16, 32)
SHARES = (0.25, 0.5, 0.75, 1.0)
THRESHOLD = 0.5
Grid = Literal["none", "trees", "printed"]
MODELS = ("Extra-Trees", "Custom NN", "Fusion")
COLUMNS = ("FN", "FP", "AUC", "Acc", "kappa", "Precision", "Recall", "Base rate", "N")
PUBLISHED_RATERS = {  # Table 1: holdout 1, ground truth is rater 1, then rater 2
    "Rater 1": (30, 7, 0.945, 0.938, 0.864, 0.864, 0.964, 0.360, 600),
    "Rater 2": (7, 30, 0.923, 0.938, 0.864, 0.964, 0.864, 0.360, 600),
}
PUBLISHED = {  # Table 2
    ("training", "Extra-Trees"): (52, 202, 0.971, 0.902, 0.793, 0.811, 0.943, 0.355, 2588),
    ("training", "Custom NN"): (37, 157, 0.981, 0.925, 0.841, 0.849, 0.960, 0.355, 2588),
    ("training", "Fusion"): (37, 173, 0.980, 0.919, 0.828, 0.836, 0.960, 0.355, 2588),
    ("holdout 1", "Extra-Trees"): (10, 56, 0.976, 0.890, 0.772, 0.786, 0.954, 0.360, 600),
    ("holdout 1", "Custom NN"): (11, 55, 0.975, 0.890, 0.771, 0.788, 0.949, 0.360, 600),
    ("holdout 1", "Fusion"): (10, 54, 0.979, 0.893, 0.778, 0.792, 0.954, 0.360, 600),
    ("holdout 2", "Extra-Trees"): (11, 54, 0.950, 0.892, 0.784, 0.826, 0.959, 0.445, 600),
    ("holdout 2", "Custom NN"): (16, 61, 0.950, 0.872, 0.744, 0.805, 0.940, 0.445, 600),
    ("holdout 2", "Fusion"): (8, 54, 0.956, 0.897, 0.794, 0.827, 0.970, 0.445, 600),
}


@dataclass(frozen=True, kw_only=True)
class PossibleNames:
    """The possible names of one course, most frequent first."""

    counts: WordCounts
    numbers: Array

    @property
    def words(self) -> list[str]:
        return [self.counts.words[number] for number in self.numbers]

    def features(self, context: Sequence[str]) -> Array:
        """One row of 95 numbers per possible name."""
        return features(self.counts, self.numbers, context, english())


@dataclass(frozen=True, kw_only=True)
class Classifier:
    """Both models, fitted; `context` are the 25 context words of the training posts."""

    context: tuple[str, ...]
    trees: Forest
    network: LayeredNetwork
    settings: Mapping[str, Any]

    def probabilities(self, possible: PossibleNames) -> dict[str, Array]:
        """Return each word's probability by trees, network and their mean."""
        return _probabilities(self.trees, self.network, paper_model.scaled(possible.features(self.context)))


def extract_possible_names(posts: Any, *, text: str | Sequence[str]) -> PossibleNames:
    """Extract words that are in no dictionary, with e-mails and URLs masked (§2.2)."""
    table = engine.arrow(engine.table(posts))
    columns = [text] if isinstance(text, str) else list(text)
    texts = [mask(cell or "").text for name in columns for cell in table[name].to_pylist()]
    counts = count_words([texts])
    return PossibleNames(counts=counts, numbers=possible_names(counts, english()))


def feature_table(possible: PossibleNames) -> pa.Table:
    """The 95 features of every possible name (§2.3), for raters and models alike."""
    context = commonest_context([(possible.counts, possible.numbers)])
    rows = possible.features(context)
    return pa.table({"word": possible.words, **dict(zip(feature_names(context), rows.T, strict=True))})


def train(
    possible: PossibleNames, labels: Mapping[str, bool], *, grid: Grid = "trees", missed_name_weight: float = 2.0,
    seed: int = 0,
) -> Classifier:  # fmt: skip
    """Fit Extra-Trees and network on the labelled possible names (§2.5).

    Args:
        possible: Of the training posts.
        labels: Word to whether it is a name; possible names without a label are left out.
        grid: Which settings are searched for by four folds: "none", those of the "trees", or both as "printed",
            which takes hours.
        missed_name_weight: What a missed name costs against a false alarm.
        seed: Of folds, trees and network.

    Returns:
        The classifier.
    """
    context = commonest_context([(possible.counts, possible.numbers)])
    rows, truth = _labelled(possible, labels, context)
    trees, net, settings = _fit(rows, truth, grid, missed_name_weight, seed)
    return Classifier(context=context, trees=trees, network=net, settings=settings)


def cross_validated(
    possible: PossibleNames, labels: Mapping[str, bool], *, grid: Grid = "trees", missed_name_weight: float = 2.0,
    seed: int = 0,
) -> tuple[dict[str, Array], Array]:  # fmt: skip
    """Run nested four-fold cross-validation of the three models."""
    context = commonest_context([(possible.counts, possible.numbers)])
    rows, truth = _labelled(possible, labels, context)
    found = {name: np.zeros(truth.size) for name in MODELS}
    with step("Cross-validation", total=paper_model.FOLDS) as advance:
        for learned, unseen in paper_model.folds(truth, seed):
            trees, net, _ = _fit(rows[learned], truth[learned], grid, missed_name_weight, seed)
            for name, values in _probabilities(trees, net, paper_model.scaled(rows[unseen])).items():
                found[name][unseen] = values
            advance(1)
    return found, truth


def _labelled(possible: PossibleNames, labels: Mapping[str, bool], context: Sequence[str]) -> tuple[Array, Array]:
    known = np.array([word in labels for word in possible.words])
    truth = np.array([bool(labels[word]) for word in possible.words if word in labels])
    if truth.sum() < paper_model.FOLDS or (~truth).sum() < paper_model.FOLDS:
        raise InputError(f"the labels need at least {paper_model.FOLDS} names and {paper_model.FOLDS} other words")
    return possible.features(context)[known], truth


def _fit(
    rows: Array, truth: Array, grid: Grid, cost: float, seed: int
) -> tuple[Forest, LayeredNetwork, dict[str, Any]]:
    settings = paper_model.Settings(trees=TREES, share=0.25, sample=1.0, missed_name_weight=cost, seed=seed)
    if grid != "none":
        settings = paper_model.search(rows, truth, settings=settings, leaves=LEAVES, shares=SHARES)
    net = NetworkSettings() if grid != "printed" else paper_model.search_network(rows, truth, seed=seed)
    weights, inputs = np.where(truth, cost, 1.0), paper_model.scaled(rows)
    trees = forest.grow(
        inputs, truth, weights, trees=TREES, leaf=settings.leaf, share=settings.share, sample=1.0, seed=seed
    )
    made = network.train(inputs, truth, weights, net, seed=seed)
    return trees, made, {"leaf": settings.leaf, "share": settings.share, "network": net}


def _probabilities(trees: Forest, net: LayeredNetwork, inputs: Array) -> dict[str, Array]:
    by_trees, by_network = trees.predict(inputs), net.predict(inputs)
    return dict(zip(MODELS, (by_trees, by_network, (by_trees + by_network) / 2), strict=True))


def metrics(truth: Array, guess: Array, scores: Array | None = None) -> dict[str, float]:
    """Compute the columns of both tables; without scores AUC is of one point."""
    missed, false, hits = int((truth & ~guess).sum()), int((~truth & guess).sum()), int((truth & guess).sum())
    single = (hits / max(truth.sum(), 1) + 1 - false / max((~truth).sum(), 1)) / 2
    ranked = single if scores is None else auc(scores[truth], scores[~truth]).value
    values = (
        missed, false, ranked, float((truth == guess).mean()),
        cohen_kappa(truth.tolist(), guess.tolist()).kappa, hits / max(hits + false, 1), hits / max(hits + missed, 1),
        float(truth.mean()), truth.size,
    )  # fmt: skip
    return {name: float(value) for name, value in zip(COLUMNS, values, strict=True)}


def table_1(rater_1: Mapping[str, bool], rater_2: Mapping[str, bool]) -> PaperTable:
    """Make Table 1: two raters against each other over words that both rated."""
    words = sorted(rater_1.keys() & rater_2.keys())
    if not words:
        raise InputError("the raters have no word in common")
    marks = {
        "Rater 1": np.array([bool(rater_1[w]) for w in words]),
        "Rater 2": np.array([bool(rater_2[w]) for w in words]),
    }
    rows = []
    for name, other in (("Rater 1", "Rater 2"), ("Rater 2", "Rater 1")):
        found = metrics(marks[name], marks[other])
        rows += _rows({"ground truth": name}, found, PUBLISHED_RATERS[name])
    caption = "AUC of a single point. Published: two raters of holdout 1."
    return PaperTable(name="Table 1", title="Raters' agreement", caption=caption, rows=rows_of(rows))


def table_2(
    training: tuple[PossibleNames, Mapping[str, bool]],
    holdouts: Mapping[str, tuple[PossibleNames, Mapping[str, bool]]] | None = None,
    *,
    grid: Grid = "trees",
    missed_name_weight: float = 2.0,
    seed: int = 0,
) -> PaperTable:
    """Table 2: Extra-Trees, network and fusion, cross-validated on the training data and applied to held-out courses.

    Args:
        training: Possible names with labels.
        holdouts: The same for each held-out course; "holdout 1" (a later term) and "holdout 2" (another course) have
            published figures.
        grid: Of `train`.
        missed_name_weight: What a missed name costs.
        seed: Of everything drawn.

    Returns:
        One row per dataset, model and column of the table.
    """
    found, truth = cross_validated(*training, grid=grid, missed_name_weight=missed_name_weight, seed=seed)
    rows = _model_rows("training", found, truth)
    if holdouts:
        fitted = train(*training, grid=grid, missed_name_weight=missed_name_weight, seed=seed)
        for name, (possible, labels) in holdouts.items():
            known = np.array([word in labels for word in possible.words])
            truth = np.array([bool(labels[word]) for word in possible.words if word in labels])
            scores = {model: values[known] for model, values in fitted.probabilities(possible).items()}
            rows += _model_rows(name, scores, truth)
    return PaperTable(
        name="Table 2",
        title="Name vs. non-name classification",
        caption=f"Nested four folds on training; grid: {grid}; a missed name costs {missed_name_weight:g}; "
        f"seed {seed}. Published: other courses, which nobody may see.",
        rows=rows_of(rows),
    )


def _model_rows(dataset: str, scores: Mapping[str, Array], truth: Array) -> list[dict[str, Any]]:
    rows = []
    for model in MODELS:
        found = metrics(truth, scores[model] >= THRESHOLD, scores[model])
        rows += _rows({"dataset": dataset, "model": model}, found, PUBLISHED.get((dataset, model)))
    return rows


def _rows(about: dict[str, Any], found: dict[str, float], published: Sequence[float] | None) -> list[dict[str, Any]]:
    printed = published or (None,) * len(COLUMNS)
    pairs = zip(COLUMNS, printed, strict=True)
    return [
        {**about, "metric": name, "measured": found[name], "published": None if one is None else float(one)}
        for name, one in pairs
    ]
