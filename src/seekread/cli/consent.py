"""
Ask a person once whether services may be asked without a key. Nobody agrees by saying nothing.

The answer stands in the settings file, a no as an empty list, and is not asked for again. Who is not at a terminal is
never asked, and neither is whoever has a provider of their own.
"""

from typing import TYPE_CHECKING, Any

import click

from seekread.cli.terminal import note, person_is_here

if TYPE_CHECKING:
    from seekread.compose import Parts

KEYLESS = ("search", "keyless")


def ask_once(given: dict[str, Any]) -> None:
    """Ask, where it was not asked before and DuckDuckGo and Wikipedia are all there is; write the answer down."""
    if not person_is_here():
        return
    from seekread.compose import compose
    from seekread.config.sources import load
    from seekread.providers.catalog import OPEN

    parts = compose(load(given["settings"], file=given["config"]))
    asked = [provider.name for provider in parts.chain(())]
    if parts.configuration.origins["keyless"] != "default" or not set(asked) <= set(OPEN):
        return
    from seekread.config.writing import own_file, write_settings

    agreed = question(parts)
    path = own_file(given["config"])
    write_settings(path, {KEYLESS: agreed})
    note(f"written to {path}; change it with: seekread config set keyless …", "")


def question(parts: "Parts") -> list[str]:
    """The services a person agrees to: all, none, or those that are named."""
    tiers = keyless_hosts(parts)
    note(
        "Only DuckDuckGo and Wikipedia are asked so far. These services answer without a key too, under terms of "
        "their own; your queries would be sent to them:",
        *(f"  {name:<10} {host}" for name, host in tiers.items()),
    )
    while True:
        answer = click.prompt("Ask them? [y]es, [n]o, or their names", default="n", err=True).strip().lower()
        if answer in {"n", "no"}:
            return []
        if answer in {"y", "yes"}:
            return list(tiers)
        chosen = answer.replace(",", " ").split()
        if unknown := [name for name in chosen if name not in tiers]:
            note(f"there is no {unknown[0]!r} among them")
            continue
        return chosen


def keyless_hosts(parts: "Parts") -> dict[str, str]:
    """Where each service that answers without a key gets the queries."""
    from seekread.provider import traits

    declared = {name: traits(parts.registry.declared(name)).keyless for name in parts.registry.keyless_names()}
    return {name: tier.host for name, tier in declared.items() if tier}
