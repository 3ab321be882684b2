"""Settings: the user's file, the project's file, the environment. Later ones win.

A project may be a stranger's. So its file can choose a profile, name roots and hide skills, but it can neither
trust itself nor loosen what the user decided about trust.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast, get_args

from metier.catalog.reading import read_bytes
from metier.catalog.roots import home_of
from metier.diagnostic import Diagnostic, problem
from metier.errors import ConfigError
from metier.messages import LANGS
from metier.paths import is_inside
from metier.places import CLIENTS, RootSpec
from metier.policy import PROFILES, Execution, Policy, ShellCommands, Style, VisibilityRule
from metier.skill import Visibility

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

MAX_CONFIG = 1_048_576

BUDGET_VARIABLE = "SKILLS_PROMPT_CHAR_BUDGET"
MAX_DIGITS = 12

_CHOICES: dict[str, tuple[str, ...]] = {
    "style": get_args(Style),
    "lang": LANGS,
    "execution": get_args(Execution),
    "shell_commands": get_args(ShellCommands),
}

USER_ONLY_SETTINGS = frozenset({"trusted_roots", "project_reading", "execution", "shell_commands"})
"""Settings that count only in the user's own file."""


_STRICTNESS = ("allow", "trusted", "deny")


@dataclass(slots=True)
class Config:
    """The policy that results from all files, and what was wrong with them."""

    policy: Policy
    diagnostics: list[Diagnostic] = field(default_factory=list[Diagnostic])


def load_config(project: str, environ: Mapping[str, str], profile: str | None = None) -> Config:
    """The policy for a project. A profile named by the caller beats the one in the files.

    Raises:
        ConfigError: when a file is not TOML.
        UnknownProfile: when the environment or the caller names a profile that does not exist.
    """
    layers = [layer for layer in (_user_layer(environ), _project_layer(project)) if layer is not None]
    chosen = profile or environ.get("METIER_PROFILE") or None
    config = Config(Policy.profile(chosen or _profile_of(layers)))
    if not chosen:
        # A project may choose how skills are shown, but not that its own programs are run.
        users = Policy.profile(_profile_of([layer for layer in layers if layer.is_users]))
        strictest = max(config.policy.execution, users.execution, key=_STRICTNESS.index)
        config.policy = config.policy.but(execution=strictest)
    for layer in layers:
        _apply(layer, config)
    return config


@dataclass(frozen=True, slots=True)
class _Layer:
    path: str
    settings: dict[str, Any]
    is_users: bool


def _user_layer(environ: Mapping[str, str]) -> _Layer | None:
    base = environ.get("XDG_CONFIG_HOME") or os.path.join(home_of(environ), ".config")
    path = os.path.join(base, "metier", "metier.toml")
    settings = _read_toml(path)
    return None if settings is None else _Layer(path, settings, is_users=True)


def _project_layer(project: str) -> _Layer | None:
    path = os.path.join(project, "metier.toml")
    settings = _read_toml(path, inside=project)
    if settings is None:
        path = os.path.join(project, "pyproject.toml")
        tools = (_read_toml(path, only_with=b"tool.metier", inside=project) or {}).get("tool")
        settings = cast("dict[str, Any]", tools).get("metier") if isinstance(tools, dict) else None
    return _Layer(path, cast("dict[str, Any]", settings), is_users=False) if isinstance(settings, dict) else None


def _read_toml(path: str, only_with: bytes = b"", inside: str | None = None) -> dict[str, Any] | None:
    """The settings in a file; `None` if there is no file, or nothing of ours in it.

    `inside` is the folder that a stranger's file must lie in: it may be a link to anything.
    """
    if inside is not None and not is_inside(inside, path):
        raise ConfigError(path, f"it is a link that leads out of {inside!r}", "replace the link by a file")
    read = read_bytes(path, MAX_CONFIG + 1)
    if read is None:
        return None
    if isinstance(read, Diagnostic):
        raise ConfigError(path, read.message, read.hint)
    if only_with not in read[0]:
        return None
    if len(read[0]) > MAX_CONFIG:
        raise ConfigError(path, f"it is longer than {MAX_CONFIG:,} bytes", "this cannot be a configuration of metier")
    import tomllib

    try:
        return tomllib.loads(read[0].decode("utf-8"))
    except (ValueError, RecursionError) as error:  # both of tomllib's and Python's own complaints are ValueErrors
        raise ConfigError(path, f"it is not TOML: {error}", "mend the line, or remove the file") from error


def _profile_of(layers: list[_Layer]) -> str:
    named = [layer.settings["profile"] for layer in layers if "profile" in layer.settings]
    return named[-1] if named and isinstance(named[-1], str) and named[-1] in PROFILES else "default"


def _apply(layer: _Layer, config: Config) -> None:
    for key, value in layer.settings.items():
        if key in USER_ONLY_SETTINGS and not layer.is_users:
            _ignored(config, layer, f"{key!r} counts only in the user's own file, not in a project")
            continue
        try:
            _set(key, value, layer, config)
        except (ValueError, TypeError) as error:
            _ignored(config, layer, str(error))


def _ignored(config: Config, layer: _Layer, reason: str) -> None:
    config.diagnostics.append(problem("config-ignored", layer.path, reason=f"a setting is ignored: {reason}"))


def _set(key: str, value: Any, layer: _Layer, config: Config) -> None:
    setter = _SETTERS.get(key)
    if setter is None:
        raise ValueError(f"{key!r} is not a setting of metier")
    config.policy = setter(key, value, layer, config)


