"""The kinds of skills that `metier new` makes: which files each has, and from which templates."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind of skill. In the names of files, `LANG`, `NAME` and `MODULE` stand for what they say."""

    files: tuple[tuple[str, str], ...]
    """Path in the new folder, and the template it is made from."""
    runtime: str = ""
    entry: str = ""

    @property
    def is_tool(self) -> bool:
        """True for a skill that is a program with a `skill.yaml`."""
        return bool(self.runtime)


def _tool(runtime: str, entry: str, *more: tuple[str, str]) -> Kind:
    return Kind(runtime=runtime, entry=entry, files=(("skill.yaml", "tool/skill.LANG.yaml.tmpl"), *more))


KINDS: MappingProxyType[str, Kind] = MappingProxyType({
    "instructions": Kind(files=(("SKILL.md", "instructions/SKILL.LANG.md.tmpl"),)),
    "python": _tool("python", "main.py", ("main.py", "python/main.py.tmpl")),
    "node": _tool("node", "main.mjs", ("main.mjs", "node/main.mjs.tmpl")),
    "typescript": _tool(
        "node", "main.ts", ("main.ts", "typescript/main.ts.tmpl"), ("package.json", "typescript/package.json.tmpl")
    ),
    "go": _tool("go", "main.go", ("main.go", "go/main.go.tmpl"), ("go.mod", "go/go.mod.tmpl")),
    "binary": _tool("binary", "skill", ("skill", "binary/skill.tmpl")),
    "package": Kind(
        files=(
            ("pyproject.toml", "package/pyproject.toml.tmpl"),
            ("src/MODULE/__init__.py", "package/skill.py.tmpl"),
            ("tests/test_MODULE.py", "package/test.py.tmpl"),
            ("docs/skills/NAME.md", "package/docs.LANG.md.tmpl"),
        )
    ),
})  # fmt: skip
"""Every kind, by the name that `--kind` takes."""

REFERENCES = ("references/details.md", "instructions/details.LANG.md.tmpl")
"""What instructions get besides where long texts are wanted."""
