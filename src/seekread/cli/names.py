"""Names that a shell completes: of engines, readers, services and settings. Nothing is imported before it is asked."""

from collections.abc import Callable, Iterable

import click

Completer = Callable[[click.Context, click.Parameter, str], list[str]]


def completer(names: Callable[[], Iterable[str]]) -> Completer:
    """What completes one of these names."""

    def complete(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
        return [name for name in names() if name.startswith(begun)]

    return complete


def providers() -> list[str]:
    from seekread.providers.registry import Registry

    return Registry().search_names()


def readers() -> list[str]:
    from seekread.providers.registry import Registry

    return Registry().read_names()


def engines() -> list[str]:
    """Those that can be set up."""
    from seekread.config.needs import needed_of

    return [name for name in providers() if needed_of(name)]


def keyless() -> list[str]:
    from seekread.providers.registry import Registry

    return [*Registry().keyless_names(), "all", "none"]


def settings() -> list[str]:
    """Every setting by its table and name, and what the engines need."""
    from seekread.config.needs import needed_of
    from seekread.config.settings import all_settings

    ours = [f"{section}.{name}" for name, (section, _) in all_settings().items()]
    return [*ours, *(f"providers.{name}.{needed.field}" for name in engines() for needed in needed_of(name))]


NAMES = {"provider": completer(providers), "reader": completer(readers)}
"""What completes the options that take names."""
