"""What an evil tool would try. Each attack returns when it went through, and raises or dies when it was blocked."""

import ctypes
import json
import os
import signal
import socket
import subprocess
import sys
import time
from typing import Any

libc = ctypes.CDLL(None, use_errno=True)


def must(condition: object) -> None:
    if not condition:
        raise PermissionError("blocked")


def tcp(target: dict[str, Any]) -> None:
    socket.create_connection(("127.0.0.1", target["tcp"]), 2)


def udp(target: dict[str, Any]) -> None:
    one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    one.settimeout(2)
    one.sendto(b"x", ("127.0.0.1", target["udp"]))
    one.recv(10)


def unix_socket(target: dict[str, Any]) -> None:
    socket.socket(socket.AF_UNIX, socket.SOCK_STREAM).connect(target["unix"])


def abstract_socket(target: dict[str, Any]) -> None:
    socket.socket(socket.AF_UNIX, socket.SOCK_STREAM).connect("\0" + target["abstract"])


def write_outside(target: dict[str, Any]) -> None:
    with open(target["outside"] + "/evil", "w") as file:
        file.write("x")


def write_workspace(target: dict[str, Any]) -> None:
    with open(os.environ["METIER_WORKSPACE"] + "/evil", "w") as file:
        file.write("x")


def write_own_folder(target: dict[str, Any]) -> None:
    with open("evil", "w") as file:
        file.write("x")


def write_system(target: dict[str, Any]) -> None:
    os.mkdir("/usr/evil-metier-test")
    os.rmdir("/usr/evil-metier-test")


def read_secret_of_the_user(target: dict[str, Any]) -> None:
    with open(target["outside"] + "/id_rsa") as file:
        must("secret" in file.read())


def read_users(target: dict[str, Any]) -> None:
    with open("/etc/passwd") as file:
        must("root" in file.read())


def see_command_lines(target: dict[str, Any]) -> None:
    with open(f"/proc/{target['victim']}/cmdline") as file:
        must("time.sleep" in file.read())


def see_environment_of_others(target: dict[str, Any]) -> None:
    with open(f"/proc/{target['victim']}/environ") as file:
        must("SECRET" in file.read())


def read_memory_of_others(target: dict[str, Any]) -> None:
    with open(f"/proc/{target['victim']}/mem", "rb") as file, open(f"/proc/{target['victim']}/maps") as maps:
        file.seek(int(maps.readline().split("-")[0], 16))
        must(file.read(4) == b"\x7fELF")


def trace_others(target: dict[str, Any]) -> None:
    must(libc.ptrace(16, target["victim"], 0, 0) == 0)
    libc.ptrace(17, target["victim"], 0, 0)


def signal_others(target: dict[str, Any]) -> None:
    os.kill(target["victim"], signal.SIGCONT)


def see_the_environment(target: dict[str, Any]) -> None:
    must("METIER_TEST_SECRET" in os.environ)


def make_a_namespace(target: dict[str, Any]) -> None:
    must(libc.unshare(0x10000000) == 0)


def mount(target: dict[str, Any]) -> None:
    os.makedirs(os.environ["METIER_WORK_DIR"] + "/m")
    where = (os.environ["METIER_WORK_DIR"] + "/m").encode()
    must(libc.mount(b"none", where, b"tmpfs", 0, None) == 0)
    libc.umount2(where, 0)


def io_uring(target: dict[str, Any]) -> None:
    must(libc.syscall(425, 4, ctypes.create_string_buffer(120)) >= 0)


def open_by_handle(target: dict[str, Any]) -> None:
    """The way out of a container for who may read everything: ask the file system for the file of a number."""
    handle = ctypes.create_string_buffer(8 + 128)
    ctypes.c_uint.from_buffer(handle).value = 128
    mounted = ctypes.c_int()
    here = os.environ["METIER_WORKSPACE"].encode()
    must(libc.name_to_handle_at(-100, here, handle, ctypes.byref(mounted), 0) == 0)
    place = os.open(here, os.O_RDONLY)
    must(libc.open_by_handle_at(place, handle, os.O_RDONLY) >= 0)


def mark_a_file(target: dict[str, Any]) -> None:
    os.chmod(target["outside"] + "/id_rsa", 0o4755)


def date_a_file(target: dict[str, Any]) -> None:
    os.utime(target["outside"] + "/id_rsa", (1, 1))


def leave_memory_behind(target: dict[str, Any]) -> None:
    number = libc.shmget(0, 4096, 0o1666)
    must(number >= 0)
    libc.shmctl(number, 0, None)
    if target["tier"] == "T3":  # there it is gone with the namespace
        raise PermissionError("its own")


def become_root(target: dict[str, Any]) -> None:
    os.setuid(0)
    must(os.geteuid() == 0)
    with open("/etc/shadow") as file:
        file.read(1)


def gain_privileges(target: dict[str, Any]) -> None:
    must(libc.prctl(39, 0, 0, 0, 0) == 0)


def fork_bomb(target: dict[str, Any]) -> None:
    for _ in range(300):
        if os.fork() == 0:
            time.sleep(5)
            os._exit(0)


def hoard_memory(target: dict[str, Any]) -> None:
    hoard = bytearray(700_000_000)
    for at in range(0, len(hoard), 4096):
        hoard[at] = 1


def hoard_memory_together(target: dict[str, Any]) -> None:
    code = (
        "import time\nhoard = bytearray(120_000_000)\n"
        "for at in range(0, len(hoard), 4096): hoard[at] = 1\ntime.sleep(3)\nprint('x')"
    )
    children = [subprocess.Popen([sys.executable, "-S", "-c", code], stdout=subprocess.PIPE) for _ in range(6)]
    must(all(child.communicate()[0] == b"x\n" for child in children))


def fill_the_disk(target: dict[str, Any]) -> None:
    with open(os.environ["METIER_WORK_DIR"] + "/big", "wb") as file:
        for _ in range(300):
            file.write(b"x" * 1_000_000)


def fill_the_disk_with_many_files(target: dict[str, Any]) -> None:
    for number in range(10):
        with open(f"{os.environ['METIER_WORK_DIR']}/big{number}", "wb") as file:
            file.write(b"x" * 20_000_000)


def fill_the_temporary_folder(target: dict[str, Any]) -> None:
    for number in range(10):
        with open(f"/tmp/big{number}" if os.path.isdir("/tmp") else f"{os.environ['TMPDIR']}/b{number}", "wb") as file:
            file.write(b"x" * 20_000_000)


def use_the_processor(target: dict[str, Any]) -> None:
    while time.process_time() < 6:
        pass


def leave_a_daemon(target: dict[str, Any]) -> None:
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execve("/bin/sleep", ["sleep", target["sleep"]], {})
        os._exit(0)
    time.sleep(0.3)


if __name__ == "__main__":
    given = json.loads(sys.stdin.readline())["arguments"]
    try:
        globals()[given["attack"]](json.loads(given["target"]))
    except BaseException as error:  # whatever it is, it went not through
        print(json.dumps({"output": "", "error": f"blocked: {type(error).__name__}: {error}"}))
    else:
        print(json.dumps({"output": "went through", "error": ""}))
