"""What a tool says about how it wants to be run: how long, with which rights, within which limits."""

from __future__ import annotations

import math
import posixpath
import re
from dataclasses import fields as fields_of
from typing import TYPE_CHECKING, cast

from metier.diagnostic import Diagnostic, problem
from metier.parsing.document import kind_of
from metier.tool import Bounds, Permissions
from metier.value import FALSE_WORDS, TRUE_WORDS, Value, as_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from metier.tool import Mode

MODES = ("oneshot", "worker")
MAX_TIMEOUT_S = 3_600
_MOST = {"memory_mb": 65_536, "cpu_s": 86_400, "processes": 4_096, "file_mb": 65_536, "temp_mb": 65_536}
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class Options:
    """Reads the options of one tool, and reports what makes no sense."""

    def __init__(self, form: Mapping[str, Value], tool: str, path: str, found: list[Diagnostic]) -> None:
        self._form = form
        self._tool = tool
        self._path = path
        self._found = found

    def mode(self) -> Mode:
        """Whether a process answers one call or many."""
        word = as_text(self._form.get("mode")).strip() or "oneshot"
        if word not in MODES:
            self._wrong("mode", f"is {word!r}, not one of {', '.join(MODES)}")
        return cast("Mode", word)

    def number(self, key: str, default: float, *, most: float) -> float:
        """A number above zero."""
        return self._number(self._form.get(key), key, default, most)

    def names(self, key: str) -> tuple[str, ...]:
        """Names of variables."""
        names = self._texts(self._form.get(key), key)
        for name in names:
            if not _VARIABLE.fullmatch(name):
                self._wrong(key, f"holds {name!r}, which is no name of a variable")
        return names

    def permissions(self) -> Permissions:
        """The rights it asks for."""
        form = self._map("permissions", ("network", "read", "write"))
        word = as_text(form.get("network")).strip().lower()
        if word and word not in TRUE_WORDS | FALSE_WORDS:
            self._wrong("permissions.network", f"is {word!r}, not true or false")
        write = self._texts(form.get("write"), "permissions.write")
        for path in write:
            normal = posixpath.normpath(path.replace("\\", "/"))
            if normal.startswith(("/", "..")) or "\0" in path:
                self._wrong("permissions.write", f"holds {path!r}, which leads out of the workspace")
        return Permissions(
            network=word in TRUE_WORDS, read=self._texts(form.get("read"), "permissions.read"), write=write
        )

    def bounds(self) -> Bounds:
        """The limits it asks for."""
        known = {field.name: cast("int", field.default) for field in fields_of(Bounds)}
        form = self._map("limits", tuple(known))
        return Bounds(
            **{
                name: max(1, int(self._number(form.get(name), f"limits.{name}", default, _MOST[name])))
                for name, default in known.items()
            }
        )

    def _map(self, key: str, allowed: tuple[str, ...]) -> dict[str, Value]:
        value = self._form.get(key)
        if not value:
            return {}
        if not isinstance(value, dict):
            self._wrong(key, f"is {kind_of(value)}, not a map")
            return {}
        for name in value:
            if name not in allowed:
                self._wrong(key, f"holds {name!r}, which is not one of {', '.join(allowed)}")
        return value

    def _texts(self, value: Value | None, key: str) -> tuple[str, ...]:
        if not value:
            return ()
        if isinstance(value, dict):
            self._wrong(key, "is a map, not a list")
            return ()
        return tuple(as_text(item).strip() for item in (value if isinstance(value, list) else [value]))

    def _number(self, value: Value | None, key: str, default: float, most: float) -> float:
        if value is None:
            return default
        try:
            number = float(as_text(value))
        except ValueError:
            number = math.nan
        if not 0 < number <= most:
            self._wrong(key, f"is {as_text(value)!r}, not a number above 0 and up to {most:,}")
            return default
        return number

    def _wrong(self, key: str, reason: str) -> None:
        self._found.append(problem("tool-option", self._path, name=self._tool, option=key, reason=reason))
