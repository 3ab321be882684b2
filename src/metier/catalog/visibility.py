"""Who sees a skill: the configuration's rules and the switches of the environment, over its author's wish."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from metier.skill import Skill, Visibility
from metier.value import FALSE_WORDS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from metier.policy import Policy, VisibilityRule

_SWITCH = re.compile(r"SKILL_(.+)_ENABLED")


class Visibilities:
    """The rules of one policy in one environment."""

    def __init__(self, policy: Policy, environ: Mapping[str, str], project: str) -> None:
        self._rules = policy.visibility
        self._project = project
        self._switched_off: frozenset[str] = frozenset()
        if policy.env_switches != "off":
            off = FALSE_WORDS if policy.env_switches == "words" else frozenset({"false"})
            lower = policy.env_switches == "words"
            self._switched_off = frozenset(
                match[1]
                for key, value in environ.items()
                if (match := _SWITCH.fullmatch(key)) and (value.strip().lower() if lower else value) in off
            )

        self.has_rules = bool(self._rules or self._switched_off)

    def of(self, skill: Skill) -> tuple[Visibility, str]:
        """Who sees the skill, and why not everybody. Later rules win; a switch beats them all."""
        seen, reason = skill.visibility, ""
        for rule in self._rules:
            if self._applies(rule, skill):
                seen, reason = rule.visibility, f"set to {rule.visibility} by {rule.origin or 'the policy'}"
        if self._switched_off:
            key = re.sub(r"[^A-Z0-9]", "_", skill.name.upper())
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
