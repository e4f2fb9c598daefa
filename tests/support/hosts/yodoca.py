"""
yodoca's side of an extension, rebuilt from its public contract: protocols, context, manifest, and how it loads.

Type checkers hold our extension against the protocols. The loader does what the host documents: a manifest names the
module and the class, the configuration is the manifest's with the host's settings on top, capabilities are found by
`isinstance`, and whatever raises on the way puts the extension into the state `error`.
"""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, Protocol, runtime_checkable

from pydantic import BaseModel, ConfigDict

from seekread.dropins.table import drop_in


@dataclass(frozen=True)
class TurnContext:
    agent_id: str | None = None
    channel_id: str | None = None
    user_id: str | None = None
    thread_id: str | None = None


@dataclass
class ExtensionContext:
    """What an extension is handed: its configuration and the host's secrets."""

    config: dict[str, Any] = field(default_factory=dict)
    secrets: dict[str, str] = field(default_factory=dict)
    extension_id: str = "web_search"

    def get_config(self, key: str, default: Any = None) -> Any:
        return self.config.get(key, default)

    async def get_secret(self, name: str) -> str | None:
        return self.secrets.get(name)

    async def set_secret(self, name: str, value: str) -> None:
        self.secrets[name] = value


@runtime_checkable
class Extension(Protocol):
    async def initialize(self, context: ExtensionContext) -> None: ...
    async def start(self) -> None: ...
    async def stop(self) -> None: ...
    async def destroy(self) -> None: ...
    def health_check(self) -> bool: ...


@runtime_checkable
class ToolProvider(Protocol):
    def get_tools(self) -> list[Any]: ...


@runtime_checkable
class SetupProvider(Protocol):
    def get_setup_schema(self) -> list[dict[str, Any]]: ...
    async def apply_config(self, name: str, value: str) -> None: ...
    async def on_setup_complete(self) -> tuple[bool, str]: ...


@runtime_checkable
class ContextProvider(Protocol):
    @property
    def context_priority(self) -> int: ...
    async def get_context(self, prompt: str, turn_context: TurnContext) -> str | None: ...


class ExtensionManifest(BaseModel):
    """The host's manifest, as far as it concerns an extension with tools."""

    model_config = ConfigDict(extra="forbid")

    id: str
    name: str
    version: str = "1.0.0"
    entrypoint: str
    description: str = ""
    setup_instructions: str = ""
    config: dict[str, Any] = {}
    enabled: bool = True


@dataclass
class Loaded:
    """An extension after the host has loaded it."""

    state: Literal["active", "error"]
    extension: Any = None
    error: str = ""


@contextmanager
def checkout(folder: Path, files: Mapping[str, str] | None = None) -> Iterator[Path]:
    """
    A host with our drop-in in its place, importable as `sandbox`.

    files: what else lies in the extension's folder, by its path there
    """
    table = drop_in("yodoca")
    for name in table.files:
        write(folder / name, table.content(name))
    place = folder / "sandbox" / "extensions" / "web_search"
    for name in ("sandbox", "sandbox/extensions", "sandbox/extensions/web_search"):
        write(folder / name / "__init__.py", b"")
    for name, text in (files or {}).items():
        write(place / name, text.encode())
    sys.path.insert(0, str(folder))
    try:
        yield place
    finally:
        sys.path.remove(str(folder))
        for name in [name for name in sys.modules if name.partition(".")[0] == "sandbox"]:
            del sys.modules[name]


def write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


async def load(manifest: ExtensionManifest, settings: Mapping[str, Any], secrets: dict[str, str]) -> Loaded:
    """Load an extension as the host does."""
    module, _, name = manifest.entrypoint.partition(":")
    try:
        extension: Extension = getattr(import_module(f"sandbox.extensions.{manifest.id}.{module}"), name)()
        config = {**manifest.config, **settings}
        if model := getattr(extension, "ConfigModel", None):
            model.model_validate(config)
        await extension.initialize(ExtensionContext(config, secrets, manifest.id))
        await extension.start()
    except Exception as error:  # noqa: BLE001 the host catches everything
        return Loaded("error", error=str(error))
    return Loaded("active", extension)
