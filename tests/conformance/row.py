"""One promise of metier, with the place it comes from."""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    id: str
    source: str
    capability: str
    text: str
