"""
Write the parts of the documentation that follow from the code; `--check` only says whether they are up to date.

Run it after changing a setting, an option, a command, a provider, a dialect or an outcome.
"""

import dataclasses
import json
import re
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import click

from seekread import errors
from seekread.cli.app import COMMANDS, app
from seekread.config.settings import Settings, all_settings, variables
from seekread.config.sources import provider_variables
from seekread.errors import Unreadable
from seekread.options import GATHER, OPEN, SEARCH, Option
from seekread.outcomes import MEANINGS, Outcome, is_failure
from seekread.provider import Plan, traits
from seekread.providers.catalog import needs
from seekread.providers.plugins import installed
from seekread.providers.registry import READ_GROUP, SEARCH_GROUP, provider_class, required
from seekread.server.dialects import DIALECTS
from seekread.server.dialects.dialect import Dialect
from seekread.server.keys import BearerKey
from seekread.server.openapi import PROBLEMS
from seekread.version import PROJECT
from tests.test_architecture import MAY_KNOW, WORDS
from tools.package_metadata import registry_name
from tools.site import llms_txt

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
BEGIN, END = "<!-- generated: {} -->", "<!-- end -->"


def outcomes() -> str:
    rows = [
        f"| `{name}` | {raised(name)} | {meaning.step} | {meaning.exit_code} | {meaning.status} | {meaning.advice} |"
        for name, meaning in MEANINGS.items()
    ]
    columns = ("outcome", "one provider raises", "the engine", "exit code", "HTTP", "what a model is told")
    return "\n".join([f"| {' | '.join(columns)} |", "|---" * len(columns) + "|", *rows])


def raised(outcome: Outcome) -> str:
    """The error that stands for an outcome: one of its own, or the one that carries what is wrong with a page."""
    if not is_failure(outcome):
        return "(an answer)"
    if outcome == "cancelled":
        return "(the task's own)"
    classes = [made for made in vars(errors).values() if isinstance(made, type) and "outcome" in vars(made)]
    own = {vars(made)["outcome"]: made.__name__ for made in classes}
    return f"`{own.get(outcome, Unreadable.__name__)}`"


def statuses() -> str:
    def ending_so(status: str) -> str:
        return ", ".join(f"`{name}`" for name, meaning in MEANINGS.items() if str(meaning.status) == status)

    rows = [f"| {status} | {ending_so(status)} | {why} |" for status, why in PROBLEMS.items()]
    return "\n".join(["| status | outcomes | what happened |\n|---|---|---|", *rows])


def dialects() -> str:
    def send(dialect: Dialect) -> str:
        return " or ".join(key.hint for key in (BearerKey(), *dialect.keys))

    rows = [f"| {dialect.name} | {quoted(dialect.prefixes)} | {send(dialect)} |" for dialect in DIALECTS]
    return "\n".join(["| dialect | at and below | send |\n|---|---|---|", *rows])


def settings() -> str:
    parts = []
    for section in Settings.model_fields:
        rows = [
            f"| `{name}` | `{shown(info.default)}` | {quoted(variables(name, info))} | {info.description} |"
            for name, (owner, info) in all_settings().items()
            if owner == section
        ]
        parts += [f"## [{section}]\n", "| setting | default | environment | meaning |\n|---|---|---|---|", *rows, ""]
    return "\n".join(parts).rstrip()


def options(table: Mapping[str, Option], arguments: set[str]) -> str:
    rows = [
        f"| `{name}` | {'(argument)' if name in arguments else quoted(option.flag_names)} "
        f"| {'yes' if option.tool else ''} | {quoted(option.aliases)} | {option.sentence}{values(option)} |"
        for name, option in table.items()
    ]
    head = "| option | command line | shown to models | understood as well | meaning |\n|---|---|---|---|---|"
    return "\n".join([head, *rows])


def values(option: Option) -> str:
    return f" One of {quoted(option.choices)}." if option.choices else ""


