"""A search's or a read's options as flags of a command: spellings, types and help come from the table of options."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from seekread.cli.names import NAMES
from seekread.options import Option

F = TypeVar("F", bound=Callable[..., Any])


def flags(options: Mapping[str, Option], *, but: set[str]) -> Callable[[F], F]:
    """Give a command a flag for every option but those that are its arguments."""
    shown = [option for name, option in options.items() if name not in but]
    return together(*(click.option(*option.flag_names, option.name, **takes(option)) for option in shown))


def together(*options: Callable[[Any], Any]) -> Callable[[F], F]:
    """Several options of commands as one decorator; `--help` shows them in their order."""

    def give(command: F) -> F:
        for option in reversed(options):
            command = option(command)
        return command

    return give


def takes(option: Option) -> dict[str, Any]:
    """What click needs to know; most values are judged where everybody's arguments are read."""
    return {"help": option.sentence, "shell_complete": NAMES.get(option.name), **kind_of(option)}


def kind_of(option: Option) -> dict[str, Any]:
    match option.kind:
        case "flag":
            return {"is_flag": True}
        case "domains" | "names" | "texts":
            return {"multiple": True, "help": f"{option.sentence.rstrip('.')}; repeatable."}
        case "number":
            return {"type": click.IntRange(min=option.least)}
        case "seconds":
            return {"type": float}
        case "choice" if not option.spellings:
            return {"type": click.Choice(option.choices)}
        case "choice":
            return {"metavar": f"[{'|'.join(option.choices)}]"}
        case "day":
            return {"metavar": "DAY"}
        case _:
            return {}


def given(values: Mapping[str, Any], options: Mapping[str, Option]) -> dict[str, Any]:
    """The options that were given, out of everything a command was given; names may stand in one, with commas."""
    wanted = {name: value for name, value in values.items() if name in options and value is not None and value != ()}
    return {name: split_names(value) if options[name].kind == "names" else value for name, value in wanted.items()}


def split_names(values: tuple[str, ...]) -> tuple[str, ...]:
    """`searxng,Brave` as two names, in the spelling they have."""
    return tuple(name.strip().lower() for value in values for name in value.split(",") if name.strip())
