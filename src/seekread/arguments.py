"""
Arguments as models and programs send them: under names they know from elsewhere, numbers as text, half of them empty.

What makes no sense is answered with what to send instead.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import date
from typing import Any

from seekread.errors import InvalidQuery
from seekread.hostnames import BadHost, fold_host, host_of
from seekread.options import CODES, DOMAIN_PROFILE, Option, OptionKind

LARGEST = 10**9
"""No number of ours is larger, and Python refuses to write out the longest ones."""
LONGEST_TEXT = 2000
"""Characters of one text where several may be sent."""
FLAGS = {**dict.fromkeys(("true", "1", "yes", "on"), True), **dict.fromkeys(("false", "0", "no", "off", "none"), False)}


def read_arguments(given: Mapping[str, Any], options: Mapping[str, Option], *, strict: bool = True) -> dict[str, Any]:
    """
    Arguments under their own names, as what they mean; those left open are left out.

    strict: a name nobody knows is a mistake; otherwise it is passed over
    """
    read: dict[str, tuple[str, Any]] = {}
    for name, value in given.items():
        option = options.get(name) or by_another_name(name, options)
        if option is None:
            if strict:
                raise InvalidQuery(f"unknown argument {name!r}; known are {', '.join(options)}")
        elif not is_open(option, value):
            meaning = read_value(option, value)
            sent, before = read.setdefault(option.name, (name, meaning))
            if before != meaning:
                raise InvalidQuery(f"{sent} and {name} are two names of one thing; send one of them")
    for option in options.values():
        if option.missing and option.name not in read:
            raise InvalidQuery(f"{option.name} is required: {option.missing}")
    return {name: meaning for name, (_, meaning) in read.items()}


def by_another_name(name: str, options: Mapping[str, Option]) -> Option | None:
    """The option that models also call so, if there is one."""
    return next((option for option in options.values() if name in option.aliases), None)


def is_open(option: Option, value: Any) -> bool:
    """Say whether an argument was named and left open; what is required and empty is a mistake instead."""
    return value is None or (value == "" and not option.missing)


def read_value(option: Option, value: Any) -> Any:
    """What a value means, however it was written."""
    return READERS[option.kind](option, value)


def sent_value(given: Mapping[str, Any], option: Option) -> Any:
    """What was sent under any of an option's names, just as it was sent; for hosts that judge it in their own words."""
    return next((given[name] for name in option.names if given.get(name) is not None), None)


def text(option: Option, value: Any) -> str | None:
    if not isinstance(value, str):
        raise InvalidQuery(f"{option.name} must be text, not {type(value).__name__}")
    line = " ".join(whole_characters(option, value).replace("\0", " ").split())
    if option.missing and not line:
        raise InvalidQuery(f"{option.name} must not be empty: {option.missing}")
    if option.most and len(line) > option.most:
        raise InvalidQuery(f"{option.name} has {len(line)} characters, at most {option.most} are allowed; shorten it")
    return line or None


def whole_characters(option: Option, value: str) -> str:
    """Text that can be sent; halves of characters, as bytes that are no UTF-8 become, cannot."""
    if not value.isascii() and any("\ud800" <= character <= "\udfff" for character in value):
        raise InvalidQuery(f"{option.name} holds broken characters: send it as valid UTF-8")
    return value


def number(option: Option, value: Any) -> int:
    found = whole_number(value)
    if found is None:
        raise InvalidQuery(f"{option.name} must be a whole number, not {value!r:.40}")
    if found > LARGEST:
        raise InvalidQuery(f"{option.name} must be at most {LARGEST}")
    if found < option.least:
        raise InvalidQuery(
            f"{option.name} must be at least {option.least}{f', not {found}' if found > -LARGEST else ''}"
        )
    return found


