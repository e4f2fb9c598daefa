"""Stores that are not taken for down because this machine is busy."""

import pytest

from seekread.state import writer
from seekread.state.redis import RedisStore
from seekread.state.sqlite import SqliteStore

PATIENCE = 300.0
"""Seconds until something that never happens is called so, on however busy a machine."""


def be_patient(patch: pytest.MonkeyPatch) -> None:
    """Let every store of this process that is not told otherwise wait for its file or its server for long."""
    for store, name in ((SqliteStore, "busy_seconds"), (RedisStore, "timeout")):
        defaults = store.__init__.__kwdefaults__
        assert defaults is not None
        assert name in defaults
        patch.setitem(defaults, name, PATIENCE)
    patch.setattr(writer, "LONGEST", PATIENCE)
