"""Layer 2: what a model gets when a skill is loaded, from the text of its file and the rules of a policy."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from metier.disclosure.arguments import Arguments, as_argument_text, declared_names, expand, fill
from metier.result.answer import Activation, Delegation
from metier.value import as_text
from metier.words import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from metier.disclosure.commands import Inserted
    from metier.policy import Policy
    from metier.skill import Skill


def make_activation(
    skill: Skill,
    body: str,
    policy: Policy,
    args: Arguments = "",
    *,
    files: Sequence[str] = (),
    has_more_files: bool = False,
    project: str = "",
    session: str = "",
    inserted: Sequence[Inserted] = (),
) -> Activation:
    """The instructions with arguments and folders filled in.

    `body` is what the policy shows of the file: its body, or all of it. `inserted` are the outputs of its commands.
    """
    folder, fields = skill.dir, skill.fields
    variables = _variables(folder, project, session)
    text = fill(
        body,
        args,
        names=declared_names(fields["arguments"]) if "arguments" in fields else (),
        variables=variables,
        placeholders=policy.placeholders,
        empty=policy.empty_args,
        inserted=inserted,
    )
    return Activation(
        name=skill.name,
        body=text,
        directory=folder,
        base_dir=_shown_dir(folder, project, policy),
        files=tuple(files),
        has_more_files=has_more_files,
        args=as_argument_text(args),
        delegation=_delegation(skill) if "context" in fields else None,
        allowed_tools=tuple(
            expand(rule, variables=variables, placeholders="folders").text for rule in skill.allowed_tools
        )
        if "allowed-tools" in fields
        else (),
    )


def _variables(folder: str, project: str, session: str) -> Mapping[str, str]:
    known = {"SKILL_DIR": folder, "CLAUDE_SKILL_DIR": folder} if folder else {}
    if project:
        known["CLAUDE_PROJECT_DIR"] = project
    if session:
        known["CLAUDE_SESSION_ID"] = session
    return known


def _shown_dir(folder: str, project: str, policy: Policy) -> str:
    if policy.base_dir == "none" or not folder:
        return ""
    if policy.base_dir == "relative" and project:
        return one_line(os.path.relpath(folder, project).replace(os.sep, "/"))
    return one_line(folder)


def _delegation(skill: Skill) -> Delegation | None:
    """What `context: fork` and its companions ask for. It is a wish; the host decides."""
    fields = skill.fields
    if as_text(fields.get("context")).strip().lower() != "fork":
        return None
    return Delegation(
        agent=as_text(fields.get("agent")).strip(),
        model=as_text(fields.get("model")).strip(),
        effort=as_text(fields.get("effort")).strip(),
    )
