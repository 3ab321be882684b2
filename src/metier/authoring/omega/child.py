"""What is done with a project's own code, in a process of its own: import its skill, and run its tests."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from metier.tool import Example, Parameter, Tool
from metier.words import one_line, shortened

if TYPE_CHECKING:
    from metier.authoring.omega.registration import Registered

IMPORT_S = 60.0
TESTS_S = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What a project's skill is once it is imported, as a host would see it."""

    state: str
    """`enabled`, or why it is not."""
    reason: str
    log: tuple[str, ...]
    """What the log says of it at the start."""
    state_off: str
    """The state with its switch at `false`."""
    library: str
    version: str
    tools: tuple[Tool, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tested:
    """What came of a project's tests."""

    ok: bool
    summary: str
    covered: float
    """Per cent of the skill's own lines."""
    errors: tuple[str, ...]
    """Every error that was raised for a model."""


def seen_in_child(entry: Registered) -> Seen | str:
    """Import a registered skill as if its project were installed; a text says why that failed."""
    with tempfile.TemporaryDirectory(prefix="metier-check-") as work:
        _pretend_installed(entry, work)
        answer = os.path.join(work, "seen.json")
        command = [sys.executable, "-m", "metier.authoring.omega.inspect_child", entry.name, entry.switch, answer]
        done = _run(command, entry, [work], IMPORT_S)
        if isinstance(done, str):
            return done
        try:
            with open(answer, encoding="utf-8") as file:
                said = cast("dict[str, Any]", json.load(file))
        except (OSError, ValueError):
            return _last_line(done) or f"status {done.returncode}"
    return Seen(
        state=said["state"],
        reason=said["reason"],
        log=tuple(said["log"]),
        state_off=said["state_off"],
        library=said["library"],
        version=said["version"],
        tools=tuple(_tool(one) for one in said["tools"]),
    )


def _pretend_installed(entry: Registered, work: str) -> None:
    """The files by which Python knows an installed project, for this one skill."""
    folder = os.path.join(work, "metier_checked-0.dist-info")
    os.mkdir(folder)
    with open(os.path.join(folder, "METADATA"), "w", encoding="utf-8") as file:
        file.write("Metadata-Version: 2.1\nName: metier-checked\nVersion: 0\n")
    with open(os.path.join(folder, "entry_points.txt"), "w", encoding="utf-8") as file:
        file.write(f"[metier.skills]\n{entry.name} = {entry.target}\n")


def _tool(said: dict[str, Any]) -> Tool:
    return Tool(
        name=said["name"],
        description=said["description"],
        runtime="python",
        entry=said["entry"],
        parameters=tuple(Parameter(**one) for one in said["parameters"]),
        when_to_use=tuple(said["when_to_use"]),
        when_not_to_use=tuple(said["when_not_to_use"]),
        examples=tuple(Example(**one) for one in said["examples"]),
    )


def missing_test_tools() -> str:
    """The first module that running tests with coverage needs and that is not installed."""
    return next((name for name in ("pytest", "coverage") if importlib.util.find_spec(name) is None), "")


def tested_in_child(entry: Registered, tests: list[str], sources: list[str]) -> Tested | str:
    """Run the tests of a skill with coverage; a text says why that failed."""
    with tempfile.TemporaryDirectory(prefix="metier-check-") as work:
        settings, data = os.path.join(work, "coveragerc"), os.path.join(work, "coverage")
        with open(settings, "w", encoding="utf-8") as file:
            included = "\n    ".join(sources)
            file.write(f"[run]\ndata_file = {data}\ninclude =\n    {included}\n")
        errors = os.path.join(work, "errors.txt")
        coverage = [sys.executable, "-m", "coverage"]
        pytest = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "metier.authoring.omega.recorder", *tests]
        done = _run([*coverage, "run", f"--rcfile={settings}", *pytest], entry, [], TESTS_S, METIER_ERRORS_FILE=errors)
        if isinstance(done, str):
            return done
        told = _run([*coverage, "json", f"--rcfile={settings}", "-q", "-o", "-"], entry, [], IMPORT_S)
        return Tested(
            ok=done.returncode == 0,
            summary=_last_line(done),
            covered=0.0 if isinstance(told, str) else _covered(told.stdout),
            errors=_lines(errors),
        )


def _covered(report: str) -> float:
    try:
        return float(cast("dict[str, dict[str, float]]", json.loads(report))["totals"]["percent_covered"])
    except (ValueError, KeyError):
        return 0.0


def _lines(path: str) -> tuple[str, ...]:
    try:
        with open(path, encoding="utf-8") as file:
            return tuple(dict.fromkeys(json.loads(line) for line in file))
    except OSError:
        return ()


def _run(
    command: list[str], entry: Registered, more: list[str], timeout_s: float, **environ: str
) -> subprocess.CompletedProcess[str] | str:
    own = os.path.dirname(os.path.dirname(os.path.abspath(sys.modules["metier"].__file__ or "")))
    places = [*more, os.path.join(entry.project, "src"), entry.project, own]
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("COVERAGE", "PYTEST", "SKILL_"))}
    try:
        return subprocess.run(
            command,
            cwd=entry.project,
            env={**kept, "PYTHONPATH": os.pathsep.join(places), "PYTHONUTF8": "1", **environ},
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=timeout_s,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        return f"it took longer than {timeout_s:g} seconds"


def _last_line(done: subprocess.CompletedProcess[str]) -> str:
    lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    return shortened(one_line(lines[-1]), 200) if lines else ""
