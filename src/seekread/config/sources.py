"""
Read settings once, at the edge: argument, environment, `*_FILE`, keyring, file, default; the first value wins.

The environment is read here and nowhere else. Every value remembers where it came from; a key is a secret type from
the moment it is read, and only its source is ever shown.
"""

import dataclasses
import json
import logging
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import field
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

from pydantic_core import ValidationError

from seekread.config import paths
from seekread.config.provider_tables import check_providers
from seekread.config.settings import REMOVED, Settings, all_settings, variables
from seekread.config.term2_file import tables_of
from seekread.errors import Misconfigured
from seekread.kinds import validator
from seekread.late import dataclass
from seekread.platforms import private_file
from seekread.provider import traits
from seekread.providers.registry import Registry
from seekread.providers.variables import prefixes
from seekread.proxies import proxies as proxies_of
from seekread.secret import SecretStr
from seekread.spelling import nearest

KEYRING_SERVICE = "seekread"
SECRET_NAME = re.compile(r"(?:KEY|TOKEN|SECRET|PASSWORD|PASSPHRASE)$")
"""The end of a variable's name that holds a secret, and neither an address nor the path of a file."""
KEY, KEY_POOL = "api_key", "api_keys"
"""The field that holds a service's key, and the setting with several keys for it."""

log = logging.getLogger("seekread.config")


@dataclass(frozen=True)
class SettingOrigin:
    """A value, and where it came from."""

    value: Any = field(repr=False)
    source: str


@dataclass(frozen=True)
class Configuration:
    """The settings in force, where each came from, and what providers need of them."""

    settings: Settings
    origins: Mapping[str, str]
    environ: Mapping[str, str] = field(repr=False)
    providers: Mapping[str, Mapping[str, Any]] = field(repr=False, default_factory=dict)
    arguments: Mapping[str, Mapping[str, Any]] = field(repr=False, default_factory=dict)
    file: Path | None = None

    @property
    def state_folder(self) -> Path:
        """Where state is kept unless a setting says otherwise."""
        return paths.state_folder(self.environ)

    @property
    def proxies(self) -> dict[str, str | None]:
        """The proxies the environment names for kinds of addresses."""
        return proxies_of(self.environ)

    def mentions(self, name: str) -> bool:
        """Whether anything may be set for a provider; a keyring is not asked before it is needed."""
        given = name in self.arguments or name in self.providers or self.settings.services.use_keyring
        given = given or name in self.settings.search.keyless
        begin = prefixes(name)
        return given or any(variable.startswith(begin) for variable in self.environ)

    def provider_values(self, provider: type) -> dict[str, SettingOrigin]:
        """The values of a provider's fields that are set anywhere, by field name; a plain class has no fields."""
        if not dataclasses.is_dataclass(provider):
            return {}
        name = traits(provider).name
        hints = get_type_hints(provider)
        found: dict[str, SettingOrigin] = {}
        for item in dataclasses.fields(provider):
            if item.init and (origin := self._provider_value(name, item, hints[item.name])):
                found[item.name] = SettingOrigin(
                    convert(f"{name}.{item.name}", hints[item.name], origin.value), origin.source
                )
        key = next((item for item in dataclasses.fields(provider) if item.name == KEY and is_secret(hints[KEY])), None)
        if key and (pool := self._key_pool(name, key)):
            # Whoever wants one key sees the first.
            found = {KEY: SettingOrigin(pool.value[0], pool.source), **found, KEY_POOL: pool}
        return found

    def _key_pool(self, name: str, key: "dataclasses.Field[Any]") -> SettingOrigin | None:
        """Several keys of one service: a list, or text with commas; in a file one on each line."""
        names = tuple(f"{variable}S" for variable in provider_variables(name, key))
        given, listed = self.arguments.get(name, {}), self.providers.get(name, {})
        origin = (
            (SettingOrigin(given[KEY_POOL], "argument") if given.get(KEY_POOL) else None)
            or from_environment(self.environ, names)
            or (SettingOrigin(listed[KEY_POOL], f"file {self.file}") if listed.get(KEY_POOL) else None)
        )
        if origin is None:
            return None
        value = ",".join(origin.value.split("\n")) if isinstance(origin.value, str) else origin.value
        return SettingOrigin(convert(f"{name}.{KEY_POOL}", tuple[SecretStr, ...], value), origin.source)

    def _provider_value(self, name: str, item: "dataclasses.Field[Any]", hint: Any) -> SettingOrigin | None:
        if item.name in (given := self.arguments.get(name, {})):
            return SettingOrigin(given[item.name], "argument")
        names = provider_variables(name, item)
        if origin := from_environment(self.environ, names):
            return origin
        if is_secret(hint) and self.settings.services.use_keyring and (origin := from_keyring(names)):
            return origin
        if item.name in (given := self.providers.get(name, {})) and given[item.name] not in (None, ""):
            return SettingOrigin(given[item.name], f"file {self.file}")
        return None


