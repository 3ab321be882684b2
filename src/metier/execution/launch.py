"""Everything that has to stand ready before a program is started, and be gone after its end.

A folder to work in, the variables it sees, the cell it lives in, the group that bounds it. The same for a tool that is
called once, for a worker that stays, and for a script of a skill.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import tempfile
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING

from metier.errors import PathEscape
from metier.execution.groups import Group, make_group
from metier.execution.proc import MARK, end_group, end_kindly, end_marked, wait_gone
from metier.execution.process import Spawn
from metier.execution.sandbox import Cell, Sandbox, is_root, probe, somebody, wrapped
from metier.execution.seccomp import seccomp_filter
from metier.paths import join_inside
from metier.tool import TIMEOUT_S, Bounds, Permissions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from metier.execution.runtimes import Command
    from metier.execution.sandbox import Tier

PATH = "/usr/local/bin:/usr/bin:/bin"
_CHILD = re.compile(rb'"child-pid":\s*(\d+)')
OWN_FOLDER = "/tmp/metier-work"  # noqa: S108 - inside of the sandbox, where nobody else is
"""Where a program works in a sandbox that has files of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What is to be started, and what it may do."""

    command: Command
    skill_dir: str
    cwd: str
    timeout_s: float
    permissions: Permissions = field(default_factory=Permissions)
    bounds: Bounds = field(default_factory=Bounds)
    env: tuple[str, ...] = ()
    """Names of variables of the host that it gets to see."""
    more_env: tuple[tuple[str, str], ...] = ()
    """Variables that are its own."""


def for_stranger(job: Job) -> Job:
    """The same without anything that it asks for: whoever is not trusted gets what everybody gets, and no more."""
    usual = Bounds()
    bounds = Bounds(
        **{one.name: min(getattr(job.bounds, one.name), getattr(usual, one.name)) for one in fields(Bounds)}
    )
    asked = [*(["network"] if job.permissions.network else []), *job.permissions.read, *job.permissions.write, *job.env]
    note = f"not trusted, so it does not get what it asks for: {', '.join(asked)}" if asked else ""
    log = "\n".join(filter(None, (job.command.log, note)))
    return replace(
        job,
        command=replace(job.command, log=log),
        permissions=Permissions(),
        bounds=bounds,
        env=(),
        timeout_s=min(job.timeout_s, TIMEOUT_S),
    )


class Launch:
    """One program's surroundings. `close` ends whatever is left of it and takes them away."""

    def __init__(
        self,
        spawn: Spawn,
        tier: Tier,
        folder: str,
        group: Group | None,
        filter_fd: int | None,
        *,
        info: tuple[int, int] | None,
        most_bytes: int | None,
    ) -> None:
        self.spawn = spawn
        self._info = info
        self.most_bytes = most_bytes
        """Memory to watch over, where no group does."""
        self.notes: list[str] = []
        """What people should know who wonder why it does not work."""
        self.tier: Tier = tier
        self.group = group
        self._folder = folder
        self._filter_fd = filter_fd

    def end(self, pid: int) -> None:
        """End the program and everything it has started. `pid` is a child that nobody has waited for yet."""
        if self.tier == "T2":
            end_kindly(pid)  # so that `confine` ends what it has adopted
        end_group(pid)
        if self.tier == "T3":
            self._wait_for_namespace()
        if self.group is not None:
            self.group.end()
        elif self.tier != "T3":
            end_marked(self.spawn.env[MARK])

    def _wait_for_namespace(self) -> None:
        """In a namespace of their own the kernel ends all processes with the first one, which takes it a moment."""
        try:
            told = os.read(self._info[0], 4_096) if self._info else b""
        except BlockingIOError:
            return  # it did not get so far
        number = _CHILD.search(told)
        if number:
            wait_gone(int(number[1]))

    def ran_out(self) -> bool:
        """Whether it was ended because it used more memory than it may."""
        return self.group is not None and self.group.ran_out()

    def close(self) -> None:
        """Take everything away."""
        numbers = (*(self._info or ()), *(() if self._filter_fd is None else (self._filter_fd,)))
        self._info = self._filter_fd = None
        for number in numbers:
            os.close(number)
        if self.group is not None:
            self.group.close()
        _remove(self._folder)


