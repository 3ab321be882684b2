"""`metier new`: a complete skill from our own templates, made as a whole or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from metier.authoring.kinds import KINDS, REFERENCES
from metier.authoring.naming import check_name, prefix_of, tool_of
from metier.authoring.template import filled, read_template, words_of
from metier.catalog.roots import resolve_roots
from metier.errors import FileFailed, NotMade
from metier.paths import is_inside

if TYPE_CHECKING:
    from collections.abc import Mapping

    from metier.policy import Policy

TemplateLang: TypeAlias = Literal["en", "zh"]
MAX_DESCRIPTION = 1_024
_JOINERS = "\u200c\u200d"
"""Invisible, but emoji and some scripts cannot be written without them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What is to be made."""

    name: str
    kind: str
    place: str
    """The folder in which the new one is made; it is made too where it is missing."""
    lang: TemplateLang = "en"
    description: str = ""
    """Empty for the template's own."""
    worker: bool = False
    """The program answers many calls."""
    references: bool = False
    """Instructions with a file for long texts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """What was made."""

    name: str
    kind: str
    path: str
    files: tuple[str, ...]
    """Relative to the path."""
    tool: str = ""


def place_of(project: str, policy: Policy, environ: Mapping[str, str]) -> str:
    """The first root of a policy that lies in the project and can be written.

    Raises:
        NotMade: when there is none.
    """
    for root in resolve_roots(project, policy, environ):
        is_own = is_inside(project, root.path) and not root.single and not root.read_only
        if is_own and _can_be_written(root.path):
            return root.path
    raise NotMade("no folder for skills in this project can be written", "say with --in DIR where the skill should go")


def _can_be_written(path: str) -> bool:
    while not os.path.lexists(path):
        path = os.path.dirname(path)
    return os.path.isdir(path) and os.access(path, os.W_OK)


def check_policy(kind: str, policy: Policy) -> None:
    """Refuse to make what the policy in force would never load.

    Raises:
        NotMade: when it would not.
    """
    if KINDS[kind].is_tool and not policy.tools:
        reason = f"the profile {policy.name!r} reads no skill.yaml, so a skill of the kind {kind!r} would not be found"
        raise NotMade(reason, "use --kind instructions, or another profile, such as metier --profile default new …")
    if kind == "instructions" and not policy.files:
        reason = f"the profile {policy.name!r} reads no SKILL.md, so a skill of the kind {kind!r} would not be found"
        raise NotMade(reason, "use --kind python, or another profile, such as metier --profile default new …")


def make_skill(order: Order, *, ascii_only: bool = False) -> Made:
    """Make a skill. Whatever goes wrong, the folder is there complete or is not there.

    Raises:
        NotMade: when the order cannot be carried out as it stands.
        FileFailed: when the system refuses.
    """
    kind = KINDS[order.kind]
    check_name(order.name, ascii_only=ascii_only, names_tool=order.kind != "instructions")
    if order.worker and not kind.is_tool:
        raise NotMade(f"the kind {order.kind!r} has no program that could stay", "leave --worker out")
    if order.references and order.kind != "instructions":
        raise NotMade(f"the kind {order.kind!r} has no references", "leave --references out")
    description = _checked_description(order.description)
    target = os.path.join(order.place, order.name)
    if os.path.lexists(order.place) and not os.path.isdir(order.place):
        raise NotMade(f"{order.place!r} is not a folder", "give --in a folder, or one that does not exist yet")
    _refuse_existing(target)
    files = _rendered(order, description)
    _write(order.place, order.name, files)
    tool = "" if order.kind == "instructions" else tool_of(order.name)
    return Made(name=order.name, kind=order.kind, path=target, files=tuple(files), tool=tool)


def _checked_description(text: str) -> str:
    text = " ".join(text.split())
    if len(text) > MAX_DESCRIPTION:
        raise NotMade(f"the description has {len(text):,} characters", f"give at most {MAX_DESCRIPTION:,}")
    wrong = next((one for one in text if not one.isprintable() and one not in _JOINERS), None)
    if wrong is not None:
        raise NotMade(f"the description holds the character U+{ord(wrong):04X}", "give plain text without it")
    return text


def _refuse_existing(target: str) -> None:
    if os.path.lexists(target):
        raise NotMade(f"{target!r} exists already and was not touched", "choose another name, or move it away first")


def _rendered(order: Order, description: str) -> dict[str, str]:
    """The files of the new folder with their texts."""
    kind = KINDS[order.kind]
    prefix = prefix_of(order.name)
    names = {
        "name": order.name,
        "prefix": prefix,
        "variable": prefix.upper(),
        "module": f"skill_{prefix}",
        "tool": tool_of(order.name),
        "title": order.name.replace("-", " ").capitalize(),
        "subject": order.name.replace("-", " "),
        "runtime": kind.runtime,
        "entry": kind.entry,
        "mode": "mode: worker\n" if order.worker else "",
    }
    words = words_of(order.lang, names)
    default = words["describe_tool" if kind.is_tool else f"describe_{order.kind}"]
    references = words["references"] if order.references else ""
    values = {**words, **names, "description": description or default, "references": references}
    parts = {"LANG": order.lang, "NAME": order.name, "MODULE": names["module"]}
    files = (*kind.files, REFERENCES) if order.references else kind.files
    return {
        _named(path, parts): filled(read_template(_named(template, parts)), values).rstrip("\n") + "\n"
        for path, template in files
    }


def _named(path: str, parts: Mapping[str, str]) -> str:
    for mark, text in parts.items():
        path = path.replace(mark, text)
    return path


def _write(place: str, name: str, files: Mapping[str, str]) -> None:
    """Write into a folder beside, and give it its name when it is complete."""
    beside = os.path.join(place, f".{name}.{secrets.token_hex(4)}")
    target = os.path.join(place, name)
    try:
        os.makedirs(place, exist_ok=True)
        os.mkdir(beside)
        for path, text in files.items():
            _write_file(os.path.join(beside, *path.split("/")), text)
        _refuse_existing(target)
        os.rename(beside, target)
    except OSError as error:
        raise FileFailed(target, f"it cannot be made: {error.strerror or error}") from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _write_file(path: str, text: str) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    # A package may lose the bit that makes a file executable, so a program is told by its first line.
    mode = 0o777 if text.startswith("#!") else 0o666
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "w", encoding="utf-8", newline="") as file:
        file.write(text)
