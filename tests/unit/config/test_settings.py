"""Settings: where they come from, who wins, and that keys are never shown."""

import json
from pathlib import Path

import httpx2
import pytest

from seekread.config.settings import all_settings
from seekread.config.sources import dotenv, load
from seekread.errors import Misconfigured
from seekread.providers.brave import Brave
from seekread.proxies import proxies


def home(tmp_path: Path, text: str) -> dict[str, str]:
    path = tmp_path / "config" / "seekread" / "config.toml"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    return {"XDG_CONFIG_HOME": str(tmp_path / "config")}


def test_argument_wins_over_environment_over_file_over_default(tmp_path: Path) -> None:
    """X-22"""
    environ = home(tmp_path, "[search]\nlimit = 7\n")
    assert load(environ={}).settings.search.limit == 5
    assert load(environ=environ).settings.search.limit == 7
    assert load(environ=environ | {"SEEKREAD_LIMIT": "8"}).settings.search.limit == 8
    loaded = load({"limit": 9}, environ=environ | {"SEEKREAD_LIMIT": "8"})
    assert (loaded.settings.search.limit, loaded.origins["limit"]) == (9, "argument")


def test_the_contracts_name_of_a_key_wins_over_its_alias() -> None:
    """X-22"""
    values = load(environ={"BRAVE_API_KEY": "alias", "BRAVE_SEARCH_API_KEY": "contract"}).provider_values(Brave)
    assert values["api_key"].value.get_secret_value() == "contract"
    assert values["api_key"].source == "environment BRAVE_SEARCH_API_KEY"


def test_a_key_may_lie_in_a_file_named_by_the_environment(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("from-a-file\n")
    values = load(environ={"BRAVE_API_KEY_FILE": str(tmp_path / "key")}).provider_values(Brave)
    assert values["api_key"].value.get_secret_value() == "from-a-file"
    with pytest.raises(Misconfigured, match="BRAVE_API_KEY_FILE"):
        load(environ={"BRAVE_API_KEY_FILE": str(tmp_path / "nowhere")}).provider_values(Brave)


@pytest.mark.proves("S2-27")
def test_a_key_in_the_environment_wins_over_one_in_the_file(tmp_path: Path) -> None:
    environ = home(tmp_path, '[providers.brave]\napi_key = "file"\n')
    assert load(environ=environ).provider_values(Brave)["api_key"].value.get_secret_value() == "file"
    values = load(environ=environ | {"BRAVE_API_KEY": "env"}).provider_values(Brave)
    assert values["api_key"].value.get_secret_value() == "env"


@pytest.mark.proves("S3-32")
def test_a_key_is_a_secret_from_the_moment_it_is_read() -> None:
    loaded = load(environ={"BRAVE_API_KEY": "sk-very-secret-key"})
    assert "very-secret" not in repr(loaded) + repr(loaded.provider_values(Brave)) + str(loaded.settings)


def test_null_and_empty_are_not_set() -> None:
    """X-22"""
    assert "api_key" not in load(environ={"BRAVE_API_KEY": ""}).provider_values(Brave)


@pytest.mark.parametrize("reference", ["${BRAVE_API_KEY}", "${env:BRAVE_API_KEY}", "{env:BRAVE_API_KEY}"])
def test_a_reference_that_an_agent_did_not_fill_in_is_not_set(tmp_path: Path, reference: str) -> None:
    environ = {**home(tmp_path, '[providers.brave]\napi_key = "mine"\n'), "BRAVE_API_KEY": reference}
    found = load(environ=environ).provider_values(Brave)["api_key"]
    assert found.value.get_secret_value() == "mine"


def test_blanks_around_a_value_are_nobodys_key() -> None:
    found = load(environ={"BRAVE_API_KEY": " mine\n"}).provider_values(Brave)["api_key"]
    assert found.value.get_secret_value() == "mine"


def test_a_wrong_value_is_told_with_its_variable() -> None:
    with pytest.raises(Misconfigured, match=r"setting limit \(environment SEEKREAD_LIMIT\): "):
        load(environ={"SEEKREAD_LIMIT": "many"})


def test_lists_and_numbers_are_read_from_text() -> None:
    settings = load(environ={"SEEKREAD_ALLOWED_PORTS": "80, 443", "SEEKREAD_BLOCKED_DOMAINS": "a.org,b.org"}).settings
    assert settings.guard.allowed_ports == (80, 443)
    assert settings.policy.blocked_domains == ("a.org", "b.org")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[search]\nlimitt = 5\n", "unknown setting 'limitt'"),
        ("[serch]\nlimit = 5\n", "unknown table"),
        ("[search]\nlimit = 0\n", "limit"),
        ('[search]\nlimit = "many"\n', "setting limit"),
        ("not toml", "cannot be read"),
        ("services = 5\n", "unknown table"),
        ('[search]\ncountry = "Germany"\n', "country: must be a two-letter country code"),
        ('[search]\nlanguage = "english!"\n', "language: must be a language code"),
        ('[providers.brvae]\napi_key = "x"\n', r"unknown provider \[providers.brvae\]; did you mean 'brave'"),
        ('[providers.zzzz]\napi_key = "x"\n', r"unknown provider \[providers.zzzz\]; known are .*brave"),
        ('[providers.brave]\napikey = "x"\n', "unknown setting 'apikey' .*; did you mean 'api_key'"),
        ('[providers.brave]\nzzzz = "x"\n', "unknown setting 'zzzz' .*; known are api_key"),
        ("[search]\nlimt = 5\n", "unknown setting 'limt' under .search.; did you mean 'limit'"),
        ("[searhc]\nlimit = 5\n", "unknown table .searhc.; did you mean 'search'"),
        ("[search]\ndotenv = true\n", "unknown setting 'dotenv' under .search.; it belongs under .services."),
        ('[providers]\nbrave = "x"\n', r"write \[providers.brave\]"),
        ('[providers.builtin]\nfetcher = "x"\n', "unknown setting 'fetcher'"),
    ],
)
def test_a_mistake_in_the_file_is_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(Misconfigured, match=message):
        load(environ=home(tmp_path, text))


