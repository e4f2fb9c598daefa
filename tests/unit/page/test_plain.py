"""Markdown as plain text."""

from seekread.page.plain import plain_text
from tests.support.speech import said

MARKDOWN = """# A *title*

Some **bold** words, `code` and a [link](https://a.example/x).

- one
- two

| a | b |
|---|---|
| 1 | **2** |

```python
x = "# no heading"
```

---

The end."""


def test_words_stay_and_marks_go() -> None:
    assert plain_text(MARKDOWN) == (
        'A title\n\nSome bold words, code and a link.\n\n- one\n- two\n\na\tb\n1\t2\n\nx = "# no heading"\n\nThe end.'
    )


def test_what_was_code_or_escaped_does_not_speak_as_text() -> None:
    assert not said(plain_text("Write `<img src=x>` or `![a](https://e.example/)` or \\![a](https://e.example/)."))
    assert plain_text("Write `<b>`.") == "Write \\<b>."
