"""Layers 2 and 3 from disk: the instructions of a skill, and its other files. Each file is read once."""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol, cast

from metier.catalog.library import MAX_DOCUMENT
from metier.catalog.reading import read_regular
from metier.catalog.resources import list_files, name_files
from metier.catalog.sighting import SETTLED_NS, settled, signature_of
from metier.diagnostic import Diagnostic
from metier.disclosure.activation import make_activation
from metier.errors import AmbiguousSkill, PathEscape
from metier.messages import say
from metier.parsing.document import decode, read_document
from metier.parsing.frontmatter import normalised, split
from metier.parsing.names import suggestions
from metier.paths import is_inside, join_inside
from metier.result.answer import Code, Result, failed
from metier.skill import Visibility
from metier.words import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from metier.disclosure.arguments import Arguments
    from metier.disclosure.conversation import ActivationEvent, Conversation, Trigger
    from metier.policy import Policy
    from metier.skill import Signature, Skill


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
    def skills(self) -> tuple[Skill, ...]:
        """Those a model is told of."""
        ...

    def find_to_load(self, name: str) -> Skill | None:
        """The skill of a name, for who reads its file right after."""
        ...


MAX_NAMES = 20
"""Names in a message about one that does not exist."""

MAX_FILE = 20 * 1024 * 1024
"""Bytes of a resource that are read."""

MAX_KEPT = 262_144
"""Bytes of instructions that are kept for the next time they are loaded."""

_SNIFFED = 8_192


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
    body = refused or _instructions(skill, policy, tool)
    if isinstance(body, Result):
        return body
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
    path = _shown(skill.path, catalog.project)
    if conversation is not None:
        conversation.enter(skill.name, trigger)
    if conversation is not None and policy.deduplicates and conversation.has(activation):
        data = {"name": skill.name, "already_loaded": True}
        return Result(
            tool=tool, key="skill-already-loaded", values={"name": skill.name}, data=data, path=path, time_ms=_ms(start)
        )
    if conversation is not None:
        event = conversation.note(activation, skill, trigger)
        if tell is not None:
            tell(event)
    return Result(
        tool=tool,
        key="skill-loaded",
        values={"name": skill.name},
        activation=activation,
        path=path,
        time_ms=_ms(start),
        is_protected=True,
    )


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
            tool, Code.INVALID_PARAM, "skill-ambiguous", name=one_line(name), candidates=", ".join(error.candidates)
        )
    # What the model is not told of does not exist for it; what the author keeps from users, not for them.
    hidden = skill is not None and trigger != "user" and skill.visibility in (Visibility.USER_ONLY, Visibility.OFF)
    return unknown(catalog, name, tool) if skill is None or hidden else skill


def unknown(catalog: Source, name: str, tool: str) -> Result:
    """What is said about a name that no skill has, in the words of the policy."""
    policy = catalog.policy
    key = "skill-unknown" if policy.unknown == "nearest" else f"skill-unknown.{policy.unknown}"
    names = [skill.name for skill in catalog.skills]
    everything = policy.unknown == "available"
    nearest = () if everything else suggestions(name, names)
    lang = policy.lang
    return failed(
        tool,
        Code.NOT_FOUND,
        key,
        name=one_line(name),
        nearest=say("did-you-mean", lang, name=nearest[0]) if nearest else "",
        available=_some(names, len(names) if everything else MAX_NAMES, policy),
    )


def _some(names: Sequence[str], limit: int, policy: Policy) -> str:
    if not names:
        return say("none", policy.lang)
    shown = ", ".join(names[:limit])
    return say("and-more", policy.lang, names=shown, count=len(names) - limit) if len(names) > limit else shown


def _instructions(skill: Skill, policy: Policy, tool: str) -> str | Result:
    """What the policy shows of a skill's file as it is now."""
    if skill.text is not None:
        return skill.text.strip()
    if skill.path.endswith(".yaml"):
        return _of_tools(skill)
    try:
        remembered = _remembered(skill, policy)
        if remembered is not None:
            return remembered
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
    return document.text if policy.content == "full" else document.body


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
    return text if is_whole else plain[parts.body_start :].strip()


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


# ── layer 3 ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def read_resource(
    catalog: Source,
    name: object,
    path: object,
    offset: int = 0,
    *,
    trigger: Trigger = "user",
    tool: str = "skill_read",
) -> Result:
    """One file of a skill, as text."""
    start = time.perf_counter()
    skill = find(catalog, name, trigger, tool)
    if isinstance(skill, Result):
        return skill
    if not isinstance(path, str) or not path.strip():
        return failed(tool, Code.INVALID_PARAM, "path-missing")
    if not skill.path:
        return failed(tool, Code.NOT_FOUND, "file-missing", path=one_line(path), files=say("none", catalog.policy.lang))
    try:
        file = join_inside(skill.dir, path)
    except PathEscape:
        return failed(tool, Code.ACCESS_DENIED, "path-outside", path=one_line(path))
    if not skill.root.trusted and not is_inside(skill.root.boundary, file):
        return failed(tool, Code.ACCESS_DENIED, "path-outside", path=one_line(path))
    text = read_text(file, path, tool, lambda: _names_of_files(skill, catalog.policy))
    if isinstance(text, Result):
        return text
    shown = os.path.relpath(file, skill.dir).replace(os.sep, "/")
    values = {"name": skill.name, "path": shown}
    return _part(text, offset, catalog, Result(tool=tool, key="file-read", data=values, values=values)).but(
        path=_shown(file, catalog.project), time_ms=_ms(start)
    )


