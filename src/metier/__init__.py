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
    from metier.catalog.usage import Usage
    from metier.diagnostic import Diagnostic, Severity
    from metier.disclosure.conversation import ActivationEvent, Conversation
    from metier.disclosure.listing import Listing
    from metier.disclosure.triggers import Triggers
    from metier.errors import (
        AmbiguousSkill,
        ConfigError,
        FileFailed,
        InvalidSkill,
        MetierError,
        PathEscape,
        ToolFailed,
        UnknownProfile,
        UnknownSkill,
        UsageError,
    )
    from metier.execution.pool import Terms
    from metier.execution.scripts import Leave
    from metier.packages.project_skill import ProjectSkill
    from metier.packages.workspace import Workspace
    from metier.parsing.document import Document
    from metier.places import RootSpec
    from metier.policy import Policy, VisibilityRule
    from metier.result import Activation, Code, Result, render
    from metier.skill import Root, Skill, Visibility
    from metier.tool import Example, Parameter, Tool
    from metier.toolset import OfferedTool, Reloader, Tools, Toolset

__all__ = [
    "Activation",
    "ActivationEvent",
    "AmbiguousSkill",
    "Candidate",
    "Catalog",
    "Code",
    "ConfigError",
    "Conversation",
    "Delta",
    "Diagnostic",
    "Document",
    "Example",
    "FileFailed",
    "InvalidSkill",
    "Leave",
    "Listing",
    "MetierError",
    "OfferedTool",
    "Parameter",
    "PathEscape",
    "Policy",
    "ProjectSkill",
    "Reloader",
    "Result",
    "Root",
    "RootSpec",
    "Severity",
    "Skill",
    "State",
    "Terms",
    "Tool",
    "ToolFailed",
    "Tools",
    "Toolset",
    "Triggers",
    "UnknownProfile",
    "UnknownSkill",
    "Usage",
    "UsageError",
    "Visibility",
    "VisibilityRule",
    "Workspace",
    "__version__",
    "render",
]

# A command is started many times in one task, so a name is imported when it is first used.
_HOMES = {
    "metier.catalog.candidate": ("Candidate", "State"),
    "metier.catalog.catalog": ("Catalog",),
    "metier.catalog.library": ("Delta",),
    "metier.catalog.usage": ("Usage",),
    "metier.diagnostic": ("Diagnostic", "Severity"),
    "metier.disclosure.conversation": ("ActivationEvent", "Conversation"),
    "metier.disclosure.listing": ("Listing",),
    "metier.disclosure.triggers": ("Triggers",),
    "metier.errors": (
        "AmbiguousSkill",
        "ConfigError",
        "FileFailed",
        "InvalidSkill",
        "MetierError",
        "PathEscape",
        "ToolFailed",
        "UnknownProfile",
        "UnknownSkill",
        "UsageError",
    ),
    "metier.execution.pool": ("Terms",),
    "metier.execution.scripts": ("Leave",),
    "metier.packages.project_skill": ("ProjectSkill",),
    "metier.packages.workspace": ("Workspace",),
    "metier.parsing.document": ("Document",),
    "metier.places": ("RootSpec",),
    "metier.policy": ("Policy", "VisibilityRule"),
    "metier.result": ("Activation", "Code", "Result", "render"),
    "metier.skill": ("Root", "Skill", "Visibility"),
    "metier.tool": ("Example", "Parameter", "Tool"),
    "metier.toolset": ("OfferedTool", "Reloader", "Tools", "Toolset"),
}


def __getattr__(name: str) -> object:
    import importlib

    for module, names in _HOMES.items():
        if name in names:
            return getattr(importlib.import_module(module), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
