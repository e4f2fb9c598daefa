"""What goes through the pipe between a reader and its children."""

import json

import pytest

from seekread.extraction.extracted import Extracted
from seekread.models import Link, Signal
from seekread.readers.builtin.frames import LENGTHS, BadFrame, TaskResult, lengths_of, pack, pack_result, unpack_result


def test_an_answer_survives_the_pipe() -> None:
    extracted = Extracted(
        markdown="Grüße \U0001f600",
        title="T",
        metadata={"a": "b"},
        links=(Link(text="x", url="https://a.example/"),),
        signals=(Signal(kind="k", count=2, detail="d"),),
    )
    head, body = pack_result(TaskResult(extracted))
    assert unpack_result(head[LENGTHS.size :], body) == TaskResult(extracted)


@pytest.mark.parametrize(
    "change",
    [
        {"outcome": "perfect"},
        {"links": [["only one"]]},
        {"links": [[1, 2]]},
        {"signals": "text"},
        {"metadata": []},
        {"failed": None, "title": None, "outcome": []},
    ],
)
def test_a_child_that_was_taken_over_cannot_make_the_parent_stumble(change: dict[str, object]) -> None:
    head = json.loads(pack_result(TaskResult(Extracted()))[0][LENGTHS.size :])
    with pytest.raises(BadFrame):
        unpack_result(pack({**head, **change}, 0)[LENGTHS.size :], b"")
    with pytest.raises(BadFrame):
        unpack_result(b"no json", b"")
    with pytest.raises(BadFrame):
        unpack_result(json.dumps(head).encode(), b"\xff")
    with pytest.raises(BadFrame):
        lengths_of(b"\xff" * LENGTHS.size)
