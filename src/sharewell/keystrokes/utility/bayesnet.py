"""A Bayes net as a classifier: the class is a parent of every feature, features may depend on one another."""

from typing import Any

from sharewell.errors import MissingExtra
from sharewell.keystrokes.arrays import Array

CLASS = "class"
PARENTS = 2  # the class and one more: a tree over the features, as in TAN (Friedman et al. 1997)


def predictions(train: Array, classes: Array, test: Array) -> Array:
    """The more probable class of each test case; features are coded, every code of `test` known to `train` or not."""
    import numpy as np

    try:
        import pyagrum
    except ImportError:
        raise MissingExtra("pyAgrum", extra="bayes") from None

    library: Any = pyagrum

    names = [f"f{index}" for index in range(train.shape[1])]
    net = _learned(library, names, train, classes, np.vstack([train, test]))
    inference = library.LazyPropagation(net)
    inference.addTarget(CLASS)
    result = np.empty(len(test), dtype=np.int64)
    for row, codes in enumerate(test):
        inference.setEvidence({name: str(code) for name, code in zip(names, codes, strict=True)})
        inference.makeInference()
        result[row] = int(inference.posterior(CLASS).toarray().argmax())
    return result


def _learned(pyagrum: Any, names: list[str], train: Array, classes: Array, seen: Array) -> Any:
    """Structure by greedy hill climbing under BIC, parameters smoothed by one case."""
    import pandas

    template = pyagrum.BayesNet()
    template.add(pyagrum.LabelizedVariable(CLASS, CLASS, ["0", "1"]))
    for index, name in enumerate(names):
        codes = [str(code) for code in range(int(seen[:, index].max()) + 1)]
        template.add(pyagrum.LabelizedVariable(name, name, codes))
    columns = {CLASS: classes, **{name: train[:, index] for index, name in enumerate(names)}}
    learner = pyagrum.BNLearner(pandas.DataFrame(columns).astype(str), template)
    learner.useSmoothingPrior(1)
    learner.useScoreBIC()
    learner.useGreedyHillClimbing()
    learner.setMaxIndegree(PARENTS)
    for name in names:
        learner.addMandatoryArc(CLASS, name)
    return learner.learnBN()
