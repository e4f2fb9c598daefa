"""Verdicts: a challenge, a shell and a paywall are reported, not returned as content."""

import pytest

from seekread.extraction.html import extract_html

ARTICLE = "".join(
    f"<p>Paragraph {n} about captchas, and why sites ask you to enable JavaScript and cookies to continue at all.</p>"
    for n in range(20)
)


@pytest.mark.parametrize(
    "html",
    [
        "<title>Just a moment...</title><body><p>Enable JavaScript and cookies to continue</p></body>",
        "<title>Attention Required! | Cloudflare</title><body><h1>Sorry, you have been blocked</h1></body>",
        "<title>Access Denied</title><body>You don't have permission to access this page on this server.</body>",
        "<body><div id='px-captcha'></div><p>Press & Hold to confirm you are a human</p></body>",
        "<body>We detected unusual traffic from your computer network.<form id='captcha-form'></form></body>",
        "<body><script src='https://ct.captcha-delivery.com/c.js'></script></body>",
    ],
)
def test_challenge_pages_are_blocked(html: str) -> None:
    extracted = extract_html(html, "https://www.example.com/")
    assert (extracted.outcome, extracted.markdown) == ("blocked", "")
    assert "challenge" in extracted.error


@pytest.mark.proves("S3-33")
@pytest.mark.parametrize(
    "html",
    [
        "<body><noscript>Please enable JavaScript.</noscript><div id='root'></div><script src=a.js></script></body>",
        "<body><div id='app'>Loading…</div><script src=a.js></script></body>",
        "<body><app-root></app-root><script src=a.js></script></body>",
        "<body><p>This site requires JavaScript.</p></body>",
    ],
)
def test_shells_need_javascript(html: str) -> None:
    """A page that a script would draw is reported as such, so that a browser can read it."""
    extracted = extract_html(html)
    assert (extracted.outcome, extracted.markdown) == ("needs_js", "")


def test_a_teaser_is_paywalled_and_keeps_what_it_shows() -> None:
    html = (
        '<script type="application/ld+json">{"@type": "NewsArticle", "isAccessibleForFree": false}</script>'
        "<body><article><p>"
        + "The first paragraph is free for everyone to read. " * 6
        + "</p><div class='paywall'><p>Subscribe to continue reading.</p></div></article></body>"
    )
    extracted = extract_html(html)
    assert extracted.outcome == "paywalled"
    assert "first paragraph is free" in extracted.markdown


def test_a_wall_inside_an_article_is_enough_and_a_bar_outside_is_not() -> None:
    """Sites that meter their readers show the same words on pages that are free."""
    text = "<p>" + "How did you get started, and which tools would you buy again today? " * 6 + "</p>"
    wall = "<div class='paywall'><p>Subscribe to continue reading.</p></div>"
    assert extract_html(f"<body><article>{text}{wall}</article></body>").outcome == "paywalled"
    assert extract_html(f"<body><article>{text}</article>{wall}</body>").outcome == "ok"


@pytest.mark.parametrize(
    "head",
    ["<title>Access denied: a history of captchas</title>", "<div id='root'></div>", "<div class='paywall'></div>"],
)
def test_an_article_about_such_pages_is_an_article(head: str) -> None:
    extracted = extract_html(f"{head}<body><article><h1>Captchas</h1>{ARTICLE}</article></body>")
    assert extracted.outcome == "ok"
    assert "Paragraph 7" in extracted.markdown
