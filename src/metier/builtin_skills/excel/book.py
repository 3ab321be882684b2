"""Opening a workbook that may be anything: no workbook, a damaged one, a locked one, one that fills the memory."""

from __future__ import annotations

import contextlib
import os
import struct
import zipfile
import zlib
from typing import TYPE_CHECKING, BinaryIO
from xml.etree.ElementTree import ParseError

from metier.builtin_skills.excel.messages import failure

if TYPE_CHECKING:
    from collections.abc import Generator

    from openpyxl.workbook.workbook import Workbook

    from metier import ToolFailed, Workspace
    from metier.messages import Lang

MAX_MB = 20
"""Size of a workbook."""

MAX_UNPACKED_MB = 200
"""What all parts of a workbook may have together. A twentieth is usual for a file of the largest size."""

MAX_PARTS = 10_000

_ENDINGS = (".xlsx", ".xlsm")
_OLD = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""How files of the old formats begin, and those that are locked by a password."""
_LOCKED = "EncryptedPackage".encode("utf-16-le")

_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    ParseError,
    EOFError,
    LookupError,
    ValueError,
    TypeError,
    AttributeError,
    RuntimeError,
    OSError,
)
"""What openpyxl runs into when a part of a workbook is not what it should be."""


def workbook_path(path: str, workspace: Workspace) -> str:
    """The absolute path of a workbook in the workspace.

    Raises:
        ToolFailed: for another kind of file, or one that may not be read.
    """
    if path.strip() and os.path.splitext(path)[1].lower() not in _ENDINGS:
        ending = os.path.splitext(path)[1].lower()
        raise failure("old-xls" if ending == ".xls" else "not-xlsx", workspace.lang, path=path)
    return workspace.existing(path, max_mb=MAX_MB)


@contextlib.contextmanager
def opened(file: str, path: str, workspace: Workspace, *, formulas: bool = False) -> Generator[Workbook]:
    """A workbook for reading; `path` is what the model calls it.

    Raises:
        ToolFailed: when it cannot be read, also while it is being read.
    """
    lang = workspace.lang
    with _stream(file, path, lang) as stream:
        refused = _refusal(stream, path, workspace)
        if refused is not None:
            raise refused
        import openpyxl

        try:
            book = openpyxl.load_workbook(stream, read_only=True, data_only=not formulas, keep_links=False)
            with contextlib.closing(book):
                yield book
        except _DAMAGED as error:
            raise failure("corrupt", lang, path=path) from error


def _stream(file: str, path: str, lang: Lang) -> BinaryIO:
    try:
        return open(file, "rb")
    except OSError:
        raise failure("unreadable", lang, path=path) from None


def _refusal(stream: BinaryIO, path: str, workspace: Workspace) -> ToolFailed | None:
    """Why a file is not handed to openpyxl at all, if so."""
    lang = workspace.lang
    head = stream.read(len(_OLD))
    if head == _OLD:
        stream.seek(0)
        is_locked = _LOCKED in stream.read()
        return failure("locked" if is_locked else "old-xls", lang, path=path)
    stream.seek(0)
    try:
        with zipfile.ZipFile(stream) as archive:
            parts = archive.infolist()
    except (zipfile.BadZipFile, ValueError, OSError):
        return failure("not-xlsx" if not head.startswith(b"PK") else "corrupt", lang, path=path)
    # No part gives more bytes than it declares, so what is declared is what can be unpacked.
    if sum(part.file_size for part in parts) > MAX_UNPACKED_MB * 1024 * 1024 or len(parts) > MAX_PARTS:
        return failure("bomb", lang, path=path, limit=MAX_UNPACKED_MB)
    stream.seek(0)
    return None
