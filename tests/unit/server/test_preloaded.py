"""What workers are forked from has loaded modules and done nothing else."""

import subprocess
import sys
from pathlib import Path

import pytest

from seekread.server.supervisor import PRELOADED

LOOKED_AT = f"""
import os, sys
before = set(os.listdir("/proc/self/fd"))
import {PRELOADED}
import gc
print(len(os.listdir("/proc/self/task")), set(os.listdir("/proc/self/fd")) - before, gc.get_freeze_count() > 50_000)
print("seekread.server.app" in sys.modules, "asyncio" in sys.modules)
"""


@pytest.mark.process
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs /proc")
def test_it_starts_no_thread_and_opens_nothing(tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path), "BRAVE_SEARCH_API_KEY": "no-key"}
    done = subprocess.run([sys.executable, "-c", LOOKED_AT], capture_output=True, text=True, check=True, env=env)
    assert done.stdout.splitlines() == ["1 set() True", "True True"]
    assert list(tmp_path.iterdir()) == []
