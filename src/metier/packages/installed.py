"""The Python packages that are installed and bring a skill, and what became of each."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import logging
import os
import re
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from metier.diagnostic import Diagnostic, problem
from metier.errors import MetierError
from metier.packages.project_skill import ProjectSkill
from metier.skill import PACKAGE
from metier.switches import switch_key, switched_off
from metier.words import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from importlib.metadata import EntryPoint

    from metier.skill import Skill

GROUP = "metier.skills"
"""The group of entry points in which packages register their skills."""

_EXTRA = re.compile(r"\s*([A-Za-z0-9._-]+).*;.*\bextra\s*==\s*['\"]([^'\"]+)['\"]")

log = logging.getLogger("metier")
# Whoever wants to read the log sets a handler; nobody else is to find it among the output of a command.
log.addHandler(logging.NullHandler())

PackageState: TypeAlias = Literal["enabled", "disabled", "unready", "broken"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """One registered skill and what became of it."""

    name: str
    state: PackageState
    skill: Skill | None = None
    reason: str = ""
    """Why it is not enabled."""
    diagnostics: tuple[Diagnostic, ...] = ()


def installed_packages(
    environ: Mapping[str, str], switches: Literal["words", "exact", "off"] = "words"
) -> tuple[Package, ...]:
    """Every registered skill, sorted by name, each with one line in the log `metier`.

    What cannot be loaded is a diagnostic, never an exception. What is switched off is not even imported.
    """
    off = switched_off(environ, switches)
    chosen: dict[str, EntryPoint] = {}
    twice: dict[str, list[Diagnostic]] = {}
    for entry in sorted(_registered(), key=lambda one: (one.name, _home_of(one))):
        if entry.name in chosen:
            values = {"winner": _home_of(chosen[entry.name]), "distribution": _home_of(entry), "name": entry.name}
            twice.setdefault(entry.name, []).append(problem("package-twice", _place(entry), **values))
        else:
            chosen[entry.name] = entry
    found: list[Package] = []
    for name, entry in chosen.items():
        key = switch_key(name)
        package = _switched_off(name, key, off[key]) if key in off else _loaded(entry)
        found.append(_with(package, twice.get(name, [])))
    return tuple(found)


def _registered() -> Iterator[EntryPoint]:
    """The entry points of everything that is installed, each distribution once.

    `python -m` lets Python import from the folder that it is started in. That may be a stranger's repository, and what
    looks like a package there is not installed.
    """
    try:
        here = os.path.realpath(os.curdir)
    except FileNotFoundError:  # somebody has removed the folder
        here = ""
    places = [place for place in sys.path if os.path.isabs(place) and os.path.realpath(place) != here]
    seen: set[str] = set()
    for distribution in importlib.metadata.distributions(path=places):
        # Its name is in a file of its own, which is read only where it matters.
        found = distribution.entry_points.select(group=GROUP)
        if found and distribution.name not in seen:
            seen.add(distribution.name)
            yield from found


def _with(package: Package, more: list[Diagnostic]) -> Package:
    if not more:
        return package
    return Package(
        name=package.name,
        state=package.state,
        skill=package.skill,
        reason=package.reason,
        diagnostics=(*package.diagnostics, *more),
    )


def _switched_off(name: str, key: str, value: str) -> Package:
    log.info("%s skill disabled by SKILL_%s_ENABLED=%s", one_line(name), key, one_line(value))
    return Package(name=name, state="disabled", reason=f"switched off by SKILL_{key}_ENABLED")


def _loaded(entry: EntryPoint) -> Package:
    try:
        declared: object = entry.load()
        if not isinstance(declared, ProjectSkill):
            return _broken(entry, f"{entry.value} is {type(declared).__name__}, not a ProjectSkill")
        missing = next((one for one in declared.requires if importlib.util.find_spec(one) is None), None)
    except ModuleNotFoundError as error:
        if error.name and not f"{entry.module}.".startswith(f"{error.name}."):
            return _unready(entry, error.name)
        return _broken(entry, f"there is no module {error.name or entry.module}", error)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - importing runs whatever its author wrote
        return _broken(entry, _told(error), error)
    if missing is not None:
        return _unready(entry, missing)
    if declared.name != entry.name:
        return _broken(entry, f"it calls itself {declared.name!r}, and is registered as {entry.name!r}")
    skill = declared.skill
    if not skill.tools and not skill.text:
        return _broken(entry, "it has neither tools nor instructions")
    log.info("%s skill enabled: %s", entry.name, ", ".join(tool.name for tool in skill.tools) or "instructions only")
    return Package(name=entry.name, state="enabled", skill=skill)


def _told(error: BaseException) -> str:
    """What an exception says, on one line; one of metier's own needs no name of its class."""
    text = one_line(str(error))
    return (
        text if isinstance(error, MetierError) else f"{type(error).__name__}: {text}" if text else type(error).__name__
    )


def _unready(entry: EntryPoint, module: str) -> Package:
    install = _install_command(entry, module)
    log.info("%s skill is off: %s is not installed; %s", entry.name, module, install)
    found = problem("package-unready", _place(entry), module=module, install=install)
    return Package(name=entry.name, state="unready", reason=found.message, diagnostics=(found,))


def _broken(entry: EntryPoint, reason: str, error: BaseException | None = None) -> Package:
    # Its traceback is for who looks for the cause: with the log at DEBUG.
    cause = error if log.isEnabledFor(logging.DEBUG) else None
    log.warning("%s skill is off: it cannot be loaded: %s", one_line(entry.name), reason, exc_info=cause)
    values = {"reason": reason, "distribution": _home_of(entry), "key": switch_key(entry.name)}
    found = problem("package-broken", _place(entry), **values)
    return Package(name=entry.name, state="broken", reason=found.message, diagnostics=(found,))


def _place(entry: EntryPoint) -> str:
    return f"{PACKAGE.label}:{one_line(entry.name)}"


def _home_of(entry: EntryPoint) -> str:
    """The name of the distribution that registers it."""
    return entry.dist.name if entry.dist else entry.value


def _install_command(entry: EntryPoint, module: str) -> str:
    """How to install a module: by the extra of its own distribution that is there for it, if there is one."""
    top = module.partition(".")[0]
    for line in (entry.dist.requires if entry.dist else None) or ():
        match = _EXTRA.match(line)
        if match and match[1].lower().replace("-", "_") == top.lower().replace("-", "_"):
            return f"pip install '{_home_of(entry)}[{match[2]}]'"
    return f"pip install {top}"
