"""Make the name model that comes with Sharewell: src/sharewell/text/tables/names.npz.

    python train/train_names.py --wnut ../shared/data/wnut17/wnut17train.conll

Sources: fictional courses and chatter of this project, and the training part of WNUT 2017 (Derczynski et al. 2017,
CC BY 4.0), as written and in lower case. Only parameters of trees are kept, no text. The recipe and the hashes of the
labelled text, of the code that feeds the model and of the word tables are written into the model and, readable, into
names.json. The development part of WNUT is never read here.
"""

import argparse
import hashlib
import json
from importlib import metadata
from pathlib import Path

from sharewell.text import training
from sharewell.text.labelled_text import conll
from sharewell.text.name_model import save

TABLES = Path(training.__file__).parent / "tables"


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def recipe(wnut: Path) -> dict[str, object]:
    """Everything that the model depends on."""
    return {
        "labelled text": {"WNUT 2017, training part (CC BY 4.0)": digest(wnut)},
        "fictional courses": [[seed, size, change.__name__] for seed, size, change in training.COURSES],
        "fictional chatter": [[seed, size, change.__name__] for seed, size, change in training.CHATTER],
        "weights of courses, chatter, real text and its copy in lower case": list(training.WEIGHTS),
        "trees of the first look, of the second": [training.TREES, training.SECOND_TREES],
        "cost of a missed person, of another missed name": [training.MISSED_PERSON, training.MISSED_OTHER],
        "features": training.fingerprint(),
        "tables": json.loads((TABLES / "tables.json").read_text()),
        "versions": {package: metadata.version(package) for package in ("numpy", "scikit-learn")},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wnut", type=Path, required=True, help="wnut17train.conll")
    given = parser.parse_args()
    real = [
        training.lesson(training.labelled(*conll(given.wnut), change, ("message",)), weight)
        for change, weight in ((str, training.REAL_WEIGHT), (str.lower, training.LOWER_WEIGHT))
    ]
    facts = recipe(given.wnut)
    model = training.train(real, list(training.fictional_lessons()), facts)
    save(model, TABLES / "names.npz")
    facts["sha256 of names.npz"] = digest(TABLES / "names.npz")
    (TABLES / "names.json").write_text(json.dumps(facts, indent=1, sort_keys=True) + "\n")
    for recall in (0.9, 0.93, 0.95, 0.97):
        print(f"recall {recall}: threshold {model.threshold(recall):.3f}")


if __name__ == "__main__":
    main()