def load(
    arguments: Mapping[str, Any] | None = None,
    *,
    providers: Mapping[str, Mapping[str, Any]] | None = None,
    environ: Mapping[str, str] | None = None,
    file: str | Path | None = None,
    from_folder: Collection[str] = (),
) -> Configuration:
    """
    Read the settings.

    arguments: values by setting name, which win over everything
    from_folder: the only variables that `.env` in the current folder may bring, whatever the setting `dotenv` says
    """
    surroundings = filled_in(os.environ if environ is None else environ)
    given = {name: value for name, value in (arguments or {}).items() if value is not None}
    path = settings_file(file, surroundings)
    table = read_file(path) if path else {}
    check_file(table, path)
    tell_of_removed(given, table, surroundings)
    asked = given.get("dotenv") or surroundings.get("SEEKREAD_DOTENV") or table.get("services", {}).get("dotenv")
    folder = Path.cwd() / ".env"
    if from_folder:
        surroundings = {**{n: v for n, v in dotenv(folder).items() if n in from_folder}, **surroundings}
    elif truthy(asked):
        surroundings = {**secrets_of_folder(folder), **surroundings}
    values: dict[str, dict[str, Any]] = {}
    origins: dict[str, str] = {}
    known = all_settings()
    if unknown := given.keys() - known.keys() - REMOVED.keys():
        raise Misconfigured(f"unknown setting {', '.join(sorted(unknown))}; known are {', '.join(sorted(known))}")
    for name, (section, info) in known.items():
        origin = (
            (SettingOrigin(given[name], "argument") if name in given else None)
            or from_environment(surroundings, variables(name, info))
            or (SettingOrigin(table[section][name], f"file {path}") if name in table.get(section, {}) else None)
        )
        if origin is not None:
            told = f"{name} ({origin.source})" if origin.source.startswith("environment") else name
            values.setdefault(section, {})[name] = convert(told, info.annotation, origin.value)
        origins[name] = origin.source if origin else "default"
    try:
        settings = Settings.model_validate(values)
    except ValidationError as error:
        raise Misconfigured(explained(error)) from None
    return Configuration(settings, origins, surroundings, table.get("providers", {}), providers or {}, path)


REFERENCE = re.compile(r"\$?\{(?:env:)?(\w+)\}")
"""How agents' settings refer to a variable: `${NAME}`, `${env:NAME}`, `{env:NAME}`."""


