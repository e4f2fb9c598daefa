"""
What term2's terminal shows for one call, out of the items its SDK hands it, in whatever shape they come.

Read as the host's own formatter reads them, item for item: the first name that is there wins, arguments that are no
object stay the text they are, an output of several parts is one line each. Two things are ours: a query that is a list
or an object is shown as JSON, and a number as Python writes it.
"""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NoReturn

NO_CALL = "unknown-call"
CALL_IDS = ("callId", "call_id", "tool_call_id", "toolCallId", "id")


@dataclass(frozen=True)
class CommandMessage:
    """What the host's terminal shows for one call."""

    id: str
    command: str
    output: str
    success: bool
    tool_args: Mapping[str, Any] | str
    call_id: str | None = None
    tool_name: str = "web_search"
    sender: Literal["command"] = "command"
    status: Literal["completed"] = "completed"
    is_approval_rejection: bool = False


def format_web_search_command_message(
    item: Any, index: int, tool_call_arguments_by_id: Mapping[str, Any], *, now: Callable[[], float] = time.time
) -> list[CommandMessage]:
    """One message for one call: what was searched, what came of it, and whether that was a success."""
    raw, provided = part(item, "rawItem", "raw_item"), part(item, "providerItem", "provider_item")
    own = first(provided, raw, item)
    named = first(part(item, "callId"), part(own, *CALL_IDS), part(item, *CALL_IDS))
    call_id = named if isinstance(named, str) and named != NO_CALL else None
    own_id = part(own, "id", "callId")
    arguments = first(
        normalized(first(part(raw, "arguments"), part(item, "arguments"))),
        normalized(tool_call_arguments_by_id.get(call_id) if call_id else None),
        {},
    )
    output = next(filter(None, (output_text(part(source, "output")) for source in (item, provided, raw))), "No results")
    base = own_id if own_id and own_id != NO_CALL else first(call_id, f"{now() * 1000:.0f}-{index}")
    return [
        CommandMessage(
            id=f"{as_text(base)}-0",
            command=f'web_search: "{as_text(first(part(arguments, "query"), "unknown query"))}"',
            output=output,
            success=not output.startswith("Error:"),
            tool_args=arguments,
            call_id=call_id or None,
        )
    ]


def first(*values: Any) -> Any:
    """The first that is there, as `??` finds it."""
    return next((value for value in values if value is not None), None)


def part(item: Any, *names: str) -> Any:
    """The first of some fields that is there, of an object or of a mapping."""
    return first(*(item.get(name) if isinstance(item, Mapping) else getattr(item, name, None) for name in names))


def normalized(arguments: Any) -> Mapping[str, Any] | str | None:
    """Arguments as a mapping, or the text that is none; neither a list nor a number is anything."""
    if isinstance(arguments, Mapping):
        return arguments
    if not isinstance(arguments, str) or not arguments:
        return None
    try:
        read = json.loads(arguments.strip(), parse_constant=no_constant)
    except (ValueError, RecursionError):
        return arguments
    return read if isinstance(read, dict) else arguments


def no_constant(word: str) -> NoReturn:
    """JSON knows neither NaN nor Infinity."""
    raise ValueError(word)


def output_text(output: Any) -> str:
    """The text of an output: a text, parts of one, or an object that holds one."""
    if isinstance(output, list | tuple):
        return "\n".join(filter(None, map(output_text, output)))
    if not isinstance(output, str):
        held = next((text for name in ("text", "output") if isinstance(text := part(output, name), str)), None)
        return as_text(output) if held is None else held or output_text(part(output, "text"))
    return output


def as_text(value: Any) -> str:
    """A value in words: text as it is, everything else as JSON; nothing for what cannot be written."""
    if value is None or isinstance(value, str):
        return value or ""
    try:
        return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return ""