def read_file(catalog: Source, path: object, *, tool: str = "ReadFile") -> Result:
    """Any text file that the policy lets a model read, below the folder the catalog stands in."""
    start = time.perf_counter()
    policy = catalog.policy
    if not isinstance(path, str) or not path.strip():
        return failed(tool, Code.INVALID_PARAM, "path-missing.run")
    file = _allowed_path(catalog, path)
    if file is None:
        return failed(tool, Code.ACCESS_DENIED, "path-outside.run")
    allowed = policy.read_extensions
    if os.path.splitext(file)[1].lower() not in map(str.lower, allowed):
        return failed(tool, Code.INVALID_PARAM, "file-type.run", allowed=", ".join(allowed))
    text = read_text(file, path, tool, None)
    if isinstance(text, Result):
        return text
    shown = _shown(file, catalog.project)
    answer = Result(tool=tool, key="file-read-plain", values={"path": shown}, data={"path": shown})
    return _part(text, 0, catalog, answer).but(path=shown, time_ms=_ms(start))


def _allowed_path(catalog: Source, path: str) -> str | None:
    """The file that a path means, if the policy's scope covers it."""
    try:
        file = join_inside(catalog.project, path)
        is_below = True
    except PathEscape:
        if "\0" in path:
            return None
        file, is_below = os.path.normpath(os.path.join(catalog.project, path)), False
    scope = catalog.policy.read_scope
    if scope == "run_dir" or (scope == "skills+project" and is_below):
        return file if is_below else None
    inside = any(skill.path and is_inside(skill.dir, file) for skill in catalog.skills)
    return file if inside else None


def read_text(file: str, asked: str, tool: str, files: Callable[[], str] | None) -> str | Result:
    """The text of a file, or why there is none. `files` names those that are there, for a message."""
    path = one_line(asked)
    try:
        data, _ = read_regular(file, MAX_FILE)
    except (FileNotFoundError, NotADirectoryError):
        if files is None:
            return failed(tool, Code.NOT_FOUND, "file-missing.run")
        return failed(tool, Code.NOT_FOUND, "file-missing", path=path, files=files())
    except PermissionError:
        return failed(tool, Code.PERMISSION_DENIED, "file-denied", path=path)
    except OSError as error:
        if os.path.isdir(file):
            return failed(tool, Code.IS_DIRECTORY, "file-folder", path=path)
        return failed(tool, Code.EXECUTION_ERROR, "file-failed", path=path, reason=error.strerror or str(error))
    text = None if b"\0" in data[:_SNIFFED] else decode(data, file, is_whole=len(data) < MAX_FILE)
    return text if isinstance(text, str) else failed(tool, Code.BINARY_FILE, "file-binary", path=path)


def _part(text: str, offset: int, catalog: Source, answer: Result) -> Result:
    """The part of a text that one answer may hold, from an offset on."""
    limit = catalog.policy.read_chars
    part = text[offset : offset + limit]
    if offset + len(part) >= len(text):
        values = {**answer.values, "chars": len(text)}
        return answer.but(values=values, data={**answer.data, "content": part})
    end = offset + len(part)
    values = {**answer.values, "chars": len(text), "shown": end}
    data = {**answer.data, "content": part, "truncated": True, "next_offset": end, "total_chars": len(text)}
    return answer.but(status="partial", key="file-cut", values=values, data=data)


def _names_of_files(skill: Skill, policy: Policy) -> str:
    return _some([file.path for file in list_files(skill.dir).files], MAX_NAMES, policy)


def list_resources(catalog: Source, name: object, *, trigger: Trigger = "user", tool: str = "skill_files") -> Result:
    """The files of a skill, by relative path."""
    start = time.perf_counter()
    skill = find(catalog, name, trigger, tool)
    if isinstance(skill, Result):
        return skill
    found = list_files(skill.dir) if skill.path else None
    files = [file.path for file in found.files] if found else []
    truncated = found is not None and found.truncated
    return Result(
        tool=tool,
        status="partial" if truncated else "success",
        key="files-listed-partly" if truncated else "files-listed",
        values={"name": skill.name, "count": len(files)},
        data={"name": skill.name, "files": files, **({"truncated": True} if truncated else {})},
        time_ms=_ms(start),
    )


def _shown(path: str, project: str) -> str:
    """A path relative to the project where it lies in it, with slashes."""
    base = project.rstrip(os.sep) + os.sep
    return path[len(base) :].replace(os.sep, "/") if project and path.startswith(base) else path


def _ms(start: float) -> int:
    return round((time.perf_counter() - start) * 1000)
