"""One list says what nobody sees; what scripts, emoji and flags need stays."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seekread.page.invisible import TAGGED_FLAGS, clean, is_unseen, one_line, visible

IGNORABLE = [
    (0x00AD, 0x00AD), (0x034F, 0x034F), (0x061C, 0x061C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F),
    (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
]  # fmt: skip
"""Unicode's Default_Ignorable_Code_Point: what a program shows as nothing when it does not know better."""
SCOTLAND = "\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"


@pytest.mark.parametrize(("first", "last"), IGNORABLE, ids=lambda code: f"{code:04X}")
def test_whatever_unicode_shows_as_nothing_is_removed(first: int, last: int) -> None:
    for code in range(first, last + 1):
        text, counted = clean(f"a{chr(code)}b")
        assert (text, counted.total()) == ("ab", 1), f"U+{code:04X}"


@pytest.mark.parametrize("code", [*range(0x20), *range(0x7F, 0xA0)])
def test_controls_are_removed_unless_they_are_white_space(code: int) -> None:
    character = chr(code)
    kept = character if character in "\t\n\v\f\r\x85" else ""
    assert visible(f"a{character}b") == f"a{kept}b"
    assert one_line(f"a {character} b") == "a b"


@pytest.mark.parametrize(
    ("text", "left", "kind"),
    [
        ("a l\u200bi\u200bne", "a line", "zero width"),
        ("riv\u00aders", "rivers", "soft hyphen"),
        ("rivers\U000e0049\U000e004e and", "rivers and", "tag character"),
        ("text \u202eneddih\u202c more", "text neddih more", "bidirectional control"),
        ("a\ufe01\ufe02b", "ab", "variation selector"),
        ("x\ufff9y", "xy", "invisible filler"),
        ("x\U000f0041y", "xy", "private use"),
        ("x\x1b[31my", "x[31my", "control character"),
        ("x\x9b31my", "x31my", "control character"),
    ],
)
def test_what_is_removed_is_counted_by_class(text: str, left: str, kind: str) -> None:
    washed, counted = clean(text)
    assert washed == left
    assert dict(counted) == {kind: len(text) - len(left)}


@pytest.mark.parametrize("around", ["", "<", "\x07"])
@pytest.mark.parametrize(
    "text",
    [
        "می\u200cخواهم",  # Persian needs the non-joiner
        "क्\u200dष",  # Devanagari needs the joiner
        "👩\u200d👩\u200d👧 and ❤\ufe0f and 1\ufe0f\u20e3",
        f"🏴{SCOTLAND}!",
        "葛\U000e0100城",  # which form of the first character is meant
        "ᠮᠣᠩ\u180bᠭᠣᠯ",
        "ordinary text – with “quotes”",
    ],
)
def test_characters_that_scripts_and_emoji_need_stay(text: str, around: str) -> None:
    assert visible(around + text + around) == (around + text + around).replace("\x07", "")


@pytest.mark.parametrize("joiner", ["\u200c", "\u200d"])
@pytest.mark.parametrize(("before", "after"), [("pass", " word"), ("word", ""), ("a", "م"), ("", "می"), ("1", "क")])
def test_a_joiner_after_nothing_that_joins_is_hidden(before: str, joiner: str, after: str) -> None:
    assert visible(before + joiner + after) == before + after


@pytest.mark.parametrize("before", ["", "a", " ", "🏳", "🏁", "🏴\u200b", "🏴\U000e0061"])
@pytest.mark.parametrize("flag", sorted(TAGGED_FLAGS))
def test_the_tags_of_a_flag_without_its_black_flag_are_a_hidden_text(before: str, flag: str) -> None:
    washed, counted = clean(f"{before}{flag} fans")
    assert washed == f"{before[:1]} fans"
    assert counted["tag character"] >= len(flag)


def test_a_flag_that_carries_more_than_its_own_tags_carries_nothing() -> None:
    assert visible(f"🏴{SCOTLAND}\U000e0069\U000e0067\U000e006e") == "🏴"


@settings(derandomize=True, database=None, deadline=None, max_examples=300)
@given(
    st.text(
        st.sampled_from([*"aü1<❤🏴👩م葛क\n", "\u200d", "\u200c", "\ufe0f", "\u200b", "\x07", *min(TAGGED_FLAGS)]),
        max_size=12,
    )
)
def test_what_was_washed_once_is_clean(text: str) -> None:
    washed = visible(text)
    assert clean(washed)[0] == washed
    assert len(washed) + clean(text)[1].total() == len(text)


def test_what_has_no_place_in_an_address_is_told_by_its_category() -> None:
    """Kinds of space and private characters too, but not what a browser would percent-encode without doubt."""
    assert all(map(is_unseen, "\t\x00\x85\u00a0\u00ad\u2028\u2029\u3000\u202e\ufeff\ue000\ud800\U000e0041\U000f0000"))
    assert not any(map(is_unseen, "aü東❤\u200c\u200d\ufe0f\u0301"))


PIECES = [*map(chr, range(0x20)), " ", "  ", "a", "b c", "~", "\x7f", "é", "\u200b", "\u2028", "\u00a0"]


@given(st.lists(st.sampled_from([" ", "a", "b c", "  "]) | st.sampled_from(PIECES)).map("".join))
def test_a_line_is_its_visible_words_and_one_space_between_them(text: str) -> None:
    assert one_line(text) == " ".join(visible(text).split())
