"""metier: the skill system for LLM agents.

from metier import Catalog

catalog = Catalog.open(".")
for skill in catalog.skills:
    print(skill.name, skill.description)
"""

from __future__ import annotations

from metier.version import __version__

TYPE_CHECKING = False  # type checkers know the name; importing it from `typing` would cost more than all of this
if TYPE_CHECKING:
    from metier.catalog.candidate import Candidate, State
    from metier.catalog.catalog import Catalog
    from metier.catalog.library import Delta
    from metier.diagnostic import Diagnostic, Severity
    from metier.errors import (
        AmbiguousSkill,
        ConfigError,
        FileFailed,
        InvalidSkill,
        MetierError,
        PathEscape,
        UnknownProfile,
        UnknownSkill,
        UsageError,
    )
    from metier.parsing.document import Document
    from metier.policy import Policy, RootSpec, VisibilityRule
    from metier.skill import Root, Skill, Visibility
    from metier.tool import Example, Parameter, Tool

__all__ = [
    "AmbiguousSkill",
    "Candidate",
    "Catalog",
    "ConfigError",
    "Delta",
    "Diagnostic",
    "Document",
    "Example",
    "FileFailed",
    "InvalidSkill",
    "MetierError",
    "Parameter",
    "PathEscape",
    "Policy",
    "Root",
    "RootSpec",
    "Severity",
    "Skill",
    "State",
    "Tool",
    "UnknownProfile",
    "UnknownSkill",
    "UsageError",
    "Visibility",
    "VisibilityRule",
    "__version__",
]

# A command is started many times in one task, so a name is imported when it is first used.
_HOMES = {
    "metier.catalog.candidate": ("Candidate", "State"),
    "metier.catalog.catalog": ("Catalog",),
    "metier.catalog.library": ("Delta",),
    "metier.diagnostic": ("Diagnostic", "Severity"),
    "metier.errors": (
        "AmbiguousSkill",
        "ConfigError",
        "FileFailed",
        "InvalidSkill",
        "MetierError",
        "PathEscape",
        "UnknownProfile",
        "UnknownSkill",
        "UsageError",
    ),
    "metier.parsing.document": ("Document",),
    "metier.policy": ("Policy", "RootSpec", "VisibilityRule"),
    "metier.skill": ("Root", "Skill", "Visibility"),
    "metier.tool": ("Example", "Parameter", "Tool"),
}


def __getattr__(name: str) -> object:
    import importlib

    for module, names in _HOMES.items():
        if name in names:
            return getattr(importlib.import_module(module), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
