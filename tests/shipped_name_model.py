"""The name model that comes with Sharewell, for every test of text and posts."""

import pytest

from sharewell.text.name_model import NameModel, default_model


@pytest.fixture(scope="session")
def model() -> NameModel:
    return default_model()
