"""What was last seen of one file or folder, and how to tell whether it still holds."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from metier.diagnostic import Diagnostic, problem
from metier.errors import PathEscape
from metier.parsing.document import Header
from metier.paths import join_inside

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.value import Value

Signature: TypeAlias = tuple[int, int, int, int]
"""mtime_ns, ctime_ns, size, inode. The change time catches edits that put the old mtime back."""

SETTLED_NS = 2_000_000_000
"""A file changed less than this before it was read may change again within the same tick of the file
system's clock, so its signature proves nothing yet. Two seconds is the coarsest clock in use (FAT)."""

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_CLOEXEC", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)


class Seen(NamedTuple):
    """One file as it was last read. The header's parts are kept here, not the header: half the objects."""

    path: str
    fields: dict[str, Value] | None
    diagnostics: tuple[Diagnostic, ...] = ()
    lead: str = ""
    signature: Signature | None = None
    """`None` while it proves nothing: the file was too young, or could not be read."""
    digest: int = 0
    """The hash of the bytes, where there is no signature to rely on."""
    mtime_ns: int = 0

    @property
    def header(self) -> Header:
        """What the parser made of the file."""
        return Header(self.fields, self.diagnostics, self.lead)

    def says_the_same_as(self, other: Seen) -> bool:
        """True when both stand for the same bytes, whatever their signatures."""
        return self.fields is other.fields and self.diagnostics == other.diagnostics


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


def settled(signature: Signature, now_ns: int) -> Signature | None:
    """The signature, if a later edit is sure to give another one."""
    youngest = now_ns - SETTLED_NS
    return signature if signature[0] < youngest and signature[1] < youngest else None


def is_unchanged(seen: Seen) -> bool:
    """True when the file on disk is still the one that was read."""
    if seen.signature is None:
        return False
    try:
        return signature_of(os.stat(seen.path)) == seen.signature
    except OSError:
        return False


def read_bytes(path: str, limit: int, *, follow: bool = True) -> tuple[bytes, os.stat_result] | Diagnostic | None:
    """The first bytes of a regular file; `None` if there is nothing, or a link that is not to be followed.

    Never waits: a pipe or a device is refused, not read.
    """
    try:
        descriptor = os.open(path, _FLAGS if follow else _FLAGS | _NO_LINK)
    except OSError as error:
        return _refusal(path, error, follow=follow)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return problem("file-not-regular", path, what=_kind_of_file(status.st_mode))
        size = status.st_size
        wanted = size if size < limit else limit
        data = os.read(descriptor, wanted)
        while len(data) < wanted:
            more = os.read(descriptor, wanted - len(data))
            if not more:
                break
            data += more
    except OSError as error:
        return problem("file-unreadable", path, reason=error.strerror or str(error))
    finally:
        os.close(descriptor)
    return data, status


def _refusal(path: str, error: OSError, *, follow: bool) -> Diagnostic | None:
    if os.path.islink(path):
        if os.path.exists(path):
            return None if not follow else problem("file-unreadable", path, reason=error.strerror or str(error))
        return problem("link-broken", path, target=os.readlink(path))
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return None
    try:
        mode = os.stat(path).st_mode
    except OSError:
        mode = stat.S_IFREG
    if not stat.S_ISREG(mode):  # a socket cannot even be opened
        return problem("file-not-regular", path, what=_kind_of_file(mode))
    return problem("file-unreadable", path, reason=error.strerror or str(error))


def _kind_of_file(mode: int) -> str:
    kinds = (
        (stat.S_ISDIR, "a folder"),
        (stat.S_ISFIFO, "a named pipe"),
        (stat.S_ISSOCK, "a socket"),
        (stat.S_ISCHR, "a device"),
        (stat.S_ISBLK, "a device"),
    )
    return next((name for test, name in kinds if test(mode)), "something special")


def alike(names: Sequence[str]) -> list[str]:
    """The names that look like the file of instructions, sorted: capitals first."""
    return sorted(name for name in names if name.lower() == "skill.md")


def missing_files(folder: str, manifest: Seen | None) -> tuple[str, ...]:
    """The files that the tools of a manifest need and that are not in the folder."""
    if manifest is None or manifest.fields is None:
        return ()
    from metier.parsing.manifest import interpret_manifest, required_files

    tools = interpret_manifest(manifest.fields, os.path.basename(folder), "").tools
    needed = dict.fromkeys(file for tool in tools for file in required_files(tool))
    return tuple(file for file in needed if not _is_inside_file(folder, file))


def _is_inside_file(folder: str, file: str) -> bool:
    try:
        return os.path.isfile(join_inside(folder, file))
    except PathEscape:
        return False
