"""Layer 2 from disk: the instructions of a skill, read once."""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple, Protocol, cast

from metier.catalog.library import MAX_DOCUMENT
from metier.catalog.reading import read_regular
from metier.catalog.resources import name_files
from metier.catalog.sighting import SETTLED_NS, settled, signature_of
from metier.diagnostic import Diagnostic
from metier.disclosure.activation import make_activation
from metier.errors import AmbiguousSkill
from metier.messages import say
from metier.parsing.document import decode, read_document
from metier.parsing.frontmatter import normalised, split
from metier.parsing.names import suggestions
from metier.paths import is_inside
from metier.result.answer import Code, Result, failed
from metier.skill import Visibility
from metier.value import is_true
from metier.words import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from metier.disclosure.arguments import Arguments
    from metier.disclosure.conversation import ActivationEvent, Conversation, Trigger
    from metier.policy import Policy
    from metier.skill import Signature, Skill
    from metier.value import Value


class Source(Protocol):
    """What loading needs of a catalog."""

    @property
    def policy(self) -> Policy:
        """The rules in force."""
        ...

    @property
    def project(self) -> str:
        """The folder it stands in."""
        ...

    @property
    def disclosed(self) -> tuple[Skill, ...]:
        """The skills a model is told of, by names that are unambiguous."""
        ...

    def look(self) -> None:
        """Look at the disk again."""
        ...

    def find_to_load(self, name: str) -> Skill | None:
        """The skill of a name, for who reads its file right after."""
        ...


MAX_NAMES = 20
"""Names in a message about one that does not exist."""

MAX_SHOWN = 100
"""Characters of a name or a path that an error repeats."""

MAX_KEPT = 262_144
"""Bytes of instructions that are kept for the next time they are loaded."""


def activate(
    catalog: Source,
    name: object,
    args: object = "",
    *,
    trigger: Trigger = "user",
    conversation: Conversation | None = None,
    tell: Callable[[ActivationEvent], object] | None = None,
    tool: str = "Skill",
) -> Result:
    """Load one skill. Whatever goes wrong is in the result.

    A conversation is told of it, and may answer that it has the very same already.
    """
    start = time.perf_counter()
    policy = catalog.policy
    args = "" if args is None else args
    if not isinstance(args, str | Mapping):
        return failed(tool, Code.INVALID_PARAM, "args-wrong", value=one_line(repr(args)))
    skill = find(catalog, name, trigger, tool)
    if isinstance(skill, Result):
        return skill
    refused = conversation.refusal(skill.name, trigger, policy.max_nesting, tool) if conversation else None
    loaded = refused or _load(catalog, skill, trigger, tool)
    if isinstance(loaded, Result):
        return loaded
    skill, body = loaded
    given = cast("Arguments", args)
    files, has_more = _other_files(skill, policy.max_files)
    activation = make_activation(
        skill,
        body,
        policy,
        given,
        files=files,
        has_more_files=has_more,
        project=catalog.project,
        session=conversation.id if conversation else "",
    )
    answer = Result(
        tool=tool,
        key="skill-loaded",
        values={"name": skill.name},
        activation=activation,
        path=shown_path(skill.path, catalog.project),
        is_protected=True,
    )
    if conversation is not None:
        known = policy.deduplicates and conversation.has(activation)
        event = conversation.note(activation, skill, trigger)
        if tell is not None:
            tell(event)
        if known:
            data = {"name": skill.name, "already_loaded": True}
            answer = answer.but(key="skill-already-loaded", activation=None, data=data, is_protected=False)
    return answer.but(time_ms=elapsed_ms(start))


def _load(catalog: Source, skill: Skill, trigger: Trigger, tool: str) -> tuple[Skill, str] | Result:
    """A skill and its instructions, both as they are now."""
    read = _instructions(skill, catalog.policy, tool)
    is_other = isinstance(read, _Instructions) and read.fields is not None
    if is_other and catalog.policy.refresh == "call":
        # The file is another one than was listed: what was decided about that one does not hold.
        catalog.look()
        again = find(catalog, skill.path or skill.name, trigger, tool)
        if isinstance(again, Result):
            return unknown(catalog, skill.name, tool)
        skill, read = again, _instructions(again, catalog.policy, tool)
    if isinstance(read, Result):
        return read
    if read.fields is not None:  # nobody looks at the disk by this policy, or it changes faster than we look
        skill = skill._replace(fields=read.fields)
        if trigger != "user" and is_true(read.fields.get("disable-model-invocation"), default=False):
            return unknown(catalog, skill.name, tool)
    return skill, read.body


def _other_files(skill: Skill, limit: int) -> tuple[list[str], bool]:
    """The files beside the instructions, as many as a policy wants to see."""
    if not limit or not skill.path:
        return [], False
    folder, own = os.path.split(skill.path)
    files, has_more = name_files(folder, limit + 1)
    others = [file for file in files if file != own]
    return others[:limit], has_more or len(others) > limit


def find(catalog: Source, name: object, trigger: Trigger, tool: str) -> Skill | Result:
    """The skill of this name, if whoever asks may have it."""
    if not isinstance(name, str) or not name.strip():
        return failed(tool, Code.INVALID_PARAM, "name-missing", parameter=catalog.policy.parameter)
    try:
        skill = catalog.find_to_load(name)
    except AmbiguousSkill as error:
        return failed(
            tool, Code.INVALID_PARAM, "skill-ambiguous", name=brief(name), candidates=", ".join(error.candidates)
        )
    # What the model is not told of does not exist for it.
    hidden = skill is not None and trigger != "user" and skill.visibility in (Visibility.USER_ONLY, Visibility.OFF)
    return unknown(catalog, name, tool) if skill is None or hidden else skill


