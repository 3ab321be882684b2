"""Many calls with faults at random leave nothing behind; `benchmarks/soak.py` does the same ten thousand times."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SOAK = Path(__file__).parent.parent.parent / "benchmarks" / "soak.py"


def test_many_calls_with_faults_leave_nothing_behind() -> None:
    done = subprocess.run(
        [sys.executable, str(SOAK), "--calls", "600", "--seed", "7"],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "| another's answer | 0 |" in done.stdout
    assert "tool-timeout" in done.stdout
    assert "tool-exit" in done.stdout
