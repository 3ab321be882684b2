"""A filter of system calls for the kernel, as bytes: what no skill needs and every escape does.

Written by hand because it is short: a classic BPF program that lets everything pass but a list of calls, new user
namespaces, and the trick of typing into the user's terminal.
"""

from __future__ import annotations

import platform
import struct

_LOAD, _EQUAL, _AND_SET, _RETURN = 0x20, 0x15, 0x45, 0x06
_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_EPERM, _ENOSYS = 1, 38
_NR, _ARCH, _ARG0, _ARG1 = 0, 4, 16, 24
_CLONE_NEWUSER, _TIOCSTI = 0x10000000, 0x5412

# Numbers of calls: (aarch64, x86_64).
_DENIED = {
    "ptrace": (117, 101),
    "process_vm_readv": (270, 310),
    "process_vm_writev": (271, 311),
    "mount": (40, 165),
    "umount2": (39, 166),
    "pivot_root": (41, 155),
    "chroot": (51, 161),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "open_tree": (428, 428),
    "bpf": (280, 321),
    "perf_event_open": (241, 298),
    "keyctl": (219, 250),
    "add_key": (217, 248),
    "request_key": (218, 249),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "userfaultfd": (282, 323),
    "kexec_load": (104, 246),
    "kexec_file_load": (294, 320),
    "init_module": (105, 175),
    "finit_module": (273, 313),
    "delete_module": (106, 176),
    "unshare": (97, 272),
    "setns": (268, 308),
    "open_by_handle_at": (265, 304),
    "swapon": (224, 167),
    "reboot": (142, 169),
}
_SPECIAL = {"clone": (220, 56), "clone3": (435, 435), "ioctl": (29, 16), "socket": (198, 41)}
_MACHINES = {"aarch64": (0, 0xC00000B7), "x86_64": (1, 0xC000003E)}


def seccomp_filter(machine: str | None = None, *, sockets: bool = True) -> bytes | None:
    """The filter for this machine; `None` for one whose numbers are not known.

    Without `sockets` none can be made: for where there is no namespace that keeps the network away.
    """
    known = _MACHINES.get(machine or platform.machine())
    if known is None:
        return None
    column, architecture = known
    program = [
        _step(_LOAD, k=_ARCH),
        _step(_EQUAL, yes=1, k=architecture),
        _step(_RETURN, k=_KILL),  # a call by another architecture's numbers
        _step(_LOAD, k=_NR),
    ]
    denied = list(_DENIED.values()) if sockets else [*_DENIED.values(), _SPECIAL["socket"]]
    for numbers in denied:
        program += [_step(_EQUAL, no=1, k=numbers[column]), _step(_RETURN, k=_ERRNO | _EPERM)]
    # The C library falls back to clone, whose flags can be looked at.
    program += [_step(_EQUAL, no=1, k=_SPECIAL["clone3"][column]), _step(_RETURN, k=_ERRNO | _ENOSYS)]
    program += [
        _step(_EQUAL, no=3, k=_SPECIAL["clone"][column]),
        _step(_LOAD, k=_ARG0),
        _step(_AND_SET, no=5, k=_CLONE_NEWUSER),
        _step(_RETURN, k=_ERRNO | _EPERM),
        _step(_EQUAL, no=3, k=_SPECIAL["ioctl"][column]),
        _step(_LOAD, k=_ARG1),
        _step(_EQUAL, no=1, k=_TIOCSTI),
        _step(_RETURN, k=_ERRNO | _EPERM),
        _step(_RETURN, k=_ALLOW),
    ]
    return b"".join(program)


def _step(code: int, *, yes: int = 0, no: int = 0, k: int) -> bytes:
    return struct.pack("=HBBI", code, yes, no, k)
