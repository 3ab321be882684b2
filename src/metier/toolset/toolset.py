"""From a catalog to everything a conversation needs: prompts, tools, answers, and news of what changes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from metier.catalog.loading import activate, find
from metier.catalog.serving import list_resources, read_file, read_resource
from metier.disclosure.conversation import ActivationEvent, Conversation
from metier.disclosure.prompt import filled_template, subagent_prompt, system_section
from metier.execution.arguments import schema_of
from metier.execution.scripts import run_script
from metier.result import Code, Limits, Renderer, Result, as_envelope, cut, failed, render, serialised
from metier.toolset.offers import OfferedTool, description_and_schema
from metier.toolset.output import read_output, save_output
from metier.toolset.reload import Reloader
from metier.words import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from metier.catalog.catalog import Catalog
    from metier.disclosure.conversation import Loaded, Trigger
    from metier.messages import Lang
    from metier.policy import Policy
    from metier.tool import Tool
    from metier.toolset.tools import Tools


MAX_NAMES = 30
"""Names of tools in an error about one that does not exist."""
MAX_SHOWN = 100
"""Characters of what a model wrote that an error repeats."""


class Toolset:
    """What one conversation is told of skills, and the tools it may call.

    With the policy's `listing="frozen"` prompts and definitions stay byte for byte as they were at the start; `news`
    tells what has changed since. Save `conversation.to_json()` to take a conversation up again.
    """

    def __init__(
        self,
        catalog: Catalog,
        conversation: Conversation | None = None,
        *,
        tools: Tools | None = None,
        session: str = "",
        used: Collection[str] = (),
        on_activation: Callable[[ActivationEvent], object] | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        """Start a conversation, or take one up.

        Args:
            catalog: The skills; its policy decides on everything else.
            conversation: One that was saved. Nothing of it is told again.
            tools: The tools of the skills, to be offered besides those of metier.
            session: An id for `${CLAUDE_SESSION_ID}`.
            used: Names of recently used skills, whose descriptions are shortened last.
            on_activation: Called with an event for every skill that is loaded.
            environ: Where the `TOOL_OUTPUT_…` limits come from; by default the process's own environment.
        """
        self.catalog = catalog
        self._running = tools
        self._used = tuple(used)
        self._tell = on_activation
        self._environ = os.environ if environ is None else environ
        self._handlers: dict[str, tuple[tuple[str, ...], Callable[[dict[str, Any], Trigger], Result]]] = {
            "Skill": (("name", "skill", "args"), self._skill),
            "skill_read": (("name", "path", "offset"), self._read),
            "skill_files": (("name",), self._files),
            "skill_reload": ((), self._reload),
            "skill_run": (("name", "path", "args"), self._run_script),
            "skill_output": (("path", "offset"), self._output),
            "ReadFile": (("path", "relativePath"), self._read_file),
        }
        self._reloader = Reloader(catalog, tools) if "skill_reload" in self._offers else None
        self.conversation = conversation or Conversation.start(
            catalog.disclosed, catalog.policy, session=session, used=self._used
        )
        if tools is not None:
            tools.prepare()
        if conversation is None:
            self.conversation.tools = self._defined()

    @property
    def policy(self) -> Policy:
        """The rules in force."""
        return self.catalog.policy

    # ── what a model is told ─────────────────────────────────────────────────────────────────────────────────────────

    def system_prompt(self, *, sections: Sequence[str] = (), lang: Lang | None = None) -> str:
        """What the system prompt says about skills; empty when there are none. `sections` are the host's own."""
        now = self._now()
        if not now.has_skills:
            return "\n\n".join(sections)
        return system_section(self.policy, now.listing, lang=lang, sections=sections)

    def subagent_prompt(self, agent_type: str, workdir: str) -> str:
        """The system prompt of a subagent that gets the same tools."""
        now = self._now()
        return subagent_prompt(self.policy, now.listing if now.has_skills else "", agent_type, workdir)

    def filled_template(self, template: str) -> str:
        """A template of the host with `{{skills}}` filled in."""
        return filled_template(template, self._now().listing)

    @property
    def tools(self) -> tuple[OfferedTool, ...]:
        """The tools to register; none when no skill is visible."""
        now = self._now()
        if not now.has_skills:
            return ()
        frozen = self.policy.listing == "frozen"
        others = self.conversation.tools if frozen else self._defined()
        return (*(self._offered(name, now) for name in self._offers), *map(self._of_skill, others))

    @property
    def _offers(self) -> tuple[str, ...]:
        """The names of our own tools: those of the policy, and where programs are run, what belongs to that."""
        if self._running is None or self.policy.execution == "deny":
            return self.policy.offers
        more = ("skill_run", "skill_output", "skill_reload") if "Skill" in self.policy.offers else ("skill_output",)
        return tuple(dict.fromkeys((*self.policy.offers, *more)))

    def _defined(self) -> list[dict[str, Any]]:
        """The tools of skills as a model is told of them."""
        if self._running is None:
            return []
        return [
            {"name": tool.name, "description": _described(tool), "parameters": schema_of(tool)}
            for _, tool in self._running.offered
        ]

    def _of_skill(self, defined: dict[str, Any]) -> OfferedTool:
        name: str = defined["name"]
        return OfferedTool(**defined, call=lambda arguments: self.call(name, arguments))

    def _offered(self, name: str, now: Conversation) -> OfferedTool:
        description, schema = description_and_schema(name, self.policy, now.listing, now.names)
        return OfferedTool(
            name=name,
            description=description,
            parameters=schema,
            call=lambda arguments: self.call(name, arguments),
        )

    def _now(self) -> Conversation:
        """What the model is told of skills: at the start and ever after, or at this moment."""
        if self.policy.listing == "frozen":
            return self.conversation
        self.catalog.look()
        touched = self.conversation.touched
        return Conversation.start(self.catalog.disclosed, self.policy, used=self._used, touched=touched)

    def news(self, lang: Lang | None = None) -> str:
        """A message about skills that were added, changed or removed since the model was last told; mostly empty."""
        self.catalog.look()
        stale = [one.name for one in self.conversation.loaded.values() if self._is_stale(one)]
        if self.policy.listing == "live":  # the list in the prompt is as new as can be
            self.conversation.told = self._now().told
        return self.conversation.delta(self.catalog.disclosed, self.policy, lang, stale=stale)

    def _is_stale(self, one: Loaded) -> bool:
        """Whether the instructions of a loaded skill are others by now. Told once."""
        if self.policy.shell_commands == "run":  # what commands print differs each time, and is not asked for here
            return False
        now = activate(self.catalog, one.name, one.args).activation
        if now is None or now.revision in (one.revision, one.told):
            return False
        one.told = now.revision
        return True

    def reattach(self, lang: Lang | None = None, *, each_tokens: int = 5_000, total_tokens: int = 25_000) -> str:
        """What has to return to a conversation that was compacted; see `Conversation.reattach`."""
        self.catalog.look()
        limits = {"each_tokens": each_tokens, "total_tokens": total_tokens}
        return self.conversation.reattach(self.catalog.disclosed, self.policy, lang, **limits)

    def touch(self, path: str | os.PathLike[str]) -> str:
        """A file is being worked on: skills that wait for it, or lie in folders on the way to it, become known.

        Returns the message for the model, empty where nothing is new.
        """
        self.catalog.visit(path)
        absolute = os.path.join(self.catalog.project, os.fspath(path))
        self.conversation.touch(os.path.relpath(absolute, self.catalog.project))
        return self.news()

    # ── what a model does ────────────────────────────────────────────────────────────────────────────────────────────

    def call(self, tool: object, arguments: object = None, *, trigger: Trigger = "model") -> Result:
        """Answer a call. Never raises for what a model wrote: that is in the result."""
        arguments = {} if arguments is None else arguments
        if not isinstance(arguments, Mapping) or not isinstance(tool, str):
            shown = one_line(repr(cast("object", arguments)))[:MAX_SHOWN]
            values = {"name": "arguments", "value": shown, "wanted": "an object"}
            return failed(str(tool)[:MAX_SHOWN], Code.INVALID_PARAM, "parameter-wrong", **values)
        given = {str(name): value for name, value in cast("Mapping[object, Any]", arguments).items()}
        if self._running is not None and self._is_of_skill(tool):
            return self._shortened(self._running.call_blocking(tool, given)).but(params=given)
        handler = self._handlers.get(tool)
        # A user may load a skill by name whatever the model is offered.
        is_users = tool == "Skill" and trigger == "user"
        if handler is None or (tool not in self._offers and not is_users):
            names = (*self._offers, *(one["name"] for one in self.conversation.tools))
            known = ", ".join(names[:MAX_NAMES]) or "none"
            return failed(tool, Code.NOT_FOUND, "tool-unknown", name=one_line(tool)[:MAX_SHOWN], known=known).but(
                params=given
            )
        accepted, method = handler
        extra = [name for name in given if name not in accepted]
        if extra:
            known = ", ".join(accepted) or "none"
            answer = failed(
                tool, Code.INVALID_PARAM, "parameter-unknown", name=one_line(extra[0])[:MAX_SHOWN], known=known
            )
        else:
            answer = method(given, trigger)
        return answer.but(params=given)

    def _is_of_skill(self, tool: str) -> bool:
        """A tool that the model was told of, or one that has come since."""
        if tool in self._handlers or self._running is None:
            return False
        return any(one["name"] == tool for one in self.conversation.tools) or self._running.has(tool)

    def _shortened(self, result: Result) -> Result:
        """As much of a tool's answer as a model gets at once; the whole is kept beside the project's other outputs."""
        limit, text = self.policy.output_chars, result.content
        if not result.ok or len(text) <= limit:
            return result
        limits = Limits.from_environ(self._environ)
        path = save_output(as_envelope(result), result.tool, self.catalog.project, limits)
        values = {"name": result.tool, "chars": len(text), "shown": limit, "path": path}
        data = {**result.data, "content": text[:limit], "truncated": True, "full_output_path": path}
        return result.but(status="partial", key="tool-cut" if path else "tool-cut.lost", values=values, data=data)

    def activate(self, name: str, args: object = "", *, trigger: Trigger = "user") -> Result:
        """Load a skill for a user who asked for it, or for a skill that needs another one (`nested`)."""
        return self.call("Skill", {"name": name, "args": args}, trigger=trigger)

    def render(self, result: Result, renderer: Renderer | None = None, *, lang: Lang | None = None) -> str:
        """The answer as the policy writes it. Long ones are cut, except the instructions of a skill."""
        chosen, language = renderer or self.policy.renderer, lang or self.policy.lang
        if chosen != "envelope":
            return render(result, chosen, language)
        project, limits = self.catalog.project, Limits.from_environ(self._environ)
        envelope = as_envelope(result, language)
        return serialised(
            cut(envelope, limits, lambda whole: save_output(whole, result.tool, project, limits), language)
        )

    def _skill(self, given: dict[str, Any], trigger: Trigger) -> Result:
        name, skill = given.get("name"), given.get("skill")
        if name is not None and skill is not None and name != skill:
            shown = {"name": one_line(str(name)), "skill": one_line(str(skill))}
            return failed("Skill", Code.INVALID_PARAM, "name-twice", **shown)
        return activate(
            self.catalog,
            name if name is not None else skill,
            given.get("args"),
            trigger=trigger,
            conversation=self.conversation,
            tell=self._tell,
            run=self._running.run_commands if self._running is not None else None,
        )

    def _read(self, given: dict[str, Any], trigger: Trigger) -> Result:
        offset = _offset(given, "skill_read")
        if isinstance(offset, Result):
            return offset
        trigger = self._trigger(given, trigger)
        return read_resource(self.catalog, given.get("name"), given.get("path"), offset, trigger=trigger)

    def _trigger(self, given: dict[str, Any], trigger: Trigger) -> Trigger:
        """A skill that the user has loaded may be read by the model, even if it was not told of it."""
        return "user" if given.get("name") in tuple(self.conversation.loaded) else trigger

    def _files(self, given: dict[str, Any], trigger: Trigger) -> Result:
        return list_resources(self.catalog, given.get("name"), trigger=self._trigger(given, trigger))

    def _read_file(self, given: dict[str, Any], trigger: Trigger) -> Result:
        del trigger
        return read_file(self.catalog, given.get("path", given.get("relativePath")))

    def _reload(self, given: dict[str, Any], trigger: Trigger) -> Result:
        del given, trigger
        self._reloader = self._reloader or Reloader(self.catalog, self._running)
        return self._reloader.reload()

    def _run_script(self, given: dict[str, Any], trigger: Trigger) -> Result:
        path, args = given.get("path"), cast("object", given.get("args", []))
        if path is None:
            return failed("skill_run", Code.INVALID_PARAM, "argument-missing", name="path", about="a text")
        words = cast("list[object]", args) if isinstance(args, list) else [None]
        if not isinstance(path, str) or not all(isinstance(word, str) for word in words):
            name, wanted = ("args", "a list of texts") if isinstance(path, str) else ("path", "a text")
            shown = {"name": name, "value": one_line(repr(given.get(name)))[:MAX_SHOWN], "wanted": wanted}
            return failed("skill_run", Code.INVALID_PARAM, "parameter-wrong", **shown)
        # What a model may load it may run, and nothing else.
        skill = find(self.catalog, given.get("name"), self._trigger(given, trigger), "skill_run")
        if isinstance(skill, Result):
            return skill
        if self._running is None:
            return failed("skill_run", Code.ACCESS_DENIED, "tool-denied", name=path)
        return self._shortened(run_script(self._running.runner, skill, path, cast("list[str]", words)))

    def _output(self, given: dict[str, Any], trigger: Trigger) -> Result:
        del trigger
        offset, path = _offset(given, "skill_output"), given.get("path")
        if isinstance(offset, Result):
            return offset
        if path is None:
            return failed("skill_output", Code.INVALID_PARAM, "argument-missing", name="path", about="a text")
        limits = Limits.from_environ(self._environ)
        text = read_output(path, self.catalog.project, limits) if isinstance(path, str) else None
        if text is None:
            return failed("skill_output", Code.NOT_FOUND, "output-missing", path=one_line(str(path))[:MAX_SHOWN])
        offset = min(offset, len(text))
        end = min(len(text), offset + self.policy.output_chars)
        key, status = ("output-end", "success") if end == len(text) else ("output-part", "partial")
        values = {"start": offset, "end": end, "chars": len(text)}
        return Result(tool="skill_output", key=key, values=values, status=status, data={"content": text[offset:end]})


def _offset(given: Mapping[str, Any], tool: str) -> int | Result:
    offset = given.get("offset", 0)
    if isinstance(offset, int) and not isinstance(offset, bool) and offset >= 0:
        return offset
    shown = {"name": "offset", "value": one_line(repr(offset)), "wanted": "0, 1, 2, …"}
    return failed(tool, Code.INVALID_PARAM, "parameter-wrong", **shown)


def _described(tool: Tool) -> str:
    """What a model is told of a tool: what it does, and when to use it and when not."""
    lines = [one_line(tool.description)]
    lines += [f"Use it when: {one_line(text)}" for text in tool.when_to_use]
    lines += [f"Do not use it when: {one_line(text)}" for text in tool.when_not_to_use]
    return "\n".join(lines)
