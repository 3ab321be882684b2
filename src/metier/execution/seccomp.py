"""A filter of system calls for the kernel, as bytes: what no skill needs and every escape does.

Written by hand because it is short: a classic BPF program that lets everything pass but a list of calls, new user
namespaces, and the trick of typing into the user's terminal.
"""

from __future__ import annotations

import platform
import struct

_LOAD, _EQUAL, _AT_LEAST, _AND_SET, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_OTHER_NUMBERS = 0x40000000
_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_EPERM, _ENOSYS = 1, 38
_NR, _ARCH, _ARG0, _ARG1 = 0, 4, 16, 24
_CLONE_NEWUSER, _TIOCSTI, _AF_UNIX = 0x10000000, 0x5412, 1

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
    "mount_setattr": (442, 442),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "pidfd_getfd": (438, 438),
    "process_madvise": (440, 440),
    "memfd_create": (279, 319),  # memory that is counted nowhere
    "reboot": (142, 169),
}
# What Landlock does not know of: marks on files that it would not let a program open, and memory that outlives it.
# A number that one of the machines does not have is -1.
_BESIDE_LANDLOCK = {
    "chmod": (-1, 90),
    "fchmod": (52, 91),
    "fchmodat": (53, 268),
    "fchmodat2": (452, 452),
    "chown": (-1, 92),
    "fchown": (55, 93),
    "lchown": (-1, 94),
    "fchownat": (54, 260),
    "utime": (-1, 132),
    "utimes": (-1, 235),
    "futimesat": (-1, 261),
    "utimensat": (88, 280),
    "setxattr": (5, 188),
    "lsetxattr": (6, 189),
    "fsetxattr": (7, 190),
    "removexattr": (14, 197),
    "lremovexattr": (15, 198),
    "fremovexattr": (16, 199),
    "setxattrat": (463, 463),
    "removexattrat": (466, 466),
    "file_setattr": (469, 469),
    "shmget": (194, 29),
    "semget": (190, 64),
    "msgget": (186, 68),
    "mq_open": (180, 240),
}
_SPECIAL = {"clone": (220, 56), "clone3": (435, 435), "ioctl": (29, 16), "socket": (198, 41)}
_MACHINES = {"aarch64": (0, 0xC00000B7), "x86_64": (1, 0xC000003E)}


def seccomp_filter(
    machine: str | None = None, *, sockets: bool = True, local_sockets: bool = True, namespaces: bool = True
) -> bytes | None:
    """The filter for this machine; `None` for one whose numbers are not known.

    Where there are no namespaces that keep them away, also the calls are denied that change the marks of files or leave
    memory behind. Without `sockets` none can be made, and without `local_sockets` none to programs of this machine:
    of whoever listens there, nobody meant a skill.
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
        # The same calls by other numbers: the short-lived third set of this architecture.
        _step(_AT_LEAST, no=1, k=_OTHER_NUMBERS),
        _step(_RETURN, k=_KILL),
    ]
    denied = list(_DENIED.values())
    denied += [] if sockets else [_SPECIAL["socket"]]
    denied += [] if namespaces else [numbers for numbers in _BESIDE_LANDLOCK.values() if numbers[column] >= 0]
    for numbers in denied:
        program += [_step(_EQUAL, no=1, k=numbers[column]), _step(_RETURN, k=_ERRNO | _EPERM)]
    # The C library falls back to clone, whose flags can be looked at.
    program += [_step(_EQUAL, no=1, k=_SPECIAL["clone3"][column]), _step(_RETURN, k=_ERRNO | _ENOSYS)]
    program += _denied_with(_SPECIAL["clone"][column], _ARG0, _AND_SET, _CLONE_NEWUSER)
    program += _denied_with(_SPECIAL["ioctl"][column], _ARG1, _EQUAL, _TIOCSTI)
    if not local_sockets:  # pairs of them are another call
        program += _denied_with(_SPECIAL["socket"][column], _ARG0, _EQUAL, _AF_UNIX)
    program.append(_step(_RETURN, k=_ALLOW))
    return b"".join(program)


def _denied_with(number: int, argument: int, test: int, value: int) -> list[bytes]:
    """A call that is denied when one of its arguments is so. It ends here: its number is no longer loaded."""
    return [
        _step(_EQUAL, no=4, k=number),
        _step(_LOAD, k=argument),
        _step(test, no=1, k=value),
        _step(_RETURN, k=_ERRNO | _EPERM),
        _step(_RETURN, k=_ALLOW),
    ]


def _step(code: int, *, yes: int = 0, no: int = 0, k: int) -> bytes:
    return struct.pack("=HBBI", code, yes, no, k)
