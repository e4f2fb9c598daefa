"""Rendering: a page can write about Markdown, it cannot speak it."""

import re

import pytest

from seekread.extraction.html import extract_html
from tests.support.speech import said

FILLER = "<p>" + "Some ordinary sentence about the river and its many bends. " * 6 + "</p>"


def markdown(body: str, *, images: bool = False) -> str:
    return extract_html(
        f"<body><main>{FILLER}{body}{FILLER}</main></body>", "https://a.example/dir/page", images=images
    ).markdown


@pytest.mark.parametrize(
    "body",
    [
        "<p>Look ![x](https://evil.example/?q=1) here.</p>",
        "<p>Look !<span>[x](https://evil.example/?q=1)</span> here.</p>",
        "<p>Look ![x]<span>(https://evil.example/?q=1)</span> here.</p>",
        "<p>[x]: https://evil.example/?q=1</p>",
        "<p>Raw &lt;img src=https://evil.example/&gt; tag.</p>",
    ],
)
def test_text_cannot_become_an_image_a_definition_or_a_tag(body: str) -> None:
    text = markdown(body)
    assert not re.search(r"(?<!\\)!\[x\]\(", text)
    assert "\\\\" not in text
    assert "\n[x]: " not in text
    assert "<img" not in text.replace("\\<img", "")


def test_an_exclamation_mark_before_a_link_does_not_make_an_image() -> None:
    assert "Wow\\![link](https://b.example/)" in markdown('<p>Wow!<a href="https://b.example/">link</a> it is.</p>')


@pytest.mark.parametrize(
    "body",
    [
        "<p>Wow<span>!</span><a href='https://b.example/'>link</a></p>",
        "<p>A \\&lt;img src=x&gt; tag, <span>\\</span>&lt;img src=x&gt; again.</p>",
        "<p>One ` tick and <code>&lt;img src=x&gt;</code> code.</p>",
        "<p>Code <code>a</code><code>&lt;img src=x&gt;</code><kbd>b</kbd> and ` code.</p>",
        "<p>Code <code>a\n\n# ![x](https://evil.example/)</code>.</p>",
        "<p>Code <code>a\u2028\u2028# ![x](https://evil.example/)</code>.</p>",
        '<p>Sum <math alttext="\\&lt;img src=x&gt;"><mi>a</mi></math>.</p>',
    ],
)
def test_what_stands_in_two_elements_does_not_speak_together(body: str) -> None:
    assert not said(markdown(body))


def test_code_cannot_close_its_fence() -> None:
    text = markdown("<pre><code>one\n```\n![x](https://evil.example/)</code></pre>")
    assert "````\none\n```\n![x](https://evil.example/)\n````" in text


def test_images_are_labels_by_default_and_links_on_request() -> None:
    body = f'<p>See <img src="p.png" alt="{"long " * 100}" title="hover"> in this paragraph.</p>'
    label = markdown(body)
    assert "![" not in label
    assert "[image: long long" in label
    assert label.count("long") <= 40
    linked = markdown(body, images=True)
    assert "![" not in linked
    assert "[image: long long" in linked
    assert "](https://a.example/dir/p.png)" in linked
    assert "hover" not in markdown(body, images=True)


@pytest.mark.parametrize(
    ("target", "shown"),
    [
        ("../up?a=1&amp;b=2", "https://a.example/up?a=1&b=2"),
        ("//c.example/x", "https://c.example/x"),
        ("https://me:pw@c.example:8443/x", "https://c.example:8443/x"),
        ("https://c.example/a(b) c", "https://c.example/a%28b%29%20c"),
        ("mailto:a@c.example", "mailto:a@c.example"),
        ("https://c.example/\u202egnp.exe\u200b", "https://c.example/gnp.exe"),
    ],
)
def test_links_are_absolute_and_safe(target: str, shown: str) -> None:
    assert f"[go]({shown})" in markdown(f'<p>Please <a href="{target}">go</a> there.</p>')


