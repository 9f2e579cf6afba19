"""Names, addresses and long numbers out of texts of any kind: what other kinds than posts need."""

from collections.abc import Sequence

from sharewell.text.decisions import decide, replace_names
from sharewell.text.finder import OneBatch, find
from sharewell.text.name_model import default_model
from sharewell.text.patterns import mask
from sharewell.text.roster import read_roster
from sharewell.text.tokens import tokenize
from sharewell.text.unseen import as_read
from sharewell.text.unspaced import without_names


def redact_texts(texts: Sequence[str], people: Sequence[str]) -> list[str]:
    """The texts with placeholders where they name somebody; `people` are cells of rosters, names or addresses.

    Short numbers stay: they carry meaning in code and exercises.
    """
    roster = read_roster(people) if people else None
    masked = [mask(as_read(text)).text for text in texts]
    if roster is not None:
        masked = [roster.without_unspaced(roster.without_split(text)[0])[0] for text in masked]
    words = tokenize([without_names(text)[0] for text in masked])
    names = find(OneBatch(words), default_model(), roster=roster)
    return replace_names(words, decide(names)).texts
