"""Names, addresses and long numbers out of texts of any kind: what other kinds than posts need."""

from collections.abc import Sequence

from sharewell.text.decisions import decide, replace_names
from sharewell.text.finder import find
from sharewell.text.patterns import mask
from sharewell.text.roster import read_roster
from sharewell.text.training import default_model


def redact_texts(texts: Sequence[str], people: Sequence[str]) -> list[str]:
    """The texts with placeholders where they name somebody; `people` are cells of rosters, names or addresses.

    Short numbers stay: they carry meaning in code and exercises.
    """
    roster = read_roster(people) if people else None
    masked = [mask(text, numbers="long").text for text in texts]
    if roster is not None:
        masked = [roster.without_unspaced(text)[0] for text in masked]
    model = default_model()
    names = find([masked], model, roster=roster)
    return replace_names(masked, decide(names, model.places)).texts
