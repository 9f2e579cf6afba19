"""The 95 features computed a second time, slowly and word by word, from the paper's text alone."""

import re
from collections import Counter
from typing import Any

WORD = re.compile(r"[a-zA-Z]+")


def osa(a: str, b: str) -> int:
    """Optimal string alignment by the full table."""
    table = [[i + j if i * j == 0 else 0 for j in range(len(b) + 1)] for i in range(len(a) + 1)]
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            cost = a[i - 1] != b[j - 1]
            table[i][j] = min(table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + cost)
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                table[i][j] = min(table[i][j], table[i - 2][j - 2] + 1)
    return table[-1][-1]


def uses(posts: list[str], word: str) -> list[dict[str, Any]]:
    """Every use of a word: where, how written, after what. Sentences end at . ! ? and line ends only."""
    found = []
    for number, post in enumerate(posts):
        written = list(WORD.finditer(post))
        for i, match in enumerate(written):
            if match[0].lower() != word:
                continue
            gap = post[written[i - 1].end() : match.start()] if i else ""
            found.append(
                {
                    "post": number,
                    "position": i,
                    "length": len(written),
                    "capital": match[0][0].isupper(),
                    "start": i == 0 or any(sign in gap for sign in ".!?\n"),
                    "before": written[i - 1][0].lower() if i else None,
                }
            )
    return found


def slow_features(posts: list[str], word: str, context: list[str], lists: Any) -> dict[str, float]:
    every = uses(posts, word)
    n = len(every)
    capital = [use for use in every if use["capital"]]
    mid = [use for use in every if not use["start"]]
    both = [use for use in mid if use["capital"]]
    row = {
        "occurrences": n,
        "position_in_first_post": every[0]["position"],
        "words_in_first_post": every[0]["length"],
        "share_capitalised": len(capital) / n,
        "share_sentence_start": (n - len(mid)) / n,
        "share_capitalised_of_mid_sentence": len(both) / len(mid) if mid else 0,
        "share_mid_sentence_and_capitalised": len(both) / n,
        "in_dictionary": word in lists.dictionary,
        "in_first_names": word in lists.first,
        "in_last_names": word in lists.last,
        "frequency_first_name": lists.first.get(word, 0),
        "frequency_last_name": lists.last.get(word, 0),
        "in_cities": word in lists.cities,
        "in_regions": word in lists.regions,
        "in_countries": word in lists.countries,
        "dictionary_words_within_1_edit": sum(osa(word, other) <= 1 for other in lists.dictionary),
        "dictionary_words_within_2_edits": sum(osa(word, other) <= 2 for other in lists.dictionary),
    }
    for setting, chosen in (("all", every), ("capitalised", capital), ("mid_capitalised", both)):
        before = Counter(use["before"] for use in chosen if use["before"])
        ten = sorted(before, key=lambda other: (-before[other], other))[:10]
        for other in context:
            row[f"{setting}_after_{other}"] = other in ten
        row[f"{setting}_after_other_words"] = sum(other not in context for other in ten)
    return {name: float(value) for name, value in row.items()}
