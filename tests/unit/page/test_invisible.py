"""Characters nobody sees: which go, which a reader needs, and how they are counted."""

import pytest

from seekread.page.invisible import TAGGED_FLAGS, clean

BLACK_FLAG = "\U0001f3f4"


@pytest.mark.parametrize("tags", sorted(TAGGED_FLAGS), ids=["England", "Scotland", "Wales"])
def test_a_flag_spelled_with_tag_characters_stays_whole(tags: str) -> None:
    text = f"up {BLACK_FLAG}{tags} down"
    assert clean(text) == (text, {})


@pytest.mark.parametrize("tags", sorted(TAGGED_FLAGS), ids=["England", "Scotland", "Wales"])
@pytest.mark.parametrize("before", ["", "word", "\U0001f3f3", f"{BLACK_FLAG} "])
def test_the_tags_of_a_flag_without_the_flag_are_a_message_nobody_sees(tags: str, before: str) -> None:
    assert clean(f"{before}{tags}") == (before, {"tag character": len(tags)})


def test_a_flag_carries_no_other_message() -> None:
    """Letters of one's own between the flag and its end are no region, and a second run is no part of the flag."""
    hidden = "".join(chr(0xE0000 + ord(letter)) for letter in "obey") + "\U000e007f"
    assert clean(f"{BLACK_FLAG}{hidden}") == (BLACK_FLAG, {"tag character": len(hidden)})
    scotland = sorted(TAGGED_FLAGS)[1]
    assert clean(f"{BLACK_FLAG}{scotland}{hidden}") == (BLACK_FLAG, {"tag character": len(scotland + hidden)})


@pytest.mark.parametrize("text", ["می\u200cخواهم", "क्\u200dष", "क्\u200d"])
def test_joiners_stay_where_a_script_needs_them(text: str) -> None:
    assert clean(text) == (text, {})


@pytest.mark.parametrize("text", ["wo\u200crd", "word\u200d", "word\u200d.", "\u200cword", "1\u200c2"])
def test_joiners_between_other_letters_say_nothing_to_a_reader(text: str) -> None:
    left, found = clean(text)
    assert left == text.replace("\u200c", "").replace("\u200d", "")
    assert found == {"zero width": 1}
