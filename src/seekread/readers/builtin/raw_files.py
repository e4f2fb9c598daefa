"""
Where the text of a page lies: files on code hosts as their raw file, repositories as their README, sites by llms.txt.

A page about a file is mostly buttons; the file itself is what somebody wants to read. Each host is a row of the table.
Whatever a rule says goes through the guard like any address, and where it leads nowhere the page itself is read.
"""

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from seekread.late import dataclass

READMES = ("README.md", "README.rst", "README")
"""What the first page of a repository is called, most often first."""
NOT_REPOSITORIES = frozenset(
    {"about", "apps", "collections", "contact", "customer-stories", "enterprise", "events", "explore", "features",
     "login", "marketplace", "notifications", "orgs", "pricing", "search", "security", "settings", "site", "sponsors",
     "topics", "trending", "users"}
)  # fmt: skip
"""First parts of paths on GitHub that belong to nobody."""


@dataclass(frozen=True)
class RawRule:
    """A host, what a path on it looks like, and where its text lies: addresses with the named parts of the path."""

    host: str
    path: re.Pattern[str]
    targets: tuple[str, ...]


def rule(host: str, path: str, *targets: str) -> RawRule:
    return RawRule(host, re.compile(path), targets)


REPOSITORY = r"/(?P<owner>[\w.-]+)/(?P<name>[\w.-]+?)(?:\.git)?/?"
RULES: tuple[RawRule, ...] = (
    rule(
        "github.com",
        r"/(?P<owner>[\w.-]+)/(?P<name>[\w.-]+)/blob/(?P<file>.+)",
        "https://raw.githubusercontent.com/{owner}/{name}/{file}",
    ),
    rule(
        "github.com",
        REPOSITORY,
        *(f"https://raw.githubusercontent.com/{{owner}}/{{name}}/HEAD/{readme}" for readme in READMES),
    ),
    rule(
        "gist.github.com",
        r"/(?P<owner>[\w.-]+)/(?P<id>[0-9a-f]{20,40})/?",
        "https://gist.githubusercontent.com/{owner}/{id}/raw",
    ),
    rule("gitlab.com", r"/(?P<name>.+)/-/blob/(?P<file>.+)", "https://gitlab.com/{name}/-/raw/{file}"),
    rule(
        "gitlab.com",
        REPOSITORY,
        *(f"https://gitlab.com/{{owner}}/{{name}}/-/raw/HEAD/{readme}" for readme in READMES),
    ),
    rule("codeberg.org", r"/(?P<name>[^/]+/[^/]+)/src/(?P<file>.+)", "https://codeberg.org/{name}/raw/{file}"),
    rule("bitbucket.org", r"/(?P<name>[^/]+/[^/]+)/src/(?P<file>.+)", "https://bitbucket.org/{name}/raw/{file}"),
    rule("huggingface.co", r"/(?P<name>.+)/blob/(?P<file>.+)", "https://huggingface.co/{name}/raw/{file}"),
)
"""The first row that fits decides."""


def raw_addresses(url: str, rules: tuple[RawRule, ...] = RULES) -> Iterator[str]:
    """Where the text of a page may lie, most likely first; nothing for most pages."""
    parts = urlsplit(url)
    if parts.query:
        # A query asks for a view of its own.
        return
    for candidate in rules:
        found = candidate.path.fullmatch(parts.path) if parts.netloc == candidate.host else None
        if found and found.groupdict().get("owner") not in NOT_REPOSITORIES:
            yield from (target.format(**found.groupdict()) for target in candidate.targets)
            return


def llms_address(url: str) -> str | None:
    """Where a site whose front page is asked for keeps what it wants models to read."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}/llms.txt" if parts.path in {"", "/"} and not parts.query else None
