"""What changed from one state of a text to the next: a key struck, a deletion, a paste, a completion."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator

TYPED, ERASED, PASTE, COMPLETION, DELETION = "typed", "erased", "paste", "completion", "deletion"
KEYS = {ERASED: "Backspace", PASTE: "Paste", COMPLETION: "Completion", DELETION: "Delete"}
LONGEST_COMPLETION = 40
_WORD = re.compile(r"[A-Za-z_]\w*$")
_COMPLETED = re.compile(r"\w+(\(\)?|\[\]?|;)*")
_PAIRS = {"()", "[]", "{}", '""', "''"}


def difference(before: str, after: str) -> tuple[str, str, int]:
    """The text taken out, the text put in, and where, by the longest common beginning and end."""
    start = _common(before, after)
    end = _common(before[start:][::-1], after[start:][::-1])
    return before[start : len(before) - end], after[start : len(after) - end], start


def named(deleted: str, inserted: str, context: str) -> tuple[str, str] | None:
    """The edit and the key that stands for it; `context` is the text before the place. None where nothing changed."""
    if not deleted and not inserted:
        return None
    if len(inserted) == 1 and not deleted:
        return TYPED, inserted
    if not inserted:
        edit = ERASED if len(deleted) == 1 else DELETION
    else:
        edit = COMPLETION if _is_completion(deleted, inserted, context) else PASTE
    return edit, KEYS[edit]


def of_states(states: Iterable[tuple[str, float]]) -> Iterator[tuple[str, str, float]]:
    """The edits of one session from its (text, time) states in order; a first state with more than a key is given."""
    before: str | None = None
    for text, time in states:
        if before is not None or len(text) <= 1:
            deleted, inserted, place = difference(before or "", text)
            edit = named(deleted, inserted, (before or "")[:place])
            if edit is not None:
                yield (*edit, time)
        before = text


def counted(edits: Iterable[str]) -> str:
    """How many of each, as a sentence."""
    counts = Counter(edits)
    words = {TYPED: "characters typed", ERASED: "erased", DELETION: "longer deletions", PASTE: "pastes"}
    words[COMPLETION] = "completions by the editor"
    return ", ".join(f"{counts[edit]:,} {word}" for edit, word in words.items())


def _is_completion(deleted: str, inserted: str, context: str) -> bool:
    """The rest of a word that was begun, or a bracket or quote with its partner: put in by the editor."""
    if inserted in _PAIRS and not deleted:
        return True
    if len(inserted) > LONGEST_COMPLETION or not _COMPLETED.fullmatch(inserted):
        return False
    return bool(_WORD.search(context)) or (bool(deleted) and inserted.startswith(deleted))


def _common(first: str, second: str) -> int:
    """The length of the common beginning, by halving: slices compare at the speed of memory."""
    low, high = 0, min(len(first), len(second))
    if first[:high] == second[:high]:
        return high
    while high - low > 1:
        middle = (low + high) // 2
        if first[low:middle] == second[low:middle]:
            low = middle
        else:
            high = middle
    return low
