from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metier.errors import PathEscape
from metier.paths import is_inside, join_inside

PARTS = st.sampled_from(["a", "b", "..", ".", "", "link-in", "link-out", "skills-evil", "c d", "\u00e9"])


@given(st.lists(PARTS, max_size=6), st.booleans())
@settings(max_examples=400, deadline=None)
def test_a_joined_path_is_really_inside_or_refused(parts: list[str], absolute: bool) -> None:
    with tempfile.TemporaryDirectory() as top:
        base = Path(top).resolve() / "skills"
        (base / "a" / "b").mkdir(parents=True)
        (Path(top) / "skills-evil").mkdir()
        (base / "link-in").symlink_to(base / "a")
        (base / "link-out").symlink_to(top)
        relative = "/".join(parts)
        asked = f"/{relative}" if absolute else relative
        try:
            joined = join_inside(str(base), asked)
        except PathEscape:
            return
        real = os.path.realpath(joined)
        assert real == str(base) or real.startswith(str(base) + os.sep)


def test_a_sibling_with_the_same_prefix_is_outside(tmp_path: Path) -> None:
    (tmp_path / "skills").mkdir()
    assert not is_inside(str(tmp_path / "skills"), str(tmp_path / "skills-evil" / "x"))
    assert is_inside(str(tmp_path / "skills"), str(tmp_path / "skills"))
    for bad in ("../skills-evil/x", "/etc/passwd", "a\0b", ".."):
        with pytest.raises(PathEscape):
            join_inside(str(tmp_path / "skills"), bad)
