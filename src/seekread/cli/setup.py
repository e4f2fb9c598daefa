"""
`seekread setup`: from nothing to a search that works, step by step.

A person is asked each question; a flag answers it beforehand, and where nobody is there to ask, only the flags count.
Keys are read unseen, or one a line from stdin. What was changed is written down, so that `--undo` takes it back.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

import click

from seekread.cli.names import completer, engines, keyless
from seekread.cli.terminal import hidden, note, person_is_here, say
from seekread.config.needs import Needed, needed_of
from seekread.errors import Misconfigured, SeekreadError
from seekread.render.failure import tell
from seekread.spelling import nearest

if TYPE_CHECKING:
    from seekread.compose import Parts
    from seekread.config.undoing import Undoing

Keeping = Literal["keyring", "file"]
NOBODY = "none"
EVERYBODY = "all"


def agents() -> list[str]:
    from seekread.mcp.install import writable

    return [*writable(), EVERYBODY, NOBODY]


@click.command()
@click.option(
    "--engine",
    "engines",
    multiple=True,
    metavar="NAME",
    shell_complete=completer(engines),
    help="Engine to set up; repeatable, or none.",
)
@click.option(
    "--keep", type=click.Choice(get_args(Keeping)), help="Where keys are kept; the keyring where there is one."
)
@click.option("--test/--no-test", default=None, help="Ask each engine one question with a known answer, or do not.")
@click.option(
    "--keyless",
    multiple=True,
    metavar="NAME",
    shell_complete=completer(keyless),
    help="Service that may be asked without a key; all, none.",
)
@click.option(
    "--client",
    "clients",
    multiple=True,
    metavar="NAME",
    shell_complete=completer(agents),
    help="Agent to connect; repeatable; all, none.",
)
@click.option("--search", "query", metavar="QUERY", help="What the search at the end looks for; none leaves it out.")
@click.option("--undo", is_flag=True, help="Take back what was set up last.")
@click.pass_context
def setup(ctx: click.Context, /, **options: Any) -> None:
    """
    Choose engines, keep their keys, connect agents, and end with a search that works.

    Every question has a flag. Keys are typed unseen, or come one a line from stdin, in the order of the engines.
    """
    from seekread.cli.doctor import unasked
    from seekread.config.undoing import Undoing
    from seekread.config.writing import own_file

    record = Undoing.at(own_file(ctx.obj["config"]))
    if options["undo"]:
        undone(record)
        return
    check_flags(ctx, record, options)
    values = tested(ctx, options["test"], entered(chosen_engines(options["engines"])))
    try:
        keep(record, values, options["keep"])
        agree(ctx, record, options["keyless"])
        connect(record, options["clients"], ctx.obj["config"])
    finally:
        record.write()
    for finding in unasked(current(ctx, record)):
        note(f"· {finding.text}", f"  → {finding.hint}")
    say(f"settings: {record.path}    take it back: seekread setup --undo")
    finish(ctx, options["query"])


def check_flags(ctx: click.Context, record: "Undoing", options: Mapping[str, Any]) -> None:
    """A mistake in a later step's flag is told before a key is asked for or anything is written."""
    from seekread.mcp.install import present, writable

    if options["keyless"]:
        agreed_services(current(ctx, record), options["keyless"])
    if options["clients"]:
        chosen_clients(options["clients"], present(), writable())


def step(number: int, title: str) -> None:
    note("", f"{number}. {title}")


def listed(answer: str) -> list[str]:
    """The names in an answer."""
    return [name for name in dict.fromkeys(answer.lower().replace(",", " ").split()) if name != NOBODY]


