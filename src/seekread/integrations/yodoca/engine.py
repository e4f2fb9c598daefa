"""Our engine inside the host: its settings, its secrets, and the providers it finds beside the manifest."""

import dataclasses
import inspect
import pkgutil
from collections.abc import Awaitable, Mapping
from functools import cached_property
from importlib import import_module
from typing import Any, Protocol, get_type_hints

import anyio

from seekread.client import Seekread
from seekread.config.sources import KEY, is_secret, load, provider_variables
from seekread.errors import NotConfigured
from seekread.integrations.yodoca.config import YodocaConfig
from seekread.provider import traits
from seekread.providers.registry import READ_GROUP, SEARCH_GROUP, Registry, required
from seekread.secret import SecretStr

FOLDER = "sandbox.extensions.{}.providers"
"""Where the host keeps the files of an extension's providers."""


class HostContext(Protocol):
    """What the host's `ExtensionContext` offers, as far as it is used here."""

    def get_config(self, key: str, default: Any = None, /) -> Any: ...

    def get_secret(self, name: str, /) -> Awaitable[str | None]: ...

    def set_secret(self, name: str, value: str, /) -> Awaitable[None]: ...


@dataclasses.dataclass(frozen=True)
class ServiceKey:
    """The key of one service: under which names it is kept, and whether the service works without."""

    service: str
    names: tuple[str, ...]
    about: str
    required: bool
    provider: type


class HostEngine:
    """The engine of one extension: made when a call needs it, and anew when a secret of the host's has changed."""

    def __init__(self, context: HostContext, *, services: tuple[str, ...] = (), **means: Any) -> None:
        """
        Wire an engine for the host's settings.

        services: providers that are asked beside those the settings choose
        means: what `Seekread` reaches the world with
        """
        self.context = context
        self.config = config_of(context)
        self.registry = Registry()
        self._services = services
        self._means = means
        self._own: dict[str, Any] = {}
        self._made: list[Seekread] = []
        self._secrets: dict[str, str] | None = None
        self._lock = anyio.Lock()

    async def web(self) -> Seekread:
        """The engine, with the secrets of the moment."""
        async with self._lock:
            secrets = await self.secrets()
            if not self._made or secrets != self._secrets:
                self._secrets = secrets
                self._made.append(self._make(secrets))
            return self._made[-1]

    def _make(self, secrets: Mapping[str, str]) -> Seekread:
        given = self.config.providers()
        for service, secret in secrets.items():
            given.setdefault(service, {})[KEY] = SecretStr(secret)
        web = Seekread(settings=self.config.settings(), providers=given, **self._means)
        for provider in self._own.values():
            web.register(provider)
        return web

    async def close(self) -> None:
        """Release connections. Calls that were under way with an older secret are over by now."""
        made, self._made = self._made, []
        for web in made:
            await web.close()

    async def secrets(self) -> dict[str, str]:
        """The keys the host has for the providers that are chosen."""
        found = {key.service: await self.secret(key) for key in self.keys}
        return {service: secret for service, secret in found.items() if secret}

    async def secret(self, key: ServiceKey) -> str | None:
        """The key, under the first of its names that the host knows."""
        for name in key.names:
            if secret := await self.context.get_secret(name):
                return secret
        return None

    async def has(self, key: ServiceKey) -> bool:
        """Whether a key is there: among the host's secrets, or wherever else our engine finds it."""
        settings = load(environ=self._means.get("environ"))
        return bool(await self.secret(key)) or KEY in settings.provider_values(key.provider)

    @cached_property
    def keys(self) -> list[ServiceKey]:
        """The keys that the chosen providers take."""
        chosen = {SEARCH_GROUP: self.config.searchers, READ_GROUP: self.config.readers}
        found = [
            self.key(name, group)
            for group, names in chosen.items()
            for name in (*names, *self._services)
            if name not in self._own and name in self.registry.installed(group)
        ]
        return [key for key in found if key]

    def key(self, name: str, group: str) -> ServiceKey | None:
        """The key of a provider that is installed; `None` where it takes none, or cannot be imported."""
        try:
            return key_of(self.registry.provider_class(name, group))
        except NotConfigured:
            return None

    def own(self, name: str) -> Any:
        """The provider of a file beside the manifest, made once; `None` where no file of that name brings one."""
        if name not in self._own and name in self.files():
            module = import_module(f"{self._folder}.{name}")
            made = [item for item in vars(module).values() if is_provider(item, module.__name__)]
            if made:
                self._own[name] = named(constructed(made[0], self.context), name)
        return self._own.get(name)

    def files(self) -> list[str]:
        """The names of the files in `providers/` beside the manifest."""
        try:
            folder = import_module(self._folder)
        except ModuleNotFoundError:
            return []
        return [module.name for module in pkgutil.iter_modules(folder.__path__)]

    @property
    def _folder(self) -> str:
        return FOLDER.format(getattr(self.context, "extension_id", "web_search"))


def config_of(context: HostContext) -> YodocaConfig:
    """The configuration the host holds for the extension."""
    given = {
        name: context.get_config(name, field.get_default(call_default_factory=True))
        for name, field in YodocaConfig.model_fields.items()
    }
    return YodocaConfig.model_validate(given)


def key_of(provider: type) -> ServiceKey | None:
    """The key a provider takes, if it takes one."""
    if not dataclasses.is_dataclass(provider):
        return None
    about = traits(provider)
    for field in dataclasses.fields(provider):
        if field.name == KEY and is_secret(get_type_hints(provider)[KEY]):
            names = provider_variables(about.name, field)
            return ServiceKey(about.name, names, field.metadata["about"], required(field), provider)
    return None


def is_provider(item: object, module: str) -> bool:
    """Whether a file itself defines a class with one of the two protocols; what it only imports is not its own."""
    is_own = isinstance(item, type) and item.__module__ == module
    return is_own and (hasattr(item, "search") or hasattr(item, "read_url"))


def constructed(provider: type, context: HostContext) -> Any:
    """A provider of the host's own; its constructor gets the context where it takes one."""
    return provider(context) if inspect.signature(provider).parameters else provider()


def named(provider: Any, name: str) -> Any:
    """A provider under the name of its file, unless it says another."""
    if not hasattr(provider, "name"):
        provider.name = name
    return provider
