"""From a tool to the command that runs it: an interpreter, a built program, or the file itself.

Nothing is installed or built for a skill that is not trusted; the runner sees to that before it asks here.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metier.execution.dependencies import node_packages, python_requirements
from metier.paths import is_inside
from metier.result.answer import Code, Result, failed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.tool import Tool

BUILD_S = 300.0
_NOT_SOURCES = (".git", "node_modules", "__pycache__")
_FOR_BUILDS = re.compile(
    r"PATH|HOME|USER|LANG|TMPDIR|XDG_.*|UV_.*|PIP_.*|NPM_CONFIG_.*|GO(?!TOOLCHAIN).*|SSL_CERT_.*|(?:HTTPS?|ALL|NO)_PROXY",
    re.IGNORECASE,
)
"""Variables that a build gets to see: where things are, and how to reach a registry. No secrets of other kinds."""
_TYPESCRIPT = (".ts", ".mts", ".cts")
_NODE_STRIPS_TYPES = (22, 6)
_NODE_STRIPS_BY_DEFAULT = (23, 6)


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """How a tool is started."""

    argv: tuple[str, ...]
    readable: tuple[str, ...] = ()
    """Folders that it needs besides its own and those of the system."""
    log: str = ""
    """What people should know, such as that an older build is in use."""


def command_of(tool: Tool, folder: str, cache: str, *, may_build: bool) -> Command | Result:
    """The command for a tool of the skill in `folder`. What is built is kept below `cache`.

    Where it may not be built, nothing is, whatever was found a moment ago: a program can change its own skill.
    """
    entry = os.path.join(folder, *tool.entry.split("/"))
    if not os.path.isfile(entry):
        return failed(tool.name, Code.NOT_FOUND, "tool-not-started", name=tool.name, reason=f"{tool.entry} is missing")
    if tool.runtime == "python":
        return _python(tool, entry, folder, cache, may_build=may_build)
    if tool.runtime == "node":
        return _node(tool, entry, folder, cache, may_build=may_build)
    if tool.runtime == "go":
        return _go(tool, entry, cache) if may_build else _untrusted(tool)
    if not os.access(entry, os.X_OK):
        reason = f"{tool.entry} is not executable; `chmod +x` makes it so"
        return failed(tool.name, Code.EXECUTION_ERROR, "tool-not-started", name=tool.name, reason=reason)
    trouble = _shebang_trouble(entry)
    if trouble:
        return failed(tool.name, Code.EXECUTION_ERROR, "tool-not-started", name=tool.name, reason=trouble)
    return Command(argv=(entry,))


def _shebang_trouble(entry: str) -> str:
    """What keeps the system from finding the interpreter of a script; it would only say that there is no file."""
    with open(entry, "rb") as file:
        first = file.read(256).split(b"\n")[0]
    if not first.startswith(b"#!"):
        return ""
    if first.endswith(b"\r"):
        return "its first line ends with a carriage return; save it with the line endings of Unix"
    words = first[2:].split()
    if words and not os.path.exists(words[0]):
        return f"its interpreter {os.fsdecode(words[0])!r} is not installed"
    return ""


def needs_building(tool: Tool, folder: str) -> bool:
    """True for a tool for which something has to be installed or built first."""
    if tool.runtime == "go":
        return True
    if tool.runtime == "node" and tool.entry.endswith(_TYPESCRIPT):
        node = shutil.which("node")
        return node is not None and _reads_types(os.path.realpath(node)) is None and _beside("tsx", folder) is None
    return (
        tool.runtime == "python"
        and python_requirements(os.path.join(folder, *tool.entry.split("/")), folder) is not None
    )


# ── python ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def _python(tool: Tool, entry: str, folder: str, cache: str, *, may_build: bool) -> Command | Result:
    base = os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)
    readable = _outside_of_system(sys.base_prefix)
    options = ("-E", "-s", "-u", "-X", "utf8")
    wanted = python_requirements(entry, folder)
    if wanted is None:
        # Without its site packages an interpreter starts faster, and sees nothing that the skill did not bring.
        return Command(argv=(base, *options, "-S", entry), readable=readable)
    environment = _environment(tool, wanted, cache) if may_build else _untrusted(tool)
    if isinstance(environment, Result):
        return environment
    python = os.path.join(environment, "bin", "python")
    return Command(argv=(python, *options, entry), readable=(*readable, environment))


def _environment(tool: Tool, wanted: str, cache: str) -> str | Result:
    """An environment with these requirements, made once."""
    key = hashlib.blake2b(f"{sys.version}\0{wanted}".encode(), digest_size=12).hexdigest()
    place = os.path.join(cache, "environments", key)
    if os.path.isdir(place):
        return place
    uv = _uv()
    if uv is None:
        hint = "install uv (pip install uv)"
        return failed(tool.name, Code.EXECUTION_ERROR, "tool-runtime-missing", what="uv", hint=hint)
    os.makedirs(os.path.dirname(place), mode=0o755, exist_ok=True)
    made = tempfile.mkdtemp(dir=os.path.dirname(place), prefix=f"{key}.")
    os.chmod(made, 0o755)  # noqa: S103 - whoever the tool runs as has to read it
    listed = os.path.join(made, "requirements.txt")
    with open(listed, "w", encoding="utf-8") as file:
        file.write(wanted)
    base = getattr(sys, "_base_executable", None) or sys.executable
    steps = (
        [*uv, "venv", "--quiet", "--relocatable", "--python", base, f"{made}/env"],
        [*uv, "pip", "install", "--quiet", "--compile-bytecode", "--python", f"{made}/env/bin/python", "-r", listed],
    )  # fmt: skip
    for step in steps:
        trouble = _build(step, made)
        if trouble:
            shutil.rmtree(made, ignore_errors=True)
            return _not_built(tool, trouble)
    with contextlib.suppress(OSError):  # somebody else was faster
        os.rename(f"{made}/env", place)
    shutil.rmtree(made, ignore_errors=True)
    return place


@functools.cache
def _uv() -> tuple[str, ...] | None:
    found = shutil.which("uv")
    if found:
        return (found,)
    done = subprocess.run([sys.executable, "-m", "uv", "--version"], capture_output=True, check=False)
    return (sys.executable, "-m", "uv") if done.returncode == 0 else None


# ── node ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def _node(tool: Tool, entry: str, folder: str, cache: str, *, may_build: bool) -> Command | Result:
    node = shutil.which("node")
    if node is None:
        hint = "install Node.js 20 or newer"
        return failed(tool.name, Code.EXECUTION_ERROR, "tool-runtime-missing", what="node", hint=hint)
    wanted = node_packages(folder)
    if wanted and not os.path.isdir(os.path.join(folder, "node_modules")):
        # Installing into a skill's folder is its user's to do; and node finds packages nowhere else.
        what, hint = (
            f"the packages of package.json ({', '.join(wanted[:5])})",
            f"run npm install --ignore-scripts in {folder}",
        )
        return failed(tool.name, Code.EXECUTION_ERROR, "tool-runtime-missing", what=what, hint=hint)
    node = os.path.realpath(node)
    readable = _outside_of_system(node)
    if not entry.endswith(_TYPESCRIPT):
        return Command(argv=(node, entry), readable=readable)
    options = _reads_types(node)
    if options is not None:
        return Command(argv=(node, *options, entry), readable=readable)
    tsx = _beside("tsx", folder)
    if tsx is not None:
        return Command(argv=(node, tsx, entry), readable=(*readable, *_module_folder(tsx, folder)))
    esbuild = _beside("esbuild", folder)
    if esbuild is not None:
        return _bundled(tool, (node, esbuild), entry, readable, cache) if may_build else _untrusted(tool)
    shown = ".".join(map(str, _node_version(node)))
    hint = "use Node.js 22.6 or newer, install tsx (npm install -g tsx) or esbuild, or ship JavaScript"
    return failed(
        tool.name, Code.EXECUTION_ERROR, "tool-runtime-missing", what=f"TypeScript for node {shown}", hint=hint
    )


def _reads_types(node: str) -> tuple[str, ...] | None:
    """The options by which node reads TypeScript by itself; `None` where it cannot."""
    version = _node_version(node)
    if version >= _NODE_STRIPS_BY_DEFAULT:
        return ()
    return ("--experimental-strip-types", "--no-warnings") if version >= _NODE_STRIPS_TYPES else None


def _beside(name: str, folder: str) -> str | None:
    """A program among the packages of the skill, if it is really there, or else of the machine."""
    own = os.path.join(folder, "node_modules", ".bin", name)
    if os.access(own, os.X_OK) and is_inside(folder, own):
        return os.path.realpath(own)
    found = shutil.which(name)
    return os.path.realpath(found) if found else None


def _module_folder(path: str, folder: str) -> tuple[str, ...]:
    """The folder with all packages that a package of the machine lies in: they need each other."""
    head, found, _ = path.rpartition("/node_modules/")
    if is_inside(folder, path):
        return ()
    return _outside_of_system(head + "/node_modules") if found else _outside_of_system(path)


def _bundled(
    tool: Tool, esbuild: tuple[str, str], entry: str, readable: tuple[str, ...], cache: str
) -> Command | Result:
    """TypeScript made into one file of JavaScript, kept by the hash of its sources."""
    node, program = esbuild
    folder = os.path.dirname(entry)
    key = _sources_key(folder)
    product = os.path.join(cache, "bundles", f"{_short(entry)}-{key}", "main.mjs")
    if not os.path.isfile(product):
        os.makedirs(os.path.dirname(product), mode=0o755, exist_ok=True)
        options = ("--bundle", "--platform=node", "--format=esm", "--log-level=error")
        # The program of the package is a script that starts another one, or that other one itself.
        starts = [node, program] if _is_script(program) else [program]
        trouble = _build([*starts, entry, *options, f"--outfile={product}.new"], folder)
        if trouble:
            return _not_built(tool, trouble)
        os.replace(f"{product}.new", product)
    return Command(argv=(node, product), readable=(*readable, os.path.dirname(product)))


def _is_script(path: str) -> bool:
    with open(path, "rb") as file:
        return file.read(2) == b"#!"


@functools.cache
def _node_version(node: str) -> tuple[int, int]:
    done = subprocess.run([node, "--version"], capture_output=True, text=True, encoding="utf-8", check=False)
    match = re.match(r"v(\d+)\.(\d+)", done.stdout)
    return (int(match[1]), int(match[2])) if match else (0, 0)


# ── go ───────────────────────────────────────────────────────────────────────────────────────────────────────────────


def _go(tool: Tool, entry: str, cache: str) -> Command | Result:
    """The built program; an older build goes on serving while the new one does not build."""
    folder = os.path.dirname(entry)
    place = os.path.join(cache, "go", _short(folder))
    name = product_name(sys.platform)
    product = os.path.join(place, _sources_key(folder), name)
    if os.path.isfile(product):
        return Command(argv=(product,), readable=(os.path.dirname(product),))
    go = shutil.which("go")
    if go is None:
        hint = "install Go (on Debian: apt-get install golang-go)"
        return failed(tool.name, Code.EXECUTION_ERROR, "tool-runtime-missing", what="go", hint=hint)
    os.makedirs(place, mode=0o755, exist_ok=True)
    made = tempfile.mkdtemp(dir=place, prefix="build.")
    os.chmod(made, 0o755)  # noqa: S103 - as above
    trouble = _build([go, "build", "-trimpath", "-buildvcs=false", "-o", os.path.join(made, name), "."], folder)
    if trouble:
        shutil.rmtree(made, ignore_errors=True)
        older = _newest(place, name)
        if older is None:
            return _not_built(tool, trouble)
        return Command(argv=(older,), readable=(os.path.dirname(older),), log=f"the last build failed:\n{trouble}")
    try:
        os.rename(made, os.path.dirname(product))
    except OSError:  # somebody else was faster
        shutil.rmtree(made, ignore_errors=True)
    return Command(argv=(product,), readable=(os.path.dirname(product),))


def product_name(platform: str) -> str:
    """What a built program is called."""
    return "skill.exe" if platform == "win32" else "skill"


def _short(path: str) -> str:
    return hashlib.blake2b(path.encode("utf-8", "surrogateescape"), digest_size=12).hexdigest()


def _sources_key(folder: str) -> str:
    """A hash of everything that a build may look at: all files below a folder but installed packages."""
    digest = hashlib.blake2b(digest_size=12)
    for here, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in _NOT_SOURCES)
        for name in sorted(names):
            path = os.path.join(here, name)
            if os.path.isfile(path) and not os.path.islink(path):
                digest.update(os.fsencode(os.path.relpath(path, folder)) + b"\0")
                with open(path, "rb") as file:
                    digest.update(hashlib.file_digest(file, "blake2b").digest())
    return digest.hexdigest()


def _newest(place: str, name: str) -> str | None:
    built = [os.path.join(place, one, name) for one in os.listdir(place)]
    return max((path for path in built if os.path.isfile(path)), key=os.path.getmtime, default=None)


def _build(step: Sequence[str], folder: str) -> str:
    """Run one step of a build; what it said, if it failed."""
    environ = {key: value for key, value in os.environ.items() if _FOR_BUILDS.fullmatch(key)}
    environ |= {"GOTOOLCHAIN": "local", "CGO_ENABLED": "0"}
    try:
        done = subprocess.run(
            step, cwd=folder, env=environ, capture_output=True, text=True, encoding="utf-8", errors="replace",
            timeout=BUILD_S, check=False, stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"it took longer than {BUILD_S:.0f} seconds"
    except OSError as error:
        return error.strerror or str(error)
    return "" if done.returncode == 0 else (done.stderr or done.stdout or f"status {done.returncode}").strip()


def _untrusted(tool: Tool) -> Result:
    return failed(tool.name, Code.ACCESS_DENIED, "tool-untrusted", name=tool.name)


def _not_built(tool: Tool, trouble: str) -> Result:
    return failed(tool.name, Code.EXECUTION_ERROR, "tool-build-failed", name=tool.name).but(data={"log": trouble})


def _outside_of_system(prefix: str) -> tuple[str, ...]:
    """A folder that has to be shown to a program because it is not among those of the system."""
    real = os.path.realpath(prefix)
    return () if real.startswith(("/usr/", "/opt/")) or real in ("/usr", "/opt", "/") else (real,)
