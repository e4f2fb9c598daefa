"""`seekread guard`: may this URL be fetched, and which step decides?"""

import asyncio
import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

from seekread.cli.terminal import say
from seekread.printable import on_a_line

if TYPE_CHECKING:
    from seekread.http.guard import Guard, GuardPolicy, Verdict

MARKS = {True: "pass", False: "stop", None: "wait"}
EXIT_CODES = {"allowed": 0, "unresolved": 1, "refused": 6}


@click.command("guard")
@click.argument("urls", nargs=-1, metavar="URL...")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")
@click.option(
    "--allow-private",
    multiple=True,
    metavar="HOST:PORT|CIDR",
    help="Judge as if this entry were in the setting of the same name. May be repeated.",
)
@click.option("--self-test", is_flag=True, help="Run the built-in cases against a canary on loopback.")
@click.pass_context
def guard(
    context: click.Context, urls: tuple[str, ...], as_json: bool, allow_private: tuple[str, ...], self_test: bool
) -> None:
    """
    Say whether URLs may be fetched, step by step.

    With - as URL they are read from standard input, one per line: plain, or as a JSON object {"url": ...}. Such an
    object may also have "dns" ({"host": ["address", ...]}, used instead of asking a resolver), "redirect" (a list of
    Location values the page would answer with) and "id", which is repeated in the answer.

    Nothing is fetched; names are looked up. The exit code is 0 when every URL is allowed, 6 when one is refused and
    1 when one could not be looked up.
    """
    if self_test == bool(urls):
        raise click.UsageError("Give one or more URLs, - for standard input, or --self-test.")
    if self_test:
        context.exit(run_self_test(as_json))
    context.exit(asyncio.run(explain_all(read_questions(urls), policy_with(allow_private, context.obj or {}), as_json)))


async def explain_all(questions: Iterable[dict[str, Any]], policy: "GuardPolicy", as_json: bool) -> int:
    """Answer one question after the other; return the exit code."""
    worst = 0
    for question in questions:
        verdict = await guard_for(policy, question.get("dns")).explain(
            question["url"], redirects=question.get("redirect", ())
        )
        worst = max(worst, EXIT_CODES[verdict.verdict])
        if as_json:
            known = {"id": question["id"]} if "id" in question else {}
            say(json.dumps(known | verdict.as_json()))
        else:
            say(render(verdict))
    return worst


def render(verdict: "Verdict") -> str:
    """The verdict as lines of text."""
    lines = [f"{verdict.verdict}  {verdict.url}"]
    width = max(len(step.name) for step in verdict.steps)
    lines += [f"  {MARKS[step.passed]}  {step.name:{width}}  {step.detail}" for step in verdict.steps]
    lines += [f"  note  {note}" for note in verdict.notes]
    return "\n".join(map(on_a_line, lines))


def read_questions(urls: Iterable[str]) -> Iterator[dict[str, Any]]:
    """The URLs given, with those on standard input in the place of -."""
    for url in urls:
        if url != "-":
            yield {"url": url}
            continue
        for number, line in enumerate(sys.stdin, 1):
            if text := line.rstrip("\r\n"):
                yield read_question(text, number)


def read_question(text: str, number: int) -> dict[str, Any]:
    """One line of standard input: a URL, or a JSON object with one."""
    if not text.startswith("{"):
        return {"url": text}
    try:
        question = json.loads(text)
    except json.JSONDecodeError as error:
        raise click.UsageError(f"Line {number} is not JSON: {error}.") from None
    well_formed = (
        isinstance(question.get("url"), str)
        and isinstance(question.get("dns", {}), dict)
        and isinstance(question.get("redirect", []), list)
    )
    if not well_formed:
        raise click.UsageError(f'Line {number} wants "url", a text; "dns" is an object and "redirect" a list.')
    return dict(question)


def guard_for(policy: "GuardPolicy", answers: Mapping[str, list[str]] | None) -> "Guard":
    """A guard that asks the system's resolver, or takes the given answers first."""
    from seekread.http.guard import Guard

    return Guard(policy, GivenAnswers(answers) if answers is not None else None)


class GivenAnswers:
    """A resolver that takes answers from a question, and asks the system for other names."""

    def __init__(self, answers: Mapping[str, list[str]]) -> None:
        self._answers = answers

    async def resolve(self, host: str, port: int) -> list[str]:
        from seekread.http.guard import SystemResolver

        if host in self._answers:
            return [str(answer) for answer in self._answers[host]]
        return await SystemResolver().resolve(host, port)


def policy_with(allow_private: tuple[str, ...], chosen: Mapping[str, Any]) -> "GuardPolicy":
    """The operator's policy, with entries added for this run; a bad one is a usage error."""
    from dataclasses import replace

    from seekread.compose import guard_policy
    from seekread.config.sources import load
    from seekread.errors import Misconfigured
    from seekread.http.policy import read_allow_private

    try:
        read_allow_private(allow_private)
    except Misconfigured as error:
        raise click.UsageError(str(error)) from None
    policy = guard_policy(load(chosen.get("settings", {}), file=chosen.get("config")))
    return replace(policy, allow_private=policy.allow_private + allow_private)


def run_self_test(as_json: bool) -> int:
    """Run the built-in cases; 0 when all is well."""
    from seekread.http.selftest import run

    report = asyncio.run(run())
    if as_json:
        say(json.dumps(report.as_json()))
        return 0 if report.passed else 1
    say(f"refused, as they must be     {report.refused}")
    say(f"refused by the browser proxy {report.refused_by_proxy}")
    say(f"allowed, as they must be     {report.allowed}")
    say(f"skipped                      {report.skipped}")
    say(f"wrong verdicts               {len(report.wrong)}")
    say(f"connections to the canary    {report.connections}")
    for line in report.wrong:
        say(f"  {line}")
    if not report.canary_works:
        say("The canary did not notice a connection made on purpose, so the test proves nothing.")
    say("passed" if report.passed else "FAILED")
    return 0 if report.passed else 1
