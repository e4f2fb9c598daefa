"""Where sentences end."""

import pytest

from seekread.page.sentences import sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("He said “No.” She left.", ["He said “No.”", "She left."]),
        ("See Fig. 3 and Smith et al. 2009 for more. Next.", ["See Fig. 3 and Smith et al. 2009 for more.", "Next."]),
        ("It was No. 5. We said no. We left.", ["It was No. 5.", "We said no.", "We left."]),
        ("J. R. R. Tolkien wrote it. So did I. Yes.", ["J. R. R. Tolkien wrote it.", "So did I.", "Yes."]),
        ("It cost 1.5 million. in all", ["It cost 1.5 million. in all"]),
        ("Das gilt z. B. Im Winter. Über uns steht nichts.", ["Das gilt z. B. Im Winter.", "Über uns steht nichts."]),
        ("Это было в 1990 г. Москва. Он ушел.", ["Это было в 1990 г. Москва.", "Он ушел."]),
        ("第一句。第二句！“第三句？”第四句", ["第一句。", "第二句！", "“第三句？”", "第四句"]),
        ("¿Cómo? ¡Así! Bien.", ["¿Cómo?", "¡Así!", "Bien."]),
        ("  \n ", []),
        ("No stop", ["No stop"]),
    ],
)
def test_a_stop_ends_a_sentence_unless_it_ends_an_abbreviation(text: str, expected: list[str]) -> None:
    assert [text[start:end] for start, end in sentences(text)] == expected
