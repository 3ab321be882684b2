"""What one dialogue has been told and has loaded: a value that can be saved and taken up again.

The list in its system prompt is frozen at the start, so that the provider's cache keeps hitting. What changes later is
told in short messages.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from metier.disclosure.gates import is_open
from metier.disclosure.grants import INTERACTIVE, Decision, decide
from metier.disclosure.listing import make_listing
from metier.errors import ConfigError
from metier.messages import say
from metier.result.answer import Code, Result, failed
from metier.result.renderers import neutralised
from metier.words import estimate_tokens, one_line, visible

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from metier.messages import Lang
    from metier.policy import Policy
    from metier.result.answer import Activation
    from metier.skill import Skill

Trigger: TypeAlias = Literal["user", "model", "nested"]

FORMAT = 1
MAX_TOUCHED = 100
"""Files, the last ones, that waiting skills are matched against."""
MAX_GONE = 50
"""Names in one message about skills that are no longer there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ActivationEvent:
    """One skill was loaded. For logs and traces."""

    skill: str
    source: str
    """The label of the root it comes from."""
    trigger: Trigger
    revision: str
    tokens: int
    """An estimate of what it costs in the conversation."""
    path: str = ""
    """The file that defines the skill; empty in memory."""


@dataclass(slots=True, kw_only=True)
class Loaded:
    """A skill that is in use in a conversation."""

    name: str
    args: str
    revision: str
    body: str
    directory: str = ""
    path: str = ""
    told: str = ""
    """A newer revision that the model was told of."""
    is_whole: bool = True
    """False when compaction has cut it: then it may be loaded again."""