def whole_number(value: Any) -> int | None:
    """A whole number, however it was written; `None` for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | str | float):
        return None
    if isinstance(value, float) and not value.is_integer():
        return None
    try:
        return int(value.strip().removesuffix(".0") if isinstance(value, str) else value)
    except ValueError:
        return None


def text_or_empty(value: object) -> str:
    """Text where text was sent, and none where anything else was."""
    return value if isinstance(value, str) else ""


def seconds(option: Option, value: Any) -> float:
    try:
        found = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        found = math.nan
    if not 0 <= found < math.inf:
        raise InvalidQuery(f"{option.name} must be a number of seconds from 0, not {value!r:.40}")
    return found


def flag(option: Option, value: Any) -> bool:
    """Yes or no, also as the words models and forms send."""
    if isinstance(value, bool | int | str) and (word := str(value).strip().lower()) in FLAGS:
        return FLAGS[word]
    raise InvalidQuery(f"{option.name} must be true or false, not {value!r:.40}")


def choice(option: Option, value: Any) -> str | None:
    word = value.strip().lower() if isinstance(value, str) else value
    if word in option.choices:
        return str(word)
    if isinstance(word, str) and word in option.spellings:
        return option.spellings[word]
    others = f" (or {', '.join(option.spellings)})" if option.spellings else ""
    raise InvalidQuery(f"{option.name} must be one of {', '.join(option.choices)}{others}, not {value!r:.40}")


def day(option: Option, value: Any) -> str:
    try:
        return date.fromisoformat(str(value)).isoformat()
    except ValueError:
        raise InvalidQuery(f"{option.name} must be a date such as 2026-10-31, not {value!r:.40}") from None


def code(option: Option, value: Any) -> str:
    pattern, wanted = CODES[option.kind]
    if not isinstance(value, str) or not re.fullmatch(pattern, value):
        raise InvalidQuery(f"{option.name} must be {wanted}, not {value!r:.40}")
    return value.upper() if option.kind == "country" else value


def domains(option: Option, value: Any) -> tuple[str, ...]:
    """
    Domains as the guard spells hosts: schemes, paths, leading dots and wildcards that people paste are taken off.

    `@name` stands for a list in the settings and stays as it is.
    """
    return tuple(dict.fromkeys(domain(option, item) for item in several(value)))


def domain(option: Option, item: Any) -> str:
    pasted = whole_characters(option, str(item)).strip()
    if pasted.startswith(DOMAIN_PROFILE) and pasted != DOMAIN_PROFILE:
        return pasted
    host = host_of(pasted if "://" in pasted else f"https://{pasted.removeprefix('*').strip('.')}")
    try:
        return fold_host(host)
    except BadHost:
        raise InvalidQuery(f"{option.name} holds {item!r:.40}, which is not a domain such as example.org") from None


def names(option: Option, value: Any) -> tuple[str, ...]:
    return tuple(text(option, item) or "" for item in several(value))


def texts(option: Option, value: Any) -> tuple[str, ...]:
    """One text or several; unlike names they may hold commas."""
    each = replace(option, most=LONGEST_TEXT)
    found = [text(each, item) for item in (value if isinstance(value, list | tuple) else [value])]
    return tuple(item for item in dict.fromkeys(found) if item)


def several(value: Any) -> list[Any]:
    """One or several values, also as one text with commas; empty ones are left out."""
    items = value.split(",") if isinstance(value, str) else value if isinstance(value, Iterable) else (value,)
    return [item for item in items if item is not None and item != ""]


def address(option: Option, value: Any) -> str:
    """One address, also as a list of one."""
    one = value[0] if isinstance(value, list | tuple) and len(value) == 1 else value
    if isinstance(one, list | tuple):
        raise InvalidQuery(f"{option.name} takes one address at a time, not {len(one)}")
    if not isinstance(one, str):
        raise InvalidQuery(f"{option.name} must be text, not {type(one).__name__}")
    if not (stripped := one.strip()):
        raise InvalidQuery(f"{option.name} is required: send the address of one page")
    return stripped


def addresses(option: Option, value: Any) -> tuple[str, ...]:
    return tuple(address(option, item) for item in (value if isinstance(value, list | tuple) else [value]))


READERS: Mapping[OptionKind, Callable[[Option, Any], Any]] = {
    "text": text,
    "number": number,
    "seconds": seconds,
    "flag": flag,
    "choice": choice,
    "day": day,
    "country": code,
    "language": code,
    "domains": domains,
    "names": names,
    "texts": texts,
    "address": address,
    "addresses": addresses,
}
"""How each kind of option is read."""
