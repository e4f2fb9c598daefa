"""Somebody else's words stay in their place."""

import pytest

from seekread.render.inline import harmless, link_target, shortened


def test_a_text_is_cut_at_a_word_and_marked() -> None:
    """S2-34, S2-41."""
    assert shortened("one two three", 9) == "one two […]"
    assert shortened("unbroken" * 3, 5) == "unbro […]"
    assert shortened("short", None) == "short"


def test_a_text_without_spaces_is_not_lost_for_the_sake_of_one() -> None:
    """One space at the beginning of a Chinese text is no reason to drop the rest."""
    assert shortened("茶 " + "茶" * 500, 100) == "茶 " + "茶" * 98 + " […]"


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("## x", "\\## x"),
        ("a\n### b", "a\n\\### b"),
        ("#hashtag", "#hashtag"),
        ("---", "\\---"),
        ("a --- b", "a --- b"),
        ("**URL:** x", "*\\*URL:** x"),
        ("see **Published:** y", "see *\\*Published:** y"),
        ("a\r\n## b\rc", "a\n\\## b\nc"),
        ("a\u2028# b", "a\n\\# b"),
        ("  ## b", "  \\## b"),
        ("plain", "plain"),
    ],
)
def test_structure_in_content_is_made_harmless(text: str, safe: str) -> None:
    assert harmless(text) == safe


def test_a_link_cannot_be_ended_early() -> None:
    assert link_target("https://a.example/x> <y\n") == "<https://a.example/x%3E%20%3Cy>"
