"""The one typed answer of every operation offered to a model, and the ways to write it down.

answer    Result, Activation, Code: what happened, as values
renderers skill_content, envelope, skill_loaded, text, stdio: how a model gets to read it
envelope  the JSON object of the envelope, and its validator
cutting   the layer that keeps a long answer out of a conversation
"""

from metier.result.answer import Activation, Code, Delegation, Result, Status, failed
from metier.result.cutting import Limits, cut
from metier.result.envelope import Violation, as_envelope, serialised, validate_envelope
from metier.result.renderers import RENDERERS, Renderer, neutralised, render

__all__ = [
    "RENDERERS",
    "Activation",
    "Code",
    "Delegation",
    "Limits",
    "Renderer",
    "Result",
    "Status",
    "Violation",
    "as_envelope",
    "cut",
    "failed",
    "neutralised",
    "render",
    "serialised",
    "validate_envelope",
]
