"""The closed set of outcomes, and that every error has its place in it."""

import ast
import re
from pathlib import Path
from typing import get_args

import seekread
from seekread import errors
from seekread.errors import AllFailed, InvalidQuery, Misconfigured, ProviderError, Refused, SeekreadError
from seekread.models import SearchResponse
from seekread.outcomes import FAILURES, MEANINGS, Outcome, is_failure
from seekread.render.failure import exit_code, explain

SOURCE = Path(seekread.__file__).parent
TOOLS = Path(__file__).parents[2] / "tools"


def test_every_outcome_has_a_meaning() -> None:
    assert set(MEANINGS) == set(get_args(Outcome))


def listed(path: Path) -> set[str]:
    """The outcomes that stand in a table, a set or a list of a file, where it holds more than one."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Dict(keys=keys, values=values):
                members = [*keys, *values]
            case ast.Set(elts=members) | ast.List(elts=members) | ast.Tuple(elts=members):
                pass
            case _:
                continue
        names = {str(each.value) for each in members if isinstance(each, ast.Constant)} & set(get_args(Outcome))
        found |= names if len(names) > 1 else set()
    return found


def test_nobody_else_lists_outcomes() -> None:
    """Whoever adds an outcome writes its row, and its error class if it has one."""
    files = [path for folder in (SOURCE, TOOLS) for path in folder.rglob("*.py")]
    assert {path.name for path in files if listed(path)} == {"outcomes.py"}


def test_no_template_lists_outcomes() -> None:
    templates = list((SOURCE / "server" / "console" / "templates").glob("*.html"))
    assert templates
    for path in templates:
        quoted = set(re.findall(r"['\"](\w+)['\"]", path.read_text(encoding="utf-8")))
        assert len(quoted & set(get_args(Outcome))) < 2, path.name


def test_only_answers_have_200() -> None:
    assert all((meaning.status >= 400) == is_failure(outcome) for outcome, meaning in MEANINGS.items())
    assert {MEANINGS[outcome].status for outcome in ("ok", "empty")} == {200}


def test_every_outcome_has_a_person_s_words() -> None:
    assert len({meaning.label for meaning in MEANINGS.values()}) == len(MEANINGS)
    assert all(MEANINGS[outcome].remedy.endswith(".") for outcome in FAILURES)
    assert all(meaning.search_failed and meaning.read_failed for meaning in MEANINGS.values())


def test_only_ok_and_empty_are_answers() -> None:
    assert set(MEANINGS) - FAILURES == {"ok", "empty"}
    assert not is_failure("empty")


def test_every_failure_tells_a_model_what_to_do() -> None:
    assert all(MEANINGS[outcome].advice.endswith(".") for outcome in FAILURES)
    assert len({MEANINGS[outcome].advice for outcome in FAILURES}) == len(FAILURES)


def test_every_provider_error_names_an_outcome() -> None:
    classes = [c for c in vars(errors).values() if isinstance(c, type) and issubclass(c, ProviderError)]
    assert len(classes) > 9
    assert all(c.outcome in FAILURES for c in classes)


def test_exit_codes_are_the_documented_ones() -> None:
    assert exit_code(InvalidQuery("x")) == 2
    assert exit_code(Misconfigured("x")) == 4
    assert exit_code(Refused("code", "x")) == 6
    assert exit_code(AllFailed(SearchResponse(query="x", outcome="rate_limited"))) == 5
    assert exit_code(AllFailed(SearchResponse(query="x", outcome="timeout"))) == 1
    assert exit_code(SeekreadError("x")) == 1


def test_a_failure_is_explained_once_with_its_advice() -> None:
    text = explain(AllFailed(SearchResponse(query="x", outcome="quota_exhausted")))
    assert text.count(MEANINGS["quota_exhausted"].advice) == 1
    assert explain(Refused("c", "no")).startswith("no. The request was refused")


def test_a_wrong_setting_is_named_without_advice_about_providers() -> None:
    assert explain(Misconfigured("setting limit: too small")) == "setting limit: too small."
