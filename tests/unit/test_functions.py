"""Plain functions: what frameworks read of them is what the tools say, and what they return is text."""

import asyncio
import inspect
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any, get_args

import pytest

from seekread import functions
from seekread.functions import aio
from seekread.functions.session import web
from seekread.sync import portal
from seekread.testing import simulators
from seekread.testing.hits import NOTHING
from seekread.testing.server import Answer, Fault, LoopbackServer
from seekread.testing.simulators import Simulator
from seekread.toolkit.definitions import TOOLS, ToolDefinition, ToolNames
from tests.support.fences import sources, unfenced

by_tool = pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
PAGE = (
    "<html><head><title>Tea</title></head><body><main><h1>Tea</h1><p>Tea is made from leaves.</p></main></body></html>"
)


@pytest.fixture
def brave(monkeypatch: pytest.MonkeyPatch) -> Iterator[Simulator]:
    with simulators.start("brave") as running, LoopbackServer(lambda _: Answer(PAGE)) as site:
        address = site.url.removeprefix("http://")
        surroundings = {
            **running.environment(),
            "WEB_SEARCH_PROVIDER": "brave",
            "SEEKREAD_STORE": "memory:",
            "SEEKREAD_ALLOW_PRIVATE": address,
            "SEEKREAD_ALLOWED_PORTS": address.partition(":")[2],
        }
        for name, value in surroundings.items():
            monkeypatch.setenv(name, value)

        def leading_here(body: Any) -> Any:
            for result in body.get("web", {}).get("results", [])[:1]:
                result["url"] = site.url
            return body

        running.fail(Fault(change=leading_here))
        yield running
        portal.call(web.close)


def documented(function: Callable[..., Any]) -> tuple[str, dict[str, str]]:
    """The description of a docstring on one line, and what it says about each argument."""
    words = inspect.getdoc(function) or ""
    description, _, rest = words.partition("\n\nArgs:\n")
    lines = rest.partition("\n\nReturns:")[0].splitlines()
    return " ".join(description.split()), dict(line.strip().split(": ", 1) for line in lines)


@by_tool
@pytest.mark.parametrize("module", [functions, aio])
def test_a_function_says_what_its_tool_says(tool: ToolDefinition, module: Any) -> None:
    """Frameworks read names, annotations and docstrings; models read the definition. Neither may drift."""
    function = getattr(module, tool.name)
    description, arguments = documented(function)
    assert function.__name__ == tool.name
    assert description == ToolNames().written(tool.description)
    shown = {name: option for name, option in tool.takes.items() if option.tool}
    parameters = inspect.signature(function).parameters
    assert list(parameters) == list(arguments) == list(shown)
    for name, option in shown.items():
        assert arguments[name] == (option.sentence or "What to do.")
        assert (parameters[name].default is inspect.Parameter.empty) == bool(option.missing)
        assert set(option.choices) <= {str(each) for part in (parameters[name].annotation,) for each in flat(part)}
    assert inspect.iscoroutinefunction(function) == (module is aio)
    assert inspect.unwrap(function) is function


def flat(annotation: Any) -> set[Any]:
    inner = get_args(annotation)
    return set().union(*map(flat, inner)) if inner else {annotation}


@pytest.mark.process
def test_every_function_answers_with_text_from_one_session(brave: Simulator) -> None:
    found = functions.web_search("tea", limit=2)
    assert unfenced(found).startswith("[1] tea & more, part 1")
    address = unfenced(found).split(" — ")[1].split()[0]
    read = functions.open_page(address)
    handle = read.rpartition("Snapshot: ")[2].strip()
    assert "made from leaves" in unfenced(read)
    # A handle of a store in memory is known because the next call has the same one.
    assert "made from leaves" in functions.page_lookup(handle, "find", "leaves")
    gathered = functions.gather("what is tea made from", pages=1)
    assert "made from leaves" in unfenced(gathered)
    assert sources(gathered) == ["untrusted web content from the pages listed as sources"]


def test_nothing_found_and_failure_are_different_texts(brave: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    assert functions.web_search(NOTHING).startswith("No results found for")
    assert functions.gather(NOTHING).startswith("Nothing that answers this was found.")
    brave.fail(Fault(500))
    failed = [functions.web_search("tea"), functions.gather("tea"), functions.open_page("http://127.0.0.1:9/")]
    failed += [functions.page_lookup("abc", "outline"), functions.open_page("")]
    assert all(text.startswith("Error: ") for text in failed)
    assert not any("No results" in text or "Nothing that" in text for text in failed)
    portal.call(web.close)
    for name in ("BRAVE_SEARCH_API_KEY", "BRAVE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    assert "BRAVE_SEARCH_API_KEY" in functions.web_search("tea")
    portal.call(web.close)
    monkeypatch.setenv("SEEKREAD_LIMIT", "many")
    assert functions.web_search("tea").startswith("Error: ")


def test_they_wait_anywhere_and_are_awaited_in_any_loop(brave: Simulator) -> None:
    async def both() -> tuple[str, str]:
        return functions.web_search("tea", 1), await aio.web_search("tea", limit=1)

    texts: list[str] = []
    threads = [threading.Thread(target=lambda: texts.extend(asyncio.run(both()))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(texts) == 4
    assert len({unfenced(text) for text in texts}) == 1


@pytest.mark.process
def test_importing_them_costs_nothing_and_a_program_ends_by_itself(brave: Simulator) -> None:
    code = (
        "import sys; from seekread.functions import web_search, open_page; from seekread.functions.aio import gather; "
        "print([name for name in ('httpx2', 'pydantic', 'anyio', 'seekread.client') if name in sys.modules]); "
        "print(web_search('tea', 1)); print(open_page('https://127.0.0.1:9/')[:6])"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    first, *_, last = done.stdout.splitlines()
    assert (first, last, done.stderr) == ("[]", "Error:", "")
