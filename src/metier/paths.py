"""The one containment check: whether a path may be used, seen from a folder.

Names are compared component by component on real paths, never as string prefixes, so a sibling called
`skills-evil` is not inside `skills`. The answer holds for the moment of the call: a link that somebody
swaps afterwards is not seen, which is why readers open what was checked and look at the open file again.
"""

from __future__ import annotations

import os

from metier.errors import PathEscape


def is_inside(base: str, path: str) -> bool:
    """True when the real `path` is the real `base` or lies below it; neither needs to exist."""
    base = os.path.realpath(base)
    path = os.path.realpath(path)
    try:
        return os.path.commonpath((base, path)) == base
    except ValueError:  # different drives
        return False


def join_inside(base: str, relative: str) -> str:
    """The absolute path of `relative` below `base`.

    Raises:
        PathEscape: for a null byte, a path that leads out of `base`, or a link that does.
    """
    try:
        os.fsencode(relative)
    except UnicodeEncodeError:  # half of a character: no file is called so
        raise PathEscape(base, relative.encode("utf-8", "replace").decode()) from None
    if "\0" in relative:
        raise PathEscape(base, relative)
    joined = os.path.normpath(os.path.join(base, relative))
    if not is_inside(base, joined):
        raise PathEscape(base, relative)
    return joined
