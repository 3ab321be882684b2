"""The tools that a model is offered, from a catalog and its policy: definitions, handlers, prompts.

Neutral Python objects: any agent framework can register them, and so can ten lines of your own.
"""

from metier.toolset.offers import OfferedTool
from metier.toolset.reload import Reloader
from metier.toolset.tools import Tools
from metier.toolset.toolset import Toolset

__all__ = ["OfferedTool", "Reloader", "Tools", "Toolset"]
