"""How we introduce ourselves to servers."""

import pytest

from seekread import version


def test_the_address_of_the_project_is_told_where_its_owner_named_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(version, "PROJECT", "")
    assert version.user_agent() == f"seekread/{version.VERSION}"
    monkeypatch.setattr(version, "PROJECT", "https://forge.example/somebody/seekread")
    assert version.user_agent() == f"seekread/{version.VERSION} (+https://forge.example/somebody/seekread)"
