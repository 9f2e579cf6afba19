"""Names out of text that another kind holds."""

import pytest

from sharewell.text import redact
from sharewell.text.name_model import NameModel


def test_people_addresses_and_long_numbers_go_and_code_stays(model: NameModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redact, "default_model", lambda: model)
    texts = ["print('by Zbigniew') # call 555-201-8890", "x = 3", "王小明, z.nowak@uni.example"]
    clean = redact.redact_texts(texts, ["Zbigniew Nowak", "王小明"])
    assert clean == ["print('by [NAME]') # call [PHONE]", "x = 3", "[NAME], [EMAIL]"]
    assert redact.redact_texts(["x = 3"], []) == ["x = 3"]