class Launcher:
    """Makes surroundings for the programs of one project.

    Args:
        workspace: The folder that programs may read, and write where they declare it.
        environ: The host's environment; a program sees of it only what it declares.
        sandbox: What this machine offers; found out when it is not given.
    """

    def __init__(self, workspace: str, environ: Mapping[str, str], sandbox: Sandbox | None = None) -> None:
        self.workspace = workspace
        self._environ = environ
        self._sandbox = sandbox

    @property
    def sandbox(self) -> Sandbox:
        """What this machine offers."""
        if self._sandbox is None:
            self._sandbox = probe()
        return self._sandbox

    def prepare(self, job: Job, *, stays: bool = False) -> Launch:
        """Surroundings for one program. Whoever asks has to close them.

        Going into a control group takes the kernel longer than all the rest. So in the strongest sandbox only a program
        that `stays` does; the memory of others is watched, and the kernel ends all their processes anyway.

        Raises:
            OSError: when no folder can be made for it.
        """
        sandbox = self.sandbox
        user = somebody(job.skill_dir if job.permissions.write else "")
        # In a sandbox with a temporary folder of its own, the folder to work in is there, and bounded as that is.
        host_folder = "" if sandbox.tier == "T3" else tempfile.mkdtemp(prefix=f"metier-call-{os.getpid()}-")
        work = host_folder or OWN_FOLDER
        group = filter_fd = info = None
        try:
            env = self._variables(job, work)
            group = make_group(job.bounds) if sandbox.has_groups and (stays or sandbox.tier != "T3") else None
            if sandbox.tier == "T3":
                # With the machine's network come the sockets of its programs; without it there are only its own.
                filter_fd = _filter_fd(local_sockets=not job.permissions.network)
                info = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
            cell = self._cell(job, work, user, stays=stays)
            argv = wrapped(job.command.argv, cell, sandbox.tier, filter_fd, info[1] if info else None)
        except BaseException:
            for number in (*(info or ()), *(() if filter_fd is None else (filter_fd,))):
                os.close(number)
            if group is not None:
                group.close()
            _remove(host_folder)
            raise
        spawn = Spawn(
            argv=argv if group is None else group.entered(argv),
            env=env,
            cwd=job.cwd,
            files=[number for number in (filter_fd, info[1] if info else None) if number is not None],
        )
        most_bytes = job.bounds.memory_mb * 1024 * 1024 if group is None and sandbox.tier != "T0" else None
        launch = Launch(spawn, sandbox.tier, host_folder, group, filter_fd, info=info, most_bytes=most_bytes)
        launch.notes += [
            f"{path} cannot be written: it is no folder or file of the workspace" for path in self.lost(job)
        ]
        if is_root() and sandbox.tier == "T3":
            launch.notes += [_closed(place) for place in self._writable(job) if not _is_open(place)]
        return launch

    def lost(self, job: Job) -> list[str]:
        """Paths that a program wants to write and that are not there, or not in the workspace."""
        return [path for path in job.permissions.write if self._place(path) is None]

    def _cell(self, job: Job, work: str, user: int, *, stays: bool) -> Cell:
        wanted = (self.workspace, *self._readable(job), job.skill_dir, *job.command.readable)
        return Cell(
            readable=[path for path in dict.fromkeys(wanted) if path],
            writable=self._writable(job),
            own=work,
            cwd=job.cwd,
            network=job.permissions.network,
            user=user,
            # One that stays adds up what its calls take; each of them has its time.
            bounds=replace(job.bounds, cpu_s=0) if stays else job.bounds,
        )

    def _variables(self, job: Job, work: str) -> dict[str, str]:
        return {
            **{name: self._environ[name] for name in job.env if name in self._environ},
            "PATH": PATH,
            "HOME": work,
            "TMPDIR": "/tmp" if work == OWN_FOLDER else work,  # noqa: S108 - the sandbox's own
            "LANG": "C.UTF-8",
            "LC_ALL": "C.UTF-8",
            "PYTHONUTF8": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
            "METIER_SKILL_DIR": job.skill_dir,
            "METIER_WORKSPACE": self.workspace,
            "METIER_WORK_DIR": work,
            **dict(job.more_env),
            MARK: secrets.token_hex(12),
        }

    def _readable(self, job: Job) -> list[str]:
        return [path for path in job.permissions.read if os.path.isabs(path) and os.path.exists(path)]

    def _writable(self, job: Job) -> list[str]:
        places = (self._place(path) for path in job.permissions.write)
        return [place for place in places if place is not None]

    def _place(self, path: str) -> str | None:
        try:
            place = join_inside(self.workspace, path)
        except PathEscape:
            return None
        return place if os.path.exists(place) else None


def _is_open(place: str) -> bool:
    try:
        return bool(os.stat(place).st_mode & 0o002)
    except OSError:
        return True


def _closed(place: str) -> str:
    return f"{place} is closed to the user that root's tools run as; chmod o+w opens it"


def _remove(folder: str) -> None:
    if folder:
        shutil.rmtree(folder, ignore_errors=True)


def _filter_fd(*, local_sockets: bool) -> int | None:
    """A file that holds the filter of system calls, for the sandbox to read."""
    program = seccomp_filter(local_sockets=local_sockets)
    if program is None:
        return None
    number = os.memfd_create("metier-filter", 0)
    os.write(number, program)
    os.lseek(number, 0, os.SEEK_SET)
    return number
