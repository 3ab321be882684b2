"""What was last seen of one file or folder, and how to tell whether it still holds."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, cast

from metier.errors import PathEscape
from metier.parsing.document import Header
from metier.paths import join_inside
from metier.skill import Skill

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.diagnostic import Diagnostic
    from metier.skill import Signature
    from metier.value import Value

INSTRUCTIONS = "SKILL.md"
MANIFEST = "skill.yaml"

SETTLED_NS = 2_000_000_000
"""A file changed less than this before it was read may change again within the same tick of the file
system's clock, so its signature proves nothing yet. Two seconds is the coarsest clock in use (FAT)."""


class Seen(NamedTuple):
    """One file as it was last read, where there is something about it that a policy has to judge."""

    path: str
    signature: Signature | None
    """`None` while it proves nothing: the file was too young, or could not be read."""
    header: Header
    digest: int = 0
    """The hash of the bytes, where there is no signature to rely on."""
    state: Signature | None = None
    """The signature, whether or not it proves anything."""


Sight: TypeAlias = Skill | Seen
"""A file as it was last read. Of most files nothing has to be kept but the skill that every policy makes of them."""


def header_of(sight: Sight) -> Header:
    """What the parser made of a file."""
    return sight.header if isinstance(sight, Seen) else Header(cast("dict[str, Value]", sight.fields))


def state_of(sight: Sight) -> Signature | None:
    """The state of the file when it was read; `None` where it could not be."""
    return sight.state if isinstance(sight, Seen) else sight.signature


def say_the_same(one: Sight, other: Sight) -> bool:
    """True when both stand for the same bytes, whatever their signatures."""
    own, others = header_of(one), header_of(other)
    return own.fields is others.fields and own.diagnostics == others.diagnostics


class Group(NamedTuple):
    """A folder that is not a skill and may hold some."""

    signature: Signature | None
    folders: tuple[str, ...] = ()
    """The names of subfolders to search, sorted."""
    links: frozenset[str] = frozenset()
    """Those among them that are links."""
    entries: int = 0
    problems: tuple[Diagnostic, ...] = ()


def signature_of(status: os.stat_result) -> Signature:
    """What identifies one state of a file."""
    return (status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino)


def settled(signature: Signature, youngest_ns: int) -> Signature | None:
    """The signature, if a later edit is sure to give another one."""
    return signature if signature[0] < youngest_ns and signature[1] < youngest_ns else None


def is_unchanged(seen: Sight) -> bool:
    """True when the file on disk is still the one that was read."""
    if seen.signature is None:
        return False
    try:
        return signature_of(os.stat(seen.path)) == seen.signature
    except OSError:
        return False


def alike(names: Sequence[str]) -> list[str]:
    """The names that look like the file of instructions, sorted: capitals first."""
    return sorted(name for name in names if name.lower() == "skill.md")


def missing_files(folder: str, manifest: Sight | None) -> tuple[str, ...]:
    """The files that the tools of a manifest need and that are not in the folder."""
    fields = header_of(manifest).fields if manifest else None
    if fields is None:
        return ()
    from metier.parsing.manifest import interpret_manifest, required_files

    tools = interpret_manifest(fields, os.path.basename(folder), "").tools
    needed = dict.fromkeys(file for tool in tools for file in required_files(tool))
    return tuple(file for file in needed if not _is_inside_file(folder, file))


def _is_inside_file(folder: str, file: str) -> bool:
    try:
        return os.path.isfile(join_inside(folder, file))
    except PathEscape:
        return False
