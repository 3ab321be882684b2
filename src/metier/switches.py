"""The switches of the environment: `SKILL_<NAME>_ENABLED` turns one skill off."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from metier.value import FALSE_WORDS

if TYPE_CHECKING:
    from collections.abc import Mapping

_SWITCH = re.compile(r"SKILL_(.+)_ENABLED")


def switched_off(environ: Mapping[str, str], reading: Literal["words", "exact", "off"]) -> dict[str, str]:
    """The keys of the skills that are switched off, with the value that does it.

    `words` reads false, 0, no and off, in any case; `exact` reads nothing but `false`; `off` reads no switches.
    """
    if reading == "off":
        return {}
    lower = reading == "words"
    off = FALSE_WORDS if lower else frozenset({"false"})
    return {
        match[1]: value
        for key, value in environ.items()
        if (match := _SWITCH.fullmatch(key)) and (value.strip().lower() if lower else value) in off
    }


def switch_key(name: str) -> str:
    """What stands for a skill's name in its switch: `EXCEL` in `SKILL_EXCEL_ENABLED`."""
    return re.sub(r"[^A-Z0-9]", "_", name.upper())