@pytest.mark.parametrize(
    "target",
    [
        "javascript:alert(1)",
        "java\nscript:alert(1)",
        "data:text/html,x",
        "vbscript:x",
        "tel:+491234",
        "https://c.example/" + "a" * 2000,
    ],
)
def test_unsafe_links_keep_their_text_only(target: str) -> None:
    text = markdown(f'<p>Please <a href="{target}">go</a> there.</p>')
    assert "Please go there." in text


def test_a_link_that_carries_data_away_is_flagged() -> None:
    query = "aZ3kQ9xLm2Vb7Nc5Rt8Yp1Ws4Ed6Gh0JiKoPuTqXyBzCfDvElFnGmHrIsAjOwMxUe"
    extracted = extract_html(
        f'<main>{FILLER}<p><a href="https://c.example/?d={query}">go</a> there.</p></main>', "https://a.example/"
    )
    assert any(signal.kind == "suspicious-link" for signal in extracted.signals)


def test_headings_keep_their_text_without_permalinks() -> None:
    assert "## Usage\n" in markdown('<h2 id="u">Usage<a class="headerlink" href="#u">¶</a></h2>')


@pytest.mark.parametrize(
    ("html", "first_line"),
    [
        ('<pre class="language-rust"><code>fn a() {}</code></pre>', "```rust"),
        ('<pre data-lang="go"><code>x := 1</code></pre>', "```go"),
        ('<div class="highlight highlight-source-js"><pre>let a;</pre></div>', "```js"),
        ('<pre class="brush: sql">select 1</pre>', "```sql"),
        ('<pre><code class="hljs python">a = 1</code></pre>', "```python"),
        ("<pre>plain</pre>", "```\nplain"),
        (
            (
                '<table class="highlighttable"><tr><td class="linenos"><pre>1\n2</pre></td>'
                '<td class="code"><div class="highlight-ruby"><pre>a\nb</pre></div></td></tr></table>'
            ),
            "```ruby\na\nb\n```",
        ),
    ],
)
def test_code_keeps_its_language(html: str, first_line: str) -> None:
    assert first_line in markdown(html)


@pytest.mark.parametrize(
    ("formula", "tex"),
    [
        ('<math alttext="a+b"><mi>a</mi></math>', "$a+b$"),
        ("<math><mfrac><mi>a</mi><msup><mi>b</mi><mn>2</mn></msup></mfrac></math>", "$\\frac{a}{b^{2}}$"),
        ('<script type="math/tex">x^2</script>', "$x^2$"),
        (
            (
                '<span class="mwe-math-element"><span style="display:none"><math display="block">'
                '<annotation encoding="application/x-tex">{\\displaystyle E=mc^{2}}</annotation></math></span>'
                '<img alt="E=mc^2" aria-hidden="true"></span>'
            ),
            "$$E=mc^{2}$$",
        ),
    ],
)
def test_formulas_are_written_as_tex(formula: str, tex: str) -> None:
    assert tex in markdown(f"<p>The law {formula} holds everywhere on the river.</p>")


def test_a_quote_is_set_apart_from_the_text_before_it() -> None:
    assert "Before.\n\n> Quoted Me\n\nAfter." in markdown(
        "<p>Before.</p><blockquote>Quoted <cite>Me</cite></blockquote><p>After.</p>"
    )


def test_code_keeps_its_blank_lines_and_its_quotes() -> None:
    assert "```\na\n> b\n```" in markdown("<pre>a\n&gt; b</pre>")


def test_code_stands_as_it_was_written_whatever_colours_its_parts() -> None:
    text = markdown("<p>Say <code>x <b>&lt;</b> y[0]<i>(z)</i></code>(or so), and <b>[1]</b>: no more.</p>")
    assert "`x < y[0](z)`(or so)" in text
    assert "**[1]**\\: no more" in text
