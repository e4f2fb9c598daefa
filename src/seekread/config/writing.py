"""Write settings: into the user's own file, readable by nobody else, and only what makes sense as a whole."""

import dataclasses
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, get_type_hints

from pydantic import TypeAdapter

from seekread.config import paths
from seekread.config.settings import all_settings
from seekread.config.sources import KEYRING_SERVICE, Configuration, convert, is_secret, load
from seekread.config.toml_text import Place, with_value, without_value
from seekread.errors import Misconfigured
from seekread.platforms import private_file, private_folder
from seekread.providers.registry import Registry
from seekread.secret import SecretStr
from seekread.spelling import nearest


@dataclasses.dataclass(frozen=True)
class Writable:
    """A setting that can be written: where it stands, and of which type it is."""

    place: tuple[str, ...]
    hint: Any

    @property
    def secret(self) -> bool:
        """Whether it is a key, which nobody should have to type in sight."""
        return is_secret(self.hint)

    def value(self, text: str) -> Any:
        """What a text means here, as a file holds it."""
        meant = convert(".".join(self.place), self.hint, text)
        if isinstance(meant, SecretStr):
            return meant.get_secret_value()
        return TypeAdapter(self.hint).dump_python(meant, mode="json")


def find_setting(name: str) -> Writable:
    """The setting of that name: `limit`, `search.limit` or `providers.brave.api_key`."""
    known = {setting: (section, info.annotation) for setting, (section, info) in all_settings().items()}
    parts = tuple(name.split("."))
    if parts[0] == "providers":
        return provider_setting(name, parts)
    section, annotation = known.get(parts[-1], ("", None))
    if not section or parts not in {(parts[-1],), (section, parts[-1])}:
        raise Misconfigured(f"there is no setting {name!r}{nearest(parts[-1], known)}")
    return Writable((section, parts[-1]), annotation)


def provider_setting(name: str, parts: tuple[str, ...]) -> Writable:
    """A setting of a provider."""
    classes = {known: made for made in Registry().classes() if (known := getattr(made, "name", ""))}
    if len(parts) != 3 or parts[1] not in classes:
        close = nearest(parts[1], classes) if len(parts) > 1 else ""
        raise Misconfigured(f"there is no setting {name!r}{close}: write providers.NAME.SETTING")
    made = classes[parts[1]]
    fields = {item.name for item in dataclasses.fields(made) if item.init and not item.metadata.get("kind")}
    if parts[2] not in fields:
        raise Misconfigured(f"{parts[1]} has no setting {parts[2]!r}; it has {', '.join(sorted(fields))}")
    return Writable(parts, get_type_hints(made)[parts[2]])


def own_file(named: str | Path | None = None) -> Path:
    """The file that settings are written to: the one that is named, or else the user's own."""
    environ = os.environ
    chosen = named or environ.get("SEEKREAD_CONFIG")
    path = Path(chosen) if chosen else paths.config_file(environ)
    if path.suffix == ".json":
        raise Misconfigured(f"{path} is the file of another program; settings are written to TOML files")
    return path


def write_settings(path: Path, values: Mapping[Place, Any], environ: Mapping[str, str] | None = None) -> Configuration:
    """
    Write values by their places, `None` to take one out; give back the settings as they are read from there.

    A file that would make no sense as a whole is left as it was.
    """
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    for place, value in values.items():
        text = without_value(text, place) if value is None else with_value(text, place, value)
    return write_text(path, text, environ)


def write_text(path: Path, text: str, environ: Mapping[str, str] | None = None) -> Configuration:
    """Write a whole file, if it makes sense; otherwise nothing was written."""
    private_folder(path.parent)
    beside = path.with_name(f".{path.stem}-new.toml")
    try:
        private_file(beside)
        beside.write_text(text, encoding="utf-8")
        check_names(load(file=beside, environ=environ))
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
    return load(file=path, environ=environ)


def check_names(loaded: Configuration) -> None:
    """Name the first engine in the file that is not installed: every search would fail over it."""
    registry = Registry()
    known = registry.search_names()
    for setting in ("providers", "fallback"):
        if loaded.origins[setting] != f"file {loaded.file}":
            continue
        for name in getattr(loaded.settings.search, setting):
            if name not in known:
                raise Misconfigured(f"{setting} names {name!r}, which is no provider{nearest(name, known)}")
    if loaded.origins["keyless"] == f"file {loaded.file}":
        registry.check_agreed(loaded.settings.search.keyless)


def keyring_works() -> bool:
    """Whether this system has a keyring, and the package that reaches it is installed."""
    try:
        import keyring
        from keyring.backends.fail import Keyring as NoKeyring
    except ImportError:
        return False
    return not isinstance(keyring.get_keyring(), NoKeyring)


def keep_in_keyring(variable: str, key: str) -> None:
    """Keep a key in the system's keyring, under the name of its variable."""
    import keyring
    from keyring.errors import KeyringError

    try:
        keyring.set_password(KEYRING_SERVICE, variable, key)
    except KeyringError as error:
        raise Misconfigured(f"the keyring does not take the key: {type(error).__name__}") from None


def take_from_keyring(variable: str) -> None:
    """Take a key out of the keyring, if it is there."""
    import keyring
    from keyring.errors import PasswordDeleteError

    with suppress(PasswordDeleteError):
        keyring.delete_password(KEYRING_SERVICE, variable)