def _set_profile(key: str, value: Any, layer: _Layer, config: Config) -> Policy:
    """Already followed, as the base of everything else; here it is only checked."""
    del key, layer
    if not isinstance(value, str) or value not in PROFILES:
        raise ValueError(f"the profile {value!r} is not one of {', '.join(PROFILES)}")
    return config.policy


def _set_roots(key: str, value: Any, layer: _Layer, config: Config) -> Policy:
    base = os.path.dirname(layer.path)
    paths = [os.path.join(base, os.path.expanduser(text)) for text in _texts(key, value)]
    # The user's own folders may lie anywhere; a project's must lie inside it.
    base_of_root, scope = ("absolute", "user") if layer.is_users else ("project", "project")
    own = tuple(RootSpec(path=path, base=base_of_root, scope=scope) for path in paths)
    return config.policy.but(roots=own + config.policy.roots)


def _set_clients(key: str, value: Any, layer: _Layer, config: Config) -> Policy:
    del layer
    unknown = [text for text in _texts(key, value) if text not in CLIENTS]
    if unknown:
        raise ValueError(f"{unknown[0]!r} is not a known client; use {', '.join(CLIENTS)}")
    return config.policy.but(clients=tuple(_texts(key, value)))


def _set_trusted_roots(key: str, value: Any, layer: _Layer, config: Config) -> Policy:
    del layer
    paths = [os.path.expanduser(text) for text in _texts(key, value)]
    relative = [path for path in paths if not os.path.isabs(path)]
    if relative:
        raise ValueError(f"{key!r} holds {relative[0]!r}, which is not an absolute path")
    return config.policy.but(trusted_roots=tuple(paths))


def _set_project_reading(key: str, value: Any, layer: _Layer, config: Config) -> Policy:
    del layer
    if value not in ("open", "after-trust"):
        raise ValueError(f"{key!r} is {value!r}, not 'open' or 'after-trust'")
    return config.policy.but(project_reading=value)


def _set_number(key: str, value: Any, layer: _Layer, config: Config) -> Policy:
    del layer
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ValueError(f"{key!r} is {value!r}, not a whole number above 0")
    return config.policy.but(**{key: value})


def _set_choice(key: str, value: Any, layer: _Layer, config: Config) -> Policy:
    del layer
    if value not in _CHOICES[key]:
        raise ValueError(f"{key!r} is {value!r}, not one of {', '.join(_CHOICES[key])}")
    return config.policy.but(**{key: value})


def _set_names(key: str, value: Any, layer: _Layer, config: Config) -> Policy:
    del layer
    return config.policy.but(**{key: tuple(_texts(key, value))})


def with_environment(policy: Policy, environ: Mapping[str, str]) -> tuple[Policy, list[Diagnostic]]:
    """The policy with what the environment sets, and what of that makes no sense."""
    text = environ.get(BUDGET_VARIABLE, "").strip()
    if not text or policy.budget_chars is None:
        return policy, []
    if text.isascii() and text.isdigit() and int(text[:MAX_DIGITS]) > 0:
        return policy.but(budget_chars=int(text[:MAX_DIGITS])), []
    reason = f"{BUDGET_VARIABLE} is {text!r}, not a whole number above 0; {policy.budget_chars:,} is used"
    return policy, [problem("config-ignored", "the environment", reason=reason)]


def _set_skills(key: str, value: Any, layer: _Layer, config: Config) -> Policy:
    if not isinstance(value, list):
        raise ValueError(f"{key!r} is not a list of tables")
    rules = [_rule(entry, layer, config) for entry in cast("list[Any]", value)]
    return config.policy.but(visibility=config.policy.visibility + tuple(rule for rule in rules if rule is not None))


_SETTERS: dict[str, Callable[[str, Any, _Layer, Config], Policy]] = {
    "profile": _set_profile,
    "roots": _set_roots,
    "clients": _set_clients,
    "trusted_roots": _set_trusted_roots,
    "project_reading": _set_project_reading,
    "max_depth": _set_number,
    "max_dirs": _set_number,
    "max_entries": _set_number,
    "budget_chars": _set_number,
    "budget_tokens": _set_number,
    "execution": _set_choice,
    "shell_commands": _set_choice,
    "style": _set_choice,
    "lang": _set_choice,
    "pinned": _set_names,
    "skills": _set_skills,
}
"""Every setting of a configuration file."""


def _texts(key: str, value: Any) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in cast("list[Any]", value)):
        raise ValueError(f"{key!r} is not a list of texts")
    texts = cast("list[str]", value)
    if any("\0" in text or not text for text in texts):
        raise ValueError(f"{key!r} holds an empty text or a NUL character")
    return texts


def _rule(entry: Any, layer: _Layer, config: Config) -> VisibilityRule | None:
    """One `[[skills]]` table: exactly one of `name` and `path`, and a visibility."""
    if not isinstance(entry, dict):
        raise ValueError("'skills' is not a list of tables")
    table = cast("dict[str, Any]", entry)
    name, path, shown = table.get("name", ""), table.get("path", ""), table.get("visibility")
    if bool(name) == bool(path):
        _ignored(config, layer, f"a rule for skills needs either a name or a path: {table}")
        return None
    if not isinstance(shown, str) or shown not in tuple(Visibility):
        _ignored(config, layer, f"the visibility {shown!r} of {name or path!r} is not one of {', '.join(Visibility)}")
        return None
    if path:
        path = os.path.join(os.path.dirname(layer.path), os.path.expanduser(str(path)))
    # What the user decided about their own skills is not a project's to change.
    scope = "" if layer.is_users else "project"
    return VisibilityRule(visibility=Visibility(shown), name=str(name), path=str(path), scope=scope, origin=layer.path)
