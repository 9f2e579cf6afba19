"""An attack on invented names: one remembered mention is read wherever the same invented name stands for it.

With one invented name for each real one throughout a file the release is a substitution cipher. The count is exact, no
sample: each mention in turn is the remembered one, and each mention of the same name in another post under the same
invented name is decoded by it.
"""

from collections import Counter
from functools import partial

import numpy as np
import pyarrow as pa

from sharewell.contract import Risk
from sharewell.posts.kind import DECODED
from sharewell.posts.masked import MaskedPosts, Part
from sharewell.posts.protection.redaction import Redaction, inventing
from sharewell.text.decisions import names_at
from sharewell.text.tokens import fold

MENTIONS = pa.schema([("post", pa.int64()), ("name", pa.string()), ("invented", pa.string())])
STORY = (
    "Somebody remembers who was named in one place, and reads that name wherever the same invented one stands in other "
    "posts: so many further mentions on average. Invented names drawn per post stop this (`surrogate_per`)."
)


def decoding(masked: MaskedPosts, redaction: Redaction) -> list[Risk]:
    """Mentions in other posts that one remembered mention decodes, on average; nothing where no name is invented."""
    if redaction.surrogates is None:
        return []
    mentions = pa.concat_tables(masked.each_part(partial(_mentions, redaction), MENTIONS)).to_pylist()
    alike = Counter((one["name"], one["invented"]) for one in mentions)
    in_post = Counter((one["post"], one["name"], one["invented"]) for one in mentions)
    others = [alike[one["name"], one["invented"]] - in_post[tuple(one.values())] for one in mentions]
    value = float(np.mean(others)) if others else 0.0
    return [Risk(measure=DECODED, attacker="remembers one mention", value=value, n=len(mentions), story=STORY)]


def _mentions(redaction: Redaction, part: Part) -> pa.Table:
    """Every mention of one part under an invented name."""
    assert redaction.surrogates is not None
    tokens, invent, roots = part.tokens(), inventing(redaction, part), redaction.surrogates.roots
    found: list[tuple[int, str, str]] = []
    for token in np.flatnonzero(names_at(tokens, redaction.decisions)):
        text, word = int(tokens.post[token]), fold(tokens.surfaces[tokens.surface[token]])
        if (invented := invent(text, word)) is not None:
            found.append((part.first + text % part.rows, roots[word], invented))
    return pa.Table.from_pylist([dict(zip(MENTIONS.names, one, strict=True)) for one in found], MENTIONS)