def filled_in(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment without variables that hold their own name: so agents hand over what they do not have."""
    references = {name: REFERENCE.fullmatch(value) for name, value in environ.items()}
    return {name: value for name, value in environ.items() if not ((r := references[name]) and r[1] == name)}


def tell_of_removed(given: Mapping[str, Any], table: Mapping[str, Any], environ: Mapping[str, str]) -> None:
    """Warn of settings that are gone, wherever somebody still sets them."""
    for name, reason in REMOVED.items():
        if name in given or f"SEEKREAD_{name.upper()}" in environ or any(name in content for content in table.values()):
            log.warning("the setting %s is gone (%s) and was ignored", name, reason)


def settings_file(file: str | Path | None, environ: Mapping[str, str]) -> Path | None:
    """The file to read: the one named, which must exist, or the user's own if there is one."""
    if named := file or environ.get("SEEKREAD_CONFIG"):
        if not Path(named).is_file():
            raise Misconfigured(f"there is no settings file {str(named)!r}")
        return Path(named)
    own = paths.config_file(environ)
    if not own.is_file():
        return None
    # It may hold keys, and editors make files that everybody can read.
    with suppress(OSError):
        private_file(own)
    return own


def read_file(path: Path) -> dict[str, Any]:
    """A TOML file of ours, or a JSON file of the form term2 keeps."""
    try:
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".json":
            return tables_of(json.loads(text))
        import tomllib

        return tomllib.loads(text)
    except (OSError, ValueError) as error:
        raise Misconfigured(f"the settings file {path} cannot be read: {error}") from None


def check_file(table: Mapping[str, Any], path: Path | None) -> None:
    """Name every table and key of the file that nobody knows."""
    sections = {section for section, _ in all_settings().values()} | {"providers"}
    for section, content in table.items():
        if section not in sections or not isinstance(content, dict):
            meant = nearest(section, sections) or f"; known are {', '.join(sorted(sections))}"
            raise Misconfigured(f"{path}: unknown table [{section}]{meant}")
        if section == "providers":
            check_providers(content, path)
            continue
        for name in content.keys() - REMOVED.keys():
            if all_settings().get(name, ("",))[0] != section:
                raise Misconfigured(f"{path}: unknown setting {name!r} under [{section}]{meant_by(name, section)}")


def meant_by(name: str, section: str) -> str:
    """What was meant by a setting that a table does not have: one of another table, or one with a similar name."""
    if name in all_settings():
        return f"; it belongs under [{all_settings()[name][0]}]"
    return nearest(name, [known for known, (table, _) in all_settings().items() if table == section])


def provider_variables(name: str, item: "dataclasses.Field[Any]") -> tuple[str, ...]:
    """The environment names of a provider's field."""
    declared = tuple(item.metadata.get("env", ()))
    common = (f"{name}_{item.name}".upper(),) if item.name == "api_key" and not declared else ()
    return (*declared, *common, f"SEEKREAD_{name}_{item.name}".upper())


def from_environment(environ: Mapping[str, str], names: tuple[str, ...]) -> SettingOrigin | None:
    """A variable, or the file that `NAME_FILE` points to."""
    for name in names:
        # A blank is pasted along more easily than it is seen.
        if value := environ.get(name, "").strip():
            return SettingOrigin(value, f"environment {name}")
    for name in names:
        if path := environ.get(f"{name}_FILE"):
            value = text_of(Path(path), f"{name}_FILE names a file that").strip()
            if not value:
                raise Misconfigured(f"{name}_FILE names a file that is empty")
            return SettingOrigin(value, f"file named by {name}_FILE")
    return None


def text_of(path: Path, subject: str) -> str:
    """The text of a file; `subject` begins the sentence that says what is wrong with it."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise Misconfigured(f"{subject} cannot be read: {error.strerror}") from None
    except ValueError:
        # Its bytes may be a key: they are not repeated.
        raise Misconfigured(f"{subject} is not UTF-8 text") from None


def from_keyring(names: tuple[str, ...]) -> SettingOrigin | None:
    """A key in the system's keyring, stored under the name of its variable."""
    try:
        import keyring
        from keyring.errors import KeyringError
    except ImportError:
        raise Misconfigured("use_keyring needs the keyring package: install seekread[keyring]") from None
    for name in names:
        try:
            value = keyring.get_password(KEYRING_SERVICE, name)
        except KeyringError as error:
            raise Misconfigured(f"the keyring cannot be read: {type(error).__name__}") from None
        if value:
            return SettingOrigin(value, f"keyring {name}")
    return None


def dotenv(path: Path) -> dict[str, str]:
    """`NAME=value` lines; quotes, comments and a leading `export` are understood, nothing is expanded."""
    if not path.is_file():
        return {}
    return dict(assignments(text_of(path, f"the file {path}")))


def secrets_of_folder(path: Path) -> dict[str, str]:
    """
    The keys that a `.env` brings, and nothing else.

    A folder may be somebody else's: it may bring keys of its own, but not say where ours are sent, by which proxy, or
    whose certificates to trust.
    """
    found = dotenv(path)
    return {name: value for name, value in found.items() if name in secret_variables(found)}


def secret_variables(names: Iterable[str]) -> set[str]:
    """Which of these variables hold secrets: of our services by the type of the field, of others' by the name."""
    registry = Registry()
    ours = {
        variable
        for service in registry.services()
        if dataclasses.is_dataclass(service)
        for item in dataclasses.fields(service)
        if is_secret(get_type_hints(service)[item.name]) and item.name != "proxy"
        for variable in provider_variables(traits(service).name, item)
    }
    prefixes = tuple(f"{start}{name}_".upper() for name in registry.foreign_names() for start in ("", "SEEKREAD_"))
    foreign = {name for name in names if name.startswith(prefixes) and SECRET_NAME.search(name)}
    return ours | foreign


def assignments(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        name, equals, value = line.strip().removeprefix("export ").partition("=")
        if not equals or name.lstrip().startswith("#"):
            continue
        value = value.strip()
        quoted = value[:1] in {'"', "'"} and value.endswith(value[:1]) and len(value) > 1
        yield name.strip(), value[1:-1] if quoted else value.partition(" #")[0].strip()


def convert(name: str, hint: Any, value: Any) -> Any:
    """A value as its setting's type; text becomes a list or a number where that is wanted."""
    if isinstance(value, str) and wants_list(hint):
        value = [item.strip() for item in value.split(",") if item.strip()]
    try:
        return validator(hint).validate_python(value)
    except ValidationError as error:
        reason = error.errors(include_input=False, include_url=False)[0]["msg"]
        raise Misconfigured(f"setting {name}: {reason.removeprefix('Value error, ')}") from None


def wants_list(hint: Any) -> bool:
    return get_origin(hint) in {tuple, list} or any(get_origin(part) in {tuple, list} for part in get_args(hint))


def is_secret(hint: Any) -> bool:
    return any(hasattr(part, "get_secret_value") for part in (hint, *get_args(hint)))


def truthy(value: object) -> bool:
    return str(value).strip().lower() in {"1", "true", "yes", "on"}


def explained(error: ValidationError) -> str:
    return "; ".join(
        f"setting {'.'.join(map(str, e['loc']))}: {e['msg'].removeprefix('Value error, ')}"
        for e in error.errors(include_input=False)
    )