def chosen_engines(named: Sequence[str]) -> list[str]:
    """The engines to set up: those of the flags, or those a person names."""
    from seekread.providers.registry import Registry

    known = [name for name in Registry().search_names() if needed_of(name)]
    asks = not named and person_is_here()
    if asks:
        step(1, "Engines")
        note("DuckDuckGo and Wikipedia need nothing. With a key, or an instance of your own, these answer too:")
        note(f"  {', '.join(known)}")
    while True:
        question = "Which do you have? Their names, or return for none"
        chosen = listed(click.prompt(question, default="", show_default=False, err=True) if asks else " ".join(named))
        unknown = next((name for name in chosen if name not in known), None)
        if unknown is None:
            return chosen
        said(f"there is no engine {unknown!r} to set up{nearest(unknown, known)}", again=asks)


def said(mistake: str, *, again: bool) -> None:
    """Tell a person of a mistake, who is asked again; a flag is not."""
    if not again:
        raise click.UsageError(mistake)
    note(f"  {mistake}")


def entered(engines: Sequence[str]) -> dict[Needed, str]:
    """The values a person types, or that stand on the lines of stdin."""
    wanted = [needed for name in engines for needed in needed_of(name)]
    if wanted and person_is_here():
        step(2, "Keys")
    values = {needed: value_of(needed) for needed in wanted}
    if (missing := next((needed for needed in wanted if not values[needed]), None)) and not person_is_here():
        raise click.UsageError(f"there is no line for {missing.variable}: keys come one a line from stdin")
    return {needed: value for needed, value in values.items() if value}


def value_of(needed: Needed) -> str:
    label = f"{needed.engine}: {needed.about} ({needed.variable})"
    if needed.secret or not person_is_here():
        return hidden(label)
    return str(click.prompt(label, err=True)).strip()


def tested(ctx: click.Context, wanted: bool | None, values: Mapping[Needed, str]) -> dict[Needed, str]:
    """The values of engines that answered, or that a person keeps although they did not."""
    if not values:
        return {}
    if wanted is None:
        wanted = person_is_here() and click.confirm("Ask each of them one question now? It may be charged.", err=True)
    if not wanted:
        return dict(values)
    import anyio

    names = list(dict.fromkeys(needed.engine for needed in values))
    given = {name: {n.field: value for n, value in values.items() if n.engine == name} for name in names}
    problems = anyio.run(try_out, ctx.obj, given)
    for name in names:
        note(f"  ✗ {problems[name]}" if name in problems else f"  ✓ {name} answers")
    dropped = {name for name in problems if not (person_is_here() and click.confirm(f"Keep {name} anyway?", err=True))}
    if dropped and not person_is_here():
        raise Misconfigured("nothing was written: " + "; ".join(problems.values()))
    return {needed: value for needed, value in values.items() if needed.engine not in dropped}