@pytest.mark.parametrize("name", ["brave", "jina", "builtin", "duckduckgo"])
def test_tables_of_installed_providers_and_readers_are_accepted(tmp_path: Path, name: str) -> None:
    load(environ=home(tmp_path, f"[providers.{name}]\n"))


def test_country_and_language_are_checked_wherever_they_come_from() -> None:
    """A wrong setting is not the fault of the one who searches."""
    for environ in ({"SEEKREAD_COUNTRY": "Germany"}, {"SEEKREAD_LANGUAGE": "english!"}):
        with pytest.raises(Misconfigured, match="must be"):
            load(environ=environ)
    settings = load({"country": "de", "language": "pt-BR"}, environ={}).settings.search
    assert (settings.country, settings.language) == ("de", "pt-BR")


@pytest.mark.parametrize(
    ("content", "message"), [(b"\xff\xfekey", "not UTF-8"), (b"", "is empty"), (b" \n", "is empty")]
)
def test_a_key_file_without_a_key_is_a_wrong_setting(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "key").write_bytes(content)
    with pytest.raises(Misconfigured, match=f"BRAVE_API_KEY_FILE names a file that .*{message}"):
        load(environ={"BRAVE_API_KEY_FILE": str(tmp_path / "key")}).provider_values(Brave)


