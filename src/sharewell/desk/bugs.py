"""Describe a bug of ours by its kind and place, and never by what was in the data."""

import traceback
from pathlib import Path


def bug(error: Exception) -> str:
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "sharewell" in frame.filename]
    where = ", ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in frames[-3:])
    return (
        f"Sharewell stopped on a bug of its own ({type(error).__name__} at {where or 'start'}); nothing was released."
    )
