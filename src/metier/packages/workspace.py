"""The files that a tool in Python may touch, and the one way to them."""

from __future__ import annotations

import math
import os
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metier.errors import PathEscape, ToolFailed
from metier.messages import catalogue
from metier.paths import join_inside
from metier.words import one_line

if TYPE_CHECKING:
    from metier.messages import Lang

MAX_MB = 20
"""Size of a file that a tool reads where it does not say otherwise."""

MAX_SHOWN = 100
"""Characters of a path that an error repeats."""

_MB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Workspace:
    """The folder that a tool works in, and the language that it speaks to the model.

    The checks hold for the moment of the call: use the path that comes back, and use it at once.
    """

    folder: str
    lang: Lang = "en"

    def existing(self, path: str, max_mb: float = MAX_MB) -> str:
        """The absolute path of a plain file in the workspace.

        Raises:
            ToolFailed: for a path that leads out, nothing there, a folder, or a file of more than `max_mb`.
        """
        file = self._inside(path)
        try:
            status = os.stat(file)
        except (OSError, ValueError):
            raise self._failed("workspace-missing", path) from None
        if stat.S_ISDIR(status.st_mode):
            raise self._failed("file-folder", path)
        if not stat.S_ISREG(status.st_mode):
            raise self._failed("workspace-odd", path)
        if status.st_size > max_mb * _MB:
            # Rounded up: a file of one byte too many must not seem to be as large as it may be.
            size = math.ceil(status.st_size * 10 / _MB) / 10
            raise self._failed("workspace-too-large", path, size=f"{size:g}", limit=f"{max_mb:g}")
        return file

    def new(self, path: str, *, overwrite: bool = False) -> str:
        """The absolute path of a file in the workspace that a tool is about to write. Nothing is made.

        Raises:
            ToolFailed: for a path that leads out, a folder that is not there, or a file that would be lost.
        """
        file = self._inside(path)
        if os.path.isdir(file):
            raise self._failed("file-folder", path)
        if not os.path.isdir(os.path.dirname(file)):
            raise self._failed("workspace-no-folder", os.path.dirname(path))
        if os.path.lexists(file) and not overwrite:
            raise self._failed("workspace-exists", path)
        return file

    def _inside(self, path: str) -> str:
        if not path.strip():
            raise self._failed("path-missing", path)
        if not self.folder:
            raise self._failed("workspace-none", path)
        try:
            return join_inside(self.folder, path)
        except PathEscape:
            raise self._failed("path-outside", path) from None

    def _failed(self, key: str, path: str, **values: object) -> ToolFailed:
        line = one_line(path)
        values["path"] = line if len(line) <= MAX_SHOWN else line[:MAX_SHOWN] + "…"
        template = catalogue(self.lang)[key]
        parts = (template, "", "") if isinstance(template, str) else template
        return ToolFailed(*(part.format_map(values) for part in parts))