@dataclass(slots=True, kw_only=True)
class Conversation:
    """The state of one dialogue. Make one with `Conversation.start`."""

    id: str = ""
    listing: str = ""
    """The list of skills as it stands in the system prompt."""
    has_skills: bool = False
    """Whether there were any at the start; if not, nothing in the prompt tells of skills, to the end."""
    names: list[str] = field(default_factory=list[str])
    """The names that the Skill tool offers to choose from; empty where there are too many to list."""
    tools: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """The tools of skills as they were offered: name, description, parameters."""
    told: dict[str, str] = field(default_factory=dict[str, str])
    """What the model knows of each skill, by name: a digest of its entry."""
    loaded: dict[str, Loaded] = field(default_factory=dict[str, Loaded])
    """What it has loaded, the newest last."""
    stack: list[str] = field(default_factory=list[str])
    """Skills that have loaded each other and are not finished."""
    touched: list[str] = field(default_factory=list[str])
    """Files that have been worked on, relative to the project."""
    opened: list[str] = field(default_factory=list[str])
    """Names of skills that waited for one of them. A gate that has opened stays open."""
    granted: list[str] = field(default_factory=list[str])
    """Tool rules that hold for this turn."""

    @classmethod
    def start(
        cls,
        skills: Sequence[Skill],
        policy: Policy,
        *,
        session: str = "",
        used: Collection[str] = (),
        touched: Collection[str] = (),
    ) -> Conversation:
        """A conversation that is told of these skills.

        `used` are names of skills that were used lately; `touched` are files that are being worked on.
        """
        conversation = cls(id=session, touched=list(touched))
        shown = conversation.visible(skills, policy)
        listing = make_listing(shown, policy, favoured=used)
        conversation.listing = listing.text
        conversation.has_skills = bool(shown)
        conversation.names = [] if listing.report.omitted else [skill.name for skill in shown]
        conversation.told = {skill.name: _digest(skill) for skill in shown}
        return conversation

    @property
    def depth(self) -> int:
        """How many skills are nested right now."""
        return len(self.stack)

    @property
    def readable_dirs(self) -> tuple[str, ...]:
        """Folders that may be read without asking: those of the skills in use."""
        return tuple(dict.fromkeys(one.directory for one in self.loaded.values() if one.directory))

    def visible(self, skills: Sequence[Skill], policy: Policy) -> list[Skill]:
        """The skills that this conversation may know of: all but those that wait for another file."""
        if not policy.waits_for_paths:
            return list(skills)
        for skill in skills:
            if (
                "paths" in skill.fields
                and skill.name not in self.opened
                and is_open(skill, self.touched[-MAX_TOUCHED:])
            ):
                self.opened.append(skill.name)
        return [skill for skill in skills if "paths" not in skill.fields or skill.name in self.opened]

    def touch(self, path: str) -> None:
        """A file of the project is being worked on. Skills that wait for it are told with the next delta."""
        clean = path.replace("\\", "/").removeprefix("./")
        if clean not in self.touched:
            self.touched.append(clean)

    def delta(
        self, skills: Sequence[Skill], policy: Policy, lang: Lang | None = None, *, stale: Collection[str] = ()
    ) -> str:
        """A message about what has changed since the model was last told; empty when nothing has.

        `stale` are names of loaded skills whose instructions are others by now.
        """
        language = lang or policy.lang
        shown = self.visible(skills, policy)
        now = {skill.name: _digest(skill) for skill in shown}
        added = [skill for skill in shown if skill.name not in self.told]
        changed = [skill for skill in shown if self.told.get(skill.name, now[skill.name]) != now[skill.name]]
        removed = [name for name in self.told if name not in now]
        if not added and not changed and not removed and not stale:
            return ""
        self.told = now
        parts = [say("delta-head", language)]
        rules = policy.but(overflow="shorten", style="bullets" if policy.style == "xml" else policy.style)
        for key, group in (("delta-added", added), ("delta-changed", changed)):
            if group:
                parts += [say(key, language), make_listing(group, rules, lang=language).text]
        if stale:
            parts.append(say("delta-reload", language, names=", ".join(map(one_line, stale))))
        if removed:
            names = ", ".join(map(one_line, removed[:MAX_GONE]))
            if len(removed) > MAX_GONE:
                names = say("and-more", language, names=names, count=len(removed) - MAX_GONE)
            parts.append(say("delta-removed", language, names=names))
        return "\n".join(parts)

    def refusal(self, name: str, trigger: Trigger, limit: int, tool: str = "Skill") -> Result | None:
        """What speaks against loading a skill now: it would be nested too deep, or in a circle."""
        stack = [*self.stack, name] if trigger == "nested" else [name]
        shown = " -> ".join(map(visible, stack))
        if name in stack[:-1]:
            return failed(tool, Code.INVALID_PARAM, "skill-cycle", stack=shown)
        if len(stack) > limit:
            return failed(tool, Code.INVALID_PARAM, "skill-too-deep", limit=limit, stack=shown)
        return None

    def enter(self, name: str, trigger: Trigger) -> None:
        """A skill was loaded: on its own, or by the innermost of those that are not finished."""
        self.stack = [*self.stack, name] if trigger == "nested" else [name]

    def finish(self, lang: Lang = "en") -> str:
        """The innermost skill is done. The message leads the model back to the one that had loaded it, if any."""
        if self.stack:
            self.stack.pop()
        return say("skill-finished", lang, name=visible(self.stack[-1])) if self.stack else ""

    def has(self, activation: Activation) -> bool:
        """True when the very same instructions are in the conversation already."""
        old = self.loaded.get(activation.name)
        return old is not None and old.is_whole and (old.args, old.revision) == (activation.args, activation.revision)

    def note(self, activation: Activation, skill: Skill, trigger: Trigger) -> ActivationEvent:
        """Remember an activation, with its grants if it comes from a place that the user trusts."""
        self.enter(activation.name, trigger)
        self.loaded.pop(activation.name, None)
        self.loaded[activation.name] = Loaded(
            name=activation.name,
            args=activation.args,
            revision=activation.revision,
            body=activation.body,
            directory=activation.directory,
            path=skill.path,
        )
        if skill.root.trusted:
            self.granted += [rule for rule in activation.allowed_tools if rule not in self.granted]
        return ActivationEvent(
            skill=activation.name,
            source=skill.root.label,
            trigger=trigger,
            revision=activation.revision,
            tokens=estimate_tokens(activation.body),
            path=skill.path,
        )

    def begin_turn(self) -> None:
        """The user has spoken: what skills were granted for the last turn ends."""
        self.granted.clear()
        self.stack.clear()

    def decide(
        self, tool: str, argument: str = "", *, host: Decision | None = None, interactive: Collection[str] = INTERACTIVE
    ) -> Decision:
        """Whether a call of a host's tool may go ahead without asking."""
        return decide(tool, argument, self.granted, host=host, interactive=interactive)

    def reattach(
        self,
        skills: Sequence[Skill],
        policy: Policy,
        lang: Lang | None = None,
        *,
        each_tokens: int = 5_000,
        total_tokens: int = 25_000,
    ) -> str:
        """What has to return to a conversation that was compacted: the list as it is now, and the skills in use.

        The newest come first. What does not fit is no longer taken for loaded, so it can be loaded again.
        """
        language = lang or policy.lang
        shown = self.visible(skills, policy)
        self.told = {skill.name: _digest(skill) for skill in shown}
        parts = [make_listing(shown, policy, lang=language).text] if shown else []
        room = total_tokens
        kept: list[str] = []
        for one in reversed(list(self.loaded.values())):
            text = _first_tokens(one.body, min(each_tokens, room))
            if not text.strip():
                del self.loaded[one.name]
                continue
            room -= estimate_tokens(text)
            one.is_whole = len(text) == len(one.body)
            if not one.is_whole:
                text += "\n" + say("reattached-cut", language, path=one_line(one.path or one.name))
            kept.append(f'<skill_content name="{escape(visible(one.name))}">\n{neutralised(text)}\n</skill_content>')
        if kept:
            parts += [say("reattached-head", language), *kept]
        return "\n\n".join(parts)

    def to_json(self) -> str:
        """The state as JSON."""
        return json.dumps({"format": FORMAT, **asdict(self)})

    @classmethod
    def from_json(cls, text: str) -> Conversation:
        """A conversation taken up where it was left.

        Raises:
            ConfigError: when the text is not what `to_json` writes.
        """
        try:
            state: dict[str, Any] = json.loads(text)
            if state.pop("format") != FORMAT:
                raise ValueError("it was written by another version")
            state["loaded"] = {name: Loaded(**one) for name, one in state["loaded"].items()}
            conversation = cls(**state)
            if not all(isinstance(getattr(conversation, name), list) for name in _LISTS):
                raise ValueError("it holds something else than lists of names")
            return conversation
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise ConfigError("the saved conversation", f"it cannot be read: {error}", "start a new one") from error


_LISTS = ("names", "tools", "stack", "touched", "opened", "granted")


def is_protected(message: str) -> bool:
    """True for a message that pruning must spare: it looks like the instructions of a skill.

    A guess for hosts that keep nothing but texts, since a file can look the same: `Result.is_protected` knows.
    """
    return message.lstrip().startswith(("<skill_content ", "<skill-loaded ")) or '"truncation_skip": true' in message


def _digest(skill: Skill) -> str:
    """Changes with what the model is told of a skill."""
    told = (skill.description, skill.when_to_use, skill.title, skill.visibility.value, skill.path)
    return hashlib.blake2b(repr(told).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _first_tokens(text: str, limit: int) -> str:
    if estimate_tokens(text) <= limit:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if estimate_tokens(text[:middle]) <= limit else (low, middle - 1)
    return text[:low]
