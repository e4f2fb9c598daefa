"""The languages that the APIs of search engines commonly list, and how they spell them."""

LISTED = {
    "ar", "eu", "bn", "bg", "ca", "zh-hans", "zh-hant", "hr", "cs", "da", "nl", "en", "en-gb", "et", "fi", "fr", "gl",
    "de", "el", "gu", "he", "hi", "hu", "is", "it", "ja", "kn", "ko", "lv", "lt", "ms", "ml", "mr", "nb", "pl", "pt-br",
    "pt-pt", "pa", "ro", "ru", "sr", "sk", "sl", "es", "sv", "ta", "te", "th", "tr", "uk", "vi",
}  # fmt: skip
SPELLINGS = {
    "no": "nb", "nn": "nb", "pt": "pt-pt",
    "zh": "zh-hans", "zh-cn": "zh-hans", "zh-sg": "zh-hans", "zh-tw": "zh-hant", "zh-hk": "zh-hant",
}  # fmt: skip
"""Codes of theirs where everybody else writes ISO 639."""


def listed_language(language: str | None) -> str | None:
    """The code of a language in that list, in lower case; `None` if it is not there."""
    wanted = (language or "").lower()
    spellings = (SPELLINGS.get(wanted, wanted), SPELLINGS.get(wanted[:2], wanted.split("-")[0]))
    return next((code for code in spellings if code in LISTED), None)
