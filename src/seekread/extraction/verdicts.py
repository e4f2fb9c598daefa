"""
Pages that are not what was asked for: a challenge, a shell that needs JavaScript, a paywall.

Each verdict needs evidence in the page and little text beside it: an article about captchas is an article.
"""

import re
from functools import cached_property

from selectolax.lexbor import LexborHTMLParser

from seekread.extraction.structured import Structured
from seekread.extraction.tree import parse_page
from seekread.late import dataclass
from seekread.outcomes import Outcome

CHALLENGE_LIMIT = 1500
SHELL_LIMIT = 250
NOTICE_LIMIT = 700
TEASER_LIMIT = 2500
CHALLENGE_PARTS = (
    "#challenge-form, #challenge-running, #cf-challenge-running, .cf-browser-verification, #challenge-error-text, "
    "#px-captcha, #sec-if-cpt-container, #captcha-form, form[action*='/cdn-cgi/l/chk'], "
    "iframe[src*='captcha-delivery.com'], script[src*='captcha-delivery.com'], iframe[src*='_Incapsula_Resource'], "
    "script[src*='awswaf.com'][src*='challenge'], #ddg-captcha, .ddg-captcha, #captchacharacters, #hcaptcha-challenge"
)
CHALLENGE_TITLE = re.compile(
    r"^\s*(?:just a moment|attention required!|access denied|access to this page has been denied"
    r"|pardon our interruption"
    r"|are you (?:a )?(?:human|robot)|robot or human|robot check|human verification|security check(?:point)?"
    r"|verifying your browser"
    r"|please verify|verify you are human|ddos-guard|checking your browser|bot verification|un instant|einen moment"
    r"|one moment, please|captcha|request rejected|you have been blocked|403 forbidden|vercel security checkpoint)",
    re.IGNORECASE,
)
CHALLENGE_TEXT = re.compile(
    r"enable javascript and cookies to continue|checking (?:if the site connection is secure|your browser before)"
    r"|verify(?:ing)? (?:that )?you are (?:a |not a )?(?:human|robot)|confirm (?:that )?you(?:'|\u2019)?(?:re"
    r"| are) (?:a )?(?:human|not a (?:ro)?bot)"
    r"|unusual traffic from your computer network|complete the security check|press (?:&|and) hold"
    r"|incapsula incident id|sorry, you have been blocked|why have i been blocked|you don(?:'"
    r"|\u2019)t have permission to access"
    r"|enter the characters you see below|performance & security by cloudflare"
    r"|needs to review the security of your connection",
    re.IGNORECASE,
)
SCRIPT_NOTICE = re.compile(
    r"(?:enable|activate|turn on|requires?|needs?|without)\s+(?:your\s+)?(?:java\s?script|js\b)"
    r"|java\s?script (?:is|must be|has been)\s+"
    r"(?:not enabled|disabled|required|enabled|turned off)|doesn(?:'|\u2019)t work properly without javascript"
    r"|javascript (?:aktivieren|activer)"
    r"|(?:aktivieren sie|activez|habilite|attiva) .{0,20}javascript|(?:включите|需要启用|请启用).{0,12}javascript",
    re.IGNORECASE,
)
SCRIPTS = "script, link[rel='modulepreload'], link[as='script']"
APP_ROOTS = (
    "#root, #app, #__next, #__nuxt, #___gatsby, #svelte, app-root, #main-app, #application, [ng-app], [data-reactroot]"
)
PAYWALL_PARTS = (
    "[class*='paywall' i], [id*='paywall' i], [class*='piano-'], #piano-inline, "
    "[class*='subscriber-only' i], [class*='regwall' i], "
    "[class*='metered' i], [data-testid*='paywall' i]"
)
PAYWALL_INSIDE = f":is(article, main, [role='main']) :is({PAYWALL_PARTS})"
PAYWALL_TEXT = re.compile(
    r"(?:subscribe|sign up|register|log ?in|sign in|join)\s+(?:now\s+)?(?:to|and)\s+(?:continue|keep|read"
    r"|unlock|access|finish)"
    r"|to (?:continue|keep) reading|continue reading (?:your article )?with|already a (?:subscriber|member)\?"
    r"|subscribers only"
    r"|(?:this|the) (?:article|story|content|post) is (?:only )?(?:for|available to|exclusive to"
    r"|reserved for) (?:our )?(?:paid |paying )?"
    r"(?:subscribers|members)|unlock (?:this|the full) (?:article|story)|read the full (?:article|story) with"
    r"|jetzt weiterlesen"
    r"|réservé aux abonnés|contenido exclusivo para suscriptores|para suscriptores",
    re.IGNORECASE,
)


class Evidence:
    """What of a page speaks for a verdict. Few pages are short enough for one: it is gathered when it is asked for."""

    def __init__(self, html: str, structured: Structured) -> None:
        self.html = html
        self.structured = structured

    @cached_property
    def document(self) -> LexborHTMLParser:
        """The page as it came."""
        return parse_page(self.html)

    def has(self, selector: str) -> bool:
        """Say whether the page has an element of a kind."""
        return self.document.css_first(selector) is not None

    @property
    def title(self) -> str:
        """The title of the page."""
        node = self.document.css_first("title")
        return node.text(strip=True) if node else ""

    @property
    def closed(self) -> bool:
        """Say whether the page declares that it is not free to read."""
        return any(is_closed(thing.get("isAccessibleForFree")) for thing in self.structured.objects)


@dataclass(frozen=True)
class PageVerdict:
    """An outcome other than a page, and why."""

    outcome: Outcome
    error: str


def is_closed(value: object) -> bool:
    return value is False or (
        isinstance(value, str) and value.strip().lower() in {"false", "no", "https://schema.org/false"}
    )


def challenge(evidence: Evidence, page_text: str) -> PageVerdict | None:
    """Say whether a page is a challenge or a block instead of content."""
    if len(page_text) > CHALLENGE_LIMIT:
        return None
    title = evidence.title
    titled = CHALLENGE_TITLE.search(title) is not None
    written = CHALLENGE_TEXT.search(page_text) is not None
    if written or evidence.has(CHALLENGE_PARTS) or (titled and len(page_text) < CHALLENGE_LIMIT // 2):
        return PageVerdict(
            "blocked", f"the site answered with a challenge or block page ({title[:80] or 'no title'!r})"
        )
    return None


def shell(evidence: Evidence, page_text: str, content: str) -> PageVerdict | None:
    """Say whether a page shows nothing without JavaScript."""
    if len(page_text) > NOTICE_LIMIT or len(content) > NOTICE_LIMIT:
        return None
    if SCRIPT_NOTICE.search(page_text):
        return PageVerdict("needs_js", "the page asks for JavaScript and shows nothing else")
    if len(content) < SHELL_LIMIT and evidence.has(SCRIPTS) and (evidence.has(APP_ROOTS) or len(page_text) < 50):
        return PageVerdict("needs_js", "the page is a shell that a script fills")
    return None


def paywall(evidence: Evidence, page_text: str, content: str) -> PageVerdict | None:
    """Say whether a page shows only the beginning of what it is about, for readers who do not pay."""
    if len(content) > TEASER_LIMIT:
        return None
    if evidence.closed:
        shut = evidence.has(PAYWALL_PARTS) or PAYWALL_TEXT.search(page_text) is not None
    else:
        # Sites that meter their readers carry a bar with such names on pages that are free.
        shut = any(PAYWALL_TEXT.search(node.text()) for node in evidence.document.css(PAYWALL_INSIDE))
    return PageVerdict("paywalled", "the page shows only a teaser to readers without a subscription") if shut else None