def test_a_dotenv_that_is_not_text_is_a_wrong_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".env").write_bytes(b"BRAVE_API_KEY=\xff\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Misconfigured, match=r"\.env is not UTF-8"):
        load({"dotenv": True}, environ={})


def test_a_settings_file_that_is_not_text_is_a_wrong_setting(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(Misconfigured, match="cannot be read"):
        load(environ={}, file=tmp_path / "config.toml")


def test_proxies_come_from_the_environment_that_was_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://of-the-process:1")
    assert load(environ={}).proxies == {}
    assert load(environ={"HTTPS_PROXY": "http://p:1", "all_proxy": "p:2"}).proxies == {
        "https://": "http://p:1",
        "all://": "http://p:2",
    }
    assert load().proxies == {"https://": "http://of-the-process:1"}


def test_the_lower_case_name_of_a_proxy_wins_even_when_it_is_empty() -> None:
    assert proxies({"http_proxy": "http://a:1", "HTTP_PROXY": "http://b:1"}) == {"http://": "http://a:1"}
    assert proxies({"http_proxy": "", "HTTP_PROXY": "http://b:1"}) == {}


def test_a_proxy_that_a_request_could_have_named_is_not_used() -> None:
    """A CGI server turns the header `Proxy` into HTTP_PROXY."""
    assert proxies({"HTTP_PROXY": "http://evil:1", "REQUEST_METHOD": "GET"}) == {}
    assert proxies({"http_proxy": "http://own:1", "REQUEST_METHOD": "GET"}) == {"http://": "http://own:1"}


@pytest.mark.parametrize(
    ("exception", "pattern"),
    [
        ("localhost", "all://localhost"),
        ("127.0.0.1", "all://127.0.0.1"),
        ("10.1.0.0/8", "all://10.0.0.0/8"),
        ("::1", "all://[::1]"),
        ("[::1]", "all://[::1]"),
        ("fd00::/8", "all://[fd00::]/8"),
        ("example.org", "all://*example.org"),
        (".example.org", "all://*.example.org"),
        ("*.example.org", "all://*.example.org"),
        ("example.org:8080", "all://*example.org:8080"),
        ("https://example.org", "https://example.org"),
        ("not a host", None),
        ("a/b", None),
        ("", None),
    ],
)
def test_exceptions_from_the_proxy_are_read_as_other_tools_read_them(exception: str, pattern: str | None) -> None:
    found = proxies({"HTTPS_PROXY": "http://p:1", "NO_PROXY": f" {exception} ,"})
    assert found == {"https://": "http://p:1"} | ({pattern: None} if pattern else {})
    # Every pattern is one the client understands.
    httpx2.AsyncClient(mounts=dict.fromkeys(found), trust_env=False)


def test_a_star_means_no_proxy_at_all() -> None:
    assert proxies({"HTTPS_PROXY": "http://p:1", "no_proxy": "a.org, *"}) == {}


def test_a_file_that_was_named_must_exist() -> None:
    with pytest.raises(Misconfigured, match=r"no settings file 'nowhere\.toml'"):
        load(environ={"SEEKREAD_CONFIG": "nowhere.toml"})


def test_an_unknown_argument_is_an_error() -> None:
    with pytest.raises(Misconfigured, match="unknown setting colour"):
        load({"colour": "red"}, environ={})


@pytest.mark.proves("S2-25", "S2-26")
def test_the_settings_file_of_term2_is_understood(tmp_path: Path) -> None:
    """S2-28"""
    from seekread.providers.tavily import Tavily

    path = tmp_path / "settings.json"
    path.write_text(json.dumps({"webSearch": {"provider": "tavily", "tavily": {"apiKey": "tvly-x"}}}))
    loaded = load(environ={}, file=path)
    assert loaded.settings.search.providers == ("tavily",)
    assert loaded.provider_values(Tavily)["api_key"].value.get_secret_value() == "tvly-x"


@pytest.mark.parametrize("document", [{"webSearch": "x"}, [], {"webSearch": {"unheard-of": {"apiKey": "k"}}}])
def test_what_a_file_of_term2_holds_beside_is_its_own_business(tmp_path: Path, document: object) -> None:
    path = tmp_path / "settings.json"
    path.write_text(json.dumps(document))
    assert load(environ={}, file=path).settings.search.providers == ()


def test_dotenv_is_read_only_when_asked_for_and_never_overrides(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """X-22"""
    (tmp_path / ".env").write_text('# note\nexport BRAVE_API_KEY="dot env"\nSEEKREAD_LIMIT=6 # six\n')
    monkeypatch.chdir(tmp_path)
    assert "api_key" not in load(environ={}).provider_values(Brave)
    loaded = load({"dotenv": True}, environ={})
    assert loaded.provider_values(Brave)["api_key"].value.get_secret_value() == "dot env"
    assert load(environ={"SEEKREAD_DOTENV": "1", "SEEKREAD_LIMIT": "9"}).settings.search.limit == 9
    assert dotenv(tmp_path / ".env")["SEEKREAD_LIMIT"] == "6"
    given = {"SEEKREAD_DOTENV": "1", "BRAVE_API_KEY": "from the environment"}
    assert load(environ=given).provider_values(Brave)["api_key"].value.get_secret_value() == "from the environment"


def test_a_folder_brings_keys_and_does_not_say_where_they_are_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cloned folder could otherwise have the key of whoever works in it sent to its author."""
    lines = [
        "BRAVE_API_KEY=mine",
        "SEEKREAD_BRAVE_BASE_URL=https://evil.example",
        "SEARXNG_URL=https://evil.example",
        "HTTPS_PROXY=http://evil.example",
        "SEEKREAD_SERVICE_PROXY=http://evil.example",
        "DDGS_PROXY=http://evil.example",
        "SSL_CERT_FILE=/evil.pem",
        "SEEKREAD_LIMIT=6",
        "TAVILY_API_KEY_FILE=/etc/passwd",
    ]
    (tmp_path / ".env").write_text("\n".join(lines))
    monkeypatch.chdir(tmp_path)
    assert load({"dotenv": True}, environ={"HOME": str(tmp_path)}).environ == {
        "HOME": str(tmp_path),
        "BRAVE_API_KEY": "mine",
    }


def test_the_users_own_settings_become_theirs_alone(tmp_path: Path) -> None:
    own = tmp_path / "seekread" / "config.toml"
    own.parent.mkdir()
    own.write_text("[search]\nlimit = 7\n")
    own.chmod(0o644)
    assert load(environ={"XDG_CONFIG_HOME": str(tmp_path)}).settings.search.limit == 7
    assert own.stat().st_mode & 0o777 == 0o600


def test_every_setting_has_a_sentence_and_a_unique_name() -> None:
    described = all_settings()
    assert all(info.description and info.description.endswith(".") for _, info in described.values())
    assert len(described) > 30


def test_the_keyring_is_asked_when_the_setting_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """X-22"""
    import keyring
    from keyring.backend import KeyringBackend

    class Memory(KeyringBackend):
        priority = 1

        def get_password(self, service: str, username: str) -> str | None:
            return "from-keyring" if (service, username) == ("seekread", "BRAVE_SEARCH_API_KEY") else None

        def set_password(self, service: str, username: str, password: str) -> None: ...

        def delete_password(self, service: str, username: str) -> None: ...

    monkeypatch.setattr(keyring.core, "_keyring_backend", Memory())  # type: ignore[no-untyped-call]
    assert "api_key" not in load(environ={}).provider_values(Brave)
    values = load({"use_keyring": True}, environ={}).provider_values(Brave)
    assert values["api_key"].source == "keyring BRAVE_SEARCH_API_KEY"


@pytest.mark.parametrize("where", ["argument", "environment", "file"])
def test_a_setting_that_is_gone_is_a_warning_not_a_failed_start(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, where: str
) -> None:
    given = {"snippet_length": 500} if where == "argument" else {}
    environ = home(tmp_path, "[search]\nsnippet_length = 500\n") if where == "file" else {}
    environ |= {"SEEKREAD_SNIPPET_LENGTH": "500"} if where == "environment" else {}
    assert load(given, environ=environ).settings.search.limit == 5
    assert [record.levelname for record in caplog.records if "snippet_length is gone" in record.getMessage()] == [
        "WARNING"
    ]
