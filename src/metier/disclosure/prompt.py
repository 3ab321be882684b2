"""Where the list of skills goes in a prompt, and the words around it.

The words of the published designs stand here as they are published: programs and tests look for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.messages import say
from metier.words import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.messages import Lang
    from metier.policy import Policy

MYCODEAGENT_RULES = (
    "- When user mentions a skill by name (e.g., `$code-review` or “use code-review skill”), "
    "load it with the Skill tool.\n"
    "- If a task clearly matches a skill’s description, consider loading that skill.\n"
    "- Only load skills when explicitly needed; do not preload all skills."
)
SMALLEBOT_INTRODUCTION = (
    "You have access to the following skills. Each has an id and a short description. To use a skill, call the "
    "ReadFile tool with the path to its SKILL.md or other files under that skill’s directory (path is relative to "
    "the run directory; ReadFile can read any file under it with allowed extensions)."
)
HN_EXPLORER_HEADING = "**Skills available** (invoke with Skill tool when task matches):"
HN_EXPLORER_RULE = "- Use Skill tool IMMEDIATELY when a task matches a skill description"


def system_section(policy: Policy, listing: str, *, lang: Lang | None = None, sections: Sequence[str] = ()) -> str:
    """What the system prompt says about skills. `sections` are the host's own and follow the list."""
    language = lang or policy.lang
    shown = listing if "system" in policy.placement else ""
    match policy.rules:
        case "mycodeagent":
            parts = [say("heading", language), MYCODEAGENT_RULES, shown, *sections]
        case "smallebot":
            allowed = "Allowed extensions: " + " ".join(policy.read_extensions)
            parts = [f"{SMALLEBOT_INTRODUCTION}\n{_places(policy)}{allowed}", shown, *sections]
        case "hn-explorer":
            parts = [f"{HN_EXPLORER_HEADING}\n{shown}", *sections, f"Rules:\n{HN_EXPLORER_RULE}"]
        case "none":
            parts = [shown, *sections]
        case "default":
            tool = next((name for name in policy.offers if name in ("Skill", "ReadFile")), "Skill")
            rules = say("rules", language, tool=tool)
            parts = [say("heading", language), rules, shown, *sections]
    return "\n\n".join(part for part in parts if part)


def _places(policy: Policy) -> str:
    """Where the files of a skill lie, for a model that has to write their paths."""
    places = [
        f"{one_line(root.path)}/<id>/"
        for root in policy.roots
        if root.base == "project" and root.path and not root.path.startswith("/")
    ]
    return f"Skills lie in {' or '.join(places)}.\n" if places else ""


def subagent_prompt(policy: Policy, listing: str, agent_type: str, workdir: str) -> str:
    """The system prompt of a subagent that may load skills itself, if there are any."""
    skills = system_section(policy.but(placement=("system",)), listing) if listing else ""
    parts = (
        f"You are a {agent_type} subagent at {workdir}.",
        skills,
        "Complete the task and return a clear, concise summary.",
    )
    return "\n\n".join(part for part in parts if part)


def tool_description(policy: Policy, listing: str, *, lang: Lang | None = None) -> str:
    """What the Skill tool says of itself, with the list where the policy puts it there."""
    language = lang or policy.tool_lang or policy.lang
    head = say("tool-head", language)
    if policy.rules == "hn-explorer":
        return f"{head}\n\n{say('tool-list', language)}\n{listing}"
    parts = [f"{head} {say('tool-use', language)}"]
    if policy.rules == "mycodeagent":
        parts += [
            "Parameters:\n- name (string, required): skill identifier\n- args (string, optional): arguments string",
            'Examples:\n{"name": "code-review"}\n{"name": "code-review", "args": "src/main.py"}',
        ]
    if "tool" in policy.placement:
        parts.append(f"{say('tool-list', language)}\n{listing}")
    return "\n\n".join(parts)


def filled_template(template: str, listing: str) -> str:
    """A template of the host with every `{{skills}}` and `{{available_skills}}` replaced, also by nothing."""
    # Split and joined, so that a description that holds a placeholder is not filled in itself.
    parts = [part.split("{{available_skills}}") for part in template.split("{{skills}}")]
    return listing.join(listing.join(part) for part in parts)