async def try_out(given: Mapping[str, Any], values: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """What is wrong with engines, by name: each is asked a question whose answer is known."""
    from seekread.cli.doctor import found_what_it_must
    from seekread.compose import compose
    from seekread.config.sources import load

    configuration = load({**given["settings"], "store": "memory:"}, file=given["config"], providers=values)
    parts = compose(configuration)
    try:
        findings = {name: await found_what_it_must(parts, parts.registry.searcher(name)) for name in values}
    finally:
        await parts.close()
    return {name: finding.text for name, finding in findings.items() if finding.mark == "problem"}


def keep(record: "Undoing", values: Mapping[Needed, str], where: Keeping | None) -> None:
    """Keep keys in the keyring, everything else and what no keyring takes in the settings file."""
    from seekread.config.writing import keep_in_keyring, keyring_works, write_settings

    ring = where == "keyring" or (where is None and any(needed.secret for needed in values) and keyring_works())
    if ring and not keyring_works():
        raise Misconfigured(
            "there is no keyring here: install seekread[keyring], or keep keys in the file (--keep file)"
        )
    in_ring = {needed: value for needed, value in values.items() if ring and needed.secret}
    for needed, value in in_ring.items():
        keep_in_keyring(needed.variable, value)
        record.kept_in_keyring(needed.variable)
    in_file: dict[Sequence[str], Any] = {
        ("providers", needed.engine, needed.field): value for needed, value in values.items() if needed not in in_ring
    }
    if in_ring:
        in_file["services", "use_keyring"] = True
    if in_file:
        write_settings(record.path, in_file)
    for needed in values:
        place = "the keyring" if needed in in_ring else str(record.path)
        note(f"  {needed.engine}: {needed.field} is kept in {place}")


def agree(ctx: click.Context, record: "Undoing", named: Sequence[str]) -> None:
    """Write down which services may be asked without a key, where somebody said so."""
    from seekread.cli.consent import KEYLESS, question
    from seekread.config.writing import write_settings

    parts = current(ctx, record)
    if named:
        agreed = agreed_services(parts, named)
    elif person_is_here() and parts.configuration.origins["keyless"] == "default":
        step(3, "Without a key")
        agreed = question(parts)
    else:
        return
    write_settings(record.path, {KEYLESS: agreed})


def agreed_services(parts: "Parts", named: Sequence[str]) -> list[str]:
    """The services that flags agree to."""
    from seekread.cli.consent import keyless_hosts

    agreed = list(keyless_hosts(parts)) if EVERYBODY in named else listed(" ".join(named))
    parts.registry.check_agreed(agreed)
    return agreed


def current(ctx: click.Context, record: "Undoing") -> "Parts":
    """The parts as the settings are by now."""
    from seekread.compose import compose
    from seekread.config.sources import load

    file = ctx.obj["config"] or (record.path if record.path.exists() else None)
    return compose(load(ctx.obj["settings"], file=file))


def connect(record: "Undoing", named: Sequence[str], config: str | None) -> None:
    """Write the MCP server into the settings of agents."""
    from seekread.cli.mcp import installed
    from seekread.cli.mcp import tell as tell_changes
    from seekread.mcp.install import present, writable

    chosen = chosen_clients(named, present(), writable())
    options = {"transport": "stdio", "url": None, "name": "seekread", "env": (), "uvx": False, "tool_prefix": ""}
    changes = installed(chosen, options, config)
    tell_changes(changes)
    for change in changes:
        if change.done == "written":
            record.connected(change.client)


def chosen_clients(named: Sequence[str], found: Sequence[str], known: Sequence[str]) -> list[str]:
    """The agents to connect: those of the flags, or those a person names."""
    asks = not named and person_is_here() and bool(found)
    if asks:
        step(4, "Agents")
        note(f"found here: {', '.join(found)}")
    while True:
        question = "Connect them? [y]es, [n]o, or their names"
        chosen = listed(click.prompt(question, default="y", err=True) if asks else " ".join(named))
        if EVERYBODY in chosen or (asks and chosen in (["y"], ["yes"])):
            return list(found)
        if asks and chosen in (["n"], ["no"]):
            return []
        unknown = next((name for name in chosen if name not in known), None)
        if unknown is None:
            return chosen
        said(f"there is no agent {unknown!r}; known are {', '.join(known)}", again=asks)


def finish(ctx: click.Context, query: str | None) -> None:
    """Search, so that everybody sees that it works."""
    if query == NOBODY or (query is None and not person_is_here()):
        return
    if query is None:
        step(5, "A search")
        query = str(
            click.prompt("What shall we look for? none leaves it out", default="web search for agents", err=True)
        )
        if query == NOBODY:
            return
    import anyio

    from seekread.cli.search import ask_all

    codes = anyio.run(ask_all, [query], {"limit": 3}, {**ctx.obj}, "text", False)
    ctx.exit(max(codes))


def undone(record: "Undoing") -> None:
    """Take back what was set up last."""
    from seekread.cli.mcp import tell as tell_changes
    from seekread.mcp.install import uninstall

    try:
        told = record.undo()
    except SeekreadError as error:
        raise click.UsageError(tell(error)) from None
    for line in told.lines:
        say(line)
    tell_changes(uninstall(client) for client in told.clients)
