"""
Every key that is set, in the clear, for comparing only: what must not leave, be logged or be recorded.

Of our own services the class says which settings are keys. Nothing of somebody else's package may run for that, so of
those the name of a setting has to tell, or the look of its value.
"""

import re
from collections.abc import Iterator

from seekread.config.sources import Configuration
from seekread.config.telemetry import exporting
from seekread.providers.registry import Registry
from seekread.providers.variables import prefixes
from seekread.redact import ANNOUNCED, passwords_in
from seekread.secret import SecretStr

OPAQUE = re.compile(r"(?![./~])(?=.*\d)(?=.*[A-Za-z])[\w+/=.~-]{12,}", re.ASCII)
"""A value with the look of a key: long, in one piece, of letters and digits."""


def configured_keys(configuration: Configuration, registry: Registry) -> frozenset[str]:
    """The keys of our services, whatever may be a key among other people's settings, and passwords in addresses."""
    ours = {key for service in registry.services() for key in keys_of(configuration, service)}
    foreign = {key for name in registry.foreign_names() for key in foreign_keys(configuration, name)}
    collectors = exporting(configuration.environ).secrets if configuration.settings.telemetry.telemetry else frozenset()
    return frozenset(ours | foreign | collectors | set(passwords_of(configuration)))


def passwords_of(configuration: Configuration) -> Iterator[str]:
    """The passwords in addresses of proxies and of the store."""
    settings = configuration.settings
    proxies = (settings.services.service_proxy, settings.guard.page_proxy, *configuration.proxies.values())
    for address in filter(None, (*proxies, settings.state.store)):
        yield from passwords_in(address)


def keys_of(configuration: Configuration, provider: type) -> Iterator[str]:
    for origin in configuration.provider_values(provider).values():
        held = origin.value if isinstance(origin.value, tuple) else (origin.value,)
        for value in held:
            if isinstance(value, SecretStr):
                yield value.get_secret_value()
                yield from passwords_in(value.get_secret_value())
            elif isinstance(value, str):
                yield from passwords_in(value)


def foreign_keys(configuration: Configuration, name: str) -> Iterator[str]:
    """What a provider that was not imported is given: by argument, by the settings file, by the environment."""
    begin = prefixes(name)
    variables = {variable: value for variable, value in configuration.environ.items() if variable.startswith(begin)}
    for given in (configuration.arguments.get(name, {}), configuration.providers.get(name, {}), variables):
        for setting, value in given.items():
            for text in texts_of(value):
                if ANNOUNCED.search(setting) or OPAQUE.fullmatch(text):
                    yield text
                yield from passwords_in(text)


def texts_of(value: object) -> Iterator[str]:
    """A value as it was written, and each part of a list of values."""
    if isinstance(value, list | tuple):
        for each in value:
            yield from texts_of(each)
        return
    text = value.get_secret_value() if isinstance(value, SecretStr) else str(value)
    yield text
    if "," in text:
        yield from filter(None, map(str.strip, text.split(",")))