def unknown(catalog: Source, name: str, tool: str) -> Result:
    """What is said about a name that no skill has, in the words of the policy."""
    policy = catalog.policy
    key = "skill-unknown" if policy.unknown == "nearest" else f"skill-unknown.{policy.unknown}"
    names = [one_line(skill.name) for skill in catalog.disclosed]
    everything = policy.unknown == "available"
    nearest = () if everything else suggestions(name[:MAX_SHOWN], names)
    lang = policy.lang
    return failed(
        tool,
        Code.NOT_FOUND,
        key,
        name=brief(name),
        nearest=say("did-you-mean", lang, name=nearest[0]) if nearest else "",
        available=some(names, len(names) if everything else MAX_NAMES, policy),
    )


def some(names: Sequence[str], limit: int, policy: Policy) -> str:
    """Names for a message, as many as fit."""
    if not names:
        return say("none", policy.lang)
    shown = ", ".join(names[:limit])
    return say("and-more", policy.lang, names=shown, count=len(names) - limit) if len(names) > limit else shown


def brief(text: str) -> str:
    """What a model wrote, as far as an error repeats it."""
    line = one_line(text)
    return line if len(line) <= MAX_SHOWN else line[:MAX_SHOWN] + "…"


class _Instructions(NamedTuple):
    body: str
    fields: dict[str, Value] | None = None
    """Those of a file that has changed since it was listed."""


def _instructions(skill: Skill, policy: Policy, tool: str) -> _Instructions | Result:
    """What the policy shows of a skill's file as it is now."""
    if skill.text is not None:
        return _Instructions(skill.text.strip() or (_of_tools(skill) if skill.tools else ""))
    if skill.path.endswith(".yaml"):
        return _Instructions(_of_tools(skill))
    try:
        remembered = _remembered(skill, policy)
        if remembered is not None:
            return _Instructions(remembered)
        data, status = read_regular(skill.path, MAX_DOCUMENT)
    except PermissionError as error:
        return _unreadable(skill, tool, Code.PERMISSION_DENIED, error.strerror)
    except OSError as error:
        return _unreadable(skill, tool, Code.EXECUTION_ERROR, error.strerror or str(error))
    is_the_same = signature_of(status) == skill.signature
    if not is_the_same and not skill.root.trusted and not is_inside(skill.root.boundary, skill.path):
        return failed(tool, Code.ACCESS_DENIED, "path-outside", path=skill.path)
    document = read_document(data, skill.path)
    if document.fields is None:
        reason = document.diagnostics[0].message if document.diagnostics else ""
        return failed(tool, Code.INTERNAL_ERROR, "skill-invalid", name=skill.name, reason=reason)
    body = document.text if policy.content == "full" else document.body
    return _Instructions(body, None if is_the_same else dict(document.fields))


def _remembered(skill: Skill, policy: Policy) -> str | None:
    """The instructions of a file that has not changed since it was listed, read once and kept for the next time.

    `None` for a file that is too young for its signature to prove anything, too large to be kept, or odd: it is read
    with all care.
    """
    status = os.stat(skill.path)
    youngest = time.time_ns() - SETTLED_NS
    signature = signature_of(status)
    if signature != skill.signature or settled(signature, youngest) is None or status.st_size > MAX_KEPT:
        return None
    # The very file that was found inside its root and read for the list: its header needs no second look.
    try:
        return _kept(skill.path, signature, policy.content == "full")
    except _OddFileError:
        return None


class _OddFileError(Exception):
    """Not for users: it keeps `_kept` from remembering."""


@functools.lru_cache(maxsize=128)
def _kept(path: str, signature: Signature, is_whole: bool) -> str:
    data, status = read_regular(path, MAX_KEPT + 1)
    text = decode(data, path)
    if signature_of(status) != signature or not isinstance(text, str):
        raise _OddFileError
    plain = normalised(text)
    parts = split(plain, path)
    if isinstance(parts, Diagnostic):
        raise _OddFileError
    return plain if is_whole else plain[parts.body_start :].strip()


def _unreadable(skill: Skill, tool: str, code: Code, reason: str | None) -> Result:
    return failed(tool, code, "skill-unreadable", name=skill.name, reason=reason or "")


def _of_tools(skill: Skill) -> str:
    """Instructions for a skill that consists of tools alone."""
    lines = [f"# {skill.name}", "", skill.description, "", "## Tools", ""]
    for one in skill.tools:
        lines.append(f"- {one.name}({', '.join(parameter.name for parameter in one.parameters)}): {one.description}")
        lines += [f"  - Use it when {text}" for text in one.when_to_use]
        lines += [f"  - Do not use it when {text}" for text in one.when_not_to_use]
    return "\n".join(lines)


def shown_path(path: str, project: str) -> str:
    """A path relative to the project where it lies in it, with slashes."""
    base = project.rstrip(os.sep) + os.sep
    return path[len(base) :].replace(os.sep, "/") if project and path.startswith(base) else path


def elapsed_ms(start: float) -> int:
    """Milliseconds since then."""
    return round((time.perf_counter() - start) * 1000)
