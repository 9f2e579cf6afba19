"""A key stays where five students use it, not four."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from sharewell.keystrokes.protection.rare_keys import common_keys


@pytest.mark.parametrize(("students", "common"), [(4, False), (5, True)])
def test_a_key_is_common_from_five_students_on(students: int, common: bool) -> None:
    who = np.tile(np.arange(students), 3)  # each of them presses it three times
    typing: Any = SimpleNamespace(student=who, key=np.zeros(who.size, np.int64), keys=["q"])
    assert common_keys(typing).tolist() == [common]
