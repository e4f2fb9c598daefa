"""The closed set of outcomes, and that every error has its place in it."""

from typing import get_args

from seekread import errors
from seekread.errors import AllFailed, InvalidQuery, Misconfigured, ProviderError, Refused, SeekreadError
from seekread.models import SearchResponse
from seekread.outcomes import FAILURES, MEANINGS, Outcome, is_failure
from seekread.render.failure import exit_code, explain


def test_every_outcome_has_a_meaning() -> None:
    assert set(MEANINGS) == set(get_args(Outcome))


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
