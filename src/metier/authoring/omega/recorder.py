"""A plugin of pytest: writes down every error that a skill raises for a model while its tests run."""

from __future__ import annotations

import json
import os
from typing import Any

from metier.errors import ToolFailed


def pytest_configure() -> None:
    """Listen from now on; the errors go to the file that the environment names, one a line."""
    path = os.environ.get("METIER_ERRORS_FILE", "")
    if not path:
        return
    original = ToolFailed.__init__

    def listening(self: ToolFailed, *arguments: Any, **named: Any) -> None:
        original(self, *arguments, **named)
        with open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps(str(self)) + "\n")

    ToolFailed.__init__ = listening
