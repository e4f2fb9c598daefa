"""What others have built on changes only where somebody meant it."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.process
def test_the_openapi_document_and_the_mcp_tools_are_those_published() -> None:
    """A change that is meant is written down with `python tools/generate_published.py`."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "generate_published.py"), "--check"],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
