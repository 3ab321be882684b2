"""Which skills the user trusts to run programs: bound to what they hold, kept outside of every project.

An approval names a folder and the hash of everything in it. Whatever changes there, by an editor or a `git pull`,
revokes it until the user has looked again. Roots that are trusted as a whole are in the settings, not here.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from metier.catalog.roots import home_of
from metier.errors import FileFailed
from metier.store.tree import Changes, Tree, changes, stamp_of, tree_of

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from metier.skill import Skill

Standing: TypeAlias = Literal["trusted", "changed", "unknown"]
"""Trusted as it is; trusted as it was; never trusted."""

LOOK_S = 0.02
"""How long a look at a folder counts: workers are called thousands of times a second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """That the user trusts a folder as it was then."""

    folder: str
    name: str
    digest: str
    when: str
    files: Mapping[str, str]

    def as_json(self) -> dict[str, Any]:
        """The stable JSON shape."""
        return {"folder": self.folder, "name": self.name, "digest": self.digest, "when": self.when}


def trust_path(environ: Mapping[str, str]) -> str:
    """Where approvals are kept."""
    base = environ.get("METIER_STATE_DIR") or environ.get("XDG_STATE_HOME") or ""
    if not os.path.isabs(base):
        base = os.path.join(home_of(environ), ".local", "state")
    return os.path.join(base, "metier", "trust.json")


class Trust:
    """The approvals of one user."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._stamp: tuple[int, int, int] | None = None
        self._known: dict[str, Approval] = {}
        self._seen: dict[str, tuple[float, object, bool]] = {}

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> Trust:
        """The approvals of whoever this environment belongs to."""
        return cls(trust_path(environ))

    @property
    def approvals(self) -> tuple[Approval, ...]:
        """All of them, sorted by folder.

        Raises:
            FileFailed: when the file is there and cannot be read as what it should be.
        """
        return tuple(self._read()[folder] for folder in sorted(self._read()))

    def standing(self, skill: Skill) -> tuple[Standing, Changes]:
        """Whether a skill is trusted as it is now, and what has changed since it was.

        Raises:
            FileFailed: when its files cannot be read.
        """
        approval = self._read().get(_folder(skill))
        if approval is None:
            return "unknown", Changes((), (), ())
        now = tree_of(skill.dir)
        found = changes(approval.files, now.files)
        return ("trusted" if now.digest == approval.digest else "changed"), found

    @property
    def version(self) -> object:
        """Another one after every decision."""
        try:
            status = os.stat(self.path)
        except OSError:
            return None
        return status.st_mtime_ns, status.st_size, status.st_ino

    def knows(self, skill: Skill) -> bool:
        """Whether it was trusted once, be it as it is now or not."""
        try:
            return bool(skill.path) and _folder(skill) in self._read()
        except FileFailed:
            return False

    def allows(self, skill: Skill) -> bool:
        """Whether its programs may run. What cannot be read is not trusted."""
        try:
            approval = self._read().get(_folder(skill)) if skill.path else None
        except FileFailed:
            return False
        if approval is None:
            return False
        now = time.monotonic()
        looked, stamp, verdict = self._seen.get(approval.digest + approval.folder, (-LOOK_S, None, False))
        if now - looked < LOOK_S:
            return verdict
        fresh = stamp_of(skill.dir)
        if fresh != stamp or _is_young(fresh):
            try:
                verdict = tree_of(skill.dir).digest == approval.digest
            except FileFailed:
                verdict = False
        self._seen[approval.digest + approval.folder] = (now, fresh, verdict)
        return verdict

    def approve(self, skill: Skill, tree: Tree | None = None) -> Approval:
        """Trust a skill as it is now, or as the user was shown it.

        Raises:
            FileFailed: when its files cannot be read, or the approval cannot be kept.
        """
        shown = tree or tree_of(skill.dir)
        approval = Approval(
            folder=_folder(skill),
            name=skill.name,
            digest=shown.digest,
            when=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            files=dict(shown.files),
        )
        with self._locked():
            self._write({**self._read(fresh=True), approval.folder: approval})
        return approval

    def revoke(self, folder: str) -> bool:
        """Trust a folder no more; false if it was not trusted.

        Raises:
            FileFailed: when the approvals cannot be read or written.
        """
        place = os.path.realpath(folder)
        with self._locked():
            known = dict(self._read(fresh=True))
            found = known.pop(place, None) is not None
            if found:
                self._write(known)
        return found

    # ── the file ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def _read(self, *, fresh: bool = False) -> dict[str, Approval]:
        try:
            status = os.stat(self.path)
        except FileNotFoundError:
            self._stamp, self._known = None, {}
            return self._known
        except OSError as error:
            raise FileFailed(self.path, error.strerror or str(error)) from error
        stamp = (status.st_mtime_ns, status.st_size, status.st_ino)
        if fresh or stamp != self._stamp:
            self._known, self._stamp = self._parsed(), stamp
        return self._known

    def _parsed(self) -> dict[str, Approval]:
        try:
            with open(self.path, encoding="utf-8") as file:
                content: object = json.load(file)
            entries = cast("dict[str, Any]", content)["approvals"]
            found = [
                Approval(
                    folder=str(one["folder"]),
                    name=str(one["name"]),
                    digest=str(one["digest"]),
                    when=str(one["when"]),
                    files={str(path): str(digest) for path, digest in one["files"].items()},
                )
                for one in entries
            ]
        except OSError as error:
            raise FileFailed(self.path, error.strerror or str(error)) from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            reason = "it is not a list of approvals; move it away to begin anew, then trust your skills again"
            raise FileFailed(self.path, reason) from error
        return {approval.folder: approval for approval in found}

    def _write(self, approvals: Mapping[str, Approval]) -> None:
        content = {
            "version": 1,
            "approvals": [
                {**approvals[folder].as_json(), "files": dict(approvals[folder].files)} for folder in sorted(approvals)
            ],
        }
        folder = os.path.dirname(self.path)
        try:
            number, draft = tempfile.mkstemp(dir=folder, prefix="trust.")
            with os.fdopen(number, "w", encoding="utf-8", errors="surrogateescape") as file:
                json.dump(content, file, ensure_ascii=False, indent=1)
                file.flush()
                os.fsync(file.fileno())
            os.replace(draft, self.path)
        except OSError as error:
            raise FileFailed(self.path, error.strerror or str(error)) from error
        self._stamp = None
        self._seen.clear()

    @contextlib.contextmanager
    def _locked(self) -> Generator[None]:
        """Two commands at once write one after the other."""
        import fcntl

        try:
            os.makedirs(os.path.dirname(self.path), mode=0o700, exist_ok=True)
            with open(f"{self.path}.lock", "w", encoding="ascii") as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                yield
        except OSError as error:
            raise FileFailed(self.path, error.strerror or str(error)) from error


def _folder(skill: Skill) -> str:
    return os.path.realpath(skill.dir)


def _is_young(stamp: tuple[tuple[str, int, int, int, int], ...]) -> bool:
    """Files of this very moment may change again without looking different."""
    newest = max((max(mtime, ctime) for _, mtime, ctime, _, _ in stamp), default=0)
    return newest > time.time_ns() - 2_000_000_000
