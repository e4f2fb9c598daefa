"""How words are stored in the index."""

import pytest

from seekread.index.words import indexed


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("東京都", ["東京", "京都", "都"]),
        ("東", ["東"]),
        ("Python入門", ["python", "入門", "門"]),
        ("サーバー", ["サー", "ーバ", "バー", "ー"]),
        ("한국어", ["한국", "국어", "어"]),
        ("ไทยๆ 2", ["ไทย", "ทยๆ", "ยๆ", "ๆ", "2"]),
        ("东京ไทย", ["东京", "京", "ไทย", "ทย", "ย"]),
        ("東京、大阪", ["東京", "京", "大阪", "阪"]),
        ("plain words", ["plain", "words"]),
    ],
)
def test_runs_without_spaces_are_stored_as_pairs_or_triples_and_their_end(text: str, stored: list[str]) -> None:
    assert indexed(text).split() == stored
