# ruff: noqa: RUF001 (question words of other scripts are meant as they stand)
"""
What kind of answer a question wants, told by its question words in fifteen languages, and what of that kind a text has.

A question that asks when is answered by a number or a year that it does not name itself, one that asks how many by a
number. Those two are told by their signs in any language. One that asks who is answered by a name, which is told by a
capital letter inside a sentence, where the script has any. Names of places look the same, but to ask for them gave
nothing on the questions this was measured with.
"""

import re
from typing import Literal

from seekread.page.folding import fold_words
from seekread.page.languages import NUMBER_WORDS, NUMERALS

AnswerKind = Literal["time", "amount", "person"]

QUESTION_WORDS: dict[AnswerKind, tuple[str, ...]] = {
    "time": (
        "when", "what year", "which year", "what date", "what day", "what month", "what century", "which century",
        "what decade", "wann", "seit wann", "welchem jahr", "welches jahr", "welchem jahrhundert", "welchem monat",
        "wanneer", "welk jaar", "quand", "quelle annee", "quel siecle", "quelle date", "cuando", "que ano",
        "que siglo", "que fecha", "quando", "quale anno", "che anno", "quale secolo", "em que ano", "que seculo",
        "когда", "каком году", "какои год", "каком веке", "каком месяце", "ne zaman", "hangi yil", "hangi yuzyil",
        "متى", "اي عام", "اي سنه", "اي قرن", "कब", "किस वर्ष", "किस साल", "khi nao", "nam nao", "ποτε", "ποιο ετος",
        "什么时候", "何时", "哪一年", "哪年", "几年", "哪个世纪", "哪天", "什麼時候",
        "いつ", "何年", "何世紀", "언제", "몇 년",
        "เมื่อใด", "เมื่อไหร่", "เมื่อไร", "ปีใด", "ปีไหน", "วันที่เท่า", "ศตวรรษใด",
    ),
    "amount": (
        "how many", "how much", "how long", "how old", "how far", "how large", "how big", "how high", "how tall",
        "how often", "how fast", "what percentage", "what percent", "what number", "wie viel", "wie viele", "wieviel",
        "wie lange", "wie alt", "wie hoch", "wie gross", "wie weit", "wie oft", "wie schnell", "welcher prozentsatz",
        "hoeveel", "hoe lang", "hoe oud", "hoe hoog", "hoe groot", "combien", "quel pourcentage", "cuanto", "cuanta",
        "cuantos", "cuantas", "que porcentaje", "quanto", "quanta", "quanti", "quante", "quale percentuale", "quantos",
        "quantas", "que percentagem", "que porcentagem", "сколько", "какое количество", "какои процент", "как долго",
        "как часто", "kac", "ne kadar", "yuzde kac", "كم", "कितने", "कितना", "कितनी", "bao nhieu", "bao lau", "ποσα",
        "ποσοι", "ποσες", "ποσο", "多少", "几个", "几次", "几名", "多大", "多长", "多高", "多久", "多远",
        "いくつ", "いくら", "何人", "どのくらい", "얼마", "몇", "เท่าใด", "เท่าไหร่", "เท่าไร", "กี่", "จำนวนเท่า", "ร้อยละเท่า",
    ),
    "person": (
        "who", "whom", "whose", "which person", "wer", "wen", "wem", "wessen", "wie is", "wie was", "qui", "quien",
        "quienes", "chi", "quem", "кто", "кого", "кому", "кем", "kim", "kimin", "ai la", "ποιος", "ποιοι",
    ),
}  # fmt: skip
"""Spelled as `fold_words` leaves them."""

NUMBER = re.compile(rf"\d+(?:[.,]\d+)*|[{NUMERALS}]")
WORDS = re.compile(r"[^\W\d_]+")
NAME = re.compile(r"(?<=[^.!?:…\s\"“”«»(]\s)[\"“«(]?([^\W\d_][^\W\d_]+)")
SPACED = re.compile(r"[^\W\d_]*[a-zа-яα-ω\u0600-\u06ff\u0900-\u097f]")


def asks_for(question: str) -> AnswerKind | None:
    """The kind of answer a question wants; `None` when it may be anything."""
    folded = f" {' '.join(fold_words(question).split())} "
    for kind, asked in QUESTION_WORDS.items():
        if any((f" {words} " if SPACED.match(words) else words) in folded for words in asked):
            return kind
    return None


def answers_in(text: str, kind: AnswerKind) -> set[str]:
    """What a text holds of a kind: its numbers, in digits and in words, or the names inside its sentences."""
    if kind == "person":
        return {name.lower() for name in NAME.findall(text) if name[0].isupper()}
    return {*NUMBER.findall(text), *(word for word in WORDS.findall(text.lower()) if word in NUMBER_WORDS)}
