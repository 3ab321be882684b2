"""Where answers are kept that were too long for a conversation."""

from __future__ import annotations

import json
import os
import re
import time
from typing import TYPE_CHECKING, Any

from metier.catalog.reading import read_regular
from metier.errors import PathEscape
from metier.paths import join_inside

if TYPE_CHECKING:
    from collections.abc import Mapping

    from metier.result import Limits

DAY_S = 86_400
MAX_KEPT = 134_217_728
"""Bytes of an answer that was kept."""
_OURS = re.compile(r"tool_\d{8}_\d{6}_[\w-]*\.json")


def save_output(envelope: Mapping[str, Any], tool: str, project: str, limits: Limits) -> str:
    """Keep the whole answer, and return its path relative to the project; empty where it cannot be kept."""
    if not project:
        return ""
    try:
        folder = join_inside(project, limits.folder)
        os.makedirs(folder, exist_ok=True)
        _forget_old(folder, limits)
        stem = f"tool_{time.strftime('%Y%m%d_%H%M%S')}_{''.join(one for one in tool if one.isalnum() or one in '_-')}"
        for number in range(1, 1_000):
            name = f"{stem}.json" if number == 1 else f"{stem}_{number}.json"
            try:
                with open(os.path.join(folder, name), "x", encoding="utf-8", errors="backslashreplace") as file:
                    json.dump(envelope, file, ensure_ascii=False, indent=2)
            except FileExistsError:
                continue
            return "/".join((limits.folder.replace(os.sep, "/"), name))
    except (OSError, PathEscape):
        pass
    return ""


def read_output(path: str, project: str, limits: Limits) -> str | None:
    """The text of an answer that was kept; `None` where there is no such one."""
    folder, _, name = path.replace("\\", "/").rpartition("/")
    if not project or folder != limits.folder.replace(os.sep, "/") or not _OURS.fullmatch(name):
        return None
    try:
        data, _ = read_regular(join_inside(project, path), MAX_KEPT)
        content: object = json.loads(data)["data"]["content"]
    except (OSError, PathEscape, ValueError, KeyError, TypeError):
        return None
    return content if isinstance(content, str) else None


def _forget_old(folder: str, limits: Limits) -> None:
    oldest = time.time() - limits.retention_days * DAY_S
    for entry in os.scandir(folder):
        if _OURS.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
            try:
                if entry.stat(follow_symlinks=False).st_mtime < oldest:
                    os.unlink(entry.path)
            except OSError:  # somebody else was faster, or it is not ours to remove
                continue
