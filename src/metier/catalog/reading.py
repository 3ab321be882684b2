"""Reading the files of a root, whatever they turn out to be. The only module that opens a skill's files to list it."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from metier.catalog.sighting import INSTRUCTIONS, MANIFEST, Seen, header_of, is_unchanged, settled, signature_of
from metier.diagnostic import Diagnostic, problem
from metier.parsing.document import Header, read_head, read_plain
from metier.parsing.frontmatter import MAX_HEADER, MAX_MANIFEST
from metier.parsing.interpret import undisputed
from metier.paths import is_inside
from metier.skill import Skill, Visibility

if TYPE_CHECKING:
    from metier.catalog.sighting import Sight
    from metier.skill import Root, Signature
    from metier.value import Value

DIGESTED = 1_048_576
"""Bytes that tell one state of a young file from another."""
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_CLOEXEC", 0)
_FLAGS_NO_LINK = _FLAGS | getattr(os, "O_NOFOLLOW", 0)
FIRST_READ = 4_096
"""Bytes of a SKILL.md that are read at first; more only where its frontmatter is longer."""


def read_bytes(path: str, limit: int, *, follow: bool = True) -> tuple[bytes, os.stat_result] | Diagnostic | None:
    """The first bytes of a regular file; `None` if there is nothing, or a link that is not to be followed.

    Never waits: a pipe or a device is refused, not read.
    """
    try:
        return read_regular(path, limit, follow=follow)
    except _NotRegular as error:
        return problem("file-not-regular", path, what=error.what)
    except OSError as error:
        return _refusal(path, error, follow=follow)


def read_regular(path: str, limit: int, *, follow: bool = True) -> tuple[bytes, os.stat_result]:
    """The first bytes of a regular file, for callers that have an answer to every failure.

    Raises:
        OSError: as the system says; also for whatever is not a file.
    """
    descriptor = os.open(path, _FLAGS if follow else _FLAGS_NO_LINK)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise _NotRegular(_kind_of_file(status.st_mode))
        size = status.st_size
        wanted = size if size < limit else limit
        data = os.read(descriptor, wanted)
        while len(data) < wanted:
            more = os.read(descriptor, wanted - len(data))
            if not more:
                break
            data += more
    finally:
        os.close(descriptor)
    return data, status


class _NotRegular(OSError):
    def __init__(self, what: str) -> None:
        super().__init__(f"it is {what}, not a file")
        self.what = what


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


class Reader:
    """What the files of one root say now."""

    def __init__(self, root: Root, youngest_ns: int) -> None:
        self._root = root
        self._youngest = youngest_ns

    def see(self, path: str, old: Sight | None) -> Sight | None:
        """The file now: the old object if it is unchanged, the old header if its bytes are."""
        if old is not None:
            if old.path != path:
                old = None
            elif is_unchanged(old):
                return old
        read = self._read(path, MAX_MANIFEST + 1 if path.endswith(MANIFEST) else FIRST_READ)
        if read is None:
            return None
        if isinstance(read, Diagnostic):
            known = old is not None and header_of(old).diagnostics == (read,)
            return old if known else Seen(path, None, Header(None, (read,)))
        data, status = read
        state = signature_of(status)
        signature = settled(state, self._youngest)
        young = old if isinstance(old, Seen) and old.digest else None
        digest = self._digest(path, data, status) if young or signature is None else 0
        if young and young.state and (young.digest, young.state[0]) == (digest, state[0]):
            header = young.header
        else:
            header = self._parse(path, data, status)
        plain = None
        if signature and header.fields and not header.diagnostics and path.endswith(INSTRUCTIONS):
            plain = plain_skill(header.fields, path, self._root, signature)
        return plain or Seen(path, signature, header, 0 if signature else digest, state)

    def _parse(self, path: str, data: bytes, status: os.stat_result) -> Header:
        if path.endswith(MANIFEST):
            from metier.parsing.manifest import read_manifest

            return read_manifest(data, path)
        header = read_head(data, path, is_whole=status.st_size <= len(data))
        is_cut = len(data) < min(status.st_size, MAX_HEADER)
        if header.fields is None and is_cut and header.diagnostics[0].code == "header-too-large":
            longer = self._read(path, MAX_HEADER)
            if isinstance(longer, tuple):
                return read_head(longer[0], path, is_whole=status.st_size <= len(longer[0]))
        return header

    def _digest(self, path: str, data: bytes, status: os.stat_result) -> int:
        """The hash of a file that is too young for its signature to prove anything, body and all."""
        if len(data) < status.st_size:
            whole = self._read(path, DIGESTED)
            data = whole[0] if isinstance(whole, tuple) else data
        return hash(data)

    def _read(self, path: str, limit: int) -> tuple[bytes, os.stat_result] | Diagnostic | None:
        """The start of a file. In an untrusted root a link is read only if it stays inside."""
        if self._root.trusted:
            return read_bytes(path, limit)
        read = read_bytes(path, limit, follow=False)
        if read is not None or not os.path.islink(path):
            return read
        return self.escape(path) or read_bytes(path, limit)

    def escape(self, path: str) -> Diagnostic | None:
        """A link out of an untrusted root could show any file of this machine to a model."""
        root = self._root
        if root.trusted or is_inside(root.boundary, path):
            return None
        return problem("link-escapes", path, boundary=root.boundary)


def first_look(path: str, root: Root, youngest_ns: int) -> Skill | None:
    """What most files turn out to be: settled, with a simple header in which there is nothing to judge.

    `None` for all else, which then goes the long way. Ten thousand files go this one when a catalog is first opened,
    so it takes as few steps as it can.
    """
    try:
        descriptor = os.open(path, _FLAGS if root.trusted else _FLAGS_NO_LINK)
    except OSError:
        return None
    try:
        status = os.fstat(descriptor)
        data = os.read(descriptor, FIRST_READ) if stat.S_ISREG(status.st_mode) else b""
    except OSError:
        return None
    finally:
        os.close(descriptor)
    mtime_ns, ctime_ns = status.st_mtime_ns, status.st_ctime_ns
    if mtime_ns >= youngest_ns or ctime_ns >= youngest_ns:
        return None
    fields = read_plain(data)
    if fields is None:
        return None
    return plain_skill(fields, path, root, (mtime_ns, ctime_ns, status.st_size, status.st_ino))


def plain_skill(fields: dict[str, Value], path: str, root: Root, signature: Signature) -> Skill | None:
    """The skill that any policy makes of the fields, if there is nothing to judge in them."""
    name = fields.get("name")
    # The folder's name is all that the standard allows.
    if not isinstance(name, str) or not path.endswith(f"{os.sep}{name}{os.sep}{INSTRUCTIONS}"):
        return None
    description = undisputed(fields, name)
    if description is None:
        return None
    return Skill(name, description, root, path, fields, (), Visibility.ON, signature)