def quoted(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def shown(default: object) -> str:
    return str(list(default)) if isinstance(default, tuple) else str(default)


def provider_groups() -> str:
    """Who can be asked, in a few lines."""
    searchers = {name: provider_class(name) for name in sorted(installed(SEARCH_GROUP))}
    special = [name for name, made in searchers.items() if traits(made).by_name]
    keyed = [
        name for name, made in searchers.items() if name not in special and any("key" in need for need in needs(made))
    ]
    free = [name for name in searchers if name not in {*special, *keyed}]
    groups = {
        "search, with a key": keyed,
        "search, without": free,
        "search, where they are named": special,
        "read": sorted(installed(READ_GROUP)),
    }
    rows = [f"| {what} | {quoted(tuple(names))} |" for what, names in groups.items()]
    return "\n".join(["| | |", "|---|---|", *rows])


def provider_table() -> str:
    rows = []
    for name, group in providers().items():
        made = provider_class(name, group)
        roles = " + ".join(role for role in ("search", "read") if hasattr(made, role))
        keys = [v for f in dataclasses.fields(made) if f.name in {"api_key", "base_url"} and required(f)
                for v in f.metadata.get("env", ())[:2]]  # fmt: skip
        needs = " or ".join(f"`{key}`" for key in keys) or "nothing"
        rows.append(f"| `{name}` | {roles} | {needs} | {', '.join(sorted(traits(made).honours)) or 'none'} |")
    return "\n".join(["| name | can | needs | honours by itself |", "|---|---|---|---|", *rows])


def provider_settings() -> str:
    parts = []
    for name, group in providers().items():
        made = provider_class(name, group)
        about = traits(made)
        rows = [
            f"| `{f.name}` | {'required' if required(f) else f'`{f.default}`'} "
            f"| {quoted(provider_variables(name, f))} | {f.metadata['about']} |"
            for f in dataclasses.fields(made)
            if f.init and f.metadata.get("about")
        ]
        parts.append(f"## {name}\n\n{about.label}. {caveat(about.caveat)}".rstrip() + "\n")
        if rows:
            parts += ["| field | default | environment | meaning |\n|---|---|---|---|", *rows, ""]
        if about.plans:
            parts += ["| plan | limit | price |\n|---|---|---|", *map(plan_row, about.plans), ""]
    return "\n".join(parts).rstrip()


def plan_row(plan: Plan) -> str:
    period = {"month": "a month", "day": "a day", "none": "in total"}[plan.period]
    limit = "none" if plan.limit is None else f"{plan.limit:,.10g} {plan.unit} {period}"
    unit = "searches" if plan.unit == "dollars" else plan.unit
    many, number = (1_000_000, "million") if unit == "tokens" else (1_000, "1,000")
    price = f"${plan.price * many:.10g} per {number} {unit}" if plan.price else "nothing by the call"
    return f"| `{plan.name}` | {limit} | {price} |"


def caveat(text: str) -> str:
    return f"Note: {text}." if text else ""


def providers() -> dict[str, str]:
    found = dict.fromkeys(sorted(installed(SEARCH_GROUP)), SEARCH_GROUP)
    return found | {name: READ_GROUP for name in sorted(installed(READ_GROUP)) if name not in found}


def commands() -> str:
    context = click.Context(app, info_name="seekread")
    parts = [f"```\n{app.get_help(context).strip()}\n```"]
    for name in COMMANDS:
        command = app.get_command(context, name)
        if command is not None:
            parts += help_of(command, f"seekread {name}", context)
    return "\n\n".join(parts)


def help_of(command: click.Command, name: str, parent: click.Context) -> list[str]:
    context = click.Context(command, info_name=name.rpartition(" ")[2], parent=parent)
    parts = [f"## {name}", f"```\n{command.get_help(context).strip()}\n```"]
    if isinstance(command, click.Group):
        for child in command.list_commands(context):
            if (found := command.get_command(context, child)) is not None:
                parts += help_of(found, f"{name} {child}", context)
    return parts


def arrows() -> str:
    rows = [
        f"| `{room}` | {', '.join(f'`{other}`' for other in sorted(known - WORDS)) or 'the words'} |"
        for room, known in MAY_KNOW.items()
        if room not in WORDS
    ]
    return "\n".join(["| room | knows, beside the words |\n|---|---|", *rows])


PARTS: dict[Path, dict[str, Callable[[], str]]] = {
    ROOT / "README.md": {"providers": provider_groups},
    DOCS / "how-it-works.md": {"arrows": arrows},
    DOCS / "outcomes.md": {"outcomes": outcomes},
    DOCS / "reference" / "options.md": {
        "search": partial(options, SEARCH, {"query"}),
        "open": partial(options, OPEN, {"url", "urls"}),
        "gather": partial(options, GATHER, {"question"}),
    },
    DOCS / "guides" / "dialects.md": {"dialects": dialects},
    DOCS / "guides" / "service.md": {"statuses": statuses},
    DOCS / "reference" / "settings.md": {"settings": settings},
    DOCS / "reference" / "providers.md": {"providers": provider_table, "provider settings": provider_settings},
    DOCS / "reference" / "command-line.md": {"commands": commands},
}
"""File → the parts of it that are written here."""


def renewed(text: str, parts: dict[str, Callable[[], str]]) -> str:
    for name, write in parts.items():
        begin = BEGIN.format(name)
        before, found, rest = text.partition(begin)
        if not found:
            raise SystemExit(f"there is no {begin!r}")
        text = f"{before}{begin}\n\n{write()}\n\n{END}{rest.partition(END)[2]}"
    return text


EXAMPLE = re.compile(r"<!-- example: (\S+) -->\n```(\w*)\n.*?```", re.DOTALL)


def with_examples(text: str) -> str:
    """Paste the files that a page shows."""

    def paste(match: re.Match[str]) -> str:
        code = (ROOT / match[1]).read_text(encoding="utf-8").rstrip()
        return f"<!-- example: {match[1]} -->\n```{match[2]}\n{code}\n```"

    return EXAMPLE.sub(paste, text)


MCP_NAME = re.compile(r"(?<=<!-- mcp-name: )\S+(?= -->)")


def registry_entry(text: str) -> str:
    """The entry for the registry of MCP servers, with what its owner said of where the project lives."""
    entry = json.loads(text) | {"name": registry_name(PROJECT)}
    source = {"repository": {"url": PROJECT, "source": "github"}} if PROJECT else {}
    rest = {name: value for name, value in entry.items() if name != "repository"}
    return json.dumps(rest | source, indent=2) + "\n"


def page(path: Path, text: str) -> str:
    named = MCP_NAME.sub(registry_name(PROJECT), text)
    return with_examples(renewed(named, PARTS.get(path, {})))


def fresh_text(path: Path, text: str) -> str:
    match path.name:
        case "server.json":
            return registry_entry(text)
        case "llms.txt":
            return llms_txt()
        case _:
            return page(path, text)


def main() -> None:
    stale = []
    # The list for models is made of the pages, so it comes last.
    for path in [ROOT / "README.md", ROOT / "server.json", *sorted(DOCS.rglob("*.md")), DOCS / "llms.txt"]:
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        fresh = fresh_text(path, text)
        if fresh != text:
            stale.append(path.relative_to(ROOT))
            if "--check" not in sys.argv:
                path.write_text(fresh, encoding="utf-8")
    if stale and "--check" in sys.argv:
        sys.exit(f"not up to date, run tools/generate_docs.py: {', '.join(map(str, stale))}")


if __name__ == "__main__":
    main()
