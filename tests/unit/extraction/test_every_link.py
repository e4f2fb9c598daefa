"""Every link of a page, for those who walk a site."""

from seekread.extraction.html import extract_html

TEXT = "<p>A harbour is a place where ships find shelter from the weather and from each other.</p>" * 5


def links(html: str) -> list[str]:
    found = extract_html(f"<html>{html}</html>", "https://harbour.example/docs/", every_link=True)
    return [link.url.removeprefix("https://harbour.example") for link in found.links]


def test_menus_feeds_and_following_pages_count() -> None:
    head = (
        "<head><link rel=next href=page2><link rel=alternate type=application/rss+xml href=/feed>"
        "<link rel=stylesheet href=/style.css></head>"
    )
    body = f"<body><nav><a href=/menu>menu</a></nav><main>{TEXT}<a href=text>text</a></main></body>"
    assert sorted(links(head + body)) == ["/docs/page2", "/docs/text", "/feed", "/menu"]


def test_each_counts_once_and_what_is_no_page_not_at_all() -> None:
    body = f"<body>{TEXT}<a href=/a>1</a><a href=/a>2</a><a href=mailto:a@b.example>3</a><a href=#top>4</a></body>"
    assert links(body) == ["/a"]


def test_what_nobody_sees_is_not_followed() -> None:
    """A link for programs only is bait."""
    assert links(f"<body>{TEXT}<a href=/bait style='display:none'>bait</a><a href=/a>a</a></body>") == ["/a"]


def test_an_author_may_ask_not_to_follow() -> None:
    assert links(f"<body>{TEXT}<a href=/a rel='nofollow noopener'>a</a><a href=/b>b</a></body>") == ["/b"]
    page = f"<head><meta name=ROBOTS content='noindex, NOFOLLOW'></head><body>{TEXT}<a href=/a>a</a></body>"
    assert links(page) == []
