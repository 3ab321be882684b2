"""Who sees a skill: the configuration's rules and the switches of the environment, over its author's wish."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from metier.skill import Skill, Visibility
from metier.switches import switch_key, switched_off

if TYPE_CHECKING:
    from collections.abc import Mapping

    from metier.policy import Policy, VisibilityRule


class Visibilities:
    """The rules of one policy in one environment."""

    def __init__(self, policy: Policy, environ: Mapping[str, str], project: str) -> None:
        self._rules = policy.visibility
        self._project = project
        self._switched_off = switched_off(environ, policy.env_switches)
        self.has_rules = bool(self._rules or self._switched_off)

    def of(self, skill: Skill) -> tuple[Visibility, str]:
        """Who sees the skill, and why not everybody. Later rules win; a switch beats them all."""
        seen, reason = skill.visibility, ""
        for rule in self._rules:
            if self._applies(rule, skill):
                seen, reason = rule.visibility, f"set to {rule.visibility} by {rule.origin or 'the policy'}"
        if self._switched_off:
            key = switch_key(skill.name)
            if key in self._switched_off:
                seen, reason = Visibility.OFF, f"switched off by SKILL_{key}_ENABLED"
        return seen, reason

    def _applies(self, rule: VisibilityRule, skill: Skill) -> bool:
        if rule.scope and rule.scope != skill.scope:
            return False
        if rule.name:
            return rule.name in (skill.name, skill.qualified_name)
        path = os.path.normpath(os.path.join(self._project, os.path.expanduser(rule.path)))
        return bool(skill.path) and (skill.path == path or skill.path.startswith(path + os.sep))
